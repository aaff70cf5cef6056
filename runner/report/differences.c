/* Prints what differs between two results, as JSON; and the rates of several runs, as a page and as a
 * table. */
#include "results/history.h"

#include <math.h>
#include <string.h>

#include "base/foreign.h"
#include "base/json_write.h"
#include "report/html.h"
#include "report/printers.h"
#include "report/terminal.h"
#include "results/difference.h"

/* ---- of two results ---- */

static const char *const kinds[] = {[DIFFERENCE_VERDICT] = "verdict",
                                    [DIFFERENCE_RATE] = "rate",
                                    [DIFFERENCE_CELL] = "cell",
                                    [DIFFERENCE_CONDITION] = "condition"};

/* Writes what one side says of a cell; null if it has none. */
static void put_cell(struct json_out *j, const char *side, const struct cell_result *c) {
    if (!c) {
        json_put_null(j, side);
        return;
    }
    json_open(j, side, '{');
    json_put_text(j, "device", c->device);
    if (c->compiler) json_put_text(j, "compiler", c->compiler);
    if (c->machine == MACHINE_NONE) json_put_text(j, "model", c->model.name);
    json_put_text(j, "verdict", verdict_name(c->verdict));
    json_put_count(j, "runs", c->runs);
    json_put_count(j, "satisfied", c->satisfied);
    json_put_real(j, "rate", cell_rate(c));
    json_put_real(j, "confidence", c->confidence);
    json_close(j, '}');
}

static void put_condition(struct json_out *j, const char *side, const struct test_result *t) {
    json_open(j, side, '{');
    json_put_text(j, "kind", t->kind);
    json_put_text(j, "text", t->condition);
    json_close(j, '}');
}

static void put_difference(struct json_out *j, const struct difference *d) {
    static const char *const sides[] = {"before", "after"};
    const struct test_result *t = d->test[0] ? d->test[0] : d->test[1];
    const struct cell_result *c = d->cell[0] ? d->cell[0] : d->cell[1];
    json_open(j, NULL, '{');
    json_put_text(j, "differs", kinds[d->kind]);
    json_put_text(j, "test", t->name);
    json_put_text(j, "file", t->file);
    if (c) {
        json_put_text(j, "backend", c->backend);
        json_put_text(j, "placement", c->placement);
        json_put_text(j, "access", c->access);
        json_put_text(j, "fence", c->fence);
    }
    for (int side = 0; side < 2; side++)
        if (d->kind == DIFFERENCE_CONDITION)
            put_condition(j, sides[side], d->test[side]);
        else
            put_cell(j, sides[side], d->cell[side]);
    json_close(j, '}');
}

void differences_json(const struct differences *d, const char *const paths[2], double tolerance, FILE *out) {
    struct json_out j = {.out = out};
    json_open(&j, NULL, '{');
    json_put_whole(&j, "schema", 1);
    json_put_text(&j, "tool", "culitmus " CULITMUS_VERSION);
    json_put_text(&j, "before", paths[0]);
    json_put_text(&j, "after", paths[1]);
    json_put_real(&j, "tolerance", tolerance > 0 ? tolerance : NAN);
    json_open(&j, "differences", '[');
    for (int k = 0; k < d->n; k++)
        put_difference(&j, &d->list[k]);
    json_close(&j, ']');
    json_close(&j, '}');
}

/* ---- of several runs ---- */

static const char *name_of(const struct report *r) {
    return r->source ? r->source->path : "results";
}

static const char *date_of(const struct report *r) {
    return r->date ? r->date : "no date";
}

static double rate_of(const struct history_entry *e) {
    return (double)cell_shown(e->cell, result_is_forall(e->test)) / (double)e->cell->runs;
}

static void begin_table(const struct html *h, const char *label, const char *const *heads, int n) {
    html_begin_table(h, label, " class=\"history\"");
    fputs("<thead><tr>", h->out);
    for (int k = 0; k < n; k++)
        html_element(h, "th scope=\"col\"", heads[k]);
}

static int count_changes(const struct history *of) {
    int n = 0;
    for (int k = 0; k < of->nrows; k++)
        n += of->rows[k].changes;
    return n;
}

/* Whether the runs are of several devices, as far as they say. */
static bool is_of_several(const char *const *differing, int n) {
    for (int k = 0; k < n; k++)
        if (strcmp(differing[k], "device") == 0 || strcmp(differing[k], "gpu_uuid") == 0) return true;
    return false;
}

static void put_answer(const struct html *h, const struct history *of, const char *const *differing, int n) {
    int changes = count_changes(of);
    fprintf(h->out, "<p class=\"%s\">", changes ? "failure open" : "fine");
    fprintf(h->out, "%d run%s, %d cell%s: ", of->nruns, of->nruns == 1 ? "" : "s", of->nrows,
            of->nrows == 1 ? "" : "s");
    if (changes)
        fprintf(h->out, "%d change%s. ", changes, changes == 1 ? "" : "s");
    else
        fputs("nothing changed. ", h->out);
    fprintf(h->out,
            "A change is another verdict, or an outcome that is more than %g times as frequent as in the run "
            "before that has the cell, or as rare, where chance hardly explains it.</p>\n",
            of->tolerance);
    if (is_of_several(differing, n))
        fputs(
            "<p class=\"failure mute\">The runs are of several devices. Rates differ from device to device, "
            "so a change between two of them may be no change of either.</p>\n",
            h->out);
}

static void count_run(const struct report *r, uint64_t *runs, int *cells, int *violations) {
    *runs = 0;
    *cells = *violations = 0;
    for (int t = 0; t < r->ntests; t++)
        for (int k = 0; k < r->tests[t].ncells; k++) {
            const struct cell_result *c = &r->tests[t].cells[k];
            *runs += c->runs;
            *cells += c->runs > 0;
            *violations += c->verdict == VERDICT_VIOLATION;
        }
}

/* Writes the properties of the machine that are the same in all runs. */
static void put_common(const struct html *h, const struct history *of) {
    const struct report *first = of->runs[0];
    fputs("<dl class=\"facts\">\n", h->out);
    for (int k = 0; k < first->nmachine; k++) {
        bool same = true;
        for (int r = 1; r < of->nruns; r++)
            same = same && results_same(history_property(of->runs[r], first->machine[k].name),
                                        first->machine[k].value);
        if (!same) continue;
        html_element(h, "dt", first->machine[k].name);
        html_element(h, "dd", first->machine[k].value);
    }
    fputs("</dl>\n", h->out);
}

/* Writes a line for each run: its date, its compiler, its size; and the properties of its machine that
 * differ. */
static void put_runs(const struct html *h, const struct history *of, const char *const *differing, int n) {
    static const char *const heads[] = {"run", "date", "results", "tool", "cells", "runs", "violations"};
    fputs("<h2>Runs</h2>\n", h->out);
    put_common(h, of);
    begin_table(h, "runs", heads, 7);
    for (int k = 0; k < n; k++)
        html_element(h, "th scope=\"col\"", differing[k]);
    fputs("</tr></thead>\n<tbody>\n", h->out);
    for (int k = 0; k < of->nruns; k++) {
        const struct report *r = of->runs[k];
        char buf[32];
        uint64_t runs;
        int cells, violations;
        count_run(r, &runs, &cells, &violations);
        fprintf(h->out, "<tr><th scope=\"row\">%d</th>", k + 1);
        html_cell(h, "", date_of(r));
        html_cell(h, "", name_of(r));
        html_cell(h, "", r->tool);
        html_cell(h, " class=\"n\"", html_number((unsigned long long)cells, buf));
        html_cell(h, " class=\"n\"", html_number(runs, buf));
        html_cell(h, violations ? " class=\"n bad\"" : " class=\"n\"",
                  html_number((unsigned long long)violations, buf));
        for (int i = 0; i < n; i++)
            html_cell(h, "", history_property(r, differing[i]));
        fputs("</tr>\n", h->out);
    }
    fputs("</tbody></table></div>\n", h->out);
}

/* Writes which cell it is. */
static void put_names(const struct html *h, const struct history_row *row) {
    fputs("<th scope=\"row\">", h->out);
    foreign_html(row->test->name, h->out);
    html_element(h, "small",
                 arena_printf(h->arena, "%s, %s, fence %s", row->cell->placement, row->cell->access,
                              row->cell->fence));
    fputs("</th>", h->out);
}

/* Returns such as "2.1 times as frequent" or "another verdict". */
static const char *describe_change(const struct html *h, const struct history_row *row, int run) {
    const struct history_entry *e = &row->entries[run];
    double before = e->before < 0 ? 0 : rate_of(&row->entries[e->before]), after = rate_of(e);
    if (e->change == HISTORY_SAME) return NULL;
    if (e->change == HISTORY_VERDICT) return "another verdict";
    if (before == 0) return "now seen";
    if (after == 0) return "no longer seen";
    return after > before ? arena_printf(h->arena, "%.3g times as frequent", after / before)
                          : arena_printf(h->arena, "%.3g times as rare", before / after);
}

static void put_observed(const struct html *h, const struct history_entry *e) {
    char buf[64];
    fprintf(h->out, "<td class=\"cell %s\">", html_class(e->test, e->cell));
    foreign_html(terminal_observed(e->test, e->cell, buf, sizeof buf), h->out);
    fprintf(h->out, "<small>of %.3g runs</small>", (double)e->cell->runs);
}

static void put_changes(const struct html *h, const struct history *of) {
    static const char *const heads[] = {"cell", "before", "then", "change"};
    fputs("<h2>What changed</h2>\n", h->out);
    if (count_changes(of) == 0) {
        fputs("<p>Nothing.</p>\n", h->out);
        return;
    }
    begin_table(h, "what changed", heads, 4);
    fputs("</tr></thead>\n<tbody>\n", h->out);
    for (int k = 0; k < of->nrows; k++)
        for (int run = 0; run < of->nruns; run++) {
            const struct history_row *row = &of->rows[k];
            const struct history_entry *e = &row->entries[run];
            if (!e->cell || e->change == HISTORY_SAME) continue;
            fputs("<tr>", h->out);
            put_names(h, row);
            put_observed(h, &row->entries[e->before]);
            html_element(h, "small",
                         arena_printf(h->arena, "%d: %s", e->before + 1, date_of(of->runs[e->before])));
            fputs("</td>", h->out);
            put_observed(h, e);
            html_element(h, "small", arena_printf(h->arena, "%d: %s", run + 1, date_of(of->runs[run])));
            fputs("</td>", h->out);
            html_cell(h, "", describe_change(h, row, run));
            fputs("</tr>\n", h->out);
        }
    fputs("</tbody></table></div>\n", h->out);
}

/* Finds the least and the largest rate that was seen, at least a factor of ten apart; false: none was
 * seen. */
static bool find_range(const struct history *of, const struct history_row *row, double *low, double *high) {
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (int k = 0; k < of->nruns; k++) {
        double rate = row->entries[k].cell ? rate_of(&row->entries[k]) : 0;
        if (rate > 0) *low = fmin(*low, log10(rate));
        if (rate > 0) *high = fmax(*high, log10(rate));
    }
    if (*low > *high) return false;
    double middle = (*low + *high) / 2, half = fmax((*high - *low) / 2, .5);
    *low = middle - half;
    *high = middle + half;
    return true;
}

enum { GRAPH_HEIGHT = 32, GRAPH_STEP = 14 };

/* Draws the rates as a line on a logarithmic scale; a ring is a run that never showed the outcome. */
static void put_graph(const struct html *h, const struct history *of, const struct history_row *row) {
    double low, high;
    int width = GRAPH_STEP * of->nruns + 4, points = 0;
    if (!find_range(of, row, &low, &high)) {
        fputs("<td></td>", h->out);
        return;
    }
    fprintf(h->out,
            "<td><svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" aria-hidden=\"true\"><path d=\"",
            width, GRAPH_HEIGHT, width, GRAPH_HEIGHT);
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < of->nruns; k++) {
            const struct history_entry *e = &row->entries[k];
            double rate = e->cell ? rate_of(e) : 0, x = GRAPH_STEP * (k + .5) + 2;
            double y =
                rate > 0 ? 4 + (high - log10(rate)) / (high - low) * (GRAPH_HEIGHT - 12) : GRAPH_HEIGHT - 4;
            if (pass && e->cell)
                fprintf(h->out, "<circle class=\"%s\" cx=\"%g\" cy=\"%.1f\" r=\"2.5\"/>",
                        rate == 0                   ? "none"
                        : e->change != HISTORY_SAME ? "change"
                                                    : "same",
                        x, y);
            else if (!pass && e->cell)
                fprintf(h->out, "%c%g %.1f", points++ ? 'L' : 'M', x, y);
        }
        if (!pass) fputs("\"/>", h->out);
    }
    fputs("</svg></td>", h->out);
}

static void put_row(const struct html *h, const struct history *of, const struct history_row *row) {
    fputs(row->changes ? "<tr>" : "<tr class=\"same\">", h->out);
    put_names(h, row);
    put_graph(h, of, row);
    for (int k = 0; k < of->nruns; k++) {
        if (!row->entries[k].cell) {
            fputs("<td></td>", h->out);
            continue;
        }
        put_observed(h, &row->entries[k]);
        const char *change = describe_change(h, row, k);
        if (change) html_element(h, "b", change);
        fputs("</td>", h->out);
    }
    fputs("</tr>\n", h->out);
}

static void put_rates(const struct html *h, const struct history *of) {
    static const char *const heads[] = {"cell", "rates"};
    fputs("<h2>Rates</h2>\n<p>A run's column has what it observed; an empty place is a cell that it did not "
          "run. "
          "The line has the rates on a logarithmic scale, a ring where the outcome was never seen.</p>\n"
          "<input type=\"checkbox\" id=\"changed\"> <label for=\"changed\">only what changed</label>\n",
          h->out);
    begin_table(h, "rates", heads, 2);
    for (int k = 0; k < of->nruns; k++)
        html_element(h, "th scope=\"col\"", arena_printf(h->arena, "%d: %s", k + 1, date_of(of->runs[k])));
    fputs("</tr></thead>\n<tbody>\n", h->out);
    for (int k = 0; k < of->nrows; k++)
        put_row(h, of, &of->rows[k]);
    fputs("</tbody></table></div>\n", h->out);
}

void history_html(const struct history *of, FILE *out) {
    struct html h = {.out = out, .arena = arena_open()};
    int n;
    const char **differing = history_differing(h.arena, of, &n);
    html_begin(&h, "culitmus history", "", "History of runs");
    put_answer(&h, of, differing, n);
    put_runs(&h, of, differing, n);
    put_changes(&h, of);
    put_rates(&h, of);
    fputs("</main></body></html>\n", out);
    arena_close(h.arena);
}

static void put_line(const struct html *h, const struct history *of, const struct history_row *row, int run) {
    const struct history_entry *e = &row->entries[run];
    const struct report *r = of->runs[run];
    const char *driver = history_property(r, "driver");
    const char *const texts[] = {row->test->name,      row->cell->backend,
                                 row->cell->placement, row->cell->access,
                                 row->cell->fence,     r->date,
                                 name_of(r),           r->tool,
                                 e->cell->device,      driver ? driver : "",
                                 e->cell->compiler,    cell_word(e->cell)};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        csv_field(texts[k], h->out);
        fputc(',', h->out);
    }
    fprintf(h->out, "%llu,%llu,%.9g,", (unsigned long long)e->cell->runs,
            (unsigned long long)cell_shown(e->cell, result_is_forall(e->test)), rate_of(e));
    csv_field(describe_change(h, row, run), h->out);
    fputs("\r\n", h->out);
}

void history_csv(const struct history *of, FILE *out) {
    struct html h = {.out = out, .arena = arena_open()};
    fputs("test,backend,placement,access,fence,date,results,tool,device,driver,compiler,verdict,runs,shown,"
          "rate,"
          "change\r\n",
          out);
    for (int k = 0; k < of->nrows; k++)
        for (int run = 0; run < of->nruns; run++)
            if (of->rows[k].entries[run].cell) put_line(&h, of, &of->rows[k], run);
    arena_close(h.arena);
}
