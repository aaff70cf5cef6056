#include "session/fence_time.h"

#include <stdlib.h>

enum { PAIRS = 5 };

static struct kernel *build(const struct fence_clock *c, const struct test *t, const struct cell *cell,
                            struct arena *a, struct diag *d) {
    struct build built = {.t = t, .cell = cell, .stop = c->request.stop, .d = d};
    if (c->backend->cannot(c->device, t, cell, NULL, a)) return NULL;
    c->backend->build(c->device, &built, 1);
    if (built.unfit) diag_fail(d, "%s", built.unfit);
    free(built.unfit);
    return built.kernel;
}

/* Returns the seconds of one run, which gets a part of the requested time; 0: it could not be run. */
static double run(const struct fence_clock *c, const struct test *t, struct kernel *k, int pair,
                  struct diag *d) {
    struct run_result result = {.hist = {.nobs = t->nobs}};
    struct run_request request = c->request;
    request.runs = request.runs ? request.runs / PAIRS + 1 : 0;
    request.seconds /= PAIRS;
    request.seed += (uint64_t)pair;
    bool ran = k && c->backend->run(k, &request, &result, d) && result.runs > 0 && !result.interrupted;
    histogram_free(&result.hist);
    return ran ? result.seconds / (double)result.runs : 0;
}

static int by_size(const void *x, const void *y) {
    const double *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

struct fence_time fence_time(const struct fence_clock *c, const struct test *t, const struct cell *cell,
                             const struct fence_choice *f, struct arena *a, struct diag *d) {
    struct fence_choice none = {.name = "none"};
    const struct placement *place = c->backend->placement ? c->backend->placement(t, a) : cell->placement;
    struct cell with = {place, cell->access, f}, without = {place, cell->access, &none};
    struct kernel *slow = build(c, t, &with, a, d), *fast = build(c, t, &without, a, d);
    double times[PAIRS];
    int n = 0;
    for (int k = 0; k < PAIRS && n == k; k++) {
        double x = run(c, t, slow, k, d), y = run(c, t, fast, k, d);
        if (x > 0 && y > 0) times[n++] = x / y;
    }
    if (slow) c->backend->discard(slow);
    if (fast) c->backend->discard(fast);
    if (n < PAIRS) return (struct fence_time){0};
    qsort(times, PAIRS, sizeof *times, by_size);
    return (struct fence_time){times[0], times[PAIRS / 2], times[PAIRS - 1]};
}

bool fence_time_is_known(const struct fence_time *t) {
    return t->least > 1 || (t->most > 0 && t->most < 1);
}
