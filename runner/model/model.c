#include "model/model.h"

#include <limits.h>
#include <stdlib.h>

#include "cat/remark.h"
#include "model/answer.h"
#include "model/mixed.h"
#include "model/parts.h"
#include "model/race.h"
#include "model/reach.h"
#include "model/stops.h"
#include "model/unwritten.h"
#include "search/ahead.h"
#include "search/outcome.h"

/* The largest bound that is tried where the default bound of turns gives no exact answer, and the work for
 * each try: a fifth of a second. */
enum { MOST_TURNS = 4 * DEFAULT_UNROLL, DEEPER_WORK = 1000 * 1000 };

/* More outcomes of a cell are not listed. */
enum { MOST_LISTED = 1 << 16 };

const struct model *model_load(struct arena *a, const char *name, struct diag *d) {
    struct cat_stmt *cat;
    if (!cat_read(a, name, &cat, d)) return NULL;
    struct model *m = arena_alloc(a, sizeof *m);
    m->cat = cat;
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    size_t len = strlen(base);
    if (len > 4 && strcmp(base + len - 4, ".cat") == 0) len -= 4;
    m->name = arena_strndup(a, base, len);
    m->plan = plan_build(a, cat, d);
    m->reach = reach_plan(a);
    m->atomics = mixed_plan(a);
    m->race = race_plan(a, cat);
    m->undefined = remark_plan(a, cat, "undefined", true);
    m->fault = remark_plan(a, cat, "fault", true);
    m->closed = remark_plan(a, cat, "closed", true);
    m->gone = remark_plan(a, cat, "gone", true);
    return m->plan ? m : NULL;
}

const char *model_name(const struct model *m) {
    return m->name;
}

const struct model *model_syntactic(struct arena *a, const struct model *m) {
    struct model *copy = arena_alloc(a, sizeof *copy);
    *copy = *m;
    copy->name = arena_printf(a, "%s (syntactic)", m->name);
    copy->plan = plan_syntactic(a, m->plan);
    copy->race = plan_syntactic(a, m->race);
    copy->undefined = plan_syntactic(a, m->undefined);
    copy->fault = plan_syntactic(a, m->fault);
    copy->gone = plan_syntactic(a, m->gone);
    return copy;
}

/* Sorts the outcomes, judges each by the test's proposition, and fills in the result. */
static void report(struct histogram *o, const struct test *t, struct arena *a, struct model_result *out) {
    struct model_outcome *list = arena_array(a, o->n, sizeof *list);
    size_t bytes = (size_t)o->nobs * sizeof(struct value);
    bool all = true;
    histogram_sort(o, t->obs);
    out->allowed = false;
    for (size_t k = 0; k < o->n; k++) {
        struct value *values = arena_alloc(a, bytes);
        if (bytes) memcpy(values, o->outcomes[k].values, bytes);
        list[k] =
            (struct model_outcome){values, expr_is_true(t->cond.prop, &(struct expr_env){.obs = values})};
        out->allowed = out->allowed || list[k].satisfies;
        all = all && list[k].satisfies;
    }
    out->outcomes = list;
    out->noutcomes = (int)o->n;
    out->holds = t->cond.kind == FORALL ? all : t->cond.kind == EXISTS ? out->allowed : !out->allowed;
}

/* What the search finds. */
struct findings {
    struct histogram outcomes;
    size_t most; /* outcomes that are listed */
    double executions;
    bool news;                 /* the execution at hand gave a new outcome */
    bool full;                 /* there are more than may be listed */
    struct race_search *races; /* NULL: none are looked for */
};

static bool add_outcome(const struct value *values, void *ctx) {
    struct findings *f = ctx;
    size_t before = f->outcomes.n;
    f->full = before >= f->most && !histogram_has(&f->outcomes, values);
    if (f->full) return false;
    histogram_add(&f->outcomes, values, 1);
    if (f->outcomes.n > before) f->news = true;
    return true;
}

/* Where not all executions are looked for, one may be found twice: then only one that gives a new outcome is
 * counted. */
static bool on_execution(struct search *s, void *ctx) {
    struct findings *f = ctx;
    f->news = false;
    outcome_each(s, add_outcome, f);
    if (f->races) race_look(f->races, s);
    if (f->news || !s->wanted) f->executions += s->weight;
    return !f->full;
}

static bool is_wanted(const struct search *s, void *ctx) {
    return outcomes_lack(&((struct findings *)ctx)->outcomes, s);
}

/* Lists the outcomes, with at most half of the budget. False where there may be more. */
static bool list_outcomes(struct judge *j, struct findings *f) {
    struct search_budget whole = budget_halve(&j->budget);
    j->leaf = on_execution;
    j->wanted = is_wanted;
    j->ctx = f;
    if (f->races) race_begin(f->races, j);
    judge_complete(j);
    if (f->races) race_end(f->races, j);
    if (!outcomes_exchange(&f->outcomes, j->test, j->twins, f->most, &j->budget)) f->full = true;
    bool whole_list = !j->budget.spent && !f->full;
    budget_restore(&j->budget, &whole);
    j->stopped = false;
    return whole_list;
}

static bool has_witness(const struct findings *f, const struct test *t, bool what) {
    for (size_t k = 0; k < f->outcomes.n; k++)
        if (expr_is_true(t->cond.prop, &(struct expr_env){.obs = f->outcomes.outcomes[k].values}) == what)
            return true;
    return false;
}

/* Looks for executions that settle the condition, where not all outcomes are listed: for one that makes the proposition
 * true, and for one that makes it false where that matters, or where it is not known yet whether there is any. */
static void settle(struct judge *j, struct findings *f) {
    const struct test *t = j->test;
    for (int what = 1; what >= 0 && !j->budget.spent; what--)
        if ((what || t->cond.kind == FORALL || f->outcomes.n == 0) && !has_witness(f, t, what))
            f->executions += answer_condition(j, what, &f->outcomes);
}

/* The bound that the limits name, or the test; 0: neither does. */
static int named_bound(const struct test *t, const struct model_limits *limits) {
    return limits && limits->unroll > 0 ? limits->unroll : t->unroll;
}

/* The bound that is tried first. */
static int first_bound(const struct test *t, const struct model_limits *limits) {
    int named = named_bound(t, limits);
    return named > 0 ? named : DEFAULT_UNROLL;
}

/* For how many turns all loops of all threads were followed. */
static int least_turns(const struct judge *j, int bound) {
    for (int t = 0; t < j->test->nthreads; t++)
        if (j->unfoldings[t].turns < bound) bound = j->unfoldings[t].turns;
    return bound;
}

static const char *say_spent(struct arena *a, const struct search_budget *b,
                             const struct model_limits *limits) {
    if (strcmp(b->spent, "timeout") != 0) return arena_strdup(a, b->spent);
    return b->processor ? arena_printf(a, "timeout after %d s of a processor", MODEL_SECONDS)
                        : arena_printf(a, "timeout after %g s", limits->seconds);
}

static void promise_nothing(const struct test *t, struct model_result *out) {
    out->undefined = out->allowed = true;
    out->holds = t->cond.kind == EXISTS;
}

/* Where accesses of several sizes race: if the atomicity of atomic operations alone settles the condition,
 * takes the outcomes that it allows; else everything is allowed. */
static void answer_undefined(struct judge *j, const struct model_plan *atomics, struct arena *a,
                             struct model_result *out) {
    const struct test *t = j->test;
    struct histogram outcomes = {.nobs = t->nobs};
    struct model_result atomic = *out;
    bool settled = mixed_outcomes(j, atomics, &outcomes);
    report(&outcomes, t, a, &atomic);
    int holding = 0;
    for (int k = 0; k < atomic.noutcomes; k++)
        holding += atomic.outcomes[k].satisfies;
    if (settled && (holding == 0 || holding == atomic.noutcomes)) {
        *out = atomic;
        out->undefined = out->unlisted = false;
    } else {
        promise_nothing(t, out);
    }
    histogram_free(&outcomes);
}

/* How a cell is judged within a bound of turns. */
enum way {
    IN_ANY_CASE,
    UNLESS_CUT, /* where a loop is cut off, no outcome is listed */
    DEEPER,     /* the same; whether a loop is cut off gets little work, the list of outcomes half of all */
};

/* The whole budget of a cell, of which the list of outcomes within a deeper bound takes half. */
static struct search_budget begin_list(const struct model_limits *limits) {
    struct model_limits whole = *limits;
    whole.candidates = 0;
    return budget_open(&whole);
}

/* Looks for what stops a thread, then lists the outcomes. */
static bool search_within(struct judge *j, enum way way, const struct model_limits *limits, struct arena *a,
                          struct findings *f, struct model_result *out) {
    judge_take_turns(j);
    judge_find_twins(j, true);
    if (!stops_find(j, a, out)) return false;
    out->bounded = out->bounded || ahead_is_possible(j->test, j->cell, j->unfolded, &j->budget);
    out->turns = least_turns(j, out->unroll);
    if (j->budget.spent || (way != IN_ANY_CASE && out->bounded)) return true;
    if (way == DEEPER) j->budget = begin_list(limits);
    out->unlisted = !list_outcomes(j, f);
    if (out->unlisted && way == DEEPER && !f->full)
        out->status = MODEL_UNKNOWN;
    else if (out->unlisted)
        settle(j, f);
    out->uncounted = j->budget.uncounted || out->unlisted;
    if (j->budget.undefined && !j->budget.spent)
        j->budget.spent = "a shuffle takes from a lane that has exited, and its value is not defined";
    return true;
}

/* Judges a cell within one bound of turns. */
static bool check_within(const struct model *m, const struct test *t, const struct cell *cell,
                         const struct model_limits *limits, enum way way, struct arena *a,
                         struct model_result *out, struct race_search *races, struct diag *d) {
    *out = (struct model_result){.unroll = first_bound(t, limits)};
    struct findings f = {.outcomes.nobs = t->nobs,
                         .most = limits->outcomes ? (size_t)limits->outcomes : MOST_LISTED,
                         .races = races};
    struct judge j;
    bool ok = judge_open(&j, m->plan, t, cell, limits, d);
    j.closed = m->closed;
    if (ok && !j.budget.spent) ok = search_within(&j, way, limits, a, &f, out);
    if (ok && !j.budget.spent) out->undefined = mixed_race(&j, m->undefined);
    if (ok && !j.budget.spent && !j.fault && mixed_fault(&j, m->fault))
        j.fault = "an operation on an mbarrier does not come behind its initialisation";
    if (ok && !j.budget.spent && !j.fault && mixed_closed(&j, m->closed))
        j.fault = "an operation on an mbarrier may come behind its invalidation";
    if (ok && !j.budget.spent && !j.fault && mixed_gone(&j, m->gone))
        j.fault = "a block may have left when another one accesses its shared memory";
    if (j.fault && !out->fault) out->fault = j.fault;
    if (j.budget.spent) {
        out->status = MODEL_UNKNOWN;
        out->why = say_spent(a, &j.budget, limits);
    }
    if (j.budget.spent) out->unlisted = false;
    report(&f.outcomes, t, a, out);
    if (out->undefined) answer_undefined(&j, m->atomics, a, out);
    if (j.undefined) promise_nothing(t, out);
    if (out->fault && t->cond.kind != EXISTS) out->holds = false;
    if (ok && out->status == MODEL_DONE && !out->fault && !out->allowed && !out->bounded &&
        out->noutcomes > 0)
        out->unreached = reach_is_impossible(&j, m->reach);
    out->undecided = j.budget.undecided;
    out->executions = f.executions < 0x1p63 ? (long long)f.executions : LLONG_MAX;
    histogram_free(&f.outcomes);
    judge_close(&j);
    return ok;
}

/* Whether two results have the same outcomes; if not all are listed, whether they say the same of the
 * condition. Both lists are sorted. */
static bool same_answer(const struct model_result *x, const struct model_result *y, int nobs) {
    if (x->unlisted || y->unlisted) return x->allowed == y->allowed && x->holds == y->holds;
    bool same = x->noutcomes == y->noutcomes;
    for (int k = 0; same && k < x->noutcomes; k++)
        same = memcmp(x->outcomes[k].values, y->outcomes[k].values, (size_t)nobs * sizeof(struct value)) == 0;
    return same;
}

/* Judges a cell once more, without the dependencies that were not proved. If the answer changes, it is not
 * known: a compiler may find out that these are none. If it stays, a loop may still be cut off that was not
 * before. */
static void doubt(const struct model *m, const struct test *t, const struct cell *cell,
                  const struct model_limits *limits, struct arena *a, struct model_result *out) {
    struct diag quiet = {0};
    struct model_limits lenient = *limits;
    struct model_result r;
    lenient.lenient = true;
    lenient.counting = -1; /* only the outcomes are compared */
    lenient.unroll = out->unroll;
    bool ok = check_within(m, t, cell, &lenient, IN_ANY_CASE, a, &r, NULL, &quiet);
    diag_free(&quiet);
    if (ok && r.status == MODEL_DONE && same_answer(out, &r, t->nobs)) {
        out->bounded = out->bounded || r.bounded;
        return;
    }
    out->status = MODEL_UNKNOWN;
    out->unlisted = out->unreached = false;
    out->why = "it was not decided whether something depends on what was read, and the answer hangs on it";
}

/* A larger bound may give an exact answer, as for a loop that only a few writes can keep turning. Tries some;
 * if none does, the result is bounded, or not known. False and an error when the cell cannot be judged. */
static bool check_deeper(const struct model *m, const struct test *t, const struct cell *cell,
                         const struct model_limits *limits, struct arena *a, struct model_result *out,
                         struct diag *d) {
    struct model_limits deeper = *limits;
    bool ok = true;
    deeper.candidates = DEEPER_WORK;
    for (int turns = 5; ok && turns <= MOST_TURNS; turns += turns - 2) {
        deeper.unroll = turns;
        ok = check_within(m, t, cell, &deeper, DEEPER, a, out, NULL, d);
        if (out->status != MODEL_DONE || !out->bounded) break;
    }
    return ok;
}

/* Whether a result is a promise about all executions (forbidden, always), and the test has memory that begins
 * as unknown. */
static bool needs_all_written(const struct test *t, const struct model_result *r) {
    bool shown = r->fault || r->undefined || (t->cond.kind == FORALL ? !r->holds : r->allowed);
    return r->status == MODEL_DONE && !shown && unwritten_is_possible(t);
}

/* Looks for reads of what nobody has written, within the bound of a result. */
static bool check_unwritten(const struct model *m, const struct test *t, const struct cell *cell,
                            const struct model_limits *limits, struct arena *a, struct model_result *out,
                            struct diag *d) {
    struct model_limits within = *limits;
    struct judge j;
    within.unroll = out->unroll;
    within.lenient = out->undecided;
    bool ok = judge_open(&j, m->plan, t, cell, &within, d);
    if (ok && !j.budget.spent) ok = unwritten_check(&j);
    if (j.budget.spent) {
        out->status = MODEL_UNKNOWN;
        out->why = say_spent(a, &j.budget, &within);
        out->unlisted = out->unreached = false;
    }
    judge_close(&j);
    return ok;
}

static bool check(const struct model *m, const struct test *t, const struct cell *cell,
                  const struct model_limits *limits, struct arena *a, struct model_result *out,
                  struct race_search *races, struct diag *d) {
    struct model_limits within = model_limits_begin(limits);
    int named = within.unroll = named_bound(t, limits);
    bool more = named == 0 && within.candidates == 0;
    bool ok = check_within(m, t, cell, &within, more ? UNLESS_CUT : IN_ANY_CASE, a, out, races, d);
    if (ok && more && out->status == MODEL_DONE && out->bounded) {
        ok = check_deeper(m, t, cell, &within, a, out, d);
        if (ok && (out->status != MODEL_DONE || out->bounded))
            ok = check_within(m, t, cell, &within, IN_ANY_CASE, a, out, races, d);
    }
    if (ok && out->status == MODEL_DONE && out->undecided) doubt(m, t, cell, &within, a, out);
    if (ok && needs_all_written(t, out)) ok = check_unwritten(m, t, cell, &within, a, out, d);
    out->named = named > 0 && out->turns >= named;
    if (ok && out->status == MODEL_DONE && out->bounded && out->noutcomes == 0 && !out->fault &&
        !out->undefined) {
        out->status = MODEL_UNKNOWN;
        out->bounded = false;
        out->why = arena_printf(a, "no execution ends within %d turns of each loop", out->turns);
    }
    return ok;
}

bool model_check(const struct model *m, const struct test *t, const struct cell *cell,
                 const struct model_limits *limits, struct arena *a, struct model_result *out,
                 struct diag *d) {
    return check(m, t, cell, limits, a, out, NULL, d);
}

bool model_check_races(const struct model *m, const struct test *t, const struct cell *cell,
                       const struct model_limits *limits, struct arena *a, struct model_result *out,
                       struct races *races, struct diag *d) {
    struct race_search *r = race_open(m, t, cell, a, races);
    bool ok = check(m, t, cell, limits, a, out, r, d), all = race_close(r);
    if (!ok || !all || out->unroll != first_bound(t, limits)) *races = (struct races){.open = ok};
    return ok;
}

static bool has_cut(const struct judge *j) {
    for (int t = 0; t < j->test->nthreads; t++)
        for (int k = 0; k < j->unfoldings[t].npaths; k++)
            if (j->unfoldings[t].paths[k].end == PATH_CUT) return true;
    return false;
}

/* Judges a cell if the first bound may cut off one of its loops; else the result has that bound and nothing
 * more. */
static struct model_result find_bound(const struct model *m, const struct test *t, const struct cell *cell,
                                      const struct model_limits *limits) {
    struct diag quiet = {0};
    struct model_limits some = model_limits_begin(limits);
    struct model_result r = {.unroll = first_bound(t, &some)};
    struct arena *a = arena_open();
    struct judge j;
    bool cut = judge_open(&j, m->plan, t, cell, &some, &quiet) && has_cut(&j);
    judge_close(&j);
    if (cut) model_check(m, t, cell, &some, a, &r, &quiet);
    arena_close(a);
    diag_free(&quiet);
    return r;
}

int model_unroll(const struct model *m, const struct test *t, const struct cell *cell,
                 const struct model_limits *limits) {
    int named = named_bound(t, limits);
    return named > 0 ? named : find_bound(m, t, cell, limits).unroll;
}

bool model_is_bounded(const struct model *m, const struct test *t, const struct cell *cell,
                      const struct model_limits *limits, int *turns) {
    struct model_result r = find_bound(m, t, cell, limits);
    *turns = r.turns;
    return r.bounded;
}

/* Turns the list of a result into a histogram, to add to it. */
static struct histogram take_list(const struct test *t, const struct model_result *r) {
    struct histogram all = {.nobs = t->nobs};
    for (int k = 0; k < r->noutcomes; k++)
        histogram_add(&all, r->outcomes[k].values, 1);
    return all;
}

void model_list_seen(const struct model *m, const struct test *t, const struct cell *cell,
                     const struct model_limits *limits, const struct histogram *seen, struct arena *a,
                     struct model_result *r) {
    struct diag quiet = {0};
    struct judge j;
    struct histogram all = take_list(t, r);
    struct model_result listed = *r;
    struct model_limits within = limits ? *limits : (struct model_limits){0};
    within.unroll = r->unroll;
    bool ok = judge_open(&j, m->plan, t, cell, &within, &quiet);
    for (size_t k = 0; k < seen->n && ok && !j.budget.spent; k++)
        if (!histogram_has(&all, seen->outcomes[k].values) && answer_outcome(&j, seen->outcomes[k].values))
            histogram_add(&all, seen->outcomes[k].values, 1);
    if (j.budget.spent) {
        r->status = MODEL_UNKNOWN;
        r->why = say_spent(a, &j.budget, &within);
    }
    r->unlisted = j.budget.spent;
    report(&all, t, a, &listed);
    r->outcomes = listed.outcomes;
    r->noutcomes = listed.noutcomes;
    histogram_free(&all);
    judge_close(&j);
    diag_free(&quiet);
}

bool model_allows(const struct model_result *r, int nobs, const struct value *values) {
    for (int k = 0; k < r->noutcomes; k++)
        if (memcmp(r->outcomes[k].values, values, (size_t)nobs * sizeof *values) == 0) return true;
    return false;
}
