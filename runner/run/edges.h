/* The edges of a cell: what its threads could do out of order. Where two tests have the same edges, the same environments
 * are good for them, whatever they are called.
 *
 * An edge leads from an access of a thread to its next one that is of another location. It is written as what the two
 * do (R reads, W writes, M does both) and where the threads sit that share the two locations with it: "block" all in
 * its block, "apart" none there, "mixed" some. */
#ifndef CULITMUS_EDGES_H
#define CULITMUS_EDGES_H

#include "base/arena.h"
#include "litmus/test.h"

/* "RR apart, WW mixed": each edge once, sorted; "" where there is none. In the arena. */
const char *edges_of(struct arena *a, const struct test *t, const struct placement *p);
/* In how many edges two such lists differ. *common: how many stand in both. */
int edges_apart(const char *x, const char *y, int *common);
/* Whether a text is such a list. */
bool edges_valid(const char *text);

#endif
