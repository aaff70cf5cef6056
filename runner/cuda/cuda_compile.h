/* Cells as machine code for an architecture: what needs NVRTC but no device. */
#ifndef CULITMUS_CUDA_COMPILE_H
#define CULITMUS_CUDA_COMPILE_H

#include "run/isolated.h"

/* Takes each cell from the cache (run/cache.h), else generates and compiles it, checks it against the test
 * (check/verify.h), and keeps it. `arch` is like "sm_90"; `codes` are zeroed, and filled in. Thread-safe. */
void cuda_compile(const char *arch, const struct build *cells, int n, struct machine_code *codes);

#endif
