/* How much longer a run takes with fences: several pairs of runs, with and without, so that what is told is more than
 * the difference of two runs without any fence. */
#include <stdlib.h>

#include "cli/fences.h"
#include "cli/interrupt.h"

enum { PAIRS = 5 };

static struct kernel *build(const struct fences_clock *c, const struct test *t, const struct cell *v) {
    struct build cell = {.t = t, .v = v, .stop = &interrupted, .d = c->diag};
    if (c->backend->cannot(c->device, t, v, c->arena)) return NULL;
    c->backend->build(c->device, &cell, 1);
    return cell.kernel;
}

/* The seconds of one run, in a part of the time that was asked for. 0: it could not be run. */
static double run(const struct fences_clock *c, const struct test *t, struct kernel *k, int pair) {
    struct run_result result = {.hist = {.nobs = t->nobs}};
    struct run_request request = c->request;
    request.runs = request.runs ? request.runs / PAIRS + 1 : 0;
    request.seconds /= PAIRS;
    request.seed += (uint64_t)pair;
    bool ran = k && c->backend->run(k, &request, &result, c->diag) && result.runs > 0;
    histogram_free(&result.hist);
    return ran ? result.seconds / (double)result.runs : 0;
}

static int by_size(const void *x, const void *y) {
    const double *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

const char *fences_time(const struct fences_clock *c, const struct test *t, const struct cell *v,
                        const struct fence_choice *f) {
    struct fence_choice none = {.name = "none"};
    const struct placement *place = c->backend->placement ? c->backend->placement(t, c->arena) : v->placement;
    struct cell with = {place, v->access, f}, without = {place, v->access, &none};
    struct kernel *slow = build(c, t, &with), *fast = build(c, t, &without);
    double times[PAIRS];
    int n = 0;
    for (int k = 0; k < PAIRS && !interrupted; k++) {
        double x = run(c, t, slow, k), y = run(c, t, fast, k);
        if (x > 0 && y > 0) times[n++] = x / y;
    }
    if (slow) c->backend->discard(slow);
    if (fast) c->backend->discard(fast);
    qsort(times, (size_t)n, sizeof *times, by_size);
    if (n < PAIRS || (times[0] <= 1 && times[n - 1] >= 1)) return "-";
    return arena_printf(c->arena, "%.1f x (%.1f to %.1f)", times[n / 2], times[0], times[n - 1]);
}
