/* Measures how much longer a run takes with fences than without. */
#ifndef CULITMUS_FENCE_TIME_H
#define CULITMUS_FENCE_TIME_H

#include "litmus/test.h"
#include "run/backend.h"

struct fence_clock {
    const struct backend *backend; /* NULL: nothing is measured */
    struct device *device;
    struct run_request request; /* for all runs of a cell together */
};

/* How many times longer a run with the fences took than one without: the least, the median and the most of
 * several pairs. */
struct fence_time {
    double least, median, most; /* all are 0 if the cell could not be run, or the request's `stop` was set */
};

/* Measures the fences of a cell in its placement, or in the backend's one placement. */
struct fence_time fence_time(const struct fence_clock *c, const struct test *t, const struct cell *cell,
                             const struct fence_choice *f, struct arena *a, struct diag *d);

/* Whether all pairs agree that a run takes longer with the fences, or that it does not. */
bool fence_time_is_known(const struct fence_time *t);

#endif
