/* The distinct outcomes of the executions of a cell. */
#ifndef CULITMUS_OUTCOME_H
#define CULITMUS_OUTCOME_H

#include "litmus/histogram.h"
#include "search/search.h"

/* Whether a candidate may still grow into one with an outcome that is not among these. */
bool outcomes_lack(const struct histogram *o, const struct search *s);

/* Adds the outcomes in which twins (twins.h) have changed places. False where that makes more than `most`. */
bool outcomes_exchange(struct histogram *o, const struct test *t, const int *twins, size_t most,
                       struct search_budget *budget);

/* Calls f with every outcome of a complete candidate. A register has one value. A location may end with the value of
 * any write that no other write follows in co. (A tolerant search lets any write be the last.) Stops and returns false
 * when f does, or when the budget is spent, but not before the first. */
bool outcome_each(const struct search *s, bool (*f)(const struct value *values, void *ctx), void *ctx);

/* Whether no write comes after this one in co. */
bool outcome_is_final(const struct search *s, int write);
/* The type of an observable as a vector of its parts. Of a location, each part has an address of its own. */
struct type outcome_parts(const struct test *t, const struct observable *obs);
/* The address that a part of a location's observable is, or -1: no event accesses it, it keeps its initial value. */
int outcome_address(const struct graph *g, const struct observable *obs, int part);

#endif
