#include "model/reach.h"

#include "litmus/view.h"
#include "logic/rel.h"
#include "paths/solve.h"
#include "search/outcome.h"

/* The work that may be done for a cell: some milliseconds. What more work might rule out counts as reached. */
enum { REACH_WORK = 20000 };

/* The observables of a part of the proposition are looked at if they can end in at most so many ways. */
enum { MAX_ENDS = 64 };

const struct model_plan *reach_plan(struct arena *a) {
    struct diag none = {0};
    struct cat_stmt *co = arena_alloc(a, sizeof *co);
    *co = (struct cat_stmt){.kind = CAT_WITH,
                            .name = "co",
                            .expr = (struct cat_expr *)cat_read_expr(a, "0"),
                            .either = (struct cat_expr *)cat_read_expr(a, "0")};
    return plan_build(a, co, &none);
}

/* What a part of the proposition may still become while a candidate grows. */
struct prospect {
    bool yes, no;
};

static const struct prospect anything = {true, true};

/* The observables that a part of the proposition reads. */
static void find_observables(const struct expr *e, bool *reads) {
    if (!e) return;
    if (e->kind == EXPR_OBS) reads[e->index] = true;
    find_observables(e->a, reads);
    find_observables(e->b, reads);
    find_observables(e->c, reads);
}

/* The values that a register may end with: what it has, or what the writes hold that its only read may still read. */
static int find_register_ends(const struct search *s, const struct observable *obs, struct value *ends) {
    const struct graph *g = s->graph;
    const struct sym *reg = g->paths[obs->thread]->regs[obs->reg];
    int n = 0, words = s->eval.dim.words, read = g->first[obs->thread];
    if (search_knows(s, obs->thread, &reg->reads)) {
        ends[0] = sym_eval(reg, s->read_values[obs->thread]);
        return 1;
    }
    if (reg->kind != SYM_READ) return 0;
    while (g->events[read].event->read != reg->read)
        read++;
    for (int w = set_first(s->sources[read], words); w >= 0; w = set_next(s->sources[read], words, w)) {
        if (!s->known[w] || n == MAX_ENDS) return 0;
        ends[n++] = s->value[w];
    }
    return n;
}

/* The values that a location may end with. */
static int find_location_ends(const struct search *s, const struct observable *obs, struct value *ends) {
    const struct graph *g = s->graph;
    int n = 0;
    if (type_is_vector(obs->type) || g->test->locs[obs->loc].grain) return 0;
    int address = outcome_address(g, obs, 0);
    if (address < 0) {
        ends[0] = location_init(&g->test->locs[obs->loc], obs->index);
        return 1;
    }
    for (int e = 0; e < g->dim.n; e++) {
        const struct node_event *event = &g->events[e];
        if (event->address != address || (event->event && event->event->kind != EVENT_WRITE)) continue;
        if (!s->eval.tolerant && !outcome_is_final(s, e)) continue; /* co only grows */
        if (!s->known[e] || n == MAX_ENDS) return 0;
        ends[n++] = s->value[e];
    }
    return n;
}

/* The values that an observable may end with, in this candidate or one that it grows into. Returns how many; 0: it cannot
 * be said. */
static int find_ends(const struct search *s, const struct observable *obs, struct value *ends) {
    return obs->is_reg ? find_register_ends(s, obs, ends) : find_location_ends(s, obs, ends);
}

/* What a part of the proposition may become, over all ways in which its observables from `o` on can end.
 * `ways` counts these. */
static struct prospect try_ends(const struct search *s, const struct expr *e, const bool *reads, int o,
                                int *ways, struct value *values) {
    const struct test *t = s->graph->test;
    struct value ends[MAX_ENDS];
    while (o < t->nobs && !reads[o])
        o++;
    if (o == t->nobs) {
        bool holds = expr_is_true(e, &(struct expr_env){.obs = values});
        return (struct prospect){holds, !holds};
    }
    const struct observable *obs = &t->obs[o];
    int n = find_ends(s, obs, ends);
    if (n == 0) return anything;
    *ways = *ways > MAX_ENDS / n ? MAX_ENDS + 1 : *ways * n;
    if (*ways > MAX_ENDS) return anything;
    struct prospect all = {false, false};
    for (int k = 0; k < n; k++) {
        values[o] = ends[k];
        struct prospect here = try_ends(s, e, reads, o + 1, ways, values);
        all = (struct prospect){all.yes || here.yes, all.no || here.no};
    }
    return all;
}

static struct prospect prospect_of(const struct search *s, const struct expr *e) {
    if (e->kind == EXPR_LAND || e->kind == EXPR_LOR) {
        struct prospect a = prospect_of(s, e->a), b = prospect_of(s, e->b);
        if (e->kind == EXPR_LAND) return (struct prospect){a.yes && b.yes, a.no || b.no};
        return (struct prospect){a.yes || b.yes, a.no && b.no};
    }
    if (e->kind == EXPR_NOT) {
        struct prospect a = prospect_of(s, e->a);
        return (struct prospect){a.no, a.yes};
    }
    struct value values[TEST_MAX_OBS];
    bool reads[TEST_MAX_OBS] = {false};
    int ways = 1;
    find_observables(e, reads);
    return try_ends(s, e, reads, 0, &ways, values);
}

bool reach_may_be(const struct search *s, bool what) {
    struct prospect p = prospect_of(s, s->graph->test->cond.prop);
    return what ? p.yes : p.no;
}

bool reach_may_give(const struct search *s, const struct value *values) {
    const struct test *t = s->graph->test;
    for (int o = 0; o < t->nobs; o++) {
        struct value ends[MAX_ENDS];
        int n = find_ends(s, &t->obs[o], ends), k = 0;
        while (k < n && !value_equal(ends[k], values[o]))
            k++;
        if (n > 0 && k == n) return false;
    }
    return true;
}

static bool may_hold(const struct search *s, void *ctx) {
    (void)ctx;
    return reach_may_be(s, true);
}

static bool fails(const struct value *values, void *ctx) {
    const struct test *t = ctx;
    return !expr_is_true(t->cond.prop, &(struct expr_env){.obs = values});
}

/* Stops at the first candidate in which the proposition holds. */
static bool on_candidate(struct search *s, void *ctx) {
    bool *reached = ctx;
    *reached = !outcome_each(s, fails, (void *)s->graph->test);
    return !*reached;
}

/* Whether some thread writes a location at some time, within the unroll bound. */
static bool is_written(const struct judge *j, int loc) {
    for (int t = 0; t < j->test->nthreads; t++)
        for (int k = 0; k < j->unfolded[t].npaths; k++) {
            const struct path *p = &j->unfolded[t].paths[k];
            for (int e = 0; e < p->nevents; e++)
                if (p->events[e].kind == EVENT_WRITE && p->events[e].loc == loc) return true;
        }
    return false;
}

/* Whether a path is cut off, and its guards can hold if locations that nobody writes have their initial
 * values. */
static bool goes_on(struct judge *j, const struct path *p) {
    struct circuit_reads known = {.known = {{0}}};
    if (p->end != PATH_CUT) return false;
    for (int k = 0; k < p->nevents; k++) {
        const struct event *e = &p->events[k];
        if (e->kind != EVENT_READ || is_written(j, e->loc)) continue;
        struct value whole = location_init(&j->test->locs[e->loc], e->element);
        known.values[e->read] = value_lane(view_parts(j->test, e->loc), whole, e->lane);
        set_add(known.known.bits, e->read);
    }
    return solve_possible(p, &known, &j->budget);
}

/* Whether some thread may go on beyond the bound, where it may write other values than all paths do. */
static bool is_cut_off(struct judge *j) {
    for (int t = 0; t < j->test->nthreads; t++)
        for (int k = 0; k < j->unfolded[t].npaths; k++)
            if (goes_on(j, &j->unfolded[t].paths[k])) return true;
    return false;
}

bool reach_is_impossible(struct judge *j, const struct model_plan *free) {
    struct search_budget before = j->budget;
    const struct model_plan *plan = j->plan;
    bool reached = false;
    if (is_cut_off(j)) return false;
    if (j->budget.left > REACH_WORK) j->budget.left = REACH_WORK;
    j->budget.counting = 0;
    j->plan = free;
    j->turns = NULL;
    j->leaf = on_candidate;
    j->wanted = may_hold;
    j->ctx = &reached;
    judge_find_twins(j, false);
    judge_complete(j);
    bool impossible = !reached && !j->budget.spent;
    j->plan = plan;
    j->budget = before;
    return impossible;
}
