/* Keys are in the order of docs/results.md. */
#include "report/json.h"
#include "report/printers.h"

static void put_answer(struct json_out *j, const char *name, enum answer a) {
    if (a == ANSWER_UNKNOWN)
        json_put_null(j, name);
    else
        json_put_bool(j, name, a == ANSWER_YES);
}

/* Writes a member only if it says something. */
static void put_if(struct json_out *j, const char *name, const char *s) {
    if (s) json_put_text(j, name, s);
}

static void put_true(struct json_out *j, const char *name, bool x) {
    if (x) json_put_bool(j, name, true);
}

static void put_texts(struct json_out *j, const char *name, const char *const *texts, int n) {
    if (n == 0) return;
    json_open(j, name, '[');
    for (int k = 0; k < n; k++)
        json_put_text(j, NULL, texts[k]);
    json_close(j, ']');
}

static void put_judgement(struct json_out *j, const struct judgement *m) {
    if (!m->name) {
        json_put_null(j, "model");
        return;
    }
    json_open(j, "model", '{');
    json_put_text(j, "name", m->name);
    put_answer(j, "allowed", m->allowed);
    put_answer(j, "holds", m->holds);
    json_put_whole(j, "outcomes", m->outcomes);
    json_put_whole(j, "executions", m->executions);
    put_true(j, "uncounted", m->uncounted);
    put_true(j, "unlisted", m->unlisted);
    put_true(j, "undefined", m->undefined);
    put_if(j, "fault", m->fault);
    if (m->unreached) json_put_bool(j, "reached", false);
    put_true(j, "bounded", m->bounded);
    if (m->turns) json_put_whole(j, "turns", m->turns);
    put_if(j, "unknown", m->unknown);
    json_close(j, '}');
}

static void put_values(struct json_out *j, const struct test_result *t, const struct value *values) {
    json_open(j, "values", '{');
    for (int v = 0; v < t->nobs; v++)
        json_put_value(j, t->obs[v], t->types[v], values[v]);
    json_close(j, '}');
}

static void put_outcomes(struct json_out *j, const struct test_result *t, const struct cell_result *c) {
    json_open(j, "outcomes", '[');
    for (int k = 0; k < c->noutcomes; k++) {
        const struct cell_outcome *o = &c->outcomes[k];
        json_open(j, NULL, '{');
        put_values(j, t, o->values);
        json_put_count(j, "count", o->count);
        put_answer(j, "allowed", o->allowed);
        json_put_bool(j, "satisfies", o->satisfies);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_host(struct json_out *j, const struct host_judgement *h) {
    if (!h->model) return;
    json_open(j, "host", '{');
    json_put_text(j, "name", h->model);
    put_answer(j, "allowed", h->allowed);
    put_answer(j, "holds", h->holds);
    json_put_text(j, "threads", h->threads);
    json_close(j, '}');
}

static void put_access(struct json_out *j, const struct racing_access *x) {
    json_open(j, NULL, '{');
    json_put_text(j, "thread", x->thread);
    json_put_text(j, "does", x->does);
    json_put_text(j, "place", x->place);
    json_put_text(j, "strength", x->strength);
    json_put_whole(j, "line", x->line);
    json_put_whole(j, "column", x->column);
    if (!x->line) json_put_text(j, "where", x->where);
    json_close(j, '}');
}

static void put_races(struct json_out *j, const struct test_result *t, const struct cell_result *c) {
    if (c->nraces == 0) return;
    json_open(j, "races", '[');
    for (int k = 0; k < c->nraces; k++) {
        const struct racing_pair *p = &c->races[k];
        json_open(j, NULL, '{');
        json_open(j, "accesses", '[');
        put_access(j, &p->access[0]);
        put_access(j, &p->access[1]);
        json_close(j, ']');
        put_values(j, t, p->values);
        json_put_text(j, "risk", p->risk);
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* Writes how often the cell ran, and what that showed. */
static void put_counts(struct json_out *j, const struct cell_result *c) {
    json_put_count(j, "runs", c->runs);
    json_put_real(j, "seconds", c->seconds);
    json_put_count(j, "satisfied", c->satisfied);
    json_put_real(j, "rate", cell_rate(c));
    json_put_real(j, "confidence", c->confidence);
    put_true(j, "alone", c->alone);
}

static void put_environments(struct json_out *j, const struct cell_result *c) {
    json_open(j, "environment", '{');
    for (int k = 0; k < c->nenvironment; k++)
        json_put_whole(j, c->environment[k].name, c->environment[k].value);
    json_close(j, '}');
    if (c->environments == 0) return;
    json_put_whole(j, "environments", c->environments);
    json_put_whole(j, "seen_in", c->seen_in);
    json_put_real(j, "best_rate", c->best_rate);
    json_put_real(j, "peak", c->peak);
}

static void put_cell(struct json_out *j, const struct test_result *t, const struct cell_result *c) {
    json_open(j, NULL, '{');
    json_put_text(j, "backend", c->backend);
    json_put_text(j, "device", c->device);
    json_put_text(j, "placement", c->placement);
    json_put_text(j, "fence", c->fence);
    json_put_text(j, "access", c->access);
    if (c->compiler) json_put_text(j, "compiler", c->compiler);
    put_judgement(j, &c->model);
    put_host(j, &c->host);
    put_counts(j, c);
    put_outcomes(j, t, c);
    json_put_text(j, "verdict", verdict_name(c->verdict));
    if (c->verdict == VERDICT_FAULT) put_if(j, "fault", c->model.fault);
    put_environments(j, c);
    if (c->stuck) json_put_count(j, "stuck", c->stuck);
    put_texts(j, "warnings", c->warnings, c->nwarnings);
    put_races(j, t, c);
    put_true(j, "more_races", c->races_partial);
    put_texts(j, "why", c->why, c->nwhy);
    put_if(j, "unjudged", c->unjudged);
    put_if(j, "skipped", c->skipped);
    put_true(j, "lost", c->lost);
    if (c->elsewhere) json_put_whole(j, "shard", c->elsewhere);
    json_close(j, '}');
}

static void put_failures(struct json_out *j, const char *name, const struct failure *failures, int n) {
    json_open(j, name, '[');
    for (int k = 0; k < n; k++) {
        json_open(j, NULL, '{');
        json_put_whole(j, "line", failures[k].pos.line);
        json_put_whole(j, "column", failures[k].pos.col);
        json_put_text(j, "text", failures[k].text);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_refused(struct json_out *j, const struct report *r) {
    if (r->nrefused == 0) return;
    json_open(j, "refused", '[');
    for (int k = 0; k < r->nrefused; k++) {
        json_open(j, NULL, '{');
        json_put_text(j, "file", r->refused[k].file);
        put_failures(j, "errors", r->refused[k].errors, r->refused[k].nerrors);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_shards(struct json_out *j, const struct shards *s) {
    char suite[20];
    if (s->of == 0) return;
    snprintf(suite, sizeof suite, "%016llx", (unsigned long long)s->suite);
    json_open(j, "shards", '{');
    json_put_whole(j, "of", s->of);
    json_open(j, "numbers", '[');
    for (int k = 0; k < s->n; k++)
        json_put_whole(j, NULL, s->numbers[k]);
    json_close(j, ']');
    json_put_text(j, "suite", suite);
    json_close(j, '}');
}

static void put_test(struct json_out *j, const struct test_result *t) {
    json_open(j, NULL, '{');
    json_put_text(j, "name", t->name);
    put_if(j, "title", t->title);
    json_put_text(j, "file", t->file);
    json_open(j, "condition", '{');
    json_put_text(j, "kind", t->kind);
    json_put_text(j, "text", t->condition);
    json_close(j, '}');
    put_texts(j, "observed", t->obs, t->nobs);
    json_open(j, "cells", '[');
    for (int k = 0; k < t->ncells; k++)
        put_cell(j, t, &t->cells[k]);
    json_close(j, ']');
    if (t->nfailures) put_failures(j, "failed", t->failures, t->nfailures);
    put_if(j, "source", t->source);
    put_if(j, "beside", t->beside);
    json_close(j, '}');
}

void report_json(const struct report *r, FILE *out) {
    struct json_out j = {.out = out};
    json_open(&j, NULL, '{');
    json_put_whole(&j, "schema", 1);
    json_put_text(&j, "tool", r->tool);
    json_put_whole(&j, "seed", r->seed);
    json_open(&j, "machine", '{');
    for (int k = 0; k < r->nmachine; k++)
        json_put_text(&j, r->machine[k].name, r->machine[k].value);
    json_close(&j, '}');
    json_open(&j, "tests", '[');
    for (int k = 0; k < r->ntests; k++)
        put_test(&j, results_test(r, k));
    json_close(&j, ']');
    put_refused(&j, r);
    put_shards(&j, &r->shards);
    if (r->date && results_ran(r)) json_put_text(&j, "date", r->date);
    json_close(&j, '}');
}
