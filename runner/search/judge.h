/* Makes every graph of a cell (one path for each thread, one matching of the barriers), and searches each. */
#ifndef CULITMUS_JUDGE_H
#define CULITMUS_JUDGE_H

#include "search/search.h"
#include "search/turns.h"

struct judge {
    const struct model_plan *plan;
    /* The plan, and as one more axiom what the model's remark `closed` says: that some operation is in no
     * order with an invalidation of its mbarrier. NULL: there is no such remark. */
    const struct model_plan *closed;
    const struct test *test;
    const struct cell *cell;
    struct arena *scratch;        /* the paths */
    struct arena *graph_arena;    /* one graph */
    struct arena *way_arena;      /* the search of one way of a graph through the phases of its mbarriers */
    struct unfolding *unfoldings; /* thread -> its paths that are supplied (supply.h) */
    struct unfolding *unfolded;   /* thread -> all its paths */
    const struct path **paths;    /* the combination at hand */
    struct supply *supply;        /* see supply.h; NULL: any paths may go together */
    const struct turns *turns;    /* see turns.h; NULL unless judge_take_turns was called */
    int *twins;                   /* see twins.h; no thread has a twin unless judge_find_twins was called */
    struct search_budget budget;
    unsigned without;              /* prunings that are switched off */
    const char *fault, *undefined; /* how some allowed execution misuses an mbarrier; or NULL */
    struct diag *diag;
    bool tolerant; /* do not judge */
    bool stopped;
    bool (*is_worth)(const struct judge *j); /* whether to search the paths at hand; NULL: always */
    bool (*leaf)(struct search *s, void *ctx);
    bool (*wanted)(const struct search *s, void *ctx); /* see search.h; NULL: everything is wanted */
    void *ctx;
};

/* Unfolds the threads. False and an error when one of them cannot end. Closed by judge_close, also then. */
bool judge_open(struct judge *j, const struct model_plan *p, const struct test *t, const struct cell *cell,
                const struct model_limits *limits, struct diag *d);
void judge_close(struct judge *j);

/* From here on leaves out combinations of paths by turns.h. Only for a search that judges. */
void judge_take_turns(struct judge *j);

/* Of executions that only swap identical threads (twins.h), search one. A leaf then stands for search.weight
 * executions. With `observed`, also swap threads whose registers are observed; outcomes_exchange must then add the
 * other outcomes. */
void judge_find_twins(struct judge *j, bool observed);

/* Searches the executions in which every thread ends. */
void judge_complete(struct judge *j);
/* Searches the executions in which a thread was stopped, by the unroll bound, at an access beyond an array or a fault. */
void judge_stopped(struct judge *j);
/* Searches all executions: also those in which threads wait for ever, in a loop or at a barrier. */
void judge_any(struct judge *j);

#endif
