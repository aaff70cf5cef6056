#include "paths/circuit.h"

#include <math.h>
#include <string.h>

#include "logic/arith.h"
#include "logic/rel.h"

enum { MOST_BITS = 128 /* of a value */ };

/* The literals of a term that were made. */
struct circuit_term {
    const struct sym *sym;
    int run;
    const int *bits;
    struct circuit_term *next;
};

/* An operation that no gates are made of. */
struct circuit_unknown {
    const struct sym *sym;
    const int *operands;
    int n;
    const int *bits;
    struct circuit_unknown *next;
};

static int width(struct type t) {
    return t.bits * t.lanes;
}

void circuit_open(struct circuit *c, const struct circuit_reads *first, const struct circuit_reads *second,
                  struct arena *a) {
    *c = (struct circuit){.reads = {first, second}};
    memset(c->tied, -1, sizeof c->tied);
    memset(c->same, -1, sizeof c->same);
    gate_open(&c->gates, a);
}

void circuit_again(struct circuit *c, const struct circuit_reads *second) {
    c->reads[1] = second;
    memset(c->tied, -1, sizeof c->tied);
    memset(c->same[1], -1, sizeof c->same[1]);
    memset(c->bits[1], 0, sizeof c->bits[1]);
    for (int k = 0; k < CIRCUIT_BUCKETS; k++)
        for (struct circuit_term **t = &c->terms[k]; *t;)
            if ((*t)->run == 1)
                *t = (*t)->next;
            else
                t = &(*t)->next;
}

/* Reads and numbers */

static int find_same(const struct circuit *c, int run, int read) {
    while (c->same[run][read] >= 0)
        read = c->same[run][read];
    return read;
}

/* Whether another read may stand for this one: it is neither known nor tied. */
static bool may_replace(const struct circuit *c, int run, int read) {
    return !set_has(c->reads[run]->known.bits, read) && (run == 0 || c->tied[read] < 0);
}

void circuit_equate(struct circuit *c, int run, int x, int y) {
    x = find_same(c, run, x);
    y = find_same(c, run, y);
    if (x != y && may_replace(c, run, x))
        c->same[run][x] = (int16_t)y;
    else if (x != y && may_replace(c, run, y))
        c->same[run][y] = (int16_t)x;
}

static const int *read_bits(struct circuit *c, int run, int read, int n) {
    read = find_same(c, run, read);
    if (run == 1 && c->tied[read] >= 0) return read_bits(c, 0, c->tied[read], n);
    if (set_has(c->reads[run]->known.bits, read))
        return arith_number(&c->gates, c->reads[run]->values[read], n);
    int *bits = c->bits[run][read];
    if (!bits) {
        bits = c->bits[run][read] = arith_zero(&c->gates, MOST_BITS);
        memset(bits, -1, MOST_BITS * sizeof *bits);
    }
    for (int k = 0; k < n; k++)
        if (bits[k] < 0) bits[k] = gate_input(&c->gates);
    return bits;
}

struct value circuit_read(const struct circuit *c, int run, int read, const bool *gates) {
    read = find_same(c, run, read);
    if (run == 1 && c->tied[read] >= 0) return circuit_read(c, 0, c->tied[read], gates);
    const int *bits = c->bits[run][read];
    uint64_t halves[2] = {0, 0};
    if (set_has(c->reads[run]->known.bits, read)) return c->reads[run]->values[read];
    for (int k = 0; bits && k < MOST_BITS && bits[k] >= 0; k++)
        halves[k / 64] |= (uint64_t)gates[bits[k] / 2] << k % 64;
    return (struct value){halves[0], halves[1]};
}

/* The same number with fewer bits, or with copies of `fill` above. */
static const int *fit(struct circuit *c, const int *x, int from, int to, int fill) {
    if (from >= to) return x;
    int *bits = arith_zero(&c->gates, to);
    for (int k = 0; k < to; k++)
        bits[k] = k < from ? x[k] : fill;
    return bits;
}

/* Floats */

/* The bits of the fraction, from 0; those of the exponent follow, and the highest one is the sign. */
static int real_digits(struct type t) {
    return t.bits == 64 ? 52 : t.bits == 32 ? 23 : 10;
}

static int real_is_set(struct gates *g, struct type t, const int *x) {
    return arith_is_set(g, x, t.bits - 1);
}

static int real_is_number(struct gates *g, struct type t, const int *x) {
    int highest = GATE_TRUE;
    for (int k = real_digits(t); k < t.bits - 1; k++)
        highest = gate_and(g, highest, x[k]);
    return gate_not(gate_and(g, highest, arith_is_set(g, x, real_digits(t))));
}

/* Whether x < y, if neither is NaN. */
static int real_less(struct gates *g, struct type t, const int *x, const int *y) {
    int sign = t.bits - 1, minus_x = x[sign], minus_y = y[sign];
    int above = arith_less(g, x, y, sign, false), below = arith_less(g, y, x, sign, false);
    int any = gate_or(g, real_is_set(g, t, x), real_is_set(g, t, y));
    int same_sign = gate_choose(g, minus_x, below, above);
    return gate_and(g, any, gate_choose(g, gate_xor(g, minus_x, minus_y), minus_x, same_sign));
}

static const int *real_negate(struct circuit *c, struct type t, const int *x) {
    struct gates *g = &c->gates;
    int *out = arith_zero(g, t.bits);
    memcpy(out, x, t.bits * sizeof *out);
    out[t.bits - 1] = gate_not(out[t.bits - 1]);
    const int *none = arith_number(g, value_of_real(t, NAN), t.bits);
    return arith_choose(g, real_is_number(g, t, x), out, none, t.bits);
}

/* Comparisons */

static int is_true(struct gates *g, struct type t, const int *x) {
    return t.real ? real_is_set(g, t, x) : arith_is_set(g, x, width(t));
}

static int is_less(struct gates *g, struct type t, const int *x, const int *y) {
    return t.real ? real_less(g, t, x, y) : arith_less(g, x, y, width(t), t.sign);
}

static int is_equal(struct gates *g, struct type t, const int *x, const int *y) {
    if (!t.real) return gate_not(arith_differ(g, x, y, width(t)));
    return gate_not(gate_or(g, real_less(g, t, x, y), real_less(g, t, y, x)));
}

static int compare(struct gates *g, enum expr_kind op, struct type t, const int *x, const int *y) {
    int ordered = t.real ? gate_and(g, real_is_number(g, t, x), real_is_number(g, t, y)) : GATE_TRUE;
    switch (op) {
    case EXPR_LT: return gate_and(g, ordered, is_less(g, t, x, y));
    case EXPR_LE: return gate_and(g, ordered, gate_not(is_less(g, t, y, x)));
    case EXPR_GT: return gate_and(g, ordered, is_less(g, t, y, x));
    case EXPR_GE: return gate_and(g, ordered, gate_not(is_less(g, t, x, y)));
    case EXPR_EQ: return gate_and(g, ordered, is_equal(g, t, x, y));
    default: return gate_not(gate_and(g, ordered, is_equal(g, t, x, y)));
    }
}

/* Operations */

/* An operator whose result is true or false; or -1. */
static int logic(struct gates *g, enum expr_kind op, struct type t, const int *x, const int *y) {
    if (op == EXPR_NOT) return gate_not(is_true(g, t, x));
    if (op == EXPR_LAND) return gate_and(g, is_true(g, t, x), is_true(g, t, y));
    if (op == EXPR_LOR) return gate_or(g, is_true(g, t, x), is_true(g, t, y));
    return op >= EXPR_LT && op <= EXPR_NE ? compare(g, op, t, x, y) : -1;
}

static const int *reverse(struct gates *g, const int *x, int n) {
    int *out = arith_zero(g, n);
    for (int k = 0; k < n; k++)
        out[k] = x[n - 1 - k];
    return out;
}

/* An operator on integers; NULL: it is another one. */
static const int *calculate(struct gates *g, enum expr_kind op, struct type t, const int *x, const int *y,
                            int wide) {
    int n = width(t);
    switch (op) {
    case EXPR_NEG: return arith_subtract(g, arith_zero(g, n), x, n);
    case EXPR_COMPL: return arith_not(g, x, n);
    case EXPR_POPC: return arith_count(g, x, n, wide);
    case EXPR_CLZ: return arith_leading(g, x, n, wide);
    case EXPR_BREV: return reverse(g, x, n);
    case EXPR_MUL: return arith_multiply(g, x, y, n);
    case EXPR_DIV:
    case EXPR_MOD: return arith_divide(g, x, y, n, t.sign, op == EXPR_DIV);
    case EXPR_ADD: return arith_add(g, x, y, n);
    case EXPR_SUB: return arith_subtract(g, x, y, n);
    case EXPR_SHL: return arith_left(g, x, y, n);
    case EXPR_SHR: return arith_right(g, x, y, n, t.sign ? x[n - 1] : GATE_FALSE);
    case EXPR_AND: return arith_each(g, gate_and, x, y, n);
    case EXPR_XOR: return arith_each(g, gate_xor, x, y, n);
    case EXPR_OR: return arith_each(g, gate_or, x, y, n);
    default: return NULL;
    }
}

/* Terms */

static bool is_alike(const struct sym *x, const struct sym *y) {
    return x->kind == y->kind && x->op == y->op && x->fn == y->fn && type_same(x->type, y->type) &&
           type_same(x->a->type, y->a->type);
}

/* The result of an operation that no gates are made of: that of the same operation on the same operands, or
 * new inputs. */
static const int *unknown(struct circuit *c, const struct sym *s, const int *const operands[3]) {
    enum { OPERANDS = 3 };
    int n = width(s->a->type), *all = arith_zero(&c->gates, OPERANDS * n), *bits;
    for (int k = 0; k < OPERANDS; k++)
        if (operands[k]) memcpy(all + k * n, operands[k], (size_t)n * sizeof *all);
    for (const struct circuit_unknown *u = c->unknowns; u; u = u->next)
        if (is_alike(u->sym, s) && memcmp(u->operands, all, (size_t)(OPERANDS * n) * sizeof *all) == 0)
            return u->bits;
    bits = arith_zero(&c->gates, width(s->type));
    for (int k = 0; k < width(s->type); k++)
        bits[k] = gate_input(&c->gates);
    struct circuit_unknown *made = arena_alloc(c->gates.arena, sizeof *made);
    *made = (struct circuit_unknown){s, all, OPERANDS * n, bits, c->unknowns};
    c->unknowns = made;
    return bits;
}

/* An integer as another one; NULL where one of the two is none. */
static const int *cast(struct circuit *c, struct type from, struct type to, const int *x) {
    if (type_same(from, to)) return x;
    if (from.real || to.real) return NULL;
    if (to.bits > 1) return fit(c, x, from.bits, to.bits, from.sign ? x[from.bits - 1] : GATE_FALSE);
    int *bit = arith_zero(&c->gates, 1);
    bit[0] = arith_is_set(&c->gates, x, from.bits);
    return bit;
}

static const int *join(struct circuit *c, const struct sym *s, const int *x, const int *y) {
    int n = width(s->a->type), *out = arith_zero(&c->gates, width(s->type));
    memcpy(out, x, (size_t)n * sizeof *out);
    memcpy(out + n, y, (size_t)n * sizeof *out);
    return out;
}

static const int *apply(struct circuit *c, const struct sym *s, const int *x, const int *y) {
    struct type t = s->a->type;
    int *bit, truth;
    switch (s->op) {
    case EXPR_CAST: return cast(c, t, s->type, x);
    case EXPR_BITS: return x;
    case EXPR_LANE: return x + (int)s->b->value.lo * t.bits;
    case EXPR_JOIN: return join(c, s, x, y);
    default: break;
    }
    truth = logic(&c->gates, s->op, t, x, y);
    if (truth < 0 && t.real) return s->op == EXPR_NEG ? real_negate(c, t, x) : NULL;
    if (truth < 0) return calculate(&c->gates, s->op, t, x, y, width(s->type));
    bit = arith_zero(&c->gates, width(s->type));
    bit[0] = truth;
    return bit;
}

/* An operand, with the bits of an operation's type. */
static const int *operand(struct circuit *c, int run, const struct sym *s, struct type t) {
    return s ? fit(c, circuit_term(c, run, s), width(s->type), width(t), GATE_FALSE) : NULL;
}

static const int *make(struct circuit *c, int run, const struct sym *s) {
    if (s->kind == SYM_INT) return arith_number(&c->gates, s->value, width(s->type));
    if (s->kind == SYM_READ) return read_bits(c, run, s->read, width(s->type));
    if (s->kind == SYM_OP && s->op == EXPR_COND)
        return arith_choose(&c->gates, circuit_truth(c, run, s->a), operand(c, run, s->b, s->type),
                            operand(c, run, s->c, s->type), width(s->type));
    const int *sum = sum_term(c, run, s);
    if (sum) return sum;
    const struct sym *update = s->kind == SYM_RMW ? update_term(c->gates.arena, s) : NULL;
    if (update) return circuit_term(c, run, update);
    struct type t = s->a->type;
    const int *of[3] = {circuit_term(c, run, s->a), operand(c, run, s->b, t), operand(c, run, s->c, t)};
    const int *bits = s->kind == SYM_OP ? apply(c, s, of[0], of[1]) : NULL;
    return bits ? bits : unknown(c, s, of);
}

const int *circuit_term(struct circuit *c, int run, const struct sym *s) {
    struct circuit_term **bucket = &c->terms[(uintptr_t)s / sizeof *s % CIRCUIT_BUCKETS];
    for (const struct circuit_term *t = *bucket; t; t = t->next)
        if (t->sym == s && t->run == run) return t->bits;
    const int *bits = make(c, run, s);
    struct circuit_term *t = arena_alloc(c->gates.arena, sizeof *t);
    *t = (struct circuit_term){s, run, bits, *bucket};
    *bucket = t;
    return bits;
}

int circuit_truth(struct circuit *c, int run, const struct sym *s) {
    return is_true(&c->gates, s->type, circuit_term(c, run, s));
}

int circuit_differ(struct circuit *c, const struct sym *x, const struct sym *y) {
    return arith_differ(&c->gates, circuit_term(c, 0, x), circuit_term(c, 1, y), width(x->type));
}
