/* Executions in which threads wait at a barrier for ever, because another one was stopped before it came there.
 *
 * What stands behind such a wait does not happen, so nobody reads what it would write. Where a thread was stopped by the
 * unroll bound, it may still come: then all is left as it is, and there may be executions that nobody has. */
#ifndef CULITMUS_HALT_H
#define CULITMUS_HALT_H

#include "search/graph.h"

/* The graph of what happens when the arrivals at barriers meet in one way, which need not be complete: `g` itself where
 * nothing is left out. The barriers of its events are filled in. NULL: no thread comes to where it is stopped. */
struct graph *halt_cut(struct graph *g, const struct matching *m, struct arena *a);

#endif
