/* What the parts of a session share: planning its cells, preparing them on all cores, running them. Private
 * to it. */
#ifndef CULITMUS_SESSION_CELL_H
#define CULITMUS_SESSION_CELL_H

#include <stdatomic.h>

#include "explain/why.h"
#include "model/race.h"
#include "session/session.h"

/* A cell with one of the compilers; if nothing runs, the cell alone. */
struct session_run {
    const struct compiler_choice *compiler; /* NULL: the backend has no choice of compilers */
    int index;                              /* into result->cells */
    const char *cannot;                     /* why it cannot run, or NULL */
    struct kernel *kernel;
    /* a compiler that made the same machine code, which has run; NULL: none */
    const struct compiler_choice *twin;
    struct run_request request; /* for the kernel */
    bool has_request;           /* `request` is filled in */
    struct diag diag;
};

/* What preparing a cell has found. */
struct session_found {
    struct model_result allowed, host, sc;
    struct races races;
    struct why why; /* filled in if the session explains */
    bool judged, has_sc;
    struct diag wrong; /* an error of the test, because of which it cannot be judged */
};

/* A cell of a session. There may be millions of them, so it is small. */
struct session_cell {
    const struct test *test;
    struct cell cell;
    const struct backend *backend; /* NULL: nothing runs */
    const struct model *model;     /* NULL: nobody judges */
    const struct model
        /* the model of the CPU that some threads are on; NULL: none is on a CPU, or the cell is judged by
         * that model */
        *host_model;
    struct test_result *result;
    struct session_run *runs;
    int nruns;
    atomic_llong *judging; /* nanoseconds spent so far on judging the test; shared by its cells */
    double until; /* when the time for judging the cell is over, if there is no limit for the whole test */
    struct arena *arena;         /* for what preparing allocates */
    struct session_found *found; /* in that arena; NULL: the cell is not prepared yet, or is finished */
    bool elsewhere;     /* another shard judges and runs it; or it cannot run, and `cannot` says why */
    const char *cannot; /* why none of its runs can happen, or NULL */
};

bool session_is_stopped(const struct session *s);
/* Hands messages to the listener, and frees them. */
void session_say(const struct session *s, struct diag *d);

/* Whether the test says that it is too large to judge, and only to be run. */
bool session_is_unjudged(const struct test *t);

/* Plans the cells of all tests, each with a place in its test's result. Free them with free(). A test whose
 * own model cannot be read is refused, with messages to the listener. NULL when no test is left; NULL and an
 * error when the model of all tests cannot be read. */
struct session_cell *session_plan(struct session *s, struct test_result *results, int *n, struct diag *d);

/* Judges a cell, and finds out whether the backend can run it. Cells may be judged at the same time. `sc` is
 * the sequentially consistent model, NULL if nothing runs. */
void session_judge(const struct session *s, const struct model *sc, struct session_cell *j);

/* Returns how many cells are prepared at a time. */
int session_batch(const struct session *s);
struct batch;
/* Begins to prepare cells: the other cores judge them, unless the session is stopped. */
struct batch *session_prepare(struct session *s, const struct model *sc, struct session_cell *cells, int n);
/* Judges the remaining cells of the batch together with the other cores, and builds them. Frees the batch. */
void session_prepared(struct batch *b);

/* Returns the weight of a prepared cell in sharing the run's time: most if its outcome may show or if that is
 * not known, less if it is forbidden, least if no execution gives its values. */
double session_weight(const struct session_cell *j);

/* Returns the first run of a prepared cell, from number k on, that will happen; or NULL. */
struct session_run *session_next_run(const struct session_cell *j, int k);
/* Runs a prepared cell, if it is to run, and fills in its results. `next` is the cell that runs after it, or
 * NULL. */
void session_finish(struct session *s, struct session_cell *j, const struct session_cell *next);

#endif
