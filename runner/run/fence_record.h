/* Recorded costs of fences, for machines that cannot measure them. */
#ifndef CULITMUS_FENCE_RECORD_H
#define CULITMUS_FENCE_RECORD_H

#include "run/backend.h"

/* The GPU on which they were measured. */
#define FENCE_RECORD_DEVICE "NVIDIA H200"

/* Returns the cycles of a fence that the threads of a crowd execute at the same time, each with `writes`
 * writes under way; -1: not recorded. */
long long fence_record(enum crowd crowd, struct fence fence, int writes);

#endif
