/* Between the parts of a session: planning its cells, preparing them on all cores, running them. Private to it. */
#ifndef CULITMUS_SESSION_CELL_H
#define CULITMUS_SESSION_CELL_H

#include <stdatomic.h>

#include "cli/session.h"
#include "explain/why.h"
#include "model/race.h"

struct session_cell {
    const struct test *test;
    struct cell cell;
    const struct backend *backend; /* NULL: nothing runs */
    const struct model *model;     /* NULL: nobody judges */
    const struct model
        *host_model; /* of the CPU that some of its threads are on; NULL: none is, or it is judged by that */
    struct test_result *result;
    int index;             /* into result->cells */
    atomic_llong *judging; /* nanoseconds spent on judging the test so far; its cells share this */
    double until;          /* without --timeout: when the time for judging the cell is over */
    struct arena *arena;   /* what its thread makes */
    struct model_result allowed, host, sc;
    struct races races;
    struct why why; /* if it is asked for */
    bool judged, has_sc;
    const char *cannot;
    struct kernel *kernel;
    struct run_request request; /* of the kernel; `stop` is set once it is known */
    struct diag wrong;          /* the test cannot be judged: an error of its own */
    struct diag diag;
};

/* A test that says so is too large to judge: it only runs. */
bool session_is_unjudged(const struct test *t);

/* The cells of all tests, each in its test's result. A test whose model cannot be read is refused; stderr says why. NULL
 * when no test is left, and an error when the model of all tests cannot be read. */
struct session_cell *session_plan(struct session *s, struct test_result *results, int *n, struct diag *d);

/* How many cells are prepared at a time. */
int session_batch(const struct session *s);
struct batch;
/* Begins to prepare cells: the other cores judge them, unless the session is interrupted. `sc`: the sequentially consistent
 * model, NULL where nothing runs. */
struct batch *session_prepare(struct session *s, const struct model *sc, struct session_cell *cells, int n);
/* Judges the rest of them with the other cores, and builds them. Frees the batch. */
void session_prepared(struct batch *b);

#endif
