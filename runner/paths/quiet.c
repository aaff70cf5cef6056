#include "paths/quiet.h"

#include "litmus/view.h"
#include "logic/rel.h"

static bool accesses(const struct test *t, const struct op *op, int root) {
    for (int k = 0; k < OP_PLACES; k++)
        if (op->place[k].loc >= 0 && location_root(t, op->place[k].loc) == root) return true;
    return false;
}

static bool always_writes(const struct op *op) {
    return op_kinds[op->kind].touches[0] & TOUCH_WRITES && !op_kinds[op->kind].engine && !op->expected;
}

bool quiet_is_unseen(const struct test *t, const struct cell *cell, int thread, const struct op *op) {
    enum scope scope = op_strength(t, cell, op).scope;
    int root = location_root(t, op->place[0].loc);
    if (t->locs[root].grain > 0 || type_is_vector(t->locs[root].type)) return false;
    for (int other = 0; other < t->nthreads; other++)
        for (int k = 1; k <= t->nops && other != thread; k++) {
            const struct op *theirs = &t->ops[k];
            if (theirs->body != t->threads[other].body || !accesses(t, theirs, root)) continue;
            enum scope its = op_strength(t, cell, theirs).scope;
            if (!always_writes(theirs) || !scope_includes(scope, cell->placement, thread, other) ||
                !scope_includes(its, cell->placement, other, thread))
                return false;
        }
    return true;
}

/* Values that are enough to tell which of these an operation is: 0, all bits, the largest number, and each
 * bit alone. */
static struct value sample(struct type type, int k) {
    int bits = type.bits < 64 ? type.bits : 64;
    uint64_t all = ~0ull >> (64 - bits), numbers[] = {0, all, all >> 1};
    return value_bits(type, k < 3 ? numbers[k] : 1ull << (k - 3) % bits, 0);
}

enum quiet quiet_find(const struct sym *old, const struct sym *left) {
    struct value reads[MAX_READS];
    bool always = true;
    if (old->kind != SYM_READ || old->type.real) return QUIET_NEVER;
    struct reads others = left->reads;
    set_remove(others.bits, old->read);
    if (set_first(others.bits, MAX_READS / 64) >= 0)
        return set_has(left->reads.bits, old->read) ? QUIET_NEVER : QUIET_SOMETIMES;
    for (int k = 0; k < 3 + old->type.bits; k++) {
        reads[old->read] = sample(old->type, k);
        struct value once = sym_eval(left, reads);
        always = always && value_equal(once, reads[old->read]);
        reads[old->read] = once;
        if (!value_equal(sym_eval(left, reads), once)) return QUIET_NEVER;
    }
    return always ? QUIET_ALWAYS : QUIET_SOMETIMES;
}
