#include "model/race.h"

#include <string.h>

#include "cat/remark.h"
#include "litmus/cluster.h"
#include "litmus/copy.h"
#include "model/parts.h"
#include "search/judge.h"
#include "search/outcome.h"

enum {
    RACE_WORK = 50000,        /* that may be done for a cell: some ten milliseconds, */
    MOST_RACE_WORK = 1000000, /* and more for a few executions that are large */
    RACE_OPS = 4096,          /* of a test whose races are looked for */
    RACE_SPOTS = 8192,        /* that are held against each other */
};

const struct model_plan *race_plan(struct arena *a, const struct cat_stmt *cat) {
    const struct model_plan *plan = remark_plan(a, cat, "race", false);
    return plan && plan->naxioms == 1 && plan->nodes[plan->axioms[0].edges].rel ? plan : NULL;
}

struct race_search {
    const struct model *model;
    const struct test *test;
    const struct cell *cell;
    struct arena *arena, *scratch; /* of the races; of one execution */
    struct races *out;
    bool *possible; /* pair of operations, by number -> they may race, and no race of them was found */
    int npossible;  /* how many such pairs there are */
    struct value values[TEST_MAX_OBS];
    long long begun,
        looked; /* in a search for outcomes: the budget at its beginning; the work of race_look */
    bool all;   /* all races were found */
    bool lost;  /* the search for outcomes leaves out what one for races looks at, or takes too long */
};

/* What may race, by the text alone */

/* An access of an operation by a thread; a copy has two. */
struct spot {
    const struct op *op;
    int thread, loc;
    bool write;
    struct strength strength;
};

/* How many accesses an operation has at most: by a tensor map, to any location. */
static int most_of_op(const struct test *t, const struct op *op) {
    return OP_PLACES + (copy_is_by_map(op) ? t->nlocs : 0);
}

static int list_spots(const struct race_search *r, int thread, const struct op *op, struct spot *out) {
    const enum touch *touches = op_kinds[op->kind].touches;
    int n = 0;
    for (; n < OP_PLACES && touches[n]; n++)
        out[n] = (struct spot){op, thread, op->place[n].loc, touches[n] & TOUCH_WRITES,
                               op_place_strength(r->test, r->cell, op, n)};
    int side = copy_is_by_map(op) ? copy_map(op) : -1;
    for (int k = 0; k < r->test->nlocs && side >= 0; k++) {
        if (!copy_map_leads(r->test, op->place[side].loc, k)) continue;
        out[n] = out[side];
        out[n++].loc = k;
    }
    if (side >= 0) out[side].write = false; /* the map */
    return n;
}

/* The location whose bytes a location has. */
static int root_of(const struct test *t, int loc) {
    return t->locs[loc].view ? t->locs[loc].of : loc;
}

static bool may_race(const struct race_search *r, const struct spot *x, const struct spot *y) {
    const struct placement *p = r->cell->placement;
    bool apart = x->thread != y->thread || op_kinds[x->op->kind].engine || op_kinds[y->op->kind].engine;
    if (!apart || root_of(r->test, x->loc) != root_of(r->test, y->loc) || !(x->write || y->write))
        return false;
    const struct thread *threads = r->test->threads;
    const struct location *root = &r->test->locs[root_of(r->test, x->loc)];
    bool own = !cluster_is_afar(x->op) && !cluster_is_afar(y->op);
    if (own && location_first(root, &threads[x->thread]) != location_first(root, &threads[y->thread]))
        return false;
    if (x->loc != y->loc || x->op->proxy != y->op->proxy) return true; /* never strong with each other */
    return !scope_includes(x->strength.scope, p, x->thread, y->thread) ||
           !scope_includes(y->strength.scope, p, y->thread, x->thread);
}

static bool *possible(const struct race_search *r, const struct op *x, const struct op *y) {
    const struct op *low = x->number < y->number ? x : y, *high = low == x ? y : x;
    return &r->possible[low->number * (r->test->nops + 1) + high->number];
}

/* As many accesses as the threads have at most, or RACE_SPOTS. */
static size_t most_spots(const struct test *t) {
    size_t n = 0;
    for (int k = 0; k < t->nthreads; k++)
        for (int op = 1; op <= t->nops && n < RACE_SPOTS; op++)
            n += t->ops[op].body == t->threads[k].body ? (size_t)most_of_op(t, &t->ops[op]) : 0;
    return n;
}

/* The accesses of all threads; -1: they are too many. */
static int list_all_spots(const struct race_search *r, struct spot *spots) {
    const struct test *t = r->test;
    int n = 0;
    for (int k = 0; k < t->nthreads; k++)
        for (int op = 1; op <= t->nops; op++) {
            if (t->ops[op].body != t->threads[k].body) continue;
            if (n > RACE_SPOTS - most_of_op(t, &t->ops[op])) return -1;
            n += list_spots(r, k, &t->ops[op], &spots[n]);
        }
    return n;
}

/* Whether two operations may arrive at one mbarrier, in two phases. */
static bool may_be_early(const struct op *x, const struct op *y) {
    bool arrive = op_kinds[x->kind].mbarrier && op_kinds[y->kind].mbarrier &&
                  op_kinds[x->kind].touches[0] == TOUCH_CHANGES &&
                  op_kinds[y->kind].touches[0] == TOUCH_CHANGES;
    return arrive && x->place[0].loc == y->place[0].loc;
}

static void find_possible_early(struct race_search *r) {
    for (int x = 1; x <= r->test->nops; x++)
        for (int y = 1; y <= x; y++) {
            bool *pair = possible(r, &r->test->ops[x], &r->test->ops[y]);
            if (*pair || !may_be_early(&r->test->ops[x], &r->test->ops[y])) continue;
            *pair = true;
            r->npossible++;
        }
}

static void find_possible(struct race_search *r) {
    struct spot *spots = arena_array(r->arena, most_spots(r->test), sizeof *spots);
    int n = list_all_spots(r, spots), ops = r->test->nops;
    if (n < 0) {
        memset(r->possible, true, (size_t)(ops + 1) * (size_t)(ops + 1) * sizeof *r->possible);
        r->npossible = ops * (ops + 1) / 2;
    }
    for (int x = 0; x < n; x++)
        for (int y = 0; y < x; y++) {
            bool *pair = possible(r, spots[x].op, spots[y].op);
            if (*pair || !may_race(r, &spots[x], &spots[y])) continue;
            *pair = true;
            r->npossible++;
        }
    if (n >= 0) find_possible_early(r);
}

/* What does race, in the allowed executions */

struct wait_search {
    const struct op *op;
    bool found;
};

static bool is_not_op(const struct stmt *s, void *ctx) {
    return !(s->kind == STMT_OP && s->op == ((struct wait_search *)ctx)->op);
}

/* stmt_walk's callback: stops at a loop that has the operation in it and waits for its result. */
static bool is_no_wait(const struct stmt *s, void *ctx) {
    const struct wait_search *w = ctx;
    if (s->kind != STMT_LOOP || !loop_waits_for(s, w->op->dst)) return true;
    return stmt_walk(s->body, is_not_op, ctx);
}

static enum race_risk risk_of(const struct op *op, struct strength s) {
    struct wait_search w = {op, false};
    if (s.order != ORDER_WEAK) return RACE_NONE;
    return op_kinds[op->kind].touches[0] == TOUCH_READS && !stmt_walk(op->body->first, is_no_wait, &w)
               ? RACE_WAITS
               : RACE_WEAK;
}

/* Whether accesses to a location are of another size than the parts that it shares. */
static bool has_own_size(const struct location *l) {
    return l->grain && (l->view || l->grain != type_bytes(l->type));
}

static struct race_access access_of(const struct race_search *r, const struct graph *g, int e) {
    const struct node_event *event = &g->events[e];
    struct text place = {0};
    if (event->address < 0)
        location_print(&place, &r->test->locs[event->event->mbarrier], event->event->element);
    else if (event->event->agent == 0 && has_own_size(&r->test->locs[event->event->stmt->op->place[0].loc]))
        text_add(&place, r->test->locs[event->event->stmt->op->place[0].loc].name);
    else
        address_print(&place, g, event->address);
    struct race_access access = {.thread = event->thread,
                                 .copy = event->event->agent > 0,
                                 .op = event->event->stmt->op,
                                 .pos = event->event->stmt->pos,
                                 .write = event->event->kind != EVENT_READ,
                                 .strength = event->event->strength,
                                 .place = arena_strdup(r->arena, place.s),
                                 .risk = risk_of(event->event->stmt->op, event->event->strength)};
    text_free(&place);
    return access;
}

static void add_race(struct race_search *r, const struct graph *g, int x, int y) {
    struct races *out = r->out;
    struct value *values = arena_array(r->arena, (size_t)r->test->nobs, sizeof *values);
    memcpy(values, r->values, (size_t)r->test->nobs * sizeof *values);
    bool swap = g->events[x].event->stmt->op->number > g->events[y].event->stmt->op->number;
    out->list = arena_grow(r->arena, out->list, (size_t)out->n, (size_t)out->n + 1, sizeof *out->list);
    out->list[out->n++] = (struct race){{access_of(r, g, swap ? y : x), access_of(r, g, swap ? x : y)},
                                        graph_relates(g, GIVEN_MIXED, x, y),
                                        graph_relates(g, GIVEN_NEXT_PHASE, x, y),
                                        values};
}

static bool take_values(const struct value *values, void *ctx) {
    struct race_search *r = ctx;
    memcpy(r->values, values, (size_t)r->test->nobs * sizeof *values);
    return false;
}

static int look_work(const struct search *s) {
    return s->eval.dim.n * s->eval.dim.n / 4;
}

static size_t look_bytes(const struct race_search *r, const struct search *s) {
    return 2 * eval_bytes(r->model->race, s->graph->dim);
}

/* Adds the races of an execution that are not known yet. */
static void look(struct race_search *r, const struct search *s) {
    struct graph g;
    int n = s->eval.dim.n;
    arena_reset(r->scratch);
    struct search here = *s;
    here.arena = r->scratch;
    struct search full = search_retell(&here, r->model->race, &g);
    int node = r->model->race->axioms[0].edges;
    outcome_each(s, take_values, r);
    for (int x = 0; x < n; x++)
        for (int y = 0; y < n; y++) {
            if (!eval_relates(&full.eval, node, x, y) || !g.events[x].event || !g.events[y].event) continue;
            bool *pair = possible(r, g.events[x].event->stmt->op, g.events[y].event->stmt->op);
            if (!*pair) continue;
            *pair = false;
            r->npossible--;
            add_race(r, &g, x, y);
        }
}

/* Stops when there can be no more. */
static bool on_execution(struct search *s, void *ctx) {
    struct race_search *r = ctx;
    if (!budget_pay(s->budget, look_work(s)) || !budget_has_room(s->budget, look_bytes(r, s))) return false;
    look(r, s);
    return r->npossible > 0;
}

static void sort_races(struct races *out) {
    for (int k = 1; k < out->n; k++) {
        struct race race = out->list[k];
        int at = k;
        while (at > 0 && (out->list[at - 1].access[0].op->number > race.access[0].op->number ||
                          (out->list[at - 1].access[0].op->number == race.access[0].op->number &&
                           out->list[at - 1].access[1].op->number > race.access[1].op->number))) {
            out->list[at] = out->list[at - 1];
            at--;
        }
        out->list[at] = race;
    }
}

/* The work that may be done: enough for a few executions of the largest graph. */
static long long work_for(const struct judge *j) {
    int n = 0;
    for (int t = 0; t < j->test->nthreads; t++) {
        int most = 0;
        for (int k = 0; k < j->unfoldings[t].npaths; k++)
            most = j->unfoldings[t].paths[k].nevents > most ? j->unfoldings[t].paths[k].nevents : most;
        n += most;
    }
    long long work = RACE_WORK + 4 * n * search_step_work(dim_of(n));
    return work < MOST_RACE_WORK ? work : MOST_RACE_WORK;
}

struct race_search *race_open(const struct model *m, const struct test *t, const struct cell *cell,
                              struct arena *a, struct races *out) {
    struct race_search *r = arena_alloc(a, sizeof *r);
    *r = (struct race_search){.model = m, .test = t, .cell = cell, .arena = a, .out = out};
    *out = (struct races){.partial = m->race && t->nops > RACE_OPS};
    r->scratch = arena_open();
    if (m->race && !out->partial) {
        r->possible = arena_array(a, (size_t)(t->nops + 1) * (size_t)(t->nops + 1), sizeof *r->possible);
        find_possible(r);
    }
    r->all = r->npossible == 0;
    return r;
}

bool race_close(struct race_search *r) {
    arena_close(r->scratch);
    sort_races(r->out);
    return r->all;
}

void race_begin(struct race_search *r, const struct judge *j) {
    r->begun = j->budget.left;
    r->lost = false;
    for (int t = 0; t < j->test->nthreads; t++)
        r->lost = r->lost || j->twins[t] >= 0;
}

/* Whether no more work was done than a search for races alone may do. */
static bool is_little(const struct race_search *r, const struct search_budget *b) {
    return r->begun - b->left + r->looked <= RACE_WORK;
}

void race_look(struct race_search *r, const struct search *s) {
    struct search_budget room = {0};
    if (r->all || r->lost) return;
    r->looked += look_work(s);
    r->lost = s->wanted || !is_little(r, s->budget) || !budget_has_room(&room, look_bytes(r, s));
    if (!r->lost) look(r, s);
    r->all = r->npossible == 0;
}

void race_end(struct race_search *r, const struct judge *j) {
    const struct search_budget *b = &j->budget;
    bool whole = !b->spent && !b->uncounted && !j->stopped;
    r->all = r->all || (!r->lost && whole && is_little(r, b));
}

bool model_races(const struct model *m, const struct test *t, const struct cell *cell,
                 const struct model_limits *limits, struct arena *a, struct races *out, struct diag *d) {
    struct model_limits some = model_limits_begin(limits);
    struct race_search *r = race_open(m, t, cell, a, out);
    struct judge j;
    if (r->all) return race_close(r);
    some.unroll = model_unroll(m, t, cell, &some);
    bool ok = judge_open(&j, m->plan, t, cell, &some, d);
    if (ok && j.budget.left > work_for(&j)) j.budget.left = work_for(&j);
    j.leaf = on_execution;
    j.ctx = r;
    if (ok) judge_find_twins(&j, false);
    if (ok) judge_complete(&j);
    out->partial = j.budget.spent && r->npossible > 0;
    judge_close(&j);
    race_close(r);
    return ok;
}
