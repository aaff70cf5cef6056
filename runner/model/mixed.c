#include "model/mixed.h"

#include "litmus/cluster.h"
#include "search/outcome.h"

/* The work for the outcomes that atomicity allows, a fifth of a second; and how many are listed. */
enum { ATOMIC_WORK = 1000 * 1000, MOST_OUTCOMES = 1 << 12 };

/* Of two atomic operations that share bytes, each in the other's scope, one comes before the other, with all
 * its events: so this relation has no cycle. */
#define MUTUAL "RMW * RMW & scoped & scoped^-1"
static const char initial[] = "IW * (W \\ IW) & loc", either[] = "W * W & loc & " MUTUAL,
                  turns[] = "((rf | co | (fr \\ rmw)) & " MUTUAL "); (part | rmw | rmw^-1)^*";

const struct model_plan *mixed_plan(struct arena *a) {
    struct diag none = {0};
    struct cat_stmt *co = arena_alloc(a, sizeof *co), *atomicity = arena_alloc(a, sizeof *atomicity);
    *co = (struct cat_stmt){.kind = CAT_WITH,
                            .name = "co",
                            .expr = (struct cat_expr *)cat_read_expr(a, initial),
                            .either = (struct cat_expr *)cat_read_expr(a, either),
                            .next = atomicity};
    *atomicity = (struct cat_stmt){
        .kind = CAT_CHECK, .check = CHECK_ACYCLIC, .expr = (struct cat_expr *)cat_read_expr(a, turns)};
    return plan_build(a, co, &none);
}

/* Stops at the first execution of which the remark is true. */
static bool on_race(struct search *s, void *ctx) {
    (void)s;
    *(bool *)ctx = true;
    return false;
}

static bool shares_bytes(const struct test *t) {
    for (int l = 0; l < t->nlocs; l++)
        if (t->locs[l].view && !t->locs[l].in_each) return true;
    return false;
}

static bool uses_maps(const struct test *t) {
    for (int l = 0; l < t->nlocs; l++)
        if (t->locs[l].map) return true;
    return false;
}

static bool uses_mbarriers(const struct test *t) {
    for (int k = 1; k <= t->nops; k++)
        if (op_kinds[t->ops[k].kind].mbarrier) return true;
    return false;
}

static bool closes_mbarriers(const struct test *t) {
    for (int k = 1; k <= t->nops; k++)
        if (op_closes(&t->ops[k])) return true;
    return false;
}

/* Whether a remark is true of some allowed execution: whether the plan, in which it is one more axiom, allows
 * any. */
static bool is_remarked(struct judge *j, const struct model_plan *remark) {
    const struct model_plan *plan = j->plan;
    bool found = false;
    j->plan = remark;
    j->leaf = on_race;
    j->wanted = NULL;
    j->ctx = &found;
    judge_find_twins(j, true);
    judge_complete(j);
    j->plan = plan;
    j->stopped = false;
    return found;
}

/* Whether some operation that is none on mbarriers accesses a location. */
static bool is_accessed(const struct test *t, int loc) {
    for (int k = 1; k <= t->nops; k++)
        for (int place = 0; place < OP_DATA && !op_kinds[t->ops[k].kind].mbarrier; place++)
            if (op_kinds[t->ops[k].kind].touches[place] && t->ops[k].place[place].loc == loc) return true;
    return false;
}

/* Whether something reads or writes the bytes of an mbarrier. */
static bool bares_mbarriers(const struct test *t) {
    for (int k = 1; k <= t->nops; k++)
        if (op_kinds[t->ops[k].kind].mbarrier && is_accessed(t, t->ops[k].place[0].loc)) return true;
    return false;
}

bool mixed_race(struct judge *j, const struct model_plan *undefined) {
    bool asked = shares_bytes(j->test) || uses_maps(j->test) || bares_mbarriers(j->test);
    return undefined && asked && is_remarked(j, undefined);
}

bool mixed_fault(struct judge *j, const struct model_plan *fault) {
    return fault && uses_mbarriers(j->test) && is_remarked(j, fault);
}

bool mixed_closed(struct judge *j, const struct model_plan *closed) {
    return closed && closes_mbarriers(j->test) && is_remarked(j, closed);
}

bool mixed_gone(struct judge *j, const struct model_plan *gone) {
    return gone && cluster_first_op(j->test) && is_remarked(j, gone);
}

/* Atomic locations: only atomic operations access them, each in the scope of all others, and what one writes
 * depends on nothing but what it has read. */

struct atomics {
    const struct judge *judge;
    unsigned *scopes; /* thread and location -> the scopes of the thread's operations there, a bit each */
    bool *broken;     /* location -> it is not atomic */
};

static unsigned *scopes_of(const struct atomics *a, int thread, int loc) {
    return &a->scopes[thread * a->judge->test->nlocs + loc];
}

/* Whether a write's value is computed from what the same operation has read. */
static bool is_own_value(const struct path *p, const struct event *write) {
    struct reads others = write->value->reads;
    for (int k = 0; k < p->nevents; k++) {
        const struct event *e = &p->events[k];
        if (e->rmw < 0 || e->read < 0 || e->agent != write->agent) continue;
        if (p->events[e->rmw].step == write->step) set_remove(others.bits, e->read);
    }
    return !bits_any(others.bits, MAX_READS / 64);
}

static void look_at_path(struct atomics *a, int thread, const struct path *p) {
    for (int k = 0; k < p->nevents; k++) {
        const struct event *e = &p->events[k];
        if (e->loc < 0) continue;
        bool atomic = e->atomic && (e->kind == EVENT_READ || is_own_value(p, e));
        if (!atomic) a->broken[e->loc] = true;
        *scopes_of(a, thread, e->loc) |= 1u << e->strength.scope;
    }
}

/* Whether all scopes of a thread's operations on a location include another thread that accesses it. */
static bool reaches(const struct atomics *a, int loc, int thread, int other) {
    unsigned scopes = *scopes_of(a, thread, loc);
    if (thread == other || !*scopes_of(a, other, loc)) return true;
    for (enum scope s = SCOPE_NONE; scopes >> s; s++)
        if (scopes >> s & 1 && !scope_includes(s, a->judge->cell->placement, thread, other)) return false;
    return true;
}

static void find_atomics(struct atomics *a) {
    const struct test *t = a->judge->test;
    for (int k = 0; k < t->nthreads; k++)
        for (int p = 0; p < a->judge->unfoldings[k].npaths; p++)
            look_at_path(a, k, &a->judge->unfoldings[k].paths[p]);
    for (int l = 0; l < t->nlocs; l++)
        for (int x = 0; x < t->nthreads; x++)
            for (int y = 0; y < t->nthreads; y++)
                a->broken[l] = a->broken[l] || !reaches(a, l, x, y);
}

/* The reads of a path that are of atomic locations. */
static struct reads atomic_reads(const struct atomics *a, const struct path *p) {
    struct reads reads = {{0}};
    for (int k = 0; k < p->nevents; k++)
        if (p->events[k].read >= 0 && p->events[k].loc >= 0 && !a->broken[p->events[k].loc])
            set_add(reads.bits, p->events[k].read);
    return reads;
}

static bool are_all_of(const struct reads *some, const struct reads *all) {
    for (int w = 0; w < MAX_READS / 64; w++)
        if (some->bits[w] & ~all->bits[w]) return false;
    return true;
}

/* Whether what a thread does on a path, and what is observed of it there, depends on atomic reads alone. */
static bool is_path_atomic(const struct atomics *a, int thread, const struct path *p) {
    const struct test *t = a->judge->test;
    struct reads atomic = atomic_reads(a, p);
    if (p->end != PATH_DONE && p->end != PATH_STUCK) return false;
    for (int k = 0; k < p->nguards; k++)
        if (!are_all_of(&p->guards[k].sym->reads, &atomic)) return false;
    for (int o = 0; o < t->nobs; o++)
        if (t->obs[o].is_reg && t->obs[o].thread == thread &&
            !are_all_of(&p->regs[t->obs[o].reg]->reads, &atomic))
            return false;
    return true;
}

static bool is_all_atomic(const struct atomics *a) {
    const struct test *t = a->judge->test;
    for (int o = 0; o < t->nobs; o++)
        if (!t->obs[o].is_reg && a->broken[location_root(t, t->obs[o].loc)]) return false;
    for (int k = 0; k < t->nthreads; k++)
        for (int p = 0; p < a->judge->unfoldings[k].npaths; p++)
            if (!is_path_atomic(a, k, &a->judge->unfoldings[k].paths[p])) return false;
    return true;
}

static bool add_outcome(const struct value *values, void *ctx) {
    struct histogram *outcomes = ctx;
    histogram_add(outcomes, values, 1);
    return outcomes->n <= MOST_OUTCOMES;
}

static bool on_turns(struct search *s, void *ctx) {
    return outcome_each(s, add_outcome, ctx);
}

/* Searches for all outcomes within some work. */
static bool list_outcomes(struct judge *j, const struct model_plan *atomics, struct histogram *outcomes) {
    const struct model_plan *plan = j->plan;
    struct search_budget before = j->budget;
    if (j->budget.left > ATOMIC_WORK) j->budget.left = ATOMIC_WORK;
    j->plan = atomics;
    j->turns = NULL;
    j->leaf = on_turns;
    j->wanted = NULL;
    j->ctx = outcomes;
    j->stopped = false;
    judge_find_twins(j, true);
    judge_complete(j);
    bool all = outcomes_exchange(outcomes, j->test, j->twins, MOST_OUTCOMES, &j->budget) &&
               !j->budget.spent && outcomes->n <= MOST_OUTCOMES;
    j->budget = before;
    j->plan = plan;
    j->stopped = false;
    return all;
}

bool mixed_outcomes(struct judge *j, const struct model_plan *atomics, struct histogram *outcomes) {
    const struct test *t = j->test;
    struct arena *scratch = arena_open();
    struct atomics a = {.judge = j};
    a.scopes = arena_array(scratch, (size_t)t->nthreads * (size_t)t->nlocs + 1, sizeof *a.scopes);
    a.broken = arena_array(scratch, (size_t)t->nlocs + 1, sizeof *a.broken);
    find_atomics(&a);
    bool found = is_all_atomic(&a) && list_outcomes(j, atomics, outcomes);
    arena_close(scratch);
    return found;
}
