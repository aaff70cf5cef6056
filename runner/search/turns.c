#include "search/turns.h"

#include "logic/rel.h"
#include "search/search.h"

enum {
    MAX_COUNTERS = 8,
    MAX_TRIED = 16,             /* locations */
    MAX_TAKERS = 12,            /* threads that access a counter */
    MAX_STATES = 4096,          /* in which the threads are at operations of theirs */
    MAX_REACHED = 64,           /* values that are told apart */
    MAX_KINDS = 4,              /* of operations of a thread on a counter */
    PROBED = 4 * MAX_KINDS + 2, /* events of a probe */
    TURN_WORK = 2
};

/* An operation of a path: the two halves of an atomic one, or one of them where it only reads or only writes. */
struct taking {
    const struct event *read, *write; /* NULL where it does not */
};

/* What an operation leaves. */
struct left {
    struct value value;
    bool any; /* that is not known */
};

struct counter {
    int loc, element, lane;
    struct value init;
};

/* The operations of a path on each counter, in its order. */
struct path_turns {
    struct taking *list[MAX_COUNTERS];
    int n[MAX_COUNTERS];
};

struct turns {
    const struct test *test;
    struct arena *arena;
    struct search_budget *budget;
    struct supply *supply;
    struct counter counters[MAX_COUNTERS], tried[MAX_TRIED];
    int n, ntried;
    struct turn_walk *walk; /* room for one */
};

static bool is_at(const struct counter *c, const struct event *e) {
    return e->loc == c->loc && e->element == c->element && e->lane == c->lane;
}

/* ---- which locations ---- */

/* Operations of a thread on a counter, one of each kind: the read of an atomic one, a read, or a write. Those of a kind have one
 * strength. */
struct turn_kinds {
    const struct event *list[MAX_KINDS];
    int n;
};

static bool is_half(const struct event *e) {
    return e->kind == EVENT_WRITE && e->rmw >= 0;
}

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

/* Finds them; false when there are others, or too many. */
static bool find_kinds(const struct unfolding *u, const struct counter *c, struct turn_kinds *kinds) {
    *kinds = (struct turn_kinds){.n = 0};
    for (int p = 0; p < u->npaths; p++)
        for (int k = 0; k < u->paths[p].nevents; k++) {
            const struct event *e = &u->paths[p].events[k];
            if (!is_at(c, e)) continue;
            if (e->agent > 0 || e->parts > 1 || (!is_half(e) && !add_kind(kinds, e))) return false;
        }
    return true;
}

/* ---- what the model says ---- */

static void add_probed(struct path *p, const struct event *like, enum event_kind kind, struct arena *a) {
    struct event *e = &p->events[p->nevents];
    *e = *like;
    e->addr = e->data = e->ctrl = (struct reads){{0}};
    e->step = p->nevents++;
    e->kind = kind;
    e->rmw = -1;
    e->read = kind == EVENT_READ ? p->nreads++ : -1;
    e->value = kind == EVENT_WRITE ? sym_int(a, type_int, p->nevents) : NULL;
}

/* Who only writes looks, too, so that it is seen in which order the writes of two threads come. */
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

/* A path of two operations of each kind, in turn, which write what no other does. */
static void make_probe(struct path *p, const struct turn_kinds *kinds, struct arena *a) {
    *p = (struct path){.end = PATH_DONE, .events = arena_array(a, PROBED, sizeof *p->events)};
    for (int turn = 0; turn < 2 && kinds; turn++) {
        for (int k = 0; k < kinds->n; k++)
            add_operation(p, kinds->list[k], a);
        add_look(p, kinds, a);
    }
}

/* Whether the operations of two threads, from events x and y on, can follow one another so that each reads what the one
 * before left. */
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

/* Stops when they do not follow one another. */
static bool on_probe(struct search *s, void *ctx) {
    struct turn_probe *probe = ctx;
    const int *first = s->graph->first;
    probe->take_turns =
        can_follow(s, first[probe->x], first[probe->x + 1], first[probe->y], first[probe->y + 1], 0);
    return probe->take_turns;
}

/* Asks the model of two threads. */
static bool take_turns(struct turns *t, const struct cell *cell, const struct model_plan *plan, int x, int y,
                       const struct turn_kinds *kinds) {
    struct arena *a = arena_open();
    const struct path **paths = arena_array(a, (size_t)t->test->nthreads, sizeof *paths);
    struct turn_probe probe = {x, y, true};
    for (int k = 0; k < t->test->nthreads; k++) {
        struct path *p = arena_alloc(a, sizeof *p);
        make_probe(p, k == x || k == y ? &kinds[k] : NULL, a);
        paths[k] = p;
    }
    struct graph *g = graph_build(t->test, cell, paths, a);
    graph_relate(g, plan, a);
    struct search s = {.graph = g, .plan = plan, .arena = a, .budget = t->budget, .weight = 1};
    s.leaf = on_probe;
    s.ctx = &probe;
    search_run(&s);
    arena_close(a);
    return probe.take_turns && !t->budget->spent;
}

static bool all_take_turns(struct turns *t, const struct cell *cell, const struct model_plan *plan,
                           const struct unfolding *unfoldings, const struct counter *c) {
    int n = t->test->nthreads, takers[MAX_TAKERS], ntakers = 0;
    struct turn_kinds *kinds = arena_array(t->arena, (size_t)n, sizeof *kinds);
    for (int k = 0; k < n; k++) {
        if (!find_kinds(&unfoldings[k], c, &kinds[k])) return false;
        if (kinds[k].n == 0) continue;
        if (ntakers == MAX_TAKERS) return false;
        takers[ntakers++] = k;
    }
    for (int x = 0; x < ntakers; x++)
        for (int y = 0; y < x; y++)
            if (!take_turns(t, cell, plan, takers[y], takers[x], kinds)) return false;
    return ntakers > 1;
}

static bool is_known(const struct counter *tried, int n, const struct event *e) {
    for (int k = 0; k < n; k++)
        if (is_at(&tried[k], e)) return true;
    return false;
}

static void find_counters(struct turns *t, const struct cell *cell, const struct model_plan *plan,
                          const struct unfolding *u, const struct path *p) {
    for (int k = 0; k < p->nevents && t->ntried < MAX_TRIED; k++) {
        const struct event *e = &p->events[k];
        if (e->rmw < 0 || e->kind != EVENT_READ || is_known(t->tried, t->ntried, e)) continue;
        const struct location *l = &t->test->locs[e->loc];
        struct counter c = {e->loc, e->element, e->lane, location_init(l, e->element)};
        t->tried[t->ntried++] = c;
        if (l->grain || type_is_vector(l->type) || t->n == MAX_COUNTERS) continue;
        if (all_take_turns(t, cell, plan, u, &c)) t->counters[t->n++] = c;
    }
}

/* ---- orders ---- */

static struct taking take(const struct path *p, const struct event *e) {
    if (e->kind == EVENT_WRITE) return (struct taking){NULL, e};
    return (struct taking){e, e->rmw < 0 ? NULL : &p->events[e->rmw]};
}

static struct path_turns list_takings(const struct turns *t, const struct path *p) {
    struct path_turns of = {{0}, {0}};
    for (int c = 0; c < t->n; c++) {
        of.list[c] = arena_array(t->arena, (size_t)p->nevents, sizeof *of.list[c]);
        for (int k = 0; k < p->nevents; k++) {
            const struct event *e = &p->events[k];
            if (is_at(&t->counters[c], e) && !is_half(e)) of.list[c][of.n[c]++] = take(p, e);
        }
    }
    return of;
}

/* Whether a value is computed from nothing but a read. */
static bool is_of(const struct sym *value, const struct event *read) {
    int first = set_first(value->reads.bits, MAX_READS / 64);
    return read && first == read->read && set_next(value->reads.bits, MAX_READS / 64, first) < 0;
}

/* What is there behind an operation, where something was left before. */
static struct left leave(const struct turns *t, const struct taking *taking, struct left before) {
    if (!taking->write) return before;
    const struct sym *value = taking->write->value;
    if (value->kind == SYM_INT) return (struct left){value->value, false};
    if (before.any || !is_of(value, taking->read)) return (struct left){.any = true};
    return (struct left){supply_left(t->supply, taking->read, taking->write, before.value), false};
}

/* Whether the guards of a path let an operation find what was left. */
static bool may_find(const struct turns *t, const struct path *p, const struct taking *taking,
                     struct left left) {
    return !taking->read || left.any || supply_accepts(t->supply, p, taking->read, left.value);
}

static bool same_left(struct left x, struct left y) {
    return x.any == y.any && (x.any || value_equal(x.value, y.value));
}

/* The threads at operations of theirs on a counter. */
struct turn_walk {
    const struct turns *turns;
    const struct path *const *paths;
    int counter, nthreads;
    int thread[MAX_TAKERS], at[MAX_TAKERS], stride[MAX_TAKERS];
    bool seen[MAX_STATES];
    struct left left[MAX_STATES]; /* with which nothing was found */
};

static bool try_orders(struct turn_walk *w, struct left left) {
    int state = 0;
    bool done = true;
    for (int k = 0; k < w->nthreads; k++) {
        state += w->at[k] * w->stride[k];
        done = done && w->at[k] == w->paths[w->thread[k]]->turns->n[w->counter];
    }
    if (done) return true;
    if (w->seen[state] && same_left(w->left[state], left)) return false;
    if (!budget_wait(w->turns->budget, 1)) return false;
    w->seen[state] = true;
    w->left[state] = left;
    for (int k = 0; k < w->nthreads; k++) {
        const struct path *p = w->paths[w->thread[k]];
        if (w->at[k] == p->turns->n[w->counter]) continue;
        const struct taking *next = &p->turns->list[w->counter][w->at[k]];
        if (!may_find(w->turns, p, next, left)) continue;
        w->at[k]++;
        bool found = try_orders(w, leave(w->turns, next, left));
        w->at[k]--;
        if (found) return true;
    }
    return false;
}

bool turns_allow(const struct turns *t, const struct path *const *paths) {
    for (int c = 0; c < t->n; c++) {
        struct turn_walk *w = t->walk;
        int states = 1;
        w->paths = paths;
        w->counter = c;
        w->nthreads = 0;
        for (int k = 0; k < t->test->nthreads && states <= MAX_STATES; k++) {
            int n = paths[k]->turns->n[c];
            if (n == 0) continue;
            w->thread[w->nthreads] = k;
            w->at[w->nthreads] = 0;
            w->stride[w->nthreads++] = states;
            states *= n + 1;
        }
        if (states > MAX_STATES) continue;
        memset(w->seen, 0, (size_t)states * sizeof *w->seen);
        if (!try_orders(w, (struct left){t->counters[c].init, false})) return false;
    }
    return true;
}

/* ---- one path alone ---- */

/* Values that a counter may have. */
struct reached {
    struct value list[MAX_REACHED];
    int n;
    bool any;
};

static void reach_value(struct reached *r, struct left left) {
    for (int k = 0; k < r->n; k++)
        if (value_equal(r->list[k], left.value)) return;
    if (r->n == MAX_REACHED || left.any)
        r->any = true;
    else
        r->list[r->n++] = left.value;
}

/* What the operations of other threads make of an atomic operation's place: one of each kind. */
struct others {
    struct {
        const struct path *path;
        const struct taking *taking;
    } list[MAX_REACHED];
    int n;
    bool any;  /* there are more */
    int turns; /* that they take at most */
};

static bool same_function(const struct sym *x, const struct sym *y) {
    if (!x || !y || x->kind != y->kind || !type_same(x->type, y->type)) return x == y;
    if (x->kind == SYM_READ) return true;
    if (x->kind == SYM_INT) return value_equal(x->value, y->value);
    if (sym_both_extreme(x, y)) return same_function(x->a, y->a);
    return x->op == y->op && x->fn == y->fn && same_function(x->a, y->a) && same_function(x->b, y->b) &&
           same_function(x->c, y->c);
}

static void add_other(struct others *o, const struct path *p, const struct taking *taking) {
    const struct sym *value = taking->write->value;
    o->any = o->any || (value->kind != SYM_INT && !is_of(value, taking->read));
    for (int k = 0; k < o->n; k++)
        if (same_function(o->list[k].taking->write->value, value)) return;
    o->any = o->any || o->n == MAX_REACHED;
    if (!o->any) o->list[o->n].path = p, o->list[o->n++].taking = taking;
}

static struct others find_others(const struct turns *t, const struct unfolding *u, int thread, int counter) {
    struct others o = {.n = 0};
    for (int k = 0; k < t->test->nthreads; k++) {
        int most = 0;
        for (int p = 0; k != thread && p < u[k].npaths && budget_wait(t->budget, 1); p++) {
            const struct path_turns *of = u[k].paths[p].turns;
            most = of->n[counter] > most ? of->n[counter] : most;
            for (int i = 0; i < of->n[counter]; i++)
                if (of->list[counter][i].write) add_other(&o, &u[k].paths[p], &of->list[counter][i]);
        }
        o.turns += most;
    }
    return o;
}

/* Lets the others take turns. */
static void let_others(const struct turns *t, const struct others *o, struct reached *r) {
    r->any = r->any || o->any;
    int first = 0;
    for (int turn = 0; turn < o->turns && !r->any && first < r->n && budget_wait(t->budget, 1); turn++) {
        int n = r->n;
        for (int v = first; v < n; v++)
            for (int k = 0; k < o->n; k++)
                reach_value(r, leave(t, o->list[k].taking, (struct left){r->list[v], false}));
        first = n;
    }
}

static bool can_take_turns(const struct turns *t, const struct path *p, const struct others *o, int counter) {
    struct reached now = {.n = 0};
    reach_value(&now, (struct left){t->counters[counter].init, false});
    for (int k = 0; k < p->turns->n[counter]; k++) {
        const struct taking *taking = &p->turns->list[counter][k];
        struct reached next = {.n = 0};
        let_others(t, o, &now);
        if (now.any) return true;
        for (int v = 0; v < now.n; v++) {
            struct left left = {now.list[v], false};
            if (may_find(t, p, taking, left)) reach_value(&next, leave(t, taking, left));
        }
        if (next.any) return true;
        if (next.n == 0) return false;
        now = next;
    }
    return true;
}

static void mark_paths(const struct turns *t, struct unfolding *u) {
    for (int c = 0; c < t->n; c++)
        for (int k = 0; k < t->test->nthreads; k++) {
            struct others o = find_others(t, u, k, c);
            for (int p = 0; p < u[k].npaths && budget_pay(t->budget, TURN_WORK); p++)
                if (!can_take_turns(t, &u[k].paths[p], &o, c)) u[k].paths[p].out_of_turn = true;
        }
}

struct turns *turns_find(const struct test *t, const struct cell *cell, const struct model_plan *plan,
                         struct unfolding *u, struct supply *supply, struct search_budget *budget,
                         struct arena *a) {
    struct turns *turns = arena_alloc(a, sizeof *turns);
    *turns = (struct turns){.test = t, .arena = a, .budget = budget, .supply = supply};
    for (int k = 0; k < t->nthreads; k++)
        for (int p = 0; p < u[k].npaths; p++)
            find_counters(turns, cell, plan, u, &u[k].paths[p]);
    if (turns->n == 0 || budget->spent) return NULL;
    for (int k = 0; k < t->nthreads; k++)
        for (int p = 0; p < u[k].npaths; p++) {
            struct path_turns *of = arena_alloc(a, sizeof *of);
            *of = list_takings(turns, &u[k].paths[p]);
            u[k].paths[p].turns = of;
        }
    turns->walk = arena_alloc(a, sizeof *turns->walk);
    turns->walk->turns = turns;
    mark_paths(turns, u);
    return turns;
}
