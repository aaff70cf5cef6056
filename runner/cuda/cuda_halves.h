/* The halves of a GPU: which multiprocessors and which lines of memory are in which half. This is not
 * documented. But a read across takes longer, so it is measured once for each device and its memory
 * (kernels/halves.ptx). */
#ifndef CULITMUS_CUDA_HALVES_H
#define CULITMUS_CUDA_HALVES_H

#include "cuda/cuda_kernel.h"

/* The memory for locations that lie near to blocks, in bytes and in lines. The half of each of its lines is
 * measured. */
enum { HALVES_BYTES = 128 << 20, HALVES_LINE = NEAR_WORDS * 4, HALVES_LINES = HALVES_BYTES / HALVES_LINE };

/* Chooses where an instance's blocks and locations lie, as the environment asks, and makes room before the
 * plan's memory is reserved. Sets the environment's `halves` and `near` to 0 where they are not possible. */
void halves_make_room(const struct cuda_kernel *k, struct cuda_environment *set, struct launch_args *e);
/* Then, with the memory reserved: measures the halves if that was not done, and fills in where everything
 * lies, for the kernel. */
bool halves_lay_out(const struct cuda_kernel *k, struct cuda_environment *set, struct launch_args *e,
                    struct diag *d);
void halves_forget(struct cuda_device *dev);

#endif
