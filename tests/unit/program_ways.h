/* The ways of a cell's own program, as if the compiler had made one copy of each operation. */
#ifndef PROGRAM_WAYS_H
#define PROGRAM_WAYS_H

#include "check/flow.h"
#include "check/ways.h"

static struct ways program_ways(const struct test *t, const struct cell *cell) {
    struct arena *a = arena_open();
    struct flow f = flow_of(a, t, cell);
    struct ways w = ways_new(f.n);
    for (int k = 0; k <= f.n; k++) {
        w.op[k] = k;
        for (int next = 0; next <= f.n; next++)
            w.next[k * (f.n + 1) + next] = k ? flow_may_follow(&f, k, next) : flow_follows(&f, 0, next);
    }
    arena_close(a);
    return w;
}

#endif
