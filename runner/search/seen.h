/* States that a search has been in, as bytes. */
#ifndef CULITMUS_SEEN_H
#define CULITMUS_SEEN_H

#include <stdbool.h>

#include "base/arena.h"

enum { SEEN_PLACES = 1 << 12 };

struct seen {
    struct seen_state *last[SEEN_PLACES];
};

/* Whether this state was noted before; notes it. All are of one size. */
bool seen_before(struct seen *s, struct arena *a, const void *state, size_t bytes);

#endif
