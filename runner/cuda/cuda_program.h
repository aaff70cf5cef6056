/* A cell as a program of its own, which a compiler of CUDA makes from one file. */
#ifndef CULITMUS_CUDA_PROGRAM_H
#define CULITMUS_CUDA_PROGRAM_H

#include "base/text.h"
#include "litmus/test.h"
#include "run/environment.h"

/* Why a cell has no such program, or NULL; static text. */
const char *program_cannot(const struct test *t, const struct cell *cell);

/* The text: the cell's unit, what its host has to know of it, and the host's part (kernels/cuda_main.cuh). It tries these
 * environments, and a few by chance. Those are for a chip of which nothing is known: parameters that need to know its halves,
 * or memory of other kinds, are left out. */
void program_write(const struct test *t, const struct cell *cell, const struct environment *known, int nknown,
                   struct text *out);

#endif
