/* Which operation of a test may come next after which when its body runs. A compiler must keep this order.
 *
 * Operation number 0 stands for the outside of the body: what may follow 0 may come first, and what 0 may
 * follow may come last. Everything is in the arena. */
#ifndef CULITMUS_FLOW_H
#define CULITMUS_FLOW_H

#include "litmus/test.h"

struct flow {
    int n;                     /* number of operations; the arrays have n + 1 entries */
    const struct op *op;       /* the test's ops */
    struct strength *strength; /* of each in this cell */
    bool *there;               /* the cell has it (it may be an absent fence) */
    bool *must;                /* every run of its body passes it */
    /* [a * (n + 1) + b]: b may come next after a, when a thread or a companion (litmus/company.h) runs the
     * body */
    bool *follows;
};

struct flow flow_of(struct arena *a, const struct test *t, const struct cell *cell);

/* Whether the cell has operation k: it may be an absent fence. */
bool flow_has(const struct flow *f, int k);
/* Whether b may come next after a in one run of the body. */
bool flow_follows(const struct flow *f, int a, int b);
/* Whether b may come next after a, in the same run of the body or as the first operation of the next run. */
bool flow_may_follow(const struct flow *f, int a, int b);

#endif
