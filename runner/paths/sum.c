#include "paths/circuit.h"

#include <string.h>

#include "logic/arith.h"

enum { MAX_PARTS = 16, MAX_WEIGHT = 1000 };

/* The sum of factor * part over all parts, plus `number`, modulo 2^bits. */
struct sum {
    struct circuit *circuit;
    int run;
    struct type type; /* without a sign */
    struct sum_part {
        const int *bits;
        struct value factor;
    } parts[MAX_PARTS];
    int n;
    struct value number;
    bool too_many;
};

static struct value negative(const struct sum *s, struct value v) {
    return value_apply(EXPR_NEG, s->type, v, v);
}

static void add_number(struct sum *s, struct value number) {
    s->number = value_apply(EXPR_ADD, s->type, s->number, number);
}

static size_t size_of(const struct sum *s) {
    return s->type.bits * sizeof(int);
}

/* Adds factor * part. Parts are sorted by their literals, so equal sums have equal gates. */
static void add_part(struct sum *s, const int *bits, struct value factor) {
    int k = 0;
    while (k < s->n && memcmp(s->parts[k].bits, bits, size_of(s)) < 0)
        k++;
    bool there = k < s->n && memcmp(s->parts[k].bits, bits, size_of(s)) == 0;
    s->too_many = s->too_many || (!there && s->n == MAX_PARTS);
    if (s->too_many) return;
    if (!there) {
        memmove(&s->parts[k + 1], &s->parts[k], (size_t)(s->n++ - k) * sizeof *s->parts);
        s->parts[k] = (struct sum_part){bits, {0, 0}};
    }
    s->parts[k].factor = value_apply(EXPR_ADD, s->type, s->parts[k].factor, factor);
}

/* Whether an operation makes a sum, a difference, or something times a number. */
static bool is_sum(const struct sym *s) {
    if (s->kind != SYM_OP || s->type.real || s->a->type.real || s->a->type.bits != s->type.bits) return false;
    switch (s->op) {
    case EXPR_CAST: return !type_is_vector(s->type) && s->type.bits > 1;
    case EXPR_NEG:
    case EXPR_COMPL:
    case EXPR_ADD:
    case EXPR_SUB: return true;
    case EXPR_MUL: return s->a->kind == SYM_INT || s->b->kind == SYM_INT;
    case EXPR_SHL: return s->b->kind == SYM_INT;
    default: return false;
    }
}

static void add(struct sum *s, const struct sym *t, struct value factor);

/* Adds factor times a product or a shift by a number. */
static void add_product(struct sum *s, const struct sym *t, struct value factor) {
    bool first = t->op == EXPR_MUL && t->a->kind == SYM_INT;
    const struct sym *number = first ? t->a : t->b;
    add(s, first ? t->b : t->a, value_apply(t->op, s->type, factor, number->value));
}

static void add_operation(struct sum *s, const struct sym *t, struct value factor) {
    bool minus = t->op == EXPR_NEG || t->op == EXPR_COMPL;
    if (t->op == EXPR_COMPL) add_number(s, negative(s, factor)); /* ~x is -x - 1 */
    if (t->op == EXPR_MUL || t->op == EXPR_SHL)
        add_product(s, t, factor);
    else
        add(s, t->a, minus ? negative(s, factor) : factor);
    if (t->op == EXPR_ADD) add(s, t->b, factor);
    if (t->op == EXPR_SUB) add(s, t->b, negative(s, factor));
}

/* Adds factor * t. */
static void add(struct sum *s, const struct sym *t, struct value factor) {
    if (s->too_many) return;
    if (t->kind == SYM_INT)
        add_number(s, value_apply(EXPR_MUL, s->type, t->value, factor));
    else if (is_sum(t))
        add_operation(s, t, factor);
    else
        add_part(s, circuit_term(s->circuit, s->run, t), factor);
}

static int count_bits(struct value v) {
    return __builtin_popcountll(v.lo) + __builtin_popcountll(v.hi);
}

/* Adds a part to the gates of the sum; or subtracts its negative, where that has fewer bits set. */
static const int *put(const struct sum *s, const int *sum, const struct sum_part *part) {
    struct gates *g = &s->circuit->gates;
    struct value minus = negative(s, part->factor);
    bool shorter = count_bits(minus) < count_bits(part->factor);
    const int *factor = arith_number(g, shorter ? minus : part->factor, s->type.bits);
    const int *product = arith_multiply(g, part->bits, factor, s->type.bits);
    return (shorter ? arith_subtract : arith_add)(g, sum, product, s->type.bits);
}

const int *sum_term(struct circuit *c, int run, const struct sym *t) {
    struct sum s = {.circuit = c, .run = run, .type = {.bits = t->type.bits, .lanes = 1}};
    if (!is_sum(t) || t->weight > MAX_WEIGHT) return NULL;
    add(&s, t, value_from(s.type, 1));
    if (s.too_many) return NULL;
    const int *sum = arith_number(&c->gates, s.number, s.type.bits);
    for (int k = 0; k < s.n; k++)
        if (!value_is_zero(s.parts[k].factor)) sum = put(&s, sum, &s.parts[k]);
    return sum;
}
