#include "search/outcome.h"

#include "litmus/view.h"
#include "search/tears.h"
#include "search/twins.h"

/* The work of adding an outcome that was not searched for. */
enum { EXCHANGE_WORK = 10 };

/* outcomes_lack looks up at most so many outcomes of a candidate; if all of these are known, it says that one
 * is lacking. */
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
bool outcomes_exchange(struct histogram *o, const struct test *t, const int *twins, size_t most,
                       struct search_budget *budget) {
    struct value values[TEST_MAX_OBS];
    for (int x = 0; x < t->nthreads; x++) {
        if (!is_observed(t, x)) continue;
        size_t n = o->n;
        for (int y = twins[x]; y >= 0; y = twins[y])
            for (size_t k = 0; k < n; k++) {
                if (!budget_pay(budget, EXCHANGE_WORK)) return true;
                exchange(t, x, y, o->outcomes[k].values, values);
                if (o->n >= most && !histogram_has(o, values)) return false;
                histogram_add(o, values, 1);
            }
    }
    return true;
}

bool outcome_is_final(const struct search *s, int write) {
    struct dim d = s->eval.dim;
    const uint64_t *co = eval_value(&s->eval, s->plan->orders[ORDER_CO].node);
    return !bits_any(rel_crow(d, co, write), (size_t)d.words);
}

struct type outcome_parts(const struct test *t, const struct observable *obs) {
    return obs->is_reg ? obs->type : view_parts(t, obs->loc);
}

int outcome_address(const struct graph *g, const struct observable *obs, int part) {
    int loc = location_root(g->test, obs->loc), element = obs->index, lane;
    view_part(g->test, obs->loc, part, &element, &lane);
    for (int k = 0; k < g->naddresses; k++) {
        const struct address *a = &g->addresses[k];
        if (a->loc == loc && a->element == element && a->lane == lane) return k;
    }
    return -1;
}

/* Goes through the outcomes of one candidate. It sets one observable after the other; a location takes each of its
 * possible final values, part by part. */
struct choice_of_final {
    const struct search *search;
    bool (*f)(const struct value *values, void *ctx);
    void *ctx;
    struct value values[TEST_MAX_OBS];
    int last[EVAL_MAX_EVENTS]; /* address -> the write that is taken to be last, or -1 */
};

static bool choose_finals(struct choice_of_final *c, int o, int part);

/* Whether a write may be the last one of an address, beside those that are taken to be the last of others. */
static bool may_be_last(const struct choice_of_final *c, int write, int address) {
    const struct search *s = c->search;
    const struct graph *g = s->graph;
    bool is_write = g->events[write].address == address &&
                    (!g->events[write].event || g->events[write].event->kind == EVENT_WRITE);
    if (!is_write || (!s->eval.tolerant && !outcome_is_final(s, write))) return false;
    for (int k = 0; k < g->naddresses; k++)
        if (c->last[k] >= 0 && writes_tear(g, write, c->last[k])) return false;
    return true;
}

/* Whether a write with a smaller number may be last as well and has the same value, so that this one gives no
 * other outcome. */
static bool is_repeated(const struct choice_of_final *c, int write, int address) {
    const struct search *s = c->search;
    if (s->graph->test->locs[s->graph->addresses[address].loc].grain)
        return false; /* it may tear with others */
    for (int e = 0; e < write; e++)
        if (s->graph->events[e].address == address && value_equal(s->value[e], s->value[write]) &&
            may_be_last(c, e, address))
            return true;
    return false;
}

/* Lets an address end with each of its possible last writes, and goes on at the next part. The budget is paid
 * after each way, not before, so that there always is a first outcome. */
static bool choose_final(struct choice_of_final *c, int o, int part, int address) {
    const struct search *s = c->search;
    const struct observable *obs = &s->graph->test->obs[o];
    struct type parts = outcome_parts(s->graph->test, obs);
    int before = c->last[address];
    for (int e = 0; e < s->graph->dim.n; e++) {
        if (before >= 0 ? e != before : !may_be_last(c, e, address) || is_repeated(c, e, address)) continue;
        c->last[address] = e;
        c->values[o] = value_set_lane(parts, c->values[o], part, s->value[e]);
        bool goes_on = choose_finals(c, o, part + 1);
        c->last[address] = before;
        if (!goes_on || !budget_pay(s->budget, 1)) return false;
    }
    return true;
}

/* What a location holds that nobody accesses: its initial value. A view holds bytes of the location that it
 * is a view of. */
static struct value untouched(const struct test *t, const struct observable *obs) {
    struct type whole = view_parts(t, location_root(t, obs->loc)), parts = view_parts(t, obs->loc);
    struct value value = {0};
    for (int part = 0; part < parts.lanes; part++) {
        int element = obs->index, lane;
        view_part(t, obs->loc, part, &element, &lane);
        struct value init = location_init(&t->locs[location_root(t, obs->loc)], element);
        value = value_set_lane(parts, value, part, value_lane(whole, init, lane));
    }
    return value;
}

/* Sets the observables from part `part` of observable o on, in all ways. False when `f` stops. */
static bool choose_finals(struct choice_of_final *c, int o, int part) {
    const struct search *s = c->search;
    const struct test *t = s->graph->test;
    for (; o < t->nobs; o++, part = 0) {
        const struct observable *obs = &t->obs[o];
        if (obs->is_reg) {
            c->values[o] =
                sym_eval(s->graph->paths[obs->thread]->regs[obs->reg], s->read_values[obs->thread]);
            continue;
        }
        if (part == 0) c->values[o] = untouched(t, obs);
        for (; part < view_parts(t, obs->loc).lanes; part++) {
            int address = outcome_address(s->graph, obs, part);
            if (address >= 0) return choose_final(c, o, part, address);
        }
    }
    return c->f(c->values, c->ctx);
}

bool outcome_each(const struct search *s, bool (*f)(const struct value *values, void *ctx), void *ctx) {
    struct choice_of_final c; /* large, and seldom needed as a whole */
    c.search = s;
    c.f = f;
    c.ctx = ctx;
    for (int k = 0; k < s->graph->naddresses; k++)
        c.last[k] = -1;
    return choose_finals(&c, 0, 0);
}

/* Whether each write of a location that no other write follows in co, so far, has a known value. */
static bool knows_final(const struct search *s, const struct observable *obs) {
    const struct graph *g = s->graph;
    for (int e = 0; e < g->dim.n; e++) {
        const struct event *event = g->events[e].event;
        if (g->events[e].address < 0 || s->known[e] || (event && event->kind != EVENT_WRITE)) continue;
        for (int part = 0; part < view_parts(g->test, obs->loc).lanes; part++)
            if (outcome_address(g, obs, part) == g->events[e].address && outcome_is_final(s, e)) return false;
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
