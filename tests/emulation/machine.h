/* A machine that runs the threads of kernels, of one or several GPUs, in turns: on one CPU thread, in an order that
 * is random and the same for a seed. A thread may lose its turn wherever it touches memory that others see. */
#ifndef CULITMUS_MACHINE_H
#define CULITMUS_MACHINE_H

#include <stddef.h>

#include "launch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- for kernels ---- */

struct machine_coordinate {
    unsigned x;
};
/* The thread whose turn it is. */
extern struct machine_self {
    struct machine_coordinate thread, threads, block, blocks;
    unsigned cluster; /* blocks of a cluster */
    unsigned gpu, multiprocessor;
    unsigned launch; /* its number, from 1 */
} machine_self;

void machine_step(void);  /* another thread's turn may come */
void machine_pause(void); /* another's does, if there is one: for loops that wait */
long long machine_clock(void);
void machine_fail(const char *why); /* ends all: does not return */

/* Waits for all threads of the block, of the cluster, or the lanes of the warp in the mask. To a barrier of the block
 * that is for whole warps (bar.sync, __syncthreads) all lanes of a warp have to come alike. */
void machine_meet_block(unsigned barrier, int whole_warp);
void machine_meet_cluster(void); /* arrives, and waits */
void machine_arrive_cluster(void);
void machine_wait_cluster(void);
/* A barrier of so many threads, 32 a warp. A warp has come when all its lanes have, and all must come alike; it need not
 * wait. The sum of what is given is the result. */
enum machine_meeting { MACHINE_SYNC, MACHINE_ARRIVE, MACHINE_REDUCE };
int machine_meet_warps(unsigned barrier, unsigned threads, enum machine_meeting how, int given);
/* What the thread reduces in next. The lanes of a warp have to do that in one instruction: of several, a GPU runs one for
 * all of them, and the others' results are lost. */
void machine_reduce_in(const char *instruction);
void machine_meet_warp(unsigned mask);

/* A grid that depends on the one before it begins when each block of that has ended, or has a thread that triggered. */
void machine_trigger(void);
void machine_wait_grid(void); /* until the grid that this one depends on, if any, has ended */

/* Something for later, which is done when any thread catches up: what an engine has under way. */
void machine_put_off(void (*later)(const void *what), const void *what, size_t bytes);
void machine_catch_up(void);

/* Shared memory has addresses of its own: the block, and the place in it. */
enum { MACHINE_WINDOW = 1 << 16 }; /* bytes */
int *machine_shared(unsigned address);

/* ---- for the driver ---- */

enum { MACHINE_MAX_THREADS = 8192, MACHINE_MAX_BLOCKS = 64, MACHINE_MAX_GRIDS = 8 };

/* What a GPU is to run. Blocks have their own code, for the sake of their own shared variables. */
struct machine_grid {
    void (*kernel[MACHINE_MAX_BLOCKS])(struct launch_args env);
    char *shared[MACHINE_MAX_BLOCKS];
    unsigned blocks, threads, cluster, multiprocessors;
    size_t shared_bytes; /* that a block may use of its window */
    int dependent;       /* 1: on the grid before it in the list */
    const struct launch_args *env;
};
/* Runs all to their ends; NULL, or why that did not come about. */
const char *machine_run(const struct machine_grid *grids, int n, unsigned seed);

#ifdef __cplusplus
}
#endif
#endif
