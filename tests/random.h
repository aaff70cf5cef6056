/* Random choices that follow from a seed, for tests that draw programs. */
#ifndef CULITMUS_TESTS_RANDOM_H
#define CULITMUS_TESTS_RANDOM_H

#include <stdint.h>

static uint64_t seed = 42;

/* 0 .. n - 1 (xorshift64). */
static int pick(int n) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (int)(seed >> 33) % n;
}

#endif
