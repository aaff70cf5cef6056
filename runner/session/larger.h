/* A test with one more thread, or one more block. */
#ifndef CULITMUS_LARGER_H
#define CULITMUS_LARGER_H

#include "litmus/test.h"

/* Returns how many copies of a thread a body has, or how many blocks its grid has. */
int body_copies(const struct body *b);

/* Returns the test with one more copy, or one more block in its grid. NULL if its text has no such number, or
 * would not be a test then. */
struct test *test_larger(struct arena *a, const struct test *t, int body);

#endif
