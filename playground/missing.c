#include "missing.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cores.h"
#include "compile/compile.h"

/* There is one thread, and no comparison sorts. */
static int (*compare_with)(const void *, const void *, void *);
static void *context;

static int compare(const void *x, const void *y) {
    return compare_with(x, y, context);
}

void qsort_r(void *base, size_t n, size_t size, int (*with)(const void *, const void *, void *), void *ctx) {
    compare_with = with;
    context = ctx;
    qsort(base, n, size, compare);
}

void *reallocarray(void *old, size_t n, size_t size) {
    size_t bytes;
    if (!__builtin_mul_overflow(n, size, &bytes)) return realloc(old, bytes);
    errno = ENOMEM;
    return NULL;
}

/* The page has one thread (in place of base/cores.c). */
int cores_count(void) {
    return 1;
}

/* The page has no compiler (in place of compile/compile.c). */
bool compile_kernel(struct arena *a, const struct compile_request *r, struct compile_result *out,
                    struct diag *d) {
    (void)a;
    *out = (struct compile_result){0};
    diag_error(d, r->test, r->source.pos, "this page compiles no sources");
    return false;
}
