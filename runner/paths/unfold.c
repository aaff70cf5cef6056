#include "logic/prunings.h"
#include "logic/rel.h"
#include "paths/depend.h"
#include "paths/poll.h"
#include "paths/unfold_run.h"

enum { MAX_STEPS = 20000 };

static void go(struct unfold_run *r, int target) {
    r->from = r->pc;
    r->pc = target;
}

/* Goes both ways where the guards allow both: a fork goes on behind the branch, `r` takes the jump. False
 * when `r` cannot. */
static bool run_branch(struct unfolder *u, struct unfold_run *r, const struct ins *i) {
    const struct sym *cond = unfold_value(u, r, i->stmt->value);
    unfold_written_branch(r, i->stmt->value);
    if (sym_is_nonzero(cond)) cond = sym_int(u->arena, type_int, 1);
    if (cond->kind == SYM_INT) {
        go(r, sym_is_true(cond, NULL) == i->when ? i->target : r->pc + 1);
        return true;
    }
    unfold_note_guard(u->code, r);
    struct unfold_run *other = unfold_fork(u, r);
    if (unfold_assume(u, other, cond, !i->when)) {
        go(other, other->pc + 1);
        unfold_later(u, other);
    }
    if (!unfold_assume(u, r, cond, i->when)) return false;
    go(r, i->target);
    return true;
}

/* Ends a run that has become too large. In a loop whose turns are counted it is cut off, as if the bound were
 * the turns that it has taken; else the thread is given up. */
static void end_too_large(struct unfolder *u, struct unfold_run *r) {
    if (!unfold_counts(u->code, r)) {
        unfold_give_up(u, r->overflow);
        return;
    }
    for (int k = 0; k < u->code->nloops; k++)
        if (r->turns[k].inside && r->turns[k].turns < u->out->turns) u->out->turns = r->turns[k].turns;
    unfold_end(u, r, PATH_CUT);
}

static void set_register(struct unfolder *u, struct unfold_run *r, const struct stmt *s) {
    r->cells[s->reg] = unfold_value(u, r, s->value);
    if (r->written) r->written[s->reg] = unfold_written(r, s->value);
}

/* One instruction. False when this run is over. */
static bool step(struct unfolder *u, struct unfold_run *r) {
    const struct ins *i = &u->code->ins[r->pc];
    if (!budget_pay(u->budget, 1)) {
        unfold_give_up(u, u->budget->spent);
        return false;
    }
    if (++r->steps > MAX_STEPS) r->overflow = "a thread takes too many steps";
    if (r->overflow) {
        end_too_large(u, r);
        return false;
    }
    if (r->strayed && r->from > r->pc) { /* another turn of a loop, of which there would be too many */
        unfold_end(u, r, r->strayed);
        return false;
    }
    if (!unfold_loops(u, r)) return false;
    switch (i->kind) {
    case INS_END: unfold_end(u, r, PATH_DONE); return false;
    case INS_JUMP: go(r, i->target); return true;
    case INS_BRANCH: return run_branch(u, r, i);
    case INS_SET: set_register(u, r, i->stmt); break;
    case INS_OP:
        if (!unfold_op(u, r, i->stmt)) return false;
        break;
    }
    go(r, r->pc + 1);
    return true;
}

static struct unfold_run *first_run(struct unfolder *u) {
    struct arena *a = u->arena;
    size_t nregs = (size_t)u->code->body->nregs;
    struct unfold_run *r = arena_alloc(a, sizeof *r);
    r->from = -1;
    r->cells = arena_array(a, nregs, sizeof *r->cells);
    for (size_t k = 0; k < nregs; k++)
        r->cells[k] = sym_int(a, u->code->body->regs[k].type, 0);
    if (u->syntactic) r->written = arena_array(a, nregs, sizeof *r->written);
    r->turns = arena_array(a, (size_t)u->code->nloops, sizeof *r->turns);
    return r;
}

/* Finds the paths on which no loop takes more than `unroll` turns that are counted. */
static void unfold(struct unfolder *u, int unroll) {
    *u->out = (struct unfolding){.turns = unroll};
    u->unroll = unroll;
    u->cap = u->forks = 0;
    u->pending = first_run(u);
    while (u->pending && !u->failed && !u->out->why) {
        struct unfold_run *r = u->pending;
        u->pending = r->next;
        while (step(u, r) && !u->out->why) {
        }
    }
}

/* Prunings that do not compare registers which a loop carries, or put another term in the place of a read.
 * Then it is not known from which reads the text computes these registers. */
static const unsigned blind_to_text = 1u << PRUNE_POLLS | 1u << PRUNE_REPEATS | 1u << PRUNE_FAINT;

/* If there are too many paths, but only because loops take turns, the bound is lowered. */
bool unfold_thread(const struct test *t, const struct cell *cell, int thread, bool syntactic,
                   const struct model_limits *limits, struct search_budget *budget, struct arena *a,
                   struct unfolding *out, struct diag *d) {
    const struct thread *th = &t->threads[thread];
    uint64_t *observed = arena_array(a, (size_t)(th->body->nregs + 63) / 64, sizeof *observed);
    for (int o = 0; o < t->nobs; o++)
        if (t->obs[o].is_reg && t->obs[o].thread == thread) set_add(observed, t->obs[o].reg);
    unsigned without = limits->without | (syntactic ? blind_to_text : 0);
    struct unfolder u = {.test = t,
                         .cell = cell,
                         .thread = th,
                         .number = thread,
                         .code = code_build(th->body, observed, without, a),
                         .without = without,
                         .syntactic = syntactic,
                         .budget = budget,
                         .arena = a,
                         .diag = d,
                         .out = out};
    u.polls = poll_find(t, cell, thread, without, a);
    for (int turns = limits->unroll > 0 ? limits->unroll : DEFAULT_UNROLL; turns > 0;
         turns = turns > 4 ? turns / 2 : turns - 1) {
        unfold(&u, turns);
        if (!out->why || u.failed || budget->spent || !u.counted) break;
    }
    depend_on_branches(out, t, budget, a);
    return !u.failed;
}
