#include "results/difference.h"

#include <math.h>
#include <string.h>

/* Finds the cell of a test that cell `of` is compared with: the same cell on the same device, else on another
 * device. If several models judged one of the two results, the cells must be of the same model. */
static const struct cell_result *find_cell(const struct test_result *t, const struct test_result *of,
                                           const struct cell_result *c) {
    const struct cell_result *elsewhere = NULL;
    bool models = t && (results_of_models(t) || results_of_models(of));
    for (int k = 0; t && k < t->ncells; k++) {
        const struct cell_result *other = &t->cells[k];
        if (!results_same_cell(other, c)) continue;
        if (models && !results_same(other->model.name, c->model.name)) continue;
        if (results_same(other->device, c->device)) return other;
        if (!elsewhere) elsewhere = other;
    }
    return elsewhere;
}

/* Finds the test of the same name in the same file, else in another file: tables may share a name. */
static const struct test_result *find_test(const struct report *r, const struct test_result *t) {
    const struct test_result *elsewhere = NULL;
    for (int k = 0; k < r->ntests; k++) {
        const struct test_result *other = &r->tests[k];
        if (!results_same(other->name, t->name)) continue;
        if (results_same(other->file, t->file)) return other;
        if (!elsewhere) elsewhere = other;
    }
    return elsewhere;
}

struct comparison {
    struct arena *arena;
    struct differences found;
    int cap;
    double tolerance;
};

static void add(struct comparison *c, const struct difference *d) {
    if (c->found.n == c->cap) {
        int cap = 2 * c->cap + 16;
        c->found.list =
            arena_grow(c->arena, c->found.list, (size_t)c->found.n, (size_t)cap, sizeof *c->found.list);
        c->cap = cap;
    }
    c->found.list[c->found.n++] = *d;
}

bool difference_of_rates(const struct test_result *t, const struct cell_result *x,
                         const struct cell_result *y, double tolerance) {
    if (tolerance <= 0 || x->runs == 0 || y->runs == 0) return false;
    double n = (double)x->runs, m = (double)y->runs;
    double k = (double)cell_shown(x, result_is_forall(t)), l = (double)cell_shown(y, result_is_forall(t));
    double p = k / n, q = l / m, both = (k + l) / (n + m);
    double deviation = sqrt(both * (1 - both) * (1 / n + 1 / m));
    return fmax(p, q) > tolerance * fmin(p, q) && fabs(p - q) > 4 * deviation;
}

static void compare_cells(struct comparison *c, const struct test_result *mine,
                          const struct test_result *theirs) {
    for (int k = 0; k < mine->ncells; k++) {
        const struct cell_result *x = &mine->cells[k], *y = find_cell(theirs, mine, x);
        struct difference d = {DIFFERENCE_CELL, {mine, y ? theirs : NULL}, {x, y}};
        if (y && y->verdict != x->verdict)
            d.kind = DIFFERENCE_VERDICT;
        else if (y && difference_of_rates(mine, x, y, c->tolerance))
            d.kind = DIFFERENCE_RATE;
        else if (y)
            continue;
        add(c, &d);
    }
}

/* Adds the cells that only the result `after` has. */
static void add_cells(struct comparison *c, const struct report *before, const struct test_result *theirs) {
    const struct test_result *mine = find_test(before, theirs);
    for (int k = 0; k < theirs->ncells; k++)
        if (!find_cell(mine, theirs, &theirs->cells[k]))
            add(c, &(struct difference){DIFFERENCE_CELL, {NULL, theirs}, {NULL, &theirs->cells[k]}});
}

static bool asks_the_same(const struct test_result *x, const struct test_result *y) {
    return strcmp(x->kind, y->kind) == 0 && strcmp(x->condition, y->condition) == 0;
}

struct differences differences_of(struct arena *a, const struct report *before, const struct report *after,
                                  double tolerance) {
    struct comparison c = {.arena = a, .tolerance = tolerance};
    for (int t = 0; t < before->ntests; t++) {
        const struct test_result *mine = &before->tests[t], *theirs = find_test(after, mine);
        if (theirs && !asks_the_same(mine, theirs))
            add(&c, &(struct difference){DIFFERENCE_CONDITION, {mine, theirs}, {NULL, NULL}});
        compare_cells(&c, mine, theirs);
    }
    for (int t = 0; t < after->ntests; t++)
        add_cells(&c, before, &after->tests[t]);
    return c.found;
}
