/* Inside runner/gen: which barriers of its block and its cluster a thread passes, found by running its text without its
 * reads. */
#ifndef CULITMUS_GEN_PASSES_H
#define CULITMUS_GEN_PASSES_H

#include "litmus/test.h"

enum { PASSES_MAX = 256 };

struct passes {
    const struct op **ops; /* in order */
    int n;
    bool vary;  /* what it reads decides which they are, */
    bool apart; /* or at least in which instruction it reduces */
    bool many;  /* more than there is room for */
};

struct passes *passes_of_all(struct arena *a, const struct test *t); /* one a thread */
/* How many barriers of its warp a thread passes; -1: what it reads decides it, or they are too many to count. */
int passes_of_lanes(struct arena *a, const struct thread *thread);
/* Whether they are the same barriers, passed alike. */
bool passes_same(const struct passes *a, const struct passes *b);
/* Whether they reduce in the same instructions. */
bool passes_reduce_together(const struct passes *a, const struct passes *b);

#endif
