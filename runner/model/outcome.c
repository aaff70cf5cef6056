#include "model/outcome.h"

#include <stdlib.h>

#include "base/memory.h"
#include "model/twins.h"

/* What it costs to add an outcome that was not searched. */
enum { EXCHANGE_WORK = 10 };

void outcomes_free(struct outcomes *o) {
    free(o->values);
    free(o->table);
    *o = (struct outcomes){.nobs = o->nobs};
}

static size_t hash(const int32_t *values, int n) {
    uint64_t h = 0x9e3779b97f4a7c15;
    for (int k = 0; k < n; k++) {
        h = (h ^ (uint32_t)values[k]) * 0xff51afd7ed558ccd;
        h ^= h >> 32;
    }
    return (size_t)h;
}

/* The slot where `values` are or belong. */
static size_t find_slot(const struct outcomes *o, const int32_t *values) {
    size_t width = (size_t)o->nobs, slot = hash(values, o->nobs) & (o->slots - 1);
    while (o->table[slot] &&
           (width && memcmp(o->values + (o->table[slot] - 1) * width, values, width * sizeof *values) != 0))
        slot = (slot + 1) & (o->slots - 1);
    return slot;
}

static void grow(struct outcomes *o) {
    size_t width = (size_t)o->nobs;
    o->cap = o->cap ? 2 * o->cap : 16;
    o->slots = 4 * o->cap;
    o->values = memory_resize(o->values, o->cap * (width ? width : 1), sizeof *o->values);
    free(o->table);
    o->table = memory_new(o->slots, sizeof *o->table);
    for (size_t k = 0; k < o->n; k++)
        o->table[find_slot(o, o->values + k * width)] = k + 1;
}

void outcomes_add(struct outcomes *o, const int32_t *values) {
    if (o->n == o->cap) grow(o);
    size_t slot = find_slot(o, values);
    if (o->table[slot]) return;
    if (o->nobs) memcpy(o->values + o->n * (size_t)o->nobs, values, (size_t)o->nobs * sizeof *values);
    o->table[slot] = ++o->n;
}

static bool is_observed(const struct test *t, int thread) {
    for (int o = 0; o < t->nobs; o++)
        if (t->obs[o].is_reg && t->obs[o].thread == thread) return true;
    return false;
}

/* An outcome in which two threads have changed places. */
static void exchange(const struct test *t, int x, int y, const int32_t *from, int32_t *to) {
    for (int o = 0; o < t->nobs; o++) {
        const struct observable *obs = &t->obs[o];
        int other = !obs->is_reg ? -1 : obs->thread == x ? y : obs->thread == y ? x : -1;
        to[o] = from[other < 0 ? o : twins_observable(t, other, obs->reg)];
    }
}

/* Every order of a thread and its twins before it is one of those twins, or the thread itself, last, and an
 * order of the others. */
void outcomes_exchange(struct outcomes *o, const struct test *t, const int *twins,
                       struct search_budget *budget) {
    int32_t values[TEST_MAX_OBS];
    for (int x = 0; x < t->nthreads; x++) {
        if (!is_observed(t, x)) continue;
        size_t n = o->n;
        for (int y = twins[x]; y >= 0; y = twins[y])
            for (size_t k = 0; k < n; k++) {
                if (!budget_pay(budget, EXCHANGE_WORK)) return;
                exchange(t, x, y, o->values + k * (size_t)o->nobs, values);
                outcomes_add(o, values);
            }
    }
}

bool outcome_is_final(const struct search *s, int write) {
    struct dim d = s->eval.dim;
    const uint64_t *co = eval_value(&s->eval, s->plan->orders[ORDER_CO].node);
    return !bits_any(rel_crow(d, co, write), (size_t)d.words);
}

int outcome_address(const struct graph *g, const struct observable *obs) {
    for (int k = 0; k < g->naddresses; k++)
        if (g->addresses[k].loc == obs->loc && g->addresses[k].element == obs->index) return k;
    return -1;
}

/* The outcomes of one candidate: observables are set one after the other, and a location in all its ways. */
struct choice_of_final {
    const struct search *search;
    bool (*f)(const int32_t *values, void *ctx);
    void *ctx;
    int32_t values[TEST_MAX_OBS];
};

static bool choose_finals(struct choice_of_final *c, int o);

static bool choose_final(struct choice_of_final *c, int o, int address) {
    const struct search *s = c->search;
    const struct graph *g = s->graph;
    const struct observable *obs = g->test->obs;
    for (int k = 0; k < o; k++) /* observed twice: the same value */
        if (!obs[k].is_reg && obs[k].loc == obs[o].loc && obs[k].index == obs[o].index) {
            c->values[o] = c->values[k];
            return choose_finals(c, o + 1);
        }
    for (int e = 0; e < g->dim.n; e++) {
        bool write = g->events[e].address == address &&
                     (!g->events[e].event || g->events[e].event->kind == EVENT_WRITE);
        if (!write || (!s->eval.tolerant && !outcome_is_final(s, e))) continue;
        c->values[o] = s->value[e];
        if (!choose_finals(c, o + 1)) return false;
    }
    return true;
}

static bool choose_finals(struct choice_of_final *c, int o) {
    const struct search *s = c->search;
    const struct test *t = s->graph->test;
    for (; o < t->nobs; o++) {
        const struct observable *obs = &t->obs[o];
        if (obs->is_reg) {
            c->values[o] =
                sym_eval(s->graph->paths[obs->thread]->regs[obs->reg], s->read_values[obs->thread]);
            continue;
        }
        int address = outcome_address(s->graph, obs);
        if (address >= 0) return choose_final(c, o, address);
        c->values[o] = t->locs[obs->loc].init;
    }
    return c->f(c->values, c->ctx);
}

bool outcome_each(const struct search *s, bool (*f)(const int32_t *values, void *ctx), void *ctx) {
    struct choice_of_final c = {.search = s, .f = f, .ctx = ctx};
    return choose_finals(&c, 0);
}

static int compare(const void *x, const void *y, void *nobs) {
    const int32_t *a = ((const struct model_outcome *)x)->values,
                  *b = ((const struct model_outcome *)y)->values;
    for (int k = 0; k < *(const int *)nobs; k++)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

void outcomes_report(const struct outcomes *o, const struct test *t, struct arena *a,
                     struct model_result *out) {
    size_t width = (size_t)o->nobs;
    struct model_outcome *list = arena_array(a, o->n, sizeof *list);
    int32_t *values = arena_array(a, o->n * width, sizeof *values);
    if (o->n && width) memcpy(values, o->values, o->n * width * sizeof *values);
    bool all = true;
    out->allowed = false;
    for (size_t k = 0; k < o->n; k++) {
        struct expr_env env = {.obs = values + k * width};
        list[k] = (struct model_outcome){values + k * width, expr_eval(t->cond.prop, &env) != 0};
        out->allowed = out->allowed || list[k].satisfies;
        all = all && list[k].satisfies;
    }
    int nobs = o->nobs;
    qsort_r(list, o->n, sizeof *list, compare, &nobs);
    out->outcomes = list;
    out->noutcomes = (int)o->n;
    out->holds = t->cond.kind == FORALL ? all : t->cond.kind == EXISTS ? out->allowed : !out->allowed;
}
