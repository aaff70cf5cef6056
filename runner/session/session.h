/* A session goes through the cells of tests: each cell is planned, judged by its model, and if there is a
 * backend, built and run. Its input and its results are plain data. Nothing is printed here; a listener is
 * told how far the session is. */
#ifndef CULITMUS_SESSION_H
#define CULITMUS_SESSION_H

#include "model/model.h"
#include "results/results.h"
#include "run/backend.h"
#include "run/profile.h"
#include "session/cells.h"
#include "session/pace.h"
#include "session/shard.h"

/* Is told of a session's progress, cell by cell, in one thread. Each function may be NULL. */
struct session_listener {
    void *ctx;
    /* All cores begin to prepare the next cells: they judge them, and build those that run. Then `prepared`
     * cells of all are prepared. */
    void (*preparing)(void *ctx, int prepared, int of);
    /* So many cells are done of those that are handled one by one: those that run, or all if nothing runs. */
    void (*counted)(void *ctx, int done, int of);
    void (*running)(void *ctx, const struct test_result *r, const struct cell_result *c);
    void (*progress)(void *ctx, uint64_t runs, double seconds); /* of the cell that runs */
    /* Messages about a test or a cell. The listener may move them away (diag_join); the session frees the
     * rest. */
    void (*messages)(void *ctx, struct diag *d);
    void (*finished)(void *ctx, const struct test_result *r); /* all cells of the test are done */
};

struct session {
    const struct suite *suite;
    struct cell_choices choices;
    const struct model *const *models; /* each judges all tests */
    int nmodels;    /* 0: each test is judged by its own model, else by that of its backend */
    bool syntactic; /* tests' own models take dependencies as the text has them */
    const char
        /* the model of this machine's CPU, for threads that a placement puts there; NULL: none */
        *host_model;
    const struct backend *backend; /* NULL: nothing runs, and models alone judge */
    struct device *device;
    const struct compiler_choice *compilers; /* each cell is built and run once by each compiler */
    int ncompilers;                          /* 0: the backend has no choice */
    const struct profile *profile;           /* NULL: none */
    struct shard_split *split;               /* which cells belong to this shard; NULL: all do */
    struct run_request request; /* for each cell; the session sets schedule, stop, progress, ctx */
    double total; /* seconds for the whole run, instead of the request's for each cell; 0: none */
    struct model_limits limits; /* its seconds are for a test and model, not for each cell */
    bool why;                   /* explain what the models say */
    bool strict;                /* a claim that is not proved fails, too */
    bool races_fail;            /* every race fails its test */
    const atomic_int *stop;     /* becomes nonzero when nothing more is to be prepared or run. May be NULL */
    struct session_listener listener;

    struct arena *arena; /* filled in: everything that the report points to */
    struct report report;
    struct pace pace;
    bool interrupted;  /* it was stopped; the report has what was counted until then */
    bool broken;       /* some cell could not be built or run; its messages say why */
    int without_cells; /* how many tests have none of the cells that are asked for */
    /* the last test that could not be judged because of an error in it; NULL: none */
    const struct test *wrong;
};

/* Runs the session and fills in the report. Returns false with errors in `d` when nothing could be done at
 * all, for example because a model cannot be read. */
bool session_run(struct session *s, struct diag *d);
void session_close(struct session *s);

#endif
