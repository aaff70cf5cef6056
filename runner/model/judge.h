/* Every graph of a cell - one path a thread, one matching of the barriers - and a search through each. */
#ifndef CULITMUS_JUDGE_H
#define CULITMUS_JUDGE_H

#include "model/model.h"
#include "model/search.h"

struct model {
    const char *name;
    const struct model_plan *plan;
};

struct judge {
    const struct model *model;
    const struct test *test;
    const struct cell *cell;
    struct arena *scratch;        /* the paths */
    struct arena *graph_arena;    /* one graph and its search */
    struct unfolding *unfoldings; /* one a thread */
    const struct path **paths;    /* the combination at hand */
    int *twins;                   /* see twins.h; no thread has one unless they were asked for */
    struct search_budget budget;
    struct diag *diag;
    bool tolerant; /* do not judge */
    bool stopped;
    bool (*leaf)(struct search *s, void *ctx);
    bool (*wanted)(const struct search *s, void *ctx); /* see search.h; NULL: everything is wanted */
    void *ctx;
};

/* Unfolds the threads. False and an error when one of them cannot end. Closed by judge_close, also then. */
bool judge_open(struct judge *j, const struct model *m, const struct test *t, const struct cell *v,
                const struct model_limits *limits, struct diag *d);
void judge_close(struct judge *j);

/* Asks that of executions that differ in who of some twins (twins.h) is who only one be searched: a leaf then
 * stands for search.weight of them. `observed`: also of twins whose registers are observed; the outcomes are
 * all only after outcomes_exchange. */
void judge_find_twins(struct judge *j, bool observed);

/* Searches the executions in which every thread ends. */
void judge_complete(struct judge *j);
/* Searches those in which some thread was stopped: by the unroll bound or beyond an array. */
void judge_stopped(struct judge *j);

#endif
