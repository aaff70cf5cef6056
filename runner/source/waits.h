/* Inside runner/source: groups of copies that a test waits for in vain. */
#ifndef CULITMUS_WAITS_H
#define CULITMUS_WAITS_H

#include "litmus/test.h"

/* Warns of waits for groups of copies that the thread has not, and of copies in no group. Real code has both, so a test may. */
void waits_check(const struct test *t, struct diag *d);

#endif
