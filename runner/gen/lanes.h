/* Inside runner/gen: whether the lanes of a warp that meet all come there. */
#ifndef CULITMUS_GEN_LANES_H
#define CULITMUS_GEN_LANES_H

#include "litmus/test.h"

/* The reason if lanes of a warp meet behind a return of some of them, or NULL. */
const char *lanes_missing(const struct test *t, const struct placement *p);
/* Whether no read can keep one lane of a warp from a barrier or an exchange of lanes to which another one comes. */
bool lanes_agree(struct arena *a, const struct test *t);

#endif
