/* From an environment to a launch: how many blocks and instances, and where they lie. */
#include <limits.h>

#include "cuda/cuda_afar.h"
#include "cuda/cuda_halves.h"

enum {
    WAIT_CYCLES = 400 * 1000 * 1000, /* about 0.2 s: hundreds of threads may wait for one lock */
    MAX_BYTES = 1 << 30,             /* of all locations in one memory space; a large test takes more */
    MAX_HOST_BYTES = 64 << 20,       /* and of those in the host's memory, which takes long to pin */
    MAX_HOST_INSTANCES = 8192,       /* of a round with CPU threads */
    HARNESS_SHARED = 4608,           /* bytes of a block's shared memory that the harness has for itself */
};

static int power_of_2_within(int n) {
    int power = 1;
    while (power * 2 <= n)
        power *= 2;
    return power;
}

/* Suits an environment to CPU threads: they walk through one batch of at most a few thousand instances (a power of
 * two), in the order of memory. */
static void suit_host(const struct cuda_kernel *k, struct cuda_environment *set, int *homes, int *per_block) {
    *per_block = power_of_2_within(*per_block);
    *homes = power_of_2_within(*homes);
    while (*homes > 1 && *homes * *per_block > MAX_HOST_INSTANCES)
        *homes /= 2;
    set->batch = 1;
    set->spread = set->skew = 0;
    if (k->shape.arrays) set->stride = 1;
}

static int round_up(int n, int unit) {
    return (n + unit - 1) / unit * unit;
}

/* Elements of several words are aligned, and lie beside each other at the closest. */
static void space_out(const struct cuda_kernel *k, const struct cuda_environment *set,
                      struct launch_args *e) {
    e->stride = round_up(set->stride, k->shape.words);
    e->pad = round_up(set->pad, k->shape.words);
}

/* The size of all chunks of a space with `elements` an instance. Like chunk_words, but in a type that holds sizes that
 * do not fit an int. */
static size_t space_bytes(const struct launch_args *e, int instances, int elements) {
    size_t pad = e->interleave ? 0 : (size_t)e->pad;
    size_t words = ((size_t)instances * (size_t)e->stride + pad) * (size_t)elements;
    return 2 * (size_t)e->batch * words * sizeof(int);
}

/* Halves the threads a block. False when it has as few as it can. */
static bool fewer_threads(const struct cuda_kernel *k, struct cuda_environment *set) {
    int unit = k->limits.threads_multiple, threads = set->threads / 2 / unit * unit;
    if (threads > 0) set->threads = threads;
    return threads > 0;
}

/* Halves the blocks a multiprocessor. False when they are as few as they can be. */
static bool fewer_blocks(const struct cuda_kernel *k, struct cuda_environment *set) {
    int unit = k->one_sm ? k->blocks : 1, blocks = set->blocks / 2 / unit * unit;
    if (blocks > 0) set->blocks = blocks;
    return blocks > 0;
}

static int instances_a_block(const struct cuda_kernel *k, const struct cuda_environment *set) {
    if (k->one_instance) return 1;
    return k->dedicated ? set->threads / 32 / k->warps * (32 / k->lanes) : set->threads;
}

/* Packs a block's instances closer until they fit its shared memory; if that is not enough, makes them fewer. False and
 * an error when not even the fewest fit. */
static bool fit_shared(const struct cuda_kernel *k, struct cuda_environment *set, struct launch_plan *p,
                       struct diag *d) {
    struct launch_args *e = &p->env[0];
    for (;;) {
        *e = (struct launch_args){.batch = set->batch, .interleave = set->interleave};
        space_out(k, set, e);
        size_t bytes = space_bytes(e, instances_a_block(k, set), k->shape.shared_elements);
        p->shared = (unsigned)bytes;
        if (bytes + HARNESS_SHARED <= (size_t)k->dev->max_shared) return true;
        if (set->pad) {
            set->pad = 0;
        } else if (set->batch > 1) {
            set->batch /= 2;
        } else if (set->stride > 1) {
            set->stride /= 2;
        } else if (!fewer_threads(k, set)) {
            diag_fail(d, "%s: %zu bytes of shared memory a block do not fit", k->t->name, bytes);
            return false;
        }
    }
}

/* Counts the blocks that run at once, at most as many as the environment wants. */
static bool count_blocks(const struct cuda_kernel *k, struct cuda_environment *set,
                         const struct launch_plan *p, int *grid, struct diag *d) {
    const struct cuda_api *cu = k->dev->cu;
    cu_function f = k->function[0];
    int resident = 0, clusters = 0;
    for (int i = 0; i < k->gpus; i++)
        if (!CUDA_TRY(cu, d, cuFuncSetAttribute(k->function[i], CU_FUNC_MAX_DYNAMIC_SHARED, (int)p->shared)))
            return false;
    if (!CUDA_TRY(cu, d, cuOccupancy(&resident, f, set->threads, p->shared))) return false;
    if (set->blocks > resident) set->blocks = resident;
    if (k->one_sm) set->blocks -= set->blocks % k->blocks;
    *grid = k->dev->traits.sms * set->blocks;
    if (!k->cluster) return true;
    struct cu_launch_attribute at = {.id = CU_LAUNCH_CLUSTER, .value.cluster = {(unsigned)k->cluster, 1, 1}};
    struct cu_launch_config config = {
        {(unsigned)k->cluster, 1, 1}, {p->threads, 1, 1}, p->shared, k->dev->gpu[0].slot[0].stream, &at, 1};
    if (!CUDA_TRY(cu, d, cuOccupancyClusters(&clusters, f, &config))) return false;
    *grid = clusters * k->cluster;
    return true;
}

/* The bytes of the larger memory space. */
static size_t most_bytes(const struct cuda_kernel *k, const struct launch_args *e) {
    const struct shape *sh = &k->shape;
    return space_bytes(e, e->instances,
                       sh->global_elements > sh->host_elements ? sh->global_elements : sh->host_elements);
}

static bool has_room(const struct cuda_kernel *k, const struct launch_args *e) {
    return space_bytes(e, e->instances, k->shape.global_elements) <= MAX_BYTES &&
           space_bytes(e, e->instances, k->shape.host_elements) <= MAX_HOST_BYTES;
}

/* Packs instances closer while a memory space is too large. Clusters run as many as there is room for, whatever the
 * environment wants; if that is too large, fewer of them run instances. */
static void fit_memory(const struct cuda_kernel *k, struct cuda_environment *set, struct launch_args *e) {
    e->batch = set->batch;
    space_out(k, set, e);
    while (!has_room(k, e)) {
        if (set->stride > 1)
            set->stride /= 2;
        else if (e->batch > 1)
            e->batch = set->batch /= 2;
        else if (set->pad > 0)
            set->pad = 0;
        else if (k->cluster && e->homes >= 2 * k->cluster)
            e->homes = e->homes / 2 / k->cluster * k->cluster;
        else
            break;
        space_out(k, set, e);
        e->instances = e->homes * e->per_block;
    }
}

/* Fills in blocks and instances; false when not one instance fits. */
static bool fit_once(const struct cuda_kernel *k, struct cuda_environment *set, struct launch_plan *p,
                     struct diag *d) {
    struct launch_args *e = &p->env[0];
    int grid = 0;
    if (k->one_instance) set->batch = 1;
    if (!fit_shared(k, set, p, d)) return false;
    int per_block = instances_a_block(k, set);
    p->threads = (unsigned)set->threads;
    if (!count_blocks(k, set, p, &grid, d)) return false;
    if (k->host || k->dedicated || k->cluster || k->one_sm || set->stress >= set->blocks) set->stress = 0;
    int homes = k->dedicated ? grid / k->blocks : grid - k->dev->traits.sms * set->stress;
    if (homes < 1) {
        diag_fail(d, "%s: %d blocks of %d threads do not run at once on %s", k->t->name, k->blocks,
                  set->threads, k->one_sm ? "one multiprocessor" : "this device");
        return false;
    }
    p->grid = (unsigned)grid;
    if (k->host) suit_host(k, set, &homes, &per_block);
    e->homes = homes;
    e->per_block = per_block;
    e->instances = homes * per_block;
    fit_memory(k, set, e);
    return true;
}

/* Fits an environment, with fewer threads and blocks if a test has much memory. The kernel computes places within a
 * chunk as int, and what it permutes on the way there: neither may be larger. */
static bool fit(const struct cuda_kernel *k, struct cuda_environment *set, struct launch_plan *p,
                struct diag *d) {
    struct launch_args *e = &p->env[0];
    do
        if (!fit_once(k, set, p, d)) return false;
    while (!has_room(k, e) && (fewer_threads(k, set) || fewer_blocks(k, set)));
    while (e->per_block * (1 + 2LL * set->spread * k->shape.global_elements) > INT_MAX ||
           e->per_block * (1 + 2LL * set->spread * k->shape.host_elements) > INT_MAX)
        set->spread /= 2;
    if (most_bytes(k, e) / 2 / (size_t)e->batch / sizeof(int) <= INT_MAX) return true;
    diag_fail(d, "%s: its locations are too large to be there for all threads of this device", k->t->name);
    return false;
}

static int log2_exact(int n) {
    int bits = 0;
    while (1 << bits < n)
        bits++;
    return 1 << bits == n ? bits : -1;
}

/* Lays out the pages of a cold element: as many as there is room for in a part of the memory. With few, none is cold. */
static void lay_out_pages(const struct cuda_kernel *k, struct cuda_environment *set, struct launch_args *e) {
    enum { PAGE_WORDS = 1 << 19, FEWEST = 4, PART = 16 };
    size_t words = space_bytes(e, e->instances, k->shape.global_elements) / sizeof(int);
    size_t page = (words + PAGE_WORDS) / PAGE_WORDS * PAGE_WORDS, most = k->dev->memory / PART / sizeof(int);
    if (set->cold <= 0) return;
    if (set->afar > 0) most = (size_t)afar_words(k->dev);
    if (most > INT_MAX) most = INT_MAX;
    while (set->pages >= FEWEST && (((size_t)1 << set->pages) + 1) * page > most)
        set->pages--;
    if (k->cold[set->cold - 1] < 0 || set->pages < FEWEST) {
        set->cold = set->pages = 0;
        return;
    }
    e->cold = k->cold[set->cold - 1] + 1;
    e->pages = set->pages;
    e->page_words = (int)page;
}

static size_t global_bytes(const struct cuda_kernel *k, const struct launch_args *e) {
    size_t bytes = space_bytes(e, e->instances, k->shape.global_elements);
    if (e->cold) bytes = (((size_t)1 << e->pages) + 1) * (size_t)e->page_words * sizeof(int);
    return e->near_lines ? 0 : bytes; /* near and far locations have memory of their own */
}

#define ON_DEVICE(type, p) ((type *)(uintptr_t)(p))

/* What all GPUs share. */
static void fill_common(const struct cuda_kernel *k, const struct cuda_environment *set, uint64_t seed,
                        cu_pointer host, struct launch_args *e) {
    const struct cuda_device *dev = k->dev;
    for (int i = 0; i < k->gpus; i++) {
        e->global[i] = ON_DEVICE(int, dev->gpu[i].global);
        e->values[i] = ON_DEVICE(int, dev->gpu[i].values);
    }
    e->host = ON_DEVICE(int, host);
    e->blocks = k->blocks;
    e->warps = k->warps;
    e->lanes = k->lanes;
    e->one_sm = k->one_sm;
    e->align_gpu = k->align_gpu;
    e->align_block = k->align_block;
    e->align_warp = k->align_warp;
    e->seed = seed;
    e->wait = WAIT_CYCLES;
    e->pow2 = log2_exact(e->per_block);
    e->spread = set->spread;
    set_skew(e, set->skew);
    e->distance = set->distance;
    if (set->cold >= 0 && set->pure) {
        e->align_block = k->align_pure;
        e->align_warp = 0;
    }
    e->mix = set->mix;
    e->order = set->order;
    e->pace = set->pace;
    e->linger = set->linger;
    e->warm = set->warm;
    e->flood = set->flood;
    e->alone = set->alone;
}

static void fill_own(const struct gpu *g, int number, struct launch_args *e) {
    e->gpu = number;
    e->seed += (unsigned long long)number;
    e->sm_of = ON_DEVICE(unsigned, g->sm_of);
    e->spots = ON_DEVICE(struct launch_seat, g->spots);
    e->scratch = ON_DEVICE(int, g->scratch);
}

/* Makes room in the host's memory, and finds its address on the device. */
static bool pin(struct cuda_device *dev, struct pinned *p, size_t bytes, cu_pointer *address,
                struct diag *d) {
    if (bytes == 0) return true;
    return gpu_reserve_pinned(dev, p, bytes, d) &&
           CUDA_TRY(dev->cu, d, cuMemHostGetDevicePointer(address, p->memory, 0));
}

bool plan_make(struct cuda_kernel *k, struct cuda_environment *set, uint64_t seed, struct launch_plan *p,
               struct diag *d) {
    struct cuda_device *dev = k->dev;
    struct launch_args *e = &p->env[0];
    cu_pointer host = 0;
    *p = (struct launch_plan){0};
    if (!CUDA_TRY(dev->cu, d, cuCtxSetCurrent(dev->gpu[0].context)) || !fit(k, set, p, d)) return false;
    size_t values =
        2 * (size_t)e->batch * (size_t)(observed_words(k->t) + 1) * (size_t)e->instances * sizeof(int);
    halves_make_room(k, set, e);
    afar_make_room(k, set, e);
    lay_out_pages(k, set, e);
    for (int i = 0; i < k->gpus; i++)
        if (!gpu_reserve(dev, &dev->gpu[i], global_bytes(k, e), values, d)) return false;
    if (!pin(dev, &dev->locations, space_bytes(e, e->instances, k->shape.host_elements), &host, d))
        return false;
    if (k->host) {
        cu_pointer meeting = 0;
        if (!pin(dev, &dev->meeting, host_bytes(k->host, e->instances), &meeting, d)) return false;
        host_lay_out(k->host, dev->meeting.memory, ON_DEVICE(char, meeting), e);
    }
    fill_common(k, set, seed, host, e);
    if (!halves_lay_out(k, set, e, d) || !afar_lay_out(k, set, e, d)) return false;
    for (int i = k->gpus - 1; i >= 0; i--) {
        p->env[i] = *e;
        fill_own(&dev->gpu[i], i, &p->env[i]);
    }
    return true;
}
