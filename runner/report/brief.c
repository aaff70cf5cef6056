/* One table for each device: a line for each placement and access of each test, a column for each fence. */
#include <string.h>

#include "report/layout.h"
#include "report/terminal_parts.h"

enum {
    MARGIN = 4,
    GAP = 2,
    COLUMN = 14,
    ROOM = 2 * COLUMN /* for columns beside names */,
    WORD = 11 /* "broken 100%" */,
    LONE = 6 /* beside columns without a label */
};

/* What one device and model say of one test. */
struct brief_entry {
    const struct test_result *test;
    struct layout_group group;
    bool drawn;
};

struct brief_table {
    const struct terminal *t;
    struct brief_entry *entries;
    int n;
};

static int at_least(int width, const char *s) {
    int n = (int)strlen(s) + GAP;
    return n > width ? n : width;
}

static struct brief_table collect(struct arena *a, const struct terminal *t, const struct report *r) {
    struct brief_table table = {.t = t};
    struct layout *layouts = arena_array(a, (size_t)r->ntests, sizeof *layouts);
    int n = 0;
    for (int k = 0; k < r->ntests; k++) {
        layouts[k] = layout_of(a, &r->tests[k]);
        n += layouts[k].ngroups;
    }
    table.entries = arena_array(a, (size_t)n, sizeof *table.entries);
    for (int k = 0; k < r->ntests; k++)
        for (int g = 0; g < layouts[k].ngroups; g++)
            table.entries[table.n++] = (struct brief_entry){&r->tests[k], layouts[k].groups[g], false};
    return table;
}

static bool same_fences(const struct layout_group *x, const struct layout_group *y) {
    if (x->ncolumns != y->ncolumns) return false;
    for (int k = 0; k < x->ncolumns; k++)
        if (strcmp(x->fences[k], y->fences[k]) != 0) return false;
    return true;
}

/* Collects the entries with the title and the fence axis of entry `first`, in order. They make one table. */
static int gather(struct brief_table *table, int first, struct brief_entry **out) {
    int n = 0;
    for (int k = first; k < table->n; k++) {
        struct brief_entry *e = &table->entries[k];
        const struct layout_group *g = &table->entries[first].group;
        if (e->drawn || !layout_alike(&e->group, g) || !same_fences(&e->group, g)) continue;
        e->drawn = true;
        out[n++] = e;
    }
    return n;
}

static int column_width(const struct layout_group *g, int k) {
    int width = terminal_head_width(g, k) + GAP;
    return width > COLUMN ? width : COLUMN;
}

static void put_heads(const struct terminal *t, const struct layout_group *g, int left, int from, int to) {
    char buf[128];
    for (int line = 0; line < terminal_head_lines(g, from, to); line++) {
        fprintf(t->out, "%*s", left, "");
        for (int k = from; k < to; k++)
            terminal_text(t, k + 1 < to ? column_width(g, k) : 0,
                          terminal_head(g->fences[k], line, buf, sizeof buf));
        fputc('\n', t->out);
    }
}

/* If widths[0] is 0, the name is on a line of its own; if widths[1] is 0, so is the label. */
static void put_rows(const struct terminal *t, const struct brief_entry *e, const int widths[2], int from,
                     int to) {
    const struct layout_group *g = &e->group;
    if (widths[0] == 0) {
        fprintf(t->out, "%*s", MARGIN / 2, "");
        terminal_text(t, 0, e->test->name);
        fputc('\n', t->out);
    }
    for (int row = 0; row < g->nrows; row++) {
        fprintf(t->out, "%*s", MARGIN, "");
        if (widths[0]) terminal_text(t, widths[0], row ? "" : e->test->name);
        terminal_text(t, widths[1], g->rows[row].label);
        if (widths[1] == 0) fprintf(t->out, "\n%*s", LONE, "");
        for (int k = from; k < to; k++) {
            terminal_word(t, e->test, g->rows[row].cells[k], k + 1 < to ? column_width(g, k) : 0);
        }
        fputc('\n', t->out);
    }
}

/* Prints a table: first as many columns as fit, at least one; below them the next ones. */
static void put_table(const struct terminal *t, struct brief_entry **entries, int n) {
    const struct layout_group *g = &entries[0]->group;
    int widths[2] = {0, 0};
    for (int k = 0; k < n; k++) {
        widths[0] = at_least(widths[0], entries[k]->test->name);
        for (int row = 0; row < entries[k]->group.nrows; row++)
            widths[1] = at_least(widths[1], entries[k]->group.rows[row].label);
    }
    if (MARGIN + widths[0] + widths[1] + ROOM > t->width) widths[0] = 0;
    if (MARGIN + widths[1] + WORD > t->width) widths[1] = 0;
    int left = widths[1] ? MARGIN + widths[0] + widths[1] : LONE;
    for (int from = 0, to; from < g->ncolumns; from = to) {
        int used = left;
        for (to = from; to < g->ncolumns; to++) {
            used += column_width(g, to);
            if (used > t->width && to > from) break;
        }
        put_heads(t, g, left, from, to);
        for (int k = 0; k < n; k++)
            put_rows(t, entries[k], widths, from, to);
    }
}

void terminal_brief(const struct terminal *t, const struct report *r) {
    struct arena *a = arena_open();
    struct brief_table table = collect(a, t, r);
    struct brief_entry **gathered = arena_array(a, (size_t)table.n, sizeof *gathered);
    for (int k = 0; k < table.n; k++) {
        if (table.entries[k].drawn) continue;
        int n = gather(&table, k, gathered);
        terminal_title(t, &table.entries[k].group, !results_ran(r), NULL);
        put_table(t, gathered, n);
    }
    for (int k = 0; k < r->ntests; k++)
        terminal_remarks(t, &r->tests[k], r->tests[k].name);
    for (int k = 0; k < r->ntests; k++)
        terminal_failures(t, &r->tests[k]);
    fputc('\n', t->out);
    arena_close(a);
}
