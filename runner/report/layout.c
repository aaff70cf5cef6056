#include "report/layout.h"

#include <stdlib.h>
#include <string.h>

const char *layout_access(const struct test_result *t) {
    for (int k = 1; k < t->ncells; k++)
        if (!results_same(t->cells[k].access, t->cells[0].access)) return NULL;
    return t->ncells ? t->cells[0].access : NULL;
}

const char *layout_models(struct arena *a, const struct layout_group *g) {
    const char *list = g->models[0];
    for (int k = 1; k < g->nmodels; k++)
        list = arena_printf(a, "%s%s%s", list, k + 1 < g->nmodels ? ", " : " and ", g->models[k]);
    return list;
}

static bool same_place(const struct cell_result *x, const struct cell_result *y) {
    return results_same(x->backend, y->backend) && results_same(x->device, y->device) &&
           results_same(x->compiler, y->compiler);
}

bool layout_alike(const struct layout_group *x, const struct layout_group *y) {
    bool alike = same_place(x->first, y->first) && x->nmodels == y->nmodels;
    for (int k = 0; k < x->nmodels && alike; k++)
        alike = strcmp(x->models[k], y->models[k]) == 0;
    return alike;
}

static struct layout_group *group_of(const struct layout *l, const struct cell_result *c) {
    for (int k = 0; k < l->ngroups; k++) {
        const struct cell_result *first = l->groups[k].first;
        if (same_place(first, c) &&
            (c->machine == MACHINE_NONE || results_same(first->model.name, c->model.name)))
            return &l->groups[k];
    }
    return NULL;
}

static struct layout_group *add_group(struct arena *a, struct layout *l, const struct cell_result *c, int n) {
    struct layout_group *g = &l->groups[l->ngroups++];
    *g = (struct layout_group){.first = c,
                               .models = arena_array(a, (size_t)n, sizeof *g->models),
                               .fences = arena_array(a, (size_t)n, sizeof *g->fences),
                               .rows = arena_array(a, (size_t)n, sizeof *g->rows)};
    return g;
}

static void add_model(struct layout_group *g, const char *name) {
    for (int k = 0; k < g->nmodels; k++)
        if (strcmp(g->models[k], name) == 0) return;
    g->models[g->nmodels++] = name;
}

static int column_of(const struct layout_group *g, const char *fence) {
    for (int k = 0; k < g->ncolumns; k++)
        if (results_same(g->fences[k], fence)) return k;
    return -1;
}

static struct layout_row *row_of(const struct layout_group *g, const char *label) {
    for (int k = 0; k < g->nrows; k++)
        if (results_same(g->rows[k].label, label)) return &g->rows[k];
    return NULL;
}

/* Inserts a row behind those of the same placement and access, which other models judge. */
static struct layout_row *add_row(struct arena *a, struct layout_group *g, const char *label,
                                  const struct cell_result *c, int n) {
    int at = g->nrows;
    while (at > 0 && !(results_same(g->rows[at - 1].first->placement, c->placement) &&
                       results_same(g->rows[at - 1].first->access, c->access)))
        at--;
    if (at == 0) at = g->nrows;
    memmove(&g->rows[at + 1], &g->rows[at], (size_t)(g->nrows++ - at) * sizeof *g->rows);
    g->rows[at] = (struct layout_row){
        .label = label, .first = c, .cells = arena_array(a, (size_t)n, sizeof *g->rows[at].cells)};
    return &g->rows[at];
}

struct layout layout_of(struct arena *a, const struct test_result *t) {
    struct layout l = {.groups = arena_array(a, (size_t)t->ncells, sizeof *l.groups)};
    bool accesses = !layout_access(t), models = results_of_models(t);
    for (int k = 0; k < t->ncells; k++) {
        const struct cell_result *c = &t->cells[k];
        if (c->elsewhere) continue;
        struct layout_group *g = group_of(&l, c);
        if (!g) g = add_group(a, &l, c, t->ncells);
        if (c->model.name) add_model(g, c->model.name);
        if (column_of(g, c->fence) < 0) g->fences[g->ncolumns++] = c->fence;
        const char *place = accesses ? arena_printf(a, "%s %s", c->placement, c->access) : c->placement;
        const char *label = place;
        if (models && c->machine == MACHINE_NONE && c->model.name)
            label = arena_printf(a, "%s %s", place, c->model.name);
        struct layout_row *row = row_of(g, label);
        if (!row) row = add_row(a, g, label, c, t->ncells);
        row->place = place;
        row->cells[column_of(g, c->fence)] = c;
    }
    return l;
}

/* Returns how much an outcome matters: a forbidden one most, then one that satisfies the condition, then a
 * frequent one. */
static double weight_of(const struct layout_outcome *o, int ncolumns) {
    double weight = o->satisfies ? 1e30 : 0;
    for (int k = 0; k < ncolumns; k++) {
        if (!o->cells[k]) continue;
        weight += (double)o->cells[k]->count;
        if (o->cells[k]->allowed == ANSWER_NO) weight += 1e40;
    }
    return weight;
}

static int by_weight(const void *x, const void *y) {
    double a = *(const double *)x, b = *(const double *)y;
    return a > b ? -1 : a < b;
}

/* Drops the outcomes that matter least; of equal ones, the later ones. The others keep their order. */
static int keep_heaviest(struct arena *a, struct layout_outcome *list, int n, int ncolumns, int max) {
    double *weights = arena_array(a, (size_t)n, sizeof *weights);
    for (int k = 0; k < n; k++)
        weights[k] = weight_of(&list[k], ncolumns);
    qsort(weights, (size_t)n, sizeof *weights, by_weight);
    double limit = weights[max - 1];
    int kept = 0, equals = max; /* there is room for so many outcomes that matter equally */
    for (int k = 0; k < max; k++)
        equals -= weights[k] > limit;
    for (int k = 0; k < n; k++) {
        double weight = weight_of(&list[k], ncolumns);
        if (weight > limit || (weight == limit && equals-- > 0)) list[kept++] = list[k];
    }
    return kept;
}

/* Returns the smallest outcome that some column has not returned yet; NULL when all columns are done. */
static const struct cell_outcome *next_outcome(const struct test_result *t, const struct layout_row *row,
                                               const int *next, int ncolumns) {
    const struct cell_outcome *best = NULL;
    for (int c = 0; c < ncolumns; c++) {
        if (!row->cells[c] || next[c] == row->cells[c]->noutcomes) continue;
        const struct cell_outcome *o = &row->cells[c]->outcomes[next[c]];
        if (!best || results_order(t, o->values, best->values) < 0) best = o;
    }
    return best;
}

struct layout_outcome *layout_histogram(struct arena *a, const struct test_result *t,
                                        const struct layout_row *row, int ncolumns, int max, int *n,
                                        int *left) {
    int total = 0, *next = arena_array(a, (size_t)ncolumns, sizeof *next);
    const struct cell_outcome *first;
    for (int c = 0; c < ncolumns; c++)
        total += row->cells[c] ? row->cells[c]->noutcomes : 0;
    struct layout_outcome *list = arena_array(a, (size_t)total, sizeof *list);
    *n = *left = 0;
    while ((first = next_outcome(t, row, next, ncolumns))) {
        struct layout_outcome *o = &list[(*n)++];
        *o = (struct layout_outcome){first->values, first->satisfies,
                                     arena_array(a, (size_t)ncolumns, sizeof *o->cells)};
        for (int c = 0; c < ncolumns; c++) {
            if (!row->cells[c] || next[c] == row->cells[c]->noutcomes) continue;
            const struct cell_outcome *here = &row->cells[c]->outcomes[next[c]];
            if (results_order(t, here->values, first->values) != 0) continue;
            o->cells[c] = here;
            next[c]++;
        }
    }
    if (*n > max) {
        int kept = keep_heaviest(a, list, *n, ncolumns, max);
        *left = *n - kept;
        *n = kept;
    }
    return list;
}
