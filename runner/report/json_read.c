/* Reads results from JSON. Anything wrong becomes an error with its position, and reads as a harmless
 * value. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "litmus/axes.h"
#include "report/json.h"
#include "results/verdict.h"

static const char *get_optional(const struct json_file *f, const struct json_value *o, const char *name) {
    const struct json_value *value = json_find(o, name);
    return value && value->kind != JSON_IS_NULL ? json_get_text(f, o, name) : NULL;
}

static uint64_t get_count(const struct json_file *f, const struct json_value *o, const char *name) {
    return (uint64_t)json_get_whole(f, o, name, 0, LLONG_MAX);
}

/* Reads seconds or a rate, which are not negative. */
static double get_amount(const struct json_file *f, const struct json_value *o, const char *name) {
    double v = json_get_real(f, o, name);
    if (v < 0) json_wrong(f, json_find(o, name), "'%s' is negative", name);
    return v < 0 ? 0 : v;
}

/* Reads a number; null means that it is not known. */
static enum answer get_answer(const struct json_file *f, const struct json_value *o, const char *name) {
    const struct json_value *value = json_find(o, name);
    if (!value || value->kind == JSON_IS_NULL) return ANSWER_UNKNOWN;
    if (value->kind > JSON_IS_TRUE) json_wrong(f, value, "'%s' is not true, false or null", name);
    return value->kind == JSON_IS_TRUE ? ANSWER_YES : ANSWER_NO;
}

/* Returns the elements of a list that may be missing. */
static const struct json_value *get_list(const struct json_file *f, const struct json_value *o,
                                         const char *name, size_t *n) {
    const struct json_value *list = json_find(o, name) ? json_get(f, o, name, JSON_IS_LIST) : NULL;
    *n = list ? list->n : 0;
    return list ? list->first : NULL;
}

static const char **get_texts(const struct json_file *f, const struct json_value *o, const char *name,
                              int *n) {
    size_t count;
    const struct json_value *item = get_list(f, o, name, &count);
    const char **texts = arena_array(f->arena, count, sizeof *texts);
    for (*n = 0; item; item = item->next) {
        if (item->kind != JSON_IS_TEXT) json_wrong(f, item, "'%s' has what is not a text", name);
        texts[(*n)++] = item->kind == JSON_IS_TEXT ? item->text : "";
    }
    return texts;
}

/* ---- cells ---- */

static struct judgement read_judgement(const struct json_file *f, const struct json_value *cell) {
    const struct json_value *o = json_find(cell, "model");
    if (!o || o->kind == JSON_IS_NULL) return (struct judgement){0};
    o = json_get(f, cell, "model", JSON_IS_OBJECT);
    return (struct judgement){
        .name = json_get_text(f, o, "name"),
        .allowed = get_answer(f, o, "allowed"),
        .holds = get_answer(f, o, "holds"),
        .outcomes = json_get_whole(f, o, "outcomes", 0, LLONG_MAX),
        .executions = json_get_whole(f, o, "executions", 0, LLONG_MAX),
        .uncounted = get_answer(f, o, "uncounted") == ANSWER_YES,
        .unlisted = get_answer(f, o, "unlisted") == ANSWER_YES,
        .bounded = get_answer(f, o, "bounded") == ANSWER_YES,
        .turns = json_find(o, "turns") ? (int)json_get_whole(f, o, "turns", 0, INT_MAX) : 0,
        .undefined = get_answer(f, o, "undefined") == ANSWER_YES,
        .fault = get_optional(f, o, "fault"),
        .unreached = get_answer(f, o, "reached") == ANSWER_NO,
        .unknown = get_optional(f, o, "unknown"),
    };
}

/* Reads a value, and widens the type of its observable so that it fits. */
static struct value get_value(const struct json_file *f, const struct json_value *o, const char *name,
                              struct type *type) {
    struct type here;
    struct value value = {0};
    const struct json_value *from = json_find(o, name);
    bool good = from && json_value_of(from, &here, &value) && json_join_types(type, here);
    if (!good && o)
        json_wrong(f, from ? from : o, from ? "'%s' is not of the right type" : "'%s' is missing", name);
    return value;
}

/* Reads the names of the observables. If a test has no 'observed', its first outcome names them. */
static void name_observables(const struct json_file *f, struct test_result *t,
                             const struct json_value *values) {
    const char **names = arena_array(f->arena, values->n, sizeof *names);
    for (const struct json_value *v = values->first; v; v = v->next)
        names[t->nobs++] = v->name;
    t->obs = names;
    t->types = arena_array(f->arena, values->n, sizeof *t->types);
}

static const struct value *read_values(const struct json_file *f, struct test_result *t,
                                       const struct json_value *values) {
    if (values && t->nobs == 0) name_observables(f, t, values);
    struct value *copy = arena_array(f->arena, (size_t)t->nobs, sizeof *copy);
    for (int k = 0; k < t->nobs; k++)
        copy[k] = get_value(f, values, t->obs[k], &t->types[k]);
    return copy;
}

static struct cell_outcome read_outcome(const struct json_file *f, struct test_result *t,
                                        const struct json_value *o) {
    return (struct cell_outcome){
        .values = read_values(f, t, json_get(f, o, "values", JSON_IS_OBJECT)),
        .count = get_count(f, o, "count"),
        .allowed = get_answer(f, o, "allowed"),
        .satisfies = get_answer(f, o, "satisfies") == ANSWER_YES,
    };
}

static void read_outcomes(const struct json_file *f, struct test_result *t, struct cell_result *c,
                          const struct json_value *o) {
    const struct json_value *list = json_get(f, o, "outcomes", JSON_IS_LIST);
    c->outcomes = arena_array(f->arena, list ? list->n : 0, sizeof *c->outcomes);
    for (const struct json_value *from = list ? list->first : NULL; from; from = from->next)
        c->outcomes[c->noutcomes++] = read_outcome(f, t, from);
}

static void read_environment(const struct json_file *f, struct cell_result *c, const struct json_value *o) {
    const struct json_value *environment = json_get(f, o, "environment", JSON_IS_OBJECT);
    c->environment = arena_array(f->arena, environment ? environment->n : 0, sizeof *c->environment);
    for (const struct json_value *v = environment ? environment->first : NULL; v; v = v->next) {
        struct parameter *p = &c->environment[c->nenvironment++];
        p->name = v->name;
        json_whole(f, v, v->name, LLONG_MIN, LLONG_MAX, &p->value);
    }
}

static struct host_judgement read_host(const struct json_file *f, const struct json_value *cell) {
    if (!json_find(cell, "host")) return (struct host_judgement){0};
    const struct json_value *o = json_get(f, cell, "host", JSON_IS_OBJECT);
    return (struct host_judgement){.model = json_get_text(f, o, "name"),
                                   .allowed = get_answer(f, o, "allowed"),
                                   .holds = get_answer(f, o, "holds"),
                                   .threads = json_get_text(f, o, "threads")};
}

static struct racing_access read_access(const struct json_file *f, const struct json_value *o) {
    int line = (int)json_get_whole(f, o, "line", 0, INT_MAX);
    return (struct racing_access){
        .thread = json_get_text(f, o, "thread"),
        .place = json_get_text(f, o, "place"),
        .does = json_get_text(f, o, "does"),
        .strength = json_get_text(f, o, "strength"),
        .line = line,
        .column = (int)json_get_whole(f, o, "column", 0, INT_MAX),
        .where = line ? arena_printf(f->arena, "line %d", line) : json_get_text(f, o, "where"),
    };
}

static struct racing_pair read_race(const struct json_file *f, struct test_result *t,
                                    const struct json_value *o) {
    struct racing_pair p = {.risk = json_get_text(f, o, "risk")};
    const struct json_value *accesses = json_get(f, o, "accesses", JSON_IS_LIST);
    if (accesses && accesses->n != 2) json_wrong(f, accesses, "a race is of two accesses");
    for (int k = 0; k < 2 && accesses && accesses->n == 2; k++)
        p.access[k] = read_access(f, k ? accesses->first->next : accesses->first);
    p.values = read_values(f, t, json_get(f, o, "values", JSON_IS_OBJECT));
    return p;
}

static void read_races(const struct json_file *f, struct test_result *t, struct cell_result *c,
                       const struct json_value *o) {
    size_t n;
    const struct json_value *item = get_list(f, o, "races", &n);
    c->races = arena_array(f->arena, n, sizeof *c->races);
    for (; item; item = item->next)
        c->races[c->nraces++] = read_race(f, t, item);
    c->races_partial = get_answer(f, o, "more_races") == ANSWER_YES;
}

static enum verdict read_verdict(const struct json_file *f, const struct json_value *o) {
    const struct json_value *value = json_get(f, o, "verdict", JSON_IS_TEXT);
    for (enum verdict v = VERDICT_NO_MODEL; value && v < VERDICT_COUNT; v++)
        if (strcmp(value->text, verdict_name(v)) == 0) return v;
    if (value) json_wrong(f, value, "unknown verdict '%s'", value->text);
    return VERDICT_UNKNOWN;
}

/* Checks the counts against their sum. Outcomes may be missing. */
static void check_counts(const struct json_file *f, const struct cell_result *c, const struct json_value *o) {
    uint64_t sum = 0, satisfied = 0, due;
    if (c->stuck > c->runs) json_wrong(f, json_find(o, "stuck"), "more runs are stuck than there are");
    due = c->stuck > c->runs ? 0 : c->runs - c->stuck;
    if (c->satisfied > due)
        json_wrong(f, json_find(o, "satisfied"), "'satisfied' is more than the runs that ended");
    for (int k = 0; k < c->noutcomes; k++) {
        if (__builtin_add_overflow(sum, c->outcomes[k].count, &sum)) sum = UINT64_MAX;
        if (c->outcomes[k].satisfies && satisfied <= due) satisfied += c->outcomes[k].count;
    }
    if (c->noutcomes && sum != due)
        json_wrong(f, json_find(o, "outcomes"), "the outcomes are not as many as the runs that ended");
    else if (c->noutcomes && satisfied != c->satisfied)
        json_wrong(f, json_find(o, "satisfied"), "'satisfied' is not what the outcomes add up to");
}

/* Older results call a cell stuck even if it showed the outcome before that, and have no word for bounded. */
static bool was_said_before(const struct cell_result *c) {
    if (c->model.bounded && (c->verdict == VERDICT_HELD || c->verdict == VERDICT_FORBIDDEN)) return true;
    return c->verdict == VERDICT_STUCK && c->stuck > 0;
}

/* Without its outcomes, a cell cannot say why it is a violation. */
static void check_verdict(const struct json_file *f, struct cell_result *c, const struct json_value *o,
                          bool forall) {
    enum verdict v = verdict_of(c, forall);
    bool untold = c->verdict == VERDICT_VIOLATION && c->noutcomes == 0 && c->runs > 0 && c->model.name;
    if (v != c->verdict && !untold && !was_said_before(c))
        json_wrong(f, json_find(o, "verdict"), "the verdict is '%s', but what was counted says '%s'",
                   verdict_name(c->verdict), verdict_name(v));
    if (!untold) c->verdict = v;
}

static void check_cell(const struct json_file *f, struct cell_result *c, const struct json_value *o,
                       bool forall) {
    if (!machine_of(c->backend, &c->machine)) {
        json_wrong(f, json_find(o, "backend"), "unknown backend '%s'", c->backend);
        return;
    }
    if (c->confidence < 0 || c->confidence > 1)
        json_wrong(f, json_find(o, "confidence"), "'confidence' is not between 0 and 1");
    check_counts(f, c, o);
    check_verdict(f, c, o, forall);
}

static struct cell_result read_cell(const struct json_file *f, struct test_result *t,
                                    const struct json_value *o) {
    size_t errors = f->diag->errors;
    const struct json_value *confidence = json_find(o, "confidence");
    struct cell_result c = {
        .backend = json_get_text(f, o, "backend"),
        .device = get_optional(f, o, "device"),
        .placement = json_get_text(f, o, "placement"),
        .fence = json_get_text(f, o, "fence"),
        .access = json_get_text(f, o, "access"),
        .compiler = get_optional(f, o, "compiler"),
        .model = read_judgement(f, o),
        .runs = get_count(f, o, "runs"),
        .satisfied = get_count(f, o, "satisfied"),
        .stuck = json_find(o, "stuck") ? get_count(f, o, "stuck") : 0,
        .seconds = get_amount(f, o, "seconds"),
        .confidence =
            confidence && confidence->kind != JSON_IS_NULL ? json_get_real(f, o, "confidence") : NAN,
        .verdict = read_verdict(f, o),
        .skipped = get_optional(f, o, "skipped"),
        .lost = get_answer(f, o, "lost") == ANSWER_YES,
        .elsewhere = json_find(o, "shard") ? (int)json_get_whole(f, o, "shard", 1, SHARDS_MAX) : 0,
        .unjudged = get_optional(f, o, "unjudged"),
    };
    if (json_find(o, "environments")) {
        c.environments = (int)json_get_whole(f, o, "environments", 0, INT_MAX);
        c.seen_in = (int)json_get_whole(f, o, "seen_in", 0, c.environments);
        c.best_rate = get_amount(f, o, "best_rate");
        c.peak = get_amount(f, o, "peak");
    }
    read_outcomes(f, t, &c, o);
    c.host = read_host(f, o);
    read_races(f, t, &c, o);
    read_environment(f, &c, o);
    c.warnings = get_texts(f, o, "warnings", &c.nwarnings);
    c.why = get_texts(f, o, "why", &c.nwhy);
    if (f->diag->errors == errors) check_cell(f, &c, o, result_is_forall(t));
    return c;
}

/* ---- tests ---- */

/* Sorts the outcomes once all of a test is read, since only then the types of its observables are known. */
static void check_order(const struct json_file *f, const struct test_result *t, const struct cell_result *c,
                        const struct json_value *cell) {
    const struct json_value *list = json_find(cell, "outcomes"), *o = list->first;
    for (int k = 1; k < c->noutcomes; k++) {
        o = o->next;
        int order = results_order(t, c->outcomes[k - 1].values, c->outcomes[k].values);
        if (order >= 0)
            json_wrong(f, o, order ? "the outcomes are not sorted" : "this outcome is there twice");
        if (order >= 0) return;
    }
}

/* Checks a cell against those before it: none is the same cell, and no model contradicts itself. */
static void check_others(const struct json_file *f, const struct test_result *t, int k,
                         const struct json_value *cell) {
    for (int i = 0; i < k; i++) {
        const struct cell_result *x = &t->cells[i], *y = &t->cells[k];
        const char *why = results_contradict(x, y);
        if (results_same_cell(x, y) && results_same(x->device, y->device) &&
            results_same(x->model.name, y->model.name))
            why = "this cell is there twice";
        if (why) json_wrong(f, cell, "%s", why);
        if (why) return;
    }
}

enum { MAX_CELLS = 10000 };

static void read_cells(const struct json_file *f, struct test_result *t, const struct json_value *cells) {
    size_t errors = f->diag->errors;
    int k = 0;
    if (cells && cells->n > MAX_CELLS) {
        json_wrong(f, cells, "more than %d cells", MAX_CELLS);
        return;
    }
    t->cells = arena_array(f->arena, cells ? cells->n : 0, sizeof *t->cells);
    for (const struct json_value *o = cells ? cells->first : NULL; o; o = o->next)
        t->cells[t->ncells++] = read_cell(f, t, o);
    if (f->diag->errors > errors) return;
    for (const struct json_value *o = cells ? cells->first : NULL; o; o = o->next, k++) {
        check_order(f, t, &t->cells[k], o);
        check_others(f, t, k, o);
    }
}

static struct failure *read_failures(const struct json_file *f, const struct json_value *o, const char *name,
                                     int *n) {
    size_t count;
    const struct json_value *item = get_list(f, o, name, &count);
    struct failure *failures = arena_array(f->arena, count, sizeof *failures);
    for (*n = 0; item; item = item->next)
        failures[(*n)++] = (struct failure){{(int)json_get_whole(f, item, "line", 0, INT_MAX),
                                             (int)json_get_whole(f, item, "column", 0, INT_MAX), 0},
                                            json_get_text(f, item, "text")};
    return failures;
}

static void check_kind(const struct json_file *f, const struct json_value *condition, const char *kind) {
    for (enum quantifier q = EXISTS; q <= FORALL; q++)
        if (strcmp(kind, quantifier_name(q)) == 0) return;
    if (*kind) json_wrong(f, json_find(condition, "kind"), "unknown kind of condition '%s'", kind);
}

static struct test_result read_test(const struct json_file *f, const struct json_value *o) {
    size_t errors = f->diag->errors;
    const struct json_value *condition = json_get(f, o, "condition", JSON_IS_OBJECT);
    struct test_result t = {
        .name = json_get_text(f, o, "name"),
        .title = get_optional(f, o, "title"),
        .file = json_get_text(f, o, "file"),
        .source = get_optional(f, o, "source"),
        .beside = get_optional(f, o, "beside"),
        .kind = json_get_text(f, condition, "kind"),
        .condition = json_get_text(f, condition, "text"),
    };
    check_kind(f, condition, t.kind);
    t.obs = get_texts(f, o, "observed", &t.nobs);
    t.types = arena_array(f->arena, (size_t)t.nobs, sizeof *t.types);
    if (f->diag->errors == errors) read_cells(f, &t, json_get(f, o, "cells", JSON_IS_LIST));
    t.failures = read_failures(f, o, "failed", &t.nfailures);
    verdict_confidence(&t); /* computed anew from the counts, since older results used another formula */
    return t;
}

static void read_refused(const struct json_file *f, struct report *r, const struct json_value *root) {
    size_t n;
    const struct json_value *item = get_list(f, root, "refused", &n);
    struct refused_file *refused = arena_array(f->arena, n, sizeof *refused);
    for (; item; item = item->next) {
        struct refused_file *to = &refused[r->nrefused++];
        to->file = json_get_text(f, item, "file");
        to->errors = read_failures(f, item, "errors", &to->nerrors);
    }
    r->refused = refused;
}

static void read_shards(const struct json_file *f, struct report *r, const struct json_value *root) {
    if (!json_find(root, "shards")) return;
    const struct json_value *o = json_get(f, root, "shards", JSON_IS_OBJECT);
    const struct json_value *numbers = json_get(f, o, "numbers", JSON_IS_LIST);
    const char *suite = json_get_text(f, o, "suite");
    struct shards *s = &r->shards;
    s->of = (int)json_get_whole(f, o, "of", 1, SHARDS_MAX);
    s->suite = strtoull(suite, NULL, 16);
    s->numbers = arena_array(f->arena, numbers ? numbers->n : 0, sizeof *s->numbers);
    for (const struct json_value *v = numbers ? numbers->first : NULL; v; v = v->next) {
        long long number, least = s->n ? s->numbers[s->n - 1] + 1 : 1;
        if (!json_whole(f, v, "numbers", least, s->of, &number)) return;
        s->numbers[s->n++] = (int)number;
    }
}

static void read_machine(const struct json_file *f, struct report *r, const struct json_value *machine) {
    r->machine = arena_array(f->arena, machine ? machine->n : 0, sizeof *r->machine);
    for (const struct json_value *v = machine ? machine->first : NULL; v; v = v->next) {
        if (v->kind == JSON_IS_TEXT)
            r->machine[r->nmachine++] = (struct property){v->name, v->text};
        else
            json_wrong(f, v, "'%s' is not a text", v->name);
    }
}

/* Returns false if the file is no result that this version reads; then its tests do not matter. */
static bool read_root(const struct json_file *f, struct report *r, const struct json_value *root) {
    if (root->kind != JSON_IS_OBJECT) {
        json_wrong(f, root, "a result of culitmus is a JSON object");
        return false;
    }
    const struct json_value *at = json_find(root, "schema");
    long long schema = json_get_whole(f, root, "schema", LLONG_MIN, LLONG_MAX);
    if (at && at->kind == JSON_IS_NUMBER && schema != 1)
        json_wrong(f, at, "schema %s is not one that this culitmus reads: it reads 1", at->text);
    if (!at || schema != 1) return false;
    r->tool = json_get_text(f, root, "tool");
    r->seed = json_get_whole(f, root, "seed", LLONG_MIN, LLONG_MAX);
    r->date = get_optional(f, root, "date");
    read_machine(f, r, json_get(f, root, "machine", JSON_IS_OBJECT));
    json_get(f, root, "tests", JSON_IS_LIST);
    read_refused(f, r, root);
    read_shards(f, r, root);
    return true;
}

/* The tests of a file are read one by one, because there may be a hundred thousand. */
struct tests_reading {
    struct json_file file; /* with its own diagnostics, which count only if the file is a result */
    struct report *report;
};

static void read_next(void *ctx, const struct json_value *o) {
    struct tests_reading *reading = ctx;
    struct report *r = reading->report;
    r->tests = arena_more(reading->file.arena, r->tests, (size_t)r->ntests, sizeof *r->tests);
    r->tests[r->ntests++] = read_test(&reading->file, o);
}

/* Whether a file has the name of a test. */
static bool is_test(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0 || strcmp(dot, ".litmus") == 0);
}

struct report *report_read(struct arena *a, const char *path, struct diag *d) {
    struct source *source = arena_alloc(a, sizeof *source);
    struct report *report = arena_alloc(a, sizeof *report);
    struct diag of_tests = {0};
    struct tests_reading reading = {{.arena = a, .source = source, .diag = &of_tests}, report};
    const struct json_file f = {.arena = a, .source = source, .diag = d};
    const struct json_each each = {.list = "tests", .element = read_next, .ctx = &reading};
    size_t errors = d->errors, messages = d->n;
    if (!source_map(a, path, source, d)) return NULL;
    if (is_test(path)) {
        diag_error(d, source, (struct pos){0}, "a test is no results: 'culitmus run --json' writes such");
        return NULL;
    }
    if (source->len == 0) {
        diag_error(d, source, (struct pos){0}, "the file is empty");
        return NULL;
    }
    const struct json_value *root = json_parse_each(&f, &each);
    report->source = source;
    if (root && read_root(&f, report, root))
        diag_join(d, &of_tests);
    else
        diag_free(&of_tests);
    diag_sort(d, messages);
    return d->errors == errors ? report : NULL;
}
