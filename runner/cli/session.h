/* Going through the cells of a suite: judge each by its model, build and run it where there is a backend. */
#ifndef CULITMUS_SESSION_H
#define CULITMUS_SESSION_H

#include <signal.h>

#include "cli/suite.h"
#include "model/model.h"
#include "report/results.h"
#include "run/backend.h"
#include "run/profile.h"

struct session {
    const struct options *options;
    const struct suite *suite;
    const struct backend *backend; /* NULL: the model alone */
    struct device *device;
    const struct profile *profile; /* NULL: none */
    struct run_request request;    /* for each cell; the session sets schedule, stop, progress, ctx */
    struct model_limits limits;    /* seconds: a test, not a cell */

    struct arena *arena; /* filled in: everything of the report */
    struct report report;
    bool interrupted;         /* Ctrl-C: the report has what was counted */
    bool broken;              /* some cell could not be built or run; stderr says why */
    int without_cells;        /* how many tests have none of the cells that were asked for */
    const struct test *wrong; /* a test that the model found an error in, which was printed; NULL: none */
};

typedef void finished_fn(const struct session *s, const struct test_result *r);

/* Fills s->report, and calls `finished` with each test when all its cells are done. False and errors in `d` when
 * nothing could be done at all, such as when a model cannot be read. */
bool session_run(struct session *s, finished_fn *finished, struct diag *d);
void session_close(struct session *s);

/* Runs the session, shows its results and writes the files that the options name. Returns the exit code. */
int session_show(struct session *s);

/* Reads and checks the tests and options of `run` and `check`, then calls `f`. Returns the exit code. */
int with_suite(const struct options *o,
               int (*f)(const struct options *o, struct arena *a, const struct suite *suite));

#endif
