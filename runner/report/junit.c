#include <math.h>
#include <string.h>

#include "base/foreign.h"
#include "report/printers.h"
#include "report/terminal.h"

static void put_attribute(const char *name, const char *value, FILE *out) {
    fprintf(out, " %s=\"", name);
    foreign_html(value, out);
    fputc('"', out);
}

static void put_outcomes(const struct test_result *t, const struct cell_result *c, FILE *out) {
    char buf[VALUE_MAX_TEXT];
    for (int k = 0; k < c->noutcomes; k++) {
        if (c->outcomes[k].allowed != ANSWER_NO) continue;
        fprintf(out, "%llu times", (unsigned long long)c->outcomes[k].count);
        for (int v = 0; v < t->nobs; v++) {
            fputc(' ', out);
            foreign_html(t->obs[v], out);
            fprintf(out, "=%s", value_text(buf, t->types[v], c->outcomes[k].values[v]));
        }
        fputc('\n', out);
    }
}

/* Writes such as "bounded: loops were followed for 3 turns only". */
static void put_answer(const struct test_result *t, const struct cell_result *c, FILE *out) {
    struct arena *a = arena_open();
    const char *remark = terminal_remark(a, c);
    fputs(terminal_allowed(t, c), out);
    if (remark) {
        fputs(": ", out);
        foreign_html(remark, out);
    }
    arena_close(a);
}

/* Writes such as "held?, 0 of 1000 runs (0), confidence 86.4%". */
static void put_counts(const struct cell_result *c, FILE *out) {
    char buf[64];
    fprintf(out, "%s, %llu of %llu runs (%s)", cell_word(c), (unsigned long long)c->satisfied,
            (unsigned long long)c->runs, terminal_rate(cell_rate(c), buf, sizeof buf));
    if (!isnan(c->confidence)) {
        fputs(", confidence ", out);
        foreign_html(terminal_confidence(c->confidence, buf, sizeof buf), out);
    }
    if (c->stuck) fprintf(out, ", %llu stuck", (unsigned long long)c->stuck);
}

static void put_case(const struct test_result *t, const struct cell_result *c, FILE *out) {
    char name[512];
    const char *by = c->machine == MACHINE_NONE && results_of_models(t) ? c->model.name : c->compiler;
    snprintf(name, sizeof name, "%s %s %s %s%s%s", c->backend, c->placement, c->access, c->fence,
             by ? " " : "", by ? by : "");
    fputs("  <testcase", out);
    put_attribute("classname", t->name, out);
    put_attribute("name", name, out);
    fprintf(out, " time=\"%.3f\">", c->seconds);
    if (c->skipped) {
        fputs("<skipped", out);
        put_attribute("message", c->skipped, out);
        fputs("/>", out);
    } else if (c->verdict == VERDICT_VIOLATION) {
        fputs("<failure message=\"an outcome that the model forbids was observed\">", out);
        put_outcomes(t, c, out);
        fputs("</failure>", out);
    } else {
        fputs("<system-out>", out);
        if (c->runs == 0)
            put_answer(t, c, out);
        else
            put_counts(c, out);
        fputs("</system-out>", out);
    }
    fputs("</testcase>\n", out);
}

static void put_claims(const struct test_result *t, FILE *out) {
    fputs("  <testcase", out);
    put_attribute("classname", t->name, out);
    fputs(" name=\"claims\">", out);
    for (int k = 0; k < t->nfailures; k++) {
        fputs("<failure", out);
        put_attribute("message", t->failures[k].text, out);
        fputc('>', out);
        foreign_html(t->file, out);
        fprintf(out, ":%d:%d</failure>", t->failures[k].pos.line, t->failures[k].pos.col);
    }
    fputs("</testcase>\n", out);
}

static void put_suite(const struct test_result *t, FILE *out) {
    int failures = t->nfailures > 0, skipped = 0;
    for (int k = 0; k < t->ncells; k++) {
        failures += t->cells[k].verdict == VERDICT_VIOLATION;
        skipped += t->cells[k].skipped != NULL;
    }
    fputs(" <testsuite", out);
    put_attribute("name", t->name, out);
    fprintf(out, " tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\">\n", t->ncells + 1, failures,
            skipped);
    for (int k = 0; k < t->ncells; k++)
        put_case(t, &t->cells[k], out);
    put_claims(t, out);
    fputs(" </testsuite>\n", out);
}

/* Writes a suite with one case, for a test that cannot begin. */
static void put_refused(const struct refused_file *f, FILE *out) {
    fputs(" <testsuite", out);
    put_attribute("name", f->file, out);
    fputs(" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">\n  <testcase", out);
    put_attribute("classname", f->file, out);
    fputs(" name=\"read\">", out);
    for (int k = 0; k < f->nerrors; k++) {
        fputs("<error", out);
        put_attribute("message", f->errors[k].text, out);
        fputc('>', out);
        foreign_html(f->file, out);
        if (f->errors[k].pos.line) fprintf(out, ":%d:%d", f->errors[k].pos.line, f->errors[k].pos.col);
        fputs("</error>", out);
    }
    fputs("</testcase>\n </testsuite>\n", out);
}

void report_junit(const struct report *r, FILE *out) {
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"culitmus\">\n", out);
    for (int t = 0; t < r->ntests; t++)
        put_suite(results_test(r, t), out);
    for (int k = 0; k < r->nrefused; k++)
        put_refused(&r->refused[k], out);
    fputs("</testsuites>\n", out);
}
