#include <math.h>
#include <string.h>

#include "base/foreign.h"
#include "report/layout.h"
#include "report/printers.h"
#include "report/terminal.h"

enum { MAX_ROWS = 200 };

static const char style[] =
    "body{font:15px/1.45 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;"
    "color:#1b1f24;background:#fff}"
    "h1{font-size:1.5rem}"
    "h2{font-size:1.15rem;margin:2.5rem 0 .2rem}"
    "code,td,th{font-family:ui-monospace,monospace;font-size:.88rem}"
    "table{border-collapse:collapse;margin:.5rem 0 1rem}"
    "th,td{border:1px solid #d5d9de;padding:.3rem .7rem;text-align:left;vertical-align:top}"
    "td.n{text-align:right}"
    "th{background:#f3f5f7}"
    "small{color:#5a636e;display:block}"
    ".seen{background:#fff3cd}"
    ".held{background:#dcf3e3}"
    ".VIOLATION{background:#f8c9cc;font-weight:bold}"
    ".skipped,.unknown,.stuck{color:#5a636e;background:#f3f5f7}"
    ".star{font-weight:bold}"
    ".bad{color:#b3001b}"
    "@media(prefers-color-scheme:dark){"
    "body{color:#e3e6ea;background:#15181c}"
    "th,.skipped,.unknown,.stuck{background:#22272d}"
    "th,td{border-color:#3a4149}"
    ".seen{background:#5a4a12}"
    ".held{background:#17422a}"
    ".VIOLATION{background:#6b1620}"
    "small{color:#9aa4af}"
    "}";

static void put_heads(const struct layout_group *g, FILE *out) {
    for (int k = 0; k < g->ncolumns; k++) {
        fputs("<th>", out);
        foreign_html(g->fences[k], out);
        fputs("</th>", out);
    }
    fputs("</tr>\n", out);
}

static const char *class_of(const struct cell_result *c) {
    if (c->verdict == VERDICT_NO_MODEL || c->verdict == VERDICT_NOT_REACHED || c->verdict == VERDICT_ENDLESS)
        return "unknown";
    if (c->verdict == VERDICT_ALLOWED) return "seen"; /* what the model allows is worth the eye */
    if (c->verdict == VERDICT_FORBIDDEN) return "held";
    return verdict_name(c->verdict);
}

static void put_cell(const struct test_result *t, const struct cell_result *c, FILE *out) {
    char buf[64];
    if (!c) {
        fputs("<td></td>", out);
        return;
    }
    bool alone = c->machine == MACHINE_NONE;
    fprintf(out, "<td class=\"%s\">%s", class_of(c), terminal_allowed(t, c));
    if (!alone) fprintf(out, "<br>%s", terminal_observed(t, c, buf, sizeof buf));
    if (alone && !c->model.unknown) fprintf(out, "<small>%lld outcomes</small>", c->model.outcomes);
    if (!isnan(c->confidence))
        fprintf(out, "<small>confidence %s</small>", terminal_confidence(c->confidence, buf, sizeof buf));
    const char *why = c->skipped ? c->skipped : c->model.unknown ? c->model.unknown : terminal_remark(c);
    if (why) {
        fputs("<small>", out);
        foreign_html(why, out);
        fputs("</small>", out);
    }
    fputs("</td>", out);
}

/* Prints what ran a group of cells, and which model judges them. */
static void put_group_title(const struct cell_result *c, FILE *out) {
    const char *model = c->model.name;
    bool alone = c->machine == MACHINE_NONE;
    fputs("<p>", out);
    if (!alone) {
        foreign_html(c->device ? c->device : c->backend, out);
        fputs(", judged by ", out);
        foreign_html(model ? model : "no model", out);
    } else if (model) {
        fputs("what ", out);
        foreign_html(model, out);
        fputs(" allows", out);
    } else {
        fputs("no model judges this test", out);
    }
    fputs("</p>\n", out);
}

static void put_matrix(const struct test_result *t, const struct layout_group *g, FILE *out) {
    put_group_title(g->first, out);
    fputs("<table><tr><th></th>", out);
    put_heads(g, out);
    for (int r = 0; r < g->nrows; r++) {
        fputs("<tr><th>", out);
        foreign_html(g->rows[r].label, out);
        fputs("</th>", out);
        for (int k = 0; k < g->ncolumns; k++)
            put_cell(t, g->rows[r].cells[k], out);
        fputs("</tr>\n", out);
    }
    fputs("</table>\n", out);
}

/* What a cell says of an outcome: how often it was seen; in a model's cell that it is allowed. */
static void put_count(const struct cell_outcome *o, bool alone, FILE *out) {
    if (alone)
        fprintf(out, "<td>%s</td>", o ? "allowed" : "");
    else
        fprintf(out, "<td class=\"n%s\">%llu</td>", o && o->allowed == ANSWER_NO ? " bad" : "",
                o ? (unsigned long long)o->count : 0);
}

static void put_histogram(const struct test_result *t, const struct layout_group *g,
                          const struct layout_row *row, FILE *out) {
    struct arena *a = arena_open();
    int n, left;
    struct layout_outcome *list = layout_histogram(a, t, row, g->ncolumns, MAX_ROWS, &n, &left);
    fputs("<details><summary>", out);
    foreign_html(row->label, out);
    fputs("</summary>\n<table><tr><th></th>", out);
    for (int v = 0; v < t->nobs; v++) {
        fputs("<th>", out);
        foreign_html(t->obs[v], out);
        fputs("</th>", out);
    }
    put_heads(g, out);
    char buf[VALUE_MAX_TEXT];
    for (int k = 0; k < n; k++) {
        fprintf(out, "<tr%s><td>%s</td>", list[k].satisfies ? " class=\"star\"" : "",
                list[k].satisfies ? "*&gt;" : "");
        for (int v = 0; v < t->nobs; v++)
            fprintf(out, "<td class=\"n\">%s</td>", value_text(buf, t->types[v], list[k].values[v]));
        for (int c = 0; c < g->ncolumns; c++)
            put_count(list[k].cells[c], g->first->machine == MACHINE_NONE, out);
        fputs("</tr>\n", out);
    }
    fputs("</table>\n", out);
    if (left) fprintf(out, "<p>and %d more outcome%s</p>\n", left, left == 1 ? "" : "s");
    fputs("</details>\n", out);
    arena_close(a);
}

static void put_test(const struct test_result *t, FILE *out) {
    struct arena *a = arena_open();
    struct layout l = layout_of(a, t);
    fputs("<h2>", out);
    foreign_html(t->name, out);
    if (t->title) {
        fputs(": ", out);
        foreign_html(t->title, out);
    }
    fputs("</h2>\n<small>", out);
    foreign_html(t->file, out);
    fputs("</small>\n<p><code>", out);
    foreign_html(t->kind, out);
    fputc(' ', out);
    foreign_html(t->condition, out);
    fputs("</code></p>\n", out);
    for (int k = 0; k < t->nfailures; k++) {
        fprintf(out, "<p class=\"bad\">line %d: ", t->failures[k].pos.line);
        foreign_html(t->failures[k].text, out);
        fputs("</p>\n", out);
    }
    for (int k = 0; k < l.ngroups; k++)
        put_matrix(t, &l.groups[k], out);
    for (int k = 0; k < l.ngroups; k++)
        for (int r = 0; r < l.groups[k].nrows; r++)
            put_histogram(t, &l.groups[k], &l.groups[k].rows[r], out);
    arena_close(a);
}

void report_html(const struct report *r, FILE *out) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>culitmus</title>\n", out);
    fputs("<meta name=\"viewport\" content=\"width=device-width\"><style>", out);
    fputs(style, out);
    fputs("</style></head><body>\n<h1>Litmus tests</h1>\n<p>", out);
    foreign_html(r->tool, out);
    if (results_ran(r)) fprintf(out, ", seed %lld", r->seed);
    for (int k = 0; k < r->nmachine; k++) {
        fputs("<br>", out);
        foreign_html(r->machine[k].name, out);
        fputs(": ", out);
        foreign_html(r->machine[k].value, out);
    }
    fputs("</p>\n", out);
    for (int t = 0; t < r->ntests; t++)
        put_test(&r->tests[t], out);
    fputs("</body></html>\n", out);
}
