/* culitmus: what the host tells a kernel. The host includes it, and it stands before every generated CUDA unit.
 *
 * In a round, every thread runs its part of the instances in one set of locations. Meanwhile the outcomes in the other
 * set, from the round before, are counted, and its locations get their initial values again. A grid barrier ends the
 * round. Addresses are device addresses; sizes are in elements unless it says otherwise. */
#ifndef CULITMUS_LAUNCH_H
#define CULITMUS_LAUNCH_H

enum {
    SLOTS = 256,             /* outcomes that a block can hold in its table, a power of two */
    BIG_SLOTS = 8192,        /* outcomes that a launch can hold, a power of two */
    WIDE_SLOTS = 1024,       /* outcomes whose values do not fit into one key */
    MAX_OBS = 64,            /* values of an outcome */
    MAX_FLOOD = 8,           /* reads under way, which take a register each */
    MAX_FLOOD_DEDICATED = 2, /* where every thread plays one role, and registers are few */
    MAX_KEPT = 12,           /* places that a thread keeps, which take a register each */
    MAX_SHUFFLED = 8,        /* threads of a test of which each thread plays every role */
    NEAR_WORDS = 64,         /* of a line that lies as a whole in a half of the chip */
    MAX_SM = 1024,
    SCRATCH_WORDS = 1 << 20,
    MAX_GPUS = 8,
    MAX_HOST_THREADS = 8,
};

/* The kernel writes this, and the host reads it after each launch. It is zero before the launch, except for `wide`. */
struct results {
    unsigned arrived;              /* blocks at the grid barrier, ever growing */
    unsigned released;             /* with several GPUs: the arrivals that all of them have seen */
    unsigned gpus_arrived;         /* the first GPU's: GPUs at the barrier */
    unsigned stop;                 /* the first GPU's: 1 + the round after which the launch ends; 0: none */
    unsigned stuck, out_of_bounds; /* instances */
    unsigned lost;                 /* outcomes that found no slot */
    unsigned misplaced;            /* pairs of blocks on one multiprocessor that should not be, or the reverse */
    unsigned rounds;               /* rounds that were completed */
    unsigned wide_lock;
    unsigned wide_used;            /* more than WIDE_SLOTS: the others are lost */
    unsigned sm_blocks[MAX_SM];    /* blocks on each multiprocessor */
    unsigned long long keys[BIG_SLOTS], counts[BIG_SLOTS]; /* packed outcomes, 0 where unused */
    unsigned long long wide_counts[WIDE_SLOTS];
    int wide[WIDE_SLOTS * MAX_OBS]; /* [WIDE_SLOTS][NOBS] */
};

/* Where the GPU and the CPU threads meet after each round, in the host's memory. Each side writes only its own line,
 * since GPUs have no atomics on this memory. Meetings are numbered from 1; HOST_LEAVE in the GPU's number says that it
 * was the last. */
struct host_meeting {
    struct {
        unsigned number, pad[31];
    } gpu, cpu;
};
#define HOST_LEAVE 0x80000000u

/* Where a thread of the test sits. Each number counts from 0 within the part that holds it: a warp within its block. */
struct launch_seat {
    int host;                  /* on the CPU */
    int gpu, block, warp, lane;
    int barriers;              /* of a block that it passes */
};

struct launch_args {
    int *global[MAX_GPUS];     /* [2 x batch] chunks in each GPU's memory */
    int *host;                 /* [2 x batch] chunks in the host's memory */
    int *values[MAX_GPUS];     /* [2 x batch][NOBS + 1][instances]: registers and flags on their way to be counted */
    struct host_meeting *meeting; /* with CPU threads: see above */
    int *host_values;          /* [2][instances][NOBS]: the CPU threads' registers */
    unsigned char *host_faults; /* [2][instances]: 1 a wait ran out, 2 an index was out of bounds */
    struct results *results, *first; /* this GPU's, and the first GPU's */
    unsigned *sm_of;           /* [blocks] */
    const struct launch_seat *spots;  /* [NTHREADS] */
    unsigned long long seed;
    long long wait;            /* clock cycles after which a wait gives up */
    int gpu;                   /* which of the GPUs this is, from 0 */
    int blocks, warps, lanes;  /* of the placement: at most on a GPU, in a block, in a warp */
    int one_sm;                /* the blocks of an instance share a multiprocessor; else they do not */
    int align_gpu, align_block, align_warp; /* see step_role */
    int rounds;
    int batch;                 /* instances that a thread plays in a round, of each role */
    int homes;                 /* blocks that are a home; the others read and write `scratch` meanwhile */
    int per_block;             /* instances of one batch whose home is one block */
    int instances;             /* homes x per_block */
    int pow2;                  /* per_block is a power of two: log2 of it, else -1 */
    int stride;                /* words between the elements of one location */
    int interleave;            /* 1: an instance's locations lie together; 0: each location has a region */
    int pad;                   /* words between the regions of two locations (not when interleaved) */
    int spread;                /* location n lies at a permuted place: p * (1 + 2 spread n) */
    int skew;                  /* location n lies in the region of the block n * skew further: see set_skew */
    unsigned per_home;         /* 2^32 / homes, rounded up */
    int distance;              /* from a block to the partner that plays its instances' next block; with one_sm the
                                * number of multiprocessors, for then the partner is on the same one */
    int mix;                   /* lane permutation between the roles of different warps (xor) */
    int order;                 /* of a thread's roles: 0 first to last, 1 last to first, 2 an instance's at once */
    int warm;                  /* bit n: location n is read before a role, so that its old value may be cached */
    int pace;                  /* clock cycles between the starts of two instances, for a CPU that plays them in turn */
    int linger;                /* clock cycles that a thread waits behind a trigger */
    int crew;                  /* instances that the same CPU threads play, one after the other: a power of two */
    int flood;                 /* reads (negative: writes) of other memory that a thread has under way when it begins a role */
    int alone;                 /* the threads of an instance are in one block, which ends its rounds without the others */
    int zero;                  /* 0, which no compiler can know */
    int *scratch;              /* [2 x SCRATCH_WORDS] */
    int kernel;                /* where a test has several: which of them this launch is; KERNELS: it settles */
    int round;                 /* the round that this launch is of */
    unsigned long long kernel_blocks; /* bit n: the kernel has the team's block n */
    int cold;                  /* 1 + the element of a GPU's memory that lies on many pages; 0: none does */
    int pages;                 /* how many, as a power of two */
    int page_words;            /* from one of them to the next: more than all chunks have */
    const unsigned *rank;      /* [MAX_SM]: blocks are numbered by it; NULL: by the multiprocessors' numbers */
    int offset[MAX_SHUFFLED];  /* how many partners role k's block is away from its instance's home */
    int role_at[MAX_SHUFFLED]; /* which role is where role k would be if each block of an instance were as many partners
                                * away as its number says; every role, once */
    const int *lines;          /* [elements][near_lines]: where in a chunk each line of an element lies; NULL: see place */
    int near_lines;
};

#ifdef __CUDACC_RTC__
#define LAUNCH_INLINE __device__ __forceinline__
#elif defined __CUDACC__
#define LAUNCH_INLINE __host__ __device__ __forceinline__
#else
#define LAUNCH_INLINE static inline
#endif

/* The number of words of a chunk, in a space with `elements` an instance. A chunk holds a set's instances of one
 * batch. */
LAUNCH_INLINE int chunk_words(const struct launch_args *e, int instances, int elements)
{
    return (instances * e->stride + (e->interleave ? 0 : e->pad)) * elements;
}

/* The word offset, in its chunk, of a location of instance i: of the first of its `count` elements. `first` elements of
 * the instance come before it. Different elements of different instances never share a word. */
LAUNCH_INLINE int place(const struct launch_args *e, int i, int instances, int first, int count, int elements)
{
    if (e->interleave) return (i * elements + first) * e->stride;
    return (first * instances + i * count) * e->stride + first * e->pad;
}

/* The same for a cold element: neighbouring instances have it on different pages, so that a warp needs many translations of
 * addresses for it. The pages are behind all chunks, and each chunk has its part of them. */
LAUNCH_INLINE int cold_place(const struct launch_args *e, int i)
{
    return ((i & ((1 << e->pages) - 1)) + 1) * e->page_words + (i >> e->pages) * e->stride;
}

/* The same for an element whose lines are chosen one by one: the stride divides them. */
LAUNCH_INLINE int line_place(const struct launch_args *e, int i, int element)
{
    int word = i * e->stride;
    return e->lines[element * e->near_lines + word / NEAR_WORDS] + word % NEAR_WORDS;
}

enum { MAX_SKEWED_HOMES = 1 << 13, SKEWED_ELEMENTS = 16 };

/* Once `homes` is known. */
LAUNCH_INLINE void set_skew(struct launch_args *e, int skew)
{
    e->skew = e->homes <= MAX_SKEWED_HOMES ? skew % e->homes : 0;
    e->per_home = 0xffffffffu / (unsigned)e->homes + 1;
}

/* The place of instance i among the others, for the location that begins at element `first`. It is a permutation of 0
 * .. instances - 1, so the neighbours of an instance may differ from location to location. */
LAUNCH_INLINE int permuted(const struct launch_args *e, int i, int first)
{
    if (e->pow2 < 0 || first == 0) return i;
    int mask = (1 << e->pow2) - 1, h = i >> e->pow2, p = i & mask;
    p = (p * (1 + 2 * e->spread * first)) & mask;
    h += e->skew * (first % SKEWED_ELEMENTS);
    /* h modulo homes, without a division: exact while homes * homes * SKEWED_ELEMENTS < 2^32 */
    h -= (int)((unsigned long long)(unsigned)h * e->per_home >> 32) * e->homes;
    return h << e->pow2 | p;
}

/* Where every thread runs one role, a team of `blocks` blocks runs the same instances. The blocks of a team are
 * neighbours (`apart` is 1), or `apart` blocks away from each other. These give the team of block vb, the block's
 * number in its team, and the way back: */
LAUNCH_INLINE int team_of(int vb, int blocks, int apart)
{
    return vb / apart / blocks * apart + vb % apart;
}

LAUNCH_INLINE int member_of(int vb, int blocks, int apart)
{
    return vb / apart % blocks;
}

LAUNCH_INLINE int block_of(int team, int member, int blocks, int apart)
{
    return (team / apart * blocks + member) * apart + team % apart;
}

/* A packed outcome is kept xor this mask, so that an unused slot is 0. The one outcome that would become 0 (two values
 * that are the largest int) is counted as one that does not pack. */
#define KEY_MASK 0x7fffffff7fffffffull
#endif
