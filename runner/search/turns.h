/* Counters: locations with atomic operations of which the model says that all accesses take turns. That is:
 * all accesses of such a location stand in one order, which keeps the program order of each thread, and each
 * reads what the one before it left. Plain reads take turns, too, as that of a compare-exchange that fails,
 * and so do plain writes, as one that sets a counter back. So a combination of paths can be left out if no
 * order of these accesses fits their guards; no graph is made for that.
 *
 * The model itself is asked whether accesses take turns (turns_probe): in graphs of two threads, each with
 * two accesses of each kind that it has. To a thread that only writes a read is added, so that the order of
 * its writes is seen.
 *
 * Nothing is lost (`turns`), if more events only add to what a model orders:
 *   - What two threads alone cannot do, they cannot do among others. The initial write of the probe stands
 *     for any other write from which they may read.
 *   - That two threads see each other's writes in one order says that these writes are ordered. So three
 *     threads agree on one order if each two of them do.
 *   - A value that is computed from reads of other locations may be any, and so may what is computed from it.
 *   - A path alone is left out if its accesses fit into no order, even though the others may do any of theirs
 *     between them.
 *   - If an access must read another value than the access before it in its thread left, whatever that has
 *     read of the values that the location can have (supply.h), then another thread has written between the
 *     two. So a path is left out if it has more of these accesses than the other threads have writes: such as
 *     a loop that tries a compare-exchange again. */
#ifndef CULITMUS_TURNS_H
#define CULITMUS_TURNS_H

#include "cat/plan.h"
#include "search/supply.h"

struct turns;

/* Finds the counters, and marks the paths that are left out alone (`out_of_turn`), of those that supply_find
 * has left. NULL: there is no counter. Lives in the arena. */
struct turns *turns_find(const struct test *t, const struct cell *cell, const struct model_plan *plan,
                         struct unfolding *unfoldings, struct supply *supply, struct search_budget *budget,
                         struct arena *a);

/* Whether the accesses of these paths, one a thread, fit into an order, on each counter. */
bool turns_allow(const struct turns *turns, const struct path *const *paths);

/* ---- private to turns.c and turns_probe.c ---- */

/* A location that more threads access is no counter. */
enum { MAX_TAKERS = 12 };

/* A location, or an element of one, with its initial value. */
struct counter {
    int loc, element, lane;
    struct value init;
};

static inline bool counter_has(const struct counter *c, const struct event *e) {
    return e->loc == c->loc && e->element == c->element && e->lane == c->lane;
}

/* Whether a write is the second half of an atomic operation. */
static inline bool counter_is_half(const struct event *e) {
    return e->kind == EVENT_WRITE && e->rmw >= 0;
}

/* Whether two threads or more access a location, and all accesses take turns. */
bool turns_probe(const struct test *t, const struct cell *cell, const struct model_plan *plan,
                 const struct unfolding *unfoldings, const struct counter *c, struct search_budget *budget,
                 struct arena *a);

#endif
