/* Makes the axes of a test from words and layouts. The readers share this. */
#ifndef CULITMUS_AXES_H
#define CULITMUS_AXES_H

#include "litmus/test.h"

/* The placements of a test that names none: those of `block` and `device` that its locations and barriers allow. */
void placement_defaults(struct test *t, struct arena *a, struct pos pos, struct diag *d);
/* Counts GPUs, clusters, blocks and warps of the seats of a placement of n threads. */
void placement_count(struct placement *p, int n);
/* A layout that seats the threads like this, each in its own warp: "P0 P1 | P2 || P3". Blocks of one cluster are joined
 * by '&', which no layout that is read can say. */
const char *placement_layout(struct arena *a, const struct test *t, const struct placement *p);

/* The columns of a test that names none. */
void fence_defaults(struct test *t, struct arena *a);

#endif
