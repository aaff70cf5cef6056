#include "search/twins.h"

#include "logic/rel.h"

enum { SEATS_A_UNIT = 64, EVENTS_A_UNIT = 32 /* that are compared in the time of one unit of work */ };

/* Seats */

static bool same_id(int x, int y) {
    return x >= 0 && x == y;
}

/* Whether two seats share the same with a third: its GPU, cluster, block and warp. */
static bool seem_alike(const struct seat *x, const struct seat *y, const struct seat *from) {
    return same_id(x->gpu, from->gpu) == same_id(y->gpu, from->gpu) &&
           same_id(x->cluster, from->cluster) == same_id(y->cluster, from->cluster) &&
           same_id(x->block, from->block) == same_id(y->block, from->block) &&
           same_id(x->warp, from->warp) == same_id(y->warp, from->warp);
}

static bool sit_alike(const struct test *t, const struct seat *seats, int x, int y) {
    if (seats[x].host != seats[y].host || seats[x].kernel != seats[y].kernel) return false;
    for (int k = 0; k < t->nthreads; k++)
        if (k != x && k != y && !seem_alike(&seats[x], &seats[y], &seats[k])) return false;
    return true;
}

/* What the threads do */

static bool same_reads(const struct reads *x, const struct reads *y) {
    return bits_equal(x->bits, y->bits, MAX_READS / 64);
}

static bool same_written(const struct written *x, const struct written *y) {
    return !x || (same_reads(&x->addr, &y->addr) && same_reads(&x->data, &y->data) &&
                  same_reads(&x->ctrl, &y->ctrl));
}

static bool same_event(const struct event *x, const struct event *y) {
    return x->kind == y->kind && x->stmt == y->stmt && x->element == y->element && x->lane == y->lane &&
           x->rmw == y->rmw && x->group == y->group && x->from == y->from && x->lanes == y->lanes &&
           sym_same(x->value, y->value) && same_reads(&x->addr, &y->addr) && same_reads(&x->data, &y->data) &&
           same_reads(&x->ctrl, &y->ctrl) && same_written(x->written, y->written);
}

static bool same_path(const struct path *x, const struct path *y) {
    if (x->end != y->end || x->nevents != y->nevents || x->nguards != y->nguards || x->stmt != y->stmt ||
        !sym_same(x->index, y->index))
        return false;
    for (int k = 0; k < x->nevents; k++)
        if (!same_event(&x->events[k], &y->events[k])) return false;
    for (int k = 0; k < x->nguards; k++)
        if (x->guards[k].holds != y->guards[k].holds || !sym_same(x->guards[k].sym, y->guards[k].sym))
            return false;
    return true;
}

static bool same_registers(const struct test *t, int thread, const struct path *x, const struct path *y) {
    for (int o = 0; o < t->nobs; o++)
        if (t->obs[o].is_reg && t->obs[o].thread == thread &&
            !sym_same(x->regs[t->obs[o].reg], y->regs[t->obs[o].reg]))
            return false;
    return true;
}

static bool do_the_same(const struct test *t, int thread, const struct unfolding *x,
                        const struct unfolding *y, struct search_budget *budget) {
    if (x->npaths != y->npaths) return false;
    for (int k = 0; k < x->npaths; k++)
        if (!budget_wait(budget, 1 + x->paths[k].nevents / EVENTS_A_UNIT) ||
            !same_path(&x->paths[k], &y->paths[k]) || !same_registers(t, thread, &x->paths[k], &y->paths[k]))
            return false;
    return true;
}

int twins_observable(const struct test *t, int thread, int reg) {
    for (int o = 0; o < t->nobs; o++)
        if (t->obs[o].is_reg && t->obs[o].thread == thread && t->obs[o].reg == reg) return o;
    return -1;
}

/* sit_alike looks at all other threads. */
static bool pay_for_two(const struct test *t, struct search_budget *budget) {
    return budget_wait(budget, 1 + t->nthreads / SEATS_A_UNIT);
}

/* Whether the same registers of two copies are observed. Without `observed`, none may be. */
static bool are_observed_alike(const struct test *t, int x, int y, bool observed) {
    for (int o = 0; o < t->nobs; o++) {
        const struct observable *obs = &t->obs[o];
        if (!obs->is_reg || (obs->thread != x && obs->thread != y)) continue;
        if (!observed || twins_observable(t, obs->thread == x ? y : x, obs->reg) < 0) return false;
    }
    return true;
}

int *twins_find(const struct test *t, const struct cell *cell, struct unfolding *unfoldings, bool observed,
                struct search_budget *budget, struct arena *a) {
    int *twins = arena_array(a, (size_t)t->nthreads, sizeof *twins);
    for (int x = 0; x < t->nthreads; x++) {
        int y = x - 1;
        while (y >= 0 && pay_for_two(t, budget) &&
               !(t->threads[x].body == t->threads[y].body && sit_alike(t, cell->placement->seats, x, y) &&
                 are_observed_alike(t, x, y, observed) &&
                 do_the_same(t, x, &unfoldings[x], &unfoldings[y], budget)))
            y--;
        if (budget->spent) y = -1;
        twins[x] = y;
        if (y >= 0) unfoldings[x] = unfoldings[y];
    }
    return twins;
}

int twins_count(const int *twins, const struct path *const *paths, int thread, bool all) {
    int n = 0;
    for (int t = thread; t >= 0; t = twins[t])
        n += all || paths[t] == paths[thread];
    return n;
}
