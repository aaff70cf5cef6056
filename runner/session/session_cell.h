/* Between the parts of a session: planning its cells, preparing them on all cores, running them. Private to it. */
#ifndef CULITMUS_SESSION_CELL_H
#define CULITMUS_SESSION_CELL_H

#include <stdatomic.h>

#include "explain/why.h"
#include "model/race.h"
#include "session/session.h"

/* A cell as one compiler builds it; where nothing runs, the cell alone. */
struct session_run {
    const struct compiler_choice *compiler; /* NULL: there is no choice */
    int index;                              /* into result->cells */
    const char *cannot;                     /* why it cannot run, or NULL */
    struct kernel *kernel;
    const struct compiler_choice *twin; /* has made the same machine code, which has run; NULL: none */
    struct run_request request;         /* of the kernel */
    bool has_request;                   /* it is known */
    struct diag diag;
};

/* What is found out of a cell when it is prepared. */
struct session_found {
    struct model_result allowed, host, sc;
    struct races races;
    struct why why; /* if it is asked for */
    bool judged, has_sc;
    struct diag wrong; /* the test cannot be judged: an error of its own */
};

/* There may be millions of them. */
struct session_cell {
    const struct test *test;
    struct cell cell;
    const struct backend *backend; /* NULL: nothing runs */
    const struct model *model;     /* NULL: nobody judges */
    const struct model
        *host_model; /* of the CPU that some of its threads are on; NULL: none is, or it is judged by that */
    struct test_result *result;
    struct session_run *runs;
    int nruns;
    atomic_llong *judging;       /* nanoseconds spent on judging the test so far; its cells share this */
    double until;                /* without seconds for a test: when the time for judging the cell is over */
    struct arena *arena;         /* what its thread makes */
    struct session_found *found; /* lives there; NULL: it is not prepared yet, or was finished */
    bool elsewhere;              /* another shard judges and runs it, or nobody can: `cannot` says why */
    const char *cannot;          /* why none of its runs can take place, or NULL */
};

bool session_is_stopped(const struct session *s);
/* Hands messages to the listener, and frees them. */
void session_say(const struct session *s, struct diag *d);

/* A test that says so is too large to judge: it only runs. */
bool session_is_unjudged(const struct test *t);

/* The cells of all tests, each in its test's result; freed with free(). A test whose model cannot be read is refused, and the listener
 * gets the messages. NULL when no test is left, and an error when the model of all tests cannot be read. */
struct session_cell *session_plan(struct session *s, struct test_result *results, int *n, struct diag *d);

/* Asks the models of a cell, and whether the backend can run it. Cells may be judged at the same time. `sc`: the
 * sequentially consistent model, NULL where nothing runs. */
void session_judge(const struct session *s, const struct model *sc, struct session_cell *j);

/* How many cells are prepared at a time. */
int session_batch(const struct session *s);
struct batch;
/* Begins to prepare cells: the other cores judge them, unless the session is stopped. */
struct batch *session_prepare(struct session *s, const struct model *sc, struct session_cell *cells, int n);
/* Judges the rest of them with the other cores, and builds them. Frees the batch. */
void session_prepared(struct batch *b);

/* How much of the time of all cells a prepared one gets, beside others: most where its outcome may show, or where nobody knows;
 * less where it may not; least where nothing gives its values. */
double session_weight(const struct session_cell *j);

/* The first run of a prepared cell, from number k of its runs on, that will take place; or NULL. */
struct session_run *session_next_run(const struct session_cell *j, int k);
/* Runs a prepared cell where it is to run, and fills in its results. `next`: the cell that runs after it, or NULL. */
void session_finish(struct session *s, struct session_cell *j, const struct session_cell *next);

#endif
