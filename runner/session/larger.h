/* A test with one thread more. */
#ifndef CULITMUS_LARGER_H
#define CULITMUS_LARGER_H

#include "litmus/test.h"

/* How many copies a thread has, or blocks a grid. */
int body_copies(const struct body *b);

/* The test with one more of them. NULL where its text has no number for it, or is no test then. */
struct test *test_larger(struct arena *a, const struct test *t, int body);

#endif
