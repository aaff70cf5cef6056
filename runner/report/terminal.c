#include "report/terminal.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/foreign.h"
#include "base/text.h"
#include "report/layout.h"
#include "report/tone.h"
#include "report/verdict.h"

enum paint { PLAIN, BOLD, DIM, GREEN, YELLOW, RED };

/* Of a terminal that is narrower than NARROW, margins and columns are narrow, too. */
enum { COLUMN = 14, NARROW = 40, NARROW_COLUMN = 11, MAX_ROWS = 24, MAX_NAMES = 36 };

/* Prints text to the left of its column. What is as wide as that is followed by a blank all the same. */
static void put(const struct terminal *t, enum paint paint, int width, const char *s) {
    static const char *const codes[] = {"", "\33[1m", "\33[2m", "\33[32m", "\33[33m", "\33[1;31m"};
    bool painted = t->color && paint != PLAIN && *s;
    if (painted) fputs(codes[paint], t->out);
    int n = foreign_terminal(s, t->out);
    if (painted) fputs("\33[0m", t->out);
    if (width > 0) fprintf(t->out, "%*s", width > n ? width - n : 1, "");
}

/* The same, to the right of its column. */
static void put_right(const struct terminal *t, enum paint paint, int width, const char *s) {
    int n = foreign_columns(s);
    if (width > 0) fprintf(t->out, "%*s", width > n ? width - n : 1, "");
    put(t, paint, 0, s);
}

/* ---- words ---- */

const char *terminal_rate(double rate, char *buf, size_t size) {
    if (rate == 0)
        snprintf(buf, size, "0");
    else if (rate >= 1e-4)
        snprintf(buf, size, rate >= 0.1 ? "%.0f%%" : rate >= 1e-3 ? "%.1f%%" : "%.2f%%", rate * 100);
    else
        snprintf(buf, size, "%.1e", rate);
    return buf;
}

const char *terminal_confidence(double confidence, char *buf, size_t size) {
    snprintf(buf, size,
             confidence >= 0.99995  ? ">99.99%%"
             : confidence >= 0.9995 ? "%.2f%%"
                                    : "%.1f%%",
             confidence * 100);
    return buf;
}

static bool is_forall(const struct test_result *r) {
    return strcmp(r->kind, "forall") == 0;
}

const char *terminal_allowed(const struct test_result *r, const struct cell_result *c) {
    if (!c->model.name) return "-";
    if (c->model.undefined) return "undefined";
    if (judgement_is_endless(&c->model)) return "endless";
    enum answer answer = is_forall(r) ? c->model.holds : c->model.allowed;
    if (answer == ANSWER_UNKNOWN) return "unknown";
    if (is_forall(r)) return answer == ANSWER_YES ? "always" : "not always";
    if (c->model.unreached) return "not reached";
    return answer == ANSWER_YES ? "allowed" : "forbidden";
}

const char *terminal_observed(const struct test_result *r, const struct cell_result *c, char *buf,
                              size_t size) {
    char rate[24];
    uint64_t finished = c->runs - c->stuck;
    switch (c->verdict) {
    case VERDICT_SKIPPED: return "skipped";
    case VERDICT_STUCK:
        snprintf(buf, size, "stuck %s", terminal_rate((double)c->stuck / (double)c->runs, rate, sizeof rate));
        return buf;
    case VERDICT_VIOLATION: return "VIOLATION";
    default: break;
    }
    if (is_forall(r)) {
        if (c->satisfied == finished) return "always";
        snprintf(buf, size, "broken %s",
                 terminal_rate((double)(finished - c->satisfied) / (double)c->runs, rate, sizeof rate));
    } else if (c->satisfied > 0) {
        snprintf(buf, size, "seen %s", terminal_rate(cell_rate(c), rate, sizeof rate));
    } else if (c->verdict == VERDICT_HELD) {
        return isnan(c->confidence) ? "held?" : "held";
    } else {
        return c->verdict == VERDICT_UNSEEN ? "unseen" : "not seen"; /* no model said that it may be */
    }
    return buf;
}

static enum paint paint_of(enum tone tone) {
    switch (tone) {
    case TONE_GOOD: return GREEN;
    case TONE_OPEN: return YELLOW;
    case TONE_BAD: return RED;
    case TONE_MUTE: break;
    }
    return DIM;
}

void terminal_text(const struct terminal *t, int width, const char *s) {
    put(t, BOLD, width, s);
}

void terminal_word(const struct terminal *t, const struct test_result *r, const struct cell_result *c,
                   int width) {
    char buf[64];
    if (!c)
        put(t, PLAIN, width, "");
    else if (c->machine == MACHINE_NONE)
        put(t, paint_of(tone_allowed(r, c)), width, terminal_allowed(r, c));
    else
        put(t, paint_of(tone_observed(r, c)), width, terminal_observed(r, c, buf, sizeof buf));
}

/* ---- the matrix ---- */

/* A table that is being drawn: the columns from `from` up to `to` of a group, beside labels that are `left` wide. */
struct grid {
    const struct terminal *t;
    const struct test_result *r;
    const struct layout_group *g;
    int left, from, to;
};

static bool model_alone(const struct layout_group *g) {
    return g->first->machine == MACHINE_NONE;
}

void terminal_title(const struct terminal *t, const struct layout_group *g, bool only, const char *access) {
    const struct cell_result *c = g->first;
    const char *model = c->model.name ? c->model.name : "no model";
    fputs("  ", t->out);
    if (model_alone(g) && !c->model.name) {
        fputs("no model judges this test", t->out);
    } else if (model_alone(g)) {
        fputs("what ", t->out);
        foreign_terminal(model, t->out);
        fputs(only ? " allows" : " allows of a GPU", t->out);
    } else {
        foreign_terminal(c->device ? c->device : c->backend, t->out);
        fputs(", judged by ", t->out);
        foreign_terminal(model, t->out);
    }
    if (access && (c->model.name || !model_alone(g))) {
        fputs(", access ", t->out);
        foreign_terminal(access, t->out);
    }
    fputc('\n', t->out);
}

static int label_width(const struct layout_group *g) {
    int width = 0;
    for (int k = 0; k < g->nrows; k++)
        if ((int)strlen(g->rows[k].label) > width) width = (int)strlen(g->rows[k].label);
    return width + 2;
}

/* Line `k` of a column's head. A choice slot by slot has a line for each slot; the text is empty beyond the last. */
static const char *head_line(const char *fence, int k, char *buf, size_t size) {
    while (k-- > 0 && *fence)
        fence += strcspn(fence, ",") + (fence[strcspn(fence, ",")] == ',');
    snprintf(buf, size, "%.*s", (int)strcspn(fence, ","), fence);
    return buf;
}

/* How many lines head the columns `from` up to `to`. */
static int head_lines(const struct layout_group *g, int from, int to) {
    int most = 1;
    for (int k = from; k < to; k++) {
        int n = 1;
        for (const char *p = g->fences[k]; *p; p++)
            n += *p == ',';
        if (n > most) most = n;
    }
    return most;
}

/* As wide as the words are; wider for a long head, and for the number of runs, which no count exceeds. */
static int column_width(const struct grid *grid, int k) {
    const struct layout_group *g = grid->g;
    char buf[128];
    int width = grid->t->width < NARROW ? NARROW_COLUMN : COLUMN;
    for (int line = 0; line < head_lines(g, k, k + 1); line++) {
        int n = (int)strlen(head_line(g->fences[k], line, buf, sizeof buf)) + 2;
        if (n > width) width = n;
    }
    for (int r = 0; r < g->nrows; r++) {
        const struct cell_result *c = g->rows[r].cells[k];
        int n = c ? snprintf(buf, sizeof buf, "%llu", (unsigned long long)c->runs) + 2 : 0;
        if (n > width) width = n;
    }
    return width;
}

/* Moves on to the next columns that fit; at least one does. False when all columns are drawn. */
static bool next_columns(struct grid *grid) {
    int used = grid->left;
    grid->from = grid->to;
    while (grid->to < grid->g->ncolumns) {
        used += column_width(grid, grid->to);
        if (used > grid->t->width && grid->to > grid->from) break;
        grid->to++;
    }
    return grid->from < grid->to;
}

static void put_matrix_head(const struct grid *grid) {
    char buf[128];
    for (int line = 0; line < head_lines(grid->g, grid->from, grid->to); line++) {
        fprintf(grid->t->out, "%*s", grid->left, "");
        for (int k = grid->from; k < grid->to; k++)
            put(grid->t, BOLD, k + 1 < grid->to ? column_width(grid, k) : 0,
                head_line(grid->g->fences[k], line, buf, sizeof buf));
        fputc('\n', grid->t->out);
    }
}

static void put_matrix_line(const struct grid *grid, const struct layout_row *row, bool observed) {
    char buf[64];
    for (int k = grid->from; k < grid->to; k++) {
        const struct cell_result *c = row->cells[k];
        int width = k + 1 < grid->to ? column_width(grid, k) : 0;
        if (!c)
            put(grid->t, PLAIN, width, "");
        else if (observed)
            put(grid->t, paint_of(tone_observed(grid->r, c)), width,
                terminal_observed(grid->r, c, buf, sizeof buf));
        else
            put(grid->t, paint_of(tone_allowed(grid->r, c)), width, terminal_allowed(grid->r, c));
    }
    fputc('\n', grid->t->out);
}

/* `only`: the test has no other group. */
static void put_matrix(const struct terminal *t, const struct test_result *r, const struct layout_group *g,
                       bool only) {
    int margin = t->width < NARROW ? 0 : 4;
    struct grid grid = {.t = t, .r = r, .g = g, .left = label_width(g) + margin};
    terminal_title(t, g, only, layout_access(r));
    while (next_columns(&grid)) {
        put_matrix_head(&grid);
        for (int k = 0; k < g->nrows; k++) {
            fprintf(t->out, "%*s", margin, "");
            put(t, BOLD, grid.left - margin, g->rows[k].label);
            put_matrix_line(&grid, &g->rows[k], false);
            if (model_alone(g)) continue;
            fprintf(t->out, "%*s", grid.left, "");
            put_matrix_line(&grid, &g->rows[k], true);
        }
    }
}

/* Prints the remarks that `text` gives for the cells: why a cell was skipped, why the model gave up. Equal remarks are
 * printed once. `name`: of the test, where it is not clear; else "". */
static void put_reasons(const struct terminal *t, const struct test_result *r, const char *name,
                        const char *word, const char *(*text)(const struct cell_result *c)) {
    for (int k = 0; k < r->ncells; k++) {
        const struct cell_result *c = &r->cells[k];
        const char *why = text(c);
        bool first = why != NULL;
        for (int j = 0; j < k && first; j++)
            if (text(&r->cells[j]) && strcmp(text(&r->cells[j]), why) == 0 &&
                strcmp(r->cells[j].placement, c->placement) == 0)
                first = false;
        if (!first) continue;
        fprintf(t->out, "  %s: %s%s", word, name, *name ? ", " : "");
        foreign_terminal(c->placement, t->out);
        fputs(": ", t->out);
        foreign_terminal(why, t->out);
        fputc('\n', t->out);
    }
}

static const char *skipped_text(const struct cell_result *c) {
    return c->skipped;
}

/* Why the model gave up, unless this is already printed as the reason why the cell was skipped. */
static const char *unknown_text(const struct cell_result *c) {
    bool said = c->model.unknown && c->skipped && strcmp(c->model.unknown, c->skipped) == 0;
    return said ? NULL : c->model.unknown;
}

static const char *endless_text(const struct cell_result *c) {
    return judgement_is_endless(&c->model) ? "the model knows no execution that ends" : NULL;
}

static const char *bounded_text(const struct cell_result *c) {
    return c->model.bounded ? "loops were followed for a bounded number of turns only" : NULL;
}

const char *terminal_remark(const struct cell_result *c) {
    return judgement_is_endless(&c->model) ? endless_text(c) : bounded_text(c);
}

void terminal_remarks(const struct terminal *t, const struct test_result *r, const char *name) {
    put_reasons(t, r, name, "endless", endless_text);
    put_reasons(t, r, name, "bounded", bounded_text);
}

/* Prints text in lines that fit; those after the first are indented by `hang` more. */
static void put_wrapped(const struct terminal *t, const char *s, int indent, int hang) {
    int room = t->width - indent;
    fprintf(t->out, "%*s", indent, "");
    for (int used = 0; *s;) {
        size_t word = strcspn(s, " ");
        char buf[256];
        snprintf(buf, sizeof buf, "%.*s", (int)word, s);
        int n = foreign_columns(buf);
        if (used && used + 1 + n > room) {
            fprintf(t->out, "\n%*s", indent + hang, "");
            used = hang;
        } else if (used) {
            fputc(' ', t->out);
            used++;
        }
        used += foreign_terminal(buf, t->out);
        s += word < sizeof buf - 1 ? word : sizeof buf - 1;
        s += *s == ' ';
    }
    fputc('\n', t->out);
}

static bool same_why(const struct cell_result *x, const struct cell_result *y) {
    if (x->nwhy != y->nwhy || strcmp(x->placement, y->placement) != 0) return false;
    for (int k = 0; k < x->nwhy; k++)
        if (strcmp(x->why[k], y->why[k]) != 0) return false;
    return true;
}

/* Of the cells with CPU threads what is said of the first of each answer. */
static void put_hosts(const struct terminal *t, struct arena *a, const struct test_result *r) {
    for (int k = 0; k < r->ncells; k++) {
        const char *note = verdict_host_note(a, r, &r->cells[k]);
        bool first = note != NULL;
        for (int j = 0; j < k && first; j++)
            first = !results_same(verdict_host_note(a, r, &r->cells[j]), note);
        if (first)
            put_wrapped(
                t, arena_printf(a, "host: %s, fence %s: %s", r->cells[k].placement, r->cells[k].fence, note),
                2, 2);
    }
}

static void put_races(const struct terminal *t, struct arena *a, const struct test_result *r) {
    bool partial = false;
    for (int k = 0; k < r->ncells; k++) {
        for (int j = 0; j < r->cells[k].nraces; j++) {
            const char *note = verdict_race_note(a, r, k, j);
            if (note) put_wrapped(t, note, 2, 2);
        }
        partial = partial || r->cells[k].races_partial;
    }
    if (partial) fputs("  races: there may be more, as not all executions were looked at\n", t->out);
}

/* Names the cell, and those after it that are explained in the same words. */
static void put_why_title(const struct terminal *t, const struct test_result *r, int k, bool *told) {
    const struct cell_result *c = &r->cells[k];
    fputs("\n  ", t->out);
    put(t, BOLD, 0, c->placement);
    fputs(", access ", t->out);
    foreign_terminal(c->access, t->out);
    fputs(", fence ", t->out);
    for (int j = k; j < r->ncells; j++) {
        if (told[j] || !same_why(c, &r->cells[j]) || strcmp(c->access, r->cells[j].access) != 0) continue;
        told[j] = true;
        fputs(j > k ? " or " : "", t->out);
        foreign_terminal(r->cells[j].fence, t->out);
    }
    fprintf(t->out, ": %s\n", terminal_allowed(r, c));
}

static void put_whys(const struct terminal *t, struct arena *a, const struct test_result *r) {
    bool *told = arena_array(a, (size_t)r->ncells, sizeof *told);
    for (int k = 0; k < r->ncells; k++) {
        const struct cell_result *c = &r->cells[k];
        if (told[k] || !c->nwhy) continue;
        put_why_title(t, r, k, told);
        for (int line = 0; line < c->nwhy; line++) {
            int digits = (int)strspn(c->why[line], "0123456789");
            put_wrapped(t, c->why[line], digits ? 6 - (digits > 1) : 4, digits ? 2 + digits : 0);
        }
    }
}

/* ---- histograms ---- */

/* Finds the widths of the columns of values. Returns whether the names of the values fit as heads; else the columns are
 * as narrow as the values. */
static bool value_widths(const struct test_result *r, const struct layout_outcome *list, int n, int *widths) {
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
    if (names > MAX_NAMES) return false;
    for (int v = 0; v < r->nobs; v++)
        if ((int)strlen(r->obs[v]) > widths[v]) widths[v] = (int)strlen(r->obs[v]);
    return true;
}

static void put_count(const struct grid *grid, const struct cell_outcome *o, bool satisfies, int width) {
    const struct terminal *t = grid->t;
    char buf[32] = "0";
    if (!o) {
        put_right(t, DIM, width, ".");
        return;
    }
    if (model_alone(grid->g)) {
        put_right(t, satisfies ? YELLOW : PLAIN, width, "allowed");
        return;
    }
    bool forbidden = o->allowed == ANSWER_NO;
    snprintf(buf, sizeof buf, "%llu%s", (unsigned long long)o->count, forbidden ? "!" : "");
    put_right(t, forbidden ? RED : satisfies ? YELLOW : PLAIN, width, buf);
}

static void put_outcome(const struct grid *grid, const struct layout_outcome *o, const int *widths) {
    char buf[VALUE_MAX_TEXT];
    put(grid->t, BOLD, 4, o->satisfies ? " *>" : "");
    for (int v = 0; v < grid->r->nobs; v++) {
        value_text(buf, grid->r->types[v], o->values[v]);
        put_right(grid->t, o->satisfies ? BOLD : PLAIN, widths[v] + 2, buf);
    }
    for (int k = grid->from; k < grid->to; k++)
        put_count(grid, o->cells[k], o->satisfies, column_width(grid, k));
    fputc('\n', grid->t->out);
}

/* Prints a line below the counts, if some cell has anything to say there. */
static void put_footer(const struct grid *grid, const struct layout_row *row, const char *name,
                       const char *(*text)(const struct cell_result *c, char *buf, size_t size)) {
    char buf[32];
    bool any = false;
    for (int k = grid->from; k < grid->to; k++)
        any = any || (row->cells[k] && text(row->cells[k], buf, sizeof buf));
    if (!any) return;
    put_right(grid->t, DIM, grid->left, name);
    for (int k = grid->from; k < grid->to; k++) {
        const char *s = row->cells[k] ? text(row->cells[k], buf, sizeof buf) : NULL;
        put_right(grid->t, DIM, column_width(grid, k), s ? s : "");
    }
    fputc('\n', grid->t->out);
}

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

static void put_warnings(const struct terminal *t, const struct layout_group *g,
                         const struct layout_row *row) {
    for (int k = 0; k < g->ncolumns; k++) {
        const struct cell_result *c = row->cells[k];
        for (int w = 0; c && w < c->nwarnings; w++) {
            fputs("    ", t->out);
            put(t, YELLOW, 0, "warning");
            fputs(": fence ", t->out);
            foreign_terminal(c->fence, t->out);
            fputs(": ", t->out);
            foreign_terminal(c->warnings[w], t->out);
            fputc('\n', t->out);
        }
    }
}

static bool row_ran(const struct layout_group *g, const struct layout_row *row) {
    for (int k = 0; k < g->ncolumns; k++)
        if (row->cells[k] && row->cells[k]->runs > 0) return true;
    return false;
}

static void put_histogram_head(const struct grid *grid, const int *widths, bool named) {
    char buf[128];
    for (int line = 0, lines = head_lines(grid->g, grid->from, grid->to); line < lines; line++) {
        fputs("    ", grid->t->out);
        for (int v = 0; v < grid->r->nobs; v++)
            put_right(grid->t, DIM, widths[v] + 2, named && line + 1 == lines ? grid->r->obs[v] : "");
        for (int k = grid->from; k < grid->to; k++)
            put_right(grid->t, BOLD, column_width(grid, k),
                      head_line(grid->g->fences[k], line, buf, sizeof buf));
        fputc('\n', grid->t->out);
    }
}

/* Prints the row's label; and the names of the values, if these are too long to stand as heads. */
static void put_histogram_title(const struct grid *grid, const struct layout_row *row, bool named) {
    FILE *out = grid->t->out;
    fputs("\n  ", out);
    put(grid->t, BOLD, 0, row->label);
    for (int v = 0; v < grid->r->nobs && !named; v++) {
        fputs(v ? ", " : ": ", out);
        put(grid->t, DIM, 0, grid->r->obs[v]);
    }
    fputc('\n', out);
}

static void put_histogram(const struct terminal *t, struct arena *a, const struct test_result *r,
                          const struct layout_group *g, const struct layout_row *row) {
    enum { FOOTER = 16 }; /* room for the footer's names */
    struct grid grid = {.t = t, .r = r, .g = g, .left = 4};
    int n, left_out, *widths = arena_array(a, (size_t)r->nobs, sizeof *widths);
    struct layout_outcome *list = layout_histogram(a, r, row, g->ncolumns, MAX_ROWS, &n, &left_out);
    bool named = value_widths(r, list, n, widths);
    for (int v = 0; v < r->nobs; v++)
        grid.left += widths[v] + 2;
    if (grid.left < FOOTER && r->nobs > 0) {
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

/* ---- a test, a summary ---- */

void terminal_failures(const struct terminal *t, const struct test_result *r) {
    for (int k = 0; k < r->nfailures; k++) {
        fputs("  ", t->out);
        put(t, RED, 0, "FAILED");
        fputc(' ', t->out);
        foreign_terminal(r->file, t->out);
        fprintf(t->out, ":%d:%d: ", r->failures[k].pos.line, r->failures[k].pos.col);
        foreign_terminal(r->failures[k].text, t->out);
        fputc('\n', t->out);
    }
}

void terminal_test(const struct terminal *t, const struct test_result *r, bool outcomes) {
    struct arena *a = arena_open();
    struct layout l = layout_of(a, r);
    put(t, BOLD, 0, r->name);
    if (r->title) {
        fputs(": ", t->out);
        foreign_terminal(r->title, t->out);
    }
    fputc('\n', t->out);
    put(t, DIM, 0, r->file);
    fputs("\n  ", t->out);
    put(t, BOLD, 0, r->kind);
    fputc(' ', t->out);
    foreign_terminal(r->condition, t->out);
    fputc('\n', t->out);
    for (int k = 0; k < l.ngroups; k++)
        put_matrix(t, r, &l.groups[k], l.ngroups == 1);
    put_reasons(t, r, "", "skipped", skipped_text);
    put_reasons(t, r, "", "unknown", unknown_text);
    terminal_remarks(t, r, "");
    put_hosts(t, a, r);
    put_races(t, a, r);
    terminal_failures(t, r);
    put_whys(t, a, r);
    for (int k = 0; k < l.ngroups; k++)
        for (int row = 0; row < l.groups[k].nrows; row++)
            if (row_ran(&l.groups[k], &l.groups[k].rows[row]) || (outcomes && model_alone(&l.groups[k])))
                put_histogram(t, a, r, &l.groups[k], &l.groups[k].rows[row]);
    fputc('\n', t->out);
    arena_close(a);
}

static const char *const meanings[] = {
    [VERDICT_NO_MODEL] = "no model judges this cell",
    [VERDICT_SEEN] = "the model allows it, and it was observed",
    [VERDICT_UNSEEN] = "the model allows it, it was never observed",
    [VERDICT_HELD] = "the model forbids it, it was never observed (held?: no weaker fence showed it either)",
    [VERDICT_VIOLATION] = "an outcome that the model forbids was observed",
    [VERDICT_SKIPPED] = "it was not run; the reason stands with the test",
    [VERDICT_STUCK] = "a bounded wait ran out",
    [VERDICT_UNKNOWN] = "the model gave no answer",
    [VERDICT_UNDEFINED] = "accesses of several sizes to the same bytes race: the model promises nothing",
    [VERDICT_NOT_REACHED] = "no execution gives these values, with or without fences",
};

/* Prints how often each answer stands in the matrices of a check. */
static void put_answers(const struct terminal *t, const struct report *r) {
    enum { WORDS = 9 };
    static const char *const words[WORDS] = {"allowed",    "forbidden", "not reached", "undefined", "always",
                                             "not always", "endless",   "unknown",     "-"};
    int counts[WORDS] = {0}, bounded = 0, racing = 0, said = 0;
    for (int k = 0; k < r->ntests; k++)
        for (int c = 0; c < r->tests[k].ncells; c++) {
            bounded += r->tests[k].cells[c].model.bounded;
            racing += r->tests[k].cells[c].nraces > 0;
            for (int w = 0; w < WORDS; w++)
                counts[w] += strcmp(terminal_allowed(&r->tests[k], &r->tests[k].cells[c]), words[w]) == 0;
        }
    for (int w = 0; w < WORDS; w++)
        if (counts[w])
            fprintf(t->out, "%s%d %s", said++ ? ", " : ", cells: ", counts[w],
                    w + 1 < WORDS ? words[w] : "without a model");
    if (bounded) fprintf(t->out, "; %d bounded", bounded);
    if (racing) fprintf(t->out, "; %d with races", racing);
    fputc('\n', t->out);
}

void terminal_summary(const struct terminal *t, const struct report *r) {
    int counts[VERDICT_COUNT] = {0}, failures = 0;
    for (int k = 0; k < r->ntests; k++) {
        failures += r->tests[k].nfailures;
        for (int c = 0; c < r->tests[k].ncells; c++) {
            const struct cell_result *cell = &r->tests[k].cells[c];
            if (cell->machine != MACHINE_NONE) counts[cell->verdict]++;
        }
    }
    fprintf(t->out, "%d test%s", r->ntests, r->ntests == 1 ? "" : "s");
    if (results_ran(r))
        fprintf(t->out, ", seed %lld\n", r->seed);
    else
        put_answers(t, r);
    for (int v = 0; v < VERDICT_COUNT; v++) {
        if (counts[v] == 0) continue;
        char line[32];
        snprintf(line, sizeof line, "%6d %s", counts[v], verdict_name((enum verdict)v));
        fputs("  ", t->out);
        put(t, v == VERDICT_VIOLATION ? RED : PLAIN, 18, line);
        put(t, DIM, 0, meanings[v]);
        fputc('\n', t->out);
    }
    if (failures) fprintf(t->out, "  %6d failed claim%s\n", failures, failures == 1 ? "" : "s");
}
