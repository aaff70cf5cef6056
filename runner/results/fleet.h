/* Results of many machines: of which shards and machines a sum is, and what it lacks. */
#ifndef CULITMUS_FLEET_H
#define CULITMUS_FLEET_H

#include "results/results.h"

/* Adds the shards of `b` to those of `a`; a warning where both have one. False and an error when they are not shards of
 * one run. */
bool shards_join(struct arena *arena, struct report *a, const struct report *b, struct diag *d);
/* Adds what is known of the machine of `b`: values that differ stand side by side. */
void machines_join(struct arena *arena, struct report *a, const struct report *b);

/* The shards that a sum lacks: "3, 5 and 7". NULL: none. Lives in the arena. */
const char *shards_missing(struct arena *arena, const struct shards *s);

/* Tells of each cell that was to run and is not there: its shard is missing, or it was lost. Returns how many. */
int fleet_gaps(const struct report *r,
               void (*tell)(void *ctx, const struct test_result *t, const struct cell_result *c), void *ctx);

#endif
