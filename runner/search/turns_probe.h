/* Asks a model whether the operations on a location take turns. Private to turns.c. */
#ifndef CULITMUS_TURNS_PROBE_H
#define CULITMUS_TURNS_PROBE_H

#include "cat/plan.h"
#include "litmus/test.h"
#include "paths/unfold.h"

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
