/* Between the parts of `fences`. Private to it. */
#ifndef CULITMUS_FENCES_H
#define CULITMUS_FENCES_H

#include "litmus/test.h"
#include "run/backend.h"

/* How many copies a thread has, or blocks a grid. */
int fences_copies(const struct body *b);

/* The test with one more of them. NULL where its text has no number for it, or is no test then. */
struct test *fences_larger(struct arena *a, const struct test *t, int body);

/* What measures runs; a run takes as long as is requested. */
struct fences_clock {
    const struct backend *backend; /* NULL: nothing is measured */
    struct device *device;
    struct run_request request;
    struct arena *arena;
    struct diag *diag;
};

/* How many times longer a run of a cell takes with these fences than with none, as text: "1.3 x (1.2 to 1.5)", the
 * median of several pairs of runs, the least and the most. "-" where 1 lies between these, so that nothing can be
 * told. */
const char *fences_time(const struct fences_clock *c, const struct test *t, const struct cell *v,
                        const struct fence_choice *f);

#endif
