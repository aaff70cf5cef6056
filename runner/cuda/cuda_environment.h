/* The parameters of an environment on a GPU, and how one is chosen. */
#ifndef CULITMUS_CUDA_ENVIRONMENT_H
#define CULITMUS_CUDA_ENVIRONMENT_H

#include <stdint.h>

#include "run/environment.h"

/* A row for each parameter: name, meaning, and the values to draw from. The fields of the struct, the JSON's
 * `environment`, profiles and the random choice all follow this list. */
#define CUDA_COMMON_PARAMETERS(S)                                                                            \
    S(threads, "threads a block", 64, 128, 256, 256, 512, 512, 1024, 1024)                                   \
    S(blocks, "blocks a multiprocessor", 1, 1, 1, 2, 2, 3, 4, 8)                                             \
    S(batch, "instances that a thread plays in a round", 1, 1, 2, 4, 8, 16)                                  \
    S(stride, "words between the elements of one location", 1, 1, 1, 2, 2, 4, 4, 8, 16, 32)                  \
    S(interleave, "1: an instance's locations lie together, 0: each location has a region", 0, 0, 0, 1)      \
    S(pad, "words between the regions of two locations", 0, 0, 1, 8, 16, 32, 1056)                           \
    S(spread, "how far a location's place is permuted against the others'", 0, 0, 0, 1, 2, 8, 16, 21)        \
    S(skew, "blocks between the regions of an instance's locations", 0, 0, 1, 7, 33, 36, 82, 113)            \
    S(distance, "blocks between an instance's threads in different blocks", 1, 2, 3, 5, 11, 23, 49, 66, 67,  \
      83, 94, 101, 121, 127, 131)                                                                            \
    S(mix, "lane permutation between roles", 0, 0, 1, 5, 16, 31)                                             \
    S(order, "of a thread's roles: 0 first to last, 1 last to first, 2 an instance's at once", 0, 1, 2, 2,   \
      2, 2, 2, 2)                                                                                            \
    S(pace, "clock cycles between the starts of two instances, beside CPU threads", 0, 8, 16, 32, 48, 64,    \
      96, 160)                                                                                               \
    S(warm, "bit n: location n is read before a role, so that its old value may be cached", 0, 0, 0, 1, 2,   \
      3, 4)                                                                                                  \
    S(stress, "of the blocks a multiprocessor, how many only keep memory busy", 0, 0, 0, 0, 0, 1)            \
    S(flood, "reads (negative: writes) of other memory under way when a role begins", 0, 0, 0, 0, 1, 3, 4,   \
      8, -1, -3)                                                                                             \
    S(halves, "nth best way to put blocks and locations into the halves of the chip, 0: by chance", 0, 0, 0, \
      0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5)                                                                 \
    S(near, "1: locations, too, lie in the halves that were chosen", 0, 1, 1)                                \
    S(alone, "1: a block that has all threads of its instances waits for no other one", 0, 0, 1)
/* The parameters of a cell with one open edge (gen_only_open). */
#define CUDA_EDGE_PARAMETERS(S)                                                                              \
    S(cold, "location on many pages: 1 the first of the open edge, 2 its second, 0 none", 0, 1, 1, 1, 1, 2,  \
      2, 2, 2)                                                                                               \
    S(pages, "how many, as a power of two", 5, 7, 8, 8, 9)                                                   \
    S(pure, "1: all threads of a block play the same role at a step", 0, 1, 1, 1, 1, 1, 1, 1)                \
    S(afar, "in the host's memory: 1 the first location of the open edge, 2 its second, 3 both, 0 none", 0,  \
      0, 0, 0, 1, 1, 2, 3)
/* The parameter of a cell whose threads trigger a dependent kernel. */
#define CUDA_TRIGGER_PARAMETERS(S)                                                                           \
    S(linger, "clock cycles that a thread waits behind a trigger", 0, 0, 1000, 2000, 4000, 8000, 16000)
#define CUDA_PARAMETERS(S) CUDA_COMMON_PARAMETERS(S) CUDA_EDGE_PARAMETERS(S) CUDA_TRIGGER_PARAMETERS(S)

struct cuda_environment {
#define FIELD(name, ...) int name;
    CUDA_PARAMETERS(FIELD)
#undef FIELD
};

/* The parameters of an environment; ends with {0}. */
extern const struct parameter_range cuda_environment_ranges[];

/* What the device and the cell allow. */
struct cuda_environment_limits {
    int sms;
    bool one_sm; /* the blocks of an instance share a multiprocessor; else they are on different ones */
    int threads_multiple; /* the number of threads in a block must be a multiple of this */
    int max_threads;      /* of a block, as its registers allow */
    int test_blocks;      /* how many blocks the test has on a GPU */
    int gpus;
    int locations;
    int host_threads; /* how many of the test's threads are on the CPU */
    int flood;        /* how many reads of `flood` a thread may have under way */
    bool triggers;    /* some thread triggers a dependent kernel; else `linger` is 0 */
    bool pow2;        /* the number of threads in a block must be a power of two */
    bool cold;        /* a location may be cold; else the environment names no parameter of an open edge */
    bool afar;        /* a location may be afar, if it may be cold */
    bool halves;      /* the halves of blocks may be chosen */
};

/* Returns environment number `index` of a seed; the same seed and index give the same environment. `choice`
 * fixes some parameters (NULL: none). A value that the device or the cell cannot have is replaced by the
 * nearest that it can have. */
struct cuda_environment cuda_environment_choose(uint64_t seed, unsigned index,
                                                const struct environment *choice,
                                                const struct cuda_environment_limits *limits);
/* Writes the environment as parameters into `out` (room for ENV_MAX). Returns how many. */
int cuda_environment_describe(const struct cuda_environment *s, struct parameter *out);

#endif
