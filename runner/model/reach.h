/* Whether any candidate gives the values that a proposition names, if nothing is forbidden. */
#ifndef CULITMUS_REACH_H
#define CULITMUS_REACH_H

#include "search/judge.h"

/* The plan of a model that forbids nothing. Lives in the arena. */
const struct model_plan *reach_plan(struct arena *a);

/* True when no rf makes the proposition true, if nothing is asked but that each read returns the value of its
 * source and each branch goes the way of its values. False also when it would take too much work to say.
 * `free` is reach_plan. The judge is open; its leaf, wanted, ctx and twins are changed. */
bool reach_is_impossible(struct judge *j, const struct model_plan *free);

/* Whether a candidate may grow into one of which the proposition is true (`what`) or false. False is sure. */
bool reach_may_be(const struct search *s, bool what);

/* Whether a candidate may grow into one that gives these values, one an observable. False is sure. */
bool reach_may_give(const struct search *s, const struct value *values);

#endif
