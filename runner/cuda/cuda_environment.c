#include "cuda/cuda_environment.h"

#include <string.h>

#include "base/random.h"

const struct parameter_range cuda_environment_ranges[] = {
#define RANGE(name, text, ...) {#name, text, {__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int)},
    CUDA_PARAMETERS(RANGE)
#undef RANGE
        {0},
};

/* Draws every parameter at random, then sets those that `choice` names. */
static struct cuda_environment draw(uint64_t *state, const struct environment *choice) {
    struct cuda_environment s;
    const struct parameter_range *r = cuda_environment_ranges;
#define DRAW(name, ...) s.name = r->values[random_next(state) % (unsigned)r->n], r++;
    CUDA_PARAMETERS(DRAW)
#undef DRAW
    for (int i = 0; choice && i < choice->n; i++) {
        const struct parameter *p = &choice->parameter[i];
#define TAKE(field, ...)                                                                                     \
    if (strcmp(p->name, #field) == 0) s.field = (int)p->value;
        CUDA_PARAMETERS(TAKE)
#undef TAKE
    }
    return s;
}

/* Whether the blocks of an instance run on different multiprocessors, if block n runs on multiprocessor n mod
 * sms. */
static bool apart(int distance, const struct cuda_environment_limits *l) {
    for (int steps = 1; steps < l->test_blocks; steps++)
        if ((long long)steps * distance % l->sms == 0) return false;
    return true;
}

enum { MOST_WAYS = 64 };

static int clamp(int value, int low, int high) {
    return value < low ? low : value > high ? high : value;
}

/* Suits an environment to far memory, which is slow and small: fewer instances, and the harness's own layout
 * of locations. A location cannot be both cold and afar. */
static void suit_afar(struct cuda_environment *s, const struct cuda_environment_limits *l) {
    enum { THREADS = 512, BLOCKS = 2, BATCH = 2, STRIDE = 8, PAD = 1056 };
    s->afar = l->cold && l->afar ? clamp(s->afar, 0, 3) : 0;
    if (s->afar == 0) return;
    if (THREADS % l->threads_multiple == 0) s->threads = clamp(s->threads, 1, THREADS);
    s->blocks = clamp(s->blocks, 1, l->one_sm ? 32 : BLOCKS);
    s->batch = clamp(s->batch, 1, BATCH);
    s->stride = clamp(s->stride, 1, STRIDE);
    s->pad = clamp(s->pad, 0, PAD);
    s->interleave = s->near = s->stress = 0;
    if (s->cold & s->afar) s->cold = s->afar == 3 ? 0 : 3 - s->cold;
    if (s->cold <= 0) s->pages = 0;
}

struct cuda_environment cuda_environment_choose(uint64_t seed, unsigned index,
                                                const struct environment *choice,
                                                const struct cuda_environment_limits *l) {
    uint64_t state = seed ^ (uint64_t)index * 0xd1342543de82ef95u;
    struct cuda_environment s = draw(&state, choice);
    int unit = l->threads_multiple, threads = unit;
    while (threads + (l->pow2 ? threads : unit) <= clamp(s.threads, unit, l->max_threads))
        threads += l->pow2 ? threads : unit;
    s.threads = threads;
    s.blocks = clamp(s.blocks, l->one_sm ? l->test_blocks : 1, 32);
    s.halves = l->halves ? clamp(s.halves, 0, MOST_WAYS) : 0;
    s.near = s.halves ? clamp(s.near, 0, 1) : 0;
    s.batch = clamp(s.batch, 1, s.near ? 2 : 64);
    s.interleave = s.near ? 0 : s.interleave;
    s.stride = clamp(s.stride, 1, 1024);
    s.pad = s.interleave ? 0 : clamp(s.pad, 0, 1 << 16);
    s.spread = clamp(s.spread, 0, 1 << 10);
    s.skew = clamp(s.skew, 0, 1 << 16);
    s.distance = clamp(s.distance, 1, 1 << 16);
    if (s.halves) s.distance |= 1; /* neighbouring blocks of an instance are then in different halves */
    while (!l->one_sm && !apart(s.distance, l))
        s.distance += s.halves ? 2 : 1;
    if (l->one_sm) s.distance = l->sms;
    s.mix &= 31;
    s.order = clamp(s.order, 0, 2);
    s.pace = l->host_threads ? clamp(s.pace, 0, 1 << 16) : 0;
    s.linger = l->triggers ? clamp(s.linger, 0, 1 << 16) : -1;
    s.warm &= (1 << l->locations) - 1;
    s.stress = clamp(s.stress, 0, 31);
    s.flood = clamp(s.flood, -l->flood, l->flood);
    s.cold = l->cold ? clamp(s.cold, 0, 2) : -1;
    s.pages = s.cold > 0 ? clamp(s.pages, 0, 16) : 0;
    s.pure = clamp(s.pure, 0, 1);
    suit_afar(&s, l);
    s.alone = l->test_blocks == 1 && l->gpus == 1 && l->host_threads == 0 ? clamp(s.alone, 0, 1) : 0;
    return s;
}

int cuda_environment_describe(const struct cuda_environment *s, struct parameter *out) {
    int n = 0;
#define DESCRIBE(field, ...) out[n++] = (struct parameter){#field, s->field};
    CUDA_COMMON_PARAMETERS(DESCRIBE)
    if (s->cold >= 0) {
        CUDA_EDGE_PARAMETERS(DESCRIBE)
    }
    if (s->linger >= 0) {
        CUDA_TRIGGER_PARAMETERS(DESCRIBE)
    }
#undef DESCRIBE
    return n;
}
