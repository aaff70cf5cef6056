/* Sums of results from many machines: which shards and machines a sum has, and what it lacks. */
#ifndef CULITMUS_FLEET_H
#define CULITMUS_FLEET_H

#include "results/results.h"

/* Adds the shards of `b` to those of `a`, with a warning if both have one. Returns false and leaves an error
 * when they are not shards of the same run. */
bool shards_join(struct arena *arena, struct report *a, const struct report *b, struct diag *d);
/* Adds the machine of `b`: values of a property that differ are put side by side. */
void machines_join(struct arena *arena, struct report *a, const struct report *b);

/* Returns the shards that a sum lacks, such as "3, 5 and 7", in the arena. NULL: none. */
const char *shards_missing(struct arena *arena, const struct shards *s);

/* Calls `tell` for each cell that was to run and did not: its shard is missing, or it was lost. Returns how
 * many. */
int fleet_gaps(const struct report *r,
               void (*tell)(void *ctx, const struct test_result *t, const struct cell_result *c), void *ctx);

#endif
