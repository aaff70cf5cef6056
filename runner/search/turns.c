#include "search/turns.h"

#include "logic/rel.h"

enum {
    MAX_COUNTERS = 8,
    MAX_TRIED = 16,       /* locations that are probed */
    MAX_STATES = 1 << 14, /* of a turn_walk */
    MAX_REACHED = 64,     /* values of a counter; of more, it may have any */
    TURN_WORK = 2,
    GUARDS_A_UNIT = 4 /* that are evaluated in the time of one unit of work */
};

/* An access of a counter: the two halves of an atomic operation, a read or a write. */
struct taking {
    const struct event *read, *write; /* NULL where it does not */
    bool finds; /* another value than the access before it in its thread left, see finds_other */
};

/* The value of a counter behind an access. */
struct left {
    struct value value;
    bool any; /* it may have any value */
};

/* counter -> the accesses of a path in program order; how many of these write; how many `find`. */
struct path_turns {
    struct taking *list[MAX_COUNTERS];
    int n[MAX_COUNTERS], writes[MAX_COUNTERS], finds[MAX_COUNTERS];
};

struct turns {
    const struct test *test;
    struct arena *arena;
    struct search_budget *budget;
    struct supply *supply;
    struct counter counters[MAX_COUNTERS], tried[MAX_TRIED];
    int n, ntried;
    struct turn_walk *walk; /* room for one */
    struct value known[MAX_READS];
};

/* ---- which locations ---- */

static bool is_known(const struct counter *tried, int n, const struct event *e) {
    for (int k = 0; k < n; k++)
        if (counter_has(&tried[k], e)) return true;
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
        if (turns_probe(t->test, cell, plan, u, &c, t->budget, t->arena)) t->counters[t->n++] = c;
    }
}

/* ---- orders ---- */

static struct taking take(const struct path *p, const struct event *e) {
    if (e->kind == EVENT_WRITE) return (struct taking){NULL, e, false};
    return (struct taking){e, e->rmw < 0 ? NULL : &p->events[e->rmw], false};
}

static struct path_turns list_takings(const struct turns *t, const struct path *p) {
    struct path_turns of = {.n = {0}};
    for (int c = 0; c < t->n; c++) {
        of.list[c] = arena_array(t->arena, (size_t)p->nevents, sizeof *of.list[c]);
        for (int k = 0; k < p->nevents; k++) {
            const struct event *e = &p->events[k];
            if (counter_has(&t->counters[c], e) && !counter_is_half(e)) of.list[c][of.n[c]++] = take(p, e);
        }
    }
    return of;
}

/* Whether a value is computed from this read and no other. */
static bool is_of(const struct sym *value, const struct event *read) {
    int first = set_first(value->reads.bits, MAX_READS / 64);
    return read && first == read->read && set_next(value->reads.bits, MAX_READS / 64, first) < 0;
}

/* Whether a term is computed from read y, and from no other read but x. */
static bool is_about(const struct sym *value, const struct event *x, const struct event *y) {
    struct reads rest = value->reads;
    if (!set_has(rest.bits, y->read)) return false;
    set_remove(rest.bits, y->read);
    if (x) set_remove(rest.bits, x->read);
    return set_first(rest.bits, MAX_READS / 64) < 0;
}

/* Whether the guards let read y return what access x left, if that read `value`. (If it only writes, `value`
 * plays no part.) */
static bool may_be_left(struct turns *t, const struct path *p, const struct taking *x, const struct event *y,
                        struct value value) {
    if (x->read) t->known[x->read->read] = value;
    t->known[y->read] = x->write ? sym_eval(x->write->value, t->known) : value;
    for (int g = 0; g < p->nguards; g++)
        if (is_about(p->guards[g].sym, x->read, y) &&
            sym_is_true(p->guards[g].sym, t->known) != p->guards[g].holds)
            return false;
    return !x->read || supply_accepts(t->supply, p, x->read, value);
}

/* Whether read y must return another value than access x left, which is before it in its thread, whatever x
 * has read of the values that the counter can have. */
static bool finds_other(struct turns *t, const struct path *p, const struct taking *x,
                        const struct event *y) {
    struct value none = {0, 0};
    int n = 1;
    const struct value *values = x->read ? supply_values(t->supply, p, x->read, &n) : &none;
    if (x->write && x->write->value->kind != SYM_INT && !is_of(x->write->value, x->read)) return false;
    if (!values || !budget_wait(t->budget, 1 + n * p->nguards / GUARDS_A_UNIT)) return false;
    for (int k = 0; k < n; k++)
        if (may_be_left(t, p, x, y, values[k])) return false;
    return true;
}

/* Fills in `finds`, and the counts of path_turns. */
static void count_changes(struct turns *t, const struct path *p, struct path_turns *of) {
    for (int c = 0; c < t->n; c++)
        for (int k = 0; k < of->n[c]; k++) {
            struct taking *x = &of->list[c][k];
            x->finds = k > 0 && x->read && finds_other(t, p, x - 1, x->read);
            of->writes[c] += x->write != NULL;
            of->finds[c] += x->finds;
        }
}

/* Whether on each counter the other threads have as many writes as each path has accesses that `find`. */
static bool change_enough(const struct turns *t, const struct path *const *paths) {
    for (int c = 0; c < t->n; c++) {
        int writes = 0;
        for (int k = 0; k < t->test->nthreads; k++)
            writes += paths[k]->turns->writes[c];
        for (int k = 0; k < t->test->nthreads; k++)
            if (paths[k]->turns->finds[c] > writes - paths[k]->turns->writes[c]) return false;
    }
    return true;
}

/* The value of a counter behind an access, if it had the value `before`. */
static struct left leave(const struct turns *t, const struct taking *taking, struct left before) {
    if (!taking->write) return before;
    const struct sym *value = taking->write->value;
    if (value->kind == SYM_INT) return (struct left){value->value, false};
    if (before.any || !is_of(value, taking->read)) return (struct left){.any = true};
    return (struct left){supply_left(t->supply, taking->read, taking->write, before.value), false};
}

/* Whether the guards of a path let an access read what was left. */
static bool may_find(const struct turns *t, const struct path *p, const struct taking *taking,
                     struct left left) {
    return !taking->read || left.any || supply_accepts(t->supply, p, taking->read, left.value);
}

static bool same_left(struct left x, struct left y) {
    return x.any == y.any && (x.any || value_equal(x.value, y.value));
}

/* A search through the orders of the accesses of a counter. Its state is which access is the next of each
 * thread, and, for the threads with a bit, whether another thread has written since their last access. */
struct turn_walk {
    const struct turns *turns;
    const struct path *const *paths;
    int counter, nthreads;
    /* The threads that access it, and the next access of each. A state has the number: sum of at * stride +
     * positions * bits. */
    int thread[MAX_TAKERS], at[MAX_TAKERS], stride[MAX_TAKERS];
    unsigned looks[MAX_TAKERS]; /* the bit of a thread that has accesses which `find`, or 0 */
    unsigned all;               /* all these bits */
    int positions;
    bool seen[MAX_STATES];
    struct left left[MAX_STATES]; /* the value with which a state was seen last: no order was found then */
};

/* Whether the accesses that are left have an order. `left`: the value of the counter; `changed`: the bits of
 * the threads since whose last access another one has written. */
static bool try_orders(struct turn_walk *w, struct left left, unsigned changed) {
    int state = w->positions * (int)changed;
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
        if (next->finds && w->looks[k] && !(changed & w->looks[k])) continue;
        if (!may_find(w->turns, p, next, left)) continue;
        w->at[k]++;
        bool found =
            try_orders(w, leave(w->turns, next, left), (next->write ? w->all : changed) & ~w->looks[k]);
        w->at[k]--;
        if (found) return true;
    }
    return false;
}

/* Sets each thread to its first access, and gives bits to threads while there is room. False where there are
 * too many states. */
static bool begin_walk(struct turn_walk *w, const struct path *const *paths, int counter) {
    w->paths = paths;
    w->counter = counter;
    w->nthreads = 0;
    w->positions = 1;
    w->all = 0;
    for (int k = 0; k < w->turns->test->nthreads && w->positions <= MAX_STATES; k++) {
        int n = paths[k]->turns->n[counter];
        if (n == 0) continue;
        w->thread[w->nthreads] = k;
        w->at[w->nthreads] = 0;
        w->looks[w->nthreads] = 0;
        w->stride[w->nthreads++] = w->positions;
        w->positions *= n + 1;
    }
    int states = w->positions;
    for (int k = 0; k < w->nthreads && 2 * states <= MAX_STATES; k++) {
        if (paths[w->thread[k]]->turns->finds[counter] == 0) continue;
        w->looks[k] = w->all + 1;
        w->all += w->looks[k];
        states *= 2;
    }
    if (states <= MAX_STATES) memset(w->seen, 0, (size_t)states * sizeof *w->seen);
    return states <= MAX_STATES;
}

bool turns_allow(const struct turns *t, const struct path *const *paths) {
    if (!change_enough(t, paths)) return false;
    for (int c = 0; c < t->n; c++)
        if (begin_walk(t->walk, paths, c) &&
            !try_orders(t->walk, (struct left){t->counters[c].init, false}, 0))
            return false;
    return true;
}

/* ---- one path alone ---- */

/* The values that a counter may have at a point of a path. */
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

/* The accesses of other threads that write a counter, one of each that makes the same of its value. */
struct others {
    struct {
        const struct path *path;
        const struct taking *taking;
    } list[MAX_REACHED];
    int n;
    bool any;   /* there are more, or what one writes may be anything */
    int turns;  /* how many accesses they do at most */
    int writes; /* how many writes */
};

/* Whether two terms over one read each are the same function of it. */
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
        int most = 0, writes = 0;
        for (int p = 0; k != thread && p < u[k].npaths && budget_wait(t->budget, 1); p++) {
            const struct path_turns *of = u[k].paths[p].turns;
            most = of->n[counter] > most ? of->n[counter] : most;
            writes = of->writes[counter] > writes ? of->writes[counter] : writes;
            for (int i = 0; i < of->n[counter]; i++)
                if (of->list[counter][i].write) add_other(&o, &u[k].paths[p], &of->list[counter][i]);
        }
        o.turns += most;
        o.writes += writes;
    }
    return o;
}

/* Adds the values that the others can make of those in `r`, by as many accesses as they have. */
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

/* Whether the accesses of a path fit into some order, if the others may do any of theirs between them. */
static bool can_take_turns(const struct turns *t, const struct path *p, const struct others *o, int counter) {
    struct reached now = {.n = 0};
    if (p->turns->finds[counter] > o->writes) return false;
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
            count_changes(turns, &u[k].paths[p], of);
            u[k].paths[p].turns = of;
        }
    turns->walk = arena_alloc(a, sizeof *turns->walk);
    turns->walk->turns = turns;
    mark_paths(turns, u);
    return turns;
}
