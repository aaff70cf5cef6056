/* A tile comes by what CUDA's libraries have for copies to shared memory. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void barrier(const int *in, int *out) {
    __shared__ alignas(16) int tile[4];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    if (threadIdx.x == 0) cuda::memcpy_async(tile, in, cuda::aligned_size_t<16>(16), bar);
    auto token = bar.arrive();
#ifndef EARLY
    bar.wait(std::move(token));
#endif
    out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void pipeline(const int *in, int *out) {
    __shared__ int tile[2];
    auto p = cuda::make_pipeline();
    p.producer_acquire();
    cuda::memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int), p);
    p.producer_commit();
    p.consumer_wait();
#ifndef EARLY
    __syncthreads();
#endif
    out[threadIdx.x] = tile[threadIdx.x ^ 1];
    p.consumer_release();
}

__global__ void group(const int *in, int *out) {
    __shared__ alignas(16) int tile[4];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in, cuda::aligned_size_t<16>(16));
#ifndef EARLY
    cg::wait(block);
#endif
    out[threadIdx.x] = tile[threadIdx.x];
}
