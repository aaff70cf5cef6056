/* Who meets whom at the operations where threads come together, barriers and exchanges alike, and what that orders. */
#ifndef CULITMUS_MEET_H
#define CULITMUS_MEET_H

#include "litmus/test.h"

/* The warp, block or cluster whose threads meet there, by its number; -1: who sits here is in none, and meets nobody. */
int meet_group(const struct op *op, const struct seat *s);

/* Whether threads in two seats meet there. */
bool meet_joins(const struct op *op, const struct seat *x, const struct seat *y);

/* Whether two operations are of one barrier, where their threads are of one group and their lanes are the same. */
bool meet_is_same(const struct op *x, const struct op *y);

/* Whether it asks which lanes are active in it. */
bool meet_is_active(const struct op *op);

/* Whether it only waits, for an arrival that stands before it. */
bool meet_is_wait(const struct op *op);

/* Whether what stands before an arrival there is ordered before what stands behind a wait. */
bool meet_orders_memory(const struct op *op);

/* Whether an arrival there passes on what a fence before it releases, as a relaxed write does. */
bool meet_passes_on(const struct op *op);

#endif
