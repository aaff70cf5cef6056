/* The operations on mbarriers of one graph, as the search of phases has them. */
#ifndef CULITMUS_PHASES_TURNS_H
#define CULITMUS_PHASES_TURNS_H

#include "search/phases.h"

/* An mbarrier as it stands. */
struct state {
    int loc, element;
    bool valid, closed; /* closed: it was valid once */
    int phase, expected, pending, bytes;
};

/* An operation on one. */
struct phase_turn {
    int event; /* of the graph */
    const struct event *what;
    int at;                /* which mbarrier */
    int token;             /* of a wait: the turn whose token it has, or -1 */
    bool awaited;          /* its thread waits for its phase */
    bool may[2];           /* of a wait: it may return false, or true, by the guards of its path */
    const uint64_t *after; /* turns that come before */
};

/* What has been done so far. */
struct phasing {
    const struct graph *graph;
    struct search_budget *budget;
    struct arena *arena;
    struct phase_turn *turns;
    int n, words, nstates;
    struct state *states;
    struct phase_found *found; /* by each turn; its phase is NO_PHASE, or NOT_YET */
    const char *fault, *undefined;
    struct log *log;
};

enum { NOT_YET = -2, NO_PHASE = -1 };

/* Finds the mbarriers, and what is done to them, one turn of each thread after the other: what is tried first goes the way on
 * which no thread is far ahead. */
void phases_find_turns(struct phasing *t);

#endif
