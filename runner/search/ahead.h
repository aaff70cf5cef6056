/* Executions beyond the unroll bound that no search shows.
 *
 * A thread that is cut off in a loop may have done before what it writes behind the loop, if that does not depend on the
 * reads that decide the turns: `while (i < r0) i++; y = 1;`, where another thread sees y == 1 and then writes what r0 is. A
 * search that stops in the loop has no such write, and so not the value that leads beyond the bound. */
#ifndef CULITMUS_AHEAD_H
#define CULITMUS_AHEAD_H

#include "paths/unfold.h"

/* Whether there may be such an execution: some thread may be cut off, another one sees what it writes ahead, and one writes
 * what the reads in its guards see. Not by one location alone where all accesses are strong and in scope: there coherence
 * lets no read see what comes of a later write of its thread. */
bool ahead_is_possible(const struct test *t, const struct cell *cell, const struct unfolding *unfoldings,
                       struct search_budget *budget);

#endif
