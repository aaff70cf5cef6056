/* For each cell and group there are two tests of whether the group differs from the others. Holm's method
 * corrects for their number. */
#include "results/spread.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* One result's counts for a cell. */
struct sample {
    double shown, runs; /* runs that ended, and those of them that showed the outcome */
    int seen_in, environments;
    int group;
};

enum { KEYS = 7 };

/* A cell, and the results that ran it. */
struct spread_cell {
    const char *key[KEYS]; /* test, file, backend, placement, access, fence, compiler */
    struct sample *samples;
    size_t n;
};

struct spread {
    struct arena *arena;
    bool compilers; /* compilers are what is compared */
    void *tree;
    struct spread_cell **cells;
    size_t n;
    const char **groups;
    size_t ngroups;
};

/* ---- what is compared ---- */

struct spread *spread_begin(struct arena *a, bool compilers) {
    struct spread *s = arena_alloc(a, sizeof *s);
    s->arena = a;
    s->compilers = compilers;
    return s;
}

static void keep_node(void *node) {
    (void)node; /* it lives in an arena */
}

void spread_end(struct spread *s) {
    tdestroy(s->tree, keep_node);
    s->tree = NULL;
}

static int by_key(const void *x, const void *y) {
    const struct spread_cell *a = x, *b = y;
    int order = 0;
    for (int k = 0; k < KEYS && !order; k++)
        order = strcmp(a->key[k], b->key[k]);
    return order;
}

/* Returns the name of a test's file without its folder. */
static const char *file_name(const struct test_result *t) {
    const char *slash = strrchr(t->file, '/');
    return slash ? slash + 1 : t->file;
}

static struct spread_cell *find_cell(struct spread *s, const struct test_result *t,
                                     const struct cell_result *c) {
    struct spread_cell key = {.key = {t->name, file_name(t), c->backend, c->placement, c->access, c->fence,
                                      s->compilers || !c->compiler ? "" : c->compiler}};
    struct spread_cell **node = tfind(&key, &s->tree, by_key);
    if (node) return *node;
    struct spread_cell *cell = arena_alloc(s->arena, sizeof *cell);
    for (int k = 0; k < KEYS; k++)
        cell->key[k] = arena_strdup(s->arena, key.key[k]);
    memory_check(tsearch(cell, &s->tree, by_key));
    s->cells = arena_more(s->arena, s->cells, s->n, sizeof(struct spread_cell *));
    s->cells[s->n++] = cell;
    return cell;
}

static int find_group(struct spread *s, const char *name) {
    for (size_t k = 0; k < s->ngroups; k++)
        if (strcmp(s->groups[k], name) == 0) return (int)k;
    s->groups = arena_more(s->arena, s->groups, s->ngroups, sizeof(const char *));
    s->groups[s->ngroups] = arena_strdup(s->arena, name);
    return (int)s->ngroups++;
}

void spread_add(struct spread *s, const struct test_result *t,
                const char *(*group)(const void *ctx, const struct cell_result *c), const void *ctx) {
    for (int k = 0; k < t->ncells; k++) {
        const struct cell_result *c = &t->cells[k];
        if (c->runs <= c->stuck) continue;
        struct spread_cell *cell = find_cell(s, t, c);
        cell->samples = arena_more(s->arena, cell->samples, cell->n, sizeof *cell->samples);
        cell->samples[cell->n++] = (struct sample){
            .shown = (double)cell_shown(c, result_is_forall(t)),
            .runs = (double)(c->runs - c->stuck),
            .seen_in = c->seen_in,
            .environments = c->environments,
            .group = find_group(s, group(ctx, c)),
        };
    }
}

/* ---- chances ---- */

/* Evaluates the continued fraction of the incomplete beta function (DLMF 8.17.22) from its end. */
static double beta_fraction(double x, double a, double b) {
    double f = 1;
    for (int k = 400; k > 0; k--) {
        double m = k / 2;
        double term = k % 2 ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
                            : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        f = 1 + term / f;
    }
    return 1 / f;
}

/* Returns the regularised incomplete beta function. */
static double beta(double x, double a, double b) {
    if (x <= 0 || x >= 1) return x > 0;
    if (x > (a + 1) / (a + b + 2)) return 1 - beta(1 - x, b, a);
    double front = lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x);
    return exp(front) / a * beta_fraction(x, a, b);
}

double spread_student(double t, double freedom) {
    return beta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

static double log_choose(int n, int k) {
    return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0);
}

/* Returns the chance that a sample of n has at least `least` and at most `most` marked ones. */
static double hypergeometric(int least, int most, int n, int K, int N) {
    double sum = 0;
    for (int k = least; k <= most; k++)
        if (k <= K && n - k <= N - K)
            sum += exp(log_choose(K, k) + log_choose(N - K, n - k) - log_choose(N, n));
    return sum;
}

double spread_fisher(int k, int n, int K, int N) {
    double less = hypergeometric(0, k, n, K, N), more = hypergeometric(k, n < K ? n : K, n, K, N);
    return fmin(1, 2 * fmin(less, more));
}

/* ---- two tests ---- */

enum { LEAST_SHOWN = 25 };  /* in each result: the logarithm of a rate is not normal with fewer */
enum { LEAST_RESULTS = 4 }; /* fewer do not tell how much they scatter */

/* The results of a group, or those of the others, weighted with the inverse of the variances that chance
 * alone gives. */
struct side {
    double weight, sum,
        /* sums of the weights, of the weighted logarithms of the rates, and of their weighted squares */
        squares;
    int n;
};

static void add_value(struct side *s, double value, double weight) {
    s->weight += weight;
    s->sum += weight * value;
    s->squares += weight * value * value;
    s->n++;
}

static double mean(const struct side *s) {
    return s->sum / s->weight;
}

/* Returns chi-squared of a side: how far its results are from its mean, in units of what chance gives. Not
 * less than 0 by rounding. */
static double scatter(const struct side *s) {
    return fmax(0, s->squares - s->weight * mean(s) * mean(s));
}

static bool is_frequent(const struct spread_cell *c) {
    for (size_t k = 0; k < c->n; k++)
        if (c->samples[k].shown < LEAST_SHOWN || c->samples[k].shown >= c->samples[k].runs) return false;
    return true;
}

/* Returns the p-value of Student's t for the difference of the means. Its variance is that of chance, times
 * the factor by which the results of a side scatter more. 1: there are too few results. */
static double chance_of(const struct side *here, const struct side *others) {
    int freedom = here->n + others->n - 2;
    if (here->n == 0 || others->n == 0 || freedom < 2) return 1;
    double inflation = fmax(1, (scatter(here) + scatter(others)) / freedom);
    double deviation = sqrt(inflation * (1 / here->weight + 1 / others->weight));
    return spread_student((mean(here) - mean(others)) / deviation, freedom);
}

/* Compares the logarithms of the rates of a group with those of the others. */
static void compare_rates(const struct spread_cell *c, int group, struct spread_difference *d) {
    struct side here = {0}, others = {0};
    for (size_t k = 0; k < c->n; k++) {
        const struct sample *x = &c->samples[k];
        double rate = x->shown / x->runs;
        add_value(x->group == group ? &here : &others, log(rate), x->shown / (1 - rate));
    }
    d->chance = chance_of(&here, &others);
    d->here = exp(mean(&here));
    d->others = exp(mean(&others));
}

/* Compares in how many environments the outcome showed. For few environments Fisher's test is exact, but it
 * takes them as independent, while those of one result share its load and its clock. */
static void compare_environments(const struct spread_cell *c, int group, struct spread_difference *d) {
    int seen[2] = {0}, tried[2] = {0};
    struct side sides[2] = {{0}};
    for (size_t k = 0; k < c->n; k++) {
        const struct sample *x = &c->samples[k];
        int side = x->group != group;
        seen[side] += x->seen_in;
        tried[side] += x->environments;
        if (x->environments) add_value(&sides[side], (double)x->seen_in / x->environments, x->environments);
    }
    double all = (double)(seen[0] + seen[1]) / (tried[0] + tried[1]);
    for (int side = 0; side < 2; side++) {
        sides[side].weight /= all * (1 - all);
        sides[side].sum /= all * (1 - all);
        sides[side].squares /= all * (1 - all);
    }
    d->by_environments = true;
    d->here = (double)seen[0] / tried[0];
    d->others = (double)seen[1] / tried[1];
    d->chance = fmax(chance_of(&sides[0], &sides[1]),
                     spread_fisher(seen[0], tried[0], seen[0] + seen[1], tried[0] + tried[1]));
}

/* Whether the environments of a group can be compared: some showed the outcome and some did not. */
static bool has_environments(const struct spread_cell *c, int group) {
    int seen = 0, tried[2] = {0};
    for (size_t k = 0; k < c->n; k++) {
        seen += c->samples[k].seen_in;
        tried[c->samples[k].group == group] += c->samples[k].environments;
    }
    return tried[0] && tried[1] && seen > 0 && seen < tried[0] + tried[1];
}

/* Whether there are enough results in the group and in the others. */
static bool has_sides(const struct spread_cell *c, int group) {
    size_t here = 0;
    for (size_t k = 0; k < c->n; k++)
        here += c->samples[k].group == group;
    return here > 0 && here < c->n && c->n >= LEAST_RESULTS;
}

/* ---- all cells ---- */

static int by_chance(const void *x, const void *y) {
    const struct spread_difference *a = x, *b = y;
    return a->chance < b->chance ? -1 : a->chance > b->chance;
}

/* Counts a comparison, and keeps it if it may be significant. */
static void add_comparison(const struct spread *s, struct spread_found *f,
                           const struct spread_difference *d) {
    f->tests++;
    if (d->chance > SPREAD_LEVEL) return;
    f->list = arena_more(s->arena, f->list, (size_t)f->n, sizeof *f->list);
    f->list[f->n++] = *d;
}

/* Holm's method: the k-th smallest p-value must be below the level divided by the number of comparisons from
 * it on. */
static void correct(struct spread_found *f) {
    int kept = 0;
    if (f->n > 0) qsort(f->list, (size_t)f->n, sizeof *f->list, by_chance);
    while (kept < f->n && f->list[kept].chance <= SPREAD_LEVEL / (double)(f->tests - kept))
        kept++;
    f->n = kept;
}

static void compare_cell(const struct spread *s, const struct spread_cell *c, struct spread_found *f) {
    long long before = f->tests;
    for (int g = 0; g < (int)s->ngroups; g++) {
        struct spread_difference d = {.test = c->key[0],
                                      .backend = c->key[2],
                                      .placement = c->key[3],
                                      .access = c->key[4],
                                      .fence = c->key[5],
                                      .compiler = c->key[6],
                                      .group = s->groups[g]};
        if (!has_sides(c, g)) continue;
        if (is_frequent(c)) {
            compare_rates(c, g, &d);
            add_comparison(s, f, &d);
        }
        if (has_environments(c, g)) {
            compare_environments(c, g, &d);
            add_comparison(s, f, &d);
        }
    }
    f->cells += f->tests > before;
}

struct spread_found spread_find(const struct spread *s) {
    struct spread_found f = {.groups = (int)s->ngroups};
    for (size_t k = 0; k < s->n; k++)
        compare_cell(s, s->cells[k], &f);
    correct(&f);
    return f;
}
