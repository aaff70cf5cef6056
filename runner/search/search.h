/* Searches the candidate executions of a graph. It decides, one choice after another, from which write each
 * read reads and which direction each pair of an order (co, and the other orders of the model) has. A branch
 * ends as soon as an axiom is broken. */
#ifndef CULITMUS_SEARCH_H
#define CULITMUS_SEARCH_H

#include "cat/eval.h"
#include "logic/budget.h"
#include "search/graph.h"

/* A pair of events that `order` must put one before the other; the direction is decided. */
struct pair {
    int order, x, y;
};

struct search {
    const struct graph *graph;
    const struct model_plan *plan;
    struct eval eval;
    struct arena *arena;
    struct search_budget *budget;
    unsigned without; /* prunings that are switched off */
    const int *twins; /* see twins.h; NULL: no thread has one */
    double weight;    /* the number of executions that a leaf stands for */

    int nreads;
    int *reads;         /* READ events, and TAKE events except those of lanes that have exited */
    uint64_t **sources; /* event -> the writes that it may read from; NULL unless it returns a value */
    int *source;        /* event -> the write it reads from; -1: not decided, or it has none */
    struct pair *pairs;
    int npairs;
    struct choice *choices; /* the reads and pairs to decide, in this order */
    int nchoices;
    int last_read;                      /* choices from here on are pairs */
    struct model_counter *counters;     /* see counter.h */
    struct counter_undo *counter_trail; /* the changes to counters, so that they can be undone */
    int ncounter_trail;
    int counter_steps; /* how many decisions counters_gather adds to a branch at most */
    /* The decisions of the next step are gathered here; those of earlier steps stand before. */
    struct decision *batch;
    int *before; /* scratch: a number an event */
    int depth;   /* how deep search_choose is nested */

    bool *known;                /* event -> its value is known */
    struct value *value;        /* event -> its value, if it is known */
    struct value **read_values; /* thread -> values by number of the read */
    struct reads *known_reads;  /* thread -> the reads whose values are known */
    int *trail, ntrail;         /* events in the order in which their values became known */

    double share;    /* of this branch in the whole search, if sibling branches are equally large */
    double progress; /* the sum of the shares of the branches that are done */
    double work;     /* done so far */
    long long steps;
    size_t asked_at; /* when eval.bytes comes to this, budget_has_room is asked again */

    bool (*leaf)(struct search *s, void *ctx); /* a complete candidate; false: stop */
    /* Whether a candidate may grow into one that says anything new; NULL: all are wanted. A search that asks this may
     * reach the same complete candidate twice. */
    bool (*wanted)(const struct search *s, void *ctx);
    bool counts; /* stop when budget.counting is spent */
    /* A shuffle of the graph takes from a lane that has exited, so its value is not defined. A complete
     * candidate then sets budget.undefined, and `leaf` is not called. */
    bool undefined;
    void *ctx;
    bool stopped;
};

/* Runs a search whose graph, plan, arena, budget, without, twins, weight, leaf, wanted, counts and ctx are set.
 * `eval.tolerant`: do not judge. */
void search_run(struct search *s);

/* Evaluates all nodes of another plan of the same model over the complete candidate at which `s` stands. The
 * search that is returned has that plan and the decisions of `s`; it is tolerant. `g` is room for its graph,
 * the rest is in s->arena. */
struct search search_retell(const struct search *s, const struct model_plan *p, struct graph *g);

/* The work of one step in a graph of that size. The formula was fitted to measured times: with up to 64
 * events a step may change all rows of a relation, with more it changes few. */
long long search_step_work(struct dim dim);

/* Whether the values of all these reads of a thread are known. */
bool search_knows(const struct search *s, int thread, const struct reads *needed);

#endif
