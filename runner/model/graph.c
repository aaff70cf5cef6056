#include "model/graph.h"

/* Events */

static int find_address(struct graph *g, int loc, int element) {
    for (int k = 0; k < g->naddresses; k++)
        if (g->addresses[k].loc == loc && g->addresses[k].element == element) return k;
    g->addresses[g->naddresses] = (struct address){loc, element};
    return g->naddresses++;
}

static int count_events(const struct test *t, const struct path *const *paths) {
    int n = 0;
    for (int k = 0; k < t->nthreads; k++)
        n += paths[k]->nevents;
    return n;
}

static void add_thread(struct graph *g, int thread, int *n) {
    const struct path *p = g->paths[thread];
    g->first[thread] = *n;
    for (int k = 0; k < p->nevents; k++, ++*n) {
        const struct event *e = &p->events[k];
        int address = e->loc < 0 ? -1 : find_address(g, e->loc, e->element);
        g->events[*n] = (struct node_event){e, thread, address, -1};
    }
}

struct graph *graph_build(const struct test *t, const struct cell *v, const struct path *const *paths,
                          struct arena *a) {
    int count = count_events(t, paths);
    if (count > GRAPH_MAX_EVENTS) return NULL;
    struct graph *g = arena_alloc(a, sizeof *g);
    g->test = t;
    g->cell = v;
    g->paths = paths;
    g->first = arena_array(a, (size_t)t->nthreads + 1, sizeof *g->first);
    g->events = arena_array(a, 2 * (size_t)count, sizeof *g->events);
    g->addresses = arena_array(a, (size_t)count, sizeof *g->addresses);
    for (int k = 0; k < t->nthreads; k++) /* all addresses, before any event has its number */
        for (int e = 0; e < paths[k]->nevents; e++)
            if (paths[k]->events[e].loc >= 0)
                find_address(g, paths[k]->events[e].loc, paths[k]->events[e].element);
    int n = g->naddresses;
    for (int k = 0; k < n; k++)
        g->events[k] = (struct node_event){NULL, -1, k, -1};
    for (int k = 0; k < t->nthreads; k++)
        add_thread(g, k, &n);
    g->first[t->nthreads] = n;
    g->dim = dim_of(n);
    return n > GRAPH_MAX_EVENTS ? NULL : g;
}

/* Sets */

static enum event_kind kind_of(const struct node_event *e) {
    return e->event ? e->event->kind : EVENT_INIT;
}

static bool is_access(const struct node_event *e) {
    return e->address >= 0;
}

static bool has_scope(const struct node_event *e, enum scope s) {
    enum event_kind kind = kind_of(e);
    return (kind == EVENT_READ || kind == EVENT_WRITE || kind == EVENT_FENCE) &&
           e->event->strength.scope == s;
}

static bool has_order(const struct node_event *e, enum event_kind kind, enum order order) {
    return kind_of(e) == kind && e->event->strength.order == order;
}

static bool is_weak(const struct node_event *e) {
    return is_access(e) && e->event && e->event->strength.order == ORDER_WEAK;
}

/* An acquire read: acquire, or of an operation that is both. */
static bool is_ordered(const struct node_event *e, enum event_kind kind, enum order order) {
    return has_order(e, kind, order) || has_order(e, kind, ORDER_ACQ_REL) || has_order(e, kind, ORDER_SC);
}

static bool is_in(const struct graph *g, enum given set, const struct node_event *e) {
    enum event_kind kind = kind_of(e);
    switch (set) {
    case GIVEN_READ: return kind == EVENT_READ;
    case GIVEN_WRITE: return kind == EVENT_WRITE || kind == EVENT_INIT;
    case GIVEN_MEMORY: return is_access(e);
    case GIVEN_FENCE: return kind == EVENT_FENCE;
    case GIVEN_INITIAL: return kind == EVENT_INIT;
    case GIVEN_BARRIER: return kind == EVENT_ARRIVE || kind == EVENT_WAIT;
    case GIVEN_ATOMIC: return is_access(e) && e->event && e->event->stmt->op.kind == OP_RMW;
    case GIVEN_HOST: return e->thread >= 0 && g->cell->placement->seats[e->thread].host;
    case GIVEN_WEAK: return is_weak(e);
    case GIVEN_STRONG: return kind == EVENT_FENCE || (is_access(e) && e->event && !is_weak(e));
    case GIVEN_ACQUIRE: return is_ordered(e, EVENT_READ, ORDER_ACQUIRE);
    case GIVEN_RELEASE: return is_ordered(e, EVENT_WRITE, ORDER_RELEASE);
    case GIVEN_SC: return has_order(e, EVENT_FENCE, ORDER_SC);
    case GIVEN_CTA: return has_scope(e, SCOPE_CTA);
    case GIVEN_CLUSTER: return has_scope(e, SCOPE_CLUSTER);
    case GIVEN_GPU: return has_scope(e, SCOPE_GPU);
    case GIVEN_SYS: return has_scope(e, SCOPE_SYS);
    default: return false;
    }
}

/* Relations */

static bool same_id(int x, int y) {
    return x >= 0 && x == y;
}

/* Whether the scope of an event in thread `from` includes thread `to`. A thread's own scope always does. */
static bool scope_includes(const struct graph *g, enum scope scope, int from, int to) {
    const struct seat *x = &g->cell->placement->seats[from], *y = &g->cell->placement->seats[to];
    if (from == to) return scope != SCOPE_NONE;
    switch (scope) {
    case SCOPE_NONE: return false;
    case SCOPE_CTA: return same_id(x->block, y->block);
    case SCOPE_CLUSTER: return same_id(x->cluster, y->cluster);
    case SCOPE_GPU: return same_id(x->gpu, y->gpu);
    case SCOPE_SYS: return true;
    }
    return false;
}

static bool in_reads(const struct reads *r, const struct node_event *read) {
    return read->event->read >= 0 && set_has(r->bits, read->event->read);
}

/* Relations between events of threads. */
static bool relates_threads(const struct graph *g, enum given rel, const struct node_event *x,
                            const struct node_event *y) {
    const struct seat *seats = g->cell->placement->seats;
    const struct seat *sx = &seats[x->thread], *sy = &seats[y->thread];
    bool same = x->thread == y->thread;
    switch (rel) {
    case GIVEN_PO: return same && x < y;
    case GIVEN_INT: return same;
    case GIVEN_EXT: return !same;
    case GIVEN_RMW:
        return same && x < y && x->event->rmw >= 0 && g->paths[x->thread]->events + x->event->rmw == y->event;
    case GIVEN_ADDR: return same && x < y && in_reads(&y->event->addr, x);
    case GIVEN_DATA: return same && x < y && in_reads(&y->event->data, x);
    case GIVEN_CTRL: return same && x < y && in_reads(&y->event->ctrl, x);
    case GIVEN_BAR:
        return x->barrier >= 0 && x->barrier == y->barrier && kind_of(x) == EVENT_ARRIVE &&
               kind_of(y) == EVENT_WAIT;
    case GIVEN_SCOPED:
        return kind_of(x) != EVENT_ARRIVE && kind_of(x) != EVENT_WAIT &&
               scope_includes(g, x->event->strength.scope, x->thread, y->thread);
    case GIVEN_SAME_WARP: return same || same_id(sx->warp, sy->warp);
    case GIVEN_SAME_CTA: return same || same_id(sx->block, sy->block);
    case GIVEN_SAME_CLUSTER: return same || same_id(sx->cluster, sy->cluster);
    case GIVEN_SAME_GPU: return same || same_id(sx->gpu, sy->gpu);
    default: return false;
    }
}

static bool relates(const struct graph *g, enum given rel, const struct node_event *x,
                    const struct node_event *y) {
    if (rel == GIVEN_ID) return x == y;
    if (rel == GIVEN_LOC) return is_access(x) && x->address == y->address;
    if (x->thread >= 0 && y->thread >= 0) return relates_threads(g, rel, x, y);
    return rel == GIVEN_EXT && x != y;
}

static bool is_set(enum given given) {
    return given <= GIVEN_SYS;
}

static uint64_t *compute(const struct graph *g, enum given given, struct arena *a) {
    struct dim d = g->dim;
    uint64_t *bits = arena_array(a, is_set(given) ? (size_t)d.words : dim_rel(d), sizeof *bits);
    for (int x = 0; x < d.n; x++) {
        if (is_set(given)) {
            if (is_in(g, given, &g->events[x])) set_add(bits, x);
            continue;
        }
        for (int y = 0; y < d.n; y++)
            if (relates(g, given, &g->events[x], &g->events[y])) rel_add(d, bits, x, y);
    }
    return bits;
}

void graph_relate(struct graph *g, const struct model_plan *plan, struct arena *a) {
    memset(g->given, 0, sizeof g->given);
    for (int k = 0; k < plan->nnodes; k++) {
        const struct plan_node *n = &plan->nodes[k];
        if (n->op == NODE_GIVEN && !g->given[n->index])
            g->given[n->index] = compute(g, (enum given)n->index, a);
    }
}
