/* A first test of a kernel in a CUDA source, to be completed: what its parameters and variables suggest. */
#ifndef CULITMUS_GUESS_H
#define CULITMUS_GUESS_H

#include "base/text.h"
#include "compile/compile.h"

/* Adds a test in YAML to a text. The request's test is where it will stand; its kernel may be NULL, where the source has one
 * only. False and errors at the source: it does not compile, or has not that kernel. */
bool guess_test(struct arena *a, const struct compile_request *r, struct text *out, struct diag *d);

#endif
