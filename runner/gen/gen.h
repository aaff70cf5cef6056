/* From a test's cell to text that a compiler takes. One generator for all backends: the bodies are the same text,
 * which calls operations (load_volatile_1, store_release_gpu_2, atom_add_relaxed_gpu_3 ...); each is a function of one
 * instruction, inline PTX or C, that is made of the operation's row (litmus/ops.h). Nothing of the test file is passed
 * through: names are identifiers that the parser accepted, numbers are printed from their values.
 *
 * The text of a unit, in order (names that start with `_` cannot be a user's):
 *
 *   prelude        kernels/launch.h, cuda_ops.cuh and, for engines that tell an mbarrier, cuda_drain.cuh; or cpu_abi.h,
 *                  cpu_ops.h, software.h and cpu_meet.h: loc, shared_loc, ROLE, struct run (in C struct cpu_player)
 *   constants      enum { NTHREADS, NOBS, ... }
 *   operations     a function and a line each: static ROLE int load_volatile_1(loc p) { ... }
 *   instance       struct instance { loc X; loc Y; };
 *                  struct instance locate(const struct run *run, int chunk, int i)
 *                      I.X = global_at(run, chunk, i, first element, elements, gpu), shared_at, host_at;
 *                      own_shared_at: that of the block that asks
 *                  void init(struct instance I, struct run *run): writes every initial value
 *   bodies         void thread_<body>(loc X, loc Y, [int tid, int count,] struct run *_run, int *_regs)
 *   dispatch       int touch(struct instance I, struct run *run, int which): reads the locations of these bits
 *                  void play(int thread, struct instance I, struct run *run, int *obs): runs one thread, sets obs[o]
 *                      for its observables
 *                  int obs_thread(int o): whose observable, -1: final memory
 *                  void observe(struct instance I, struct run *run, int *obs): sets obs[o] for final memory
 *                  In CUDA, where each block has locations of its own: init_own() and observe_own() for those of the block
 *                  that asks, and int obs_block(int o): a thread of the block whose observable it is, or -1
 *                  With such engines, bool drain(struct instance I, struct run *run) and drain_own(): wait for them
 *   harness        kernels/cuda_ptx.cuh, cuda_layout.cuh, cuda_count.cuh and cuda_harness.cuh, or cpu_harness.h
 *
 * An operation's number is that of test->ops. In CUDA it stands in the PTX beside the instruction (see
 * check/verify.h).
 *
 * The prelude declares global_at, shared_at and host_at. */
#ifndef CULITMUS_GEN_H
#define CULITMUS_GEN_H

#include <stdio.h>

#include "base/text.h"
#include "litmus/test.h"

/* DIALECT_OUTLINE is CUDA whose orders and scopes are left open (see gen_fill). DIALECT_EMULATED is C++ for
 * an emulated GPU: the same code as CUDA, except the operations. */
enum dialect { DIALECT_CUDA, DIALECT_OUTLINE, DIALECT_C, DIALECT_EMULATED };
/* Whether a CUDA compiler takes the text: DIALECT_CUDA and DIALECT_OUTLINE. */
bool gen_is_cuda(enum dialect dialect);

/* Writes the part of a unit that is the test's own, for a person to read. */
void gen_cell(const struct test *t, const struct cell *cell, enum dialect dialect, struct text *out);
/* Writes the whole translation unit: prelude, the test's own part (without its first line, which names the
 * cell), harness. In CUDA a placement is mostly data of a run (struct launch_seat), so many placements have
 * the same unit. */
void gen_unit(const struct test *t, const struct cell *cell, enum dialect dialect, struct text *out);

/* Cells that differ only in the orders and scopes of their operations, and in which fences they have, are
 * siblings. Their outlines are one text, which is compiled to PTX once. This makes the PTX of one cell from
 * that PTX: it fills in the cell's orders and scopes, and drops the fences that the cell does not have.
 * Returns false when it does not understand the PTX. */
bool gen_fill(const char *outline, const struct test *t, const struct cell *cell, struct text *out);

/* Adds the text of a file of kernels/. */
void gen_add_file(const char *name, struct text *out);

/* Prints a cell (gen_cell) or, if `whole`, a unit (gen_unit). */
void gen_list(const struct test *t, const struct cell *cell, enum dialect dialect, bool whole, FILE *out);

/* Writes the unit that measures what fences cost (kernels/fence_cost.cuh). It has a kernel for each fence,
 * and one without a fence. */
enum { FENCE_COST_THREADS = 256 }; /* the most threads of a block */
void gen_fence_costs(const struct fence *fences, int n, enum dialect dialect, struct text *out);
/* Returns the name of the kernel of a fence, such as "cost_sc_gpu". */
const char *gen_fence_cost_name(struct arena *a, struct fence fence);

/* What the generated code of a test needs from its harness. */
struct shape {
    bool waits;       /* some loop ends only when another thread has done something */
    bool barriers;    /* some execution barrier, or some exchange between lanes or threads */
    bool exchanges;   /* some exchange, or a barrier of chosen lanes of a warp */
    bool own;         /* some location of which each block has one in its shared memory */
    bool triggers;    /* some thread lets a dependent kernel begin */
    bool reals, wide; /* some floating-point value; some integer of 128 bits */
    bool arrays;      /* some location is an array, so indices are checked at run time */
    int words; /* words of 32 bits for each element: as many as the largest element of the test needs */
    /* elements of an instance in shared memory; in global memory; in pinned memory of the host */
    int shared_elements;
    int global_elements;
    int host_elements;
};
struct shape gen_shape(const struct test *t);

/* Whether all values that an execution of the test can have are known to be small: so small that an outcome,
 * all its values packed side by side, fits into one byte (SMALL_BITS in kernels/cuda_count.cuh). */
bool gen_small(const struct test *t);

/* Returns why no code can be generated for the test, or NULL; static text. */
const char *gen_cannot(const struct test *t);

/* The seat of every thread as numbers from 0, in order of first appearance: blocks are numbered within their
 * GPU, warps within their block, lanes within their warp. */
struct seating {
    int *host;                      /* of each thread: 1 if it is on the CPU */
    int *gpu, *block, *warp, *lane; /* of each thread */
    int gpus;                       /* how many GPUs the threads and locations need */
    int blocks, warps, lanes;       /* the most blocks of a GPU, warps of a block, and lanes of a warp */
    int align_gpu, align_block, align_warp; /* G, B and W of align() in seating.c */
};
struct seating gen_seating(struct arena *a, const struct test *t, const struct placement *p);

/* Whether the cell needs clusters, and so compute capability 9.0: because of its placement, a fence or an
 * operation. */
bool gen_clusters(const struct test *t, const struct cell *cell);
/* Returns how many kernels are launched, one behind the other in a stream, to play one round of instances on
 * a GPU. With several kernels in the placement it is their number. It is 1 if the test reads through the
 * read-only proxy: no barrier ends what its cache keeps of an earlier round, but a launch does. Else it is 0:
 * one launch plays all rounds. */
int gen_kernels(const struct test *t, const struct cell *cell);

/* An edge of a thread leads from one of its accesses to its next access, if that is of another location. An
 * edge is open if nothing between the two is known to keep them in order on the GPUs that were measured. Most
 * fences do; those wider than a block do so for all threads of their block. */
struct open_edge {
    int thread;
    int from, to; /* the locations */
};
/* Whether at least three threads have an edge, none has more than one, and exactly one of all edges is open,
 * which is then *out. Such a cell shows its weak outcome only if the open edge takes longer than the other
 * edges. So its harness can slow down the accesses of one location (COLD in kernels/cuda_layout.cuh). */
bool gen_only_open(const struct test *t, const struct cell *cell, struct open_edge *out);

/* A chip has two halves, and an access from a block in one half to a location in the other takes longer.
 * Where the halves of an instance's blocks and locations can be chosen, it is best if the first access of an
 * edge crosses to the other half and the second does not. */
enum { HALVES_MOST_BLOCKS = 4, HALVES_MOST_LOCATIONS = 6 };
struct halves {
    /* The position of each block among the blocks of its instance. Even positions are in one half, odd ones
     * in the other. */
    int offset[HALVES_MOST_BLOCKS];
    unsigned other; /* bit n: location n is not in the half of the block at position 0 */
};
/* Finds the nth best way, from 1 on, to put the blocks and locations of a cell into halves; behind the last
 * way the first one follows. Returns false if the cell has too many blocks, locations or threads. */
bool gen_halves(const struct test *t, const struct placement *p, int nth, struct halves *out);

/* Returns how many places of the harness a location takes in each block that has it: one for each element, or
 * a single one if its elements lie side by side. */
int gen_places(const struct location *l);

/* Returns the number of each location's first element among all elements of an instance. The C dialect
 * numbers those of global memory first, then shared, then pinned. *total is the number of all elements. */
int *gen_elements(struct arena *a, const struct test *t, int *total);

/* Returns how many execution barriers of a kind the body passes on every path; -1 when paths differ in
 * that. */
int gen_barriers(const struct body *b, enum barrier_kind kind);

#endif
