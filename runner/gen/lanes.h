/* Inside runner/gen: whether all lanes of a warp that are awaited at a barrier of lanes or in an exchange
 * come there. */
#ifndef CULITMUS_GEN_LANES_H
#define CULITMUS_GEN_LANES_H

#include "litmus/test.h"

/* If some lane may return before a point where the lanes of its warp meet, returns why the cell cannot be
 * played; else NULL. Static text. */
const char *lanes_missing(const struct test *t, const struct placement *p);
/* Whether no value that a lane reads can keep it from a barrier or exchange of lanes to which another lane
 * comes. */
bool lanes_agree(struct arena *a, const struct test *t);

#endif
