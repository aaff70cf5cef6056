/* Kernels whose threads meet at a barrier of libcu++; EARLY: they read between their arrival and their wait. */
#include <cuda/barrier>
#include <cuda/std/utility>

#ifdef EARLY
#define MEET(barrier, read)           \
    auto token = barrier.arrive();    \
    read;                             \
    barrier.wait(cuda::std::move(token))
#else
#define MEET(barrier, read)    \
    barrier.arrive_and_wait(); \
    read
#endif

__device__ cuda::barrier<cuda::thread_scope_device> meeting{2};

/* Two blocks. */
__global__ void device_barrier(int *data, int *out) {
    data[blockIdx.x] = 1;
    MEET(meeting, out[blockIdx.x] = data[1 - blockIdx.x]);
}

/* Two threads of a block. */
__global__ void block_barrier(int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int told[2];
    if (threadIdx.x == 0) init(&barrier, 2);
    __syncthreads();
    told[threadIdx.x] = threadIdx.x + 1;
    MEET(barrier, out[threadIdx.x] = told[1 - threadIdx.x]);
}

/* A block that leaves the barrier for good as it arrives. */
__global__ void drop(int *data, int *out) {
    if (blockIdx.x == 0) {
#ifdef EARLY
        meeting.arrive_and_drop();
        data[0] = 1;
#else
        data[0] = 1;
        meeting.arrive_and_drop();
#endif
    } else {
        meeting.arrive_and_wait();
        out[0] = data[0];
    }
}
