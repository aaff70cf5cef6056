#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

void memory_exhausted(void) {
    fputs("culitmus: out of memory\n", stderr);
    abort();
}

void *memory_check(void *p) {
    if (!p) memory_exhausted();
    return p;
}

void *memory_new(size_t n, size_t size) {
    return memory_check(calloc(n ? n : 1, size));
}

void *memory_resize(void *p, size_t n, size_t size) {
    return memory_check(reallocarray(p, n ? n : 1, size));
}
