/* Which execution barriers the CUDA harness can run: gen/meeting.h says how. */
#ifndef CULITMUS_BARRIERS_H
#define CULITMUS_BARRIERS_H

#include "gen/meeting.h"

/* Returns why the harness cannot run the barriers of a test with its threads in these seats (static text), or
 * NULL. */
const char *barriers_unfit(const struct test *t, const struct placement *p, const struct seating *s);

#endif
