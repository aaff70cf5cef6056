/* What a fence costs, in cycles of the multiprocessor: by order and scope, by how many threads do it at once, and by how
 * many writes of each thread are under way. It measures the fence alone, on a GPU; nothing is checked.
 *
 *   nvcc -O3 -std=c++17 -arch=native fence_cost.cu -o fence_cost && ./fence_cost [REPETITIONS]
 *
 * A thread writes so many words, each in a line of its own, and reads the clock before and behind the fence. The table has
 * the median of the first lane of each warp, less what two readings of the clock take; "-" where there is no GPU, or it
 * has no such scope. */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

enum fence { NOTHING, SC_CTA, SC_CLUSTER, SC_GPU, SC_SYS, ACQ_REL_CTA, ACQ_REL_CLUSTER, ACQ_REL_GPU, ACQ_REL_SYS, FENCES };
static const char *const fence_names[] = {"nothing",       "sc.block",        "sc.cluster",     "sc.device",     "sc.system",
                                          "acq_rel.block", "acq_rel.cluster", "acq_rel.device", "acq_rel.system"};
/* Threads that do it at once; 0 blocks: one on each multiprocessor. */
static const struct {
    const char *name;
    int blocks, threads;
} crowds[] = {{"a thread", 1, 1}, {"a warp", 1, 32}, {"a block of 8 warps", 1, 256}, {"every multiprocessor", 0, 256}};
static const int writes_under_way[] = {0, 1, 4, 16};

enum { CROWDS = sizeof crowds / sizeof *crowds, WRITES = sizeof writes_under_way / sizeof *writes_under_way };
enum { LINE = 32, MOST_WRITES = 16, WARM = 8 };

template <int FENCE> __device__ __forceinline__ void put_fence()
{
    if (FENCE == SC_CTA) asm volatile("fence.sc.cta;" ::: "memory");
    if (FENCE == SC_GPU) asm volatile("fence.sc.gpu;" ::: "memory");
    if (FENCE == SC_SYS) asm volatile("fence.sc.sys;" ::: "memory");
    if (FENCE == ACQ_REL_CTA) asm volatile("fence.acq_rel.cta;" ::: "memory");
    if (FENCE == ACQ_REL_GPU) asm volatile("fence.acq_rel.gpu;" ::: "memory");
    if (FENCE == ACQ_REL_SYS) asm volatile("fence.acq_rel.sys;" ::: "memory");
#if __CUDA_ARCH__ >= 900
    if (FENCE == SC_CLUSTER) asm volatile("fence.sc.cluster;" ::: "memory");
    if (FENCE == ACQ_REL_CLUSTER) asm volatile("fence.acq_rel.cluster;" ::: "memory");
#endif
}

/* cycles[warp] of one repetition after the other. */
template <int FENCE> __global__ void measure(int *memory, int writes, int repetitions, long long *cycles)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x, warp = thread / 32;
    int warps = (gridDim.x * blockDim.x + 31) / 32;
    int *mine = memory + (size_t)thread * MOST_WRITES * LINE;
    for (int k = 0; k < repetitions + WARM; k++) {
        __syncthreads();
        asm volatile("fence.sc.sys;" ::: "memory"); /* nothing is under way but what follows */
        for (int w = 0; w < writes; w++)
            asm volatile("st.volatile.global.s32 [%0], %1;" ::"l"(mine + w * LINE), "r"(k) : "memory");
        long long before, behind;
        asm volatile("mov.u64 %0, %%clock64;" : "=l"(before)::"memory");
        put_fence<FENCE>();
        asm volatile("mov.u64 %0, %%clock64;" : "=l"(behind)::"memory");
        if (k >= WARM && threadIdx.x % 32 == 0) cycles[(size_t)(k - WARM) * warps + warp] = behind - before;
    }
}

typedef void kernel(int *memory, int writes, int repetitions, long long *cycles);
static kernel *const kernels[] = {measure<NOTHING>,     measure<SC_CTA>,          measure<SC_CLUSTER>,
                                  measure<SC_GPU>,      measure<SC_SYS>,          measure<ACQ_REL_CTA>,
                                  measure<ACQ_REL_CLUSTER>, measure<ACQ_REL_GPU>, measure<ACQ_REL_SYS>};

struct gpu {
    int multiprocessors, major;
    int *memory;
    long long *cycles;
    int repetitions;
};

static void check(cudaError_t error, const char *call)
{
    if (error == cudaSuccess) return;
    fprintf(stderr, "fence_cost: %s: %s\n", call, cudaGetErrorString(error));
    exit(4);
}

static int blocks_of(const gpu &g, int crowd)
{
    return crowds[crowd].blocks ? crowds[crowd].blocks : g.multiprocessors;
}

/* The median of all warps and repetitions. */
static long long median(const gpu &g, int fence, int crowd, int writes)
{
    int blocks = blocks_of(g, crowd), threads = crowds[crowd].threads;
    size_t n = (size_t)g.repetitions * ((blocks * threads + 31) / 32);
    kernels[fence]<<<blocks, threads>>>(g.memory, writes, g.repetitions, g.cycles);
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "run");
    std::vector<long long> found(n);
    check(cudaMemcpy(found.data(), g.cycles, n * sizeof(long long), cudaMemcpyDeviceToHost), "copy");
    std::nth_element(found.begin(), found.begin() + n / 2, found.end());
    return found[n / 2];
}

static bool has_scope(const gpu *g, int fence)
{
    return g && (g->major >= 9 || (fence != SC_CLUSTER && fence != ACQ_REL_CLUSTER));
}

/* `g`: NULL where there is no GPU. */
static void put_table(const gpu *g, int crowd)
{
    printf("\n%s\n  %-16s", crowds[crowd].name, "writes under way");
    for (int w = 0; w < WRITES; w++)
        printf("%8d", writes_under_way[w]);
    for (int fence = SC_CTA; fence < FENCES; fence++) {
        printf("\n  %-16s", fence_names[fence]);
        for (int w = 0; w < WRITES; w++) {
            if (!has_scope(g, fence))
                printf("%8s", "-");
            else
                printf("%8lld", std::max(0ll, median(*g, fence, crowd, writes_under_way[w]) -
                                                  median(*g, NOTHING, crowd, writes_under_way[w])));
        }
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    gpu g = {};
    cudaDeviceProp p;
    int devices = 0;
    g.repetitions = argc > 1 ? std::max(1, std::min(100000, atoi(argv[1]))) : 1000;
    bool there = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
    if (there) {
        check(cudaGetDeviceProperties(&p, 0), "properties");
        g.multiprocessors = p.multiProcessorCount;
        g.major = p.major;
        size_t threads = (size_t)g.multiprocessors * 256;
        check(cudaMalloc(&g.memory, threads * MOST_WRITES * LINE * sizeof(int)), "memory");
        check(cudaMalloc(&g.cycles, threads / 32 * g.repetitions * sizeof(long long)), "memory");
    }
    printf("%s: cycles of a fence, median of %d\n", there ? p.name : "no GPU", g.repetitions);
    for (int crowd = 0; crowd < CROWDS; crowd++)
        put_table(there ? &g : nullptr, crowd);
    return 0;
}
