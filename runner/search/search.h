/* Goes through all candidate executions of a graph. It decides which write every read reads from, and the orders that
 * the model asks for, one after the other. A branch ends as soon as the model is broken. */
#ifndef CULITMUS_SEARCH_H
#define CULITMUS_SEARCH_H

#include "cat/eval.h"
#include "logic/budget.h"
#include "search/graph.h"

/* One order of two events that a candidate must decide. */
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
    double weight;    /* executions that a leaf stands for */

    int nreads;
    int *reads;         /* events that have a source, in the order in which they are decided */
    uint64_t **sources; /* event -> the writes that it may read from; NULL unless a read */
    int *source;        /* event -> the write it reads from; -1: none yet, or there is nothing to be taken */
    struct pair *pairs;
    int npairs;
    struct choice *choices; /* reads and pairs in the order in which they are decided */
    int nchoices;
    int last_read;                  /* choices from here on are pairs */
    struct model_counter *counters; /* see counter.h */
    struct counter_undo *counter_trail;
    int ncounter_trail, counter_steps;
    struct decision *batch; /* room for decisions that are made in one step, behind those that have been */
    int *before;            /* room for a number an event */
    int depth;              /* of choices within choices */

    bool *known;                /* event -> its value is known */
    struct value *value;        /* of a known read or write */
    struct value **read_values; /* thread -> values by number of the read */
    struct reads *known_reads;  /* thread -> */
    int *trail, ntrail;         /* events in the order in which they became known */

    double share;    /* of the whole search below this point, if all branches were equally large */
    double progress; /* the share of the search that is done */
    double work;     /* done so far */
    long long steps;
    size_t asked_at; /* bytes of `eval` from which on it is asked whether there is room for more */

    bool (*leaf)(struct search *s, void *ctx); /* a complete candidate; false: stop */
    /* Whether a candidate may grow into one that says anything new; NULL: all are wanted. A search that asks this may
     * reach the same complete candidate twice. */
    bool (*wanted)(const struct search *s, void *ctx);
    bool counts; /* stop where budget.counting is spent */
    bool
        undefined; /* a shuffle takes from a lane that has exited: what comes of it is not defined, and is no candidate */
    void *ctx;
    bool stopped;
};

/* Runs a search whose graph, plan, arena, budget, without, twins, weight, leaf, wanted, counts and ctx are set.
 * `eval.tolerant`: do not judge. */
void search_run(struct search *s);

/* Makes of a complete search one over a plan that was not searched, in which every node is kept up to date. `g` is room for
 * its graph. */
struct search search_retell(const struct search *s, const struct model_plan *p, struct graph *g);

/* The work of one step over so many events, as it was measured: of small relations all rows may change, of large ones few
 * do. */
long long search_step_work(struct dim dim);

/* Whether everything is known from which a value of a thread is computed. */
bool search_knows(const struct search *s, int thread, const struct reads *needed);

#endif
