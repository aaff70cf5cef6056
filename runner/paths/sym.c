#include "paths/sym.h"

#include "logic/rel.h"

const struct sym *sym_value(struct arena *a, struct type t, struct value value) {
    struct sym *s = arena_alloc(a, sizeof *s);
    s->kind = SYM_INT;
    s->type = t;
    s->value = value;
    return s;
}

const struct sym *sym_int(struct arena *a, struct type t, long long value) {
    return sym_value(a, t, value_from(t, value));
}

void reads_add(struct reads *to, const struct reads *from) {
    bits_or(to->bits, from->bits, MAX_READS / 64);
}

bool reads_share(const struct reads *x, const struct reads *y) {
    for (int k = 0; k < MAX_READS / 64; k++)
        if (x->bits[k] & y->bits[k]) return true;
    return false;
}

const struct sym *sym_read(struct arena *a, struct type t, int read) {
    struct sym *s = arena_alloc(a, sizeof *s);
    s->kind = SYM_READ;
    s->type = t;
    s->read = read;
    set_add(s->reads.bits, read);
    return s;
}

static struct value eval_part(const struct sym *s, const struct value *reads) {
    return s ? sym_eval(s, reads) : (struct value){0};
}

bool sym_is_extreme(const struct sym *s) {
    const struct sym *which = s->a;
    return s->kind == SYM_OP && s->op == EXPR_COND && which->kind == SYM_OP && which->b && !which->c &&
           ((which->a == s->b && which->b == s->c) || (which->a == s->c && which->b == s->b));
}

bool sym_both_extreme(const struct sym *x, const struct sym *y) {
    return sym_is_extreme(x) && sym_is_extreme(y) && (x->a->a == x->b) == (y->a->a == y->b);
}

static struct value eval_extreme(const struct sym *s, const struct value *reads) {
    const struct sym *which = s->a;
    struct value x = sym_eval(which->a, reads), y = sym_eval(which->b, reads);
    bool first = value_is_true(which->type, value_apply(which->op, which->a->type, x, y));
    return first == (which->a == s->b) ? x : y;
}

struct value sym_eval(const struct sym *s, const struct value *reads) {
    switch (s->kind) {
    case SYM_INT: return s->value;
    case SYM_READ: return reads[s->read];
    case SYM_RMW:
        return op_value(s->fn, s->type, sym_eval(s->a, reads), eval_part(s->b, reads),
                        eval_part(s->c, reads));
    case SYM_OP:
        if (sym_is_extreme(s)) return eval_extreme(s, reads);
        if (s->op == EXPR_COND) return sym_eval(sym_is_true(s->a, reads) ? s->b : s->c, reads);
        if (s->op == EXPR_CAST) return value_convert(sym_eval(s->a, reads), s->a->type, s->type);
        return value_apply(s->op, s->a->type, sym_eval(s->a, reads), eval_part(s->b, reads));
    }
    return (struct value){0};
}

bool sym_is_true(const struct sym *s, const struct value *reads) {
    return value_is_true(s->type, sym_eval(s, reads));
}

static bool is_int(const struct sym *s) {
    return !s || s->kind == SYM_INT;
}

bool sym_same(const struct sym *x, const struct sym *y) {
    if (x == y) return true;
    if (!x || !y || x->kind != y->kind) return false;
    if (!type_same(x->type, y->type)) return false;
    if (x->kind == SYM_INT) return value_equal(x->value, y->value);
    if (x->kind == SYM_READ) return x->read == y->read;
    if (sym_both_extreme(x, y)) return sym_same(x->a, y->a);
    return x->op == y->op && x->fn == y->fn && sym_same(x->a, y->a) && sym_same(x->b, y->b) &&
           sym_same(x->c, y->c);
}

static bool is_zero(const struct sym *s) {
    return s->kind == SYM_INT && value_is_zero(s->value);
}

/* Whether a term is 0 whatever its reads return, as tests write a dependency that carries no value. */
static bool is_always_zero(const struct sym *s) {
    if (s->kind != SYM_OP || !s->b || s->type.real) return false;
    bool has_zero = is_zero(s->a) || is_zero(s->b);
    if (s->op == EXPR_XOR || s->op == EXPR_SUB) return sym_same(s->a, s->b);
    return (s->op == EXPR_MUL || s->op == EXPR_AND) && has_zero;
}

/* Bits of an integer that are plainly set, whatever is read: as the bit of a lane in a ballot, if it is known
 * to vote for it. */
static uint64_t set_bits(const struct sym *s) {
    int bits = s->type.bits;
    uint64_t all = bits < 64 ? ((uint64_t)1 << bits) - 1 : ~(uint64_t)0;
    if (s->type.real || s->type.lanes > 1 || bits > 64) return 0;
    if (s->kind == SYM_INT) return s->value.lo & all;
    if (s->kind != SYM_OP) return 0;
    switch (s->op) {
    case EXPR_OR: return set_bits(s->b) | set_bits(s->a);
    case EXPR_SHR:
        return is_int(s->b) && s->b->value.lo < (uint64_t)bits ? set_bits(s->a) >> s->b->value.lo : 0;
    case EXPR_CAST: return bits == 1 ? sym_is_nonzero(s->a) : set_bits(s->a) & all;
    default: return 0;
    }
}

bool sym_is_nonzero(const struct sym *s) {
    if (s->kind == SYM_INT) return !s->type.real && !value_is_zero(s->value);
    return set_bits(s) != 0;
}

/* Whether a term compares with zero a term that is plainly not zero. */
static bool is_known_comparison(const struct sym *s) {
    bool compares = s->kind == SYM_OP && (s->op == EXPR_EQ || s->op == EXPR_NE);
    return compares && ((is_zero(s->b) && sym_is_nonzero(s->a)) || (is_zero(s->a) && sym_is_nonzero(s->b)));
}

/* A term over up to three others; a number when they all are, or when it is one all the same. */
const struct sym *sym_make(struct arena *a, struct sym s) {
    const struct sym *parts[] = {s.a, s.b, s.c};
    if (is_always_zero(&s)) return sym_int(a, s.type, 0);
    if (is_known_comparison(&s)) return sym_int(a, s.type, s.op == EXPR_NE);
    if (is_int(s.a) && is_int(s.b) && is_int(s.c)) return sym_value(a, s.type, sym_eval(&s, NULL));
    for (int k = 0; k < 3; k++)
        if (parts[k]) reads_add(&s.reads, &parts[k]->reads);
    uint64_t weight = 1;
    for (int k = 0; k < (sym_is_extreme(&s) ? 1 : 3); k++)
        if (parts[k]) weight += parts[k]->weight + 1;
    s.weight = weight < UINT32_MAX ? (uint32_t)weight : UINT32_MAX;
    struct sym *made = arena_alloc(a, sizeof *made);
    *made = s;
    return made;
}

const struct sym *sym_apply(struct arena *a, enum expr_kind op, const struct sym *x, const struct sym *y) {
    struct sym s = {.kind = SYM_OP, .op = op, .type = value_result(op, x->type), .a = x, .b = y};
    return sym_make(a, s);
}

const struct sym *sym_cast(struct arena *a, const struct sym *s, struct type to) {
    if (type_same(s->type, to)) return s;
    enum expr_kind op = s->type.real || to.real ? EXPR_BITS : EXPR_CAST;
    return sym_make(a, (struct sym){.kind = SYM_OP, .op = op, .type = to, .a = s});
}

const struct sym *sym_lane(struct arena *a, const struct sym *vector, int lane) {
    if (!type_is_vector(vector->type)) return vector;
    if (vector->kind != SYM_OP || vector->op != EXPR_JOIN)
        return sym_apply(a, EXPR_LANE, vector, sym_int(a, type_int, lane));
    int half = vector->type.lanes / 2;
    return lane < half ? sym_lane(a, vector->a, lane) : sym_lane(a, vector->b, lane - half);
}

const struct sym *sym_vector(struct arena *a, const struct sym *const *lanes, int n) {
    if (n == 1) return lanes[0];
    return sym_apply(a, EXPR_JOIN, sym_vector(a, lanes, n / 2), sym_vector(a, lanes + n / 2, n / 2));
}
