/* A second writing of No-Thin-Air.
 *
 * A thread is run for all values that its reads might return. A store depends on a read if, for two values of that read
 * where all else that is read is the same, the thread does not do the same store. As long as the thread takes the same way
 * that is the same step with the same value. Behind a branch of which it takes another way, it is any store of that value
 * to that location: a compiler may leave out what is overwritten before it. What is undefined in C++, as an access that leads
 * nowhere, does not happen for all that a compiler knows: a run that comes to it tells no dependency, and what stands behind it may come
 * before. All accesses are relaxed at system scope and nothing synchronizes, so what is left of the model is No-Thin-Air, one order of the writes of each location,
 * and SC-per-Location. */
#include "depend.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_VALUES = 6, FEW = 3, MAX_EVENTS = THREADS * MAX_STEPS };

/* ---- what a thread does ---- */

struct step {
    bool store;
    int loc, slot;
    long long value;
};

struct trace {
    struct step steps[MAX_STEPS];
    int n;
    long long registers[SLOTS + 1];
    struct turn {
        int way, steps; /* that a branch, an index or a pointer takes, and the steps before it */
    } turns[MAX_STEPS];
    enum end_of {
        ENDED,
        TRAPPED,
        ASTRAY,
        OUTSIDE
    } end,
        gone; /* where: at an access that leads nowhere; beyond an array. And at which of these it went on */
    bool goes_on; /* it does so */
    int points;   /* where p leads */
    int nturns;
    unsigned loaded, depends[MAX_STEPS]; /* the slots that are; and those that a store depends on */
    unsigned from[SLOTS + 1], branched; /* by the text: from which a register is computed, and the branches */
};

/* The number of a type that has these bits. */
static long long number_of(const struct number_type *t, unsigned long long bits) {
    if (t->bits == 64) return (long long)bits;
    return t->sign ? (int)(unsigned)bits : (long long)(unsigned)bits;
}

static bool is_less(const struct number_type *t, long long a, long long b) {
    return t->sign ? a < b : (unsigned long long)a < (unsigned long long)b;
}

static long long compute(const struct number_type *t, const struct number *e, const long long *registers) {
    if (e->kind != OPERATION) return e->kind == NUMBER ? e->value : registers[e->value];
    long long a = compute(t, e->a, registers), b = compute(t, e->b, registers);
    unsigned long long x = (unsigned long long)a, y = (unsigned long long)b;
    int by = (int)(y & (unsigned)(t->bits - 1));
    switch (e->oper) {
    case OR: return a | b;
    case AND: return a & b;
    case XOR: return a ^ b;
    case ADD: return number_of(t, x + y);
    case SUB: return number_of(t, x - y);
    case MUL: return number_of(t, x * y);
    case LEFT: return number_of(t, x << by);
    case RIGHT: return a >> by;
    case EQUAL: return a == b;
    case LESS: return is_less(t, a, b);
    case MIN: return is_less(t, a, b) ? a : b;
    case MAX: return is_less(t, a, b) ? b : a;
    case CHOOSE: return a ? b : compute(t, e->c, registers);
    case OPERS: break;
    }
    return 0;
}

/* The slots from which the text computes a number. */
static unsigned sources(const struct number *e, const unsigned *from) {
    if (!e || e->kind == NUMBER) return 0;
    if (e->kind == REGISTER) return from[e->value];
    return sources(e->a, from) | sources(e->b, from) | (e->oper == CHOOSE ? sources(e->c, from) : 0);
}

static void take_turn(struct trace *out, int way) {
    out->turns[out->nturns++] = (struct turn){way, out->n};
}

static void store_to(struct trace *out, int loc, long long value) {
    out->steps[out->n++] = (struct step){true, loc, 0, value};
}

static void load_slot(const struct program *p, int thread, int slot, const long long *returned,
                      struct trace *out) {
    out->steps[out->n++] = (struct step){false, p->from[thread][slot], slot, returned[slot]};
    out->from[slot] = 1u << slot;
    out->registers[slot] = returned[slot];
    out->loaded |= 1u << slot;
}

/* An access whose place is computed: it may lead astray, and then it is the last, or is left out. */
static void run_access(const struct program *p, int thread, const struct line *s, const long long *returned,
                       long long value, struct trace *out) {
    long long index = s->index ? compute(p->type, s->index, out->registers) : 0;
    int way = (int)(index & 1);
    if (s->kind == STORE_AT) way = out->points;
    if (s->kind == LOAD_IF) way = index ? 0 : NOWHERE;
    if (s->kind == STORE_ANY) way = index ? NOWHERE : 0;
    take_turn(out, way);
    bool misaligned = s->kind == STORE_PAIR && way;
    if (way == NOWHERE || misaligned) {
        enum end_of gone = s->kind == STORE_ANY ? OUTSIDE : ASTRAY;
        if (!out->goes_on) out->end = gone;
        if (!out->gone) out->gone = gone;
        return;
    }
    if (s->kind == STORE_ANY) return;
    if (s->kind == LOAD_IF)
        load_slot(p, thread, s->slot, returned, out);
    else
        store_to(out, s->kind == STORE_AT ? way : 2 + way, value);
    if (s->kind == STORE_PAIR) store_to(out, 3, value);
}

static void run_stmts(const struct program *p, int thread, const struct line *s, const long long *returned,
                      struct trace *out);

static void run_line(const struct program *p, int thread, const struct line *s, const long long *returned,
                     struct trace *out) {
    long long value = s->value ? compute(p->type, s->value, out->registers) : 0;
    unsigned from = sources(s->value, out->from);
    bool holds = s->kind == IF_POINTS ? out->points != NOWHERE : value != 0;
    if (p->syntactic && out->n < MAX_STEPS)
        out->depends[out->n] = out->branched | (s->kind == LOAD ? 0 : from | sources(s->index, out->from));
    switch (s->kind) {
    case LOAD: load_slot(p, thread, s->slot, returned, out); break;
    case STORE: store_to(out, s->loc, value); break;
    case LOAD_IF:
    case STORE_ELEMENT:
    case STORE_ANY:
    case STORE_PAIR:
    case STORE_AT: run_access(p, thread, s, returned, value, out); break;
    case POINT: out->points = compute(p->type, s->index, out->registers) ? s->loc : s->beside; break;
    case SET:
        out->registers[SLOTS] = value;
        out->from[SLOTS] = from;
        break;
    case IF:
    case IF_POINTS:
        out->branched |= from;
        take_turn(out, holds);
        run_stmts(p, thread, holds ? s->then : s->other, returned, out);
        break;
    case TRAP: out->end = TRAPPED; break;
    }
}

static void run_stmts(const struct program *p, int thread, const struct line *s, const long long *returned,
                      struct trace *out) {
    for (; s && out->end == ENDED; s = s->next)
        run_line(p, thread, s, returned, out);
}

static struct trace run(const struct program *p, int thread, const long long *returned, bool goes_on) {
    struct trace t = {.goes_on = goes_on};
    run_stmts(p, thread, p->first[thread], returned, &t);
    return t;
}

/* What is returned, to find out what depends on it: the constants of the programs, their neighbours, and others, of which
 * some change their sign when they are doubled or multiplied by themselves, or are then the negative of a constant. */
static const long long tried[] = {-1500000000,
                                  -7,
                                  -4,
                                  -3,
                                  -2,
                                  -1,
                                  0,
                                  1,
                                  2,
                                  3,
                                  4,
                                  5,
                                  6,
                                  8,
                                  9,
                                  16,
                                  1 << 19,
                                  1 << 20,
                                  (1 << 20) + 1,
                                  -(1 << 19),
                                  1 << 30,
                                  (1 << 30) + 1,
                                  (1 << 30) + 2,
                                  1 - (1 << 30),
                                  -(1 << 30),
                                  1ll << 31,
                                  (1ll << 31) + 1,
                                  -(1ll << 31),
                                  1ll << 32,
                                  (1ll << 32) + 1,
                                  -(1ll << 32),
                                  -(1ll << 20),
                                  1ll << 33,
                                  46341, /* the least whose squares are negative */
                                  3037000500ll,
                                  1ll << 62,
                                  (1ll << 62) + 1,
                                  1 - (1ll << 62),
                                  -(1ll << 62)};
enum { TRIED = sizeof tried / sizeof *tried, ALL_TRIED = TRIED * TRIED };

/* At how many of their branches two traces take the same way, from the first on. */
static int count_turns(const struct trace *x, const struct trace *y) {
    int k = 0;
    while (k < x->nturns && k < y->nturns && x->turns[k].way == y->turns[k].way)
        k++;
    return k;
}

static bool is_one_way(const struct trace *x, const struct trace *y) {
    return x->nturns == y->nturns && count_turns(x, y) == x->nturns;
}

/* Whether y does the same store as step e of x: where the ways have parted, at any place behind. */
static bool does(const struct trace *x, int e, const struct trace *y) {
    const struct step *s = &x->steps[e];
    int common = is_one_way(x, y) ? x->n : x->turns[count_turns(x, y)].steps;
    if (y->gone) return true; /* C++ leaves it undefined: whatever y does, it tells nothing */
    if (e < common) return y->steps[e].value == s->value;
    for (int k = common; k < y->n; k++)
        if (y->steps[k].store && y->steps[k].loc == s->loc && y->steps[k].value == s->value) return true;
    return false;
}

static void find_dependencies(const struct trace all[ALL_TRIED], struct trace *t) {
    for (int one = 0; one < ALL_TRIED; one++) {
        if (!is_one_way(&all[one], t)) continue;
        for (int slot = 0; slot < SLOTS; slot++)
            for (int k = 0; k < TRIED; k++) {
                int two = slot ? one % TRIED + k * TRIED : one / TRIED * TRIED + k;
                for (int e = 0; e < t->n; e++)
                    if ((t->loaded & ~t->depends[e]) >> slot & 1 && t->steps[e].store &&
                        !does(&all[one], e, &all[two]))
                        t->depends[e] |= 1u << slot;
            }
    }
}

/* ---- the model ---- */

struct values {
    long long list[32];
    int n;
};

struct candidate {
    const struct program *p;
    const struct trace *traces[THREADS];
    struct event {
        int thread, step, source; /* thread -1: the first write of a location */
        struct step what;
    } events[MAX_EVENTS + LOCS];
    int n;
    uint64_t after[MAX_EVENTS + LOCS];  /* rf, co, fr and po of a location */
    uint64_t needed[MAX_EVENTS + LOCS]; /* rf and dependencies */
};

bool depend_has(const struct outcomes *o, const long long *values) {
    for (int k = 0; k < o->n; k++)
        if (memcmp(o->list[k], values, (size_t)o->nobs * sizeof *values) == 0) return true;
    return false;
}

static bool is_acyclic(const struct candidate *c, const uint64_t *from) {
    uint64_t left = c->n == 64 ? ~0ull : (1ull << c->n) - 1, before;
    do {
        before = left;
        for (int e = 0; e < c->n; e++)
            if (!(from[e] & left)) left &= ~(1ull << e);
    } while (left != before);
    return left == 0;
}

static void record(const struct candidate *c, const int *last, struct outcomes *out) {
    long long values[MAX_OBS] = {0};
    int n = 0;
    bool ends = true;
    for (int t = 0; t < c->p->nthreads; t++) {
        const struct trace *trace = c->traces[t];
        out->fault = out->fault || trace->gone == ASTRAY || (!trace->gone && trace->end == TRAPPED);
        out->leaves = out->leaves || trace->gone == OUTSIDE;
        ends = ends && !trace->gone && trace->end == ENDED;
    }
    if (!ends) return;
    for (int t = 0; t < c->p->nthreads; t++)
        for (int slot = 0; slot < SLOTS; slot++)
            values[n++] = c->traces[t]->registers[slot];
    for (int l = 0; l < LOCS; l++)
        values[n++] = c->events[last[l]].what.value;
    if (depend_has(out, values)) return;
    if (out->n == out->cap) {
        out->cap = out->cap * 2 + 16;
        out->list = realloc(out->list, (size_t)out->cap * sizeof *out->list);
        if (!out->list) abort();
    }
    memcpy(out->list[out->n++], values, sizeof values);
}

/* Puts the writes of location l that are not in `done` after `last[l]`, in every order. */
static void order_writes(struct candidate *c, int l, uint64_t done, int *last, struct outcomes *out) {
    bool open = false;
    if (l == LOCS) {
        if (is_acyclic(c, c->after)) record(c, last, out);
        return;
    }
    for (int w = 0; w < c->n; w++) {
        if (!c->events[w].what.store || c->events[w].what.loc != l || (done >> w & 1)) continue;
        struct candidate next = *c;
        int before = last[l];
        open = true;
        next.after[before] |= 1ull << w;
        for (int r = 0; r < c->n; r++)
            if (!c->events[r].what.store && c->events[r].source == before) next.after[r] |= 1ull << w;
        last[l] = w;
        if (is_acyclic(&next, next.after)) order_writes(&next, l, done | 1ull << w, last, out);
        last[l] = before;
    }
    if (!open) order_writes(c, l + 1, done, last, out);
}

/* Lets each read, from event r on, read from every write of its value. */
static void choose_sources(struct candidate *c, int r, struct outcomes *out) {
    while (r < c->n && c->events[r].what.store)
        r++;
    if (r == c->n) {
        int last[LOCS] = {0, 1, 2, 3};
        order_writes(c, 0, (1ull << LOCS) - 1, last, out);
        return;
    }
    struct event *read = &c->events[r];
    for (int w = 0; w < c->n; w++) {
        const struct event *write = &c->events[w];
        if (!write->what.store || write->what.loc != read->what.loc || write->what.value != read->what.value)
            continue;
        uint64_t after = c->after[w], needed = c->needed[w];
        read->source = w;
        c->after[w] |= 1ull << r;
        c->needed[w] |= 1ull << r;
        if (is_acyclic(c, c->needed) && is_acyclic(c, c->after)) choose_sources(c, r + 1, out);
        c->after[w] = after;
        c->needed[w] = needed;
    }
}

static void relate(struct candidate *c) {
    for (int x = 0; x < c->n; x++)
        for (int y = 0; y < c->n; y++) {
            const struct event *ex = &c->events[x], *ey = &c->events[y];
            if (ex->thread < 0 || ex->thread != ey->thread) continue;
            if (x < y && ex->what.loc == ey->what.loc) c->after[x] |= 1ull << y;
            if (!ex->what.store && (c->traces[ey->thread]->depends[ey->step] >> ex->what.slot & 1))
                c->needed[x] |= 1ull << y;
        }
}

static void judge(const struct program *p, const struct trace *const *traces, struct outcomes *out) {
    struct candidate c = {.p = p};
    for (int l = 0; l < LOCS; l++)
        c.events[c.n++] = (struct event){-1, 0, -1, {true, l, 0, 0}};
    for (int t = 0; t < p->nthreads; t++) {
        c.traces[t] = traces[t];
        for (int k = 0; k < traces[t]->n; k++)
            c.events[c.n++] = (struct event){t, k, -1, traces[t]->steps[k]};
    }
    relate(&c);
    choose_sources(&c, 0, out);
}

/* ---- all that the threads can do ---- */

enum { MAX_TRACES = 2 * MAX_VALUES * MAX_VALUES };

struct threads {
    struct trace traces[THREADS][MAX_TRACES];
    int n[THREADS];
    struct values values[LOCS];
};

static bool add_value(struct values *v, long long value) {
    for (int k = 0; k < v->n; k++)
        if (v->list[k] == value) return false;
    if (v->n <= MAX_VALUES) v->list[v->n++] = value;
    return true;
}

/* Runs a thread with all values that are known of its locations; whether it stores new ones. */
static bool run_thread(const struct program *p, int thread, struct threads *all) {
    const struct values *v = all->values;
    struct values one = v[p->from[thread][0]], two = v[p->from[thread][1]];
    bool more = false;
    all->n[thread] = 0;
    for (int k = 0; k < 2 * one.n * two.n; k++) {
        long long values[] = {one.list[k / 2 % one.n], two.list[k / 2 / one.n]};
        struct trace t = run(p, thread, values, k % 2);
        for (int e = 0; e < t.n; e++)
            more |= t.steps[e].store && add_value(&all->values[t.steps[e].loc], t.steps[e].value);
        if (!(t.loaded >> 1) && k / 2 >= one.n)
            continue;                       /* the same as with another value that is not read */
        if (t.goes_on && !t.gone) continue; /* the same as the one that would end */
        if (all->n[thread] < MAX_TRACES) all->traces[thread][all->n[thread]++] = t;
    }
    return more;
}

/* A thread with all that is tried. */
static void run_tried(const struct program *p, int thread, bool goes_on, struct trace made[ALL_TRIED]) {
    for (int k = 0; k < ALL_TRIED; k++)
        made[k] = run(p, thread,
                      (long long[]){number_of(p->type, (unsigned long long)tried[k % TRIED]),
                                    number_of(p->type, (unsigned long long)tried[k / TRIED])},
                      goes_on);
}

/* The values that a store of trace `first` has on its way: where these are few they may depend on nothing. */
static void add_of_way(const struct trace made[ALL_TRIED], int first, int step, struct values *to) {
    struct values few = {{0}, 0};
    for (int k = first; k < ALL_TRIED && few.n <= FEW; k++)
        if (is_one_way(&made[k], &made[first])) add_value(&few, made[k].steps[step].value);
    for (int k = 0; k < few.n && few.n <= FEW; k++)
        add_value(to, few.list[k]);
}

/* A compiler may store what only runs store that need it to be stored already, if others are undefined. False if all are: then
 * the values that it may store are not few. */
static bool add_assumed(const struct program *p, int thread, struct threads *all) {
    struct trace made[ALL_TRIED];
    int strays = 0;
    run_tried(p, thread, true, made);
    for (int k = 0; k < ALL_TRIED; k++)
        strays += made[k].gone != ENDED;
    for (int k = 0; k < ALL_TRIED && strays; k++) {
        int same = 0;
        while (!is_one_way(&made[same], &made[k]))
            same++;
        for (int e = 0; e < made[k].n && same == k; e++)
            if (made[k].steps[e].store) add_of_way(made, k, e, &all->values[made[k].steps[e].loc]);
    }
    return strays < ALL_TRIED;
}

/* False if there are too many values to try them all, or a thread is undefined with each. */
static bool run_threads(const struct program *p, struct threads *all) {
    bool more = true;
    for (int l = 0; l < LOCS; l++)
        all->values[l] = (struct values){{0}, 1};
    for (int t = 0; t < p->nthreads && p->strays; t++)
        if (!add_assumed(p, t, all)) return false;
    while (more) {
        more = false;
        for (int t = 0; t < p->nthreads; t++)
            more |= run_thread(p, t, all);
        for (int l = 0; l < LOCS; l++)
            if (all->values[l].n > MAX_VALUES) return false;
    }
    struct trace made[ALL_TRIED];
    if (p->syntactic) return true;
    for (int t = 0; t < p->nthreads; t++)
        for (int goes_on = 0; goes_on < 2; goes_on++) {
            run_tried(p, t, goes_on, made);
            for (int k = 0; k < all->n[t]; k++)
                if (all->traces[t][k].goes_on == goes_on) find_dependencies(made, &all->traces[t][k]);
        }
    return true;
}

static void judge_all(const struct program *p, const struct threads *all, int thread,
                      const struct trace **traces, struct outcomes *out) {
    if (thread == p->nthreads) {
        judge(p, traces, out);
        return;
    }
    for (int k = 0; k < all->n[thread]; k++) {
        traces[thread] = &all->traces[thread][k];
        judge_all(p, all, thread + 1, traces, out);
    }
}

bool depend_run(const struct program *p, struct outcomes *out) {
    struct threads all;
    out->nobs = p->nthreads * SLOTS + LOCS;
    if (!run_threads(p, &all)) return false;
    judge_all(p, &all, 0, (const struct trace *[THREADS]){0}, out);
    return true;
}
