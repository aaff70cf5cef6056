// Blocks hand data over by a lock of CUTLASS: all threads of the first write, and those of the second read.
#include <cutlass/barrier.h>

__global__ void hand_over(int *lock, int *data, int *out, bool resets) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 7;
        cutlass::Barrier::arrive_inc(lock, threadIdx.x, 0);
        return;
    }
    if (resets)
        cutlass::Barrier::wait_eq_reset(lock, threadIdx.x, 0, 1);
    else
        cutlass::Barrier::wait_eq(lock, threadIdx.x, 0, 1);
    out[threadIdx.x] = data[threadIdx.x ^ 1];
}
