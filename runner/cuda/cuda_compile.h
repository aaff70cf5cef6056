/* Compiles cells to machine code for an architecture. This needs NVRTC but no device. */
#ifndef CULITMUS_CUDA_COMPILE_H
#define CULITMUS_CUDA_COMPILE_H

#include "run/isolated.h"

/* Takes each cell from the cache (compile/cache.h), else compiles it, and checks the code against the test
 * (check/verify.h), on all cores. `arch` is such as "sm_90". `codes` are zeroed on entry. Thread-safe. */
void cuda_compile(const char *arch, const struct build *cells, int n, struct machine_code *codes);

/* Whether two cubins have the same instructions. */
bool cuda_same_code(const struct machine_code *x, const struct machine_code *y);

/* Compiles the kernels that measure those fences of `costs` that the architecture has (cuda_has_fence).
 * Returns false and leaves an error when it cannot. */
bool cuda_compile_costs(const char *arch, const struct fence_cost *costs, int n, const atomic_int *stop,
                        struct machine_code *code, struct diag *d);
/* Whether a compute capability, such as 90, has a fence. */
bool cuda_has_fence(int cc, struct fence fence);

#endif
