#include "results/certificate.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "results/fleet.h"
#include "results/verdict.h"

static bool has_ended(const struct cell_result *c) {
    return c->machine != MACHINE_NONE && !c->skipped && c->runs > c->stuck;
}

/* Whether the model answers what the test asks about the cell. */
static bool is_answered(const struct test_result *t, const struct cell_result *c) {
    const struct judgement *m = &c->model;
    enum answer answer = result_is_forall(t) ? m->holds : m->allowed;
    return m->name && answer != ANSWER_UNKNOWN && !m->undefined && !m->fault && !m->unreached &&
           !judgement_is_endless(m) && !judgement_is_bounded(m, result_is_forall(t));
}

/* Whether the model says that what the test asks for never happens. */
static bool is_forbidden(const struct test_result *t, const struct cell_result *c) {
    bool forall = result_is_forall(t);
    return is_answered(t, c) && (forall ? c->model.holds == ANSWER_YES : c->model.allowed == ANSWER_NO);
}

/* Whether cell x is a mutant of a forbidden cell: the same, but with a fence so weak that the outcome is
 * allowed. */
static bool is_mutant_of(const struct test_result *t, const struct cell_result *x,
                         const struct cell_result *y) {
    return has_ended(x) && is_answered(t, x) && !is_forbidden(t, x) && has_ended(y) && is_forbidden(t, y) &&
           verdict_is_weaker(x, y);
}

static bool is_mutant(const struct test_result *t, const struct cell_result *c) {
    for (int k = 0; k < t->ncells; k++)
        if (is_mutant_of(t, c, &t->cells[k])) return true;
    return false;
}

/* ---- what ran ---- */

static int find_subject(struct arena *a, struct certificate *out, const struct cell_result *c) {
    int k = 0;
    for (; k < out->nsubjects; k++) {
        const struct cell_result *x = out->subjects[k].first;
        if (results_same(x->backend, c->backend) && results_same(x->device, c->device) &&
            results_same(x->compiler, c->compiler))
            return k;
    }
    out->subjects = arena_more(a, out->subjects, (size_t)k, sizeof *out->subjects);
    out->subjects[out->nsubjects++] = (struct certificate_subject){.first = c};
    return k;
}

static void add_cell(struct arena *a, struct certificate_cell **list, int *n, struct certificate_cell cell) {
    *list = arena_more(a, *list, (size_t)*n, sizeof **list);
    (*list)[(*n)++] = cell;
}

static void add_forbidden(struct arena *a, struct certificate *out, struct certificate_subject *s,
                          struct certificate_cell cell) {
    const struct test_result *t = cell.test;
    for (int k = 0; k < t->ncells; k++) {
        if (!is_mutant_of(t, &t->cells[k], cell.cell)) continue;
        cell.mutants++;
        cell.seen += cell_shown(&t->cells[k], result_is_forall(t)) > 0;
    }
    s->forbidden++;
    s->forbidden_runs += cell.cell->runs - cell.cell->stuck;
    if (cell.cell->verdict != VERDICT_VIOLATION) {
        bool sure = cell.cell->confidence >= 0.99; /* false for NAN */
        s->held += sure;
        s->alone += !sure && cell.cell->alone;
        s->doubted += !sure && !cell.cell->alone;
    }
    add_cell(a, &out->forbidden, &out->nforbidden, cell);
}

static void count_cell(struct arena *a, struct certificate *out, const struct test_result *t,
                       const struct cell_result *c) {
    struct certificate_cell cell = {.test = t, .cell = c, .subject = find_subject(a, out, c)};
    struct certificate_subject *s = &out->subjects[cell.subject];
    s->cells++;
    s->runs += c->runs - c->stuck;
    if (c->verdict == VERDICT_VIOLATION) {
        s->violations++;
        add_cell(a, &out->violated, &out->nviolated, cell);
    }
    if (is_forbidden(t, c)) add_forbidden(a, out, s, cell);
    if (!is_mutant(t, c)) return;
    bool seen = cell_shown(c, result_is_forall(t)) > 0;
    s->mutants++;
    s->seen += seen;
    if (!seen) add_cell(a, &out->untold, &out->nuntold, cell);
}

/* ---- what the result says nothing of ---- */

/* Returns why a cell says nothing about forbidden behaviour of the machine; NULL: it does. */
static const char *gap_of(const struct cell_result *c) {
    if (c->elsewhere) return "its shard is missing";
    if (c->skipped) return c->skipped;
    if (c->verdict == VERDICT_FAULT) return "something ends the kernel in an execution that the model allows";
    if (c->machine == MACHINE_NONE) return "nothing ran: a model alone has looked at it";
    if (c->runs == 0) return "it has no runs";
    if (c->runs == c->stuck) return "no run of it ended: a wait took too long";
    if (!c->model.name) return c->unjudged ? c->unjudged : "no model judges it";
    switch (c->verdict) {
    case VERDICT_UNKNOWN: return "the model gave up on it";
    case VERDICT_BOUNDED: return "loops were followed for some turns only";
    case VERDICT_UNDEFINED: return "accesses of several sizes race: the model promises nothing";
    case VERDICT_NOT_REACHED: return "no execution gives the values that the condition names";
    default: return NULL;
    }
}

static void add_gap(struct arena *a, struct certificate *out, const struct test_result *t,
                    const struct cell_result *c, const char *why) {
    int k = 0;
    while (k < out->ngaps && strcmp(out->gaps[k].why, why) != 0)
        k++;
    if (k == out->ngaps) {
        out->gaps = arena_more(a, out->gaps, (size_t)k, sizeof *out->gaps);
        out->gaps[out->ngaps++] = (struct certificate_gap){.why = why, .test = t, .cell = c};
    }
    out->gaps[k].cells++;
}

/* ---- what it was made of ---- */

static int by_hash(const void *x, const void *y) {
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* Hashes the suite. The order of the tests, and where their files are, do not matter. */
static void hash_suite(struct arena *a, struct certificate *out) {
    const char **hashes = arena_array(a, (size_t)out->ntests, sizeof *hashes);
    struct text lines = {0};
    for (int k = 0; k < out->ntests; k++)
        hashes[k] = out->tests[k].hash;
    qsort(hashes, (size_t)out->ntests, sizeof *hashes, by_hash);
    for (int k = 0; k < out->ntests; k++)
        text_printf(&lines, "%s\n", hashes[k]);
    sha256_text(lines.s, lines.len, out->suite);
    text_free(&lines);
}

static void hash_tests(struct arena *a, struct certificate *out) {
    out->ntests = out->report->ntests;
    out->tests = arena_array(a, (size_t)out->ntests + 1, sizeof *out->tests);
    for (int k = 0; k < out->ntests; k++) {
        const struct test_result *t = &out->report->tests[k];
        out->tests[k].test = t;
        if (t->source) sha256_text(t->source, strlen(t->source), out->tests[k].hash);
        out->unknown_texts += !t->source;
    }
    if (out->ntests && !out->unknown_texts) hash_suite(a, out);
}

struct certificate certificate_of(struct arena *a, const struct report *r) {
    struct certificate out = {.report = r, .missing_shards = shards_missing(a, &r->shards)};
    if (r->source) sha256_text(r->source->text, r->source->len, out.results);
    hash_tests(a, &out);
    for (int t = 0; t < r->ntests; t++) {
        out.failures += r->tests[t].nfailures;
        for (int k = 0; k < r->tests[t].ncells; k++) {
            const struct cell_result *c = &r->tests[t].cells[k];
            const char *gap = gap_of(c);
            if (has_ended(c)) count_cell(a, &out, &r->tests[t], c);
            if (gap) add_gap(a, &out, &r->tests[t], c, gap);
        }
    }
    return out;
}
