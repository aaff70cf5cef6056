/* Going through the cells of tests: each is planned, judged by its model, and built and run where there is a backend.
 * What is asked and what is found is plain data. Nothing is printed here: a listener is told how far the session is. */
#ifndef CULITMUS_SESSION_H
#define CULITMUS_SESSION_H

#include "model/model.h"
#include "results/results.h"
#include "run/backend.h"
#include "run/profile.h"
#include "session/cells.h"
#include "session/pace.h"
#include "session/shard.h"

/* Is told of a session, cell by cell, in one thread. Each function may be NULL. */
struct session_listener {
    void *ctx;
    /* All cores prepare the next cells, after which `prepared` of all are: they judge, and perhaps build. */
    void (*preparing)(void *ctx, int prepared, int of);
    /* So many of the cells that take time one after another are done: of those that run, of all where nothing runs. */
    void (*counted)(void *ctx, int done, int of);
    void (*running)(void *ctx, const struct test_result *r, const struct cell_result *c);
    void (*progress)(void *ctx, uint64_t runs, double seconds); /* of what runs */
    /* What was said of a test or a cell. It may be taken away (diag_join); the session frees the rest. */
    void (*messages)(void *ctx, struct diag *d);
    void (*finished)(void *ctx, const struct test_result *r); /* all cells of the test are done */
};

struct session {
    const struct suite *suite;
    struct cell_choices choices;
    const struct model *const *models; /* each judges all tests */
    int nmodels;                       /* 0: each test's own judges it, else that of its backend */
    bool syntactic;                    /* the tests' own have the dependencies of the text */
    const char
        *host_model; /* of this machine's CPU, for the threads that a placement has there; NULL: none */
    const struct backend *backend; /* NULL: the model alone */
    struct device *device;
    const struct compiler_choice *compilers; /* each cell is built and run by each of them */
    int ncompilers;                          /* 0: the backend has no choice */
    const struct profile *profile;           /* NULL: none */
    struct shard_split *split;               /* which cells are this shard's; NULL: all are */
    struct run_request request; /* for each cell; the session sets schedule, stop, progress, ctx */
    double total; /* seconds for the whole run, in place of the request's; 0: a cell has those */
    struct model_limits limits; /* seconds: a test and model, not a cell */
    bool why;                   /* explain what the models say */
    bool strict;                /* a claim that is not proved fails, too */
    bool races_fail;            /* each race fails its test */
    const atomic_int *stop;     /* becomes nonzero: nothing more is prepared or run. May be NULL */
    struct session_listener listener;

    struct arena *arena; /* filled in: everything of the report */
    struct report report;
    struct pace pace;
    bool interrupted;         /* it was stopped: the report has what was counted */
    bool broken;              /* some cell could not be built or run; its messages say why */
    int without_cells;        /* how many tests have none of the cells that were asked for */
    const struct test *wrong; /* the last one that a model found an error in; NULL: none */
};

/* Fills in the report. False and errors in `d` when nothing could be done at all, such as when a model cannot be
 * read. */
bool session_run(struct session *s, struct diag *d);
void session_close(struct session *s);

#endif
