/* Cells as machine code for an architecture: what needs NVRTC but no device. */
#ifndef CULITMUS_CUDA_COMPILE_H
#define CULITMUS_CUDA_COMPILE_H

#include "run/isolated.h"

/* Takes each cell from the cache (compile/cache.h), else compiles it, and checks it against the test (check/verify.h), on all
 * cores. `arch` is like "sm_90"; `codes` are zeroed, and filled in. Thread-safe. */
void cuda_compile(const char *arch, const struct build *cells, int n, struct machine_code *codes);

/* Whether two cubins have the same instructions. */
bool cuda_same_code(const struct machine_code *x, const struct machine_code *y);

/* The kernels that measure the fences of `costs` which the architecture has (cuda_has_fence). False and an error. */
bool cuda_compile_costs(const char *arch, const struct fence_cost *costs, int n, const atomic_int *stop,
                        struct machine_code *code, struct diag *d);
/* Whether a compute capability, such as 90, has a fence. */
bool cuda_has_fence(int cc, struct fence fence);

#endif
