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

/* The reads on which a term depends if the guards of a path hold, and those of which that is not decided
 * (solve.h). */
struct reads depend_reads(const struct path *p, const struct sym *s, struct search_budget *budget);

/* Fills in `ctrl` of all events and `ways` of all paths, and takes from `addr` and `data` the reads on which
 * nothing depends. Does nothing if paths are missing. In a thread of very many paths all events depend on all
 * branches before them. */
void depend_on_branches(struct unfolding *u, const struct test *t, struct search_budget *budget,
                        struct arena *a);

/* Whether a read decides that the thread, on a path that is cut off, goes on to a write of the same element
 * as `write`: for all values of the path, another value of this read alone lets the thread take a path
 * without such a write. `common`: path -> how many guards it has in common with the one that is cut off.
 * `constants`: path -> constant_find. */
bool depend_decides(const struct unfolding *u, int path, const int *common,
                    const struct circuit_reads *constants, const struct event *write, int read,
                    struct search_budget *budget);

/* How many guards two paths of a thread have in common. */
int depend_common_guards(const struct path *x, const struct path *y);

#endif
