#include "model/outcome.h"

#include "model/twins.h"

/* The work of adding an outcome that was not searched for. */
enum { EXCHANGE_WORK = 10 };

/* If a candidate can still grow into at most so many outcomes, they are looked up. */
enum { MAX_FINALS = 64 };
static bool is_observed(const struct test *t, int thread) {
    for (int o = 0; o < t->nobs; o++)
        if (t->obs[o].is_reg && t->obs[o].thread == thread) return true;
    return false;
}

/* Makes the outcome in which two threads have changed places. */
static void exchange(const struct test *t, int x, int y, const struct value *from, struct value *to) {
    for (int o = 0; o < t->nobs; o++) {
        const struct observable *obs = &t->obs[o];
        int other = !obs->is_reg ? -1 : obs->thread == x ? y : obs->thread == y ? x : -1;
        to[o] = from[other < 0 ? o : twins_observable(t, other, obs->reg)];
    }
}

/* Adds the outcomes for every order of the twins. An order of a thread and the twins before it is made of two choices:
 * who of them is last, and an order of the others. */
void outcomes_exchange(struct histogram *o, const struct test *t, const int *twins,
                       struct search_budget *budget) {
    struct value values[TEST_MAX_OBS];
    for (int x = 0; x < t->nthreads; x++) {
        if (!is_observed(t, x)) continue;
        size_t n = o->n;
        for (int y = twins[x]; y >= 0; y = twins[y])
            for (size_t k = 0; k < n; k++) {
                if (!budget_pay(budget, EXCHANGE_WORK)) return;
                exchange(t, x, y, o->outcomes[k].values, values);
                histogram_add(o, values, 1);
            }
    }
}

bool outcome_is_final(const struct search *s, int write) {
    struct dim d = s->eval.dim;
    const uint64_t *co = eval_value(&s->eval, s->plan->orders[ORDER_CO].node);
    return !bits_any(rel_crow(d, co, write), (size_t)d.words);
}

int outcome_address(const struct graph *g, const struct observable *obs, int lane) {
    for (int k = 0; k < g->naddresses; k++) {
        const struct address *a = &g->addresses[k];
        if (a->loc == obs->loc && a->element == obs->index && a->lane == lane) return k;
    }
    return -1;
}

/* Goes through the outcomes of one candidate. It sets one observable after the other; a location takes each of its
 * possible final values, lane by lane. */
struct choice_of_final {
    const struct search *search;
    bool (*f)(const struct value *values, void *ctx);
    void *ctx;
    struct value values[TEST_MAX_OBS];
};

static bool choose_finals(struct choice_of_final *c, int o, int lane);

static bool choose_final(struct choice_of_final *c, int o, int lane, int address) {
    const struct search *s = c->search;
    const struct graph *g = s->graph;
    struct type type = g->test->obs[o].type;
    for (int e = 0; e < g->dim.n; e++) {
        bool write = g->events[e].address == address &&
                     (!g->events[e].event || g->events[e].event->kind == EVENT_WRITE);
        if (!write || (!s->eval.tolerant && !outcome_is_final(s, e))) continue;
        c->values[o] = value_set_lane(type, c->values[o], lane, s->value[e]);
        if (!choose_finals(c, o, lane + 1)) return false;
    }
    return true;
}

/* An earlier observable of the same location, or -1. */
static int find_before(const struct observable *obs, int o) {
    int k = o - 1;
    while (k >= 0 && (obs[k].is_reg || obs[k].loc != obs[o].loc || obs[k].index != obs[o].index))
        k--;
    return k;
}

/* Goes on at a lane of observable o. */
static bool choose_finals(struct choice_of_final *c, int o, int lane) {
    const struct search *s = c->search;
    const struct test *t = s->graph->test;
    for (; o < t->nobs; o++, lane = 0) {
        const struct observable *obs = &t->obs[o];
        if (obs->is_reg) {
            c->values[o] =
                sym_eval(s->graph->paths[obs->thread]->regs[obs->reg], s->read_values[obs->thread]);
            continue;
        }
        int before = find_before(t->obs, o);
        if (lane == 0)
            c->values[o] = before >= 0 ? c->values[before] : location_init(&t->locs[obs->loc], obs->index);
        for (; before < 0 && lane < obs->type.lanes; lane++) {
            int address = outcome_address(s->graph, obs, lane);
            if (address >= 0) return choose_final(c, o, lane, address);
        }
    }
    return c->f(c->values, c->ctx);
}

bool outcome_each(const struct search *s, bool (*f)(const struct value *values, void *ctx), void *ctx) {
    struct choice_of_final c = {.search = s, .f = f, .ctx = ctx};
    return choose_finals(&c, 0, 0);
}

/* Whether all values that a location may still end with are known. */
static bool knows_final(const struct search *s, const struct observable *obs) {
    const struct graph *g = s->graph;
    for (int e = 0; e < g->dim.n; e++) {
        const struct event *event = g->events[e].event;
        if (g->events[e].address < 0 || s->known[e] || (event && event->kind != EVENT_WRITE)) continue;
        const struct address *a = &g->addresses[g->events[e].address];
        if (a->loc == obs->loc && a->element == obs->index && outcome_is_final(s, e)) return false;
    }
    return true;
}

struct lack {
    const struct histogram *outcomes;
    int looked_at;
};

static bool is_known(const struct value *values, void *ctx) {
    struct lack *l = ctx;
    return histogram_has(l->outcomes, values) && ++l->looked_at < MAX_FINALS;
}

bool outcomes_lack(const struct histogram *o, const struct search *s) {
    const struct test *t = s->graph->test;
    struct lack l = {o, 0};
    for (int k = 0; k < t->nobs; k++) {
        const struct observable *obs = &t->obs[k];
        if (obs->is_reg ? !search_knows(s, obs->thread, &s->graph->paths[obs->thread]->regs[obs->reg]->reads)
                        : !knows_final(s, obs))
            return true;
    }
    return !outcome_each(s, is_known, &l);
}

void outcomes_report(struct histogram *o, const struct test *t, struct arena *a, struct model_result *out) {
    struct model_outcome *list = arena_array(a, o->n, sizeof *list);
    size_t bytes = (size_t)o->nobs * sizeof(struct value);
    bool all = true;
    histogram_sort(o, t->obs);
    out->allowed = false;
    for (size_t k = 0; k < o->n; k++) {
        struct value *values = arena_alloc(a, bytes);
        if (bytes) memcpy(values, o->outcomes[k].values, bytes);
        list[k] =
            (struct model_outcome){values, expr_is_true(t->cond.prop, &(struct expr_env){.obs = values})};
        out->allowed = out->allowed || list[k].satisfies;
        all = all && list[k].satisfies;
    }
    out->outcomes = list;
    out->noutcomes = (int)o->n;
    out->holds = t->cond.kind == FORALL ? all : t->cond.kind == EXISTS ? out->allowed : !out->allowed;
}
