/* From an environment to a launch: how many blocks and instances it has, and where they lie. */
#include "cuda/cuda_afar.h"
#include "cuda/cuda_halves.h"

enum { MAX_HOST_INSTANCES = 8192 }; /* of a round with CPU threads */

struct plan_facts plan_facts_of(const struct cuda_kernel *k) {
    return (struct plan_facts){.dedicated = k->dedicated,
                               .one_instance = k->one_instance,
                               .one_sm = k->one_sm,
                               .cluster = k->cluster,
                               .host = k->host != NULL,
                               .blocks = k->blocks,
                               .warps = k->warps,
                               .lanes = k->lanes,
                               .align_gpu = k->align_gpu,
                               .align_block = k->align_block,
                               .align_warp = k->align_warp,
                               .threads_multiple = k->limits.threads_multiple,
                               .words = k->shape.words,
                               .shared_elements = k->shape.shared_elements,
                               .global_elements = k->shape.global_elements,
                               .host_elements = k->shape.host_elements,
                               .sms = k->dev->traits.sms,
                               .max_shared = k->dev->max_shared};
}

static int power_of_2_within(int n) {
    int power = 1;
    while (power * 2 <= n)
        power *= 2;
    return power;
}

/* Suits an environment to CPU threads, which walk through one batch in the order of memory: it has at most
 * some thousand instances, a power of two. */
static void suit_host(const struct cuda_kernel *k, struct cuda_environment *set, int *homes, int *per_block) {
    *per_block = power_of_2_within(*per_block);
    *homes = power_of_2_within(*homes);
    while (*homes > 1 && *homes * *per_block > MAX_HOST_INSTANCES)
        *homes /= 2;
    set->batch = 1;
    set->spread = set->skew = 0;
    if (k->shape.arrays) set->stride = 1;
}

/* Counts the blocks that run at the same time, at most as many as the environment asks for. */
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

/* Fills in blocks and instances. Returns false when not even one instance fits. */
static bool fit_once(const struct cuda_kernel *k, const struct plan_facts *f, struct cuda_environment *set,
                     struct launch_plan *p, struct diag *d) {
    struct launch_args *e = &p->env[0];
    int grid = 0;
    size_t shared;
    if (!plan_fit_shared(f, set, e, &shared)) {
        diag_fail(d, "%s: %zu bytes of shared memory a block do not fit", k->t->name, shared);
        return false;
    }
    int per_block = plan_per_block(f, set);
    p->shared = (unsigned)shared;
    p->threads = (unsigned)set->threads;
    if (!count_blocks(k, set, p, &grid, d)) return false;
    int homes = plan_homes(f, set, grid);
    if (homes < 1) {
        diag_fail(d, "%s: %d blocks of %d threads do not run at once on %s", k->t->name, k->blocks,
                  set->threads, k->one_sm ? "one multiprocessor" : "this device");
        return false;
    }
    p->grid = (unsigned)grid;
    if (k->host) suit_host(k, set, &homes, &per_block);
    plan_fit_memory(f, set, e, homes, per_block);
    return true;
}

/* Does so with fewer threads and blocks until a test with much memory fits. */
static bool fit(const struct cuda_kernel *k, const struct plan_facts *f, struct cuda_environment *set,
                struct launch_plan *p, struct diag *d) {
    do
        if (!fit_once(k, f, set, p, d)) return false;
    while (plan_is_too_large(f, set, &p->env[0]));
    if (plan_fit_places(f, set, &p->env[0])) return true;
    diag_fail(d, "%s: its locations are too large to be there for all threads of this device", k->t->name);
    return false;
}

/* Lays out the pages of a cold element: as many as fit into a part of the GPU's memory. If these are too few,
 * no element is cold. */
static void lay_out_pages(const struct cuda_kernel *k, struct cuda_environment *set, struct launch_args *e) {
    enum { PAGE_WORDS = 1 << 19, FEWEST = 4, PART = 16 };
    size_t words = plan_bytes(e, e->instances, k->shape.global_elements) / sizeof(int);
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
    size_t bytes = plan_bytes(e, e->instances, k->shape.global_elements);
    if (e->cold) bytes = (((size_t)1 << e->pages) + 1) * (size_t)e->page_words * sizeof(int);
    return e->near_lines ? 0 : bytes; /* near and far locations have memory of their own */
}

#define ON_DEVICE(type, p) ((type *)(uintptr_t)(p))

/* Fills in what is the same for all GPUs. */
static void fill_common(const struct cuda_kernel *k, const struct plan_facts *f,
                        const struct cuda_environment *set, uint64_t seed, cu_pointer host,
                        struct launch_args *e) {
    const struct cuda_device *dev = k->dev;
    for (int i = 0; i < k->gpus; i++) {
        e->global[i] = ON_DEVICE(int, dev->gpu[i].global);
        e->values[i] = ON_DEVICE(int, dev->gpu[i].values);
    }
    e->host = ON_DEVICE(int, host);
    plan_fill(f, set, seed, e);
    if (set->cold >= 0 && set->pure) {
        e->align_block = k->align_pure;
        e->align_warp = 0;
    }
}

static void fill_own(const struct gpu *g, int number, struct launch_args *e) {
    e->gpu = number;
    e->seed += (unsigned long long)number;
    e->sm_of = ON_DEVICE(unsigned, g->sm_of);
    e->spots = ON_DEVICE(struct launch_seat, g->spots);
    e->scratch = ON_DEVICE(int, g->scratch);
}

/* Makes room in the host's memory, and returns its address on the device. */
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
    const struct plan_facts f = plan_facts_of(k);
    cu_pointer host = 0;
    *p = (struct launch_plan){0};
    if (!CUDA_TRY(dev->cu, d, cuCtxSetCurrent(dev->gpu[0].context)) || !fit(k, &f, set, p, d)) return false;
    size_t values =
        2 * (size_t)e->batch * (size_t)(observed_words(k->t) + 1) * (size_t)e->instances * sizeof(int);
    halves_make_room(k, set, e);
    afar_make_room(k, set, e);
    lay_out_pages(k, set, e);
    for (int i = 0; i < k->gpus; i++)
        if (!gpu_reserve(dev, &dev->gpu[i], global_bytes(k, e), values, d)) return false;
    if (!pin(dev, &dev->locations, plan_bytes(e, e->instances, k->shape.host_elements), &host, d))
        return false;
    if (k->host) {
        cu_pointer meeting = 0;
        if (!pin(dev, &dev->meeting, host_bytes(k->host, e->instances), &meeting, d)) return false;
        host_lay_out(k->host, dev->meeting.memory, ON_DEVICE(char, meeting), e);
    }
    fill_common(k, &f, set, seed, host, e);
    if (!halves_lay_out(k, set, e, d) || !afar_lay_out(k, set, e, d)) return false;
    for (int i = k->gpus - 1; i >= 0; i--) {
        p->env[i] = *e;
        fill_own(&dev->gpu[i], i, &p->env[i]);
    }
    return true;
}
