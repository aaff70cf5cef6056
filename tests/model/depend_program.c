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

void depend_seed(uint64_t to) {
    seed = to;
}

void depend_make(struct arena *a, struct program *p) {
    arena = a;
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

void depend_write(struct text *out, const struct program *p) {
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
