#include "model/depend.h"

#include "model/rel.h"

enum { READ_WORDS = MAX_READS / 64, MAX_POOL = 32, MAX_TRIALS = 24, MAX_TRIED = 6, MAX_COMPARED = 128 };

/* So many parts of terms are computed in the time of one unit of a search's work. */
enum { TERMS_A_UNIT = 10 };

/* Values */

/* Values to try: those that a term has in it, their neighbours, and others. */
struct depend_trial {
    long long pool[MAX_POOL];
    int npool;
    uint64_t random;
    struct type types[MAX_READS];
    int shifts[MAX_READS]; /* by which a read is shifted where it is a part of a number */
    struct value values[MAX_READS];
};

static void add_to_pool(struct depend_trial *t, long long value) {
    if (t->npool < MAX_POOL) t->pool[t->npool++] = value;
}

static void look_at_term(struct depend_trial *t, const struct sym *s) {
    if (!s) return;
    if (s->kind == SYM_READ) t->types[s->read] = s->type;
    if (s->kind == SYM_OP && s->op == EXPR_SHL && s->b->kind == SYM_INT)
        for (int r = set_first(s->a->reads.bits, READ_WORDS); r >= 0;
             r = set_next(s->a->reads.bits, READ_WORDS, r))
            t->shifts[r] += (int)value_int(s->b->type, s->b->value);
    if (s->kind == SYM_INT && !s->type.real && s->type.lanes == 1)
        for (int k = -1; k <= 1; k++)
            add_to_pool(t, (long long)((uint64_t)value_int(s->type, s->value) + (uint64_t)k));
    look_at_term(t, s->a);
    if (sym_is_extreme(s)) return; /* its parts are those of its condition */
    look_at_term(t, s->b);
    look_at_term(t, s->c);
}

static void try_value(struct depend_trial *t, int read) {
    t->random = t->random * 6364136223846793005u + 1442695040888963407u;
    uint64_t bits = t->random >> 20;
    long long value =
        bits % 4 ? t->pool[bits / 4 % (uint64_t)t->npool] : (long long)(bits * 0x9e3779b97f4a7c15u);
    t->values[read] = value_from(t->types[read], value);
}

/* Makes the reads the parts of one number, as a number that was put together of them may be compared. */
static void try_parts(struct depend_trial *t, const struct sym *s) {
    long long whole = t->pool[(t->random >> 33) % (uint64_t)t->npool];
    for (int r = set_first(s->reads.bits, READ_WORDS); r >= 0; r = set_next(s->reads.bits, READ_WORDS, r))
        t->values[r] = value_from(t->types[r], t->shifts[r] < 64 ? whole >> t->shifts[r] : 0);
}

/* Whether some values of the reads are found with which a term changes as one read does. */
static bool changes_with(struct depend_trial *t, const struct sym *s, int read,
                         struct search_budget *budget) {
    for (int k = 0; k < MAX_TRIALS; k++) {
        if (!budget_wait(budget, (MAX_TRIED + 1) * (long long)s->weight / TERMS_A_UNIT)) return true;
        for (int r = set_first(s->reads.bits, READ_WORDS); r >= 0; r = set_next(s->reads.bits, READ_WORDS, r))
            try_value(t, r);
        if (k % 3 == 2) try_parts(t, s);
        struct value before = sym_eval(s, t->values);
        for (int i = 0; i < MAX_TRIED; i++) {
            try_value(t, read);
            if (!value_equal(sym_eval(s, t->values), before)) return true;
        }
    }
    return false;
}

struct reads depend_reads(const struct sym *s, struct search_budget *budget) {
    if (!s || s->kind == SYM_INT) return (struct reads){{0}};
    if (s->kind == SYM_READ) return s->reads;
    struct depend_trial t = {.npool = 0};
    struct reads found = {{0}};
    for (long long k = -1; k <= 3; k++)
        add_to_pool(&t, k);
    look_at_term(&t, s);
    for (int r = set_first(s->reads.bits, READ_WORDS); r >= 0; r = set_next(s->reads.bits, READ_WORDS, r))
        if (changes_with(&t, s, r, budget)) set_add(found.bits, r);
    return found;
}

/* Events */

/* Two paths of a thread that part at a guard, and where what each does from there on begins. */
struct depend_parting {
    const struct path *x, *y;
    int xfirst, yfirst;
    bool index; /* they part where an access takes one element or another, which is an address dependency */
};

/* How many guards two paths have in common. */
static int count_common(const struct path *x, const struct path *y) {
    int n = 0;
    while (n < x->nguards && n < y->nguards && x->guards[n].sym == y->guards[n].sym &&
           x->guards[n].holds == y->guards[n].holds)
        n++;
    return n;
}

static bool same_access(const struct depend_parting *p, const struct event *x, const struct event *y);

static const struct event *event_of_read(const struct path *p, int read) {
    int k = 0;
    while (p->events[k].read != read)
        k++;
    return &p->events[k];
}

/* How many events that are like x its path has from `first` on and before it; or only those of its statement. */
static int count_like(const struct depend_parting *p, const struct path *path, int first,
                      const struct event *x, bool statement) {
    int n = 0;
    for (const struct event *e = path->events + first; e < x; e++)
        n += same_access(p, x, e) && (!statement || e->stmt == x->stmt);
    return n;
}

/* Which event of the other path is the same as x: the first that is like it if x is the first of these, and so on, or the last
 * if x is the last; or the first of its statement, which stands behind where the ways have met again. */
struct depend_counterpart {
    const struct event *x;
    int like, statement; /* so many come before */
    int later; /* so many more that are like it the other path has; where x is the last, it is the last of these */
};

static struct depend_counterpart counterpart_of(const struct depend_parting *p, const struct event *x) {
    struct depend_counterpart c = {x, count_like(p, p->x, p->xfirst, x, false),
                                   count_like(p, p->x, p->xfirst, x, true), 0};
    int after = 0;
    for (const struct event *e = x + 1; e < p->x->events + p->x->nevents; e++)
        after += same_access(p, x, e);
    for (int k = p->yfirst; k < p->y->nevents; k++)
        c.later += same_access(p, x, &p->y->events[k]);
    c.later -= after + 1;
    return c;
}

/* Whether the next event of the other path is the same. */
static bool counterpart_is(struct depend_counterpart *c, const struct depend_parting *p,
                           const struct event *y) {
    if (!same_access(p, c->x, y)) return false;
    bool statement = c->x->stmt == y->stmt && c->statement-- == 0;
    bool last = c->later-- == 0;
    return c->like-- == 0 || last || statement;
}

/* Whether what a read returns in one path is what a read returns in the other. */
static bool same_read(const struct depend_parting *p, int xread, int yread) {
    const struct event *x = event_of_read(p->x, xread), *y = event_of_read(p->y, yread);
    bool before = x - p->x->events < p->xfirst;
    if (before || y - p->y->events < p->yfirst) return xread == yread;
    struct depend_counterpart c = counterpart_of(p, x);
    for (const struct event *e = p->y->events + p->yfirst; e < y; e++)
        counterpart_is(&c, p, e);
    return counterpart_is(&c, p, y);
}

static bool same_term(const struct depend_parting *p, const struct sym *x, const struct sym *y) {
    if (!x || !y || x->kind != y->kind || !type_same(x->type, y->type)) return x == y;
    switch (x->kind) {
    case SYM_INT: return value_equal(x->value, y->value);
    case SYM_READ: return same_read(p, x->read, y->read);
    case SYM_OP:
    case SYM_RMW: break;
    }
    if (sym_both_extreme(x, y)) return same_term(p, x->a, y->a);
    return x->op == y->op && x->fn == y->fn && same_term(p, x->a, y->a) && same_term(p, x->b, y->b) &&
           same_term(p, x->c, y->c);
}

static bool same_operation(const struct op *x, const struct op *y) {
    return x->name == y->name && x->barrier_id == y->barrier_id && x->barrier_threads == y->barrier_threads &&
           x->pending == y->pending;
}

/* The same but for what is written. A compare-exchange reads alike whether it succeeds or not. */
static bool same_access(const struct depend_parting *p, const struct event *x, const struct event *y) {
    bool place = x->element == y->element || (p->index && x->stmt == y->stmt);
    return x->kind == y->kind && x->loc == y->loc && place && x->lane == y->lane && x->parts == y->parts &&
           x->from == y->from && x->lanes == y->lanes && (x->agent == 0) == (y->agent == 0) &&
           x->strength.order == y->strength.order && x->strength.scope == y->strength.scope &&
           same_operation(x->stmt->op, y->stmt->op);
}

/* Whether the other path has, after they parted, an event that is the same as event e of path x. */
static bool happens_in_both(const struct depend_parting *p, int e) {
    struct depend_counterpart c = counterpart_of(p, &p->x->events[e]);
    for (int k = p->yfirst; k < p->y->nevents; k++) {
        const struct event *y = &p->y->events[k];
        if (counterpart_is(&c, p, y) && (!c.x->value || same_term(p, c.x->value, y->value))) return true;
    }
    return false;
}

/* Whether the paths say the contrary of a guard after they parted, too: then it is another read that differs. */
static bool part_again(const struct depend_parting *p, int guard) {
    for (int i = guard + 1; i < p->x->nguards; i++)
        for (int k = guard + 1; k < p->y->nguards; k++)
            if (p->x->guards[i].holds != p->y->guards[k].holds &&
                same_term(p, p->x->guards[i].sym, p->y->guards[k].sym))
                return true;
    return false;
}

/* Adds what a guard depends on to the events that the other path lacks. Its index was good in both. */
static void compare_paths(struct path *x, const struct path *y, const struct reads *needed) {
    int guard = count_common(x, y);
    if (x == y || y->end == PATH_OUT_OF_BOUNDS || guard == x->nguards || guard == y->nguards) return;
    struct depend_parting p = {x, y, x->guards[guard].events, y->guards[guard].events,
                               x->guards[guard].index};
    if (!bits_any(needed[guard].bits, READ_WORDS) || part_again(&p, guard)) return;
    for (int e = p.xfirst; e < x->nevents; e++)
        if (!happens_in_both(&p, e)) reads_add(&x->events[e].ctrl, &needed[guard]);
}

static void depend_on_all(struct path *p, const struct reads *needed) {
    for (int k = 0; k < p->nguards; k++)
        for (int e = p->guards[k].events; e < p->nevents; e++)
            reads_add(&p->events[e].ctrl, &needed[k]);
}

void depend_on_branches(struct unfolding *u, struct search_budget *budget) {
    struct arena *a = arena_open();
    for (int x = 0; x < u->npaths && u->npaths > 1 && !u->why; x++) {
        struct path *p = &u->paths[x];
        struct reads *needed = arena_array(a, (size_t)p->nguards, sizeof *needed);
        for (int k = 0; k < p->nguards; k++)
            needed[k] = depend_reads(p->guards[k].sym, budget);
        if (u->npaths > MAX_COMPARED) depend_on_all(p, needed);
        for (int y = 0; y < u->npaths && u->npaths <= MAX_COMPARED; y++)
            compare_paths(p, &u->paths[y], needed);
        if (!budget_wait(budget, u->npaths)) u->why = budget->spent;
        arena_reset(a);
    }
    arena_close(a);
}
