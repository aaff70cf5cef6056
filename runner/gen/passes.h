/* Inside runner/gen: which barriers of its block and cluster a thread passes. They are found by running its
 * body with the value of every read unknown. */
#ifndef CULITMUS_GEN_PASSES_H
#define CULITMUS_GEN_PASSES_H

#include "litmus/test.h"

enum { PASSES_MAX = 256 };

struct passes {
    const struct op **ops; /* the operations, in the order in which the thread passes them */
    int n;
    bool vary;  /* the values of reads decide which barriers these are */
    bool apart; /* the values of reads decide by which instruction the thread reduces at a barrier */
    bool many;  /* too many to list or to find */
};

struct passes *passes_of_all(struct arena *a, const struct test *t); /* of each thread */
/* Returns how many barriers of its warp a thread passes; -1 if the values of reads decide it, or there are
 * too many to count. */
int passes_of_lanes(struct arena *a, const struct thread *thread);
/* Whether both pass the same barriers by the same kinds of operations. */
bool passes_same(const struct passes *a, const struct passes *b);
/* Whether both reduce at barriers by the same instructions of one body. */
bool passes_reduce_together(const struct passes *a, const struct passes *b);

#endif
