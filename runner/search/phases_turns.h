/* The operations on mbarriers of one graph as turns: what phases.c searches the orders of. */
#ifndef CULITMUS_PHASES_TURNS_H
#define CULITMUS_PHASES_TURNS_H

#include "search/phases.h"

/* The state of an mbarrier. */
struct state {
    int loc, element;
    bool valid, closed; /* closed: it has been invalidated */
    int phase;
    int expected, pending; /* the arrivals that each phase waits for; those that this one still waits for */
    int bytes;             /* expected and not yet completed; less than 0: completed and not yet expected */
};

/* An operation or a wait on an mbarrier. */
struct phase_turn {
    int event; /* of the graph */
    const struct event *what;
    int at;                /* its mbarrier, by the number in phasing.states */
    int token;             /* of a wait: the turn whose token it has; -1: it has a parity */
    bool awaited;          /* a wait has its token */
    bool may[2];           /* of a wait: the guards of its path allow that it returns false; true */
    const uint64_t *after; /* the turns that come before it in every order */
};

/* A state of the search of phases. */
struct phasing {
    const struct graph *graph;
    struct search_budget *budget;
    struct arena *arena;
    struct phase_turn *turns;
    int n, words, nstates;
    struct state *states;
    /* By each turn; phases are counted from 0 for each mbarrier; NOT_YET: not done; or NO_PHASE. */
    struct phase_found *found;
    const char *fault, *undefined;
    struct log *log;
};

enum { NOT_YET = -2, NO_PHASE = -1 };

/* Fills in turns and states. The turns are listed one of each thread, then the next of each, and so on: so
 * the order that is tried first has no thread far ahead of the others. */
void phases_find_turns(struct phasing *t);

#endif
