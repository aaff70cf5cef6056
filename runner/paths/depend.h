/* Dependencies that no compiler can delete.
 *
 * A value depends on a read if another value of that read, all else that is read being the same, gives another value on the
 * same path. That an event happens depends on a read if with another value of that read the thread takes a path without the
 * same event: so nothing depends on a branch whose ways do the same, and nothing behind it does once its ways have met
 * again. */
#ifndef CULITMUS_DEPEND_H
#define CULITMUS_DEPEND_H

#include "paths/circuit.h"
#include "paths/unfold.h"

/* The reads on which a term depends where a path has its guards, and those of which that is not known (solve.h). */
struct reads depend_reads(const struct path *p, const struct sym *s, struct search_budget *budget);

/* Fills in `ctrl` of all events and `ways` of all paths, and leaves in `addr` what an index depends on, unless the paths
 * are not all. A thread of very many paths depends on all branches that it has passed. */
void depend_on_branches(struct unfolding *u, const struct test *t, struct search_budget *budget,
                        struct arena *a);

/* Whether a read decides that a path which is cut off comes to a write of a place behind its end: whatever it has read, it
 * need only read something else there to take a path without such a write. `common` says how many guards it has in common
 * with each path, and the constants are those of each. */
bool depend_decides(const struct unfolding *u, int path, const int *common,
                    const struct circuit_reads *constants, const struct event *write, int read,
                    struct search_budget *budget);

/* How many guards two paths of a thread have in common. */
int depend_common_guards(const struct path *x, const struct path *y);

#endif
