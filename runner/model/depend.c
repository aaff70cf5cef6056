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

static struct depend_trial begin_trial(const struct sym *s) {
    struct depend_trial t = {.npool = 0};
    for (long long k = -1; k <= 3; k++)
        add_to_pool(&t, k);
    look_at_term(&t, s);
    return t;
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

static void try_all(struct depend_trial *t, const struct sym *s) {
    for (int r = set_first(s->reads.bits, READ_WORDS); r >= 0; r = set_next(s->reads.bits, READ_WORDS, r))
        try_value(t, r);
}

/* The value of a term, or whether it is true. */
static struct value evaluate(const struct sym *s, bool truth, const struct value *reads) {
    return truth ? (struct value){sym_is_true(s, reads), 0} : sym_eval(s, reads);
}

/* Whether some values of the reads are found with which a term changes as one read does. */
static bool changes_with(struct depend_trial *t, const struct sym *s, bool truth, int read,
                         struct search_budget *budget) {
    for (int k = 0; k < MAX_TRIALS; k++) {
        if (!budget_wait(budget, (MAX_TRIED + 1) * (long long)s->weight / TERMS_A_UNIT)) return true;
        try_all(t, s);
        if (k % 3 == 2) try_parts(t, s);
        struct value before = evaluate(s, truth, t->values);
        for (int i = 0; i < MAX_TRIED; i++) {
            try_value(t, read);
            if (!value_equal(evaluate(s, truth, t->values), before)) return true;
        }
    }
    return false;
}

static struct reads find_reads(const struct sym *s, bool truth, struct search_budget *budget) {
    struct depend_trial t = begin_trial(s);
    struct reads found = {{0}};
    for (int r = set_first(s->reads.bits, READ_WORDS); r >= 0; r = set_next(s->reads.bits, READ_WORDS, r))
        if (changes_with(&t, s, truth, r, budget)) set_add(found.bits, r);
    return found;
}

struct reads depend_reads(const struct sym *s, struct search_budget *budget) {
    if (!s || s->kind == SYM_INT) return (struct reads){{0}};
    return s->kind == SYM_READ ? s->reads : find_reads(s, false, budget);
}

/* Events */

/* Two paths of a thread that part at a guard, and where what each does from there on begins. */
struct depend_parting {
    const struct path *x, *y;
    int xfirst, yfirst;
    bool index; /* they part where an access takes one element or another, which is an address dependency */
    struct search_budget *budget;
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

/* Gives the reads of x what is given to the same reads of y. */
static void try_the_same(const struct depend_parting *p, struct depend_trial *of_x, const struct sym *x,
                         const struct depend_trial *of_y, const struct sym *y) {
    for (int i = set_first(x->reads.bits, READ_WORDS); i >= 0; i = set_next(x->reads.bits, READ_WORDS, i))
        for (int k = set_first(y->reads.bits, READ_WORDS); k >= 0; k = set_next(y->reads.bits, READ_WORDS, k))
            if (same_read(p, i, k)) of_x->values[i] = of_y->values[k];
}

/* Whether no values of the reads are found with which two terms differ: what one path knows may have made its term another. */
static bool same_value(const struct depend_parting *p, const struct sym *x, const struct sym *y) {
    if (!type_same(x->type, y->type)) return false;
    if (same_term(p, x, y)) return true;
    struct depend_trial of_x = begin_trial(x), of_y = begin_trial(y);
    for (int k = 0; k < of_x.npool; k++)
        add_to_pool(&of_y, of_x.pool[k]);
    for (int k = 0; k < MAX_TRIALS * MAX_TRIED; k++) {
        if (!budget_wait(p->budget, ((long long)x->weight + y->weight) / TERMS_A_UNIT)) return false;
        try_all(&of_x, x);
        try_all(&of_y, y);
        try_the_same(p, &of_x, x, &of_y, y);
        if (!value_equal(sym_eval(x, of_x.values), sym_eval(y, of_y.values))) return false;
    }
    return true;
}

/* Whether the other path has, after they parted, an event that is the same as event e of path x. Of a plain write, any that
 * writes the same value is: what is overwritten before it can be left out. */
static bool happens_in_both(const struct depend_parting *p, int e) {
    struct depend_counterpart c = counterpart_of(p, &p->x->events[e]);
    bool plain = c.x->value && c.x->rmw < 0;
    for (int k = p->yfirst; k < p->y->nevents; k++) {
        const struct event *y = &p->y->events[k];
        bool same = plain ? same_access(p, c.x, y) : counterpart_is(&c, p, y);
        if (same && (!c.x->value || same_value(p, c.x->value, y->value))) return true;
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
static void compare_paths(struct path *x, const struct path *y, const struct reads *needed,
                          struct search_budget *budget) {
    int guard = count_common(x, y);
    if (x == y || y->end == PATH_OUT_OF_BOUNDS || guard == x->nguards || guard == y->nguards) return;
    struct depend_parting p = {
        x, y, x->guards[guard].events, y->guards[guard].events, x->guards[guard].index, budget};
    if (!bits_any(needed[guard].bits, READ_WORDS) || part_again(&p, guard)) return;
    for (int e = p.xfirst; e < x->nevents; e++)
        if (!happens_in_both(&p, e)) reads_add(&x->events[e].ctrl, &needed[guard]);
}

static void depend_on_all(struct path *p, const struct reads *needed) {
    for (int k = 0; k < p->nguards; k++)
        for (int e = p->guards[k].events; e < p->nevents; e++)
            reads_add(&p->events[e].ctrl, &needed[k]);
}

/* What the guards of a path depend on. */
struct depend_guards {
    struct reads *needed; /* guard by guard */
    bool impossible;      /* a guard was found to be never true, so nothing depends on this path */
};

static struct depend_guards look_at_guards(const struct path *p, struct search_budget *budget,
                                           struct arena *a) {
    const struct value none[MAX_READS] = {{0, 0}};
    struct depend_guards out = {arena_array(a, (size_t)p->nguards, sizeof *out.needed), false};
    for (int k = 0; k < p->nguards; k++) {
        const struct guard *g = &p->guards[k];
        out.needed[k] = find_reads(g->sym, true, budget);
        if (!bits_any(out.needed[k].bits, READ_WORDS) && sym_is_true(g->sym, none) != g->holds)
            out.impossible = true;
    }
    return out;
}

static void depend_on_others(struct unfolding *u, int x, const struct depend_guards *guards,
                             struct search_budget *budget) {
    for (int y = 0; y < u->npaths; y++)
        if (!guards[y].impossible) compare_paths(&u->paths[x], &u->paths[y], guards[x].needed, budget);
}

void depend_on_branches(struct unfolding *u, struct search_budget *budget) {
    if (u->npaths < 2 || u->why) return;
    struct arena *a = arena_open();
    struct depend_guards *guards = arena_array(a, (size_t)u->npaths, sizeof *guards);
    for (int k = 0; k < u->npaths && !u->why; k++) {
        guards[k] = look_at_guards(&u->paths[k], budget, a);
        if (!budget_wait(budget, 1)) u->why = budget->spent;
    }
    for (int k = 0; k < u->npaths && !u->why; k++) {
        if (u->npaths > MAX_COMPARED)
            depend_on_all(&u->paths[k], guards[k].needed);
        else
            depend_on_others(u, k, guards, budget);
        if (!budget_wait(budget, u->npaths)) u->why = budget->spent;
    }
    arena_close(a);
}
