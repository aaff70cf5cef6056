/* Dependencies that no compiler can delete.
 *
 * A value depends on a read if another value of that read gives another value. That an event happens depends on a read
 * if with another value of that read the thread takes a path without the same event: so nothing depends on a branch
 * whose ways do the same, and nothing behind it does once its ways have met again. */
#ifndef CULITMUS_DEPEND_H
#define CULITMUS_DEPEND_H

#include "model/unfold.h"

/* The reads on which a term depends. Looks for values that show it, so of two values which differ for very few others
 * it may be said that they are the same. When the budget is spent, a term depends on all of its reads. */
struct reads depend_reads(const struct sym *s, struct search_budget *budget);

/* Fills in `ctrl` of all events, unless the paths are not all. A thread of very many paths depends on all branches that
 * it has passed. */
void depend_on_branches(struct unfolding *u, struct search_budget *budget);

#endif
