/* Executions beyond the unroll bound that no search shows.
 *
 * A thread that is cut off in a loop may already have done a write that stands behind the loop, if this does
 * not depend on the reads that decide the turns. Example: `while (i < r0) i++; y = 1;`, where another thread
 * sees y == 1 and then writes the location from which r0 is read. A search that stops in the loop has no
 * such write, and so lacks the value that leads beyond the bound. */
#ifndef CULITMUS_AHEAD_H
#define CULITMUS_AHEAD_H

#include "paths/unfold.h"

/* Whether there may be such an execution: a thread may be cut off, another one reads a location that the
 * first may write ahead, and another one writes a location that is read for the guards of the cut path. It
 * does not count if both are one location and all accesses of it are strong and in each other's scope: then
 * coherence lets no read see what comes of a later write of its own thread. */
bool ahead_is_possible(const struct test *t, const struct cell *cell, const struct unfolding *unfoldings,
                       struct search_budget *budget);

#endif
