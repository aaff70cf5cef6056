#include "search/seen.h"

#include <stdint.h>
#include <string.h>

struct seen_state {
    const struct seen_state *before; /* of those that are kept in one place */
    const void *bytes;
};

static size_t place_of(const unsigned char *state, size_t bytes) {
    uint64_t sum = 0;
    for (size_t k = 0; k < bytes; k++)
        sum = (sum + state[k] + 1) * 0x9E3779B97F4A7C15;
    return (size_t)(sum >> 52) % SEEN_PLACES;
}

bool seen_before(struct seen *s, struct arena *a, const void *state, size_t bytes) {
    struct seen_state **last = &s->last[place_of(state, bytes)];
    for (const struct seen_state *k = *last; k; k = k->before)
        if (memcmp(k->bytes, state, bytes) == 0) return true;
    struct seen_state *noted = arena_alloc(a, sizeof *noted);
    void *copy = arena_array(a, bytes, 1);
    memcpy(copy, state, bytes);
    *noted = (struct seen_state){*last, copy};
    *last = noted;
    return false;
}
