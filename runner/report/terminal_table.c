/* Prints a group of cells as a matrix, and a row of it as a histogram, in columns that fit the terminal. */
#include <math.h>
#include <string.h>

#include "base/foreign.h"
#include "base/text.h"
#include "report/terminal_parts.h"

enum {
    COLUMN = 14,
    NARROW_COLUMN = 11,
    NARROWEST_COLUMN = 8,
    LONE = 4 /* beside columns without a label */,
    MAX_ROWS = 24
};

/* ---- what is printed below the counts of a cell; NULL: nothing ---- */

static const char *runs_text(const struct cell_result *c, char *buf, size_t size) {
    snprintf(buf, size, "%llu", (unsigned long long)c->runs);
    return c->skipped || c->machine == MACHINE_NONE ? NULL : buf;
}

static const char *speed_text(const struct cell_result *c, char *buf, size_t size) {
    if (c->seconds <= 0) return NULL;
    snprintf(buf, size, "%.2g", (double)c->runs / c->seconds);
    return buf;
}

static const char *peak_text(const struct cell_result *c, char *buf, size_t size) {
    if (c->environments < 2) return NULL;
    snprintf(buf, size, "%.2g", c->peak);
    return buf;
}

static const char *seen_in_text(const struct cell_result *c, char *buf, size_t size) {
    if (c->environments < 2) return NULL;
    snprintf(buf, size, "%d of %d", c->seen_in, c->environments);
    return buf;
}

static const char *stuck_text(const struct cell_result *c, char *buf, size_t size) {
    if (!c->stuck) return NULL;
    snprintf(buf, size, "%llu", (unsigned long long)c->stuck);
    return buf;
}

static const char *confidence_text(const struct cell_result *c, char *buf, size_t size) {
    return isnan(c->confidence) ? NULL : terminal_confidence(c->confidence, buf, size);
}

/* ---- the matrix ---- */

/* A table that is being printed: columns `from` up to `to` of a group, beside labels of the width `left`. */
struct terminal_grid {
    const struct terminal *t;
    const struct test_result *r;
    const struct layout_group *g;
    int left, from, to;
    int least; /* the least width of a column */
};

bool terminal_model_alone(const struct layout_group *g) {
    return g->first->machine == MACHINE_NONE;
}

/* Prints such as "what ptx allows of a GPU", "what ptx and sc allow" or "NVIDIA H200, judged by ptx". */
static const char *title_text(struct arena *a, const struct layout_group *g, bool only) {
    const struct cell_result *c = g->first;
    const char *models = g->nmodels ? layout_models(a, g) : "no model";
    if (!terminal_model_alone(g)) return arena_printf(a, "%s, judged by %s", cell_ran_on(a, c), models);
    if (!g->nmodels) return "no model judges this test";
    return arena_printf(a, "what %s allow%s%s", models, g->nmodels > 1 ? "" : "s", only ? "" : " of a GPU");
}

void terminal_title(const struct terminal *t, const struct layout_group *g, bool only, const char *access) {
    struct arena *a = arena_open();
    bool named = access && (g->nmodels || !terminal_model_alone(g));
    const char *title = title_text(a, g, only);
    terminal_line(t, PAINT_NONE, "", named ? arena_printf(a, "%s, access %s", title, access) : title, 2, 2);
    arena_close(a);
}

static int label_width(const struct layout_group *g) {
    int width = 0;
    for (int k = 0; k < g->nrows; k++)
        if ((int)strlen(g->rows[k].label) > width) width = (int)strlen(g->rows[k].label);
    return width + 2;
}

const char *terminal_head(const char *fence, int k, char *buf, size_t size) {
    while (k-- > 0 && *fence)
        fence += strcspn(fence, ",") + (fence[strcspn(fence, ",")] == ',');
    snprintf(buf, size, "%.*s", (int)strcspn(fence, ","), fence);
    return buf;
}

int terminal_head_lines(const struct layout_group *g, int from, int to) {
    int most = 1;
    for (int k = from; k < to; k++) {
        int n = 1;
        for (const char *p = g->fences[k]; *p; p++)
            n += *p == ',';
        if (n > most) most = n;
    }
    return most;
}

int terminal_head_width(const struct layout_group *g, int k) {
    char buf[128];
    int width = 0;
    for (int line = 0; line < terminal_head_lines(g, k, k + 1); line++) {
        int n = (int)strlen(terminal_head(g->fences[k], line, buf, sizeof buf));
        if (n > width) width = n;
    }
    return width;
}

/* Returns the width of a column: that of its words, or more for a long head or for the numbers below it. No
 * count is larger than the number of runs. */
static int column_width(const struct terminal_grid *grid, int k) {
    const struct layout_group *g = grid->g;
    char buf[128];
    int width = grid->least, head = terminal_head_width(g, k) + 2;
    if (head > width) width = head;
    for (int r = 0; r < g->nrows; r++) {
        const struct cell_result *c = g->rows[r].cells[k];
        if (!c) continue;
        int runs = snprintf(buf, sizeof buf, "%llu", (unsigned long long)c->runs) + 2;
        int seen = seen_in_text(c, buf, sizeof buf) ? (int)strlen(buf) + 2 : 0;
        if (runs > width) width = runs;
        if (seen > width) width = seen;
    }
    return width;
}

/* Moves on to the next columns that fit, at least one. False: all columns were printed. */
static bool next_columns(struct terminal_grid *grid) {
    int used = grid->left;
    grid->from = grid->to;
    while (grid->to < grid->g->ncolumns) {
        used += column_width(grid, grid->to);
        if (used > grid->t->width && grid->to > grid->from) break;
        grid->to++;
    }
    return grid->from < grid->to;
}

static void put_matrix_head(const struct terminal_grid *grid) {
    char buf[128];
    for (int line = 0; line < terminal_head_lines(grid->g, grid->from, grid->to); line++) {
        fprintf(grid->t->out, "%*s", grid->left, "");
        for (int k = grid->from; k < grid->to; k++)
            terminal_put(grid->t, PAINT_BOLD, k + 1 < grid->to ? column_width(grid, k) : 0,
                         terminal_head(grid->g->fences[k], line, buf, sizeof buf));
        fputc('\n', grid->t->out);
    }
}

static void put_matrix_line(const struct terminal_grid *grid, const struct layout_row *row, bool observed) {
    char buf[64];
    for (int k = grid->from; k < grid->to; k++) {
        const struct cell_result *c = row->cells[k];
        int width = k + 1 < grid->to ? column_width(grid, k) : 0;
        if (!c)
            terminal_put(grid->t, PAINT_NONE, width, "");
        else if (observed)
            terminal_put(grid->t, terminal_paint_of(tone_observed(grid->r, c)), width,
                         terminal_observed(grid->r, c, buf, sizeof buf));
        else
            terminal_put(grid->t, terminal_paint_of(tone_allowed(grid->r, c)), width,
                         terminal_allowed(grid->r, c));
    }
    fputc('\n', grid->t->out);
}

/* Prints a label above the columns if it has no room beside them. */
static void put_label(const struct terminal_grid *grid, const char *label, int margin) {
    bool beside = margin + (int)strlen(label) < grid->left;
    fprintf(grid->t->out, "%*s", margin, "");
    terminal_put(grid->t, PAINT_BOLD, beside ? grid->left - margin : 0, label);
    if (!beside) fprintf(grid->t->out, "\n%*s", grid->left, "");
}

/* `only`: the test has no other group. */
void terminal_matrix(const struct terminal *t, const struct test_result *r, const struct layout_group *g,
                     bool only) {
    int margin = t->width < TERMINAL_NARROW ? 0 : 4;
    bool beside = label_width(g) + margin + NARROW_COLUMN <= t->width;
    struct terminal_grid grid = {.t = t,
                                 .r = r,
                                 .g = g,
                                 .left = beside ? label_width(g) + margin : LONE,
                                 .least = t->width < TERMINAL_NARROW ? NARROW_COLUMN : COLUMN};
    terminal_title(t, g, only, layout_access(r));
    while (next_columns(&grid)) {
        put_matrix_head(&grid);
        for (int k = 0; k < g->nrows; k++) {
            put_label(&grid, g->rows[k].label, margin);
            put_matrix_line(&grid, &g->rows[k], false);
            if (terminal_model_alone(g)) continue;
            fprintf(t->out, "%*s", grid.left, "");
            put_matrix_line(&grid, &g->rows[k], true);
        }
    }
}

/* ---- histograms ---- */

/* Finds the widths of the columns of values. Returns whether the names of the values fit as heads, which have
 * `room`; else the columns are as narrow as the values. */
static bool value_widths(const struct test_result *r, const struct layout_outcome *list, int n, int room,
                         int *widths) {
    char buf[VALUE_MAX_TEXT];
    int names = 0;
    for (int v = 0; v < r->nobs; v++) {
        widths[v] = 1;
        for (int k = 0; k < n; k++) {
            int w = (int)strlen(value_text(buf, r->types[v], list[k].values[v]));
            if (w > widths[v]) widths[v] = w;
        }
        names += 2 + (int)strlen(r->obs[v]);
    }
    if (names > room) return false;
    for (int v = 0; v < r->nobs; v++)
        if ((int)strlen(r->obs[v]) > widths[v]) widths[v] = (int)strlen(r->obs[v]);
    return true;
}

static void put_count(const struct terminal_grid *grid, const struct cell_outcome *o, bool satisfies,
                      int width) {
    const struct terminal *t = grid->t;
    char buf[32] = "0";
    if (!o) {
        terminal_put_right(t, PAINT_DIM, width, ".");
        return;
    }
    if (terminal_model_alone(grid->g)) {
        terminal_put_right(t, satisfies ? PAINT_YELLOW : PAINT_NONE, width, "allowed");
        return;
    }
    bool forbidden = o->allowed == ANSWER_NO;
    snprintf(buf, sizeof buf, "%llu%s", (unsigned long long)o->count, forbidden ? "!" : "");
    terminal_put_right(t, forbidden ? PAINT_RED : satisfies ? PAINT_YELLOW : PAINT_NONE, width, buf);
}

static void put_outcome(const struct terminal_grid *grid, const struct layout_outcome *o, const int *widths) {
    char buf[VALUE_MAX_TEXT];
    terminal_put(grid->t, PAINT_BOLD, 4, o->satisfies ? " *>" : "");
    for (int v = 0; v < grid->r->nobs; v++) {
        value_text(buf, grid->r->types[v], o->values[v]);
        terminal_put_right(grid->t, o->satisfies ? PAINT_BOLD : PAINT_NONE, widths[v] + 2, buf);
    }
    for (int k = grid->from; k < grid->to; k++)
        put_count(grid, o->cells[k], o->satisfies, column_width(grid, k));
    fputc('\n', grid->t->out);
}

/* Prints a line below the counts, if some cell has something for it. A name as wide as its column gets a line
 * of its own. */
static void put_footer(const struct terminal_grid *grid, const struct layout_row *row, const char *name,
                       const char *(*text)(const struct cell_result *c, char *buf, size_t size)) {
    char buf[32];
    bool any = false;
    for (int k = grid->from; k < grid->to; k++)
        any = any || (row->cells[k] && text(row->cells[k], buf, sizeof buf));
    if (!any) return;
    terminal_put_right(grid->t, PAINT_DIM, grid->left, name);
    if ((int)strlen(name) >= grid->left) fprintf(grid->t->out, "\n%*s", grid->left, "");
    for (int k = grid->from; k < grid->to; k++) {
        const char *s = row->cells[k] ? text(row->cells[k], buf, sizeof buf) : NULL;
        terminal_put_right(grid->t, PAINT_DIM, column_width(grid, k), s ? s : "");
    }
    fputc('\n', grid->t->out);
}

static void put_warnings(const struct terminal *t, const struct layout_group *g,
                         const struct layout_row *row) {
    struct text line = {0};
    for (int k = 0; k < g->ncolumns; k++) {
        const struct cell_result *c = row->cells[k];
        for (int w = 0; c && w < c->nwarnings; w++) {
            line.len = 0;
            text_printf(&line, "fence %s: %s", c->fence, c->warnings[w]);
            terminal_line(t, PAINT_YELLOW, "warning:", line.s, 4, 2);
        }
    }
    text_free(&line);
}

static void put_histogram_head(const struct terminal_grid *grid, const int *widths, bool named) {
    char buf[128];
    for (int line = 0, lines = terminal_head_lines(grid->g, grid->from, grid->to); line < lines; line++) {
        fputs("    ", grid->t->out);
        for (int v = 0; v < grid->r->nobs; v++)
            terminal_put_right(grid->t, PAINT_DIM, widths[v] + 2,
                               named && line + 1 == lines ? grid->r->obs[v] : "");
        for (int k = grid->from; k < grid->to; k++)
            terminal_put_right(grid->t, PAINT_BOLD, column_width(grid, k),
                               terminal_head(grid->g->fences[k], line, buf, sizeof buf));
        fputc('\n', grid->t->out);
    }
}

/* Prints the row's label, and the names of the values if these are too long for heads. */
static void put_histogram_title(const struct terminal_grid *grid, const struct layout_row *row, bool named) {
    struct text names = {0}, label = {0};
    text_printf(&label, "%s%s", row->label, named || !grid->r->nobs ? "" : ":");
    text_add(&names, "");
    for (int v = 0; v < grid->r->nobs && !named; v++)
        text_printf(&names, "%s%s", v ? ", " : "", grid->r->obs[v]);
    fputc('\n', grid->t->out);
    terminal_line(grid->t, PAINT_BOLD, label.s, names.s, 2, 2);
    text_free(&names);
    text_free(&label);
}

void terminal_histogram(const struct terminal *t, struct arena *a, const struct test_result *r,
                        const struct layout_group *g, const struct layout_row *row) {
    enum { FOOTER = 16, NAMES = 36, FEW = 8 }; /* room for the footer's names, and for the names of values */
    bool narrow = t->width < TERMINAL_NARROW;
    struct terminal_grid grid = {
        .t = t, .r = r, .g = g, .left = 4, .least = narrow ? NARROWEST_COLUMN : COLUMN};
    int n, left_out, *widths = arena_array(a, (size_t)r->nobs, sizeof *widths);
    struct layout_outcome *list = layout_histogram(a, r, row, g->ncolumns, MAX_ROWS, &n, &left_out);
    bool named = value_widths(r, list, n, narrow ? FEW : NAMES, widths);
    for (int v = 0; v < r->nobs; v++)
        grid.left += widths[v] + 2;
    if (grid.left < FOOTER && r->nobs > 0 && !narrow) {
        widths[0] += FOOTER - grid.left;
        grid.left = FOOTER;
    }
    put_histogram_title(&grid, row, named);
    while (next_columns(&grid)) {
        put_histogram_head(&grid, widths, named);
        for (int k = 0; k < n; k++)
            put_outcome(&grid, &list[k], widths);
        if (left_out) fprintf(t->out, "    and %d more outcome%s\n", left_out, left_out > 1 ? "s" : "");
        put_footer(&grid, row, "stuck", stuck_text);
        put_footer(&grid, row, "runs", runs_text);
        put_footer(&grid, row, "runs/s", speed_text);
        put_footer(&grid, row, "best runs/s", peak_text);
        put_footer(&grid, row, "environments", seen_in_text);
        put_footer(&grid, row, "confidence", confidence_text);
    }
    put_warnings(t, g, row);
}
