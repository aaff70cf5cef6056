/* Executions in which threads wait at a barrier for ever, because another one was stopped before it came there.
 *
 * What stands behind such a wait does not happen, so nobody reads what it would write, and nobody leaves an array there. But
 * where a thread was stopped by the unroll bound, it may still come: then what others do behind the wait may happen in
 * longer runs, and may keep the thread in its loop. So such executions are looked at twice. */
#ifndef CULITMUS_HALT_H
#define CULITMUS_HALT_H

#include "search/graph.h"

/* The graph of what happens under a matching, which need not be complete: each thread stops before its first
 * wait that is never over. Where no thread does, that is `g` itself. Fills in the barriers of its events.
 * NULL, unless `any`: a thread stops at such a wait, and none comes to where it leaves an array or faults, so
 * there is nothing to tell. */
struct graph *halt_cut(struct graph *g, const struct matching *m, bool any, struct arena *a);

/* `g` with all that its paths do, also behind waits that are never over. */
struct graph *halt_leave(struct graph *g, const struct matching *m);

/* Whether a thread was stopped by the unroll bound, so that waits for it may be over in longer runs. */
bool halt_may_end(const struct graph *g);

/* Whether a graph has a wait at a barrier that never opens, as only one of halt_leave has. Then a fault, or
 * an access beyond an array, may stand behind that wait and not happen; only that a thread was stopped by the
 * bound is sure. */
bool halt_is_open(const struct graph *g);

#endif
