#include "explain/candidate.h"

#include <stdlib.h>

#include "base/clock.h"
#include "model/axioms.h"
#include "model/parts.h"
#include "model/reach.h"
#include "search/outcome.h"

/* How many candidates are compared: allowed ones, those that break a few axioms, and those that may break
 * all. */
enum { MOST_ALLOWED = 64, MOST_BROKEN = 32, MOST_TOLERANT = 20000 };

/* No more axioms than this are left out together, and each such search has one of so many shares of the work. */
enum { MOST_LEFT_OUT = 3, SHARES = 8, MOST_WORK = 40 * 1000 * 1000 };

struct candidate_search {
    const struct model *model;
    const struct test *test;
    const struct cell *cell;
    struct arena *scratch;      /* of one candidate */
    struct model_limits limits; /* all searches together */
    candidate_fn *show;
    void *ctx;
    bool breaking;
    struct value values[TEST_MAX_OBS];
    int left; /* candidates that are still looked at in this search */
    int best; /* the words of the best so far; -1: there is none */
    const char *spent;
};

static bool is_no_witness(const struct value *values, void *ctx) {
    struct candidate_search *f = ctx;
    if (expr_is_true(f->test->cond.prop, &(struct expr_env){.obs = values}) == f->breaking) return true;
    memcpy(f->values, values, (size_t)f->test->nobs * sizeof *values);
    return false;
}

/* Whether fences, barriers or releases have a part in a reason. A reason without them forbids the outcome
 * whatever the fence, and says less about the cell. */
static bool has_synchronization(const struct search *s, const struct reason *r) {
    for (int k = 0; k < r->nsteps; k++) {
        const struct node_event *to = &s->graph->events[r->steps[k].to];
        if (strcmp(r->steps[k].rel, "synchronizes") == 0 || (to->event && to->address < 0)) return true;
    }
    return false;
}

/* How many reads would have to see what their own thread writes later. A candidate with such a read says less
 * than any other. */
static int count_foreseen(const struct search *s) {
    int foreseen = 0;
    for (int k = 0; k < s->nreads; k++)
        foreseen += graph_relates(s->graph, GIVEN_PO, s->reads[k], s->source[s->reads[k]]);
    return foreseen;
}

/* How many words a candidate takes: by the axioms that it breaks, then by the steps of its first reason. Of
 * an allowed one: how many reads see an old value. */
static int count_words(const struct search *s, const struct reason *reasons, int n) {
    int stale = 0;
    if (n)
        return 1000 * n + reasons[0].weight + (has_synchronization(s, &reasons[0]) ? 0 : 500) +
               600 * count_foreseen(s);
    const uint64_t *co = eval_value(&s->eval, s->plan->orders[ORDER_CO].node);
    for (int k = 0; k < s->nreads; k++)
        stale += bits_any(rel_crow(s->eval.dim, co, s->source[s->reads[k]]), (size_t)s->eval.dim.words);
    return stale;
}

static double time_left(const struct candidate_search *f) {
    return f->limits.until - (f->limits.seconds > 0 ? clock_now() : clock_processor());
}

static bool is_over(const struct candidate_search *f) {
    bool late = f->limits.until > 0 && time_left(f) < 0;
    return late || (f->limits.stop && *f->limits.stop);
}

static bool on_candidate(struct search *s, void *ctx) {
    struct candidate_search *f = ctx;
    if (outcome_each(s, is_no_witness, f) || s->budget->spent) return true;
    if (!budget_has_room(s->budget, 2 * eval_bytes(f->model->plan, s->graph->dim))) return false;
    struct graph g;
    int n;
    arena_reset(f->scratch);
    struct search here = *s;
    here.arena = f->scratch;
    struct search full = s->eval.tolerant ? here : search_retell(&here, f->model->plan, &g);
    struct reason *reasons = reason_find(&full, f->values, f->scratch, &n);
    int words = count_words(&full, reasons, n);
    if (f->best < 0 || words < f->best) {
        f->best = words;
        struct candidate c = {&full, f->values, f->breaking, reasons, n};
        f->show(&c, f->ctx);
    }
    if (n == 1 && f->left > MOST_ALLOWED) f->left = MOST_ALLOWED;
    return --f->left > 0 && f->best != 0 && !is_over(f);
}

static bool may_hold(const struct search *s, void *ctx) {
    return reach_may_be(s, !((struct candidate_search *)ctx)->breaking);
}

/* Searches the candidates of a plan, at most `most` of those that give the outcome, with 1/share of what may be done. What it
 * ran out of goes to f->spent. */
static bool search_plan(struct candidate_search *f, const struct model_plan *plan, int most, bool tolerant,
                        int share, struct diag *d) {
    struct model_limits limits = f->limits;
    struct judge j;
    if (f->limits.until > 0) limits.until -= time_left(f) * (share - 1) / share;
    if (share > 1) limits.candidates = (limits.candidates > 0 ? limits.candidates : MOST_WORK) / share;
    bool ok = judge_open(&j, plan, f->test, f->cell, &limits, d);
    f->left = most;
    j.tolerant = tolerant;
    j.leaf = on_candidate;
    j.wanted = may_hold;
    j.budget.counting = 0;
    j.ctx = f;
    if (ok) judge_find_twins(&j, false);
    if (ok) judge_complete(&j);
    f->spent = j.budget.spent;
    judge_close(&j);
    return ok;
}

/* Searches with n axioms left out, for each choice of n axioms. */
static bool search_without(struct candidate_search *f, int n, struct diag *d) {
    int naxioms = f->model->plan->naxioms;
    bool ok = true;
    for (unsigned long long set = 1; naxioms < 20 && set < 1ull << naxioms && ok; set++) {
        if (__builtin_popcountll(set) != n || is_over(f)) continue;
        struct arena *a = arena_open();
        ok = search_plan(f, axioms_leave_out(a, f->model, set), MOST_BROKEN, false, SHARES, d);
        arena_close(a);
    }
    return ok;
}

/* Searches with all axioms; if that finds nothing, with one, two or three left out; last without any. If the
 * first search ended early, the others are not tried: what is allowed must not be told as forbidden. */
static bool search_all(struct candidate_search *f, struct diag *d) {
    f->best = -1;
    bool ok = search_plan(f, f->model->plan, MOST_ALLOWED, false, 1, d);
    if (!ok || f->best >= 0 || f->spent) return ok;
    for (int n = 1; ok && f->best < 0 && n <= MOST_LEFT_OUT && n <= f->model->plan->naxioms; n++)
        ok = search_without(f, n, d);
    if (ok && f->best < 0) ok = search_plan(f, f->model->plan, MOST_TOLERANT, true, 1, d);
    return ok;
}

static bool never(struct search *s, void *ctx) {
    (void)s;
    *(bool *)ctx = true;
    return false;
}

/* Whether some execution ends, whatever its outcome, if nothing is forbidden. Yes if the budget is spent. */
static bool ends(struct candidate_search *f, struct diag *d) {
    struct judge j;
    bool any = false, ok = judge_open(&j, f->model->reach, f->test, f->cell, &f->limits, d);
    j.leaf = never;
    j.ctx = &any;
    if (ok) judge_find_twins(&j, false);
    if (ok) judge_complete(&j);
    any = any || j.budget.spent;
    judge_close(&j);
    return any;
}

/* A `forall` is best shown by an outcome that breaks it. Where the search for one is given up, an outcome
 * that does not is shown. */
bool candidate_find(const struct model *m, const struct test *t, const struct cell *cell,
                    const struct model_limits *limits, candidate_fn *show, void *ctx,
                    enum candidate_answer *answer, const char **why, struct diag *d) {
    struct candidate_search f = {
        .model = m, .test = t, .cell = cell, .scratch = arena_open(), .show = show, .ctx = ctx};
    f.limits = model_limits_begin(limits);
    f.limits.unroll = model_unroll(m, t, cell, &f.limits);
    f.breaking = t->cond.kind == FORALL;
    bool ok = search_all(&f, d);
    if (ok && f.best < 0 && f.spent && f.breaking) {
        f.breaking = false;
        ok = search_all(&f, d);
    }
    *why = f.spent;
    *answer = f.best >= 0 ? CANDIDATE_FOUND : f.spent ? CANDIDATE_UNKNOWN : CANDIDATE_NONE;
    if (ok && f.best != 0 && *answer != CANDIDATE_UNKNOWN && !ends(&f, d)) *answer = CANDIDATE_ENDLESS;
    arena_close(f.scratch);
    return ok;
}
