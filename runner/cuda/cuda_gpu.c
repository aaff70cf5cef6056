/* The GPUs of a device and their memory. */
#include "cuda/cuda_afar.h"
#include "cuda/cuda_halves.h"

static bool open_slot(const struct cuda_api *cu, struct gpu_slot *s, struct diag *d) {
    void *fetched = NULL;
    bool ok = CUDA_TRY(cu, d, cuStreamCreate(&s->stream, CU_STREAM_NON_BLOCKING)) &&
              CUDA_TRY(cu, d, cuEventCreate(&s->before, 0)) && CUDA_TRY(cu, d, cuEventCreate(&s->after, 0)) &&
              CUDA_TRY(cu, d, cuEventCreate(&s->home, 0)) &&
              CUDA_TRY(cu, d, cuMemAlloc(&s->results, sizeof *s->fetched)) &&
              CUDA_TRY(cu, d, cuMemHostAlloc(&fetched, sizeof *s->fetched, CU_HOST_ALLOC_PORTABLE));
    s->fetched = fetched;
    return ok;
}

static void close_slot(const struct cuda_api *cu, const struct gpu_slot *s) {
    const cu_event events[] = {s->before, s->after, s->home};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (events[i]) cu->cuEventDestroy(events[i]);
    if (s->stream) cu->cuStreamDestroy(s->stream);
    if (s->results) cu->cuMemFree(s->results);
    if (s->fetched) cu->cuMemFreeHost(s->fetched);
}

static bool open_memory(const struct cuda_api *cu, struct gpu *g, struct diag *d) {
    bool ok = CUDA_TRY(cu, d, cuMemAlloc(&g->scratch, 2 * SCRATCH_WORDS * sizeof(int))) &&
              CUDA_TRY(cu, d, cuMemAlloc(&g->sm_of, MAX_SM * 64 * sizeof(unsigned))) &&
              CUDA_TRY(cu, d, cuMemAlloc(&g->spots, MEETING_MAX_SEATS * sizeof(struct launch_seat)));
    for (int i = 0; i < GPU_SLOTS && ok; i++)
        ok = open_slot(cu, &g->slot[i], d);
    return ok;
}

/* Lets the GPU of the current context access another's memory. An earlier attempt that failed later may have
 * done so already. */
static bool enable_access(const struct cuda_api *cu, cu_context to, struct diag *d) {
    cu_result r = cu->cuCtxEnablePeerAccess(to, 0);
    return r == CU_PEER_ACCESS_ALREADY_ENABLED || cuda_check(cu, d, r, "cuCtxEnablePeerAccess");
}

/* Lets GPU i and the GPUs before it access each other's memory. */
static bool connect(struct cuda_device *dev, int i, struct diag *d) {
    const struct cuda_api *cu = dev->cu;
    for (int j = 0; j < i; j++) {
        if (!CUDA_TRY(cu, d, cuCtxSetCurrent(dev->gpu[j].context)) ||
            !enable_access(cu, dev->gpu[i].context, d) ||
            !CUDA_TRY(cu, d, cuCtxSetCurrent(dev->gpu[i].context)) ||
            !enable_access(cu, dev->gpu[j].context, d))
            return false;
    }
    return true;
}

int gpu_number(const struct cuda_traits *traits, int i) {
    return (traits->index + i) % traits->present;
}

static void close_gpu(const struct cuda_api *cu, struct gpu *g) {
    const cu_pointer memory[] = {g->global, g->values, g->sm_of, g->spots, g->scratch};
    cu->cuCtxSetCurrent(g->context);
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        if (memory[i]) cu->cuMemFree(memory[i]);
    for (int i = 0; i < GPU_SLOTS; i++)
        close_slot(cu, &g->slot[i]);
    cu->cuDevicePrimaryCtxRelease(g->device);
}

/* Opens GPU i completely or not at all, so that a later cell can try again. */
static bool open_gpu(struct cuda_device *dev, int i, struct diag *d) {
    const struct cuda_api *cu = dev->cu;
    struct gpu *g = &dev->gpu[i];
    if (!CUDA_TRY(cu, d, cuDeviceGet(&g->device, gpu_number(&dev->traits, i))) ||
        !CUDA_TRY(cu, d, cuDevicePrimaryCtxRetain(&g->context, g->device)))
        return false;
    if (connect(dev, i, d) && CUDA_TRY(cu, d, cuCtxSetCurrent(g->context)) && open_memory(cu, g, d))
        return true;
    close_gpu(cu, g);
    *g = (struct gpu){0};
    return false;
}

bool gpu_open_peers(struct cuda_device *dev, int n, struct diag *d) {
    for (; dev->opened < n; dev->opened++)
        if (!open_gpu(dev, dev->opened, d)) return false;
    return CUDA_TRY(dev->cu, d, cuCtxSetCurrent(dev->gpu[0].context));
}

void gpu_close_all(struct cuda_device *dev) {
    halves_forget(dev);
    afar_forget(dev);
    if (dev->locations.memory) dev->cu->cuMemFreeHost(dev->locations.memory);
    if (dev->meeting.memory) dev->cu->cuMemFreeHost(dev->meeting.memory);
    for (int i = MAX_GPUS - 1; i >= 0; i--)
        if (dev->gpu[i].context) close_gpu(dev->cu, &dev->gpu[i]);
}

static bool reaches(const struct cuda_api *cu, cu_device from, cu_device to) {
    int can = 0;
    return cu->cuDeviceCanAccessPeer(&can, from, to) == 0 && can;
}

static bool has_atomics_in(const struct cuda_api *cu, cu_device from, cu_device to) {
    int native = 0;
    return cu->cuDeviceGetP2PAttribute(&native, CU_P2P_NATIVE_ATOMICS, from, to) == 0 && native;
}

void gpu_look_at_peers(struct cuda_device *dev) {
    struct cuda_traits *traits = &dev->traits;
    cu_device device[MAX_GPUS];
    int n = 0;
    while (n < traits->present && n < MAX_GPUS &&
           dev->cu->cuDeviceGet(&device[n], gpu_number(traits, n)) == 0)
        n++;
    for (int i = 0; i < n * n; i++) {
        int from = i / n, to = i % n;
        if (from == to) continue;
        traits->reaches[from][to] = reaches(dev->cu, device[from], device[to]);
        traits->atomics[from][to] = has_atomics_in(dev->cu, device[from], device[to]);
    }
}

bool gpu_wait(const struct cuda_device *dev, const struct gpu *g, struct diag *d) {
    bool ok = CUDA_TRY(dev->cu, d, cuCtxSetCurrent(g->context));
    for (int i = 0; i < GPU_SLOTS && ok; i++)
        ok = CUDA_TRY(dev->cu, d, cuStreamSynchronize(g->slot[i].stream));
    return ok;
}

/* Replaces a buffer by a larger one. Waits first, since a launch under way may still use the old one. */
static bool grow(const struct cuda_device *dev, const struct gpu *g, cu_pointer *p, size_t *have, size_t need,
                 struct diag *d) {
    if (need <= *have) return true;
    if (*p && !gpu_wait(dev, g, d)) return false;
    if (*p) dev->cu->cuMemFree(*p);
    *p = 0;
    *have = 0;
    if (!CUDA_TRY(dev->cu, d, cuMemAlloc(p, need))) return false;
    *have = need;
    return true;
}

bool gpu_reserve(struct cuda_device *dev, struct gpu *g, size_t global_bytes, size_t values_bytes,
                 struct diag *d) {
    return CUDA_TRY(dev->cu, d, cuCtxSetCurrent(g->context)) &&
           grow(dev, g, &g->global, &g->global_bytes, global_bytes, d) &&
           grow(dev, g, &g->values, &g->values_bytes, values_bytes, d);
}

static bool wait_for_all(const struct cuda_device *dev, struct diag *d) {
    bool ok = true;
    for (int i = dev->opened - 1; i >= 0 && ok; i--)
        ok = gpu_wait(dev, &dev->gpu[i], d);
    return ok;
}

bool gpu_reserve_pinned(struct cuda_device *dev, struct pinned *p, size_t bytes, struct diag *d) {
    if (bytes <= p->bytes) return true;
    if (p->memory && !wait_for_all(dev, d)) return false;
    if (p->memory) dev->cu->cuMemFreeHost(p->memory);
    *p = (struct pinned){NULL, 0};
    if (!CUDA_TRY(dev->cu, d,
                  cuMemHostAlloc(&p->memory, bytes, CU_HOST_ALLOC_MAPPED | CU_HOST_ALLOC_PORTABLE)))
        return false;
    p->bytes = bytes;
    return true;
}
