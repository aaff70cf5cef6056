/* As much of the CUDA driver as the CUDA backend calls, for emulated GPUs. A module is the path of a shared library that
 * was compiled from a kernel's text. */
#ifndef CULITMUS_EMULATED_DRIVER_H
#define CULITMUS_EMULATED_DRIVER_H

#include "../kernels/launch.h"
#include "cuda/cuda_api.h"

enum { DRIVER_SMS = 5, DRIVER_BLOCKS_PER_SM = 2, DRIVER_SHARED = 32 << 10 /* bytes a block */ };

extern const struct cuda_api driver;

/* What the driver calls after a launch on n GPUs, with the environment of each. */
extern void (*driver_launched)(const struct launch_args *const *env, int n);
extern int driver_max_threads;     /* a block */
extern bool driver_crowded;        /* launches find one multiprocessor only */
extern const char *driver_failure; /* why a launch failed */

#endif
