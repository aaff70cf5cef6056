/* JSON back to results. Every access goes through `get`, which records the first thing that is not as it
 * should be; what follows reads harmless defaults, and the caller looks at the error once. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "litmus/source.h"
#include "report/json.h"
#include "report/json_value.h"

struct json_reader {
    struct arena *arena;
    const struct source *source;
    struct diag *diag;
};

static void fail(struct json_reader *r, const char *what) {
    if (r->diag->errors == 0)
        diag_error(r->diag, r->source, (struct pos){0}, "not a result of culitmus: %s", what);
}

/* A member of the type that is wanted, or NULL and an error. */
static json_t *get(struct json_reader *r, const json_t *o, const char *key, json_type type) {
    json_t *value = json_object_get(o, key);
    if (value && json_typeof(value) == type) return value;
    if (value && type == JSON_REAL && json_is_integer(value)) return value;
    fail(r, arena_printf(r->arena, "'%s' is %s", key, value ? "not of the right type" : "missing"));
    return NULL;
}

static const char *get_text(struct json_reader *r, const json_t *o, const char *key) {
    json_t *value = get(r, o, key, JSON_STRING);
    return value ? arena_strdup(r->arena, json_string_value(value)) : "";
}

/* A text, or NULL where the member is missing or null. */
static const char *get_optional(struct json_reader *r, const json_t *o, const char *key) {
    json_t *value = json_object_get(o, key);
    return value && !json_is_null(value) ? get_text(r, o, key) : NULL;
}

static long long get_integer(struct json_reader *r, const json_t *o, const char *key) {
    return json_integer_value(get(r, o, key, JSON_INTEGER));
}

static uint64_t get_count(struct json_reader *r, const json_t *o, const char *key) {
    long long n = get_integer(r, o, key);
    if (n < 0) fail(r, arena_printf(r->arena, "'%s' is negative", key));
    return n < 0 ? 0 : (uint64_t)n;
}

static enum answer get_answer(const json_t *o, const char *key) {
    json_t *value = json_object_get(o, key);
    return json_is_true(value) ? ANSWER_YES : json_is_false(value) ? ANSWER_NO : ANSWER_UNKNOWN;
}

static struct judgement read_judgement(struct json_reader *r, const json_t *cell) {
    json_t *o = json_object_get(cell, "model");
    if (!o || json_is_null(o)) return (struct judgement){0};
    return (struct judgement){
        .name = get_text(r, o, "name"),
        .allowed = get_answer(o, "allowed"),
        .holds = get_answer(o, "holds"),
        .outcomes = get_integer(r, o, "outcomes"),
        .executions = get_integer(r, o, "executions"),
        .uncounted = json_is_true(json_object_get(o, "uncounted")),
        .bounded = json_is_true(json_object_get(o, "bounded")),
        .unknown = get_optional(r, o, "unknown"),
    };
}

/* A value; its type is joined to that of the same observable before. */
static struct value get_value(struct json_reader *r, const json_t *o, const char *key, struct type *type) {
    struct type here;
    struct value value = {0};
    json_t *from = json_object_get(o, key);
    bool good = from && json_value_of(from, &here, &value) && json_join_types(type, here);
    if (!good) fail(r, arena_printf(r->arena, "'%s' is %s", key, from ? "not of the right type" : "missing"));
    return value;
}

static void read_observed(struct json_reader *r, struct test_result *t, const json_t *list) {
    const char **names = arena_array(r->arena, json_array_size(list), sizeof *names);
    for (size_t k = 0; k < json_array_size(list); k++) {
        const char *name = json_string_value(json_array_get(list, k));
        if (!name) fail(r, "'observed' is not of the right type");
        names[t->nobs++] = arena_strdup(r->arena, name ? name : "");
    }
    t->obs = names;
    t->types = arena_array(r->arena, (size_t)t->nobs, sizeof *t->types);
}

/* Where a test has no 'observed', the names are those of its first outcome. */
static void read_observables(struct json_reader *r, struct test_result *t, const json_t *values) {
    const char **names = arena_array(r->arena, json_object_size(values), sizeof *names);
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)values, key, value) names[t->nobs++] = arena_strdup(r->arena, key);
    t->obs = names;
    t->types = arena_array(r->arena, (size_t)t->nobs, sizeof *t->types);
}

static void read_outcomes(struct json_reader *r, struct test_result *t, struct cell_result *c,
                          const json_t *o) {
    json_t *list = get(r, o, "outcomes", JSON_ARRAY);
    c->outcomes = arena_array(r->arena, json_array_size(list), sizeof *c->outcomes);
    for (size_t k = 0; k < json_array_size(list); k++) {
        json_t *from = json_array_get(list, k), *values = get(r, from, "values", JSON_OBJECT);
        if (values && t->nobs == 0) read_observables(r, t, values);
        struct value *copy = arena_array(r->arena, (size_t)t->nobs, sizeof *copy);
        for (int v = 0; v < t->nobs; v++)
            copy[v] = get_value(r, values, t->obs[v], &t->types[v]);
        c->outcomes[c->noutcomes++] = (struct cell_outcome){
            .values = copy,
            .count = get_count(r, from, "count"),
            .allowed = get_answer(from, "allowed"),
            .satisfies = json_is_true(json_object_get(from, "satisfies")),
        };
    }
}

static void read_environment(struct json_reader *r, struct cell_result *c, const json_t *o) {
    json_t *environment = get(r, o, "environment", JSON_OBJECT), *value;
    const char *key;
    c->environment = arena_array(r->arena, json_object_size(environment), sizeof *c->environment);
    json_object_foreach(environment, key, value) c->environment[c->nenvironment++] =
        (struct parameter){arena_strdup(r->arena, key), json_integer_value(value)};
}

static enum verdict read_verdict(struct json_reader *r, const json_t *o) {
    const char *name = get_text(r, o, "verdict");
    for (enum verdict v = VERDICT_NO_MODEL; v <= VERDICT_UNKNOWN; v++)
        if (strcmp(name, verdict_name(v)) == 0) return v;
    fail(r, arena_printf(r->arena, "unknown verdict '%s'", name));
    return VERDICT_UNKNOWN;
}

static struct cell_result read_cell(struct json_reader *r, struct test_result *t, const json_t *o) {
    json_t *confidence = json_object_get(o, "confidence"), *warnings = json_object_get(o, "warnings");
    struct cell_result c = {
        .backend = get_text(r, o, "backend"),
        .device = get_optional(r, o, "device"),
        .placement = get_text(r, o, "placement"),
        .fence = get_text(r, o, "fence"),
        .access = get_text(r, o, "access"),
        .model = read_judgement(r, o),
        .runs = get_count(r, o, "runs"),
        .satisfied = get_count(r, o, "satisfied"),
        .stuck = json_object_get(o, "stuck") ? get_count(r, o, "stuck") : 0,
        .seconds = json_number_value(get(r, o, "seconds", JSON_REAL)),
        .confidence = json_is_number(confidence) ? json_number_value(confidence) : NAN,
        .verdict = read_verdict(r, o),
        .skipped = get_optional(r, o, "skipped"),
    };
    if (!machine_of(c.backend, &c.machine))
        fail(r, arena_printf(r->arena, "unknown backend '%s'", c.backend));
    if (json_object_get(o, "environments")) {
        c.environments = (int)get_count(r, o, "environments");
        c.seen_in = (int)get_count(r, o, "seen_in");
        c.best_rate = json_number_value(get(r, o, "best_rate", JSON_REAL));
        c.peak = json_number_value(get(r, o, "peak", JSON_REAL));
    }
    read_outcomes(r, t, &c, o);
    read_environment(r, &c, o);
    c.warnings = arena_array(r->arena, json_array_size(warnings), sizeof *c.warnings);
    for (size_t k = 0; k < json_array_size(warnings); k++) {
        const char *text = json_string_value(json_array_get(warnings, k));
        c.warnings[c.nwarnings++] = arena_strdup(r->arena, text ? text : "");
    }
    return c;
}

static struct test_result read_test(struct json_reader *r, const json_t *o) {
    json_t *condition = get(r, o, "condition", JSON_OBJECT), *cells = get(r, o, "cells", JSON_ARRAY);
    json_t *failures = json_object_get(o, "failed");
    struct test_result t = {
        .name = get_text(r, o, "name"),
        .title = json_object_get(o, "title") ? get_text(r, o, "title") : NULL,
        .file = get_text(r, o, "file"),
        .kind = get_text(r, condition, "kind"),
        .condition = get_text(r, condition, "text"),
    };
    if (json_object_get(o, "observed")) read_observed(r, &t, get(r, o, "observed", JSON_ARRAY));
    t.cells = arena_array(r->arena, json_array_size(cells), sizeof *t.cells);
    for (size_t k = 0; k < json_array_size(cells); k++)
        t.cells[t.ncells++] = read_cell(r, &t, json_array_get(cells, k));
    t.failures = arena_array(r->arena, json_array_size(failures), sizeof *t.failures);
    for (size_t k = 0; k < json_array_size(failures); k++) {
        json_t *f = json_array_get(failures, k);
        struct pos pos = {(int)get_integer(r, f, "line"), (int)get_integer(r, f, "column"), 0};
        t.failures[t.nfailures++] = (struct failure){pos, get_text(r, f, "text")};
    }
    return t;
}

static struct report *read_report(struct json_reader *r, const json_t *root) {
    struct report *report = arena_alloc(r->arena, sizeof *report);
    if (get_integer(r, root, "schema") != 1) fail(r, "its 'schema' is not 1");
    json_t *machine = get(r, root, "machine", JSON_OBJECT), *tests = get(r, root, "tests", JSON_ARRAY),
           *value;
    const char *key;
    report->tool = get_text(r, root, "tool");
    report->seed = get_integer(r, root, "seed");
    report->machine = arena_array(r->arena, json_object_size(machine), sizeof *report->machine);
    json_object_foreach(machine, key, value) if (json_is_string(value)) report->machine[report->nmachine++] =
        (struct property){arena_strdup(r->arena, key), arena_strdup(r->arena, json_string_value(value))};
    report->tests = arena_array(r->arena, json_array_size(tests), sizeof *report->tests);
    for (size_t k = 0; k < json_array_size(tests); k++)
        report->tests[report->ntests++] = read_test(r, json_array_get(tests, k));
    return report;
}

/* Numbers that the library cannot hold are marked, unless the text is none. */
static json_t *parse_text(const struct source *source, json_error_t *error) {
    bool is_text = strlen(source->text) == source->len;
    char *marked = is_text ? json_mark_numbers(source->text) : NULL;
    json_t *root = is_text ? json_loads(marked, JSON_REJECT_DUPLICATES, error)
                           : json_loadb(source->text, source->len, JSON_REJECT_DUPLICATES, error);
    free(marked);
    return root;
}

struct report *report_read(struct arena *a, const char *path, struct diag *d) {
    json_error_t error;
    struct source *source = arena_alloc(a, sizeof *source);
    struct diag own = {0};
    struct json_reader r = {.arena = a, .source = source, .diag = &own};
    struct report *report = NULL;
    if (!source_load(a, path, source, &own)) {
        diag_fail(d, "cannot read '%s': %s", path, strerror(errno));
        diag_free(&own);
        return NULL;
    }
    json_t *root = parse_text(source, &error);
    if (!root)
        diag_error(d, source, (struct pos){error.line, error.column > 0 ? error.column : 1, 1},
                   "this is not JSON: %s", error.text);
    else
        report = read_report(&r, root);
    if (own.errors) {
        diag_error(d, source, (struct pos){1, 1, 1}, "%s", own.messages[0].text);
        report = NULL;
    }
    diag_free(&own);
    json_decref(root);
    return report;
}
