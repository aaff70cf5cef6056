/* Counters: locations that only atomic operations write, all of which do the same to the value, as arrivals at a grid
 * barrier do.
 *
 * If no two of them can read from the same write, they stand in one row behind the initial write, and what each reads
 * follows from its place. So a guard says at which places an operation may stand. Who stands before whom may be known
 * while the order of the others is open: then the first is observed by the second, however the row goes on between
 * them, and the search need not go through all rows.
 *
 * Nothing is lost (`counters`): each operation reads from the initial write or another operation's, and no two from the
 * same one, so rf is a row. A place is taken from an operation only if a guard of its thread fails there, if its thread
 * puts another operation before or behind it, or if as many others need that place. The row itself is decided at the
 * end. */
#ifndef CULITMUS_COUNTER_H
#define CULITMUS_COUNTER_H

#include "search/search_open.h"

/* Finds the counters whose operations matter to nothing but the row itself. What is known of them from the start is
 * decided. False when some counter can have no row. */
bool counters_open(struct search *s);

/* Whether an event is one of their operations' reads, or another access of a counter. */
bool counters_have_read(const struct search *s, int read);
bool counters_have_address(const struct search *s, int address);

/* Whether a read of a counter may read from the write of one of its operations. */
bool counters_allow(const struct search *s, int write, int read);

/* A read was decided to do so. False when then there is no row. */
bool counters_take(struct search *s, int write, int read);
/* Forgets it, and whatever was taken since the trail had so many places. */
void counters_forget(struct search *s, int ntrail);

/* Gathers behind the n decisions that were gathered who is known to be observed by whom. Returns how many there are
 * then. */
int counters_gather(struct search *s, int n);

/* ---- the row of a counter, between counter_find.c, which says what is one, and counter.c, which says who may stand
 * where: private to them ---- */

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
