/* A CUDA driver of which no call comes back. */
#include <unistd.h>

#include "cuda/cuda_api.h"

#define STUCK(fn, symbol, args)                                                                              \
    void stuck_##fn(void) __asm__(symbol);                                                                   \
    void stuck_##fn(void) {                                                                                  \
        for (;;)                                                                                             \
            pause();                                                                                         \
    }
CUDA_FUNCTIONS(STUCK)
