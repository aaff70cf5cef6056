#include "search/turns.h"

#include "logic/rel.h"
#include "search/search.h"

enum {
    MAX_COUNTERS = 8,
    MAX_TRIED = 16,    /* locations */
    MAX_TAKERS = 12,   /* threads that access a counter */
    MAX_STATES = 4096, /* in which the threads are at operations of theirs */
    MAX_REACHED = 64,  /* values that are told apart */
    PROBED = 6,        /* events of a probe */
    TURN_WORK = 2
};

/* An operation of a path: the two halves of an atomic one, or a read. */
struct taking {
    const struct event *read, *write; /* write: NULL where it only reads */
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

/* A read, or half of an atomic operation that leaves something computed from what it reads alone. */
static bool is_taking(const struct path *p, const struct event *e) {
    if (e->agent > 0 || e->parts > 1) return false;
    if (e->kind != EVENT_WRITE) return true;
    if (e->rmw < 0) return false;
    int read = set_first(e->value->reads.bits, MAX_READS / 64);
    return read < 0 ||
           (read == p->events[e->rmw].read && set_next(e->value->reads.bits, MAX_READS / 64, read) < 0);
}

/* Operations of a thread on a counter, one of each kind: an atomic one, by its read, and a read; NULL where it has none. */
struct turn_kinds {
    const struct event *update, *look;
};

/* Finds them; false when there are others, or when those of a kind differ in their strength. */
static bool find_kinds(const struct unfolding *u, const struct counter *c, struct turn_kinds *kinds) {
    *kinds = (struct turn_kinds){NULL, NULL};
    for (int p = 0; p < u->npaths; p++)
        for (int k = 0; k < u->paths[p].nevents; k++) {
            const struct event *e = &u->paths[p].events[k];
            if (!is_at(c, e)) continue;
            if (!is_taking(&u->paths[p], e)) return false;
            if (e->kind != EVENT_READ) continue;
            const struct event **first = e->rmw >= 0 ? &kinds->update : &kinds->look;
            if (!*first) *first = e;
            if ((*first)->strength.order != e->strength.order ||
                (*first)->strength.scope != e->strength.scope || (*first)->red != e->red)
                return false;
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

/* A path of two operations of each kind, in turn, which write what no other does. */
static void make_probe(struct path *p, const struct turn_kinds *kinds, struct arena *a) {
    *p = (struct path){.end = PATH_DONE, .events = arena_array(a, PROBED, sizeof *p->events)};
    for (int k = 0; k < 2 && kinds; k++) {
        if (kinds->update) {
            int read = p->nevents;
            add_probed(p, kinds->update, EVENT_READ, a);
            add_probed(p, kinds->update, EVENT_WRITE, a);
            p->events[read].rmw = read + 1;
            p->events[read + 1].rmw = read;
        }
        if (kinds->look) add_probed(p, kinds->look, EVENT_READ, a);
    }
}

/* Whether the operations of two threads, from events x and y on, can follow one another so that each reads what the one
 * before left. */
static bool can_follow(const struct search *s, int x, int xend, int y, int yend, int left) {
    const struct node_event *events = s->graph->events;
    if (x == xend && y == yend) return true;
    for (int turn = 0; turn < 2; turn++) {
        int e = turn ? y : x, end = turn ? yend : xend;
        if (e == end || s->source[e] != left) continue;
        bool writes = events[e].event->rmw >= 0;
        int next = e + 1 + writes, now = writes ? e + 1 : left;
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
static bool take_turns(struct turns *t, const struct cell *v, const struct model_plan *plan, int x, int y,
                       const struct turn_kinds *kinds) {
    struct arena *a = arena_open();
    const struct path **paths = arena_array(a, (size_t)t->test->nthreads, sizeof *paths);
    struct turn_probe probe = {x, y, true};
    for (int k = 0; k < t->test->nthreads; k++) {
        struct path *p = arena_alloc(a, sizeof *p);
        make_probe(p, k == x || k == y ? &kinds[k] : NULL, a);
        paths[k] = p;
    }
    struct graph *g = graph_build(t->test, v, paths, a);
    graph_relate(g, plan, a);
    struct search s = {.graph = g, .plan = plan, .arena = a, .budget = t->budget, .weight = 1};
    s.leaf = on_probe;
    s.ctx = &probe;
    search_run(&s);
    arena_close(a);
    return probe.take_turns && !t->budget->spent;
}

static bool all_take_turns(struct turns *t, const struct cell *v, const struct model_plan *plan,
                           const struct unfolding *unfoldings, const struct counter *c) {
    int n = t->test->nthreads, takers[MAX_TAKERS], ntakers = 0;
    struct turn_kinds *kinds = arena_array(t->arena, (size_t)n, sizeof *kinds);
    for (int k = 0; k < n; k++) {
        if (!find_kinds(&unfoldings[k], c, &kinds[k])) return false;
        if (!kinds[k].update && !kinds[k].look) continue;
        if (ntakers == MAX_TAKERS) return false;
        takers[ntakers++] = k;
    }
    for (int x = 0; x < ntakers; x++)
        for (int y = 0; y < x; y++)
            if (!take_turns(t, v, plan, takers[y], takers[x], kinds)) return false;
    return ntakers > 1;
}

static bool is_known(const struct counter *tried, int n, const struct event *e) {
    for (int k = 0; k < n; k++)
        if (is_at(&tried[k], e)) return true;
    return false;
}

static void find_counters(struct turns *t, const struct cell *v, const struct model_plan *plan,
                          const struct unfolding *u, const struct path *p) {
    for (int k = 0; k < p->nevents && t->ntried < MAX_TRIED; k++) {
        const struct event *e = &p->events[k];
        if (e->rmw < 0 || e->kind != EVENT_READ || is_known(t->tried, t->ntried, e)) continue;
        const struct location *l = &t->test->locs[e->loc];
        struct counter c = {e->loc, e->element, e->lane, location_init(l, e->element)};
        t->tried[t->ntried++] = c;
        if (l->grain || type_is_vector(l->type) || t->n == MAX_COUNTERS) continue;
        if (all_take_turns(t, v, plan, u, &c)) t->counters[t->n++] = c;
    }
}

/* ---- orders ---- */

static struct taking take(const struct path *p, const struct event *read) {
    return (struct taking){read, read->rmw < 0 ? NULL : &p->events[read->rmw]};
}

static struct path_turns list_takings(const struct turns *t, const struct path *p) {
    struct path_turns of = {{0}, {0}};
    for (int c = 0; c < t->n; c++) {
        of.list[c] = arena_array(t->arena, (size_t)p->nevents, sizeof *of.list[c]);
        for (int k = 0; k < p->nevents; k++)
            if (p->events[k].kind == EVENT_READ && is_at(&t->counters[c], &p->events[k]))
                of.list[c][of.n[c]++] = take(p, &p->events[k]);
    }
    return of;
}

/* The threads at operations of theirs on a counter. */
struct turn_walk {
    const struct turns *turns;
    const struct path *const *paths;
    int counter, nthreads;
    int thread[MAX_TAKERS], at[MAX_TAKERS], stride[MAX_TAKERS];
    bool seen[MAX_STATES];
    struct value value[MAX_STATES]; /* with which nothing was found */
};

static bool try_orders(struct turn_walk *w, struct value value) {
    int state = 0;
    bool done = true;
    for (int k = 0; k < w->nthreads; k++) {
        state += w->at[k] * w->stride[k];
        done = done && w->at[k] == w->paths[w->thread[k]]->turns->n[w->counter];
    }
    if (done) return true;
    if (w->seen[state] && value_equal(w->value[state], value)) return false;
    w->seen[state] = true;
    w->value[state] = value;
    for (int k = 0; k < w->nthreads; k++) {
        const struct path *p = w->paths[w->thread[k]];
        if (w->at[k] == p->turns->n[w->counter]) continue;
        const struct taking *next = &p->turns->list[w->counter][w->at[k]];
        struct value left = value;
        if (!supply_passes(w->turns->supply, p, next->read, next->write, &left)) continue;
        w->at[k]++;
        bool found = try_orders(w, left);
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
        if (!try_orders(w, t->counters[c].init)) return false;
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

static void reach_value(struct reached *r, struct value value) {
    for (int k = 0; k < r->n; k++)
        if (value_equal(r->list[k], value)) return;
    if (r->n == MAX_REACHED)
        r->any = true;
    else
        r->list[r->n++] = value;
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
    for (int k = 0; k < o->n; k++)
        if (same_function(o->list[k].taking->write->value, taking->write->value)) return;
    o->any = o->any || o->n == MAX_REACHED;
    if (!o->any) o->list[o->n].path = p, o->list[o->n++].taking = taking;
}

static struct others find_others(const struct turns *t, const struct unfolding *u, int thread, int counter) {
    struct others o = {.n = 0};
    for (int k = 0; k < t->test->nthreads; k++) {
        int most = 0;
        for (int p = 0; p < u[k].npaths && k != thread; p++) {
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
    for (int turn = 0; turn < o->turns && !r->any && first < r->n; turn++) {
        int n = r->n;
        for (int v = first; v < n; v++)
            for (int k = 0; k < o->n; k++)
                reach_value(
                    r, supply_left(t->supply, o->list[k].taking->read, o->list[k].taking->write, r->list[v]));
        first = n;
    }
}

static bool can_take_turns(const struct turns *t, const struct path *p, const struct others *o, int counter) {
    struct reached now = {.n = 0};
    reach_value(&now, t->counters[counter].init);
    for (int k = 0; k < p->turns->n[counter]; k++) {
        const struct taking *taking = &p->turns->list[counter][k];
        struct reached next = {.n = 0};
        let_others(t, o, &now);
        if (now.any) return true;
        for (int v = 0; v < now.n; v++) {
            struct value left = now.list[v];
            if (supply_passes(t->supply, p, taking->read, taking->write, &left)) reach_value(&next, left);
        }
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

struct turns *turns_find(const struct test *t, const struct cell *v, const struct model_plan *plan,
                         struct unfolding *u, struct supply *supply, struct search_budget *budget,
                         struct arena *a) {
    struct turns *turns = arena_alloc(a, sizeof *turns);
    *turns = (struct turns){.test = t, .arena = a, .budget = budget, .supply = supply};
    for (int k = 0; k < t->nthreads; k++)
        for (int p = 0; p < u[k].npaths; p++)
            find_counters(turns, v, plan, u, &u[k].paths[p]);
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
