/* A cell as machine code for an architecture: what needs NVRTC but no device. */
#ifndef CULITMUS_CUDA_COMPILE_H
#define CULITMUS_CUDA_COMPILE_H

#include "test/test.h"

/* Takes the cell from the cache (exec/cache.h), else generates and compiles it, checks it against the test
 * (exec/verify.h), and keeps it. `arch` is like "sm_90"; *cubin is malloc'ed. Thread-safe. */
bool cuda_compile(const char *arch, const struct test *t, const struct variant *v, void **cubin, size_t *size,
                  struct diag *d);

#endif
