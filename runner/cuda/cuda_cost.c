/* Measures what fences cost: launches a kernel of kernels/fence_cost.cuh for each fence, and takes the median
 * of what its warps have measured. */
#include <stdlib.h>

#include "base/memory.h"
#include "cuda/cuda_compile.h"
#include "cuda/cuda_kernel.h"

enum {
    COST_WARM_ROUNDS = 8, /* the first rounds of a launch, which do not count */
    COST_LINE = 128,      /* bytes for each word that a thread writes */
};

struct cuda_cost {
    struct cuda_device *dev;
    struct arena *arena;
    cu_module module;
    int times;
    struct diag *d;
};

/* Returns a launch with as many blocks and threads as the crowd has. */
static struct launch_plan plan_cost(const struct cuda_device *dev, enum crowd crowd) {
    struct launch_plan p = {.grid = crowd == CROWD_DEVICE ? (unsigned)dev->traits.sms : 1,
                            .threads = FENCE_COST_THREADS};
    if (crowd == CROWD_THREAD) p.threads = 1;
    if (crowd == CROWD_WARP) p.threads = 32;
    return p;
}

static int by_cycles(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Reads the kernel's [rounds][warps] numbers, and returns the median of those behind the first rounds. */
static bool fetch_median(const struct cuda_cost *c, int warps, long long *median) {
    const struct cuda_api *cu = c->dev->cu;
    const struct gpu *g = &c->dev->gpu[0];
    size_t n = (size_t)c->times * (size_t)warps, skipped = COST_WARM_ROUNDS * (size_t)warps * sizeof(int);
    int *cycles = memory_new(n, sizeof *cycles);
    bool ok =
        CUDA_TRY(cu, c->d,
                 cuMemcpyDtoHAsync(cycles, g->values + skipped, n * sizeof *cycles, g->slot[0].stream)) &&
        CUDA_TRY(cu, c->d, cuStreamSynchronize(g->slot[0].stream));
    qsort(cycles, n, sizeof *cycles, by_cycles);
    if (ok) *median = cycles[n / 2];
    free(cycles);
    return ok;
}

static bool measure_cost(const struct cuda_cost *c, struct fence_cost *cost) {
    const struct cuda_api *cu = c->dev->cu;
    struct gpu *g = &c->dev->gpu[0];
    cu_function f;
    struct launch_plan p = plan_cost(c->dev, cost->crowd);
    int rounds = c->times + COST_WARM_ROUNDS, threads = (int)(p.grid * p.threads),
        warps = (threads + 31) / 32;
    if (!gpu_reserve(c->dev, g, (size_t)threads * FENCE_COST_WRITES * COST_LINE,
                     (size_t)rounds * (size_t)warps * sizeof(int), c->d) ||
        !CUDA_TRY(cu, c->d, cuModuleGetFunction(&f, c->module, gen_fence_cost_name(c->arena, cost->fence))))
        return false;
    p.env[0] = (struct launch_args){.global = {(int *)(uintptr_t)g->global},
                                    .values = {(int *)(uintptr_t)g->values},
                                    .rounds = rounds,
                                    .flood = cost->writes};
    struct cu_launch_config config = {{p.grid, 1, 1}, {p.threads, 1, 1}, 0, g->slot[0].stream, NULL, 0};
    void *params[] = {&p.env[0]};
    return CUDA_TRY(cu, c->d, cuLaunchKernelEx(&config, f, params, NULL)) &&
           fetch_median(c, warps, &cost->cycles);
}

bool cuda_fence_costs(struct cuda_device *dev, const void *cubin, int times, struct fence_cost *costs, int n,
                      const atomic_int *stop, struct diag *d) {
    struct cuda_cost c = {.dev = dev, .arena = arena_open(), .times = times, .d = d};
    bool ok = CUDA_TRY(dev->cu, d, cuCtxSetCurrent(dev->gpu[0].context)) &&
              CUDA_TRY(dev->cu, d, cuModuleLoadData(&c.module, cubin));
    for (int k = 0; ok && k < n && !*stop; k++)
        if (cuda_has_fence(dev->traits.cc, costs[k].fence)) ok = measure_cost(&c, &costs[k]);
    if (c.module) dev->cu->cuModuleUnload(c.module);
    arena_close(c.arena);
    return ok;
}
