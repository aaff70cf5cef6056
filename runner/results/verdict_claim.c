/* Finds the claims of a test that are false, or, if asked for, not proved. */
#include <string.h>

#include "base/text.h"
#include "litmus/words.h"
#include "results/verdict.h"

void verdict_add_failure(struct arena *a, struct test_result *r, struct pos pos, const char *text) {
    r->failures =
        arena_grow(a, r->failures, (size_t)r->nfailures, (size_t)r->nfailures + 1, sizeof *r->failures);
    r->failures[r->nfailures++] = (struct failure){pos, text};
}

const char *verdict_outcome_text(struct arena *a, const struct test_result *r, const struct value *values) {
    struct text line = {0};
    text_add(&line, "");
    for (int v = 0; v < r->nobs; v++) {
        text_printf(&line, "%s%s=", v ? " " : "", r->obs[v]);
        value_print(&line, r->types[v], values[v]);
    }
    const char *text = arena_strdup(a, line.s);
    text_free(&line);
    return text;
}

/* The cells for which a claim fails: the first one, their number, and the reason, where that differs. */
struct wrong_cells {
    const struct cell_result *first;
    int n;
    const char *why;
};

static void add_cell(struct wrong_cells *w, const struct cell_result *c, const char *why) {
    if (w->n++ > 0) return;
    w->first = c;
    w->why = why;
}

/* Returns such as "placement device, access relaxed, fence none (and 3 more cells)". */
static const char *name_cells(struct arena *a, const struct wrong_cells *w) {
    const char *more =
        w->n > 1 ? arena_printf(a, " (and %d more cell%s)", w->n - 1, w->n > 2 ? "s" : "") : "";
    return arena_printf(a, "placement %s, access %s, fence %s%s", w->first->placement, w->first->access,
                        w->first->fence, more);
}

/* Returns such as ", as in r0=0 r1=1": an outcome that satisfies the proposition, or does not; "" if there is
 * none. */
static const char *name_outcome(struct arena *a, const struct test_result *r, const struct cell_result *c,
                                bool satisfies) {
    for (int k = 0; k < c->noutcomes; k++) {
        const struct cell_outcome *o = &c->outcomes[k];
        bool counts = c->machine == MACHINE_NONE || o->count > 0;
        if (counts && o->satisfies == satisfies)
            return arena_printf(a, ", as in %s", verdict_outcome_text(a, r, o->values));
    }
    return "";
}

/* Returns the name of the model that a test's claims are about: the test's own, else PTX's. */
static const char *claimed_model(struct arena *a, const struct test *t) {
    if (!t->model || strcmp(t->model, "none") == 0) return "ptx";
    const char *slash = strrchr(t->model, '/'), *base = slash ? slash + 1 : t->model,
               *dot = strstr(base, ".cat");
    return arena_strndup(a, base, dot ? (size_t)(dot - base) : strlen(base));
}

/* If several models judged the cells, returns the one whose cells the claims are about; the other models only
 * give their answers. NULL: all cells. */
static const char *claimed_among(struct arena *a, const struct test *t, const struct test_result *r) {
    return results_of_models(r) ? claimed_model(a, t) : NULL;
}

static bool is_of_model(const struct cell_result *c, const char *model) {
    return !model || results_same(c->model.name, model);
}

static bool expectation_covers(const struct expectation *e, const struct cell_result *c) {
    return c->machine != MACHINE_CPU && c->model.name && /* an `expect` speaks of GPUs */
           (!e->fence || strcmp(e->fence, c->fence) == 0) &&
           (!e->placement || strcmp(e->placement, c->placement) == 0) &&
           (e->access < 0 || strcmp(access_name((enum access)e->access), c->access) == 0);
}

/* Returns why an outcome is not allowed. */
static const char *refusal(struct arena *a, const struct judgement *m) {
    if (m->fault)
        return arena_printf(a, "model %s finds a fault, %s, and forbids it elsewhere", m->name, m->fault);
    if (judgement_is_endless(m)) return arena_printf(a, "model %s knows no execution that ends", m->name);
    if (m->unreached) return "no execution gives these values, with or without fences";
    if (m->bounded)
        return arena_printf(a, "model %s allows it in no execution of %s of a loop", m->name,
                            judgement_turns(a, m));
    return arena_printf(a, "model %s forbids it", m->name);
}

/* Whether an answer for a bounded number of turns is too little for a claim: it is enough if the test or the
 * user has set that number. */
static bool is_short(const struct judgement *m, bool forall) {
    return judgement_is_bounded(m, forall) && !m->named;
}

/* Returns a text that the model followed loops for some turns only, and how to say that these are enough. */
static const char *shortness(struct arena *a, const struct judgement *m) {
    const char *hint = m->turns == 0
                           ? ""
                           : arena_printf(a,
                                          "; if so many are enough, say so: 'unroll: %d' in the test, "
                                          "or --unroll %d",
                                          m->turns, m->turns);
    return arena_printf(a, "model %s has followed loops for %s only%s", m->name, judgement_turns(a, m), hint);
}

/* Whether the model contradicts a claim, or says too little for it. If something faults, nothing is
 * forbidden. */
static bool is_contrary(const struct expectation *e, const struct judgement *m) {
    if (e->allowed) return m->allowed == ANSWER_NO;
    return m->allowed == ANSWER_YES || m->fault || is_short(m, false);
}

/* Returns what the model says of an outcome that is expected to be forbidden. */
static const char *permission(struct arena *a, const struct test_result *r, const struct cell_result *c) {
    const struct judgement *m = &c->model;
    if (m->fault) return arena_printf(a, "model %s finds a fault: %s", m->name, m->fault);
    if (m->undefined) return arena_printf(a, "model %s promises nothing", m->name);
    if (m->allowed == ANSWER_YES)
        return arena_printf(a, "model %s allows it%s", m->name, name_outcome(a, r, c, true));
    return shortness(a, m);
}

static void check_expectation(struct arena *a, const struct expectation *e, const char *model,
                              struct test_result *r) {
    struct wrong_cells wrong = {0};
    for (int k = 0; k < r->ncells; k++) {
        const struct cell_result *c = &r->cells[k];
        if (is_of_model(c, model) && expectation_covers(e, c) && is_contrary(e, &c->model))
            add_cell(&wrong, c, NULL);
    }
    if (wrong.n == 0) return;
    const struct judgement *m = &wrong.first->model;
    const char *why = e->allowed ? refusal(a, m) : permission(a, r, wrong.first);
    verdict_add_failure(a, r, e->pos,
                        arena_printf(a, "the outcome is expected to be %s, but %s: %s",
                                     e->allowed ? "allowed" : "forbidden", why, name_cells(a, &wrong)));
}

/* Whether the condition is broken in a run; if nothing ran, whether the model breaks it or knows too
 * little. */
static bool is_broken(const struct test *t, const struct cell_result *c) {
    bool forall = t->cond.kind == FORALL;
    if (c->runs > 0) return cell_shown(c, forall) > 0;
    return c->model.name && (c->model.holds == ANSWER_NO || is_short(&c->model, forall));
}

/* Returns why not_exists or forall fails for a cell. */
static const char *breach(struct arena *a, const struct test *t, const struct test_result *r,
                          const struct cell_result *c) {
    const struct judgement *m = &c->model;
    bool runs = c->runs > 0;
    if (!runs && m->holds != ANSWER_NO) return arena_printf(a, "is not proved: %s", shortness(a, m));
    const char *why = runs       ? "an outcome that breaks it was observed"
                      : m->fault ? arena_printf(a, "model %s finds a fault, %s", m->name, m->fault)
                                 : arena_printf(a, "model %s allows otherwise", m->name);
    return arena_printf(a, "does not hold: %s%s", why, name_outcome(a, r, c, t->cond.kind == NOT_EXISTS));
}

/* Checks not_exists or forall, which claim something of every cell. */
static void check_condition(struct arena *a, const struct test *t, const char *model, struct test_result *r) {
    struct wrong_cells wrong = {0};
    for (int k = 0; k < r->ncells; k++) {
        const struct cell_result *c = &r->cells[k];
        if (is_of_model(c, model) && is_broken(t, c)) add_cell(&wrong, c, NULL);
    }
    if (wrong.n == 0) return;
    verdict_add_failure(
        a, r, t->cond.pos,
        arena_printf(a, "%s %s: %s", r->kind, breach(a, t, r, wrong.first), name_cells(a, &wrong)));
}

void verdict_claims(struct arena *a, const struct test *t, struct test_result *r) {
    const char *model = claimed_among(a, t, r);
    for (int k = 0; k < t->nexpects; k++)
        check_expectation(a, &t->expects[k], model, r);
    if (t->cond.kind != EXISTS) check_condition(a, t, model, r);
}

/* Returns why an answer is no proof; NULL: it is one. `never`: it says that something does not happen.
 * `named`: the condition names values. */
static const char *doubt(struct arena *a, const struct judgement *m, enum answer answer, bool never,
                         bool named) {
    if (answer == ANSWER_UNKNOWN)
        return m->unknown ? arena_printf(a, "the model gave up: %s", m->unknown) : "the model gave no answer";
    if (!never) return NULL;
    if (judgement_is_endless(m)) return "no execution ends";
    if (m->bounded) return arena_printf(a, "loops were followed for %s only", judgement_turns(a, m));
    return named && m->unreached ? "no execution gives these values, with or without fences" : NULL;
}

static void doubt_expectation(struct arena *a, const struct expectation *e, const char *model,
                              struct test_result *r) {
    struct wrong_cells wrong = {0};
    for (int k = 0; k < r->ncells; k++) {
        const struct cell_result *c = &r->cells[k];
        if (!is_of_model(c, model) || !expectation_covers(e, c) || is_contrary(e, &c->model)) continue;
        const char *why = doubt(a, &c->model, c->model.allowed, !e->allowed, true);
        if (why) add_cell(&wrong, c, why);
    }
    if (wrong.n == 0) return;
    verdict_add_failure(a, r, e->pos,
                        arena_printf(a, "the outcome is expected to be %s, which is not proved: %s: %s",
                                     e->allowed ? "allowed" : "forbidden", wrong.why, name_cells(a, &wrong)));
}

static void doubt_condition(struct arena *a, const struct test *t, const char *model, struct test_result *r) {
    struct wrong_cells wrong = {0};
    for (int k = 0; k < r->ncells; k++) {
        const struct cell_result *c = &r->cells[k];
        if (!is_of_model(c, model) || !c->model.name || c->model.holds == ANSWER_NO || is_broken(t, c))
            continue;
        const char *why = doubt(a, &c->model, c->model.holds, true, t->cond.kind == NOT_EXISTS);
        if (why) add_cell(&wrong, c, why);
    }
    if (wrong.n == 0) return;
    verdict_add_failure(
        a, r, t->cond.pos,
        arena_printf(a, "%s is not proved: %s: %s", r->kind, wrong.why, name_cells(a, &wrong)));
}

void verdict_doubts(struct arena *a, const struct test *t, struct test_result *r) {
    const char *model = claimed_among(a, t, r);
    for (int k = 0; k < t->nexpects; k++)
        doubt_expectation(a, &t->expects[k], model, r);
    if (t->cond.kind != EXISTS) doubt_condition(a, t, model, r);
}
