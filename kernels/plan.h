/* culitmus: the arithmetic between an environment and a launch, for the host: how many instances there are, and where
 * they lie. A program of its own has it too (cuda_main.cuh). `struct cuda_environment` and launch.h stand before it. */
#ifndef CULITMUS_PLAN_H
#define CULITMUS_PLAN_H

#include <limits.h>
#include <string.h>

enum {
    WAIT_CYCLES = 400 * 1000 * 1000, /* about 0.2 s: hundreds of threads may wait for one lock */
    MAX_BYTES = 1 << 30,             /* of all locations in one memory space; a large test takes more */
    MAX_HOST_BYTES = 64 << 20,       /* and of those in the host's memory, which takes long to pin */
    HARNESS_SHARED = 4608,           /* bytes of a block's shared memory that the harness has for itself */
};

/* What a kernel is, and what its device has. */
struct plan_facts {
    int dedicated;    /* every thread plays one role */
    int one_instance; /* a block plays one, once a launch */
    int one_sm;       /* the blocks of an instance share a multiprocessor */
    int cluster;      /* blocks of a cluster, 0: no clusters */
    int host;         /* CPU threads play, too */
    int blocks, warps, lanes;                /* as in struct launch_args */
    int align_gpu, align_block, align_warp;
    int threads_multiple;                    /* threads a block are a multiple of this */
    int words;                               /* that an element takes */
    int shared_elements, global_elements, host_elements; /* of an instance */
    int sms, max_shared;                     /* bytes of shared memory a block */
};

static inline int plan_round_up(int n, int unit)
{
    return (n + unit - 1) / unit * unit;
}

/* Elements of several words are aligned, and lie beside each other at the closest. */
static inline void plan_space_out(const struct plan_facts *f, const struct cuda_environment *set, struct launch_args *e)
{
    e->stride = plan_round_up(set->stride, f->words);
    e->pad = plan_round_up(set->pad, f->words);
}

/* The size of all chunks of a space with `elements` an instance. Like chunk_words, but in a type that holds sizes that
 * do not fit an int. */
static inline size_t plan_bytes(const struct launch_args *e, int instances, int elements)
{
    size_t pad = e->interleave ? 0 : (size_t)e->pad;
    size_t words = ((size_t)instances * (size_t)e->stride + pad) * (size_t)elements;
    return 2 * (size_t)e->batch * words * sizeof(int);
}

/* Halves the threads a block. 0: it has as few as it can. */
static inline int plan_fewer_threads(const struct plan_facts *f, struct cuda_environment *set)
{
    int unit = f->threads_multiple, threads = set->threads / 2 / unit * unit;
    if (threads > 0) set->threads = threads;
    return threads > 0;
}

/* Halves the blocks a multiprocessor. 0: they are as few as they can be. */
static inline int plan_fewer_blocks(const struct plan_facts *f, struct cuda_environment *set)
{
    int unit = f->one_sm ? f->blocks : 1, blocks = set->blocks / 2 / unit * unit;
    if (blocks > 0) set->blocks = blocks;
    return blocks > 0;
}

static inline int plan_per_block(const struct plan_facts *f, const struct cuda_environment *set)
{
    if (f->one_instance) return 1;
    return f->dedicated ? set->threads / 32 / f->warps * (32 / f->lanes) : set->threads;
}

/* Packs a block's instances closer until they fit its shared memory; if that is not enough, makes them fewer. *bytes:
 * what they take. 0: not even the fewest fit. */
static inline int plan_fit_shared(const struct plan_facts *f, struct cuda_environment *set, struct launch_args *e,
                                  size_t *bytes)
{
    if (f->one_instance) set->batch = 1;
    for (;;) {
        memset(e, 0, sizeof *e);
        e->batch = set->batch;
        e->interleave = set->interleave;
        plan_space_out(f, set, e);
        *bytes = plan_bytes(e, plan_per_block(f, set), f->shared_elements);
        if (*bytes + HARNESS_SHARED <= (size_t)f->max_shared) return 1;
        if (set->pad) {
            set->pad = 0;
        } else if (set->batch > 1) {
            set->batch /= 2;
        } else if (set->stride > 1) {
            set->stride /= 2;
        } else if (!plan_fewer_threads(f, set)) {
            return 0;
        }
    }
}

/* The blocks that are homes, of those that run at once. */
static inline int plan_homes(const struct plan_facts *f, struct cuda_environment *set, int grid)
{
    if (f->host || f->dedicated || f->cluster || f->one_sm || set->stress >= set->blocks) set->stress = 0;
    return f->dedicated ? grid / f->blocks : grid - f->sms * set->stress;
}

static inline int plan_has_room(const struct plan_facts *f, const struct launch_args *e)
{
    return plan_bytes(e, e->instances, f->global_elements) <= MAX_BYTES &&
           plan_bytes(e, e->instances, f->host_elements) <= MAX_HOST_BYTES;
}

/* Packs instances closer while a memory space is too large. Clusters run as many as there is room for, whatever the
 * environment wants; if that is too large, fewer of them run instances. */
static inline void plan_fit_memory(const struct plan_facts *f, struct cuda_environment *set, struct launch_args *e,
                                   int homes, int per_block)
{
    e->homes = homes;
    e->per_block = per_block;
    e->instances = homes * per_block;
    e->batch = set->batch;
    plan_space_out(f, set, e);
    while (!plan_has_room(f, e)) {
        if (set->stride > 1)
            set->stride /= 2;
        else if (e->batch > 1)
            e->batch = set->batch /= 2;
        else if (set->pad > 0)
            set->pad = 0;
        else if (f->cluster && e->homes >= 2 * f->cluster)
            e->homes = e->homes / 2 / f->cluster * f->cluster;
        else
            break;
        plan_space_out(f, set, e);
        e->instances = e->homes * e->per_block;
    }
}

/* Where even that is too large: fewer threads or blocks. 0: there is room, or none to be made. */
static inline int plan_is_too_large(const struct plan_facts *f, struct cuda_environment *set,
                                    const struct launch_args *e)
{
    return !plan_has_room(f, e) && (plan_fewer_threads(f, set) || plan_fewer_blocks(f, set));
}

/* The kernel computes places within a chunk as int, and what it permutes on the way there: neither may be larger. 0: a
 * place would be. */
static inline int plan_fit_places(const struct plan_facts *f, struct cuda_environment *set, const struct launch_args *e)
{
    int most = f->global_elements > f->host_elements ? f->global_elements : f->host_elements;
    while (e->per_block * (1 + 2LL * set->spread * most) > INT_MAX)
        set->spread /= 2;
    return plan_bytes(e, e->instances, most) / 2 / (size_t)e->batch / sizeof(int) <= INT_MAX;
}

static inline int plan_log2(int n)
{
    int bits = 0;
    while (1 << bits < n)
        bits++;
    return 1 << bits == n ? bits : -1;
}

/* What of a launch follows from the kernel and the environment, once it fits. */
static inline void plan_fill(const struct plan_facts *f, const struct cuda_environment *set, unsigned long long seed,
                             struct launch_args *e)
{
    e->blocks = f->blocks;
    e->warps = f->warps;
    e->lanes = f->lanes;
    e->one_sm = f->one_sm;
    e->align_gpu = f->align_gpu;
    e->align_block = f->align_block;
    e->align_warp = f->align_warp;
    e->seed = seed;
    e->wait = WAIT_CYCLES;
    e->pow2 = plan_log2(e->per_block);
    e->spread = set->spread;
    set_skew(e, set->skew);
    e->distance = set->distance;
    e->mix = set->mix;
    e->order = set->order;
    e->pace = set->pace;
    e->linger = set->linger;
    e->warm = set->warm;
    e->flood = set->flood;
    e->alone = set->alone;
}

/* The roles of a thread that plays all of them, where nothing is known of the chip. */
static inline void plan_roles(const struct launch_seat *seats, int nthreads, struct launch_args *e)
{
    for (int r = 0; r < nthreads && r < MAX_SHUFFLED; r++) {
        e->offset[r] = seats[r].block;
        e->role_at[r] = r;
    }
}

/* The values of an outcome, from its key. */
static inline void plan_unpack(unsigned long long key, int nwords, int *words)
{
    int bits = nwords == 1 ? 32 : 64 / nwords;
    for (int o = 0; o < nwords; o++) {
        unsigned v = (unsigned)(key >> o * bits % 64);
        words[o] = bits >= 32 ? (int)v : (int)(v << (32 - bits)) >> (32 - bits);
    }
}
#endif
