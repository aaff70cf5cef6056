/* The row of a counter, between counter_find.c, which says what is a counter, and counter.c, which says who may stand
 * where. Private to them. */
#ifndef CULITMUS_COUNTER_ROW_H
#define CULITMUS_COUNTER_ROW_H

#include "search/counter.h"

enum { COUNTER_MAX_MEMBERS = 24, COUNTER_MAX_NODES = 8, COUNTER_MAX_STEPS = 64 };

/* What a place in the row is taken away from, and what it had. */
struct counter_undo {
    uint64_t *at, old;
};

struct model_counter {
    int address, n;
    int read[COUNTER_MAX_MEMBERS], write[COUNTER_MAX_MEMBERS]; /* of each operation */
    uint64_t at[COUNTER_MAX_MEMBERS];            /* the places where it may stand, from 0 on, a bit each */
    struct value value[COUNTER_MAX_MEMBERS + 1]; /* what is read at each place, and what is left at the end */
    struct row_node {
        int node;
        bool onward;            /* its pairs begin with the write of an operation, else with the read */
        int mask;               /* the node that has the steps; -1: all are steps */
    } nodes[COUNTER_MAX_NODES]; /* that relate an operation to the reads of all that stand behind it */
    int nnodes;
    struct row_step {
        int x, read,
            y; /* operation x, or what a read that is no operation's reads from, stands before operation y */
    } steps[COUNTER_MAX_STEPS]; /* of a thread */
    int nsteps;
    uint64_t
        *accepts; /* a read that is no operation's -> the values that its guards accept, by their number */
    struct model_counter *next;
};

/* Which operation has this read; -1: none. */
int counter_member_that_reads(const struct model_counter *c, int read);

/* The first of some places, which are not none; and all up to a place. */
int counter_first_place(uint64_t at);
uint64_t counter_places_up_to(int place);

/* Takes places from the operations that no row gives them. False when there is no row. */
bool counter_settle(struct search *s, struct model_counter *c);

#endif
