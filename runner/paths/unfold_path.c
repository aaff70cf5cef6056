/* A path under construction: values, guards, events, ends. */
#include <string.h>

#include "litmus/cluster.h"
#include "paths/depend.h"
#include "paths/unfold_run.h"

enum {
    MAX_PATHS = 4096,
    MAX_FORKS = 20000,
    MAX_EVENTS = 1024,
    FORK_WORK = 10,
};

/* Values */

/* The number that a guard says a term is; or NULL. */
static const struct sym *number_by(struct arena *a, const struct guard *g, const struct sym *s) {
    if (s->kind == SYM_READ && g->sym == s && !g->holds) return sym_int(a, s->type, 0);
    bool equals = g->holds && g->sym->kind == SYM_OP && g->sym->op == EXPR_EQ && g->sym->b->kind == SYM_INT;
    return equals && sym_same(g->sym->a, s) ? g->sym->b : NULL;
}

/* The term, or the number that a guard of the path says it is. */
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

/* The value of one side of a choice. If the condition compares it, that term is taken: so sym_is_extreme
 * knows a minimum. */
static const struct sym *choice_part(struct unfolder *u, const struct unfold_run *r,
                                     const struct expr *choice, const struct sym *which,
                                     const struct expr *part) {
    const struct expr *test = choice->a;
    bool compares = which->kind == SYM_OP && which->op == test->kind && test->b && which->b;
    if (compares && test->a == part) return which->a;
    if (compares && test->b == part) return which->b;
    return unfold_value(u, r, part);
}

/* What a register holds. Gives up where the term has too much weight. */
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
    case EXPR_RANK: return sym_int(u->arena, e->type, cluster_rank(u->cell->placement, u->number));
    case EXPR_RANKS: return sym_int(u->arena, e->type, cluster_size(u->test, u->cell->placement, u->number));
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
    if (r->written) n->written = copy(a, r->written, nregs, sizeof *r->written);
    n->turns = copy(a, r->turns, (size_t)code->nloops, sizeof *r->turns);
    return n;
}

void unfold_end(struct unfolder *u, struct unfold_run *r, enum path_end end) {
    struct unfolding *out = u->out;
    if (r->strayed && r->writes == r->writes_before) return;
    if (r->strayed) end = r->strayed;
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

static bool is_noticed_op(const struct op *op) {
    return !op_kinds[op->kind].idle && op->kind != OP_TRAP;
}

/* Whether an operation that others notice may come behind the run's instruction, without another turn of a
 * loop. */
static bool is_noticed_behind(const struct unfolder *u, const struct unfold_run *r) {
    int n = u->code->nins, next[2], *todo = arena_array(u->arena, (size_t)n + 1, sizeof *todo), ntodo = 0;
    bool *seen = arena_array(u->arena, (size_t)n, sizeof *seen);
    for (int pc = r->pc;; pc = todo[--ntodo]) {
        const struct ins *i = &u->code->ins[pc];
        if (pc != r->pc && i->kind == INS_OP && is_noticed_op(i->stmt->op)) return true;
        for (int k = code_successors(u->code, pc, next) - 1; k >= 0; k--) {
            if (next[k] > pc && !seen[next[k]]) todo[ntodo++] = next[k];
            if (next[k] > pc) seen[next[k]] = true;
        }
        if (!ntodo) return false;
    }
}

void unfold_stray(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt, enum path_end end,
                  int loc, const struct sym *index) {
    if (!r->strayed) {
        r->path.stmt = stmt;
        r->path.loc = loc;
        r->path.index = index;
        struct unfold_run *way = unfold_fork(u, r);
        unfold_end(u, r, end);
        r = way;
        r->strayed = end;
        r->writes_before = r->writes;
    }
    if (!is_noticed_behind(u, r)) {
        unfold_end(u, r, end);
        return;
    }
    r->from = r->pc++;
    unfold_later(u, r);
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
    p->guards[p->nguards++] = (struct guard){.sym = s, .holds = holds, .events = p->nevents};
    return true;
}

void unfold_assume_quiet(struct unfolder *u, struct unfold_run *r, const struct sym *same, bool holds) {
    int before = r->path.nguards;
    unfold_assume(u, r, same, holds);
    if (r->path.nguards > before) r->path.guards[before].quiet = true;
}

/* Events */

/* Whether others may notice an event, so that a turn with it is not idle. */
static bool is_noticed(enum event_kind kind) {
    switch (kind) {
    case EVENT_READ:
    case EVENT_FENCE:
    case EVENT_COMPLETE:
    case EVENT_DEPEND:
    case EVENT_TAKE:
    case EVENT_TRY: return false;
    case EVENT_INIT:
    case EVENT_WRITE:
    case EVENT_ARRIVE:
    case EVENT_WAIT:
    case EVENT_ISSUE:
    case EVENT_TRIGGER:
    case EVENT_COUNT: return true;
    }
    return true;
}

struct event *unfold_event(struct unfolder *u, struct unfold_run *r, enum event_kind kind,
                           const struct stmt *stmt) {
    struct path *p = &r->path;
    if (p->nevents == r->event_cap) {
        int cap = r->event_cap + r->event_cap / 2 + 8;
        p->events = arena_grow(u->arena, p->events, (size_t)p->nevents, (size_t)cap, sizeof *p->events);
        r->event_cap = cap;
    }
    if (p->nevents == MAX_EVENTS) r->overflow = "a thread has too many events";
    struct event *e = &p->events[p->nevents++];
    *e = (struct event){.kind = kind,
                        .stmt = stmt,
                        .loc = -1,
                        .element = -1,
                        .lane = -1,
                        .va = -1,
                        .read = -1,
                        .rmw = -1,
                        .mbarrier = -1,
                        .token = -1};
    e->strength = op_strength(u->test, u->cell, stmt->op);
    const struct op_row *row = &op_rows[stmt->op->name];
    e->proxy = stmt->op->proxy;
    e->spaces = row->spaces;
    e->own = row->own;
    e->step = r->step;
    e->written = unfold_written_event(u, r, kind, stmt->op);
    if (is_noticed(kind)) r->writes++;
    return e;
}

struct reads unfold_needs(const struct unfolder *u, const struct unfold_run *r, const struct sym *value) {
    return depend_reads(&r->path, value, u->budget);
}

void unfold_set_result(struct unfold_run *r, const struct op *op, const struct sym *value) {
    if (op->dst < 0) return;
    r->cells[op->dst] = value;
    unfold_written_result(r, op, value);
}
