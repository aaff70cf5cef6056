/* Which execution barriers the CUDA harness can play: those that all threads that share them pass equally
 * often. */
#ifndef CULITMUS_BARRIERS_H
#define CULITMUS_BARRIERS_H

#include "gen/gen.h"

/* Why a test's barriers cannot be played with its threads so placed (static text), or NULL. */
const char *barriers_unfit(const struct test *t, const struct placement *p, const struct seating *s);

#endif
