#include "check/ways.h"

#include <stdlib.h>

#include "base/memory.h"

struct ways ways_new(int n) {
    size_t all = (size_t)n + 1;
    return (struct ways){n, memory_new(all, sizeof(int)), memory_new(all * all, sizeof(bool))};
}

void ways_free(struct ways *w) {
    free(w->op);
    free(w->next);
    *w = (struct ways){0};
}
