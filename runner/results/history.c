#include "results/history.h"

#include <string.h>

#include "results/difference.h"

const char *history_property(const struct report *r, const char *name) {
    for (int k = 0; k < r->nmachine; k++)
        if (strcmp(r->machine[k].name, name) == 0) return r->machine[k].value;
    return NULL;
}

/* Sorts the runs by date, which as text sorts correctly. Runs of the same date keep their order. */
static void sort_runs(struct history *h) {
    for (int k = 1; k < h->nruns; k++)
        for (int i = k; i > 0; i--) {
            const struct report *x = h->runs[i - 1], *y = h->runs[i];
            if (strcmp(x->date ? x->date : "", y->date ? y->date : "") <= 0) break;
            h->runs[i - 1] = y;
            h->runs[i] = x;
        }
}

/* Whether a cell belongs to a row; `exactly`: its device and compiler must be the row's, too. */
static bool is_of_row(const struct history_row *row, const struct test_result *t, const struct cell_result *c,
                      bool exactly) {
    const struct cell_result *x = row->cell;
    bool same = results_same(row->test->name, t->name) && results_same(x->backend, c->backend) &&
                results_same(x->placement, c->placement) && results_same(x->access, c->access) &&
                results_same(x->fence, c->fence);
    return same &&
           (!exactly || (results_same(x->device, c->device) && results_same(x->compiler, c->compiler)));
}

static void add_row(struct arena *a, struct history *h, int run, const struct test_result *t,
                    const struct cell_result *c) {
    if ((h->nrows & (h->nrows - 1)) == 0)
        h->rows = arena_grow(a, h->rows, (size_t)h->nrows, 2 * (size_t)h->nrows + 1, sizeof *h->rows);
    struct history_row *row = &h->rows[h->nrows++];
    *row = (struct history_row){.test = t, .cell = c};
    row->entries = arena_array(a, (size_t)h->nruns, sizeof *row->entries);
    row->entries[run] = (struct history_entry){.test = t, .cell = c, .before = -1};
}

/* A hash table of the rows by names. */
struct row_table {
    int *first, *next;
    int buckets, n;
};

static unsigned hash_of(const struct test_result *t, const struct cell_result *c) {
    const char *const names[] = {t->name, c->backend, c->placement, c->access, c->fence};
    unsigned hash = 2166136261u;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (const char *s = names[k]; *s; s++)
            hash = (hash ^ (unsigned char)*s) * 16777619u;
    return hash;
}

static void table_add(struct row_table *table, const struct history *h, int row) {
    int *chain = &table->first[hash_of(h->rows[row].test, h->rows[row].cell) % (unsigned)table->buckets];
    table->next[row] = *chain;
    *chain = row;
}

/* Returns the row for a run's cell, in which the run has no cell yet; NULL: there is none, or there are
 * several. */
static struct history_row *find_row(const struct history *h, const struct row_table *table, int run,
                                    const struct test_result *t, const struct cell_result *c, bool exactly) {
    struct history_row *found = NULL;
    int head = table->first[hash_of(t, c) % (unsigned)table->buckets], n = 0;
    for (int row = head; row >= 0; row = table->next[row])
        if (!h->rows[row].entries[run].cell && is_of_row(&h->rows[row], t, c, exactly)) {
            found = &h->rows[row];
            n++;
        }
    return n == 1 || exactly ? found : NULL;
}

static bool is_run(const struct cell_result *c) {
    return c->machine != MACHINE_NONE && c->runs > 0;
}

/* Adds the cells of a run: first to rows of the same device and compiler, then to the only row of another
 * one, and at last as new rows. */
static void add_run(struct arena *a, struct history *h, struct row_table *table, int run, int step) {
    const struct report *r = h->runs[run];
    for (int k = 0; k < r->ntests; k++)
        for (int i = 0; i < r->tests[k].ncells; i++) {
            const struct test_result *t = &r->tests[k];
            const struct cell_result *c = &t->cells[i];
            struct history_row *row = is_run(c) ? find_row(h, table, run, t, c, true) : NULL;
            bool placed = false;
            for (int n = table->first[hash_of(t, c) % (unsigned)table->buckets]; n >= 0; n = table->next[n])
                placed = placed || h->rows[n].entries[run].cell == c;
            if (!is_run(c) || placed) continue;
            if (!row && step >= 1) row = find_row(h, table, run, t, c, false);
            if (row)
                row->entries[run] = (struct history_entry){.test = t, .cell = c};
            else if (step == 2) {
                add_row(a, h, run, t, c);
                table_add(table, h, h->nrows - 1);
            }
        }
}

/* Whether two verdicts on a cell differ. That a rare outcome was seen in one run and not in the other is a
 * matter of rates. */
static bool verdicts_differ(enum verdict x, enum verdict y) {
    bool allowed = (x == VERDICT_SEEN || x == VERDICT_UNSEEN) && (y == VERDICT_SEEN || y == VERDICT_UNSEEN);
    return x != y && !allowed;
}

/* Compares each entry of a row with the last one before it. */
static void compare(const struct history *h, struct history_row *row) {
    int before = -1;
    for (int k = 0; k < h->nruns; k++) {
        struct history_entry *e = &row->entries[k];
        if (!e->cell) continue;
        const struct history_entry *b = before < 0 ? NULL : &row->entries[before];
        e->before = before;
        if (b && verdicts_differ(b->cell->verdict, e->cell->verdict))
            e->change = HISTORY_VERDICT;
        else if (b && difference_of_rates(e->test, b->cell, e->cell, h->tolerance))
            e->change = HISTORY_RATE;
        row->changes += e->change != HISTORY_SAME;
        before = k;
    }
}

struct history history_of(struct arena *a, struct report *const *runs, int n, double tolerance) {
    struct history h = {.nruns = n, .tolerance = tolerance};
    size_t cells = 1;
    h.runs = arena_array(a, (size_t)n, sizeof *h.runs);
    for (int k = 0; k < n; k++) {
        h.runs[k] = runs[k];
        for (int t = 0; t < runs[k]->ntests; t++)
            cells += (size_t)runs[k]->tests[t].ncells;
    }
    sort_runs(&h);
    struct row_table table = {.buckets = (int)cells};
    table.first = arena_array(a, cells, sizeof *table.first);
    table.next = arena_array(a, cells, sizeof *table.next);
    for (size_t k = 0; k < cells; k++)
        table.first[k] = -1;
    for (int run = 0; run < n; run++)
        for (int step = 0; step < 3; step++)
            add_run(a, &h, &table, run, step);
    for (int k = 0; k < h.nrows; k++)
        compare(&h, &h.rows[k]);
    return h;
}

const char **history_differing(struct arena *a, const struct history *h, int *n) {
    int cap = 0;
    for (int k = 0; k < h->nruns; k++)
        cap += h->runs[k]->nmachine;
    const char **names = arena_array(a, (size_t)cap + 1, sizeof *names);
    *n = 0;
    for (int k = 0; k < h->nruns; k++)
        for (int i = 0; i < h->runs[k]->nmachine; i++) {
            const struct property *p = &h->runs[k]->machine[i];
            bool known = false, differs = false;
            for (int j = 0; j < *n; j++)
                known = known || strcmp(names[j], p->name) == 0;
            for (int j = 0; j < h->nruns; j++)
                differs = differs || !results_same(history_property(h->runs[j], p->name), p->value);
            if (!known && differs) names[(*n)++] = p->name;
        }
    return names;
}
