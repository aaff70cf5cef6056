/* Executions in which threads wait at a barrier for ever, because another one was stopped before it came there.
 *
 * What stands behind such a wait does not happen, so nobody reads what it would write, and nobody leaves an array there. But
 * where a thread was stopped by the unroll bound, it may still come: then what others do behind the wait may happen in
 * longer runs, and may keep the thread in its loop. So such executions are looked at twice. */
#ifndef CULITMUS_HALT_H
#define CULITMUS_HALT_H

#include "search/graph.h"

/* The graph of what happens when the arrivals at barriers meet in one way, which need not be complete: `g` itself where
 * nothing is left out. The barriers of its events are filled in. NULL: no thread comes to where it leaves an array or
 * faults, and `any` is false. */
struct graph *halt_cut(struct graph *g, const struct matching *m, bool any, struct arena *a);

/* `g` with all that its paths do, also behind waits that are never over. */
struct graph *halt_leave(struct graph *g, const struct matching *m);

/* Whether a thread was stopped by the unroll bound, so that waits for it may be over in longer runs. */
bool halt_may_end(const struct graph *g);

/* Whether something in a graph stands behind a wait that is not over. Of what stops its threads only the bound is known
 * then. */
bool halt_is_open(const struct graph *g);

#endif
