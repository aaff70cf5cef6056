/* Threads that can change places: copies of a body that do the same and sit alike.
 *
 * If two of them change places in an execution, that gives another execution, in which only their registers
 * have changed places. Of all executions that come of each other in this way one is searched:
 *   - of the paths that the copies may take, only those in the order of the copies (judge);
 *   - of copies that take the same path, only what an order of the model puts in the order of the copies,
 *     where each has an event that it orders against those of the others (search). The others are counted,
 *     and their outcomes are made from what was found (outcome). So nothing is lost (`twins`). */
#ifndef CULITMUS_TWINS_H
#define CULITMUS_TWINS_H

#include "logic/budget.h"
#include "paths/unfold.h"

/* For each thread, the last thread before it with which it can change places, or -1. Such threads then share one
 * unfolding, so that equal paths are the same. `observed`: threads may change places although their registers are
 * observed. Where the budget is spent, no more are found. */
int *twins_find(const struct test *t, const struct cell *cell, struct unfolding *unfoldings, bool observed,
                struct search_budget *budget, struct arena *a);

/* How many of a thread and its twins before it take the same path as the thread; with `all`, how many they
 * are. */
int twins_count(const int *twins, const struct path *const *paths, int thread, bool all);

/* The observable that is register `reg` of a thread, or -1. */
int twins_observable(const struct test *t, int thread, int reg);

#endif
