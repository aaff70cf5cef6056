/* Prints a table of contents in Markdown: a table for each folder, a line for each test. */
#include <stdlib.h>
#include <string.h>

#include "base/foreign.h"
#include "base/memory.h"
#include "litmus/words.h"
#include "report/layout.h"
#include "report/printers.h"
#include "report/terminal.h"

/* The columns of the fence axis. All other choices share one last column. */
static const enum scope scopes[] = {SCOPE_NONE, SCOPE_CTA, SCOPE_GPU, SCOPE_SYS};
enum { SCOPES = 4 };

/* Whether a fence belongs into a column. "as-written", of a test without fence(), belongs to "none". */
static bool is_scope(const char *fence, int scope) {
    return strcmp(fence, scope_name(scopes[scope])) == 0 || (scope == 0 && strcmp(fence, "as-written") == 0);
}

static bool is_other(const char *fence) {
    for (int k = 0; k < SCOPES; k++)
        if (is_scope(fence, k)) return false;
    return true;
}

/* The parts by which the cells of a column can be told apart, the shortest first. */
enum part { PART_PLACEMENT, PART_ACCESS, PART_BOTH };

static const char *part_of(const struct layout_row *row, int column, enum part part) {
    if (part == PART_BOTH) return row->label;
    return part == PART_PLACEMENT ? row->cells[column]->placement : row->cells[column]->access;
}

/* Returns the first row whose cell in the column has the same part as the given row's; it may be that row. */
static int first_alike(const struct layout_group *g, int column, int row, enum part part) {
    const char *name = part_of(&g->rows[row], column, part);
    for (int r = 0; r < row; r++)
        if (g->rows[r].cells[column] && strcmp(part_of(&g->rows[r], column, part), name) == 0) return r;
    return row;
}

/* Whether equal parts always have equal answers of the model in this column. */
static bool decides(const struct test_result *t, const struct layout_group *g, int column, enum part part) {
    for (int r = 0; r < g->nrows; r++) {
        const struct cell_result *c = g->rows[r].cells[column];
        if (!c) continue;
        const struct cell_result *first = g->rows[first_alike(g, column, r, part)].cells[column];
        if (strcmp(terminal_allowed(t, c), terminal_allowed(t, first)) != 0) return false;
    }
    return true;
}

/* Writes the parts of the cells for which the model's answer is `word`, each once. */
static void put_cells(const struct test_result *t, const struct layout_group *g, int column, const char *word,
                      FILE *out) {
    enum part part = PART_PLACEMENT;
    while (!decides(t, g, column, part))
        part++;
    const char *separator = ": ";
    for (int r = 0; r < g->nrows; r++) {
        const struct cell_result *c = g->rows[r].cells[column];
        if (!c || strcmp(terminal_allowed(t, c), word) != 0 || first_alike(g, column, r, part) != r) continue;
        fputs(separator, out);
        foreign_markdown(part_of(&g->rows[r], column, part), out);
        separator = ", ";
    }
}

/* Writes what the model says of a column: one word if its rows agree, else each word with its cells. */
static void put_verdict(const struct test_result *t, const struct layout_group *g, int column, FILE *out) {
    const char *said[12]; /* more than there are words */
    int nsaid = 0;
    for (int r = 0; r < g->nrows; r++) {
        const char *word = g->rows[r].cells[column] ? terminal_allowed(t, g->rows[r].cells[column]) : NULL;
        bool known = !word;
        for (int k = 0; k < nsaid; k++)
            known = known || strcmp(said[k], word) == 0;
        if (!known) said[nsaid++] = word;
    }
    for (int k = 0; k < nsaid; k++) {
        fprintf(out, "%s%s", k ? "<br>" : "", said[k]);
        if (nsaid > 1) put_cells(t, g, column, said[k], out);
    }
}

static void put_verdicts(const struct test_result *t, const struct layout_group *g, FILE *out) {
    for (int s = 0; s < SCOPES; s++) {
        fputs(" | ", out);
        for (int k = 0; g && k < g->ncolumns; k++)
            if (is_scope(g->fences[k], s)) put_verdict(t, g, k, out);
    }
    fputs(" | ", out);
    const char *separator = "";
    for (int k = 0; g && k < g->ncolumns; k++) {
        if (!is_other(g->fences[k])) continue;
        fputs(separator, out);
        foreign_markdown(g->fences[k], out);
        fputs(": ", out);
        put_verdict(t, g, k, out);
        separator = "<br>";
    }
}

/* Returns how much there is to tell of a cell: 0 unless the outcome was seen, a claim was broken, or the cell
 * did not end. */
static double weight_of(const struct test_result *t, const struct cell_result *c) {
    if (c->verdict == VERDICT_VIOLATION) return 3;
    if (c->verdict == VERDICT_STUCK) return 2;
    bool forall = strcmp(t->kind, "forall") == 0;
    return forall && c->runs > 0 ? 1 - cell_rate(c) : cell_rate(c);
}

/* Returns the cell of a column with the most to tell; NULL: there is nothing to tell. */
static const struct cell_result *loudest(const struct test_result *t, const struct layout_group *g,
                                         int column) {
    const struct cell_result *best = NULL;
    for (int r = 0; r < g->nrows; r++) {
        const struct cell_result *c = g->rows[r].cells[column];
        if (c && weight_of(t, c) > (best ? weight_of(t, best) : 0)) best = c;
    }
    return best;
}

static uint64_t count_runs(const struct layout_group *g) {
    uint64_t runs = 0;
    for (int r = 0; r < g->nrows; r++)
        for (int k = 0; k < g->ncolumns; k++)
            runs += g->rows[r].cells[k] ? g->rows[r].cells[k]->runs : 0;
    return runs;
}

/* Writes what one device showed: for each fence, the placement that showed the outcome most often. */
static void put_observed(const struct test_result *t, const struct layout_group *g, FILE *out) {
    const char *separator = "";
    for (int k = 0; k < g->ncolumns; k++) {
        const struct cell_result *c = loudest(t, g, k);
        if (!c) continue;
        char buf[64];
        fputs(separator, out);
        foreign_markdown(c->fence, out);
        fprintf(out, ": %s", terminal_observed(t, c, buf, sizeof buf));
        separator = "<br>";
    }
    if (!*separator)
        fprintf(out, "%s in %.1e runs", strcmp(t->kind, "forall") == 0 ? "always" : "never",
                (double)count_runs(g));
}

/* Whether this GPU ran the test with several compilers. */
static bool has_other_compiler(const struct layout *l, const struct layout_group *g) {
    for (int k = 0; k < l->ngroups; k++) {
        const struct layout_group *other = &l->groups[k];
        if (other->first->machine == MACHINE_GPU && count_runs(other) > 0 &&
            results_same(other->first->device, g->first->device) &&
            !results_same(other->first->compiler, g->first->compiler))
            return true;
    }
    return false;
}

/* Writes what the GPUs showed on which the test ran: a GPU other than `device` with its name, and each of
 * several compilers by itself. Writes nothing if the test ran on no GPU. */
static void put_observations(const struct test_result *t, const struct layout *l, const char *device,
                             FILE *out) {
    const char *separator = "";
    bool tried = false;
    for (int k = 0; k < l->ngroups; k++) {
        const struct layout_group *g = &l->groups[k];
        if (g->first->machine != MACHINE_GPU) continue;
        tried = true;
        if (count_runs(g) == 0) continue;
        fputs(separator, out);
        if (g->first->device && strcmp(g->first->device, device) != 0) {
            foreign_markdown(g->first->device, out);
            fputs(": ", out);
        }
        if (has_other_compiler(l, g)) {
            foreign_markdown(g->first->compiler ? g->first->compiler : "a compiler without a name", out);
            fputs(": ", out);
        }
        put_observed(t, g, out);
        separator = "<br>";
    }
    if (tried && !*separator) fputs("skipped", out);
}

/* Returns the device whose observations are shown: the first GPU that any test ran on, or NULL. */
static const char *device_of(const struct report *r) {
    for (int k = 0; k < r->ntests; k++) {
        const struct test_result *t = results_test(r, k);
        for (const struct cell_result *c = t->cells; c < t->cells + t->ncells; c++)
            if (c->machine == MACHINE_GPU && c->device) return c->device;
    }
    return NULL;
}

static void put_test(const struct test_result *t, const char *device, FILE *out) {
    struct arena *a = arena_open();
    struct layout l = layout_of(a, t);
    const struct layout_group *judged = NULL;
    for (int k = 0; k < l.ngroups && !judged; k++)
        if (l.groups[k].first->machine != MACHINE_CPU) judged = &l.groups[k];
    fputs("| [", out);
    foreign_markdown(t->name, out);
    fputs("](<", out);
    foreign_markdown_link(t->file, out);
    fputs(">)<br>", out);
    foreign_markdown(t->title ? t->title : "", out);
    fprintf(out, " | %s ", t->kind);
    foreign_markdown(t->condition, out);
    put_verdicts(t, judged, out);
    if (device) {
        fputs(" | ", out);
        put_observations(t, &l, device, out);
    }
    fputs(" |\n", out);
    arena_close(a);
}

/* Returns the length of the folder in a path, without its slash. */
static int folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) : 0;
}

static void put_folder(const char *file, FILE *out) {
    char *folder = memory_check(strndup(file, (size_t)folder_length(file)));
    if (*folder) {
        fputs("\n## ", out);
        foreign_markdown(folder, out);
        fputc('\n', out);
    }
    free(folder);
}

static void put_head(const char *file, const char *device, FILE *out) {
    put_folder(file, out);
    fputs("\n| test | condition | no fence, or as written | block | device | system | other fences |", out);
    if (device) {
        fputs(" seen on ", out);
        foreign_markdown(device, out);
        fputs(" |", out);
    }
    fputs("\n|---|---|---|---|---|---|---|", out);
    fputs(device ? "---|\n" : "\n", out);
}

void report_markdown(const struct report *r, FILE *out) {
    const char *device = device_of(r);
    for (int k = 0; k < r->ntests; k++) {
        const char *file = r->tests[k].file, *before = k ? r->tests[k - 1].file : NULL;
        int n = folder_length(file);
        if (!before || folder_length(before) != n || strncmp(before, file, (size_t)n) != 0)
            put_head(file, device, out);
        put_test(results_test(r, k), device, out);
    }
}
