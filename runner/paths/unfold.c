#include "logic/rel.h"
#include "paths/depend.h"
#include "paths/poll.h"
#include "paths/unfold_run.h"

enum {
    MAX_PATHS = 4096,
    MAX_FORKS = 20000,
    MAX_STEPS = 20000,
    FORK_WORK = 10,
};

/* Values */

/* The number that a guard says a term is; or NULL. */
static const struct sym *number_by(struct arena *a, const struct guard *g, const struct sym *s) {
    if (s->kind == SYM_READ && g->sym == s && !g->holds) return sym_int(a, s->type, 0);
    bool equals = g->holds && g->sym->kind == SYM_OP && g->sym->op == EXPR_EQ && g->sym->b->kind == SYM_INT;
    return equals && sym_same(g->sym->a, s) ? g->sym->b : NULL;
}

/* What the guards of a path say about a term: its value where it was compared with a number. */
static const struct sym *sym_known(struct arena *a, const struct unfold_run *r, const struct sym *s) {
    if (s->kind == SYM_INT || s->type.real) return s;
    for (int k = 0; k < r->path.nguards; k++) {
        const struct sym *number = number_by(a, &r->path.guards[k], s);
        if (!number) continue;
        r->path.guards[k].used = r->steps;
        return number;
    }
    return s;
}

/* A part of a choice. What its condition compares is that term: a chain of minima has each of its terms once. */
static const struct sym *choice_part(struct unfolder *u, const struct unfold_run *r,
                                     const struct expr *choice, const struct sym *which,
                                     const struct expr *part) {
    const struct expr *test = choice->a;
    bool compares = which->kind == SYM_OP && which->op == test->kind && test->b && which->b;
    if (compares && test->a == part) return which->a;
    if (compares && test->b == part) return which->b;
    return unfold_value(u, r, part);
}

/* What a register holds. A term that is walked through too often is not judged. */
static const struct sym *register_value(struct unfolder *u, const struct unfold_run *r, int reg) {
    const struct sym *s = r->cells[reg];
    if (s->weight > SYM_MAX_WEIGHT) unfold_give_up(u, "the value of a register depends on too many choices");
    return sym_known(u->arena, r, s);
}

const struct sym *unfold_value(struct unfolder *u, const struct unfold_run *r, const struct expr *e) {
    switch (e->kind) {
    case EXPR_INT: return sym_value(u->arena, e->type, e->value);
    case EXPR_TID: return sym_int(u->arena, e->type, u->thread->tid);
    case EXPR_COUNT: return sym_int(u->arena, e->type, u->thread->body->count);
    case EXPR_BLOCK:
    case EXPR_THREAD: {
        struct expr_env env = body_env(u->thread->body, u->thread->tid);
        return sym_value(u->arena, e->type, expr_eval(e, &env));
    }
    case EXPR_REG: return register_value(u, r, e->index);
    case EXPR_LANE: return sym_lane(u->arena, unfold_value(u, r, e->a), (int)e->b->value.lo);
    default: break;
    }
    struct sym s = {.kind = SYM_OP, .op = e->kind, .type = e->type};
    s.a = unfold_value(u, r, e->a);
    if (e->kind == EXPR_COND && s.a->kind == SYM_INT)
        return unfold_value(u, r, sym_is_true(s.a, NULL) ? e->b : e->c);
    bool choice = e->kind == EXPR_COND;
    s.b = choice ? choice_part(u, r, e, s.a, e->b) : e->b ? unfold_value(u, r, e->b) : NULL;
    s.c = choice ? choice_part(u, r, e, s.a, e->c) : e->c ? unfold_value(u, r, e->c) : NULL;
    return sym_known(u->arena, r, sym_make(u->arena, s));
}

/* Runs: copying, ending */

void unfold_give_up(struct unfolder *u, const char *why) {
    u->out->why = why;
    u->pending = NULL;
}

static void *copy(struct arena *a, const void *from, size_t n, size_t size) {
    void *to = arena_array(a, n, size);
    if (n) memcpy(to, from, n * size);
    return to;
}

struct unfold_run *unfold_fork(struct unfolder *u, const struct unfold_run *r) {
    if (!budget_pay(u->budget, FORK_WORK)) unfold_give_up(u, u->budget->spent);
    if (++u->forks == MAX_FORKS) unfold_give_up(u, "a thread has too many paths");
    struct arena *a = u->arena;
    const struct code *code = u->code;
    size_t nregs = (size_t)code->body->nregs;
    struct unfold_run *n = copy(a, r, 1, sizeof *r);
    n->path.events = copy(a, r->path.events, (size_t)r->path.nevents, sizeof *r->path.events);
    n->event_cap = r->path.nevents;
    n->path.guards = copy(a, r->path.guards, (size_t)r->path.nguards, sizeof *r->path.guards);
    n->cells = copy(a, r->cells, nregs, sizeof *r->cells);
    n->turns = copy(a, r->turns, (size_t)code->nloops, sizeof *r->turns);
    return n;
}

void unfold_end(struct unfolder *u, struct unfold_run *r, enum path_end end) {
    struct unfolding *out = u->out;
    if (out->npaths == MAX_PATHS) {
        unfold_give_up(u, "a thread has too many paths");
        return;
    }
    if (out->npaths == u->cap) {
        int cap = u->cap ? 2 * u->cap : 4;
        out->paths = arena_grow(u->arena, out->paths, (size_t)out->npaths, (size_t)cap, sizeof *out->paths);
        u->cap = cap;
    }
    r->path.end = end;
    size_t nregs = (size_t)u->code->body->nregs;
    r->path.regs = arena_array(u->arena, nregs, sizeof *r->path.regs);
    for (size_t k = 0; k < nregs; k++)
        r->path.regs[k] = r->cells[k];
    out->paths[out->npaths++] = r->path;
}

void unfold_later(struct unfolder *u, struct unfold_run *r) {
    r->next = u->pending;
    u->pending = r;
}

const struct sym *unfold_normal(struct arena *a, const struct sym *s, bool *holds) {
    while (s->kind == SYM_OP && s->op == EXPR_NOT) {
        s = s->a;
        *holds = !*holds;
    }
    if (s->kind != SYM_OP || s->op != EXPR_NE) return s;
    *holds = !*holds;
    return sym_apply(a, EXPR_EQ, s->a, s->b);
}

/* Assumes that a term is, or is not, zero. False when the path knows better. */
bool unfold_assume(struct unfolder *u, struct unfold_run *r, const struct sym *s, bool holds) {
    s = unfold_normal(u->arena, s, &holds);
    if (s->kind == SYM_INT) return sym_is_true(s, NULL) == holds;
    struct path *p = &r->path;
    for (int k = 0; k < p->nguards; k++)
        if (sym_same(p->guards[k].sym, s)) {
            p->guards[k].used = r->steps;
            return p->guards[k].holds == holds;
        }
    p->guards =
        arena_grow(u->arena, p->guards, (size_t)p->nguards, (size_t)p->nguards + 1, sizeof *p->guards);
    p->guards[p->nguards++] = (struct guard){s, holds, p->nevents, false, 0};
    return true;
}

/* Control flow */

static void go(struct unfold_run *r, int target) {
    r->from = r->pc;
    r->pc = target;
}

/* Goes both ways where both are possible: `r` takes the jump if it can. False when it can go nowhere. */
static bool run_branch(struct unfolder *u, struct unfold_run *r, const struct ins *i) {
    const struct sym *cond = unfold_value(u, r, i->stmt->value);
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

/* Ends a run that has become too large. In a loop whose turns are counted, it is one that would take too many:
 * then loops were followed for no more turns than it has taken. */
static void end_too_large(struct unfolder *u, struct unfold_run *r) {
    if (!unfold_counts(u->code, r)) {
        unfold_give_up(u, r->overflow);
        return;
    }
    for (int k = 0; k < u->code->nloops; k++)
        if (r->turns[k].inside && r->turns[k].turns < u->out->turns) u->out->turns = r->turns[k].turns;
    unfold_end(u, r, PATH_CUT);
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
    if (!unfold_loops(u, r)) return false;
    switch (i->kind) {
    case INS_END: unfold_end(u, r, PATH_DONE); return false;
    case INS_JUMP: go(r, i->target); return true;
    case INS_BRANCH: return run_branch(u, r, i);
    case INS_SET: r->cells[i->stmt->reg] = unfold_value(u, r, i->stmt->value); break;
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

/* If there are too many paths, but only because loops take turns, the bound is lowered. */
bool unfold_thread(const struct test *t, const struct cell *v, int thread, const struct model_limits *limits,
                   struct search_budget *budget, struct arena *a, struct unfolding *out, struct diag *d) {
    const struct thread *th = &t->threads[thread];
    uint64_t *observed = arena_array(a, (size_t)(th->body->nregs + 63) / 64, sizeof *observed);
    for (int o = 0; o < t->nobs; o++)
        if (t->obs[o].is_reg && t->obs[o].thread == thread) set_add(observed, t->obs[o].reg);
    struct unfolder u = {.test = t,
                         .cell = v,
                         .thread = th,
                         .number = thread,
                         .code = code_build(th->body, observed, limits->without, a),
                         .without = limits->without,
                         .budget = budget,
                         .arena = a,
                         .diag = d,
                         .out = out};
    u.polls = poll_find(t, v, thread, limits->without, a);
    for (int turns = limits->unroll > 0 ? limits->unroll : DEFAULT_UNROLL; turns > 0;
         turns = turns > 4 ? turns / 2 : turns - 1) {
        unfold(&u, turns);
        if (!out->why || u.failed || budget->spent || !u.counted) break;
    }
    depend_on_branches(out, budget, a);
    return !u.failed;
}
