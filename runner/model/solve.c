#include "model/solve.h"

#include "model/rel.h"

enum { READ_WORDS = MAX_READS / 64, MAX_MOVES = 128 };

/* So many parts of terms are computed in the time of one unit of a search's work. */
enum { TERMS_A_UNIT = 10 };

/* Chance */

static uint64_t draw(struct solve *s) {
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return s->random >> 31;
}

static bool one_in(struct solve *s, uint64_t n) {
    return draw(s) % n == 0;
}

static struct value draw_value(struct solve *s, struct type t) {
    uint64_t high = draw(s) << 32, low = draw(s);
    return value_bits(t, high ^ low, low << 32 ^ high);
}

/* A value beside another one, or the same, or any. */
static struct value draw_near(struct solve *s, struct type t, struct value v) {
    switch (draw(s) % 8) {
    case 0: return draw_value(s, t);
    case 1:
    case 2: return value_apply(EXPR_ADD, t, v, value_from(t, 1));
    case 3:
    case 4: return value_apply(EXPR_SUB, t, v, value_from(t, 1));
    default: return v;
    }
}

/* Another value than this one. */
static struct value draw_other(struct solve *s, struct type t, struct value v) {
    if (one_in(s, 3)) return draw_value(s, t);
    return one_in(s, 2) ? value_bits(t, v.lo ^ 1, v.hi) : value_bits(t, value_is_zero(v), 0);
}

/* Values that give a term its value */

static void give_in(struct solve_run *r, int read, struct value value, bool fix) {
    if (!set_has(r->fixed.bits, read)) r->values[read] = value;
    if (fix) set_add(r->fixed.bits, read);
}

/* The read of the first run that returns the same; or -1. */
static int tied_to(const struct solve *s, int read) {
    return read == s->read ? -1 : s->tied[read];
}

static void give(struct solve *s, int run, int read, struct value value, bool fix) {
    int first = run == 0 ? read : tied_to(s, read);
    if (first < 0) {
        give_in(&s->runs[1], read, value, fix);
        return;
    }
    give_in(&s->runs[0], first, value, fix);
    for (int k = 0; k < MAX_READS; k++)
        if (tied_to(s, k) == first) give_in(&s->runs[1], k, value, fix);
}

/* The bits of x that are in the mask, and those of y that are not. */
static struct value mix(struct value mask, struct value x, struct value y) {
    return (struct value){(x.lo & mask.lo) | (y.lo & ~mask.lo), (x.hi & mask.hi) | (y.hi & ~mask.hi)};
}

/* A number of which so many bits are set, or so many above them are not. */
static struct value number_with(enum expr_kind op, struct type bits, struct value n) {
    struct value one = value_from(bits, 1), from = {(uint64_t)bits.bits - 1 - n.lo, 0};
    if (op == EXPR_CLZ)
        return n.lo < bits.bits ? value_apply(EXPR_SHL, bits, one, from) : value_from(bits, 0);
    return n.lo < bits.bits ? value_apply(EXPR_SUB, bits, value_apply(EXPR_SHL, bits, one, n), one)
                            : value_from(bits, -1);
}

/* What the first operand must be, which is `now`, so that an operation gives a value. Where that is not known, any value may
 * do. */
static struct value first_for(enum expr_kind op, struct type t, struct value now, struct value other,
                              struct value wanted) {
    struct type bits = {.bits = t.bits, .lanes = 1};
    struct value without = op == EXPR_MOD ? value_apply(op, t, now, other) : now;
    switch (op) {
    case EXPR_NEG:
    case EXPR_COMPL:
    case EXPR_BREV: return value_apply(op, t, wanted, other);
    case EXPR_ADD: return value_apply(EXPR_SUB, t, wanted, other);
    case EXPR_SUB: return value_apply(EXPR_ADD, t, wanted, other);
    case EXPR_XOR: return value_apply(EXPR_XOR, t, wanted, other);
    case EXPR_MUL: return value_is_zero(other) ? wanted : value_apply(EXPR_DIV, t, wanted, other);
    case EXPR_DIV: return value_apply(EXPR_MUL, t, wanted, other);
    case EXPR_MOD: return value_apply(EXPR_ADD, t, value_apply(EXPR_SUB, t, now, without), wanted);
    case EXPR_SHL: return value_apply(EXPR_SHR, bits, wanted, other);
    case EXPR_SHR: return value_apply(EXPR_SHL, t, wanted, other);
    case EXPR_POPC:
    case EXPR_CLZ: return number_with(op, bits, wanted);
    case EXPR_AND: return mix(other, wanted, now);
    case EXPR_OR: return mix(other, mix(wanted, now, wanted), wanted);
    default: return wanted;
    }
}

/* The same of the second operand. */
static struct value second_for(enum expr_kind op, struct type t, struct value now, struct value other,
                               struct value wanted) {
    bool turned = op == EXPR_SUB || op == EXPR_DIV;
    if (turned) return value_apply(op, t, other, wanted);
    return op == EXPR_SHL || op == EXPR_SHR ? wanted : first_for(op, t, now, other, wanted);
}

/* Whether a term has a read that may be given a value. */
static bool is_free(const struct solve *s, int run, const struct sym *t) {
    if (!t || s->only) return t && run == 1 && set_has(t->reads.bits, s->read);
    for (int k = 0; k < READ_WORDS; k++)
        if (t->reads.bits[k] & ~s->runs[run].fixed.bits[k]) return true;
    return false;
}

/* A part of a term that is free: 0, 1 or 2. */
static int draw_part(struct solve *s, int run, const struct sym *t) {
    const struct sym *parts[] = {t->a, t->b, t->c};
    int k;
    do
        k = (int)(draw(s) % 3);
    while (!is_free(s, run, parts[k]));
    return k;
}

static void aim(struct solve *s, int run, const struct sym *t, struct value wanted);

static void aim_truth(struct solve *s, int run, const struct sym *t, bool holds) {
    struct value some = one_in(s, 2) ? value_from(t->type, 1) : draw_value(s, t->type);
    aim(s, run, t, holds ? some : value_from(t->type, 0));
}

/* A choice between the two terms that its condition compares: one of them comes near, as the other may be the one. */
static void aim_extreme(struct solve *s, int run, const struct sym *t, struct value wanted) {
    const struct sym *part = draw_part(s, run, t->a) == 0 ? t->a->a : t->a->b;
    aim(s, run, part, draw_near(s, t->type, wanted));
}

/* Any other choice: by its condition, or in the part that it has chosen. */
static void aim_choice(struct solve *s, int run, const struct sym *t, struct value wanted) {
    const struct value *values = s->runs[run].values;
    bool first = sym_is_true(t->a, values);
    const struct sym *part = first ? t->b : t->c, *other = first ? t->c : t->b;
    bool turn = is_free(s, run, t->a) && value_equal(sym_eval(other, values), wanted) != one_in(s, 4);
    if (is_free(s, run, part) && !turn)
        aim(s, run, part, wanted);
    else if (is_free(s, run, t->a))
        aim_truth(s, run, t->a, !first);
    else
        aim(s, run, other, wanted);
}

static void aim_lane(struct solve *s, int run, const struct sym *t, struct value wanted) {
    struct value vector = sym_eval(t->a, s->runs[run].values);
    aim(s, run, t->a, value_set_lane(t->a->type, vector, (int)t->b->value.lo, wanted));
}

/* A conversion: the bits that it drops stay. */
static void aim_cast(struct solve *s, int run, const struct sym *t, struct value wanted) {
    struct type from = t->a->type;
    struct value to = value_convert(wanted, t->type, from);
    if (!from.real && !t->type.real && t->type.bits > 1)
        to = mix(value_bits(t->type, ~0ull, ~0ull), to, sym_eval(t->a, s->runs[run].values));
    aim(s, run, t->a, to);
}

/* An operator on one or two terms of a type: by one of which another value is needed. */
static void aim_operator(struct solve *s, int run, const struct sym *t, struct value wanted) {
    const struct value *values = s->runs[run].values, none = {0, 0};
    struct type of = t->a->type;
    struct value a = sym_eval(t->a, values), b = t->b ? sym_eval(t->b, values) : none;
    struct value first = first_for(t->op, of, a, b, wanted), second = second_for(t->op, of, b, a, wanted);
    bool by_first = is_free(s, run, t->a) && !value_equal(first, a);
    bool by_second = is_free(s, run, t->b) && !value_equal(second, b);
    if (by_first == by_second) by_first = draw_part(s, run, t) == 0;
    aim(s, run, by_first ? t->a : t->b, by_first ? first : second);
}

/* A comparison: one side comes near to the other. */
static void aim_comparison(struct solve *s, int run, const struct sym *t) {
    bool second = draw_part(s, run, t) == 1;
    const struct sym *part = second ? t->b : t->a, *other = second ? t->a : t->b;
    aim(s, run, part, draw_near(s, other->type, sym_eval(other, s->runs[run].values)));
}

static void aim_operation(struct solve *s, int run, const struct sym *t, struct value wanted) {
    switch (t->op) {
    case EXPR_COND: (sym_is_extreme(t) ? aim_extreme : aim_choice)(s, run, t, wanted); break;
    case EXPR_CAST: aim_cast(s, run, t, wanted); break;
    case EXPR_LANE: aim_lane(s, run, t, wanted); break;
    case EXPR_NOT: aim_truth(s, run, t->a, value_is_zero(wanted)); break;
    case EXPR_LAND:
    case EXPR_LOR: aim_truth(s, run, draw_part(s, run, t) ? t->b : t->a, !value_is_zero(wanted)); break;
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
    case EXPR_EQ:
    case EXPR_NE: aim_comparison(s, run, t); break;
    default: aim_operator(s, run, t, wanted); break;
    }
}

/* Gives a read of a term a value with which it may have the value that is wanted. */
static void aim(struct solve *s, int run, const struct sym *t, struct value wanted) {
    const struct sym *parts[] = {t->a, t->b, t->c};
    wanted = value_bits(t->type, wanted.lo, wanted.hi);
    switch (t->kind) {
    case SYM_INT: break;
    case SYM_READ: give(s, run, t->read, one_in(s, 16) ? draw_value(s, t->type) : wanted, false); break;
    case SYM_RMW: aim(s, run, parts[draw_part(s, run, t)], wanted); break;
    case SYM_OP: aim_operation(s, run, t, wanted); break;
    }
}

/* What matters */

static bool share(const struct reads *x, const struct reads *y) {
    for (int k = 0; k < READ_WORDS; k++)
        if (x->bits[k] & y->bits[k]) return true;
    return false;
}

void solve_ask(struct solve_run *r, int from) {
    for (int k = from; k < r->nguards; k++)
        reads_add(&r->matter, &r->guards[k].sym->reads);
}

/* Adds the reads of guards that have one that matters. True when there are more than before. */
static bool add_guarded(struct solve_run *r) {
    struct reads before = r->matter;
    for (int k = 0; k < r->nguards; k++)
        if (share(&r->guards[k].sym->reads, &r->matter)) reads_add(&r->matter, &r->guards[k].sym->reads);
    return !bits_equal(before.bits, r->matter.bits, READ_WORDS);
}

static bool add_tied(struct solve *s) {
    struct solve_run *x = &s->runs[0], *y = &s->runs[1];
    bool more = false;
    for (int k = 0; k < MAX_READS; k++) {
        int to = tied_to(s, k);
        if (to < 0 || set_has(x->matter.bits, to) == set_has(y->matter.bits, k)) continue;
        set_add(x->matter.bits, to);
        set_add(y->matter.bits, k);
        more = true;
    }
    return more;
}

static void find_what_matters(struct solve *s) {
    if (s->term) reads_add(&s->runs[0].matter, &s->term->reads);
    for (int k = 0; k < s->nothers; k++)
        reads_add(&s->runs[1].matter, &s->others[k]->reads);
    bool more;
    do {
        more = add_guarded(&s->runs[0]);
        more |= add_guarded(&s->runs[1]);
        more |= add_tied(s);
    } while (more);
}

/* What is plain to see */

static bool same_term(const struct solve *s, const struct sym *x, const struct sym *y) {
    if (!x || !y || x->kind != y->kind || !type_same(x->type, y->type)) return x == y;
    if (x->kind == SYM_INT) return value_equal(x->value, y->value);
    if (x->kind == SYM_READ) return tied_to(s, y->read) == x->read;
    if (sym_both_extreme(x, y)) return same_term(s, x->a, y->a);
    return x->op == y->op && x->fn == y->fn && same_term(s, x->a, y->a) && same_term(s, x->b, y->b) &&
           same_term(s, x->c, y->c);
}

/* Whether the runs want the contrary of the same. */
static bool is_contrary(const struct solve *s) {
    const struct solve_run *x = &s->runs[0], *y = &s->runs[1];
    for (int i = 0; i < x->nguards; i++)
        for (int k = 0; k < y->nguards; k++)
            if (x->guards[i].holds != y->guards[k].holds && same_term(s, x->guards[i].sym, y->guards[k].sym))
                return true;
    return false;
}

/* Fixes the reads that guards say are a number. */
static void fix_known(struct solve *s, int run) {
    const struct solve_run *r = &s->runs[run];
    for (int k = 0; k < r->nguards; k++) {
        const struct guard *g = &r->guards[k];
        bool equal = g->holds && g->sym->op == EXPR_EQ && g->sym->kind == SYM_OP;
        if (equal && g->sym->a->kind == SYM_READ && g->sym->b->kind == SYM_INT)
            give(s, run, g->sym->a->read, g->sym->b->value, true);
        if (g->sym->kind == SYM_READ && !g->holds)
            give(s, run, g->sym->read, value_from(g->sym->type, 0), true);
    }
}

/* The walk */

static bool pay(struct solve *s, const struct sym *t) {
    return budget_wait(s->budget, 1 + t->weight / TERMS_A_UNIT);
}

static const struct guard *find_broken(struct solve *s, const struct solve_run *r) {
    for (int k = 0; k < r->nguards; k++) {
        const struct guard *g = &r->guards[k];
        if (!share(&g->sym->reads, &r->matter)) continue;
        if (!pay(s, g->sym) || sym_is_true(g->sym, r->values) != g->holds) return g;
    }
    return NULL;
}

/* One of the other terms that is the same. */
static const struct sym *find_same(struct solve *s) {
    if (!s->term || !pay(s, s->term)) return s->term;
    struct value value = sym_eval(s->term, s->runs[0].values);
    for (int k = 0; k < s->nothers; k++)
        if (!pay(s, s->others[k]) || value_equal(sym_eval(s->others[k], s->runs[1].values), value))
            return s->others[k];
    return NULL;
}

/* Gives one of two terms that are the same another value, where that can be by the read that may differ. False when neither
 * is free. */
static bool make_differ(struct solve *s, const struct sym *other) {
    s->only = set_has(other->reads.bits, s->read) && !set_has(s->runs[1].fixed.bits, s->read) && one_in(s, 2);
    bool one = is_free(s, 0, s->term), two = is_free(s, 1, other);
    int run = one && (!two || one_in(s, 2)) ? 0 : 1;
    const struct sym *t = run ? other : s->term;
    if (!one && !two) return false;
    aim(s, run, t, draw_other(s, t->type, sym_eval(t, s->runs[run].values)));
    s->only = false;
    return true;
}

bool solve_find(struct solve *s) {
    s->random = 1;
    if (is_contrary(s)) return false;
    find_what_matters(s);
    for (int run = 0; run < SOLVE_RUNS; run++)
        fix_known(s, run);
    for (int move = 0; move < MAX_MOVES; move++) {
        int run = 0;
        const struct guard *g = find_broken(s, &s->runs[run]);
        if (!g) g = find_broken(s, &s->runs[++run]);
        const struct sym *same = g ? NULL : find_same(s);
        if (s->budget->spent) return false;
        if (!g && !same) return true;
        if (g && !is_free(s, run, g->sym)) return false;
        if (g)
            aim_truth(s, run, g->sym, g->holds);
        else if (!make_differ(s, same))
            return false;
    }
    return false;
}
