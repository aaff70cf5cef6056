/* Draws executions on the page. Results hold the text of a test, but not its executions. These are found
 * again for the most interesting cells, within a limit of time. */
#include <string.h>

#include "base/clock.h"
#include "base/embedded.h"
#include "base/foreign.h"
#include "embedded_models.h"
#include "explain/why.h"
#include "report/html.h"
#include "report/svg.h"
#include "source/read.h"

/* How many drawings a test has at most, out of how many cells that were tried, with how many seconds for
 * each. */
enum { MAX_DRAWN = 4, MAX_TRIED = 8 };
static const double seconds_each = 0.5;

struct html_drawings {
    struct html *h;
    const struct test_result *result;
    struct arena *arena;
    const struct test *test;
    const char *said[MAX_DRAWN]; /* the descriptions of what is drawn already */
    int drawn, tried;
};

/* A name from a file of results is never used as a path here. */
static const struct model *find_model(struct arena *a, const char *name) {
    struct diag quiet = {0};
    const struct model *m = NULL;
    const char *mark = strstr(name, " (syntactic)");
    const char *shipped = mark ? arena_strndup(a, name, (size_t)(mark - name)) : name;
    if (embedded_find(embedded_models, arena_printf(a, "%s.cat", shipped)))
        m = model_load(a, shipped, &quiet);
    if (m && mark) m = model_syntactic(a, m);
    diag_free(&quiet);
    return m && strcmp(model_name(m), name) == 0 ? m : NULL;
}

/* Finds the test's cell for a cell of the result. False: the test has none. */
static bool find_cell(struct html_drawings *d, const struct cell_result *c, struct cell *out) {
    struct diag quiet = {0};
    struct pos nowhere = {0};
    enum access access = ACCESS_WEAK;
    while (access_names[access] && strcmp(access_names[access], c->access) != 0)
        access++;
    bool collapsed = c->machine == MACHINE_CPU;
    out->placement = collapsed ? placement_collapsed(d->test, d->arena, c->placement)
                               : placement_parse(d->test, d->arena, c->placement, nowhere, &quiet);
    bool as_written = d->test->nfences == 1 && strcmp(d->test->fences[0].name, c->fence) == 0;
    out->fence = as_written ? &d->test->fences[0] : fence_parse(d->test, d->arena, c->fence, nowhere, &quiet);
    out->access = access;
    bool found = out->placement && out->fence && access_names[access];
    diag_free(&quiet);
    return found;
}

/* Returns the question for the model; for a `forall` it is whether something breaks it. */
static enum answer shows(const struct html_drawings *d, const struct cell_result *c) {
    if (strcmp(d->result->kind, quantifier_name(FORALL)) != 0) return c->model.allowed;
    return c->model.holds == ANSWER_UNKNOWN ? ANSWER_UNKNOWN
           : c->model.holds == ANSWER_YES   ? ANSWER_NO
                                            : ANSWER_YES;
}

static bool is_said(const struct html_drawings *d, const char *what) {
    for (int k = 0; k < d->drawn; k++)
        if (strcmp(d->said[k], what) == 0) return true;
    return false;
}

/* Writes the execution in sentences. */
static void put_words(struct html_drawings *d, const struct model *m, const struct cell *cell,
                      const struct model_limits *limits) {
    struct why why;
    struct diag quiet = {0};
    if (model_why(m, d->test, cell, limits, d->arena, &why, &quiet)) {
        fprintf(d->h->out, "<details class=\"why\"%s><summary>in words</summary>\n",
                d->h->r->ntests <= 8 ? " open" : "");
        for (int k = 0; k < why.nlines; k++)
            html_element(d->h, "p", why_line_text(d->arena, &why.lines[k]));
        fputs("</details>\n", d->h->out);
    }
    diag_free(&quiet);
}

static void put_figure(struct html_drawings *d, const struct cell_result *c, const struct cell *cell,
                       const struct drawing *g, const struct model *m, const struct model_limits *limits) {
    const struct html *h = d->h;
    const char *where =
        arena_printf(d->arena, "placement %s, access %s, fence %s", c->placement, c->access, c->fence);
    const char *what = arena_printf(d->arena, "%s %s %s%s", c->model.name, g->allowed ? "allows" : "forbids",
                                    g->breaking ? "what breaks " : "", d->result->condition);
    if (d->drawn == 0)
        fprintf(h->out, "<details%s><summary>drawings</summary>\n", h->r->ntests <= 8 ? " open" : "");
    d->said[d->drawn++] = arena_printf(d->arena, "%d %s", g->allowed, g->broken);
    fputs("<figure><figcaption>", h->out);
    foreign_html(where, h->out);
    fputs(": <b>", h->out);
    foreign_html(what, h->out);
    fputs("</b>", h->out);
    if (*g->broken) {
        fputs("; broken: ", h->out);
        foreign_html(g->broken, h->out);
    }
    fputs("</figcaption>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"drawing\">\n",
          h->out);
    svg_draw(g, d->test, cell, c->machine != MACHINE_CPU,
             arena_printf(d->arena, "An execution. %s: %s", where, what), h->out);
    fputs("</div>\n", h->out);
    put_words(d, m, cell, limits);
    fputs("</figure>\n", h->out);
}

/* Draws a cell unless another cell has the same drawing. If the execution contradicts the result, the model
 * is another one of the same name, and nothing is drawn. */
static void draw_cell(struct html_drawings *d, const struct cell_result *c) {
    double begin = clock_now();
    struct model_limits limits = {.seconds = seconds_each};
    struct drawing g;
    struct cell cell;
    struct diag quiet = {0};
    const struct model *m =
        d->drawn < MAX_DRAWN && d->h->drawing > 0 ? find_model(d->arena, c->model.name) : NULL;
    if (!m || d->tried++ >= MAX_TRIED || !find_cell(d, c, &cell)) return;
    bool fine = drawing_find(m, d->test, &cell, &limits, d->arena, &g, &quiet) && g.found &&
                svg_fits(&g, d->test) && g.allowed == (shows(d, c) == ANSWER_YES);
    if (fine && !is_said(d, arena_printf(d->arena, "%d %s", g.allowed, g.broken)))
        put_figure(d, c, &cell, &g, m, &limits);
    diag_free(&quiet);
    d->h->drawing -= clock_now() - begin;
}

/* Draws of a row the first cell that is allowed, and the first that is not. */
static void draw_row(struct html_drawings *d, const struct layout_row *row, int ncolumns) {
    bool drawn[2] = {false, false};
    for (int k = 0; k < ncolumns; k++) {
        const struct cell_result *c = row->cells[k];
        if (!c || !c->model.name || c->model.bounded || shows(d, c) == ANSWER_UNKNOWN) continue;
        bool *seen = &drawn[shows(d, c) == ANSWER_YES];
        if (!*seen) draw_cell(d, c);
        *seen = true;
    }
}

void html_drawings(struct html *h, const struct test_result *t, const struct layout *l) {
    struct html_drawings d = {.h = h, .result = t, .arena = arena_open()};
    struct diag quiet = {0};
    if (t->source) d.test = test_read_text(d.arena, t->file, t->source, strlen(t->source), &quiet);
    for (int k = 0; k < t->ncells && d.test; k++)
        if (t->cells[k].verdict == VERDICT_VIOLATION && t->cells[k].model.name) draw_cell(&d, &t->cells[k]);
    for (int first = 1; first >= 0 && d.test; first--) /* most tests are about blocks on one device */
        for (int k = 0; k < l->ngroups; k++)
            for (int r = 0; r < l->groups[k].nrows; r++)
                if ((strncmp(l->groups[k].rows[r].label, "device", 6) == 0) == first)
                    draw_row(&d, &l->groups[k].rows[r], l->groups[k].ncolumns);
    if (d.drawn > 0) fputs("</details>\n", h->out);
    diag_free(&quiet);
    arena_close(d.arena);
}
