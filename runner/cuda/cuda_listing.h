/* What the CUDA backend shows of a cell: its CUDA text, the PTX and the machine code that NVRTC makes of it. */
#ifndef CULITMUS_CUDA_LISTING_H
#define CULITMUS_CUDA_LISTING_H

#include "run/backend.h"

extern const struct listing cuda_listings[]; /* ends with {0} */

#endif
