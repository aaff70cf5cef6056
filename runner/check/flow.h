/* Which operation of a test may follow which in a run of its body. A compiler has to keep this.
 *
 * Number 0 is no operation: it stands for the outside. What follows it may come first, and what it follows may come
 * last. Everything is in the arena. */
#ifndef CULITMUS_FLOW_H
#define CULITMUS_FLOW_H

#include "litmus/test.h"

struct flow {
    int n;                     /* operations; the arrays have n + 1 entries */
    const struct op *op;       /* the test's ops */
    struct strength *strength; /* in this cell */
    bool *there;               /* the cell has it */
    bool *must;                /* every run of its body passes it */
    bool *follows; /* [a * (n + 1) + b]: b may be next after a, also for a companion (litmus/company.h) */
};

struct flow flow_of(struct arena *a, const struct test *t, const struct cell *cell);

/* Whether the cell has operation k at all. */
bool flow_has(const struct flow *f, int k);
/* Whether b may be next after a in the same run of a body. */
bool flow_follows(const struct flow *f, int a, int b);
/* Whether b may be next after a, in the same run of a body or in the thread's next one. */
bool flow_may_follow(const struct flow *f, int a, int b);

#endif
