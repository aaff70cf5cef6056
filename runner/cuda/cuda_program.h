/* Writes a cell as a program of its own: one file for a CUDA compiler. */
#ifndef CULITMUS_CUDA_PROGRAM_H
#define CULITMUS_CUDA_PROGRAM_H

#include "base/text.h"
#include "litmus/test.h"
#include "run/environment.h"

/* Returns why a cell has no such program, or NULL; static text. */
const char *program_cannot(const struct test *t, const struct cell *cell);

/* Writes the program: the cell's unit, the facts that its host code needs, and the host code
 * (kernels/cuda_main.cuh). It tries the environments in `known` and some random ones. Parameters that need to
 * know the chip's halves, or other kinds of memory, are left out, because nothing is known of the chip on
 * which it will run. */
void program_write(const struct test *t, const struct cell *cell, const struct environment *known, int nknown,
                   struct text *out);

#endif
