/* culitmus: what the host tells a kernel. Included by the host and put before every generated CUDA unit.
 *
 * A round: every thread plays its part on instances of one set of locations while the outcomes of the other set,
 * played in the round before, are counted and its locations get their initial values back. A grid barrier ends
 * the round. Addresses are device addresses; sizes are in elements unless said otherwise. */
#ifndef CULITMUS_ENVIRONMENT_H
#define CULITMUS_ENVIRONMENT_H

enum {
    SLOTS = 256,     /* outcomes that a block can hold in its table, a power of two */
    BIG_SLOTS = 8192, /* outcomes that a launch can hold, a power of two */
    WIDE_SLOTS = 1024, /* outcomes whose values do not fit into one key */
    MAX_SM = 1024,
};

/* Written by the kernel, read by the host after each launch; all zero before it. */
struct control {
    unsigned arrived;              /* at the grid barrier, ever growing */
    unsigned stop;                 /* 1 + the round after which the launch ends early; 0: none */
    unsigned stuck, out_of_bounds; /* instances */
    unsigned lost;                 /* outcomes that found no slot */
    unsigned same_sm;              /* pairs of "different blocks" that share a multiprocessor */
    unsigned rounds;               /* rounds that were completed */
    unsigned wide_lock, wide_used;
    unsigned sm_blocks[MAX_SM];    /* blocks on each multiprocessor */
};

struct environment {
    int *global, *host;        /* [2][elements an instance x instances x stride] each */
    int *values;               /* [2][NOBS + 1][instances]: registers and flags on their way to be counted */
    struct control *control;
    unsigned long long *keys;  /* [BIG_SLOTS] packed outcomes, EMPTY_KEY where unused */
    unsigned long long *counts; /* [BIG_SLOTS] */
    int *wide;                 /* [WIDE_SLOTS][NOBS] */
    unsigned long long *wide_counts; /* [WIDE_SLOTS] */
    unsigned *sm_of;           /* [blocks] */
    unsigned long long seed;
    long long wait;            /* clock cycles after which a wait gives up */
    int rounds;
    int instances;             /* of a set */
    int per_block;             /* instances whose home is one block */
    int homes;                 /* blocks that are a home */
    int pow2;                  /* per_block is a power of two: log2 of it, else -1 */
    int stride;                /* words between the elements of one location */
    int interleave;            /* 1: an instance's locations lie together; 0: each location has a region */
    int spread;                /* location n lies at a permuted place: p * (1 + 2 spread n) */
    int skew;                  /* location n lies in the region of the block n * skew further */
    int distance;              /* from a block to the partner that plays its instances' next block */
    int mix;                   /* lane permutation between the roles of different warps (xor) */
    int order;                 /* which role a thread plays first: 0 first, 1 last, 2 by block, 3 by warp */
    int delay;                 /* up to so many turns of doing nothing before a role */
};

#define EMPTY_KEY 0x7fffffff7fffffffull
#endif
