/* The CUDA backend: the device, what it cannot run, and a kernel a cell. */
#include <stdio.h>
#include <stdlib.h>

#include "exec/cuda_kernel.h"
#include "exec/nvrtc.h"

/* ---- the device ---- */

int cuda_device_count(struct arena *a, const char **why) {
    struct diag d = {0};
    int n = 0;
    const struct cuda_api *cu = cuda_api_load(&d);
    if (cu && CUDA_TRY(cu, &d, cuDeviceGetCount(&n)) && n == 0)
        diag_fail(&d, "the driver reports no CUDA device");
    if (why) *why = d.n > 0 ? arena_strdup(a, d.messages[0].text) : NULL;
    diag_free(&d);
    return n;
}

static bool attribute(struct device *dev, int *value, int which, struct diag *d) {
    return CUDA_TRY(dev->cu, d, cuDeviceGetAttribute(value, which, dev->device));
}

static void add_property(struct device *dev, int *n, const char *name, const char *value) {
    dev->properties[2 * *n] = name;
    snprintf(dev->text[*n], sizeof dev->text[0], "%.63s", value);
    dev->properties[2 * *n + 1] = dev->text[*n];
    ++*n;
    dev->properties[2 * *n] = NULL;
}

static void describe_device(struct device *dev, int driver, size_t bytes, struct diag *d) {
    char text[64];
    const char *nvrtc = nvrtc_version(d);
    int n = 0;
    add_property(dev, &n, "gpu", dev->name);
    snprintf(text, sizeof text, "%d.%d", dev->cc / 10, dev->cc % 10);
    add_property(dev, &n, "compute_capability", text);
    snprintf(text, sizeof text, "%d", dev->sms);
    add_property(dev, &n, "multiprocessors", text);
    snprintf(text, sizeof text, "%.0f", (double)bytes / (1 << 20));
    add_property(dev, &n, "memory_mib", text);
    snprintf(text, sizeof text, "%d.%d", driver / 1000, driver % 1000 / 10);
    add_property(dev, &n, "cuda_driver", text);
    add_property(dev, &n, "nvrtc", nvrtc ? nvrtc : "none");
}

static void cuda_close(struct device *dev) {
    if (dev->context) dev->cu->cuDevicePrimaryCtxRelease(dev->device);
    free(dev);
}

static bool cuda_open(int index, struct device **out, struct diag *d) {
    const struct cuda_api *cu = cuda_api_load(d);
    int n = 0, major = 0, minor = 0, driver = 0;
    size_t bytes = 0;
    if (!cu || !CUDA_TRY(cu, d, cuDeviceGetCount(&n))) return false;
    if (index < 0 || index >= n) {
        diag_fail(d, n ? "no CUDA device %d: there %s %d, numbered from 0" : "no CUDA device", index,
                  n == 1 ? "is" : "are", n);
        return false;
    }
    if (!nvrtc_version(d)) return false;
    struct device *dev = calloc(1, sizeof *dev);
    dev->cu = cu;
    bool ok = CUDA_TRY(cu, d, cuDeviceGet(&dev->device, index)) &&
              CUDA_TRY(cu, d, cuDevicePrimaryCtxRetain(&dev->context, dev->device)) &&
              CUDA_TRY(cu, d, cuCtxSetCurrent(dev->context)) &&
              CUDA_TRY(cu, d, cuDeviceGetName(dev->name, sizeof dev->name, dev->device)) &&
              CUDA_TRY(cu, d, cuDriverGetVersion(&driver)) &&
              CUDA_TRY(cu, d, cuDeviceTotalMem(&bytes, dev->device)) &&
              attribute(dev, &dev->sms, CU_ATTR_SM_COUNT, d) && attribute(dev, &major, CU_ATTR_CC_MAJOR, d) &&
              attribute(dev, &minor, CU_ATTR_CC_MINOR, d) &&
              attribute(dev, &dev->max_shared, CU_ATTR_MAX_SHARED_PER_BLOCK_OPTIN, d);
    if (!ok) {
        cuda_close(dev);
        return false;
    }
    dev->cc = major * 10 + minor;
    snprintf(dev->arch, sizeof dev->arch, "sm_%d", dev->cc);
    describe_device(dev, driver, bytes, d);
    *out = dev;
    return true;
}

static const char *cuda_describe(const struct device *dev) {
    return dev->name;
}

static const char *const *cuda_properties(const struct device *dev) {
    return dev->properties;
}

/* ---- can it run here? ---- */

static bool uses_cluster(const struct test *t, const struct variant *v) {
    const struct placement *p = v->placement;
    if (p->nblocks > 1 && p->nclusters == 1) return true;
    for (int s = 0; s < t->nslots; s++)
        if (v->fence->slot[s] == SCOPE_CLUSTER) return true;
    return false;
}

static bool no_cluster_op(const struct stmt *s, void *ctx) {
    (void)ctx;
    return s->kind != STMT_OP ||
           (s->op.scope != SCOPE_CLUSTER && !(s->op.kind == OP_BARRIER && s->op.barrier == BARRIER_CLUSTER));
}

/* __syncthreads() and the like must be passed equally often by all that share the place. */
static const char *uneven_barriers(const struct test *t, const struct placement *p) {
    for (int i = 0; i < t->nthreads; i++) {
        for (int kind = BARRIER_WARP; kind <= BARRIER_CLUSTER; kind++) {
            int n = gen_barriers(t->threads[i].body, (enum barrier_kind)kind);
            if (n < 0) return "an execution barrier is passed on some paths only";
            for (int j = 0; j < i; j++) {
                const struct seat *a = &p->seats[i], *b = &p->seats[j];
                bool together = kind == BARRIER_WARP  ? a->warp == b->warp
                                : kind == BARRIER_CTA ? a->block == b->block
                                                      : a->cluster == b->cluster;
                if (together && n != gen_barriers(t->threads[j].body, (enum barrier_kind)kind))
                    return "threads that share a barrier do not pass it equally often";
            }
        }
    }
    return NULL;
}

static bool plain_barrier(const struct stmt *s, void *ctx) {
    (void)ctx;
    return s->kind != STMT_OP || s->op.kind != OP_BARRIER ||
           (s->op.barrier_threads == 0 && !s->op.arrive_only);
}

static const char *cuda_cannot(const struct device *dev, const struct test *t, const struct variant *v,
                               struct arena *a) {
    const struct placement *p = v->placement;
    bool cluster = uses_cluster(t, v);
    if (p->nhost > 0) return "a CPU thread beside the GPU's is not supported by this backend";
    if (p->ngpus > 1) return arena_printf(a, "needs %d GPUs; this backend runs on one", p->ngpus);
    for (int l = 0; l < t->nlocs; l++)
        if (t->locs[l].gpu > 0)
            return arena_printf(a, "'%s' lies on GPU %d", t->locs[l].name, t->locs[l].gpu);
    for (int b = 0; b < t->nbodies; b++) {
        cluster = cluster || !stmt_walk(t->bodies[b].first, no_cluster_op, NULL);
        if (!stmt_walk(t->bodies[b].first, plain_barrier, NULL))
            return "a barrier with a thread count, or bar.arrive, is judged by the model only";
    }
    if (cluster && dev->cc < 90)
        return arena_printf(a, "clusters need compute capability 9.0; this device has %d.%d", dev->cc / 10,
                            dev->cc % 10);
    if (p->nblocks > 1 && p->nclusters == 1 && p->nblocks > 8)
        return arena_printf(a, "a cluster of %d blocks; 8 are portable", p->nblocks);
    if (p->nblocks > dev->sms)
        return arena_printf(a, "needs %d multiprocessors at once; this device has %d", p->nblocks, dev->sms);
    if (gen_shape(t).barriers) return uneven_barriers(t, p);
    return NULL;
}

/* ---- a kernel ---- */

static void count_seats(struct kernel *k) {
    const struct placement *p = k->v->placement;
    int n = k->t->nthreads;
    for (int i = 0; i < n; i++) {
        int lanes = 0, warps = 0;
        for (int j = 0; j < n; j++) {
            lanes += p->seats[j].warp == p->seats[i].warp;
            bool first = true;
            for (int m = 0; m < j; m++)
                first = first && p->seats[m].warp != p->seats[j].warp;
            warps += p->seats[j].block == p->seats[i].block && first;
        }
        if (lanes > k->lanes) k->lanes = lanes;
        if (warps > k->warps) k->warps = warps;
    }
}

static void cuda_discard(struct kernel *k) {
    if (k->module) k->dev->cu->cuModuleUnload(k->module);
    free(k);
}

static bool load_module(struct kernel *k, const void *cubin, struct diag *d) {
    const struct cuda_api *cu = k->dev->cu;
    int threads = 0;
    if (!CUDA_TRY(cu, d, cuCtxSetCurrent(k->dev->context)) ||
        !CUDA_TRY(cu, d, cuModuleLoadData(&k->module, cubin)) ||
        !CUDA_TRY(cu, d, cuModuleGetFunction(&k->function, k->module, "litmus")) ||
        !CUDA_TRY(cu, d, cuFuncGetAttribute(&threads, CU_FUNC_MAX_THREADS, k->function)))
        return false;
    k->limits.max_threads = threads / k->limits.threads_multiple * k->limits.threads_multiple;
    if (k->limits.max_threads > 0) return true;
    diag_fail(d, "%s: a block of %d threads does not fit the registers", k->t->name,
              k->limits.threads_multiple);
    return false;
}

static bool cuda_build(struct device *dev, const struct test *t, const struct variant *v, struct kernel **out,
                       struct diag *d) {
    struct kernel *k = calloc(1, sizeof *k);
    struct text unit = {0};
    void *cubin = NULL;
    size_t size = 0;
    *k = (struct kernel){.dev = dev, .t = t, .v = v, .shape = gen_shape(t)};
    k->dedicated = k->shape.waits || k->shape.barriers || t->nthreads > 8;
    k->cluster = v->placement->nblocks > 1 && v->placement->nclusters == 1 ? v->placement->nblocks : 0;
    count_seats(k);
    int unit_threads = 32 * k->warps;
    if (!k->dedicated) /* the permutations want a power of two */
        for (unit_threads = 32; unit_threads < 32 * k->warps;)
            unit_threads *= 2;
    k->limits = (struct setting_limits){.sms = dev->sms,
                                        .threads_multiple = unit_threads,
                                        .test_blocks = v->placement->nblocks,
                                        .locations = t->nlocs < 8 ? t->nlocs : 8,
                                        .pow2 = !k->dedicated};
    gen_unit(t, v, DIALECT_CUDA, &unit);
    bool ok = nvrtc_cubin(unit.s, t->name, dev->arch, &cubin, &size, d) && load_module(k, cubin, d);
    free(cubin);
    text_free(&unit);
    if (ok)
        *out = k;
    else
        cuda_discard(k);
    return ok;
}

const struct backend backend_cuda = {
    .name = "cuda",
    .open = cuda_open,
    .describe = cuda_describe,
    .properties = cuda_properties,
    .cannot = cuda_cannot,
    .build = cuda_build,
    .run = cuda_run,
    .discard = cuda_discard,
    .close = cuda_close,
    .ranges = setting_ranges,
};
