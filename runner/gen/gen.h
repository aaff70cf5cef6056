/* From a test's cell to text that a compiler takes. One generator for both backends: the bodies are the same text,
 * built from typed operations (load_volatile, store_release_gpu, fence_sc_cta, atom_add_relaxed_gpu ...) that
 * kernels/cuda_ops.cuh defines as inline PTX and kernels/cpu_ops.h as C. Nothing of the test file is passed through:
 * names are identifiers that the parser accepted, numbers are printed from their values.
 *
 * The text of a cell, in order:
 *
 *   prelude       kernels/<dialect>_ops
 *   constants     enum { NTHREADS, NLOCS, NOBS, ... }
 *   struct instance { loc X, Y; };                      one set of the test's locations
 *   static ROLE void thread_<body>(loc X, loc Y, int tid, int count, struct run *run, int *regs)
 *                                                       a body; `regs` takes its observed registers
 *   static ROLE void init(struct instance I, struct run *run)             writes every initial value
 *   static ROLE void play(int thread, struct instance I, struct run *run, int *obs)
 *                                                       runs one thread; sets obs[o] for its observables
 *   static ROLE void observe(struct instance I, struct run *run, int *obs)  sets obs[o] for final memory
 *   harness       kernels/<dialect>_harness
 */
#ifndef CULITMUS_GEN_H
#define CULITMUS_GEN_H

#include "base/text.h"
#include "test/test.h"

enum dialect { DIALECT_CUDA, DIALECT_C };

/* The whole translation unit. */
void gen_unit(const struct test *t, const struct variant *v, enum dialect dialect, struct text *out);

/* What the generated code needs of a harness, from a look at the program. */
struct shape {
    bool waits;          /* some loop ends only when another thread has done something */
    bool barriers;       /* some execution barrier */
    int shared_elements; /* elements in SPACE_SHARED, GLOBAL and HOST */
    int global_elements;
    int host_elements;
};
struct shape gen_shape(const struct test *t);

#endif
