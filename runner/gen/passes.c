#include "gen/passes.h"

#include <string.h>

#include "litmus/company.h"

enum { MAX_VISITS = 20000 }; /* statements that are walked at most */

struct pass_walk {
    struct arena *arena;
    struct expr_env env;
    int nregs;
    bool *known; /* registers whose value no read decides; `values` are these values */
    struct value *values;
    bool doubtful; /* a read decides whether the loop around, or its turn, was left before here */
    bool lanes;    /* find the barriers of the thread's warp instead */
    int visits;
    struct passes *out;
};

/* What follows a list of statements: the next statement, or the end of the loop or of its turn. */
enum pass_end { PASS_ON, PASS_BREAK, PASS_CONTINUE };

static bool forget(const struct stmt *s, void *ctx) {
    bool *known = ctx;
    if (s->kind == STMT_SET) known[s->reg] = false;
    if (s->kind == STMT_OP && s->op->dst >= 0) known[s->op->dst] = false;
    return true;
}

/* Whether a list may leave the loop around it, or its turn. */
static bool leaves(const struct stmt *s) {
    for (; s; s = s->next) {
        if (s->kind == STMT_BREAK || s->kind == STMT_CONTINUE) return true;
        if (s->kind == STMT_IF && (leaves(s->body) || leaves(s->orelse))) return true;
    }
    return false;
}

static bool is_known(const struct pass_walk *w, const struct expr *e) {
    if (!e) return true;
    if (e->kind == EXPR_REG) return w->known[e->index];
    if (expr_is_of_cell(e)) return false;
    return is_known(w, e->a) && is_known(w, e->b) && is_known(w, e->c);
}

static bool is_passed(const struct pass_walk *w, const struct op *op) {
    return w->lanes ? op->kind == OP_BARRIER && op->barrier == BARRIER_WARP : company_meets(op);
}

static bool passes_none(const struct stmt *s, void *ctx) {
    return s->kind != STMT_OP || !is_passed(ctx, s->op);
}

static void add_pass(struct pass_walk *w, const struct op *op) {
    struct passes *out = w->out;
    out->vary = out->vary || w->doubtful;
    if (out->n == PASSES_MAX)
        out->many = true;
    else
        out->ops[out->n++] = op;
}

static enum pass_end walk(struct pass_walk *w, const struct stmt *s);

static bool same_passes(const struct op *const *a, const struct op *const *b, int n) {
    for (int k = 0; k < n; k++)
        if (a[k]->name != b[k]->name || a[k]->barrier_id != b[k]->barrier_id ||
            a[k]->barrier_threads != b[k]->barrier_threads)
            return false;
    return true;
}

static bool same_reductions(const struct op *const *a, const struct op *const *b, int n) {
    for (int k = 0; k < n; k++)
        if (a[k]->kind == OP_EXCHANGE && a[k] != b[k]) return false;
    return true;
}

/* Walks both sides of a branch that a read decides. Unless they pass the same barriers, the read decides
 * which barriers are passed. */
static void walk_both(struct pass_walk *w, const struct stmt *s) {
    int first = w->out->n;
    bool doubtful = w->doubtful || leaves(s->body) || leaves(s->orelse);
    bool *known = w->known;
    w->known = arena_array(w->arena, (size_t)w->nregs, sizeof *known);
    memcpy(w->known, known, (size_t)w->nregs * sizeof *known);
    walk(w, s->body);
    int then = w->out->n - first;
    memcpy(w->known, known, (size_t)w->nregs * sizeof *known);
    walk(w, s->orelse);
    int otherwise = w->out->n - first - then;
    if (then != otherwise || !same_passes(w->out->ops + first, w->out->ops + first + then, then))
        w->out->vary = true;
    else if (!same_reductions(w->out->ops + first, w->out->ops + first + then, then))
        w->out->apart = true;
    w->out->n = first + then;
    w->known = known;
    stmt_walk(s->body, forget, known);
    stmt_walk(s->orelse, forget, known);
    w->doubtful = doubtful;
}

static enum pass_end walk_if(struct pass_walk *w, const struct stmt *s) {
    if (is_known(w, s->value)) {
        w->env.regs = w->values;
        return walk(w, expr_is_true(s->value, &w->env) ? s->body : s->orelse);
    }
    walk_both(w, s);
    return PASS_ON;
}

/* Walks a loop turn by turn if it has barriers; else it only forgets the registers that the loop assigns. */
static void walk_loop(struct pass_walk *w, const struct stmt *s) {
    bool doubtful = w->doubtful;
    if (stmt_walk(s->body, passes_none, w) && stmt_walk(s->step, passes_none, w)) {
        stmt_walk(s->body, forget, w->known);
        stmt_walk(s->step, forget, w->known);
        return;
    }
    for (int turn = 0; !s->bounded || turn < s->trips; turn++) {
        if (w->out->vary || w->out->many || walk(w, s->body) == PASS_BREAK) break;
        walk(w, s->step);
    }
    w->doubtful = doubtful;
}

static void walk_set(struct pass_walk *w, const struct stmt *s) {
    w->known[s->reg] = is_known(w, s->value);
    w->env.regs = w->values;
    if (w->known[s->reg]) w->values[s->reg] = expr_eval(s->value, &w->env);
}

static enum pass_end walk(struct pass_walk *w, const struct stmt *s) {
    enum pass_end end = PASS_ON;
    for (; s && end == PASS_ON; s = s->next) {
        if (++w->visits > MAX_VISITS) w->out->many = true;
        if (w->out->many) return PASS_BREAK;
        switch (s->kind) {
        case STMT_SET: walk_set(w, s); break;
        case STMT_OP:
            if (s->op->dst >= 0) w->known[s->op->dst] = false;
            if (is_passed(w, s->op)) add_pass(w, s->op);
            break;
        case STMT_IF: end = walk_if(w, s); break;
        case STMT_LOOP: walk_loop(w, s); break;
        case STMT_BREAK: return PASS_BREAK;
        case STMT_CONTINUE: return PASS_CONTINUE;
        case STMT_LABEL:
        case STMT_GOTO: break; /* see jumps_over_barrier() */
        }
    }
    return end;
}

/* Counts the barriers before each label, in the order of the text. Returns the count behind the list. */
static int count_before(const struct pass_walk *w, const struct stmt *s, int n, int *before) {
    for (; s; s = s->next) {
        if (s->kind == STMT_LABEL) before[s->label] = n;
        if (s->kind == STMT_OP) n += is_passed(w, s->op);
        n = count_before(w, s->body, n, before);
        n = count_before(w, s->orelse, n, before);
        n = count_before(w, s->step, n, before);
    }
    return n;
}

/* Whether some jump skips a barrier or returns to before one. *n is how many barriers come before the
 * statement. */
static bool jumps_over_barrier(const struct pass_walk *w, const struct stmt *s, int *n, const int *before) {
    for (; s; s = s->next) {
        if (s->kind == STMT_GOTO && before[s->label] != *n) return true;
        if (s->kind == STMT_OP) *n += is_passed(w, s->op);
        if (jumps_over_barrier(w, s->body, n, before) || jumps_over_barrier(w, s->orelse, n, before) ||
            jumps_over_barrier(w, s->step, n, before))
            return true;
    }
    return false;
}

static struct passes passes_of(struct arena *a, const struct thread *thread, bool lanes) {
    const struct body *b = thread->body;
    struct passes out = {0};
    size_t nregs = (size_t)b->nregs;
    struct pass_walk w = {
        .arena = a, .env = body_env(b, thread->tid), .nregs = b->nregs, .lanes = lanes, .out = &out};
    if (stmt_walk(b->first, passes_none, &w)) return out;
    out.ops = arena_array(a, PASSES_MAX, sizeof *out.ops);
    w.known = arena_array(a, nregs, sizeof *w.known);
    w.values = arena_array(a, nregs, sizeof *w.values);
    for (size_t r = 0; r < nregs; r++) {
        w.known[r] = b->nlabels == 0; /* a register that is not set yet is 0 */
        w.values[r] = value_from(b->regs[r].type, 0);
    }
    walk(&w, b->first);
    int *before = arena_array(a, (size_t)b->nlabels + 1, sizeof *before);
    int n = 0;
    count_before(&w, b->first, 0, before);
    if (jumps_over_barrier(&w, b->first, &n, before)) out.vary = true;
    return out;
}

struct passes *passes_of_all(struct arena *a, const struct test *t) {
    struct passes *passes = arena_array(a, (size_t)t->nthreads, sizeof *passes);
    for (int k = 0; k < t->nthreads; k++)
        passes[k] = passes_of(a, &t->threads[k], false);
    return passes;
}

int passes_of_lanes(struct arena *a, const struct thread *thread) {
    struct passes passes = passes_of(a, thread, true);
    return passes.vary || passes.many ? -1 : passes.n;
}

bool passes_same(const struct passes *a, const struct passes *b) {
    return a->n == b->n && same_passes(a->ops, b->ops, a->n);
}

bool passes_reduce_together(const struct passes *a, const struct passes *b) {
    return !a->apart && !b->apart && a->n == b->n && same_reductions(a->ops, b->ops, a->n);
}
