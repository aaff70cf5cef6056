/* Begins a launch on every GPU that takes part, with the CPU threads beside it, and waits for its end. */
#include <math.h>

#include "cuda/cuda_kernel.h"

/* Clears the results in the slot's stream, and lets that stream wait for the launch before, which is in the
 * other slot. */
static bool clear(const struct cuda_kernel *k, const struct gpu *g, int slot, struct diag *d) {
    const struct cuda_api *cu = k->dev->cu;
    const struct gpu_slot *s = &g->slot[slot];
    return CUDA_TRY(cu, d, cuCtxSetCurrent(g->context)) &&
           CUDA_TRY(cu, d, cuMemsetD8Async(s->results, 0, offsetof(struct results, wide), s->stream)) &&
           CUDA_TRY(cu, d, cuStreamWaitEvent(s->stream, g->slot[1 - slot].after, 0)) &&
           (k->gpus == 1 || CUDA_TRY(cu, d, cuStreamSynchronize(s->stream)));
}

static bool start(const struct cuda_kernel *k, struct launch_plan *p, int i, int slot, struct diag *d) {
    const struct cuda_api *cu = k->dev->cu;
    const struct gpu *g = &k->dev->gpu[i];
    const struct gpu_slot *s = &g->slot[slot];
    struct cu_launch_attribute at = {.id = CU_LAUNCH_COOPERATIVE, .value.cooperative = 1};
    if (k->cluster)
        at = (struct cu_launch_attribute){.id = CU_LAUNCH_CLUSTER,
                                          .value.cluster = {(unsigned)k->cluster, 1, 1}};
    struct cu_launch_config config = {{p->grid, 1, 1}, {p->threads, 1, 1}, p->shared, s->stream, &at, 1};
    void *params[] = {&p->env[i]};
    return CUDA_TRY(cu, d, cuCtxSetCurrent(g->context)) &&
           CUDA_TRY(cu, d, cuEventRecord(s->before, s->stream)) &&
           CUDA_TRY(cu, d, cuLaunchKernelEx(&config, k->function[i], params, NULL)) &&
           CUDA_TRY(cu, d, cuEventRecord(s->after, s->stream));
}

/* Launches one kernel of the test in a round, or the kernel that sets up or ends it. */
static bool start_kernel(const struct cuda_kernel *k, struct launch_plan *p, int slot, int kernel, int round,
                         struct diag *d) {
    const struct cuda_api *cu = k->dev->cu;
    struct launch_args *e = &p->env[0];
    struct cu_launch_attribute at = {.id = CU_LAUNCH_PROGRAMMATIC, .value.programmatic = 1};
    bool dependent = kernel > 0 && kernel < k->kernels && k->launch[kernel] == LAUNCH_DEPENDENT;
    struct cu_launch_config config = {
        {p->grid, 1, 1}, {p->threads, 1, 1}, p->shared, k->dev->gpu[0].slot[slot].stream, &at, dependent};
    void *params[] = {e};
    e->kernel = kernel;
    e->round = round;
    e->kernel_blocks = kernel < k->kernels ? k->kernel_blocks[kernel] : 0;
    return CUDA_TRY(cu, d, cuLaunchKernelEx(&config, k->function[0], params, NULL));
}

/* Launches the rounds of a test with several kernels, a launch for each kernel. The first launch gives the
 * locations their initial values. */
static bool start_kernels(const struct cuda_kernel *k, struct launch_plan *p, int slot, struct diag *d) {
    const struct cuda_api *cu = k->dev->cu;
    const struct gpu *g = &k->dev->gpu[0];
    const struct gpu_slot *s = &g->slot[slot];
    if (!CUDA_TRY(cu, d, cuCtxSetCurrent(g->context)) ||
        !CUDA_TRY(cu, d, cuEventRecord(s->before, s->stream)) || !start_kernel(k, p, slot, k->kernels, 0, d))
        return false;
    for (int round = 1; round <= p->env[0].rounds; round++)
        for (int kernel = 0; kernel <= k->kernels; kernel++)
            if (!start_kernel(k, p, slot, kernel, round, d)) return false;
    return CUDA_TRY(cu, d, cuEventRecord(s->after, s->stream));
}

/* How many bytes of the results are always copied, and how many more if there are outcomes with large
 * values. */
static const size_t most_results = offsetof(struct results, wide_counts),
                    wide_results = sizeof(struct results) - offsetof(struct results, wide_counts);

/* Has the results copied to the host when the launch has ended. */
static bool send_home(const struct cuda_kernel *k, const struct gpu *g, int slot, struct diag *d) {
    const struct cuda_api *cu = k->dev->cu;
    const struct gpu_slot *s = &g->slot[slot];
    return CUDA_TRY(cu, d, cuCtxSetCurrent(g->context)) &&
           CUDA_TRY(cu, d, cuMemcpyDtoHAsync(s->fetched, s->results, most_results, s->stream)) &&
           CUDA_TRY(cu, d, cuEventRecord(s->home, s->stream));
}

static bool start_all(const struct cuda_kernel *k, struct launch_plan *p, int slot, struct diag *d) {
    for (int i = 0; i < k->gpus; i++)
        if (!clear(k, &k->dev->gpu[i], slot, d)) return false;
    if (k->kernels) return start_kernels(k, p, slot, d);
    for (int i = 0; i < k->gpus; i++)
        if (!start(k, p, i, slot, d)) return false;
    return true;
}

/* Sets where each GPU writes its results. */
static void aim(const struct cuda_kernel *k, struct launch_plan *p, int slot) {
    for (int i = 0; i < k->gpus; i++) {
        p->env[i].results = (struct results *)(uintptr_t)k->dev->gpu[i].slot[slot].results;
        p->env[i].first = (struct results *)(uintptr_t)k->dev->gpu[0].slot[slot].results;
    }
}

static bool begin(const struct cuda_kernel *k, struct launch_plan *p, int slot, struct diag *d) {
    bool ok = start_all(k, p, slot, d);
    for (int i = 0; i < k->gpus && ok; i++)
        ok = send_home(k, &k->dev->gpu[i], slot, d);
    return ok;
}

bool launch_begin(const struct cuda_kernel *k, struct launch_plan *p, int slot, struct diag *d) {
    aim(k, p, slot);
    if (!k->host) return begin(k, p, slot, d);
    if (!host_start(k->host, &p->env[0], k->dev->locations.memory, d)) return false;
    bool ok = begin(k, p, slot, d);
    if (!ok) host_finish(k->host, true);
    return ok;
}

/* Waits for the results of a GPU. */
static bool fetch(const struct cuda_api *cu, const struct gpu *g, int slot, struct diag *d) {
    const struct gpu_slot *s = &g->slot[slot];
    if (!CUDA_TRY(cu, d, cuCtxSetCurrent(g->context)) || !CUDA_TRY(cu, d, cuEventSynchronize(s->home)))
        return false;
    if (s->fetched->wide_used == 0) return true;
    return CUDA_TRY(cu, d,
                    cuMemcpyDtoHAsync(s->fetched->wide_counts, s->results + most_results, wide_results,
                                      s->stream)) &&
           CUDA_TRY(cu, d, cuStreamSynchronize(s->stream));
}

bool launch_end(const struct cuda_kernel *k, int slot, float *ms, struct diag *d) {
    const struct cuda_api *cu = k->dev->cu;
    bool ok = true;
    *ms = 0;
    for (int i = 0; i < k->gpus && ok; i++) {
        float one = 0;
        const struct gpu *g = &k->dev->gpu[i];
        ok = fetch(cu, g, slot, d) &&
             CUDA_TRY(cu, d, cuEventElapsedTime(&one, g->slot[slot].before, g->slot[slot].after));
        *ms = fmaxf(*ms, one);
    }
    if (k->host) host_finish(k->host, !ok);
    return ok;
}
