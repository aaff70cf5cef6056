/* The events of one execution: a path for every thread, one matching of their barriers, and what follows from
 * that alone - every relation of names.def that is not guessed. */
#ifndef CULITMUS_GRAPH_H
#define CULITMUS_GRAPH_H

#include "base/text.h"
#include "cat/eval.h"
#include "logic/rel.h"
#include "paths/unfold.h"

struct node_event {
    const struct event *event; /* NULL: an initial write */
    int thread;                /* -1: an initial write */
    int address;               /* index into graph->addresses; -1: not an access */
    /* ARRIVE, WAIT: the use of a barrier that it belongs to; -1: that never opens. COUNT: the phase of its
     * mbarrier in which it counts. TRY: the phase that it finds complete, or -1. */
    int barrier;
    bool over;   /* TRY: the phase that it asks for is complete */
    int pending; /* COUNT: how many arrivals its phase still waited for just before it */
};

struct address {
    int loc, element, lane;
};

/* Events 0..naddresses-1 are the initial writes, then come the threads' events, thread by thread, and
 * an engine's events behind what started it. */
struct graph {
    const struct test *test;
    const struct cell *cell;
    const struct path *const *paths; /* one a thread */
    struct dim dim;
    struct node_event *events;
    int *first; /* thread -> its first event; first[nthreads]: the number of events */
    struct address *addresses;
    int naddresses;
    uint64_t *given[GIVEN_COUNT]; /* NULL where not asked for */
};

/* The type and the initial value of what is at an address: of a vector, one lane. */
struct type address_type(const struct graph *g, int address);
struct value address_init(const struct graph *g, int address);

/* Adds the name of what is at an address: "X", "a[3]", "v.x". */
void address_print(struct text *out, const struct graph *g, int address);

/* Makes the events. NULL when there are more than EVAL_MAX_EVENTS. Everything lives in the arena, which the
 * caller resets between graphs. */
struct graph *graph_build(const struct test *t, const struct cell *cell, const struct path *const *paths,
                          struct arena *a);

/* Computes the sets and relations that the plan asks for, after node_event.barrier was set. */
void graph_relate(struct graph *g, const struct model_plan *plan, struct arena *a);

/* Computes those that another plan asks for, and that are not there yet. */
void graph_relate_more(struct graph *g, const struct model_plan *plan, struct arena *a);

/* Whether two graphs, related for one plan, have equal sets and relations. */
bool graph_is_like(const struct graph *x, const struct graph *y);
/* Whether a relation of names.def relates events x and y, even if the plan does not ask for it. */
bool graph_relates(const struct graph *g, enum given rel, int x, int y);

/* One way in which threads can meet at barriers: event -> the use of a barrier that it belongs to, or -1. */
struct matching {
    int *barrier;
    bool complete; /* nobody waits for ever */
};

/* All of them, `n` in number: one, unless a barrier's count is smaller than the number of threads that use
 * it. NULL when there are too many to look at. */
struct matching *graph_match_barriers(const struct graph *g, struct search_budget *budget, struct arena *a,
                                      int *n);

/* Whether the barrier use of a wait opened without an arrival of `thread`, which uses the barrier: so it has
 * exited. False for a barrier with a count, and for one that never opens. */
bool graph_is_opened_by_exit(const struct graph *g, const struct node_event *wait, int thread);

/* Whether a read decided that its thread exits, and so lets such a wait go on: with another value of the read
 * alone, the thread may take a path that never ends, or that arrives at this use of the barrier. */
bool graph_is_exit_decided(const struct graph *g, const struct node_event *read,
                           const struct node_event *wait);

#endif
