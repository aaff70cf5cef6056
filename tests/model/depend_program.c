/* Random programs for the test of dependencies, and what they are as tests. */
#include "depend.h"

#include "../random.h"

static const char *const locs[LOCS] = {"x", "y", "a[0]", "a[1]"};

static const struct number_type number_types[] = {{"int", "", 32, true, 1 << 20},
                                                  {"unsigned", "u", 32, false, 1ll << 31},
                                                  {"long long", "ll", 64, true, 1ll << 32}};

static struct arena *arena; /* of the program that is made */
static int room;            /* for steps of the thread that is made */

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

/* An index that is no constant. */
static const struct number *make_read_index(const struct program *p) {
    return apply(AND, named(0), make_expr(p, 1), NULL);
}

/* A pointer and what goes by it, a place that may not be there, or a trap. */
static void make_astray(const struct program *p, unsigned *loaded, struct line *s) {
    int what = pick(12);
    s->value = make_expr(p, 1);
    s->index = pick(2) ? make_test(p, pick(SLOTS)) : make_expr(p, 2);
    s->kind = TRAP;
    if (what < 4) {
        s->kind = POINT;
        s->beside = pick(2) ? NOWHERE : pick(LOCS);
    } else if (what < 8) {
        s->kind = STORE_AT;
    } else if (what < 9 && room > 0) {
        s->kind = STORE_PAIR;
        s->index = make_read_index(p);
        room--;
    } else if (what < 10) {
        s->kind = STORE_ANY;
        s->index = make_read_index(p);
    } else if (what < 11 && !(*loaded & 2)) {
        s->kind = LOAD_IF;
        s->slot = 1;
        *loaded |= 2;
    }
}

static const struct line *make_stmts(const struct program *p, int thread, int n, int depth,
                                     unsigned *loaded) {
    if (n == 0 || room == 0) return NULL;
    struct line *s = make_line();
    int slot = pick(SLOTS), what = pick(10);
    *s = (struct line){.kind = STORE, .loc = pick(LOCS), .value = constant(1 + pick(2))};
    if (pick(2)) s->loc = (p->from[thread][0] + 1) % 2; /* so that stores meet */
    if (p->strays && pick(3) == 0) {
        make_astray(p, loaded, s);
    } else if (what < 2 && !(*loaded >> slot & 1)) {
        *s = (struct line){.kind = LOAD, .slot = slot};
        *loaded |= 1u << slot;
    } else if (what < 5 && depth > 0) {
        if (pick(3))
            make_branch(p, thread, depth, loaded, s);
        else
            make_chain(p, thread, depth, loaded, s, pick(SLOTS));
        if (p->strays && pick(6) == 0) s->kind = IF_POINTS;
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

void depend_seed(uint64_t to) {
    seed = to;
}

static struct line *append(struct line *to, struct line line) {
    struct line *s = make_line();
    *s = line;
    to->next = s;
    return s;
}

/* One thread stores to y, and does what is defined for some values of x alone, or traps for the others; the next one copies y
 * to x. */
static void make_bet(struct program *p) {
    struct line *first = arena_array(arena, 1, sizeof *first), *s = first;
    room = MAX_STEPS - 1;
    unsigned loaded = 1;
    bool early = pick(2);
    const struct number *test = make_test(p, 0);
    struct line trap = {.kind = TRAP}, *at = NULL;
    struct line store = {.kind = STORE,
                         .loc = 1,
                         .value = pick(3)   ? constant(1 + pick(2))
                                  : pick(2) ? test
                                            : make_expr(p, 2)};
    *first = (struct line){.kind = LOAD};
    if (early) s = append(s, store);
    if (pick(3)) {
        s = append(s, (struct line){.kind = POINT, .loc = pick(LOCS), .beside = NOWHERE, .index = test});
        if (pick(3)) s = append(s, (struct line){.kind = STORE_AT, .value = make_expr(p, 1)});
    } else if (pick(2)) {
        s = at = append(s, (struct line){.kind = IF, .value = test});
        at->other = append(&trap, trap);
    } else {
        s = append(s, (struct line){0});
        make_astray(p, &loaded, s);
    }
    if (!early) s = append(s, store);
    s->next = make_stmts(p, 0, pick(2), 1, &loaded);
    p->from[0][0] = 0;
    if (p->from[0][1] == 0) p->from[0][1] = 1;
    p->first[0] = first;
}

void depend_make(struct arena *a, struct program *p) {
    arena = a;
    p->type = &number_types[pick(2) ? 0 : 1 + pick(2)];
    p->strays = pick(2);
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
    if (!p->strays || pick(2)) return;
    struct line *copy = arena_array(arena, 1, sizeof *copy), *first = arena_array(arena, 1, sizeof *first);
    make_bet(p);
    *copy = (struct line){.kind = STORE, .value = pick(3) ? named(0) : make_expr(p, 1)};
    *first = (struct line){.kind = LOAD, .next = copy};
    p->from[1][0] = 1;
    if (p->from[1][1] == 1) p->from[1][1] = 0;
    p->first[1] = first;
}

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

static void write_place(struct text *out, const struct number *condition, const struct program *p, int loc,
                        int beside) {
    write_expr(out, p, condition);
    text_printf(out, " ? &%s : ", locs[loc]);
    text_printf(out, beside == NOWHERE ? "nullptr; " : "&%s; ", beside == NOWHERE ? "" : locs[beside]);
}

/* What stands before the value of a line. */
static void write_target(struct text *out, const struct program *p, const struct line *s) {
    static const char *const pairs[] = {"int2", "uint2", "longlong2"};
    const char *pair = pairs[p->type - number_types];
    switch (s->kind) {
    case STORE: text_printf(out, "store(%s, ", locs[s->loc]); break;
    case STORE_AT: text_add(out, "store(*p, "); break;
    case STORE_PAIR: text_printf(out, "*(volatile %s *)&a[(", pair); break;
    case STORE_ELEMENT: text_add(out, "store(a[("); break;
    case STORE_ANY: text_add(out, "store(z["); break;
    case SET: text_add(out, "t = "); break;
    case IF: text_add(out, "if ("); break;
    default: break;
    }
    if (s->kind != STORE_ELEMENT && s->kind != STORE_ANY && s->kind != STORE_PAIR) return;
    write_expr(out, p, s->index);
    text_printf(out,
                s->kind == STORE_ANY       ? "], "
                : s->kind == STORE_ELEMENT ? ") & 1], "
                                           : ") & 1] = make_%s(",
                pair);
}

static void write_stmts(struct text *out, const struct program *p, int thread, const struct line *s);

static void write_branches(struct text *out, const struct program *p, int thread, const struct line *s) {
    text_add(out, ") { ");
    write_stmts(out, p, thread, s->then);
    text_add(out, "} else { ");
    write_stmts(out, p, thread, s->other);
    text_add(out, "} ");
}

static void write_line(struct text *out, const struct program *p, int thread, const struct line *s) {
    const char *from = locs[p->from[thread][s->slot]];
    write_target(out, p, s);
    switch (s->kind) {
    case LOAD: text_printf(out, "r%d = load(%s, relaxed, system); ", s->slot, from); break;
    case LOAD_IF:
        text_add(out, "q = ");
        write_place(out, s->index, p, p->from[thread][s->slot], NOWHERE);
        text_printf(out, "r%d = load(*q, relaxed, system); ", s->slot);
        break;
    case POINT:
        text_add(out, "p = ");
        write_place(out, s->index, p, s->loc, s->beside);
        break;
    case STORE_PAIR:
        write_expr(out, p, s->value);
        text_add(out, ", ");
        write_expr(out, p, s->value);
        text_add(out, "); ");
        break;
    case TRAP: text_add(out, "__trap(); "); break;
    case IF_POINTS: text_add(out, "if (p"); break;
    default: write_expr(out, p, s->value); break;
    }
    if (s->kind == STORE || s->kind == STORE_ELEMENT || s->kind == STORE_ANY || s->kind == STORE_AT)
        text_add(out, ", relaxed, system); ");
    if (s->kind == SET) text_add(out, "; ");
    if (s->kind == IF || s->kind == IF_POINTS) write_branches(out, p, thread, s);
}

static void write_stmts(struct text *out, const struct program *p, int thread, const struct line *s) {
    for (; s; s = s->next)
        write_line(out, p, thread, s);
}

void depend_write(struct text *out, const struct program *p) {
    const char *type = p->type->name;
    text_printf(out,
                "name: random\nmemory: {x: {type: %s}, y: {type: %s}, a: {type: %s, count: 4}, z: {type: %s, "
                "count: 1}}\n"
                "placements: [\"T0",
                type, type, type, type);
    for (int t = 1; t < p->nthreads; t++)
        text_printf(out, " | T%d", t);
    text_add(out, "\"]\nthreads:\n");
    for (int t = 0; t < p->nthreads; t++) {
        text_printf(out, "  T%d: |\n    %s r0 = 0, r1 = 0, t = 0; ", t, type);
        if (p->strays) text_printf(out, "%s *p = &x; %s *q = &x; ", type, type);
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
