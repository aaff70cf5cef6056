/* Counters: locations with atomic operations, of which the model says that all operations take turns: one comes first, each
 * reads what the one before it left, and those of a thread come in its order. Reads, as those of a compare-exchange that
 * fails, take turns with them, and so do writes, as the one that sets a counter back. Then a choice of paths can be turned
 * down by trying the orders of such operations, without making a graph. Whether the model says so is asked of the model,
 * with two threads at a time, each with two of these operations of each kind; one that only writes also looks.
 *
 * Nothing is lost (`turns`) where more events only add to what a model orders: then what two threads alone cannot do,
 * they cannot do among others; and the initial write, from which no two operations of the probe may read, stands for
 * any other one. That two threads look at each other's writes in one order says that these writes are ordered; so three
 * threads, each two of which agree, agree. What is computed from reads of other locations may be anything, and what comes of
 * that. A path is turned down if its operations are in no order even though the others may do any of theirs between
 * them. Where the guards of a path say that an operation finds something else than the one before it in its thread left,
 * whatever of its possible values that found (supply.h), another thread writes between the two. So a path is turned
 * down, too, that has more of these than the others have writes: a loop which tries an exchange again. */
#ifndef CULITMUS_TURNS_H
#define CULITMUS_TURNS_H

#include "cat/plan.h"
#include "search/supply.h"

struct turns;

/* Of paths that supply_find has left: finds such locations, and marks the paths whose operations cannot be in any
 * order (`out_of_turn`). NULL: there is none. Lives in the arena. */
struct turns *turns_find(const struct test *t, const struct cell *cell, const struct model_plan *plan,
                         struct unfolding *unfoldings, struct supply *supply, struct search_budget *budget,
                         struct arena *a);

/* Whether these paths, one a thread, can take turns. */
bool turns_allow(const struct turns *turns, const struct path *const *paths);

/* ---- whether the operations on a location take turns, of which turns_probe.c asks a model ---- */

/* Threads that access a counter; of more, nothing is said. */
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

/* Whether all operations on it, of two threads or more, take turns. */
bool turns_probe(const struct test *t, const struct cell *cell, const struct model_plan *plan,
                 const struct unfolding *unfoldings, const struct counter *c, struct search_budget *budget,
                 struct arena *a);

#endif
