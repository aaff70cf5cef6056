/* Random numbers that a seed repeats. */
#ifndef CULITMUS_RANDOM_H
#define CULITMUS_RANDOM_H

#include <stdint.h>

/* splitmix64: advances *state. */
uint64_t random_next(uint64_t *state);

#endif
