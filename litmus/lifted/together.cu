/* Kernels of cooperative groups in two steps; EARLY leaves out what is between them. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda/std/utility>

namespace groups = cooperative_groups;

/* Two blocks arrive, and then wait. */
__global__ void split(int *data, int *out) {
    auto grid = groups::this_grid();
    data[blockIdx.x] = 1;
    auto token = grid.barrier_arrive();
#ifdef EARLY
    out[blockIdx.x] = data[1 - blockIdx.x];
    grid.barrier_wait(cuda::std::move(token));
#else
    grid.barrier_wait(cuda::std::move(token));
    out[blockIdx.x] = data[1 - blockIdx.x];
#endif
}

/* The threads of a tile count themselves by one addition, and those of another block wait for it. */
__global__ void update(int *data, int *sum, int *out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> total(*sum);
    auto tile = groups::tiled_partition<2>(groups::this_thread_block());
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 1;
#ifndef EARLY
        tile.sync();
#endif
        __threadfence();
        groups::reduce_update_async(tile, total, 1, groups::plus<int>());
    } else {
        while (total.load(cuda::std::memory_order_acquire) != 2) {}
        out[threadIdx.x] = data[1 - threadIdx.x];
    }
}
