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
    int barrier; /* ARRIVE and WAIT: which use of a barrier, or -1 when it never opened; COUNT: which phase of an
                                  mbarrier it is of; TRY: which it finds complete, or -1 */
    bool over;   /* TRY: the phase that it asks for is complete */
    int pending; /* COUNT: for how many arrivals the phase waited before */
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
    int *first; /* a thread's first event; one more entry closes the last thread */
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

/* Computes the relations that the plan asks for, after the barriers were matched. */
void graph_relate(struct graph *g, const struct model_plan *plan, struct arena *a);

/* Computes those that another plan asks for, and that are not there yet. */
void graph_relate_more(struct graph *g, const struct model_plan *plan, struct arena *a);

/* Whether two graphs, related for one plan, have as many events, which are in the same sets and relations. */
bool graph_is_like(const struct graph *x, const struct graph *y);
/* Whether a relation of names.def relates events x and y, whatever the plan asks for. */
bool graph_relates(const struct graph *g, enum given rel, int x, int y);

/* One way in which the arrivals at barriers can come together: for every event the use of a barrier that it
 * belongs to, or -1. */
struct matching {
    int *barrier;
    bool complete; /* nobody waits for ever */
};

/* All of them; one, unless a barrier's count is smaller than the number of threads that use it. NULL when
 * there are too many to look at. */
struct matching *graph_match_barriers(const struct graph *g, struct search_budget *budget, struct arena *a,
                                      int *n);

/* Whether a wait at a barrier, which is over, would have waited for a thread that has exited instead. */
bool graph_is_opened_by_exit(const struct graph *g, const struct node_event *wait, int thread);

/* Whether such a wait would have waited for the thread of a read if that had returned something else: the thread would not
 * have exited, or not before it had come there. */
bool graph_is_exit_decided(const struct graph *g, const struct node_event *read,
                           const struct node_event *wait);

#endif
