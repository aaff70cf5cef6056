#include "results/results.h"

#include <limits.h>
#include <math.h>
#include <search.h>
#include <string.h>

#include "base/memory.h"
#include "results/fleet.h"
#include "results/verdict.h"

const char *verdict_name(enum verdict v) {
    static const char *const names[VERDICT_COUNT] = {
        [VERDICT_NO_MODEL] = "no model",   [VERDICT_SEEN] = "seen",
        [VERDICT_UNSEEN] = "unseen",       [VERDICT_HELD] = "held",
        [VERDICT_VIOLATION] = "VIOLATION", [VERDICT_SKIPPED] = "skipped",
        [VERDICT_STUCK] = "stuck",         [VERDICT_UNKNOWN] = "unknown",
        [VERDICT_ALLOWED] = "allowed",     [VERDICT_FORBIDDEN] = "forbidden",
        [VERDICT_ENDLESS] = "endless",     [VERDICT_NOT_REACHED] = "not reached",
        [VERDICT_UNDEFINED] = "undefined", [VERDICT_FAULT] = "fault",
        [VERDICT_BOUNDED] = "bounded",
    };
    return names[v];
}

bool judgement_is_bounded(const struct judgement *m, bool forall) {
    return m->bounded && (forall ? m->holds == ANSWER_YES : m->allowed == ANSWER_NO);
}

const char *judgement_turns(struct arena *a, const struct judgement *m) {
    if (m->turns == 0) return "some turns";
    return arena_printf(a, "%d turn%s", m->turns, m->turns == 1 ? "" : "s");
}

bool judgement_is_endless(const struct judgement *m) {
    return m->name && m->allowed == ANSWER_NO && m->executions == 0 && !m->unknown && !m->bounded &&
           !m->fault;
}

bool results_same(const char *x, const char *y) {
    return x && y ? strcmp(x, y) == 0 : x == y;
}

int results_order(const struct test_result *t, const struct value *x, const struct value *y) {
    int order = 0;
    for (int k = 0; k < t->nobs && !order; k++)
        order = value_order(t->types[k], x[k], y[k]);
    return order;
}

bool result_is_forall(const struct test_result *t) {
    return results_same(t->kind, quantifier_name(FORALL));
}

uint64_t cell_shown(const struct cell_result *c, bool forall) {
    return forall ? c->runs - c->stuck - c->satisfied : c->satisfied;
}

double cell_rate(const struct cell_result *c) {
    return c->runs ? (double)c->satisfied / (double)c->runs : 0;
}

bool cell_is_held(const struct cell_result *c) {
    return c->verdict == VERDICT_HELD && c->confidence >= 0.99;
}

const char *cell_word(const struct cell_result *c) {
    if (c->verdict != VERDICT_HELD || cell_is_held(c)) return verdict_name(c->verdict);
    return c->alone ? "held alone" : "held?";
}

const char *cell_ran_on(struct arena *a, const struct cell_result *c) {
    const char *device = c->device ? c->device : c->backend;
    return c->compiler ? arena_printf(a, "%s, %s", device, c->compiler) : device;
}

bool results_of_models(const struct test_result *t) {
    const char *first = NULL;
    for (int k = 0; k < t->ncells; k++) {
        const struct cell_result *c = &t->cells[k];
        if (c->machine != MACHINE_NONE || !c->model.name) continue;
        if (first && strcmp(first, c->model.name) != 0) return true;
        first = c->model.name;
    }
    return false;
}

const struct test_result *results_test(const struct report *r, int k) {
    enum { TOGETHER = 64 };
    if (k % TOGETHER == 0) arena_forget();
    return &r->tests[k];
}

bool results_ran(const struct report *r) {
    for (int k = 0; k < r->ntests; k++) {
        const struct test_result *t = results_test(r, k);
        for (int c = 0; c < t->ncells; c++)
            if (t->cells[c].machine != MACHINE_NONE) return true;
    }
    return false;
}

bool results_failed(const struct report *r) {
    for (int k = 0; k < r->ntests; k++) {
        const struct test_result *t = results_test(r, k);
        if (t->nfailures) return true;
        for (int c = 0; c < t->ncells; c++)
            if (t->cells[c].verdict == VERDICT_VIOLATION) return true;
    }
    return false;
}

/* Whether two results are of the same test. One whose cells were all skipped has no observables to
 * compare. */
static bool same_test(const struct test_result *x, const struct test_result *y) {
    if (!results_same(x->kind, y->kind) || !results_same(x->condition, y->condition)) return false;
    if (x->nobs == 0 || y->nobs == 0) return true;
    if (x->nobs != y->nobs) return false;
    for (int k = 0; k < x->nobs; k++)
        if (!results_same(x->obs[k], y->obs[k])) return false;
    return true;
}

/* Whether two compilers are the same. Results of a version that did not record the compiler match any. */
static bool same_compiler(const struct cell_result *x, const struct cell_result *y) {
    return !x->compiler || !y->compiler || results_same(x->compiler, y->compiler);
}

bool results_same_cell(const struct cell_result *x, const struct cell_result *y) {
    return same_compiler(x, y) && results_same(x->backend, y->backend) &&
           results_same(x->placement, y->placement) && results_same(x->fence, y->fence) &&
           results_same(x->access, y->access);
}

static bool differ(enum answer x, enum answer y) {
    return x != ANSWER_UNKNOWN && y != ANSWER_UNKNOWN && x != y;
}

/* A model that gave up, or followed loops for some turns only, may have said less without a contradiction. */
const char *results_contradict(const struct cell_result *x, const struct cell_result *y) {
    const struct judgement *m = &x->model, *n = &y->model;
    bool comparable =
        m->name && results_same(m->name, n->name) && !m->unknown && !n->unknown && !m->bounded && !n->bounded;
    if (!comparable || x->machine != y->machine || !results_same(x->placement, y->placement) ||
        !results_same(x->fence, y->fence) || !results_same(x->access, y->access))
        return NULL;
    bool same = !differ(m->allowed, n->allowed) && !differ(m->holds, n->holds) &&
                m->outcomes == n->outcomes && m->unreached == n->unreached && m->undefined == n->undefined &&
                results_same(m->fault, n->fault);
    return same ? NULL : "the model says something else of the same cell before";
}

/* How much is known of a cell, from least to most. */
enum known { KNOWN_ELSEWHERE, KNOWN_SKIPPED, KNOWN_LOST, KNOWN_RUN };

static enum known known_of(const struct cell_result *c) {
    if (c->elsewhere) return KNOWN_ELSEWHERE;
    if (!c->skipped) return KNOWN_RUN;
    return c->lost ? KNOWN_LOST : KNOWN_SKIPPED;
}

/* Finds the cell of the same backend, device, compiler, placement, fence and access; and of the same model,
 * if both were judged. */
static struct cell_result *find_cell(struct test_result *t, const struct cell_result *c) {
    for (int k = 0; k < t->ncells; k++) {
        struct cell_result *other = &t->cells[k];
        bool there = results_same(other->device, c->device) || other->elsewhere || c->elsewhere;
        if (there && results_same_cell(other, c) &&
            (!other->model.name || !c->model.name || results_same(other->model.name, c->model.name)))
            return other;
    }
    return NULL;
}

/* Merges two sorted lists of outcomes; counts of equal outcomes are added. */
static bool merge_outcomes(struct arena *arena, const struct test_result *t, struct cell_result *a,
                           const struct cell_result *b) {
    struct cell_outcome *out = arena_array(arena, (size_t)(a->noutcomes + b->noutcomes), sizeof *out);
    int n = 0, i = 0, j = 0;
    while (i < a->noutcomes || j < b->noutcomes) {
        int order = i == a->noutcomes   ? 1
                    : j == b->noutcomes ? -1
                                        : results_order(t, a->outcomes[i].values, b->outcomes[j].values);
        out[n] = order <= 0 ? a->outcomes[i++] : b->outcomes[j++];
        if (order == 0) {
            if (differ(out[n].allowed, b->outcomes[j].allowed)) return false;
            out[n].count += b->outcomes[j++].count;
        }
        n++;
    }
    a->outcomes = out;
    a->noutcomes = n;
    return true;
}

/* Whether a sum of counts is too large: a file has numbers of 63 bits. No other count is larger than the
 * runs. */
static bool too_many(const struct cell_result *a, const struct cell_result *b) {
    uint64_t sum;
    return __builtin_add_overflow(a->runs, b->runs, &sum) || sum > INT64_MAX ||
           b->environments > INT_MAX - a->environments;
}

/* Whether cell x showed the outcome more often than y: runs a second in the best environment if environments
 * were recorded, else the share of runs. */
static bool is_better(const struct cell_result *x, const struct cell_result *y) {
    if (x->environments && y->environments) return x->best_rate > y->best_rate;
    return (double)x->satisfied * (double)y->runs > (double)y->satisfied * (double)x->runs;
}

/* Adds cell b to a. If only one of them ran, the other's reason for skipping is dropped. If neither ran,
 * being lost counts more than being skipped. */
static const char *merge_cell(struct arena *arena, const struct test_result *t, struct cell_result *a,
                              const struct cell_result *b) {
    if (known_of(a) != KNOWN_RUN || known_of(b) != KNOWN_RUN) {
        if (known_of(b) > known_of(a)) *a = *b;
        return NULL;
    }
    if (too_many(a, b)) return "their runs add up to more than can be counted";
    if (!isfinite(a->seconds + b->seconds)) return "their seconds add up to more than can be written";
    if (!merge_outcomes(arena, t, a, b)) return "an outcome is allowed in one and forbidden in the other";
    if (!a->model.name) a->model = b->model;
    if (is_better(b, a)) {
        a->environment = b->environment;
        a->nenvironment = b->nenvironment;
    }
    a->runs += b->runs;
    a->satisfied += b->satisfied;
    a->stuck += b->stuck;
    a->seconds += b->seconds;
    a->environments += b->environments;
    a->seen_in += b->seen_in;
    a->best_rate = a->best_rate > b->best_rate ? a->best_rate : b->best_rate;
    a->peak = a->peak > b->peak ? a->peak : b->peak;
    if (b->nwarnings == 0) a->nwarnings = 0; /* what one run never saw, the other saw */
    a->verdict = verdict_of(a, result_is_forall(t));
    return NULL;
}

/* Adds a cell to those of the same test. */
static const char *add_cell(struct arena *arena, struct test_result *t, const struct cell_result *c) {
    const char *why = NULL;
    for (int k = 0; k < t->ncells && !why; k++)
        why = results_contradict(&t->cells[k], c);
    if (why) return why;
    struct cell_result *mine = find_cell(t, c);
    if (mine) return merge_cell(arena, t, mine, c);
    t->cells = arena_grow(arena, t->cells, (size_t)t->ncells, (size_t)t->ncells + 1, sizeof *t->cells);
    t->cells[t->ncells++] = *c;
    return NULL;
}

static bool has_failure(const struct test_result *t, const struct failure *f) {
    for (int k = 0; k < t->nfailures; k++)
        if (t->failures[k].pos.line == f->pos.line && strcmp(t->failures[k].text, f->text) == 0) return true;
    return false;
}

static void merge_test(struct arena *arena, struct test_result *a, const struct test_result *b,
                       struct diag *d) {
    if (!results_same(a->source, b->source)) a->source = NULL; /* it was run from two different texts */
    if (a->nobs == 0) {
        a->obs = b->obs;
        a->types = b->types;
        a->nobs = b->nobs;
    }
    for (int k = 0; k < b->nobs; k++) { /* there are none if nothing was seen */
        a->types[k].sign = a->types[k].sign && b->types[k].sign;
        if (a->types[k].bits == 0) a->types[k] = b->types[k];
    }
    for (int k = 0; k < b->ncells; k++) {
        const struct cell_result *c = &b->cells[k];
        const char *why = add_cell(arena, a, c);
        if (why)
            diag_fail(d, "test '%s' (placement %s, access %s, fence %s) cannot be added: %s", b->name,
                      c->placement, c->access, c->fence, why);
    }
    for (int k = 0; k < b->nfailures; k++)
        if (!has_failure(a, &b->failures[k]))
            verdict_add_failure(arena, a, b->failures[k].pos, b->failures[k].text);
    verdict_confidence(a);
}

static bool is_refused(const struct report *r, const char *file) {
    for (int k = 0; k < r->nrefused; k++)
        if (strcmp(r->refused[k].file, file) == 0) return true;
    return false;
}

static void merge_refused(struct arena *arena, struct report *a, const struct report *b) {
    struct refused_file *all = arena_array(arena, (size_t)(a->nrefused + b->nrefused), sizeof *all);
    int n = a->nrefused;
    if (n > 0) memcpy(all, a->refused, (size_t)n * sizeof *all);
    for (int k = 0; k < b->nrefused; k++)
        if (!is_refused(a, b->refused[k].file)) all[n++] = b->refused[k];
    a->refused = all;
    a->nrefused = n;
}

/* Returns the name of a test's file without its folder. */
static const char *file_name(const struct test_result *t) {
    const char *slash = strrchr(t->file, '/');
    return slash ? slash + 1 : t->file;
}

/* Compares tests by name, and by the names of their files without folders. */
static int by_source(const void *x, const void *y) {
    const struct test_result *a = x, *b = y;
    int order = strcmp(a->name, b->name);
    return order ? order : strcmp(file_name(a), file_name(b));
}

static void keep_node(void *node) {
    (void)node; /* it lives in an arena */
}

/* Returns the test of a tree that equals t; if there is none, adds t and returns it. */
static struct test_result *find_first(void **tree, struct test_result *t) {
    return *(struct test_result **)memory_check(tsearch(t, tree, by_source));
}

/* Adds a test to those of a report, which has room for it. Returns false and leaves an error when another
 * test has its name. */
static bool add_test(struct arena *arena, struct report *a, void **tree, const struct test_result *theirs,
                     struct diag *d) {
    struct test_result *next = &a->tests[a->ntests];
    *next = *theirs;
    struct test_result *mine = find_first(tree, next);
    if (mine == next) {
        a->ntests++;
        return true;
    }
    if (same_test(mine, theirs)) {
        merge_test(arena, mine, theirs, d);
        return true;
    }
    diag_fail(d, "test '%s' differs between the results: its condition or what it observes is not the same",
              theirs->name);
    return false;
}

bool results_merge(struct arena *arena, struct report *a, const struct report *b, struct diag *d) {
    size_t errors = d->errors;
    void *tree = NULL;
    bool fine = true;
    if (!shards_join(arena, a, b, d)) return false;
    merge_refused(arena, a, b);
    machines_join(arena, a, b);
    a->tests =
        arena_grow(arena, a->tests, (size_t)a->ntests, (size_t)(a->ntests + b->ntests) + 1, sizeof *a->tests);
    for (int k = 0; k < a->ntests; k++) {
        results_test(a, k);
        find_first(&tree, &a->tests[k]);
    }
    for (int k = 0; k < b->ntests && fine; k++)
        fine = add_test(arena, a, &tree, results_test(b, k), d);
    tdestroy(tree, keep_node);
    return fine && d->errors == errors;
}
