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

/* A pipeline that all threads of the block share. It is not destroyed, but ends with its block. */
union Shared {
    cuda::pipeline<cuda::thread_scope_block> pipeline;
    template <class... Given>
    __device__ Shared(Given... given) : pipeline(cuda::make_pipeline(cg::this_thread_block(), given...)) {}
    __device__ ~Shared() {}
};

__global__ void shared_pipeline(const int *in, int *out) {
    __shared__ int tile[2];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
    Shared shared(&state);
    auto &p = shared.pipeline;
    p.producer_acquire();
    cuda::memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int), p);
    p.producer_commit();
#ifndef EARLY
    p.consumer_wait();
#endif
    out[threadIdx.x] = tile[threadIdx.x ^ 1];
    p.consumer_release();
}

/* Two stages, of which the second is read. */
__global__ void prior(const int *in, int *out) {
    __shared__ int tile[2][2];
    auto p = cuda::make_pipeline();
    for (int k = 0; k < 2; k++) {
        p.producer_acquire();
        cuda::memcpy_async(&tile[k][threadIdx.x], &in[2 * k + threadIdx.x], sizeof(int), p);
        p.producer_commit();
    }
#ifdef EARLY
    cuda::pipeline_consumer_wait_prior<1>(p);
#else
    cuda::pipeline_consumer_wait_prior<0>(p);
#endif
    out[threadIdx.x] = tile[1][threadIdx.x];
}

/* A copy whose bytes the barrier is told to wait for. */
__global__ void told(const int *in, int *out) {
    __shared__ alignas(16) int tile[4];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, 2);
    __syncthreads();
    cuda::barrier<cuda::thread_scope_block>::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::device::memcpy_async_tx(tile, in, cuda::aligned_size_t<16>(16), bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, 16);
    } else {
        token = bar.arrive();
    }
#ifndef EARLY
    bar.wait(std::move(token));
#endif
    out[threadIdx.x] = tile[threadIdx.x];
}
