/* Compiles all ways to write operations, and reads what they become. Private to the CUDA backend. */
#ifndef CULITMUS_CUDA_MAPPINGS_H
#define CULITMUS_CUDA_MAPPINGS_H

#include "run/mappings.h"

/* Everything lives in the arena. */
void cuda_mappings(struct arena *a, const struct mappings_request *r, struct mappings *out);

#endif
