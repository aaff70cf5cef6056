/* Which execution barriers the CUDA harness can run: those that all threads which share them pass equally often. */
#ifndef CULITMUS_BARRIERS_H
#define CULITMUS_BARRIERS_H

#include "gen/gen.h"

/* Why the barriers of a test cannot be run with its threads in these seats (static text), or NULL. */
const char *barriers_unfit(const struct test *t, const struct placement *p, const struct seating *s);

#endif
