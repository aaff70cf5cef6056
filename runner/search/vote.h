/* Paths that cannot go together because they disagree about a vote (`votes`).
 *
 * All who come to a vote get the same result, whatever they gave. Who meets there is the same for each: the n-th arrival of
 * one at a barrier meets the n-th arrival of another, as a barrier without a count opens only when all have come who have
 * not exited. Nothing is lost: where two paths have gone different ways by a condition that is computed from the result of
 * the same use, no execution has both. That is seen before any graph is made; else a warp would have as many choices as its
 * lanes have paths, to the power of their number. */
#ifndef CULITMUS_MODEL_VOTE_H
#define CULITMUS_MODEL_VOTE_H

#include "paths/unfold.h"

/* Notes what the paths of a thread assume of results of votes, each as a term over the result alone. */
void votes_find(struct unfolding *u, struct search_budget *budget, struct arena *a);

/* Whether paths of two threads may go together, as far as the votes tell. */
bool votes_agree(const struct cell *cell, int x, const struct path *of_x, int y, const struct path *of_y);

#endif
