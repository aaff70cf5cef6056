/* Whether any execution at all gives the values that a proposition names: with no fence and no axiom in the way. */
#ifndef CULITMUS_REACH_H
#define CULITMUS_REACH_H

#include "search/judge.h"

/* The plan of a model that forbids nothing. Lives in the arena. */
const struct model_plan *reach_plan(struct arena *a);

/* True when no choice of reads-from makes the proposition true: each read returns what some write of its location has
 * written, each branch goes the way of its values, and that is all that is asked. False also when too much would have to
 * be looked at to say. `free` is reach_plan. The judge is open; its leaf, wanted, ctx and twins are changed. */
bool reach_is_impossible(struct judge *j, const struct model_plan *free);

/* Whether the proposition may still become true (`what`) or false while a candidate grows, whatever its axioms say. */
bool reach_may_be(const struct search *s, bool what);

/* Whether it may still grow into one that gives these values, one an observable. */
bool reach_may_give(const struct search *s, const struct value *values);

#endif
