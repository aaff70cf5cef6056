#include "exec/setting.h"

uint64_t random_next(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int pick(uint64_t *state, const int *from, size_t n) {
    return from[random_next(state) % n];
}

#define PICK(state, ...)                                                                                     \
    pick(state, (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

/* A distance at which the blocks of an instance are on different multiprocessors, when block n is on n mod
 * sms. */
static int choose_distance(uint64_t *state, const struct setting_limits *l) {
    for (int tries = 0; tries < 64; tries++) {
        int distance = 1 + (int)(random_next(state) % (unsigned)(l->sms > 1 ? l->sms - 1 : 1));
        bool apart = true;
        for (int steps = 1; steps < l->test_blocks; steps++)
            apart = apart && steps * distance % l->sms != 0;
        if (apart) return distance;
    }
    return 1;
}

struct setting setting_choose(uint64_t seed, unsigned index, const struct setting_limits *l) {
    uint64_t state = seed ^ (uint64_t)index * 0xd1342543de82ef95u;
    struct setting s = {0};
    s.threads = PICK(&state, 64, 128, 256, 256, 512, 512, 1024);
    s.blocks = PICK(&state, 1, 1, 2, 2, 3, 4, 8);
    s.batch = PICK(&state, 1, 1, 2, 4, 8);
    s.stride = PICK(&state, 1, 1, 1, 2, 2, 4, 8, 8, 16, 32);
    s.interleave = PICK(&state, 0, 0, 0, 1);
    s.pad = s.interleave ? 0 : PICK(&state, 0, 0, 1, 8, 16, 32, 1024 + 32);
    s.spread = PICK(&state, 0, 0, 1, 2, 8, 16, 21);
    s.skew = PICK(&state, 0, 0, 1, 7, 33);
    s.distance = choose_distance(&state, l);
    s.mix = PICK(&state, 0, 0, 1, 5, 16, 31);
    s.order = PICK(&state, 0, 1, 2, 2, 2, 2, 2, 2);
    s.delay = PICK(&state, 0, 0, 0, 16, 64, 256);
    s.warm = PICK(&state, 0, 0, 0, 1, 2, 3, 4) & ((1 << l->locations) - 1);
    s.stress = PICK(&state, 0, 0, 0, 0, 1);
    if (s.threads > l->max_threads) s.threads = l->max_threads;
    s.threads -= s.threads % l->threads_multiple;
    if (s.threads == 0) s.threads = l->threads_multiple;
    return s;
}

int setting_describe(const struct setting *s, struct parameter *out) {
    int n = 0;
#define DESCRIBE(field, text) out[n++] = (struct parameter){#field, s->field};
    SETTINGS(DESCRIBE)
#undef DESCRIBE
    return n;
}
