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

/* DIALECT_OUTLINE: CUDA in which orders and scopes are left open (see gen_fill).
 * DIALECT_EMULATED: C++ for a GPU done in software, which calls what CUDA does but for the operations. */
enum dialect { DIALECT_CUDA, DIALECT_OUTLINE, DIALECT_C, DIALECT_EMULATED };
/* Whether it is text for a compiler of CUDA. */
bool gen_is_cuda(enum dialect dialect);

/* The part that is the test's own: what a person wants to read. */
void gen_cell(const struct test *t, const struct cell *cell, enum dialect dialect, struct text *out);
/* The whole translation unit: the same between prelude and harness, without the first line, which names the
 * cell. In CUDA a placement is mostly data of a run (struct launch_seat), so many placements have the same unit. */
void gen_unit(const struct test *t, const struct cell *cell, enum dialect dialect, struct text *out);

/* Cells that differ in nothing but the orders and scopes of their operations, and in which fences they have, are siblings:
 * their outlines are one text, which is compiled to PTX once. This makes the PTX of a cell of that of its outline: it
 * fills in orders and scopes, and drops the fences that the cell does not have. False when the PTX is not understood. */
bool gen_fill(const char *outline, const struct test *t, const struct cell *cell, struct text *out);

/* Adds the text of a file of kernels/. */
void gen_add_file(const char *name, struct text *out);

/* Prints a cell or a unit. */
void gen_list(const struct test *t, const struct cell *cell, enum dialect dialect, bool whole, FILE *out);

/* The unit that measures what fences cost (kernels/fence_cost.cuh), with a kernel for each fence, and one for none. */
enum { FENCE_COST_THREADS = 256 }; /* a block, at most */
void gen_fence_costs(const struct fence *fences, int n, enum dialect dialect, struct text *out);
/* Its kernel for a fence: "cost_sc_gpu". */
const char *gen_fence_cost_name(struct arena *a, struct fence fence);

/* What the generated code needs of a harness, from a look at the program. */
struct shape {
    bool waits;       /* some loop ends only when another thread has done something */
    bool barriers;    /* some execution barrier, or exchange */
    bool exchanges;   /* some exchange, or a barrier of some lanes of a warp */
    bool own;         /* some location that each block has in its shared memory */
    bool triggers;    /* some thread lets a dependent kernel begin */
    bool reals, wide; /* some float; some integer of 128 bits */
    bool arrays;      /* some location is an array: indices are checked as they run */
    int words; /* of 32 bits, that an element takes: the most that one of the test needs, a power of two */
    int shared_elements; /* elements in SPACE_SHARED, GLOBAL and HOST */
    int global_elements;
    int host_elements;
};
struct shape gen_shape(const struct test *t);

/* Whether all values that a test can have are known to be small: so small that the values of an outcome, put side by side,
 * have a byte (SMALL_BITS in kernels/cuda_count.cuh). */
bool gen_small(const struct test *t);

/* Why the test has no generated code, or NULL. */
const char *gen_cannot(const struct test *t);

/* Where every thread sits, numbered from 0 within what is around it, in order of first appearance. */
struct seating {
    int *host;                      /* a thread each: is it on the CPU? */
    int *gpu, *block, *warp, *lane; /* a thread each: its GPU, its block there, its warp in that, its lane */
    int gpus;                       /* that threads or locations need */
    int blocks, warps, lanes;       /* the most on a GPU, in a block, in a warp */
    int align_gpu, align_block, align_warp; /* see seating.c */
};
struct seating gen_seating(struct arena *a, const struct test *t, const struct placement *p);

/* The cell needs clusters, and so compute capability 9.0: by its placement, a fence or an operation. */
bool gen_clusters(const struct test *t, const struct cell *cell);
/* How many launches of a stream play a round on a GPU: one for each of the cell's kernels; or one where the test reads through
 * the read-only proxy, for which no barrier ends what an earlier round has left in its cache. 0: a launch has all rounds. */
int gen_kernels(const struct test *t, const struct cell *cell);

/* An edge of a thread leads from one of its accesses to the next one, of another location. It is open where nothing is
 * known to keep the two in order: most fences do that on the GPUs that are known, some for all threads of their block. */
struct open_edge {
    int thread;
    int from, to; /* the locations */
};
/* Whether three threads or more have an edge, one each, and only one of these is open. What such a cell may show needs that
 * edge to last longer than the others take: its harness can hold up the accesses of one location (COLD in
 * kernels/cuda_layout.cuh). */
bool gen_only_open(const struct test *t, const struct cell *cell, struct open_edge *out);

/* A chip has two halves, and an access from one to a location in the other takes longer. Where the halves of an instance's
 * blocks and locations can be chosen, it is best that the first access of an edge crosses, and the second does not. */
enum { HALVES_MOST_BLOCKS = 4, HALVES_MOST_LOCATIONS = 6 };
struct halves {
    /* Where each block is among its instance's, which are in the two halves by turns. */
    int offset[HALVES_MOST_BLOCKS];
    unsigned other; /* bit n: location n is in the other half than the block of offset 0 */
};
/* The way number `nth`, from 1 on, to put blocks and locations into halves, the best first; after the last one the first
 * follows. False where there are more of them than can be tried. */
bool gen_halves(const struct test *t, const struct placement *p, int nth, struct halves *out);

/* How many places of a harness a location takes, of each block that has it: one an element, or one where the elements lie
 * side by side. */
int gen_places(const struct location *l);

/* Each location's first element among all of an instance's, as the C dialect numbers them: those of global
 * memory first, then shared, then host. *total: how many there are. */
int *gen_elements(struct arena *a, const struct test *t, int *total);

/* How many barriers of a kind every run of the body passes; -1 when that depends on what it reads. */
int gen_barriers(const struct body *b, enum barrier_kind kind);

#endif
