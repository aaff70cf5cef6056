/* Paths that cannot go together because they disagree about a vote (`votes`).
 *
 * All who meet at a vote get the same result, whatever they gave. The n-th arrival of one thread at a barrier
 * meets the n-th arrival of another, as a barrier without a count opens only when all have come who have not
 * exited. Nothing is lost: if two paths go different ways at a condition that is computed from the result of
 * the same vote, no execution has both. Without this a warp would have up to p^n combinations of paths, for n
 * lanes of p paths each. */
#ifndef CULITMUS_MODEL_VOTE_H
#define CULITMUS_MODEL_VOTE_H

#include "paths/unfold.h"

/* Notes what the paths of a thread assume of results of votes, each as a term over the result alone. */
void votes_find(struct unfolding *u, struct search_budget *budget, struct arena *a);

/* Whether paths of two threads may go together, as far as the votes tell. */
bool votes_agree(const struct cell *cell, int x, const struct path *of_x, int y, const struct path *of_y);

#endif
