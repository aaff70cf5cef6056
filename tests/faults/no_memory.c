/* Loaded before the C library: from the allocation $NO_MEMORY_FROM on there is no memory. */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

static atomic_long count, from;

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("NO_MEMORY_FROM");
    from = text ? atol(text) : 0;
    count = 0;
}

static int is_spent(void) {
    if (from == 0 || ++count < from) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) {
    return is_spent() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size) {
    return is_spent() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size) {
    return is_spent() ? NULL : __libc_realloc(p, size);
}

void *reallocarray(void *p, size_t n, size_t size) {
    return n > 0 && size > (size_t)-1 / n ? NULL : realloc(p, n * size);
}
