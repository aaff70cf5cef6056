/* Settings: what of an environment may be varied without changing the test. A setting moves the rates of weak
 * outcomes by orders of magnitude, and never a verdict. */
#ifndef CULITMUS_SETTING_H
#define CULITMUS_SETTING_H

#include <stdint.h>

#include "exec/backend.h"

/* NAME, what it is. The struct's fields, the JSON's `environment` and the random choice all follow this list.
 */
#define SETTINGS(S)                                                                                          \
    S(threads, "threads a block")                                                                            \
    S(blocks, "blocks a multiprocessor")                                                                     \
    S(batch, "instances that a thread plays in a round")                                                     \
    S(stride, "words between the elements of one location")                                                  \
    S(interleave, "1: an instance's locations lie together, 0: each location has a region")                  \
    S(pad, "words between the regions of two locations")                                                     \
    S(spread, "how far a location's place is permuted against the others'")                                  \
    S(skew, "blocks between the regions of an instance's locations")                                         \
    S(distance, "blocks between an instance's threads in different blocks")                                  \
    S(mix, "lane permutation between roles")                                                                 \
    S(order, "of a thread's roles: 0 first to last, 1 last to first, 2 an instance's at once")               \
    S(delay, "up to so many turns of doing nothing before a role")                                           \
    S(warm, "bit n: location n is read before a role, so that its old value may be cached")                  \
    S(stress, "of the blocks a multiprocessor, how many only keep memory busy")

struct setting {
#define FIELD(name, text) int name;
    SETTINGS(FIELD)
#undef FIELD
};

/* What the device and the cell leave to choose from. */
struct setting_limits {
    int sms;
    int threads_multiple; /* threads a block must be a multiple of */
    int max_threads;      /* a block, by the kernel's registers */
    int test_blocks;      /* blocks of the test's placement */
    int locations;
    bool dedicated;       /* every thread plays one role */
};

/* The setting number `index` of a seed's schedule: the same seed and index give the same setting. */
struct setting setting_choose(uint64_t seed, unsigned index, const struct setting_limits *limits);
/* Fills `out` (ENV_MAX) and returns how many. */
int setting_describe(const struct setting *s, struct parameter *out);

/* splitmix64: advances *state. */
uint64_t random_next(uint64_t *state);

#endif
