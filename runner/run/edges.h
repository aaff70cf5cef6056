/* The edges of a cell, a short description of what its threads may do out of order. If two tests have the
 * same edges, the same environments are good for both.
 *
 * An edge leads from an access of a thread to its next access of another location. It is written as two
 * letters for the accesses (R reads, W writes, M does both) and a word for where the other threads sit that
 * access one of the two locations: "block" if all are in this thread's block, "apart" if none is, "mixed"
 * otherwise. */
#ifndef CULITMUS_EDGES_H
#define CULITMUS_EDGES_H

#include "base/arena.h"
#include "litmus/test.h"

/* Returns a cell's edges, each once and sorted, such as "RR apart, WW mixed"; "" if it has none. In the
 * arena. */
const char *edges_of(struct arena *a, const struct test *t, const struct placement *p);
/* Returns how many edges only one of two such lists has. *common is how many both have. */
int edges_apart(const char *x, const char *y, int *common);
/* Whether the text is such a list. */
bool edges_valid(const char *text);

#endif
