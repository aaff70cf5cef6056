#include <string.h>

#include "base/foreign.h"
#include "report/printers.h"

static bool has_several_compilers(const struct test_result *t) {
    for (int k = 1; k < t->ncells; k++)
        if (!results_same(t->cells[k].compiler, t->cells[0].compiler)) return true;
    return false;
}

/* Writes a name without blanks for a cell, so that tools that index logs by name can tell cells apart. */
static void put_name(const struct test_result *t, const struct cell_result *c, FILE *out) {
    bool judged = c->machine == MACHINE_NONE && results_of_models(t);
    const char *parts[] = {t->name, c->placement, c->access, c->fence,
                           judged                     ? c->model.name
                           : has_several_compilers(t) ? c->compiler
                                                      : NULL};
    for (int k = 0; k < 5 && parts[k]; k++) {
        if (k) fputc(k == 1 ? '@' : '/', out);
        foreign_log(parts[k], true, out);
    }
}

static const char *test_word(const struct test_result *t) {
    return strcmp(t->kind, "forall") == 0   ? "Required"
           : strcmp(t->kind, "exists") == 0 ? "Allowed"
                                            : "Forbidden";
}

static const char *quantifier(const struct test_result *t) {
    return strcmp(t->kind, "not_exists") == 0 ? "~exists" : t->kind;
}

/* Returns how often an outcome was seen; in a cell that only a model judged, 1 for each allowed outcome. */
static unsigned long long count_of(const struct cell_outcome *o) {
    return o->count ? (unsigned long long)o->count : 1;
}

static void put_state(const struct test_result *t, const struct cell_outcome *o, FILE *out) {
    char buf[VALUE_MAX_TEXT];
    fprintf(out, "%-8llu%c>", count_of(o), o->satisfies ? '*' : ':');
    for (int v = 0; v < t->nobs; v++) {
        if (v) fputc(' ', out);
        foreign_log(t->obs[v], true, out);
        fprintf(out, "=%s;", value_text(buf, t->types[v], o->values[v]));
    }
    fputc('\n', out);
}

static void put_cell(const struct test_result *t, const struct cell_result *c, FILE *out) {
    unsigned long long yes = 0, no = 0;
    fputs("Test ", out);
    put_name(t, c, out);
    fprintf(out, " %s\nHistogram (%d states)\n", test_word(t), c->noutcomes);
    for (int k = 0; k < c->noutcomes; k++) {
        put_state(t, &c->outcomes[k], out);
        *(c->outcomes[k].satisfies ? &yes : &no) += count_of(&c->outcomes[k]);
    }
    bool holds = strcmp(t->kind, "exists") == 0       ? yes > 0
                 : strcmp(t->kind, "not_exists") == 0 ? yes == 0
                                                      : no == 0;
    fprintf(out, "%s%s\n\nWitnesses\nPositive: %llu, Negative: %llu\n", c->model.bounded ? "Loop " : "",
            holds ? "Ok" : "No", yes, no);
    fprintf(out, "Condition %s (", quantifier(t));
    foreign_log(t->condition, false, out);
    fprintf(out, ") is %svalidated\nObservation ", holds ? "" : "NOT ");
    put_name(t, c, out);
    fprintf(out, " %s %llu %llu\n", yes == 0 ? "Never" : no == 0 ? "Always" : "Sometimes", yes, no);
    if (c->verdict >= VERDICT_ENDLESS) { /* these words do not follow from the counts */
        fputs("Verdict ", out);
        put_name(t, c, out);
        fprintf(out, " %s\n", verdict_name(c->verdict));
    }
    fputs("Time ", out);
    put_name(t, c, out);
    fprintf(out, " %.2f\n\n", c->seconds);
}

void report_log(const struct report *r, FILE *out) {
    for (int k = 0; k < r->ntests; k++) {
        const struct test_result *t = results_test(r, k);
        for (int c = 0; c < t->ncells; c++)
            if (!t->cells[c].skipped) put_cell(t, &t->cells[c], out);
    }
}
