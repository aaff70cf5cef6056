/* Holds the interpreter's dependencies against a second writing of No-Thin-Air, on random programs whose branches, values and
 * indices may say nothing about what is stored.
 *
 * A thread is run for all values that its reads might return. A store depends on a read if, for two values of that read
 * where all else that is read is the same, the thread does not do the same store. As long as the thread takes the same way
 * that is the same step with the same value. Behind a branch of which it takes another way, it is any store of that value
 * to that location: a compiler may leave out what is overwritten before it. All accesses are relaxed at system
 * scope and nothing synchronizes, so what is left of the model is No-Thin-Air, one order of the writes of each location,
 * and SC-per-Location. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../random.h"
#include "ask.h"
#include "base/text.h"

/* Thousands of programs take a while; how many is the argument. */
static int programs = 1500;

enum { THREADS = 4, SLOTS = 2, LOCS = 4, MAX_STEPS = 12, MAX_VALUES = 6, MAX_OBS = THREADS * SLOTS + LOCS };
enum { MAX_EVENTS = THREADS * MAX_STEPS };

static const char *const locs[LOCS] = {"x", "y", "a[0]", "a[1]"};

/* Programs */

enum oper { OR, AND, XOR, ADD, SUB, MUL, LEFT, RIGHT, EQUAL, LESS, MIN, MAX, CHOOSE, OPERS };

struct number {
    enum number_kind { NUMBER, REGISTER, OPERATION } kind;
    long long value; /* the number, or the register: a slot, or SLOTS for t */
    enum oper oper;
    const struct number *a, *b, *c;
};

struct line {
    enum line_kind { LOAD, STORE, STORE_ELEMENT, SET, IF } kind;
    int slot, loc;
    const struct number *value, *index; /* a branch's value is its condition */
    const struct line *then, *other, *next;
};

/* All numbers of a program are of one type. */
static const struct number_type {
    const char *name, *suffix;
    int bits;
    bool sign;
    long long large; /* a constant of which the low bits are 0 */
} number_types[] = {{"int", "", 32, true, 1 << 20},
                    {"unsigned", "u", 32, false, 1ll << 31},
                    {"long long", "ll", 64, true, 1ll << 32}};

/* A slot is a register and the location that it is loaded from, at most once on each way. */
struct program {
    const struct number_type *type;
    int nthreads;
    const struct line *first[THREADS];
    int from[THREADS][SLOTS];
};

static struct arena *arena;
static int room; /* for steps of the thread that is made */

static const struct number *constant(long long value) {
    struct number *e = arena_array(arena, 1, sizeof *e);
    *e = (struct number){.kind = NUMBER, .value = value};
    return e;
}

static const struct number *named(int value) {
    struct number *e = arena_array(arena, 1, sizeof *e);
    *e = (struct number){.kind = REGISTER, .value = value};
    return e;
}

static const struct number *apply(enum oper oper, const struct number *a, const struct number *b,
                                  const struct number *c) {
    struct number *e = arena_array(arena, 1, sizeof *e);
    *e = (struct number){OPERATION, 0, oper, a, b, c};
    return e;
}

/* Of the same value whatever e is. */
static const struct number *make_constant(const struct number *e) {
    const struct number *n = constant(pick(3)), *one = constant(1);
    switch (pick(9)) {
    case 0: return apply(AND, apply(OR, e, one, NULL), one, NULL);
    case 1: return apply(MIN, apply(MAX, e, n, NULL), n, NULL);
    case 2: return apply(CHOOSE, apply(EQUAL, e, n, NULL), e, n);
    case 3: return apply(ADD, n, apply(XOR, e, e, NULL), NULL);
    case 4: return apply(ADD, apply(SUB, e, e, NULL), n, NULL);
    case 5: return apply(ADD, apply(MUL, e, constant(0), NULL), n, NULL);
    case 6:
        return apply(OR, apply(LESS, e, n, NULL), apply(EQUAL, apply(LESS, e, n, NULL), constant(0), NULL),
                     NULL);
    case 7: return apply(MAX, apply(AND, e, one, NULL), one, NULL);
    default: return apply(CHOOSE, e, n, n);
    }
}

static const struct number *make_expr(const struct program *p, int depth) {
    if (depth == 0 && pick(3)) return named(pick(SLOTS + 1));
    if (depth == 0) return constant(pick(12) ? pick(3) : p->type->large);
    const struct number *a = make_expr(p, pick(depth)), *b = make_expr(p, pick(depth)),
                        *c = make_expr(p, pick(depth));
    if (pick(3) == 0) return make_constant(a);
    enum oper oper = (enum oper)pick(OPERS);
    if (oper == LEFT || oper == RIGHT) b = constant(pick(4)); /* few values are tried */
    return pick(3) == 0 ? a : apply(oper, a, b, c);
}

/* Statements; the slots that have been loaded before are in *loaded. */
static const struct line *make_stmts(const struct program *p, int thread, int n, int depth, unsigned *loaded);

/* What is easily decided by another branch on the same register. */
static const struct number *make_test(const struct program *p, int reg) {
    const struct number *r = named(reg), *n = constant(pick(6) ? pick(3) : p->type->large);
    switch (pick(6)) {
    case 0: return r;
    case 1: return apply(LESS, r, n, NULL);
    case 2: return apply(LESS, n, r, NULL);
    case 3: return apply(AND, r, constant(1 + pick(3)), NULL);
    case 4: return apply(EQUAL, apply(RIGHT, r, constant(p->type->bits - 1 - pick(2)), NULL), n, NULL);
    default: return apply(EQUAL, r, n, NULL);
    }
}

static struct line *make_line(void) {
    room--;
    return arena_array(arena, 1, sizeof(struct line));
}

/* if, and some times else if ... else, of one register. */
static void make_chain(const struct program *p, int thread, int depth, unsigned *loaded, struct line *s,
                       int reg) {
    unsigned then = *loaded, other = *loaded;
    struct line *next = NULL;
    *s = (struct line){.kind = IF, .value = make_test(p, reg), .next = s->next};
    s->then = make_stmts(p, thread, 1 + pick(2), depth - 1, &then);
    if (pick(3) && room > 0) {
        next = make_line();
        make_chain(p, thread, depth, &other, next, reg);
    }
    s->other = next ? next : make_stmts(p, thread, 1, depth - 1, &other);
    *loaded = then | other;
}

static void make_branch(const struct program *p, int thread, int depth, unsigned *loaded, struct line *s) {
    unsigned then = *loaded, other = *loaded;
    s->kind = IF;
    s->value = pick(2) ? apply(EQUAL, named(pick(SLOTS)), constant(pick(2)), NULL) : make_expr(p, 2);
    s->then = make_stmts(p, thread, 1 + pick(3), depth - 1, &then);
    if (pick(4)) s->other = make_stmts(p, thread, 1 + pick(3), depth - 1, &other);
    *loaded = then | other;
}

static const struct line *make_stmts(const struct program *p, int thread, int n, int depth,
                                     unsigned *loaded) {
    if (n == 0 || room == 0) return NULL;
    struct line *s = make_line();
    int slot = pick(SLOTS), what = pick(10);
    *s = (struct line){.kind = STORE, .loc = pick(LOCS), .value = constant(1 + pick(2))};
    if (pick(2)) s->loc = (p->from[thread][0] + 1) % 2; /* so that stores meet */
    if (what < 2 && !(*loaded >> slot & 1)) {
        *s = (struct line){.kind = LOAD, .slot = slot};
        *loaded |= 1u << slot;
    } else if (what < 5 && depth > 0) {
        if (pick(3))
            make_branch(p, thread, depth, loaded, s);
        else
            make_chain(p, thread, depth, loaded, s, pick(SLOTS));
    } else if (what < 6) {
        *s = (struct line){.kind = SET, .value = make_expr(p, 1)};
    } else if (what < 7) {
        s->kind = STORE_ELEMENT;
        s->index = make_expr(p, 2);
    } else if (what < 9) {
        s->value = make_expr(p, 2);
    }
    s->next = make_stmts(p, thread, n - 1, depth, loaded);
    return s;
}

static void make_program(struct program *p) {
    p->type = &number_types[pick(2) ? 0 : 1 + pick(2)];
    p->nthreads = 2 + (pick(4) == 0) + (pick(12) == 0);
    for (int t = 0; t < p->nthreads; t++) {
        struct line *first = arena_array(arena, 1, sizeof *first);
        unsigned loaded = 1;
        room = MAX_STEPS - 1;
        *first = (struct line){.kind = LOAD};
        p->from[t][0] = pick(4) ? t % 2 : pick(LOCS);
        do
            p->from[t][1] = pick(LOCS);
        while (p->from[t][1] == p->from[t][0]);
        bool small = t > 0 && pick(3);
        first->next = make_stmts(p, t, 1 + pick(p->nthreads > 2 || small ? 2 : 3), small ? 0 : 3, &loaded);
        p->first[t] = first;
    }
}

/* The test */

static void write_expr(struct text *out, const struct program *p, const struct number *e) {
    static const char *const signs[OPERS] = {"|",  "&",  "^", "+",   "-",   "*", "<<",
                                             ">>", "==", "<", "min", "max", "?"};
    if (e->kind == NUMBER) text_printf(out, "%lld%s", e->value, p->type->suffix);
    if (e->kind == REGISTER && e->value < SLOTS) text_printf(out, "r%lld", e->value);
    if (e->kind == REGISTER && e->value == SLOTS) text_add(out, "t");
    if (e->kind != OPERATION) return;
    bool called = e->oper == MIN || e->oper == MAX;
    if (e->oper == EQUAL || e->oper == LESS) text_printf(out, "(%s)", p->type->name);
    text_printf(out, "%s(", called ? signs[e->oper] : "");
    write_expr(out, p, e->a);
    text_printf(out, called ? ", " : " %s ", signs[e->oper]);
    write_expr(out, p, e->b);
    if (e->oper == CHOOSE) {
        text_add(out, " : ");
        write_expr(out, p, e->c);
    }
    text_add(out, ")");
}

static void write_stmts(struct text *out, const struct program *p, int thread, const struct line *s) {
    for (; s; s = s->next) {
        switch (s->kind) {
        case LOAD:
            text_printf(out, "r%d = load(%s, relaxed, system); ", s->slot, locs[p->from[thread][s->slot]]);
            continue;
        case STORE: text_printf(out, "store(%s, ", locs[s->loc]); break;
        case STORE_ELEMENT:
            text_add(out, "store(a[(");
            write_expr(out, p, s->index);
            text_add(out, ") & 1], ");
            break;
        case SET: text_add(out, "t = "); break;
        case IF: text_add(out, "if ("); break;
        }
        write_expr(out, p, s->value);
        text_add(out, s->kind == SET ? "; " : s->kind == IF ? ") { " : ", relaxed, system); ");
        if (s->kind != IF) continue;
        write_stmts(out, p, thread, s->then);
        text_add(out, "} else { ");
        write_stmts(out, p, thread, s->other);
        text_add(out, "} ");
    }
}

static void write_program(struct text *out, const struct program *p) {
    const char *type = p->type->name;
    text_printf(out,
                "name: random\nmemory: {x: {type: %s}, y: {type: %s}, a: {type: %s, count: 2}}\n"
                "placements: [\"T0",
                type, type, type);
    for (int t = 1; t < p->nthreads; t++)
        text_printf(out, " | T%d", t);
    text_add(out, "\"]\nthreads:\n");
    for (int t = 0; t < p->nthreads; t++) {
        text_printf(out, "  T%d: |\n    %s r0 = 0, r1 = 0, t = 0; ", t, type);
        write_stmts(out, p, t, p->first[t]);
        text_add(out, "\n");
    }
    text_add(out, "exists: ");
    for (int k = 0; k < p->nthreads * SLOTS; k++)
        text_printf(out, "T%d.r%d == 0 && ", k / SLOTS, k % SLOTS);
    for (int l = 0; l < LOCS; l++)
        text_printf(out, "%s%s == 0", l ? " && " : "", locs[l]);
    text_add(out, "\n");
}

/* What a thread does */

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
        int way, steps; /* that a branch or an index takes, and the steps before it */
    } turns[MAX_STEPS];
    int nturns;
    unsigned loaded, depends[MAX_STEPS]; /* the slots that are; and those that a store depends on */
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

static void run_stmts(const struct program *p, int thread, const struct line *s, const long long *returned,
                      struct trace *out) {
    for (; s; s = s->next) {
        struct step *step = &out->steps[out->n];
        long long value = s->value ? compute(p->type, s->value, out->registers) : 0;
        switch (s->kind) {
        case LOAD:
            *step = (struct step){false, p->from[thread][s->slot], s->slot, returned[s->slot]};
            out->registers[s->slot] = returned[s->slot];
            out->loaded |= 1u << s->slot;
            out->n++;
            break;
        case STORE: out->steps[out->n++] = (struct step){true, s->loc, 0, value}; break;
        case STORE_ELEMENT:
            *step = (struct step){true, 2 + (int)(compute(p->type, s->index, out->registers) & 1), 0, value};
            out->turns[out->nturns++] = (struct turn){step->loc, out->n};
            out->n++;
            break;
        case SET: out->registers[SLOTS] = value; break;
        case IF:
            out->turns[out->nturns++] = (struct turn){value != 0, out->n};
            run_stmts(p, thread, value ? s->then : s->other, returned, out);
            break;
        }
    }
}

static struct trace run(const struct program *p, int thread, const long long *returned) {
    struct trace t = {.n = 0};
    run_stmts(p, thread, p->first[thread], returned, &t);
    return t;
}

/* What is returned, to find out what depends on it: the constants of the programs, their neighbours, and others, of which
 * some change their sign when they are doubled. */
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
                                  9,
                                  1 << 20,
                                  1 << 30,
                                  1ll << 31,
                                  1ll << 32,
                                  (1ll << 32) + 1,
                                  -(1ll << 32),
                                  -(1ll << 20),
                                  1ll << 33,
                                  1ll << 62,
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

/* The second writing of the model */

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

struct outcomes {
    long long (*list)[MAX_OBS];
    int n, cap, nobs;
};

static bool has_outcome(const struct outcomes *o, const long long *values) {
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
    for (int t = 0; t < c->p->nthreads; t++)
        for (int slot = 0; slot < SLOTS; slot++)
            values[n++] = c->traces[t]->registers[slot];
    for (int l = 0; l < LOCS; l++)
        values[n++] = c->events[last[l]].what.value;
    out->nobs = n;
    if (has_outcome(out, values)) return;
    if (out->n == out->cap) {
        out->cap = out->cap * 2 + 16;
        out->list = realloc(out->list, (size_t)out->cap * sizeof *out->list);
        assert_non_null(out->list);
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

/* All that the threads can do */

enum { MAX_TRACES = MAX_VALUES * MAX_VALUES };

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
    for (int k = 0; k < one.n * two.n; k++) {
        struct trace t = run(p, thread, (long long[]){one.list[k % one.n], two.list[k / one.n]});
        for (int e = 0; e < t.n; e++)
            more |= t.steps[e].store && add_value(&all->values[t.steps[e].loc], t.steps[e].value);
        if (!(t.loaded >> 1) && k >= one.n) continue; /* the same as with another value that is not read */
        if (all->n[thread] < MAX_TRACES) all->traces[thread][all->n[thread]++] = t;
    }
    return more;
}

/* False if there are too many values to try them all. */
static bool run_threads(const struct program *p, struct threads *all) {
    bool more = true;
    for (int l = 0; l < LOCS; l++)
        all->values[l] = (struct values){{0}, 1};
    while (more) {
        more = false;
        for (int t = 0; t < p->nthreads; t++)
            more |= run_thread(p, t, all);
        for (int l = 0; l < LOCS; l++)
            if (all->values[l].n > MAX_VALUES) return false;
    }
    struct trace made[ALL_TRIED];
    for (int t = 0; t < p->nthreads; t++) {
        for (int k = 0; k < ALL_TRIED; k++)
            made[k] = run(p, t,
                          (long long[]){number_of(p->type, (unsigned long long)tried[k % TRIED]),
                                        number_of(p->type, (unsigned long long)tried[k / TRIED])});
        for (int k = 0; k < all->n[t]; k++)
            find_dependencies(made, &all->traces[t][k]);
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

/* Comparison */

static void read_outcome(const struct test *t, const struct model_outcome *o, long long *values) {
    for (int k = 0; k < t->nobs; k++)
        values[k] = value_int(t->obs[k].type, o->values[k]);
}

static void show(const char *who, const long long *values, int n) {
    print_error("only %s:", who);
    for (int k = 0; k < n; k++)
        print_error(" %lld", values[k]);
    print_error("\n");
}

/* Returns how many outcomes only one of the two has. */
static int compare(const struct test *t, const struct model_result *r, const struct outcomes *expected) {
    struct outcomes found = {.nobs = t->nobs};
    int different = 0;
    found.list = arena_array(arena, (size_t)r->noutcomes, sizeof *found.list);
    assert_int_equal(t->nobs, expected->nobs);
    for (; found.n < r->noutcomes; found.n++) {
        read_outcome(t, &r->outcomes[found.n], found.list[found.n]);
        if (has_outcome(expected, found.list[found.n])) continue;
        if (different++ < 3) show("the interpreter", found.list[found.n], t->nobs);
    }
    for (int k = 0; k < expected->n; k++) {
        if (has_outcome(&found, expected->list[k])) continue;
        if (different++ < 6) show("the definitions", expected->list[k], t->nobs);
    }
    return different;
}

/* Whether the two agree; *compared counts them, without those of too many values. */
static bool try_program(const struct model *m, int *compared) {
    struct program p;
    struct threads all;
    struct outcomes expected = {0};
    struct text text = {0};
    struct diag d = {0};
    make_program(&p);
    if (!run_threads(&p, &all)) return true;
    judge_all(&p, &all, 0, (const struct trace *[THREADS]){0}, &expected);
    write_program(&text, &p);
    struct test *t = test_read_text(arena, "random.yaml", text.s, text.len, &d);
    diag_render(&d, stderr, false);
    assert_non_null(t);
    int n;
    struct cell *cells = test_cells(t, arena, &n);
    struct model_result r;
    assert_true(model_check(m, t, cells, NULL, arena, &r, &d));
    assert_int_equal(r.status, MODEL_DONE);
    bool same = compare(t, &r, &expected) == 0;
    if (!same) fprintf(stderr, "%s\n", text.s);
    ++*compared;
    free(expected.list);
    text_free(&text);
    diag_free(&d);
    return same;
}

static void test_random_dependencies(void **state) {
    (void)state;
    struct arena *a = arena_open();
    const struct model *m = ask_model(a, "ptx");
    int compared = 0, wrong = 0;
    arena = arena_open();
    for (int k = 0; k < programs && wrong < 5; k++) {
        wrong += !try_program(m, &compared);
        arena_reset(arena);
    }
    arena_close(arena);
    arena_close(a);
    if (programs > 1000) print_message("%d of %d programs compared\n", compared, programs);
    assert_int_equal(wrong, 0);
    assert_true(compared > programs / 2);
}

int main(int argc, char **argv) {
    if (argc > 1) programs = atoi(argv[1]);
    if (argc > 2) seed = (uint64_t)atoi(argv[2]) + 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_dependencies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
