#include "results/verdict.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "litmus/words.h"

struct test_result verdict_test(struct arena *a, const struct test *t) {
    const char **obs = arena_array(a, (size_t)t->nobs, sizeof *obs);
    struct type *types = arena_array(a, (size_t)t->nobs, sizeof *types);
    for (int k = 0; k < t->nobs; k++) {
        obs[k] = t->obs[k].name;
        types[k] = t->obs[k].type;
    }
    return (struct test_result){
        .name = t->name,
        .title = t->title,
        .file = t->source.path,
        .source = t->source.text,
        .beside = t->beside,
        .kind = quantifier_name(t->cond.kind),
        .condition = t->cond.text,
        .obs = obs,
        .types = types,
        .nobs = t->nobs,
    };
}

struct cell_result verdict_cell(struct arena *a, const struct cell *cell, const char *backend,
                                const char *device) {
    enum machine machine;
    machine_of(backend, &machine);
    return (struct cell_result){
        .backend = backend,
        .machine = machine,
        .device = device,
        .placement = arena_strdup(a, cell->placement->name),
        .fence = arena_strdup(a, cell->fence->name),
        .access = access_name(cell->access),
        .confidence = NAN,
    };
}

static bool satisfies(const struct test *t, const struct value *values) {
    return expr_is_true(t->cond.prop, &(struct expr_env){.obs = values});
}

static const struct value *copy_values(struct arena *a, const struct test *t, const struct value *values) {
    struct value *copy = arena_array(a, (size_t)t->nobs, sizeof *copy);
    memcpy(copy, values, (size_t)t->nobs * sizeof *copy);
    return copy;
}

/* Returns yes or no; but "unknown" in place of no if executions that were not searched could make it yes. */
static enum answer answer_if_complete(const struct model_result *m, bool yes) {
    return yes ? ANSWER_YES : m->status == MODEL_DONE ? ANSWER_NO : ANSWER_UNKNOWN;
}

/* Whether the condition with its quantifier holds. A counterexample is enough to deny it, even if the model
 * gave up. */
static enum answer condition_holds(const struct test *t, const struct model_result *m) {
    if (m->status == MODEL_DONE) return m->holds ? ANSWER_YES : ANSWER_NO;
    if (t->cond.kind == EXISTS) return m->allowed ? ANSWER_YES : ANSWER_UNKNOWN;
    return m->holds ? ANSWER_UNKNOWN : ANSWER_NO;
}

void verdict_allowed(struct arena *a, struct cell_result *c, const struct test *t, const char *model,
                     const struct model_result *m) {
    c->model = (struct judgement){
        .name = arena_strdup(a, model),
        .allowed = answer_if_complete(m, m->allowed),
        .holds = condition_holds(t, m),
        .outcomes = m->noutcomes,
        .executions = m->executions,
        .uncounted = m->uncounted,
        .unlisted = m->unlisted,
        .unknown = m->status == MODEL_UNKNOWN ? arena_strdup(a, m->why) : NULL,
        .bounded = m->bounded,
        .turns = m->bounded ? m->turns : 0,
        .named = m->named,
        .undefined = m->undefined,
        .fault = m->fault ? arena_strdup(a, m->fault) : NULL,
        .unreached = m->unreached,
    };
    if (c->machine == MACHINE_NONE) {
        c->outcomes = arena_array(a, (size_t)m->noutcomes, sizeof *c->outcomes);
        c->noutcomes = m->noutcomes;
        for (int k = 0; k < m->noutcomes; k++)
            c->outcomes[k] = (struct cell_outcome){.values = copy_values(a, t, m->outcomes[k].values),
                                                   .allowed = ANSWER_YES,
                                                   .satisfies = m->outcomes[k].satisfies};
    }
    c->verdict = verdict_of(c, t->cond.kind == FORALL);
}

static bool is_no_wait(const struct stmt *s, void *ctx) {
    (void)ctx;
    return s->kind != STMT_LOOP || !loop_waits(s);
}

/* Returns a sentence about the first thread on a CPU that waits in a loop, such as "T1 waits in a loop on a
 * CPU"; else about the first thread there. */
static const char *name_host_thread(struct arena *a, const struct test *t, const struct cell *cell) {
    int first = -1, waits = -1;
    for (int k = t->nthreads - 1; k >= 0; k--) {
        if (!cell->placement->seats[k].host) continue;
        first = k;
        if (!stmt_walk(t->threads[k].body->first, is_no_wait, NULL)) waits = k;
    }
    return arena_printf(a, "%s %s on a CPU", t->threads[waits < 0 ? first : waits].name,
                        waits < 0 ? "runs" : "waits in a loop");
}

void verdict_host(struct arena *a, struct cell_result *c, const struct test *t, const struct cell *cell,
                  const char *model, const struct model_result *m) {
    c->host = (struct host_judgement){.model = arena_strdup(a, model),
                                      .allowed = answer_if_complete(m, m->allowed),
                                      .holds = condition_holds(t, m),
                                      .threads = name_host_thread(a, t, cell)};
}

const char *verdict_host_note(struct arena *a, const struct test_result *r, const struct cell_result *c) {
    static const char *const words[2][3] = {{"forbid it", "allow it", "give no answer"},
                                            {"say not always", "say always", "give no answer"}};
    bool forall = strcmp(r->kind, quantifier_name(FORALL)) == 0;
    if (!c->host.model || !c->model.name) return NULL;
    return arena_printf(
        a, "%s, and %s judges it as a thread of a GPU; %s, the model of this host's own CPU, would %s",
        c->host.threads, c->model.name, c->host.model,
        words[forall][forall ? c->host.holds : c->host.allowed]);
}

void verdict_explained(struct arena *a, struct cell_result *c, const struct why *why) {
    c->why = arena_array(a, (size_t)why->nlines + 2, sizeof *c->why);
    if (c->model.fault)
        c->why[c->nwhy++] =
            arena_printf(a, "In some execution something ends the kernel: %s.", c->model.fault);
    if (c->model.fault && c->model.executions == 0) return; /* every execution faults */
    if (c->model.undefined)
        c->why[c->nwhy++] = "In some execution accesses of different sizes race, or an mbarrier is misused. "
                            "Then the model promises nothing, and everything counts as allowed, "
                            "whatever it would say without that:";
    for (int k = 0; k < why->nlines; k++)
        c->why[c->nwhy++] = arena_strdup(a, why_line_text(a, &why->lines[k]));
}

/* Whether an outcome is allowed. If the model did not find it, but gave up, stopped at its bound of loop
 * turns, or did not list all outcomes, the answer is unknown. */
static enum answer outcome_allowed(const struct test *t, const struct model_result *m,
                                   const struct value *values) {
    if (!m) return ANSWER_UNKNOWN;
    if (m->undefined || model_allows(m, t->nobs, values)) return ANSWER_YES;
    return m->status == MODEL_DONE && !m->bounded && !m->unlisted ? ANSWER_NO : ANSWER_UNKNOWN;
}

static void copy_outcomes(struct arena *a, struct cell_result *c, const struct test *t,
                          const struct histogram *h, const struct model_result *m) {
    c->outcomes = arena_array(a, h->n, sizeof *c->outcomes);
    c->noutcomes = (int)h->n;
    for (size_t k = 0; k < h->n; k++) {
        const struct value *values = h->outcomes[k].values;
        struct cell_outcome *o = &c->outcomes[k];
        *o = (struct cell_outcome){.values = copy_values(a, t, values),
                                   .count = h->outcomes[k].count,
                                   .allowed = outcome_allowed(t, m, values),
                                   .satisfies = satisfies(t, values)};
        if (o->satisfies) c->satisfied += o->count;
    }
}

static bool was_seen(const struct cell_result *c, int nobs, const struct value *values) {
    for (int k = 0; k < c->noutcomes; k++)
        if (memcmp(c->outcomes[k].values, values, (size_t)nobs * sizeof *values) == 0) return true;
    return false;
}

/* Warns about sequentially consistent outcomes that were never seen ("never seen, though sequentially
 * consistent: B=2 A=1; ..."): then the threads probably did not overlap. */
static void warn_missing(struct arena *a, struct cell_result *c, const struct test *t,
                         const struct model_result *sc) {
    enum { SHOWN = 4 };
    struct text list = {0};
    int missing = 0;
    for (int k = 0; k < sc->noutcomes; k++) {
        if (was_seen(c, t->nobs, sc->outcomes[k].values)) continue;
        if (missing++ >= SHOWN) continue;
        text_add(&list, missing > 1 ? "; " : "");
        for (int o = 0; o < t->nobs; o++) {
            text_printf(&list, "%s%s=", o ? " " : "", t->obs[o].name);
            value_print(&list, t->obs[o].type, sc->outcomes[k].values[o]);
        }
    }
    if (missing > SHOWN) text_printf(&list, "; and %d more", missing - SHOWN);
    if (missing > 0) {
        c->warnings = arena_alloc(a, sizeof *c->warnings);
        c->warnings[0] = arena_printf(a, "never seen, though sequentially consistent: %s", list.s);
        c->nwarnings = 1;
    }
    text_free(&list);
}

/* Whether the test accesses vectors. Few machines show their elements apart, though an interleaving of their
 * accesses could. */
static bool has_vectors(const struct test *t) {
    for (int l = 0; l < t->nlocs; l++)
        if (type_is_vector(t->locs[l].type)) return true;
    return false;
}

void verdict_observed(struct arena *a, struct cell_result *c, const struct test *t,
                      const struct run_result *run, const struct model_result *m,
                      const struct model_result *sc) {
    copy_outcomes(a, c, t, &run->hist, m);
    c->runs = run->runs;
    c->stuck = run->stuck;
    c->seconds = run->seconds;
    c->best_rate = run->best_rate;
    c->peak = run->peak;
    c->environments = run->environments;
    c->seen_in = run->seen_in;
    c->nenvironment = run->nenvironment;
    c->environment = arena_array(a, (size_t)run->nenvironment, sizeof *c->environment);
    for (int k = 0; k < run->nenvironment; k++)
        c->environment[k] = (struct parameter){run->environment[k].name, run->environment[k].value};
    if (sc && sc->status == MODEL_DONE && !sc->unlisted && run->runs > run->stuck && !has_vectors(t))
        warn_missing(a, c, t, sc);
    c->verdict = verdict_of(c, t->cond.kind == FORALL);
}

/* Returns the model's word for a cell in which nothing ran. */
static enum verdict word_of(const struct judgement *m) {
    if (m->fault) return VERDICT_FAULT;
    if (m->undefined) return VERDICT_UNDEFINED;
    if (judgement_is_endless(m)) return VERDICT_ENDLESS;
    if (m->allowed == ANSWER_UNKNOWN) return VERDICT_UNKNOWN;
    if (m->unreached) return VERDICT_NOT_REACHED;
    if (judgement_is_bounded(m, false)) return VERDICT_BOUNDED;
    return m->allowed == ANSWER_YES ? VERDICT_ALLOWED : VERDICT_FORBIDDEN;
}

enum verdict verdict_of(const struct cell_result *c, bool forall) {
    if (c->model.name && c->model.fault && c->runs == 0) return VERDICT_FAULT;
    if (c->skipped) return VERDICT_SKIPPED;
    for (int k = 0; k < c->noutcomes; k++)
        if (c->model.name && c->outcomes[k].count > 0 && c->outcomes[k].allowed == ANSWER_NO)
            return VERDICT_VIOLATION;
    if (c->stuck > 0 && cell_shown(c, forall) == 0) return VERDICT_STUCK;
    if (!c->model.name) return VERDICT_NO_MODEL;
    if (c->machine == MACHINE_NONE) return word_of(&c->model);
    if (c->model.undefined) return VERDICT_UNDEFINED;
    if (c->model.allowed == ANSWER_UNKNOWN) return VERDICT_UNKNOWN;
    if (c->model.unreached && c->satisfied == 0) return VERDICT_NOT_REACHED;
    if (c->model.allowed == ANSWER_YES) return c->satisfied > 0 ? VERDICT_SEEN : VERDICT_UNSEEN;
    if (c->satisfied > 0) return VERDICT_UNKNOWN;
    return c->model.bounded ? VERDICT_BOUNDED : VERDICT_HELD;
}
