/* A test on the page: its text, its matrices, histograms and drawings. */
#include <math.h>
#include <string.h>

#include "base/foreign.h"
#include "report/html.h"
#include "report/packed.h"
#include "report/terminal.h"
#include "results/verdict.h"

enum { MAX_ROWS = 200 };

/* ---- matrices ---- */

/* Allows a line break behind the commas of a choice with several slots. */
static void put_heads(const struct html *h, const struct layout_group *g) {
    for (int k = 0; k < g->ncolumns; k++) {
        fputs("<th scope=\"col\">", h->out);
        for (const char *at = g->fences[k]; *at;) {
            size_t n = strcspn(at, ",") + (strchr(at, ',') != NULL);
            foreign_html(arena_strndup(h->arena, at, n), h->out);
            at += n;
            if (*at) fputs("<wbr>", h->out);
        }
        fputs("</th>\n", h->out);
    }
}

static void put_small(const struct html *h, const char *text) {
    html_element(h, "small", text);
}

/* Writes why there is no verdict, or what must be known of it. */
static void put_remarks(const struct html *h, const struct cell_result *c) {
    const struct judgement *m = &c->model;
    put_small(h, c->skipped);
    if (!results_same(m->unknown, c->skipped)) put_small(h, m->unknown);
    const char *remark = terminal_remark(h->arena, c);
    put_small(h, terminal_stuck(h->arena, c));
    if (remark)
        put_small(h, arena_printf(h->arena, "%s%s", m->bounded && !m->fault ? "bounded: " : "", remark));
}

static void put_cell(const struct html *h, const struct test_result *t, const struct cell_result *c) {
    char buf[64];
    if (!c) {
        fputs("<td></td>", h->out);
        return;
    }
    bool alone = c->machine == MACHINE_NONE;
    fprintf(h->out, "<td class=\"cell %s\">%s", html_class(t, c), terminal_allowed(t, c));
    if (!alone) fprintf(h->out, "<br>%s", terminal_observed(t, c, buf, sizeof buf));
    if (alone && c->model.name && !c->model.unknown)
        fprintf(h->out, "<small>%s%lld outcome%s</small>", c->model.unlisted ? "more than " : "",
                c->model.outcomes, c->model.outcomes == 1 ? "" : "s");
    if (!isnan(c->confidence))
        fprintf(h->out, "<small>confidence %s</small>", terminal_confidence(c->confidence, buf, sizeof buf));
    put_remarks(h, c);
    fputs("</td>", h->out);
}

/* Writes what ran the cells of a group, and which model judges them. */
static void put_caption(const struct html *h, const struct test_result *t, const struct layout_group *g) {
    const struct cell_result *c = g->first;
    const char *models = g->nmodels ? layout_models(h->arena, g) : NULL;
    fputs("<caption>", h->out);
    if (c->machine != MACHINE_NONE) {
        struct arena *a = arena_open();
        foreign_html(cell_ran_on(a, c), h->out);
        arena_close(a);
        fputs(", judged by ", h->out);
        foreign_html(models ? models : "no model", h->out);
    } else if (models) {
        fputs("what ", h->out);
        foreign_html(models, h->out);
        fputs(g->nmodels > 1 ? " allow" : " allows", h->out);
    } else {
        fputs("no model judges this test", h->out);
    }
    if (layout_access(t) && (models || c->machine != MACHINE_NONE)) {
        fputs(", access ", h->out);
        foreign_html(layout_access(t), h->out);
    }
    fputs("</caption>\n", h->out);
}

/* Writes the head of a row: where the threads sit, once for all models that judge it; and the model. */
static void put_row_head(const struct html *h, const struct layout_group *g, int row) {
    const char *place = g->rows[row].place;
    int same = 1;
    if (g->nmodels <= 1) {
        html_element(h, "th scope=\"row\"", place);
        return;
    }
    while (row + same < g->nrows && results_same(g->rows[row + same].place, place))
        same++;
    if (row == 0 || !results_same(g->rows[row - 1].place, place)) {
        fprintf(h->out, "<th scope=\"rowgroup\" rowspan=\"%d\">", same);
        foreign_html(place, h->out);
        fputs("</th>", h->out);
    }
    const char *model = g->rows[row].first->model.name;
    html_element(h, "th scope=\"row\" class=\"model\"", model ? model : "");
}

static void put_matrix(const struct html *h, const struct test_result *t, const struct layout_group *g) {
    html_begin_table(h, "placement and fence", "");
    put_caption(h, t, g);
    fputs(g->nmodels > 1 ? "<thead><tr><th></th><th></th>" : "<thead><tr><th></th>", h->out);
    put_heads(h, g);
    fputs("</tr></thead>\n<tbody>\n", h->out);
    for (int r = 0; r < g->nrows; r++) {
        fputs("<tr>", h->out);
        put_row_head(h, g, r);
        for (int k = 0; k < g->ncolumns; k++)
            put_cell(h, t, g->rows[r].cells[k]);
        fputs("</tr>\n", h->out);
    }
    fputs("</tbody></table></div>\n", h->out);
}

/* ---- histograms ---- */

/* Writes a bar whose length is logarithmic in the percentage. */
static double bar_length(uint64_t count, uint64_t runs) {
    return count && runs ? 100 * log1p((double)count) / log1p((double)runs) : 0;
}

/* Writes what a cell says of an outcome: how often it was seen, or for a model that it is allowed. */
static void put_count(const struct html *h, const struct cell_outcome *o, const struct cell_result *c) {
    char buf[32];
    bool alone = c && c->machine == MACHINE_NONE, forbidden = o && o->allowed == ANSWER_NO;
    if (!c || (alone && !o)) {
        fputs("<td></td>", h->out);
    } else if (alone) {
        fputs("<td>allowed</td>", h->out);
    } else {
        fprintf(h->out, "<td class=\"n%s\">%s%s", forbidden ? " bad" : "", html_number(o ? o->count : 0, buf),
                forbidden ? "<small>forbidden</small>" : "");
        if (o && o->count)
            fprintf(h->out, "<span class=\"bar%s\" style=\"width:%.0f%%\"></span>",
                    forbidden ? " forbidden" : "", bar_length(o->count, c->runs));
        fputs("</td>", h->out);
    }
}

typedef const char *footer_fn(const struct cell_result *c, char buf[32]);

static const char *runs_text(const struct cell_result *c, char buf[32]) {
    return c->skipped ? NULL : html_number(c->runs, buf);
}

static const char *speed_text(const struct cell_result *c, char buf[32]) {
    if (c->seconds <= 0) return NULL;
    snprintf(buf, 32, "%.3g", (double)c->runs / c->seconds);
    return buf;
}

static const char *seen_in_text(const struct cell_result *c, char buf[32]) {
    if (c->environments < 2) return NULL;
    snprintf(buf, 32, "%d of %d", c->seen_in, c->environments);
    return buf;
}

static const char *stuck_text(const struct cell_result *c, char buf[32]) {
    return c->stuck ? html_number(c->stuck, buf) : NULL;
}

/* Writes a line below the counts, if some cell has something for it. */
static void put_footer(const struct html *h, const struct test_result *t, const struct layout_row *row,
                       int ncolumns, const char *name, footer_fn *text) {
    char buf[32];
    bool any = false;
    for (int k = 0; k < ncolumns; k++)
        any = any || (row->cells[k] && text(row->cells[k], buf));
    if (!any) return;
    fprintf(h->out, "<tr><th scope=\"row\" colspan=\"%d\">%s</th>", t->nobs + 1, name);
    for (int k = 0; k < ncolumns; k++) {
        const char *s = row->cells[k] ? text(row->cells[k], buf) : NULL;
        fprintf(h->out, "<td class=\"n\">%s</td>", s ? s : "");
    }
    fputs("</tr>\n", h->out);
}

static void put_histogram_head(const struct html *h, const struct test_result *t,
                               const struct layout_group *g) {
    fputs("<thead><tr><th></th>", h->out);
    for (int v = 0; v < t->nobs; v++)
        html_element(h, "th scope=\"col\"", t->obs[v]);
    put_heads(h, g);
    fputs("</tr></thead>\n", h->out);
}

static void put_outcomes(const struct html *h, const struct test_result *t, const struct layout_group *g,
                         const struct layout_row *row) {
    int n, left;
    char buf[VALUE_MAX_TEXT];
    struct layout_outcome *list = layout_histogram(h->arena, t, row, g->ncolumns, MAX_ROWS, &n, &left);
    for (int k = 0; k < n; k++) {
        fprintf(h->out, "<tr%s><td>%s</td>", list[k].satisfies ? " class=\"star\"" : "",
                list[k].satisfies ? "*&gt;" : "");
        for (int v = 0; v < t->nobs; v++)
            fprintf(h->out, "<td class=\"n\">%s</td>", value_text(buf, t->types[v], list[k].values[v]));
        for (int c = 0; c < g->ncolumns; c++)
            put_count(h, list[k].cells[c], row->cells[c]);
        fputs("</tr>\n", h->out);
    }
    if (left)
        fprintf(h->out, "<tr><td colspan=\"%d\">and %d more outcome%s</td></tr>\n", t->nobs + 1 + g->ncolumns,
                left, left == 1 ? "" : "s");
}

/* Writes the environments that showed the outcome most often, and the warnings of a run. */
static void put_notes(const struct html *h, const struct layout_group *g, const struct layout_row *row) {
    for (int k = 0; k < g->ncolumns; k++) {
        const struct cell_result *c = row->cells[k];
        for (int w = 0; c && w < c->nwarnings; w++) {
            const char *text = arena_printf(h->arena, "warning: fence %s: %s", c->fence, c->warnings[w]);
            html_element(h, "p class=\"dim\"", text);
        }
        if (!c || c->nenvironment == 0) continue;
        fputs("<p class=\"dim\">environment that showed most, fence ", h->out);
        foreign_html(c->fence, h->out);
        for (int p = 0; p < c->nenvironment; p++) {
            fputs(p ? ", " : ": ", h->out);
            foreign_html(c->environment[p].name, h->out);
            fprintf(h->out, " %lld", (long long)c->environment[p].value);
        }
        fputs("</p>\n", h->out);
    }
}

static void put_histogram(const struct html *h, const struct test_result *t, const struct layout_group *g,
                          const struct layout_row *row) {
    html_begin_table(h, "outcomes", "");
    html_element(h, "caption", row->label);
    put_histogram_head(h, t, g);
    fputs("<tbody>\n", h->out);
    put_outcomes(h, t, g, row);
    put_footer(h, t, row, g->ncolumns, "stuck", stuck_text);
    if (g->first->machine != MACHINE_NONE) put_footer(h, t, row, g->ncolumns, "runs", runs_text);
    put_footer(h, t, row, g->ncolumns, "runs a second", speed_text);
    put_footer(h, t, row, g->ncolumns, "environments", seen_in_text);
    fputs("</tbody></table></div>\n", h->out);
    put_notes(h, g, row);
}

/* Writes the histograms of a group of cells; if nothing ran, what is allowed. */
static void put_histograms(const struct html *h, const struct test_result *t, const struct layout_group *g) {
    bool alone = g->first->machine == MACHINE_NONE;
    fprintf(h->out, "<details%s><summary>", !alone && h->r->ntests <= 8 ? " open" : "");
    fputs(alone ? "outcomes that are allowed" : "histograms", h->out);
    fputs("</summary>\n", h->out);
    for (int r = 0; r < g->nrows; r++)
        put_histogram(h, t, g, &g->rows[r]);
    fputs("</details>\n", h->out);
}

/* ---- a test ---- */

static bool is_wrong(int line, const void *ctx) {
    const struct test_result *t = ctx;
    for (int k = 0; k < t->nfailures; k++)
        if (t->failures[k].pos.line == line) return true;
    return false;
}

static void put_source(const struct html *h, const struct test_result *t, int n) {
    fputs("<div class=\"text\">\n", h->out);
    if (t->source) {
        fputs("<pre class=\"source\" tabindex=\"0\" aria-label=\"the test\"><code>", h->out);
        highlight_put(t->source, arena_printf(h->arena, "t%dL", n), is_wrong, t, h->out);
        fputs("</code></pre>\n", h->out);
    } else {
        fputs("<p class=\"dim\">The results do not hold the text of this test.</p>\n", h->out);
    }
    fputs("</div>\n", h->out);
}

/* `n` is 0 if the test's text is not on the page. */
static void put_failures(const struct html *h, const struct test_result *t, int n) {
    for (int k = 0; k < t->nfailures; k++) {
        int line = t->failures[k].pos.line;
        fputs("<p class=\"failure bad\">", h->out);
        if (t->source && n)
            fprintf(h->out, "<a href=\"#t%dL%d\">line %d</a>: ", n, line, line);
        else
            fprintf(h->out, "line %d: ", line);
        foreign_html(t->failures[k].text, h->out);
        fputs("</p>\n", h->out);
    }
}

/* Writes a link to the playground, where the test can be changed. */
static void put_link(const struct html *h, const struct test_result *t) {
    const char *why = "the results do not hold its text";
    if (!h->r->playground) return;
    const char *link = t->source ? packed_link(h->arena, h->r->playground, t->source, t->beside, &why) : NULL;
    if (!link) {
        html_element(h, "p class=\"dim\"",
                     arena_printf(h->arena, "No link to the playground holds this test: %s.", why));
        return;
    }
    fputs("<p class=\"dim\"><a href=\"", h->out);
    foreign_html(link, h->out);
    fputs("\">change this test in the playground</a></p>\n", h->out);
}

static void put_title(const struct html *h, const struct test_result *t, int n) {
    fprintf(h->out, "<header><h3><a href=\"#t%d\">", n);
    foreign_html(t->name, h->out);
    if (t->title) {
        fputs(": ", h->out);
        foreign_html(t->title, h->out);
    }
    fputs("</a></h3>\n", h->out);
    html_element(h, "p class=\"dim\"", t->file);
    put_link(h, t);
    fputs("</header>\n", h->out);
}

static void put_condition(const struct html *h, const struct test_result *t) {
    fputs("<p class=\"condition\"><code><span class=\"w\">", h->out);
    foreign_html(t->kind, h->out);
    fputs("</span> ", h->out);
    foreign_html(t->condition, h->out);
    fputs("</code></p>\n", h->out);
}

/* Begins an element that the filter can hide. */
static void begin_section(const struct html *h, const struct test_result *t, int n) {
    fprintf(h->out, "<section class=\"test%s\" id=\"t%d\" data-state=\"%s\" data-words=\"",
            html_failed(t) ? " failed" : "", n, html_states(h, t));
    foreign_html(t->name, h->out);
    fputc(' ', h->out);
    foreign_html(t->title ? t->title : "", h->out);
    fputc(' ', h->out);
    foreign_html(t->file, h->out);
    fputs("\">\n", h->out);
}

static void put_races(const struct html *h, const struct test_result *t) {
    for (int k = 0; k < t->ncells; k++)
        for (int j = 0; j < t->cells[k].nraces; j++)
            html_element(h, "p class=\"dim\"", verdict_race_note(h->arena, t, k, j));
}

/* Writes what is known of the cells. */
static void put_answers(struct html *h, const struct test_result *t) {
    struct layout l = layout_of(h->arena, t);
    put_condition(h, t);
    for (int k = 0; k < l.ngroups; k++)
        put_matrix(h, t, &l.groups[k]);
    put_races(h, t);
    html_drawings(h, t, &l);
    for (int k = 0; k < l.ngroups; k++)
        put_histograms(h, t, &l.groups[k]);
}

void html_answers(struct html *h, const struct test_result *t) {
    put_failures(h, t, 0);
    put_answers(h, t);
}

void html_test(struct html *h, const struct test_result *t, int n) {
    begin_section(h, t, n);
    put_title(h, t, n);
    put_failures(h, t, n);
    fputs("<div class=\"columns\">\n", h->out);
    put_source(h, t, n);
    fputs("<div>\n", h->out);
    put_answers(h, t);
    fputs("</div></div></section>\n", h->out);
}
