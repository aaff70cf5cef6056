/* Finds the edges of a cell that nothing keeps in order, by what NVIDIA GPUs showed. docs/campaign.md tells
 * how this was found. */
#include "gen/gen.h"

static bool reads(const struct op *op) {
    return op_kinds[op->kind].touches[0] & TOUCH_READS;
}

static bool releases(struct strength s) {
    return s.order >= ORDER_RELEASE && s.scope > SCOPE_CTA;
}

/* Whether the operation waits until all accesses of its thread, and of the other threads on its
 * multiprocessor, are done. */
static bool drains(const struct test *t, const struct cell *cell, const struct op *op) {
    struct strength s = op_strength(t, cell, op);
    return op->kind == OP_FENCE ? s.scope > SCOPE_CTA : op->place[0].loc >= 0 && releases(s);
}

/* Whether another thread of the same block, or the same multiprocessor, has such an operation. */
static bool neighbour_drains(const struct test *t, const struct cell *cell, int thread) {
    const struct placement *p = cell->placement;
    for (int i = 0; i < t->nthreads; i++) {
        bool near = i != thread && (p->one_sm || p->seats[i].block == p->seats[thread].block);
        for (int k = 1; k <= t->nops && near; k++)
            if (t->threads[i].body == t->ops[k].body && drains(t, cell, &t->ops[k])) return true;
    }
    return false;
}

/* Whether a fence keeps an edge's accesses in order. A fence of block scope holds nothing up between blocks,
 * except that one weaker than sc makes an earlier read return first. */
static bool fence_shuts(const struct test *t, const struct cell *cell, const struct op *from,
                        const struct op *fence) {
    struct strength s = op_strength(t, cell, fence);
    return s.scope > SCOPE_CTA || (s.scope == SCOPE_CTA && s.order != ORDER_SC && reads(from));
}

/* Whether an acquire or a release keeps an edge's accesses in order: each contains a fence. */
static bool access_shuts(const struct test *t, const struct cell *cell, const struct op *from,
                         const struct op *to) {
    struct strength f = op_strength(t, cell, from);
    bool acquires = f.order >= ORDER_ACQUIRE && f.order != ORDER_RELEASE;
    return (acquires && f.scope > SCOPE_CTA) || releases(op_strength(t, cell, to));
}

/* Returns how many edges a thread has, adds to *nopen how many of them are open, and sets *out to the last
 * open one. Operations are taken in the order of the text. */
static int find_edges(const struct test *t, const struct cell *cell, int thread, int *nopen,
                      struct open_edge *out) {
    const struct op *from = NULL;
    bool shut = false, drained = neighbour_drains(t, cell, thread);
    int n = 0;
    for (int k = 1; k <= t->nops; k++) {
        const struct op *op = &t->ops[k];
        if (op->body != t->threads[thread].body) continue;
        if (op->kind == OP_FENCE) shut = shut || (from && fence_shuts(t, cell, from, op));
        if (op->place[0].loc < 0) continue;
        if (from && from->place[0].loc != op->place[0].loc) {
            n++;
            if (!shut && !drained && !access_shuts(t, cell, from, op)) {
                *out = (struct open_edge){thread, from->place[0].loc, op->place[0].loc};
                ++*nopen;
            }
        }
        from = op;
        shut = false;
    }
    return n;
}

bool gen_only_open(const struct test *t, const struct cell *cell, struct open_edge *out) {
    enum { MANY = 3, MOST_THREADS = 8 };
    struct shape s = gen_shape(t);
    int nopen = 0, n = 0;
    if (t->nthreads > MOST_THREADS || cell->placement->nhost > 0 || gen_kernels(t, cell) || s.waits ||
        s.barriers || s.own)
        return false;
    for (int k = 0; k < t->nthreads; k++) {
        int own = find_edges(t, cell, k, &nopen, out);
        if (own > 1) return false;
        n += own;
    }
    return n >= MANY && nopen == 1;
}
