/* Keys are in the order of docs/results.md. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "report/json_value.h"
#include "report/printers.h"

/* ---- writing ---- */

static json_t *text_or_null(const char *s) {
    return s ? json_string(s) : json_null();
}

static json_t *answer_json(enum answer a) {
    return a == ANSWER_UNKNOWN ? json_null() : json_boolean(a == ANSWER_YES);
}

/* `uncounted`, `unlisted`, `undefined`, `fault`, `reached`, `bounded`, `turns` and `unknown` appear only where
 * they say something. */
static json_t *judgement_json(const struct judgement *m) {
    if (!m->name) return json_null();
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(m->name));
    json_object_set_new(o, "allowed", answer_json(m->allowed));
    json_object_set_new(o, "holds", answer_json(m->holds));
    json_object_set_new(o, "outcomes", json_integer(m->outcomes));
    json_object_set_new(o, "executions", json_integer(m->executions));
    if (m->uncounted) json_object_set_new(o, "uncounted", json_true());
    if (m->unlisted) json_object_set_new(o, "unlisted", json_true());
    if (m->undefined) json_object_set_new(o, "undefined", json_true());
    if (m->fault) json_object_set_new(o, "fault", json_string(m->fault));
    if (m->unreached) json_object_set_new(o, "reached", json_false());
    if (m->bounded) json_object_set_new(o, "bounded", json_true());
    if (m->turns) json_object_set_new(o, "turns", json_integer(m->turns));
    if (m->unknown) json_object_set_new(o, "unknown", json_string(m->unknown));
    return o;
}

static json_t *values_json(const struct test_result *t, const struct value *values) {
    json_t *o = json_object();
    for (int v = 0; v < t->nobs; v++)
        json_object_set_new(o, t->obs[v], json_of_value(t->types[v], values[v]));
    return o;
}

static json_t *outcomes_json(const struct test_result *t, const struct cell_result *c) {
    json_t *list = json_array();
    for (int k = 0; k < c->noutcomes; k++) {
        const struct cell_outcome *from = &c->outcomes[k];
        json_t *o = json_object();
        json_object_set_new(o, "values", values_json(t, from->values));
        json_object_set_new(o, "count", json_integer((json_int_t)from->count));
        json_object_set_new(o, "allowed", answer_json(from->allowed));
        json_object_set_new(o, "satisfies", json_boolean(from->satisfies));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *texts_json(const char *const *texts, int n) {
    json_t *list = json_array();
    for (int k = 0; k < n; k++)
        json_array_append_new(list, json_string(texts[k]));
    return list;
}

static json_t *host_json(const struct host_judgement *h) {
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(h->model));
    json_object_set_new(o, "allowed", answer_json(h->allowed));
    json_object_set_new(o, "holds", answer_json(h->holds));
    json_object_set_new(o, "threads", json_string(h->threads));
    return o;
}

static json_t *access_json(const struct racing_access *x) {
    json_t *o = json_object();
    json_object_set_new(o, "thread", json_string(x->thread));
    json_object_set_new(o, "does", json_string(x->does));
    json_object_set_new(o, "place", json_string(x->place));
    json_object_set_new(o, "strength", json_string(x->strength));
    json_object_set_new(o, "line", json_integer(x->line));
    json_object_set_new(o, "column", json_integer(x->column));
    return o;
}

static json_t *races_json(const struct test_result *t, const struct cell_result *c) {
    json_t *list = json_array();
    for (int k = 0; k < c->nraces; k++) {
        const struct racing_pair *p = &c->races[k];
        json_t *o = json_object(), *accesses = json_array();
        json_array_append_new(accesses, access_json(&p->access[0]));
        json_array_append_new(accesses, access_json(&p->access[1]));
        json_object_set_new(o, "accesses", accesses);
        json_object_set_new(o, "values", values_json(t, p->values));
        json_object_set_new(o, "risk", json_string(p->risk));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *cell_json(const struct test_result *t, const struct cell_result *c) {
    json_t *o = json_object(), *environment = json_object();
    for (int k = 0; k < c->nenvironment; k++)
        json_object_set_new(environment, c->environment[k].name, json_integer(c->environment[k].value));
    json_object_set_new(o, "backend", json_string(c->backend));
    json_object_set_new(o, "device", text_or_null(c->device));
    json_object_set_new(o, "placement", json_string(c->placement));
    json_object_set_new(o, "fence", json_string(c->fence));
    json_object_set_new(o, "access", json_string(c->access));
    json_object_set_new(o, "model", judgement_json(&c->model));
    if (c->host.model) json_object_set_new(o, "host", host_json(&c->host));
    json_object_set_new(o, "runs", json_integer((json_int_t)c->runs));
    json_object_set_new(o, "seconds", json_real(c->seconds));
    json_object_set_new(o, "satisfied", json_integer((json_int_t)c->satisfied));
    json_object_set_new(o, "rate", json_real(cell_rate(c)));
    json_object_set_new(o, "confidence", isnan(c->confidence) ? json_null() : json_real(c->confidence));
    if (c->alone) json_object_set_new(o, "alone", json_true());
    json_object_set_new(o, "outcomes", outcomes_json(t, c));
    json_object_set_new(o, "verdict", json_string(verdict_name(c->verdict)));
    if (c->verdict == VERDICT_FAULT) json_object_set_new(o, "fault", json_string(c->model.fault));
    json_object_set_new(o, "environment", environment);
    if (c->environments) {
        json_object_set_new(o, "environments", json_integer(c->environments));
        json_object_set_new(o, "seen_in", json_integer(c->seen_in));
        json_object_set_new(o, "best_rate", json_real(c->best_rate));
        json_object_set_new(o, "peak", json_real(c->peak));
    }
    if (c->stuck) json_object_set_new(o, "stuck", json_integer((json_int_t)c->stuck));
    if (c->nwarnings) json_object_set_new(o, "warnings", texts_json(c->warnings, c->nwarnings));
    if (c->nraces) json_object_set_new(o, "races", races_json(t, c));
    if (c->races_partial) json_object_set_new(o, "more_races", json_true());
    if (c->nwhy) json_object_set_new(o, "why", texts_json(c->why, c->nwhy));
    if (c->unjudged) json_object_set_new(o, "unjudged", json_string(c->unjudged));
    if (c->skipped) json_object_set_new(o, "skipped", json_string(c->skipped));
    return o;
}

/* A path may be any bytes, but JSON is UTF-8: where it is not, '?' stands for bytes that are no ASCII. */
static json_t *path_json(const char *path) {
    json_t *fine = json_string(path);
    if (fine) return fine;
    struct text t = {0};
    for (const char *s = path; *s; s++)
        text_printf(&t, "%c", (unsigned char)*s < 0x80 ? *s : '?');
    fine = json_string(t.s);
    text_free(&t);
    return fine;
}

static json_t *failures_json(const struct failure *failures, int n) {
    json_t *list = json_array();
    for (int k = 0; k < n; k++) {
        json_t *f = json_object();
        json_object_set_new(f, "line", json_integer(failures[k].pos.line));
        json_object_set_new(f, "column", json_integer(failures[k].pos.col));
        json_object_set_new(f, "text", json_string(failures[k].text));
        json_array_append_new(list, f);
    }
    return list;
}

static json_t *refused_json(const struct report *r) {
    json_t *list = json_array();
    for (int k = 0; k < r->nrefused; k++) {
        const struct refused_file *from = &r->refused[k];
        json_t *o = json_object();
        json_object_set_new(o, "file", path_json(from->file));
        json_object_set_new(o, "errors", failures_json(from->errors, from->nerrors));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *test_json(const struct test_result *t) {
    json_t *o = json_object(), *condition = json_object(), *cells = json_array();
    json_object_set_new(condition, "kind", json_string(t->kind));
    json_object_set_new(condition, "text", json_string(t->condition));
    for (int k = 0; k < t->ncells; k++)
        json_array_append_new(cells, cell_json(t, &t->cells[k]));
    json_object_set_new(o, "name", json_string(t->name));
    if (t->title) json_object_set_new(o, "title", json_string(t->title));
    json_object_set_new(o, "file", path_json(t->file));
    json_object_set_new(o, "condition", condition);
    if (t->nobs) json_object_set_new(o, "observed", texts_json(t->obs, t->nobs));
    json_object_set_new(o, "cells", cells);
    if (t->nfailures) json_object_set_new(o, "failed", failures_json(t->failures, t->nfailures));
    if (t->source) json_object_set_new(o, "source", json_string(t->source));
    return o;
}

void report_json(const struct report *r, FILE *out) {
    json_set_alloc_funcs(memory_take, free); /* without memory it would leave values out */
    json_t *root = json_object(), *machine = json_object(), *tests = json_array();
    for (int k = 0; k < r->nmachine; k++)
        json_object_set_new(machine, r->machine[k].name, json_string(r->machine[k].value));
    for (int k = 0; k < r->ntests; k++)
        json_array_append_new(tests, test_json(&r->tests[k]));
    json_object_set_new(root, "schema", json_integer(1));
    json_object_set_new(root, "tool", json_string(r->tool));
    json_object_set_new(root, "seed", json_integer(r->seed));
    json_object_set_new(root, "machine", machine);
    json_object_set_new(root, "tests", tests);
    if (r->nrefused) json_object_set_new(root, "refused", refused_json(r));
    if (r->date && results_ran(r)) json_object_set_new(root, "date", json_string(r->date));
    char *text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_write(text, out);
    fputc('\n', out);
    free(text);
    json_decref(root);
}
