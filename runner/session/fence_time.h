/* How much longer a run takes with fences. */
#ifndef CULITMUS_FENCE_TIME_H
#define CULITMUS_FENCE_TIME_H

#include "litmus/test.h"
#include "run/backend.h"

struct fence_clock {
    const struct backend *backend; /* NULL: nothing is measured */
    struct device *device;
    struct run_request request; /* for all runs of a cell together */
};

/* Of several pairs of runs, with the fences and without: how many times longer the first took. */
struct fence_time {
    double least, median,
        most; /* 0 where the cell could not be run, or the request's `stop` came in between */
};

/* Measures the fences of a cell in its placement, or in the one that the backend has. */
struct fence_time fence_time(const struct fence_clock *c, const struct test *t, const struct cell *cell,
                             const struct fence_choice *f, struct arena *a, struct diag *d);

/* Whether all pairs say that a run takes longer, or all that it does not. */
bool fence_time_is_known(const struct fence_time *t);

#endif
