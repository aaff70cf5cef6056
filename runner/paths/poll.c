#include "paths/poll.h"

#include "logic/rel.h"
#include "paths/exchange.h"
#include "paths/meet.h"

struct poll {
    const struct test *test;
    const struct cell *cell;
    int thread;
    const struct code *code; /* for the registers that are observed of any copy */
    struct arena *arena;
    bool *common; /* a loop may be a poll */
};

/* The operation at a place of the code where threads meet; else NULL. */
static const struct op *meeting_at(const struct poll *p, int pc) {
    const struct ins *i = &p->code->ins[pc];
    if (i->kind != INS_OP) return NULL;
    return op_kinds[i->stmt->op->kind].meets ? i->stmt->op : NULL;
}

static bool is_literal(const struct expr *e) {
    if (!e || e->kind == EXPR_INT) return true;
    bool leaf = !e->a && !e->b && !e->c;
    return !leaf && is_literal(e->a) && is_literal(e->b) && is_literal(e->c);
}

/* The value of an expression that reads no register. */
static long long number_of(const struct poll *p, int thread, const struct expr *e) {
    const struct thread *t = &p->test->threads[thread];
    struct expr_env env = body_env(t->body, t->tid);
    return expr_number(e, &env);
}

/* The lanes that a fixed mask names; 0: all. */
static uint32_t lanes_of(const struct poll *p, const struct op *op) {
    struct exchange_group g = exchange_find(p->test, p->cell, p->thread, op, p->arena);
    if (!op->mask) return 0;
    uint32_t lanes = (uint32_t)number_of(p, p->thread, op->mask) & g.lanes;
    return lanes == g.lanes ? 0 : lanes;
}

/* Whether an expression reads no register, and has the same value in all lanes that the mask of an operation
 * names; the mask as the thread at hand computes it. */
static bool is_alike(const struct poll *p, const struct expr *e, const struct op *op) {
    if (is_literal(e)) return true;
    if (!expr_is_known(e) || !expr_is_known(op->mask)) return false;
    struct exchange_group g = exchange_find(p->test, p->cell, p->thread, op, p->arena);
    uint32_t lanes = lanes_of(p, op);
    for (int k = 0; k < g.n; k++)
        if ((!lanes || lanes >> g.lane[k] & 1) && number_of(p, g.threads[k], e) != number_of(p, p->thread, e))
            return false;
    return true;
}

/* Whether a mask is the same in each turn, and in all lanes that it names: a number, or the lanes of a tile. */
static bool has_fixed_mask(const struct poll *p, const struct op *op) {
    return is_alike(p, op->mask, op);
}

/* Turns */

/* Whether a place is on the way to another turn. */
static bool is_on_turn(const struct code_loop *loop, int pc) {
    return pc >= loop->first && pc <= loop->last && loop->returns[pc - loop->first];
}

static bool is_innermost(const struct poll *p, const struct code_loop *loop) {
    for (int k = 0; k < p->code->nloops; k++) {
        const struct code_loop *other = &p->code->loops[k];
        if (other != loop && other->first <= loop->last && other->last >= loop->first &&
            !(other->first <= loop->first && other->last >= loop->last))
            return false;
    }
    return true;
}

/* Whether a thread can have an operation in a turn that changes nothing. */
static bool is_idle_op(const struct op *op) {
    if (!op_kinds[op->kind].meets) return op_kinds[op->kind].idle;
    return op->barrier != BARRIER_CLUSTER && !op->arrive_only && op->barrier_threads == 0 &&
           !meet_is_active(op);
}

/* Whether a turn changes nothing, whatever its thread reads. */
static bool has_idle_turns(const struct poll *p, const struct code_loop *loop) {
    const uint64_t *live = p->code->ins[loop->first].live;
    for (int pc = loop->first; pc <= loop->last; pc++) {
        const struct ins *i = &p->code->ins[pc];
        if (!is_on_turn(loop, pc)) continue;
        int set = code_sets(i);
        if ((set >= 0 && set_has(live, set)) || (i->kind == INS_OP && !is_idle_op(i->stmt->op))) return false;
    }
    return true;
}

/* Results that all have in common */

/* Whether all who meet at y meet at x, too. */
static bool includes(const struct poll *p, const struct op *x, const struct op *y) {
    if (x == y) return true;
    if (x->barrier == BARRIER_CTA || y->barrier == BARRIER_CTA) return x->barrier == BARRIER_CTA;
    if (has_fixed_mask(p, x) && lanes_of(p, x) == 0) return true;
    return has_fixed_mask(p, x) && has_fixed_mask(p, y) && lanes_of(p, x) == lanes_of(p, y);
}

/* Whether a lane is among those who meet. */
static bool has_lane(const struct poll *p, const struct op *op, int lane) {
    struct exchange_group g = exchange_find(p->test, p->cell, p->thread, op, p->arena);
    uint32_t lanes = lanes_of(p, op);
    for (int k = 0; k < g.n; k++)
        if (g.lane[k] == lane) return !lanes || lanes >> lane & 1;
    return false;
}

/* The first lane of the group of `width` lanes in which a shuffle chooses; -1: not all who meet are in one
 * group. */
static int first_lane(const struct poll *p, const struct op *op) {
    struct exchange_group g = exchange_find(p->test, p->cell, p->thread, op, p->arena);
    int first = g.lane[g.mine] & -op->width;
    for (int k = 0; k < g.n; k++)
        if ((g.lane[k] & -op->width) != first && has_lane(p, op, g.lane[k])) return -1;
    return first;
}

/* Whether all who meet get one result. */
static bool has_one_result(const struct poll *p, const struct op *op) {
    if (op->kind != OP_EXCHANGE || op_exchanges[op_rows[op->name].exchange].lane != LANE_AT)
        return exchange_has_one_result(op);
    if (!is_literal(op->lane) || !has_fixed_mask(p, op)) return false;
    int first = first_lane(p, op), lane = (int)number_of(p, p->thread, op->lane) & (op->width - 1);
    return first >= 0 && has_lane(p, op, first + lane);
}

/* Whether an expression has the same value for all who meet at `widest`, if the registers in `shared` have. */
static bool is_shared(const struct poll *p, const struct expr *e, const struct op *widest,
                      const uint64_t *shared) {
    if (!e || e->kind == EXPR_INT) return true;
    if (e->kind == EXPR_REG) return set_has(shared, e->index);
    if (is_alike(p, e, widest)) return true;
    return (e->a || e->b || e->c) && is_shared(p, e->a, widest, shared) &&
           is_shared(p, e->b, widest, shared) && is_shared(p, e->c, widest, shared);
}

/* A meeting of a turn at which all meet who come to any of its meetings; NULL: there is none. */
static const struct op *find_widest(const struct poll *p, const struct code_loop *loop) {
    const struct op *widest = NULL;
    for (int pc = loop->first; pc <= loop->last; pc++) {
        const struct op *op = is_on_turn(loop, pc) ? meeting_at(p, pc) : NULL;
        if (op && (!widest || !includes(p, widest, op))) widest = op;
    }
    for (int pc = loop->first; pc <= loop->last; pc++) {
        const struct op *op = is_on_turn(loop, pc) ? meeting_at(p, pc) : NULL;
        if (op && !includes(p, widest, op)) return NULL;
    }
    return widest;
}

/* Updates the set of registers that have the same value for all, behind an instruction. */
static void pass_shared(const struct poll *p, const struct op *widest, int pc, uint64_t *shared) {
    const struct ins *i = &p->code->ins[pc];
    const struct op *op = meeting_at(p, pc);
    int set = code_sets(i);
    if (set < 0) return;
    bool same = i->kind == INS_SET ? is_shared(p, i->stmt->value, widest, shared)
                                   : op && has_one_result(p, op) && includes(p, op, widest);
    if (same)
        set_add(shared, set);
    else
        set_remove(shared, set);
}

/* Whether each branch that leaves a loop depends only on values that are the same for all. A turn only goes
 * forward, so one walk finds the registers with such values: before each place, those that have one on every
 * way to it. */
static bool leaves_in_common(const struct poll *p, const struct code_loop *loop, const struct op *widest) {
    size_t words = (size_t)p->code->reg_words, n = (size_t)(loop->last - loop->first + 1);
    uint64_t *before = arena_array(p->arena, n * words, sizeof *before);
    uint64_t *here = arena_array(p->arena, words, sizeof *here);
    for (size_t k = words; k < n * words; k++)
        before[k] = ~0ull;
    for (int pc = loop->first; pc <= loop->last; pc++) {
        const struct ins *i = &p->code->ins[pc];
        int next[2], ways = code_successors(p->code, pc, next);
        if (!is_on_turn(loop, pc)) continue;
        memcpy(here, before + (size_t)(pc - loop->first) * words, words * sizeof *here);
        if (loop->leaves[pc - loop->first] &&
            !(i->kind == INS_BRANCH && is_shared(p, i->stmt->value, widest, here) &&
              code_is_on_all_turns(p->code, loop, pc, p->arena)))
            return false;
        pass_shared(p, widest, pc, here);
        while (ways-- > 0)
            for (size_t w = 0; w < words && next[ways] > pc && next[ways] <= loop->last; w++)
                before[(size_t)(next[ways] - loop->first) * words + w] &= here[w];
    }
    return true;
}

/* Whether the threads poll in a loop, and leave it together if they always meet at the same place. */
static bool may_be_common(const struct poll *p, const struct code_loop *loop) {
    if (!is_innermost(p, loop) || loop->endless || !has_idle_turns(p, loop)) return false;
    const struct op *widest = find_widest(p, loop);
    for (int pc = loop->first; pc <= loop->last; pc++)
        if (is_on_turn(loop, pc) && meeting_at(p, pc) && !code_is_on_all_turns(p->code, loop, pc, p->arena))
            return false;
    return widest && leaves_in_common(p, loop, widest);
}

/* Places where threads meet */

/* Whether threads that are at two places may meet. */
static bool may_meet(const struct poll *p, int pc, const struct op *op) {
    const struct op *other = meeting_at(p, pc);
    if (!other || !meet_is_same(other, op)) return false;
    return !has_fixed_mask(p, op) || !has_fixed_mask(p, other) || lanes_of(p, op) == lanes_of(p, other);
}

/* The poll that a place is in, or NULL. */
static const struct code_loop *poll_around(const struct poll *p, int pc) {
    for (int k = 0; k < p->code->nloops; k++)
        if (p->common[k] && is_on_turn(&p->code->loops[k], pc)) return &p->code->loops[k];
    return NULL;
}

/* Whether the ways from one place lead to at most one place where a thread may next meet those at `op`. Only
 * ways within a loop are followed, if one is given. */
static bool has_one_next(const struct poll *p, const struct op *op, int from,
                         const struct code_loop *within) {
    uint64_t *seen = arena_array(p->arena, (size_t)p->code->nins / 64 + 1, sizeof *seen);
    int *open = arena_array(p->arena, (size_t)p->code->nins + 1, sizeof *open), nopen = 0, found = -1;
    open[nopen++] = from;
    while (nopen > 0) {
        int pc = open[--nopen], next[2];
        if (set_has(seen, pc) || (within && !is_on_turn(within, pc))) continue;
        set_add(seen, pc);
        if (may_meet(p, pc, op)) {
            if (found >= 0) return false;
            found = pc;
            continue;
        }
        for (int k = code_successors(p->code, pc, next); k-- > 0;)
            open[nopen++] = next[k];
    }
    return true;
}

/* Whether the ways from each branch that leaves a poll lead to at most one place where its threads may meet
 * next. */
static bool leaves_to_one(const struct poll *p, const struct op *op, const struct code_loop *loop) {
    for (int pc = loop->first; pc <= loop->last; pc++) {
        int next[2], n = loop->leaves[pc - loop->first] ? code_successors(p->code, pc, next) : 0;
        while (n-- > 0)
            if (!is_on_turn(loop, next[n]) && !has_one_next(p, op, next[n], NULL)) return false;
    }
    return true;
}

/* Whether threads that meet at `op` are always at the same place of the text. */
static bool meets_in_step(const struct poll *p, const struct op *op) {
    int places = 0;
    for (int pc = 0; pc < p->code->nins; pc++)
        places += may_meet(p, pc, op);
    if (places == 1) return true;
    for (int pc = 0; pc < p->code->nins; pc++) {
        int next[2];
        const struct code_loop *around = poll_around(p, pc);
        if (!may_meet(p, pc, op)) continue;
        if (!has_fixed_mask(p, meeting_at(p, pc)) || !is_idle_op(meeting_at(p, pc))) return false;
        for (int k = code_successors(p->code, pc, next); k-- > 0;)
            if (!has_one_next(p, op, next[k], around)) return false;
        if (around && !leaves_to_one(p, op, around)) return false;
    }
    return has_one_next(p, op, 0, NULL);
}

static bool is_of_one_text(const struct poll *p, const struct op *op) {
    struct exchange_group g = exchange_find(p->test, p->cell, p->thread, op, p->arena);
    for (int k = 0; k < g.n; k++)
        if (p->test->threads[g.threads[k]].body != op->body) return false;
    return true;
}

static bool is_common(const struct poll *p, const struct code_loop *loop) {
    for (int pc = loop->first; pc <= loop->last; pc++) {
        const struct op *op = is_on_turn(loop, pc) ? meeting_at(p, pc) : NULL;
        if (op && (!is_of_one_text(p, op) || !meets_in_step(p, op))) return false;
    }
    return true;
}

/* The registers that are observed of any copy of a thread. */
static const uint64_t *find_observed(const struct test *t, const struct body *body, struct arena *a) {
    uint64_t *observed = arena_array(a, (size_t)(body->nregs + 63) / 64, sizeof *observed);
    for (int o = 0; o < t->nobs; o++)
        if (t->obs[o].is_reg && t->threads[t->obs[o].thread].body == body) set_add(observed, t->obs[o].reg);
    return observed;
}

const bool *poll_find(const struct test *t, const struct cell *cell, int thread, unsigned without,
                      struct arena *a) {
    const struct body *body = t->threads[thread].body;
    struct poll p = {.test = t, .cell = cell, .thread = thread, .arena = a};
    p.code = code_build(body, find_observed(t, body, a), without, a);
    p.common = arena_array(a, (size_t)p.code->nloops, sizeof *p.common);
    for (int k = 0; k < p.code->nloops; k++)
        p.common[k] = may_be_common(&p, &p.code->loops[k]);
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = 0; k < p.code->nloops; k++)
            if (p.common[k] && !is_common(&p, &p.code->loops[k])) {
                p.common[k] = false;
                changed = true;
            }
    }
    return p.common;
}
