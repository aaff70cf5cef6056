/* Kernels whose threads meet by cooperative groups; NARROW takes a smaller group. */
#include <cooperative_groups.h>

namespace groups = cooperative_groups;

/* Two blocks. */
__global__ void grid(int *data, int *out) {
    data[blockIdx.x] = 1;
#ifdef NARROW
    groups::this_thread_block().sync();
#else
    groups::this_grid().sync();
#endif
    out[blockIdx.x] = data[1 - blockIdx.x];
}

/* Two threads of a warp. */
__global__ void tile(int *data, int *out) {
#ifdef NARROW
    auto group = groups::tiled_partition<1>(groups::this_thread_block());
#else
    auto group = groups::tiled_partition<2>(groups::this_thread_block());
#endif
    data[threadIdx.x] = 1;
    group.sync();
    out[threadIdx.x] = data[1 - threadIdx.x];
}

/* Two threads of a block. */
__global__ void block(int *out) {
    __shared__ int told[2];
#ifdef NARROW
    auto group = groups::tiled_partition<1>(groups::this_thread_block());
#else
    auto group = groups::this_thread_block();
#endif
    told[threadIdx.x] = threadIdx.x + 1;
    group.sync();
    out[threadIdx.x] = told[1 - threadIdx.x];
}

/* Threads of a warp count together: one of them adds for all. */
__global__ void coalesced(int *counter, int *out) {
    auto group = groups::coalesced_threads();
    int first = 0;
#ifdef NARROW
    if (group.thread_rank() == 0) first = *counter, *counter = first + group.size();
#else
    if (group.thread_rank() == 0) first = atomicAdd(counter, group.size());
#endif
    out[blockIdx.x * blockDim.x + threadIdx.x] = group.shfl(first, 0) + group.thread_rank();
}
