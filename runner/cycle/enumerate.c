#include "cycle/cycle.h"

struct enumeration {
    const struct cycle_space *space;
    struct cycle cycle; /* the edges so far */
    bool to_write;      /* its last edge leads to a write */
    int threads;        /* the number of its external edges */
    bool (*visit)(const struct cycle *c, void *ctx);
    void *ctx;
    int size; /* accesses of the cycles that are made now */
    bool stopped;
};

static void finish(struct enumeration *n) {
    struct cycle_plan plan;
    const char *why;
    struct cycle canonical = cycle_canonical(&n->cycle);
    if (n->to_write != n->cycle.edges[0].write || cycle_compare(&canonical, &n->cycle) != 0) return;
    if (cycle_plan(&n->cycle, &plan, &why) && !n->visit(&n->cycle, n->ctx)) n->stopped = true;
}

/* Whether `next` may follow `last` in a critical cycle. Two communications may if no single one stands for
 * both: co; rf and fr; rf. */
static bool may_follow(const struct cycle_edge *last, const struct cycle_edge *next) {
    bool from = cycle_is_communication(last->kind), to = cycle_is_communication(next->kind);
    if (from && to) return next->kind == CYCLE_RF;
    return from || to;
}

/* Whether a cycle that begins so can be canonical: no later thread may begin with a smaller edge. */
static bool may_be_first(const struct cycle *c) {
    for (int k = 1; k < c->n; k++)
        for (int i = 0, order = !c->edges[k - 1].external; k + i < c->n && order == 0; i++) {
            order = cycle_compare_edges(&c->edges[k + i], &c->edges[i]);
            if (order < 0) return false;
        }
    return true;
}

/* Whether an edge fits the others: program order of one location must be the only program order of the cycle.
 * Else two chains of communication would access that location, and a test could not show their order. */
static bool may_stand_beside(const struct cycle *c, const struct cycle_edge *e) {
    bool other = false, same = e->same;
    for (int k = 0; k < c->n && !cycle_is_communication(e->kind); k++) {
        if (cycle_is_communication(c->edges[k].kind)) continue;
        other = true;
        same |= c->edges[k].same;
    }
    return !other || !same;
}

static void extend(struct enumeration *n);

/* Adds an edge that leaves a write or a read, with each order and scope that this access can have. */
static void add(struct enumeration *n, struct cycle_edge e, bool to_write) {
    struct cycle *c = &n->cycle;
    bool closes = c->n + 1 == n->size, before = n->to_write;
    if (c->n > 0 && (e.write != n->to_write || !may_follow(&c->edges[c->n - 1], &e))) return;
    if (closes && (!e.external || !may_follow(&e, &c->edges[0]))) return;
    if (n->threads + e.external > n->space->threads || !may_stand_beside(c, &e)) return;
    for (int k = 0; k < n->space->nstrengths && !n->stopped; k++) {
        const struct cycle_edge *s = &n->space->strengths[k];
        if (s->write != e.write) continue;
        e.access = s->access;
        e.access_scope = s->access_scope;
        c->edges[c->n++] = e;
        n->to_write = to_write;
        n->threads += e.external;
        if (may_be_first(c)) extend(n);
        n->threads -= e.external;
        n->to_write = before;
        c->n--;
    }
}

static void add_communication(struct enumeration *n, struct cycle_edge e) {
    e.write = e.kind != CYCLE_FR;
    add(n, e, e.kind != CYCLE_RF);
}

static void add_within(struct enumeration *n, struct cycle_edge e) {
    bool dependency = e.kind >= CYCLE_DATA && e.kind <= CYCLE_CTRL;
    if (cycle_is_communication(e.kind)) {
        add_communication(n, e);
        return;
    }
    for (int from = dependency ? 0 : 1; from >= 0; from--)
        for (int to = 1; to >= (e.kind == CYCLE_DATA); to--) {
            e.write = from;
            add(n, e, to);
        }
}

static void extend(struct enumeration *n) {
    static const enum cycle_kind communication[] = {CYCLE_RF, CYCLE_CO, CYCLE_FR};
    if (n->cycle.n == n->size) {
        finish(n);
        return;
    }
    for (int k = 0; k < n->space->nedges && !n->stopped; k++)
        add_within(n, n->space->edges[k]);
    for (int k = 0; k < 3 && !n->stopped; k++)
        add_communication(n, (struct cycle_edge){.kind = communication[k], .external = true});
}

void cycle_enumerate(const struct cycle_space *s, bool (*visit)(const struct cycle *c, void *ctx),
                     void *ctx) {
    struct enumeration n = {.space = s, .visit = visit, .ctx = ctx};
    for (n.size = 2; n.size <= s->accesses && !n.stopped; n.size++)
        extend(&n);
}
