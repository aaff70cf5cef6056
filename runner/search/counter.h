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

/* Whether a read belongs to an operation of a counter; whether an address is that of a counter. */
bool counters_have_read(const struct search *s, int read);
bool counters_have_address(const struct search *s, int address);

/* Whether the operation with this write has a place left at which a read of it satisfies the guards of the
 * read's thread. True if the write is not that of an operation of a counter. */
bool counters_allow(const struct search *s, int write, int read);

/* Takes the other places from that operation, after rf from the write to the read was decided; nothing where
 * the read belongs to an operation. False when no row is left. */
bool counters_take(struct search *s, int write, int read);
/* Gives back the places that were taken since the trail had so many entries. */
void counters_forget(struct search *s, int ntrail);

/* Adds to the n decisions in s->batch the pairs (DECIDE_ROW) that the model's closures have in every row that
 * is left. Returns how many decisions there are then. */
int counters_gather(struct search *s, int n);

/* ---- private to counter_find.c (what is a counter) and counter.c (who may stand where) ---- */

enum { COUNTER_MAX_MEMBERS = 24, COUNTER_MAX_NODES = 8, COUNTER_MAX_STEPS = 64 };

/* A change of the places of an operation: where they are, and what they were. */
struct counter_undo {
    uint64_t *at, old;
};

struct model_counter {
    int address, n;
    int read[COUNTER_MAX_MEMBERS], write[COUNTER_MAX_MEMBERS]; /* of each operation */
    uint64_t at[COUNTER_MAX_MEMBERS]; /* operation -> the set of places in the row that are left to it */
    struct value value[COUNTER_MAX_MEMBERS + 1]; /* [k]: what place k reads, and place k - 1 writes */
    /* A node of the plan that is (rmw; step)+, (rmw; step)* or, if onward, step; (rmw; step)*, where step is
     * rf, or rf & mask if there is a mask. It relates the read (if onward, the write) of an operation to the
     * reads of all that stand behind it. */
    struct row_node {
        int node;
        bool onward;
        int mask; /* -1: there is none */
    } nodes[COUNTER_MAX_NODES];
    int nnodes;
    /* Program order in the row: operation x stands before operation y. If read >= 0, it is not operation x
     * but the one that this read reads from; the read is an earlier one of the thread of y, and belongs to no
     * operation. */
    struct row_step {
        int x, read, y;
    } steps[COUNTER_MAX_STEPS];
    int nsteps;
    uint64_t *accepts; /* read that belongs to no operation -> bit v: its guards accept value[v] */
    struct model_counter *next;
};

/* Which operation has this read; -1: none. */
int counter_member_that_reads(const struct model_counter *c, int read);

/* The first place of a set that is not empty; and the set of all places up to one. */
int counter_first_place(uint64_t at);
uint64_t counter_places_up_to(int place);

/* Takes places from the operations that they cannot have in any row, as far as steps and counting show it.
 * False when no row is left. */
bool counter_settle(struct search *s, struct model_counter *c);

#endif
