#include "search/supply.h"

#include "litmus/view.h"
#include "logic/rel.h"
#include "paths/solve.h"

enum {
    MAX_VALUES = 128,  /* of a location; one with more may have any value */
    VALUES_A_UNIT = 4, /* that are computed in the time of one unit of work */
    READ_WORDS = MAX_READS / 64
};

/* A read of a path, and the guards over it alone, by their numbers. */
struct supply_read {
    int address; /* -1: it may return anything */
    int *guards, nguards;
};

enum { OF_NO_READ = -1, OF_SEVERAL_READS = -2 };

struct supply_write {
    int address;
    int read; /* the one from which the value is computed; OF_NO_READ or OF_SEVERAL_READS */
    const struct sym *value;
    /* The value is the same whatever is read, so it is there even if no read has a value (search_break_circles). */
    bool fixed;
    struct value fixed_to;
};

struct path_supply {
    struct supply_read *reads; /* by their number */
    struct supply_write *writes;
    int nwrites;
};

struct supply_address {
    int loc, element, lane;
    struct value init;
};

/* The values that were found of a location. */
struct supply_values {
    struct value list[MAX_VALUES];
    int n;       /* found so far */
    int before;  /* found before this round */
    int done;    /* found before the last round: what is computed from these was found */
    bool any;    /* it may have any value */
    bool spread; /* `any` before this round */
};

struct supply {
    const struct test *test;
    struct arena *arena;
    struct search_budget *budget;
    struct supply_address *addresses;
    int naddresses, cap;
    struct supply_values *values; /* one an address */
    int most;                     /* writes of an execution */
    struct value known[MAX_READS];
};

/* What a path reads and writes */

static int find_address(struct supply *s, const struct event *e) {
    for (int k = 0; k < s->naddresses; k++)
        if (s->addresses[k].loc == e->loc && s->addresses[k].element == e->element &&
            s->addresses[k].lane == e->lane)
            return k;
    if (s->naddresses == s->cap) {
        int cap = s->cap ? 2 * s->cap : 16;
        s->addresses =
            arena_grow(s->arena, s->addresses, (size_t)s->naddresses, (size_t)cap, sizeof *s->addresses);
        s->cap = cap;
    }
    struct value whole = location_init(&s->test->locs[e->loc], e->element);
    s->addresses[s->naddresses] = (struct supply_address){
        e->loc, e->element, e->lane, value_lane(view_parts(s->test, e->loc), whole, e->lane)};
    return s->naddresses++;
}

/* The read from which a term is computed; OF_NO_READ or OF_SEVERAL_READS. */
static int only_read(const struct sym *value) {
    int read = set_first(value->reads.bits, READ_WORDS);
    if (read < 0) return OF_NO_READ;
    return set_next(value->reads.bits, READ_WORDS, read) < 0 ? read : OF_SEVERAL_READS;
}

static void add_guards(struct supply *s, const struct path *p, struct path_supply *of) {
    for (int g = 0; g < p->nguards; g++) {
        int read = only_read(p->guards[g].sym);
        if (read < 0) continue;
        struct supply_read *r = &of->reads[read];
        r->guards =
            arena_grow(s->arena, r->guards, (size_t)r->nguards, (size_t)r->nguards + 1, sizeof *r->guards);
        r->guards[r->nguards++] = g;
    }
}

static void look_at_path(struct supply *s, struct path *p) {
    struct path_supply *of = arena_alloc(s->arena, sizeof *of);
    of->reads = arena_array(s->arena, (size_t)p->nreads, sizeof *of->reads);
    of->writes = arena_array(s->arena, (size_t)p->nevents, sizeof *of->writes);
    for (int k = 0; k < p->nreads; k++) /* also what a clock says, of which there is no event */
        of->reads[k].address = -1;
    for (int k = 0; k < p->nevents; k++) {
        const struct event *e = &p->events[k];
        if (e->kind == EVENT_READ) of->reads[e->read].address = find_address(s, e);
        if (e->kind != EVENT_WRITE) continue;
        struct supply_write *w = &of->writes[of->nwrites++];
        *w = (struct supply_write){find_address(s, e), only_read(e->value), e->value, false, {0, 0}};
        w->fixed = w->read == OF_NO_READ || !bits_any(e->data.bits, READ_WORDS);
        if (w->fixed) w->fixed_to = solve_value(p, e->value, &(struct reads){{0}}, s->known, s->budget);
    }
    add_guards(s, p, of);
    p->supply = of;
}

/* Values */

static bool accepts(struct supply *s, const struct path *p, int read, struct value value) {
    const struct supply_read *r = &p->supply->reads[read];
    s->known[read] = value;
    for (int k = 0; k < r->nguards; k++) {
        const struct guard *g = &p->guards[r->guards[k]];
        if (sym_is_true(g->sym, s->known) != g->holds) return false;
    }
    return true;
}

static void add_value(struct supply_values *v, struct value value) {
    for (int k = 0; k < v->n; k++)
        if (value_equal(v->list[k], value)) return;
    if (v->n == MAX_VALUES)
        v->any = true;
    else
        v->list[v->n++] = value;
}

/* Adds the values that a write gives, computed from the values that its read has got since the last round. */
static void add_written(struct supply *s, const struct path *p, const struct supply_write *w) {
    struct supply_values *to = &s->values[w->address];
    if (to->any) return;
    if (w->fixed) add_value(to, w->fixed_to);
    if (w->read == OF_NO_READ) return;
    int address = w->read == OF_SEVERAL_READS ? -1 : p->supply->reads[w->read].address;
    if (address < 0 || s->values[address].any) {
        to->any = true;
        return;
    }
    const struct supply_values *from = &s->values[address];
    if (!budget_wait(s->budget, 1 + (from->before - from->done) / VALUES_A_UNIT)) return;
    for (int k = from->done, n = from->before; k < n; k++)
        if (accepts(s, p, w->read, from->list[k])) add_value(to, sym_eval(w->value, s->known));
}

/* False when the last round has found nothing. */
static bool begin_round(struct supply *s) {
    bool grown = false;
    for (int k = 0; k < s->naddresses; k++) {
        struct supply_values *v = &s->values[k];
        grown = grown || v->before != v->n || v->spread != v->any;
        v->done = v->before;
        v->before = v->n;
        v->spread = v->any;
    }
    return grown;
}

static void start_with_initial(struct supply *s) {
    for (int k = 0; k < s->naddresses; k++) {
        s->values[k].n = 0;
        s->values[k].before = 0;
        s->values[k].any = s->values[k].spread = false;
        add_value(&s->values[k], s->addresses[k].init);
    }
}

/* Whether each read of a path can return a value that its guards allow. */
static bool is_supplied(struct supply *s, const struct path *p) {
    for (int r = 0; r < p->nreads; r++) {
        const struct supply_read *read = &p->supply->reads[r];
        if (read->nguards == 0 || read->address < 0 || s->values[read->address].any) continue;
        const struct supply_values *v = &s->values[read->address];
        if (!budget_wait(s->budget, 1)) return true;
        int k = 0;
        while (k < v->n && !accepts(s, p, r, v->list[k]))
            k++;
        if (k == v->n) return false;
    }
    return true;
}

bool supply_allows(struct supply *s, const struct path *const *paths) {
    int threads = s->test->nthreads, rounds = 0;
    for (int t = 0; t < threads; t++)
        rounds += paths[t]->supply->nwrites;
    start_with_initial(s);
    for (; begin_round(s) && rounds >= 0; rounds--) /* no value comes of more writes than there are */
        for (int t = 0; t < threads; t++)
            for (int w = 0; w < paths[t]->supply->nwrites; w++)
                add_written(s, paths[t], &paths[t]->supply->writes[w]);
    for (int t = 0; t < threads; t++)
        if (!is_supplied(s, paths[t])) return false;
    return true;
}

/* All paths */

/* How many writes an execution has at most. */
static int most_writes(const struct test *t, const struct unfolding *unfoldings) {
    int all = 0;
    for (int k = 0; k < t->nthreads; k++) {
        int most = 0;
        for (int p = 0; p < unfoldings[k].npaths; p++) {
            int n = unfoldings[k].paths[p].supply->nwrites;
            most = n > most ? n : most;
        }
        all += most;
    }
    return all;
}

static void add_path(struct supply *s, const struct path *p) {
    for (int w = 0; w < p->supply->nwrites; w++)
        add_written(s, p, &p->supply->writes[w]);
}

static void supply_all(struct supply *s, const struct unfolding *unfoldings) {
    int rounds = s->most = most_writes(s->test, unfoldings);
    start_with_initial(s);
    for (; begin_round(s) && rounds >= 0; rounds--)
        for (int t = 0; t < s->test->nthreads; t++)
            for (int k = 0; k < unfoldings[t].npaths; k++) {
                if (!budget_pay(s->budget, 1)) return;
                add_path(s, &unfoldings[t].paths[k]);
            }
}

/* Drops the paths that nobody supplies. True when there were any. */
static bool drop_paths(struct supply *s, struct unfolding *unfoldings) {
    bool dropped = false;
    for (int t = 0; t < s->test->nthreads && !s->budget->spent; t++) {
        struct unfolding *u = &unfoldings[t];
        struct path *paths = arena_array(s->arena, (size_t)u->npaths, sizeof *paths);
        int n = 0;
        for (int k = 0; k < u->npaths; k++)
            if (is_supplied(s, &u->paths[k])) paths[n++] = u->paths[k];
        dropped = dropped || n < u->npaths;
        u->paths = paths;
        u->npaths = n;
    }
    return dropped;
}

static bool has_choice(const struct test *t, const struct unfolding *unfoldings) {
    for (int k = 0; k < t->nthreads; k++)
        if (unfoldings[k].npaths > 1) return true;
    return false;
}

struct supply *supply_find(const struct test *t, struct unfolding *unfoldings, struct search_budget *budget,
                           struct arena *a) {
    if (!has_choice(t, unfoldings)) return NULL;
    struct supply *s = arena_alloc(a, sizeof *s);
    *s = (struct supply){.test = t, .arena = a, .budget = budget};
    for (int k = 0; k < t->nthreads; k++)
        for (int p = 0; p < unfoldings[k].npaths; p++)
            look_at_path(s, &unfoldings[k].paths[p]);
    s->values = arena_array(a, (size_t)s->naddresses, sizeof *s->values);
    do
        supply_all(s, unfoldings);
    while (drop_paths(s, unfoldings) && !budget->spent);
    return s;
}

/* Some paths */

/* Finds the values where the first threads have a path each, and the others may take any that is left to
 * them. */
static bool supply_left_ones(struct supply *s, const struct unfolding *unfoldings,
                             const struct path *const *paths, int chosen, uint64_t *const *left) {
    int rounds = s->most;
    start_with_initial(s);
    for (; begin_round(s) && rounds >= 0; rounds--)
        for (int t = 0; t < s->test->nthreads; t++) {
            const struct unfolding *u = &unfoldings[t];
            if (t < chosen) add_path(s, paths[t]);
            int words = (u->npaths + 63) / 64;
            for (int k = t < chosen ? -1 : set_first(left[t], words); k >= 0;
                 k = set_next(left[t], words, k)) {
                if (!budget_pay(s->budget, 1)) return false;
                add_path(s, &u->paths[k]);
            }
        }
    return true;
}

bool supply_narrow(struct supply *s, const struct unfolding *unfoldings, const struct path *const *paths,
                   int chosen, uint64_t *const *left, uint64_t *const *to) {
    if (!supply_left_ones(s, unfoldings, paths, chosen, left)) return false;
    for (int t = 0; t < chosen; t++)
        if (!is_supplied(s, paths[t])) return false;
    for (int t = chosen; t < s->test->nthreads; t++) {
        const struct unfolding *u = &unfoldings[t];
        int words = (u->npaths + 63) / 64;
        bool any = false;
        memset(to[t], 0, (size_t)words * sizeof **to);
        for (int k = set_first(left[t], words); k >= 0; k = set_next(left[t], words, k)) {
            if (!is_supplied(s, &u->paths[k])) continue;
            set_add(to[t], k);
            any = true;
        }
        if (!any) return false;
    }
    return true;
}

/* Atomic operations */

struct value supply_left(struct supply *s, const struct event *read, const struct event *write,
                         struct value value) {
    s->known[read->read] = value;
    return sym_eval(write->value, s->known);
}

const struct value *supply_values(const struct supply *s, const struct path *p, const struct event *read,
                                  int *n) {
    const struct supply_values *v = &s->values[p->supply->reads[read->read].address];
    *n = v->n;
    return v->any ? NULL : v->list;
}

bool supply_accepts(struct supply *s, const struct path *p, const struct event *read, struct value value) {
    return accepts(s, p, read->read, value);
}
