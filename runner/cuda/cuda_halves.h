/* The halves of a GPU: which multiprocessors and which lines of memory are in which one. It is not documented; what tells
 * them apart is how long a read takes (kernels/halves.ptx), so it is measured once for each device and its memory. */
#ifndef CULITMUS_CUDA_HALVES_H
#define CULITMUS_CUDA_HALVES_H

#include "cuda/cuda_kernel.h"

/* Bytes of the memory in which locations lie near to blocks: its lines are measured. */
enum { HALVES_BYTES = 128 << 20, HALVES_LINE = NEAR_WORDS * 4, HALVES_LINES = HALVES_BYTES / HALVES_LINE };

/* Chooses where an instance's blocks and locations lie, as the environment wants it, before the plan's memory is reserved:
 * makes room for it. Turns the environment's `halves` and `near` off where they cannot be. */
void halves_make_room(const struct cuda_kernel *k, struct cuda_environment *set, struct launch_args *e);
/* Then, when the memory is there: measures the halves if need be, and tells the kernel where all lies. */
bool halves_lay_out(const struct cuda_kernel *k, struct cuda_environment *set, struct launch_args *e,
                    struct diag *d);
void halves_forget(struct cuda_device *dev);

#endif
