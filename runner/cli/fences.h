/* Between the parts of `fences`. Private to it. */
#ifndef CULITMUS_FENCES_H
#define CULITMUS_FENCES_H

#include "litmus/test.h"

/* How many copies a thread has, or blocks a grid. */
int fences_copies(const struct body *b);

/* The test with one more of them. NULL where its text has no number for it, or is no test then. */
struct test *fences_larger(struct arena *a, const struct test *t, int body);

#endif
