/* Kernels on what CUB has for a block; APART leaves out what holds their steps together. */
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/detail/strong_load.cuh>
#include <cub/detail/strong_store.cuh>

#ifdef APART
#define TOGETHER(statement)
#else
#define TOGETHER(statement) statement;
#endif

/* Two threads use the same storage twice. */
__global__ void exchange(int *out) {
    using Exchange = cub::BlockExchange<int, 2, 2>;
    __shared__ Exchange::TempStorage storage;
    int t = threadIdx.x, first[2] = {10 * t + 1, 10 * t + 2}, second[2] = {10 * t + 3, 10 * t + 4};
    Exchange(storage).StripedToBlocked(first, first);
    TOGETHER(__syncthreads())
    Exchange(storage).StripedToBlocked(second, second);
    out[2 * t] = first[0];
    out[2 * t + 1] = first[1];
}

/* Each block has its sum, and the last one has the sum of all. */
__global__ void last_block(int *sums, unsigned *count, int *out) {
    using Reduce = cub::BlockReduce<int, 2>;
    __shared__ Reduce::TempStorage storage;
    __shared__ bool last;
    int sum = Reduce(storage).Sum(threadIdx.x + 1);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
        TOGETHER(__threadfence())
        last = atomicAdd(count, 1) == 1;
    }
    __syncthreads();
    if (!last) return;
    TOGETHER(__threadfence())
    int total = Reduce(storage).Sum(sums[threadIdx.x]);
    if (threadIdx.x == 0) out[0] = total;
}

/* What CUB's own kernels hand over by. */
__global__ void strong(int *data, unsigned *flag, int *out) {
    if (blockIdx.x == 0) {
        data[0] = 1;
#ifdef APART
        cub::detail::store_relaxed(flag, 1u);
#else
        cub::detail::store_release(flag, 1u);
#endif
    } else {
        while (cub::detail::load_acquire(flag) == 0) {}
        out[0] = data[0];
    }
}
