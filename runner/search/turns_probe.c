#include "search/turns.h"

#include "search/search.h"

enum {
    MAX_KINDS = 4,              /* of accesses of a thread */
    PROBED = 4 * MAX_KINDS + 2, /* events of a probed thread */
};

/* The accesses of a counter by a thread, one of each kind: the read of an atomic operation, a read, or a
 * write. Accesses of a kind have the same strength, proxy and address. */
struct turn_kinds {
    const struct event *list[MAX_KINDS];
    int n;
};

static bool is_of_kind(const struct event *e, const struct event *kind) {
    return e->kind == kind->kind && (e->rmw >= 0) == (kind->rmw >= 0) &&
           e->strength.order == kind->strength.order && e->strength.scope == kind->strength.scope &&
           e->stmt->op->red == kind->stmt->op->red && e->proxy == kind->proxy && e->va == kind->va;
}

static bool add_kind(struct turn_kinds *kinds, const struct event *e) {
    for (int k = 0; k < kinds->n; k++)
        if (is_of_kind(e, kinds->list[k])) return true;
    if (kinds->n == MAX_KINDS) return false;
    kinds->list[kinds->n++] = e;
    return true;
}

/* Finds the kinds. False when there are too many, or an access is by an engine or one of several parts. */
static bool find_kinds(const struct unfolding *u, const struct counter *c, struct turn_kinds *kinds) {
    *kinds = (struct turn_kinds){.n = 0};
    for (int p = 0; p < u->npaths; p++)
        for (int k = 0; k < u->paths[p].nevents; k++) {
            const struct event *e = &u->paths[p].events[k];
            if (!counter_has(c, e)) continue;
            if (e->agent > 0 || e->parts > 1 || (!counter_is_half(e) && !add_kind(kinds, e))) return false;
        }
    return true;
}

/* Adds an event like an access of the test, without its dependencies. A write writes its place in the path. */
static void add_probed(struct path *p, const struct event *like, enum event_kind kind, struct arena *a) {
    struct event *e = &p->events[p->nevents];
    *e = *like;
    e->addr = e->data = e->ctrl = (struct reads){{0}};
    e->written = NULL;
    e->step = p->nevents++;
    e->kind = kind;
    e->rmw = -1;
    e->read = kind == EVENT_READ ? p->nreads++ : -1;
    e->value = kind == EVENT_WRITE ? sym_int(a, type_int, p->nevents) : NULL;
}

/* Adds a read to a thread that only writes, so that it is seen in which order the writes of two threads come. */
static void add_look(struct path *p, const struct turn_kinds *kinds, struct arena *a) {
    for (int k = 0; k < kinds->n; k++)
        if (kinds->list[k]->kind == EVENT_READ) return;
    add_probed(p, kinds->list[0], EVENT_READ, a);
    struct event *look = &p->events[p->nevents - 1];
    if (look->strength.order == ORDER_RELEASE) look->strength.order = ORDER_RELAXED;
}

static void add_operation(struct path *p, const struct event *kind, struct arena *a) {
    int first = p->nevents;
    add_probed(p, kind, kind->kind, a);
    if (kind->rmw < 0) return;
    add_probed(p, kind, EVENT_WRITE, a);
    p->events[first].rmw = first + 1;
    p->events[first + 1].rmw = first;
}

/* Makes a path of one access of each kind, and then one of each again. Without kinds, the path is empty. */
static void make_probe(struct path *p, const struct turn_kinds *kinds, struct arena *a) {
    *p = (struct path){.end = PATH_DONE, .events = arena_array(a, PROBED, sizeof *p->events)};
    for (int turn = 0; turn < 2 && kinds; turn++) {
        for (int k = 0; k < kinds->n; k++)
            add_operation(p, kinds->list[k], a);
        add_look(p, kinds, a);
    }
}

/* Whether the accesses of two threads, from events x and y on, have an order in which each reads from the
 * write before it; `left` is the last write before them. */
static bool can_follow(const struct search *s, int x, int xend, int y, int yend, int left) {
    const struct node_event *events = s->graph->events;
    if (x == xend && y == yend) return true;
    for (int turn = 0; turn < 2; turn++) {
        int e = turn ? y : x, end = turn ? yend : xend;
        if (e == end) continue;
        bool reads = events[e].event->kind == EVENT_READ, both = events[e].event->rmw >= 0;
        if (reads && s->source[e] != left) continue;
        int next = e + 1 + both, now = both ? e + 1 : reads ? left : e;
        if (turn ? can_follow(s, x, xend, next, yend, now) : can_follow(s, next, xend, y, yend, now))
            return true;
    }
    return false;
}

/* The threads that are probed. */
struct turn_probe {
    int x, y;
    bool take_turns;
};

/* The leaf: stops when the accesses of an allowed execution do not take turns. */
static bool on_probe(struct search *s, void *ctx) {
    struct turn_probe *probe = ctx;
    const int *first = s->graph->first;
    probe->take_turns =
        can_follow(s, first[probe->x], first[probe->x + 1], first[probe->y], first[probe->y + 1], 0);
    return probe->take_turns;
}

/* The probes about which the model was asked. */
struct turns_asked {
    const struct graph *graph;
    struct turns_asked *next;
};

/* The probe of two threads. */
static struct graph *build_probe(const struct test *t, const struct cell *cell, const struct model_plan *plan,
                                 int x, int y, const struct turn_kinds *kinds, struct arena *a) {
    const struct path **paths = arena_array(a, (size_t)t->nthreads, sizeof *paths);
    for (int k = 0; k < t->nthreads; k++) {
        struct path *p = arena_alloc(a, sizeof *p);
        make_probe(p, k == x || k == y ? &kinds[k] : NULL, a);
        paths[k] = p;
    }
    struct graph *g = graph_build(t, cell, paths, a);
    graph_relate(g, plan, a);
    return g;
}

/* Whether the model gives the same answer to two probes of a counter: their events are the same, and in the
 * same sets and relations. They also write the same values, their places in the paths. */
static bool is_same_probe(const struct graph *x, const struct graph *y) {
    if (!graph_is_like(x, y)) return false;
    for (int e = 0; e < x->dim.n; e++) {
        const struct event *a = x->events[e].event, *b = y->events[e].event;
        if (!a != !b || (a && (a->kind != b->kind || a->rmw != b->rmw || a->step != b->step))) return false;
    }
    return true;
}

static bool was_asked(const struct turns_asked *asked, const struct graph *g) {
    for (; asked; asked = asked->next)
        if (is_same_probe(asked->graph, g)) return true;
    return false;
}

/* Whether the accesses of threads x and y take turns in all executions of a probe that the model allows. */
static bool take_turns(struct graph *g, const struct model_plan *plan, int x, int y,
                       struct search_budget *budget) {
    struct arena *a = arena_open();
    struct turn_probe probe = {x, y, true};
    struct search s = {.graph = g, .plan = plan, .arena = a, .budget = budget, .weight = 1};
    s.leaf = on_probe;
    s.ctx = &probe;
    search_run(&s);
    arena_close(a);
    return probe.take_turns && !budget->spent;
}

/* The same of each two threads. Of pairs whose probes are alike, the model is asked once. */
static bool all_take_turns(const struct test *t, const struct cell *cell, const struct model_plan *plan,
                           const struct turn_kinds *kinds, const int *takers, int ntakers,
                           struct search_budget *budget) {
    struct arena *a = arena_open();
    struct turns_asked *asked = NULL;
    bool all = true;
    for (int x = 0; x < ntakers && all; x++)
        for (int y = 0; y < x && all; y++) {
            struct graph *g = build_probe(t, cell, plan, takers[y], takers[x], kinds, a);
            if (was_asked(asked, g)) continue;
            all = take_turns(g, plan, takers[y], takers[x], budget);
            struct turns_asked *now = arena_alloc(a, sizeof *now);
            *now = (struct turns_asked){g, asked};
            asked = now;
        }
    arena_close(a);
    return all;
}

bool turns_probe(const struct test *t, const struct cell *cell, const struct model_plan *plan,
                 const struct unfolding *unfoldings, const struct counter *c, struct search_budget *budget,
                 struct arena *a) {
    struct turn_kinds *kinds = arena_array(a, (size_t)t->nthreads, sizeof *kinds);
    int takers[MAX_TAKERS], ntakers = 0;
    for (int k = 0; k < t->nthreads; k++) {
        if (!find_kinds(&unfoldings[k], c, &kinds[k])) return false;
        if (kinds[k].n == 0) continue;
        if (ntakers == MAX_TAKERS) return false;
        takers[ntakers++] = k;
    }
    return ntakers > 1 && all_take_turns(t, cell, plan, kinds, takers, ntakers, budget);
}
