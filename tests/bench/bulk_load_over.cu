/* A second opinion on a bulk load over a word that its own thread, or one on the other side of a barrier, has just read or
 * written: a harness that shares nothing with the engine's.
 *
 *   nvcc -O3 -std=c++17 -arch=sm_90 bulk_load_over.cu -o bulk_load_over && ./bulk_load_over
 *
 * Each thread has 16 bytes of shared memory, a place in global memory, and an mbarrier. In a round it fills both places, the
 * global one with a value that no other round has, fences, and meets its block. Then it reads or writes a word of its
 * shared memory, loads over it in bulk, and waits; or it meets its block behind the read, and loads over the word of a thread
 * of another warp. A read that has the round's value, or a written value that stands
 * behind the wait, was overtaken by the copy. A wait that ran out of patience counts as impossible. The distance between
 * the threads' words says how many banks collide. */
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

enum { THREADS = 256, BLOCKS_EACH = 4, ROUNDS = 2000, LAUNCHES = 6, INITIAL = 1, WRITTEN = 5, FIRST = 10 };
enum { PATIENCE = 1000000 }; /* polls of a wait */
enum { OTHER_WARP = 32 };    /* what the numbers of two threads differ by */

struct found {
    unsigned long long overtaken, impossible;
};

__device__ uint32_t shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ bool load_over(uint32_t to, const int *from, uint32_t full, unsigned parity) {
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], 16;" ::"r"(full) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];" ::"r"(to), "l"(from), "r"(full)
                 : "memory");
    uint32_t done = 0;
    for (int k = 0; k < PATIENCE && !done; k++)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(full), "r"(parity)
                     : "memory");
    return done;
}

template <int DISTANCE, bool WRITES, bool MEETS, bool FENCED> __global__ void play(int *global, found *out) {
    extern __shared__ __align__(128) int words[];
    __shared__ __align__(8) uint64_t barriers[THREADS];
    int *mine = words + threadIdx.x * DISTANCE, *source = global + (blockIdx.x * THREADS + threadIdx.x) * 4;
    uint32_t place = shared_address(mine), full = shared_address(&barriers[threadIdx.x]);
    uint32_t over = MEETS ? shared_address(words + (threadIdx.x ^ OTHER_WARP) * DISTANCE) : place;
    const int *from = MEETS ? global + (blockIdx.x * THREADS + (threadIdx.x ^ OTHER_WARP)) * 4 : source;
    found f = {0, 0};
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(full) : "memory");
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++) {
        int value = FIRST + round, word = WRITTEN;
        for (int k = 0; k < 4; k++)
            source[k] = value, mine[k] = INITIAL;
        __threadfence();
        asm volatile("fence.proxy.async;" ::: "memory");
        __syncthreads();
        if (WRITES) asm volatile("st.shared.u32 [%0], %1;" ::"r"(place + 4), "r"(word) : "memory");
        else asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(place + 4) : "memory");
        if (FENCED) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        if (MEETS) __syncthreads();
        bool done = load_over(over, from, full, round & 1);
        __syncthreads();
        if (WRITES) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(place + 4) : "memory");
        f.overtaken += done && word == (WRITES ? WRITTEN : value);
        f.impossible += !done || (word != INITIAL && word != WRITTEN && word != value);
        __syncthreads();
    }
    if (f.overtaken) atomicAdd(&out->overtaken, f.overtaken);
    if (f.impossible) atomicAdd(&out->impossible, f.impossible);
}

template <int DISTANCE, bool WRITES, bool MEETS, bool FENCED> static bool count(int *global, found *out, int blocks) {
    size_t bytes = sizeof(int) * THREADS * DISTANCE;
    found f = {0, 0};
    cudaMemset(out, 0, sizeof *out);
    cudaFuncSetAttribute(play<DISTANCE, WRITES, MEETS, FENCED>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    for (int k = 0; k < LAUNCHES; k++)
        play<DISTANCE, WRITES, MEETS, FENCED><<<blocks, THREADS, bytes>>>(global, out);
    cudaError_t error = cudaMemcpy(&f, out, sizeof f, cudaMemcpyDeviceToHost);
    printf("%-7s %8d  %-7s %-6s %9.2e %10llu %10llu  %s\n", WRITES ? "written" : "read", DISTANCE, MEETS ? "barrier" : "", FENCED ? "fence" : "none",
           (double)LAUNCHES * ROUNDS * blocks * THREADS, f.overtaken, f.impossible, error ? cudaGetErrorString(error) : "");
    return error == cudaSuccess && f.impossible == 0;
}

/* All kernels of a distance. */
template <int DISTANCE> static bool count_all(int *global, found *out, int blocks) {
    bool right = count<DISTANCE, false, false, false>(global, out, blocks);
    right = count<DISTANCE, false, false, true>(global, out, blocks) && right;
    right = count<DISTANCE, true, false, false>(global, out, blocks) && right;
    right = count<DISTANCE, true, false, true>(global, out, blocks) && right;
    right = count<DISTANCE, false, true, false>(global, out, blocks) && right;
    return count<DISTANCE, false, true, true>(global, out, blocks) && right;
}

int main() {
    cudaDeviceProp device;
    int *global;
    found *out;
    if (cudaGetDeviceProperties(&device, 0) != cudaSuccess) return 4;
    int blocks = device.multiProcessorCount * BLOCKS_EACH;
    if (cudaMalloc(&global, sizeof(int) * 4 * THREADS * blocks) != cudaSuccess) return 4;
    if (cudaMalloc(&out, sizeof *out) != cudaSuccess) return 4;
    printf("%s\naccess  distance          fence       runs  overtaken impossible\n", device.name);
    bool right = count_all<4>(global, out, blocks);
    right = count_all<16>(global, out, blocks) && right;
    return count_all<32>(global, out, blocks) && right ? 0 : 1;
}
