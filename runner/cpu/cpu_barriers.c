/* Which execution barriers the CPU backend can play. On a CPU, a barrier waits for all threads that have it
 * in their text. */
#include "cpu/cpu.h"
#include "gen/passes.h"
#include "litmus/company.h"

struct barrier_check {
    const struct test *t;
    const struct seat *seats;
    const struct passes *passes;
};

static bool sit_together(const struct barrier_check *c, enum barrier_kind kind, int x, int y) {
    const struct seat *a = &c->seats[x], *b = &c->seats[y];
    return kind == BARRIER_WARP  ? a->warp == b->warp
           : kind == BARRIER_CTA ? a->block == b->block
                                 : a->cluster == b->cluster;
}

/* Whether two operations meet at the same barrier. */
static bool is_same(const struct op *a, const struct op *b) {
    bool reduces = a->kind == OP_EXCHANGE || b->kind == OP_EXCHANGE;
    return a->barrier == b->barrier && a->barrier_id == b->barrier_id && (!reduces || a->name == b->name);
}

/* Whether the barrier has a count of threads somewhere. Then the others do not wait for a thread that does
 * not come. */
static bool has_count(const struct barrier_check *c, const struct op *op) {
    for (int k = 1; k <= c->t->nops; k++) {
        const struct op *other = &c->t->ops[k];
        bool counts = other->barrier_threads > 0 || (other->arrive_only && other->barrier == BARRIER_CTA);
        if (company_meets(other) && counts && !other->body->grid && is_same(op, other)) return true;
    }
    return false;
}

static bool has_in_text(const struct barrier_check *c, int thread, const struct op *op) {
    for (int k = 1; k <= c->t->nops; k++)
        if (c->t->ops[k].body == c->t->threads[thread].body && company_meets(&c->t->ops[k]) &&
            is_same(&c->t->ops[k], op))
            return true;
    return false;
}

static int count_passes(const struct passes *p, const struct op *op) {
    int n = 0;
    for (int k = 0; k < p->n; k++)
        n += is_same(p->ops[k], op) && !op_rows[p->ops[k]->name].wait_only;
    return n;
}

/* Whether x and y share a barrier without a count, both have it in their text, and they pass it a different
 * number of times. */
static bool differ(const struct barrier_check *c, int x, int y) {
    const struct passes *p = &c->passes[x], *q = &c->passes[y];
    for (int k = 1; k <= c->t->nops; k++) {
        const struct op *op = &c->t->ops[k];
        if (op->body != c->t->threads[x].body || !company_meets(op) || has_count(c, op)) continue;
        if (!sit_together(c, op->barrier, x, y) || !has_in_text(c, y, op)) continue;
        if (p->vary || q->vary || (!p->many && !q->many && count_passes(p, op) != count_passes(q, op)))
            return true;
    }
    return false;
}

/* Whether x and y share a barrier without a count, and one may exit while the other waits there. */
static bool may_exit_early(const struct barrier_check *c, int x, int y) {
    int n = gen_barriers(c->t->threads[x].body, BARRIER_WARP),
        m = gen_barriers(c->t->threads[y].body, BARRIER_WARP);
    if (sit_together(c, BARRIER_WARP, x, y) && n != 0 && m != 0 && (n < 0 || n != m)) return true;
    bool same = c->t->threads[x].body == c->t->threads[y].body && passes_same(&c->passes[x], &c->passes[y]);
    return !(same && !c->passes[x].vary) && differ(c, x, y);
}

/* Counts the warps of thread x's block that have the barrier in their text; in bodies of no grid, the
 * threads. */
static int count_users(const struct barrier_check *c, int x, const struct op *op) {
    int n = 0;
    for (int y = 0, last = -1; y < c->t->nthreads; y++) {
        if (!sit_together(c, BARRIER_CTA, x, y) || !has_in_text(c, y, op)) continue;
        n += !op->body->grid || c->seats[y].warp != last;
        last = c->seats[y].warp;
    }
    return n;
}

/* Whether an operation has a thread count that differs from the number of those that have the barrier. */
static bool is_miscounted(const struct barrier_check *c, int x, const struct op *op) {
    bool counts = op->barrier_threads > 0 && (op->body->grid || op->kind == OP_EXCHANGE);
    return counts && count_users(c, x, op) != op->barrier_threads;
}

/* Whether some threads of a block reduce at a barrier at which others do not. */
static bool is_mixed(const struct barrier_check *c, int x, const struct op *op) {
    for (int k = 1; k <= c->t->nops; k++) {
        const struct op *other = &c->t->ops[k];
        if (op->kind != OP_EXCHANGE || !company_meets(other) || is_same(op, other)) continue;
        if (other->barrier != op->barrier || other->barrier_id != op->barrier_id) continue;
        for (int y = 0; y < c->t->nthreads; y++)
            if (sit_together(c, BARRIER_CTA, x, y) && has_in_text(c, y, other) != has_in_text(c, y, op))
                return true;
    }
    return false;
}

static const char *block_problem(const struct barrier_check *c, int x) {
    for (int k = 1; k <= c->t->nops; k++) {
        const struct op *op = &c->t->ops[k];
        if (op->body != c->t->threads[x].body || !company_meets(op) || op->barrier != BARRIER_CTA) continue;
        if (is_miscounted(c, x, op)) return "a barrier counts others than those whose text has it";
        if (is_mixed(c, x, op)) return "a reduction and another operation meet at one barrier";
    }
    return NULL;
}

static bool has_barriers(const struct test *t) {
    for (int k = 1; k <= t->nops; k++)
        if (op_kinds[t->ops[k].kind].meets) return true;
    return false;
}

static const char *find_problem(const struct barrier_check *c) {
    for (int x = 0; x < c->t->nthreads; x++) {
        const char *why = block_problem(c, x);
        if (why) return why;
        for (int y = 0; y < x; y++)
            if (may_exit_early(c, x, y) || may_exit_early(c, y, x))
                return "a thread that exits lets others pass a barrier, which the cpu backend does not do";
    }
    return NULL;
}

const char *cpu_barriers_unfit(const struct test *t, const struct cell *cell) {
    if (!has_barriers(t)) return NULL;
    struct arena *scratch = arena_open();
    struct barrier_check c = {t, cell->placement->seats, passes_of_all(scratch, t)};
    const char *why = find_problem(&c);
    arena_close(scratch);
    return why;
}
