/* Asynchronous copies: what their places and their size must be (PTX ISA, "cp.async", "cp.async.bulk"). */
#ifndef CULITMUS_COPY_H
#define CULITMUS_COPY_H

#include "litmus/test.h"

/* Why a GPU has no such copy, by a thread of a body, as far as that is known before it runs; or NULL. */
const char *copy_problem(struct arena *a, const struct test *t, const struct body *b, const struct op *op);

#endif
