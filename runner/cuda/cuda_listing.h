/* The forms in which the CUDA backend shows a cell: its CUDA text, and the PTX and machine code that NVRTC
 * makes of it. */
#ifndef CULITMUS_CUDA_LISTING_H
#define CULITMUS_CUDA_LISTING_H

#include "run/backend.h"

extern const struct listing cuda_listings[]; /* ends with {0} */

#endif
