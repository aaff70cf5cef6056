/* What fences cost on a GPU that was measured, for where there is none. */
#ifndef CULITMUS_FENCE_RECORD_H
#define CULITMUS_FENCE_RECORD_H

#include "run/backend.h"

/* The GPU that the record is of. */
#define FENCE_RECORD_DEVICE "NVIDIA H200"

/* The cycles of a fence that a crowd does at once, each thread with so many writes under way; -1: no record. */
long long fence_record(enum crowd crowd, struct fence fence, int writes);

#endif
