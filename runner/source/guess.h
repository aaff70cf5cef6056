/* Writes a first test of a kernel in a CUDA source, by what its parameters and variables suggest. The user
 * completes it. */
#ifndef CULITMUS_GUESS_H
#define CULITMUS_GUESS_H

#include "base/text.h"
#include "compile/compile.h"

/* Adds a YAML test to a text. r->test is the path where it will be; r->kernel may be NULL if the source has
 * only one. Returns false with errors at the source when it does not compile or does not have the kernel. */
bool guess_test(struct arena *a, const struct compile_request *r, struct text *out, struct diag *d);

#endif
