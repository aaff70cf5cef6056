/* Functions of CUDA that compute in registers: min, __popc and their like. */
#include <string.h>

#include "lower/calls.h"

/* A function, and what makes it of its arguments: `kind` is an operator that it is made of, and its values are converted to `type`
 * unless that is NULL. Operators on bits take a number without a sign. */
struct function {
    const char *name;
    struct expr *(*make)(struct parser *p, struct arguments *a, const struct function *f);
    enum expr_kind kind;
    const struct type *type;
};

static bool counts_nodes(const struct expr *e, int *left) {
    if (!e) return true;
    return --*left >= 0 && counts_nodes(e->a, left) && counts_nodes(e->b, left) && counts_nodes(e->c, left);
}

/* A value that is used several times: a large one is computed once. */
static struct expr *keep(struct parser *p, struct expr *e) {
    int left = 8;
    if (p->panic || counts_nodes(e, &left)) return e;
    int reg = body_temporary(p, e->pos, e->type);
    body_set(p, reg, e, e->pos);
    return body_value(p, reg, e->pos);
}

static const char *name_of(struct parser *p, const struct arguments *a) {
    return arena_printf(p->arena, "%.*s()", (int)strcspn(a->usage, "("), a->usage);
}

static struct expr *argument(struct parser *p, struct arguments *a) {
    const struct tree *n = arguments_take(p, a, "a value");
    return n ? expr_scalar(p, lower_value(p, n), name_of(p, a)) : expr_int(p, a->before->pos, 0);
}

static struct expr *whole_argument(struct parser *p, struct arguments *a, const struct type *type) {
    struct expr *e = argument(p, a);
    if (!e->type.real) return expr_cast(p, e, *type);
    parse_error(p, e->pos, "%s needs an integer, and this is a float", name_of(p, a));
    return expr_int(p, e->pos, 0);
}

static struct expr *make_bits(struct parser *p, struct arguments *a, const struct function *f) {
    struct expr *e = whole_argument(p, a, f->type);
    struct type type = e->type;
    e = expr_new(p, f->kind, a->pos, e, NULL);
    e->a = expr_cast(p, e->a, type);
    return e;
}

/* The number of the lowest bit that is set, from 1: size - clz(x & -x); 0: there is none. */
static struct expr *make_lowest(struct parser *p, struct arguments *a, const struct function *f) {
    struct expr *e = keep(p, whole_argument(p, a, f->type));
    struct expr *lowest = expr_new(p, EXPR_AND, a->pos, e, expr_new(p, EXPR_NEG, a->pos, e, NULL));
    struct expr *before = expr_new(p, f->kind, a->pos, lowest, NULL);
    return expr_new(p, EXPR_SUB, a->pos, expr_int(p, a->pos, f->type->bits), before);
}

static struct expr *converted(struct parser *p, const struct function *f, struct expr *e) {
    return keep(p, f->type ? expr_cast(p, e, *f->type) : e);
}

/* The smaller or larger of two numbers; of floats, if one is no number, the other (CUDA, fminf). */
static struct expr *make_extreme(struct parser *p, struct arguments *a, const struct function *f) {
    struct expr *x = converted(p, f, argument(p, a)), *y = converted(p, f, argument(p, a));
    struct expr *first = expr_new(p, f->kind, a->pos, x, y);
    if (y->type.real && y->kind != EXPR_INT)
        first = expr_new(p, EXPR_LOR, a->pos, first, expr_new(p, EXPR_NE, a->pos, y, y));
    return expr_choice(p, a->pos, first, x, y);
}

static struct expr *make_absolute(struct parser *p, struct arguments *a, const struct function *f) {
    struct expr *e = converted(p, f, argument(p, a)), *zero = expr_int(p, a->pos, 0);
    struct expr *negative = expr_new(p, f->kind, a->pos, e, zero);
    return expr_choice(p, a->pos, negative, expr_new(p, EXPR_NEG, a->pos, e, NULL), e);
}

/* __fadd_rn and the like: what the operator is, as floats are rounded so. */
static struct expr *make_rounded(struct parser *p, struct arguments *a, const struct function *f) {
    struct expr *x = expr_cast(p, argument(p, a), *f->type);
    struct expr *y = expr_cast(p, argument(p, a), *f->type);
    return expr_new(p, f->kind, a->pos, x, y);
}

/* isnan(x): x differs from itself */
static struct expr *make_test(struct parser *p, struct arguments *a, const struct function *f) {
    struct expr *e = converted(p, f, argument(p, a));
    return expr_new(p, f->kind, a->pos, e, e);
}

/* __builtin_expect(x, likely) is x. */
static struct expr *make_expected(struct parser *p, struct arguments *a, const struct function *f) {
    struct expr *e = expr_cast(p, argument(p, a), *f->type);
    argument(p, a);
    return e;
}

/* __funnelshift_l(low, high, by) and its like: a shift of 64 bits, of which 32 are kept. */
static struct expr *make_funnel(struct parser *p, struct arguments *a, const struct function *f) {
    struct expr *low = expr_cast(p, whole_argument(p, a, &type_unsigned), type_uint64);
    struct expr *high = expr_cast(p, whole_argument(p, a, &type_unsigned), type_uint64);
    struct expr *by = keep(p, whole_argument(p, a, &type_unsigned));
    struct pos pos = a->pos;
    struct expr *most = expr_cast(p, expr_int(p, pos, 32), type_unsigned);
    bool clamps = f->name[strlen(f->name) - 1] == 'c', left = f->kind == EXPR_SHL;
    by = clamps ? expr_choice(p, pos, expr_new(p, EXPR_LT, pos, by, most), by, most)
                : expr_new(p, EXPR_AND, pos, by, expr_int(p, pos, 31));
    high = expr_new(p, EXPR_SHL, pos, high, expr_int(p, pos, 32));
    struct expr *all = expr_new(p, f->kind, pos, expr_new(p, EXPR_OR, pos, high, low), by);
    if (left) all = expr_new(p, EXPR_SHR, pos, all, expr_int(p, pos, 32));
    return expr_cast(p, all, type_unsigned);
}

/* One byte of those of y and x, from the low end of x, and where it goes. */
static struct expr *place_byte(struct parser *p, struct expr *x, struct expr *y, unsigned from, int to) {
    struct expr *word = from < 4 ? x : y;
    struct expr *shifted = expr_new(p, EXPR_SHR, x->pos, word, expr_int(p, x->pos, 8 * (int)(from & 3)));
    struct expr *byte = expr_new(p, EXPR_AND, x->pos, shifted, expr_int(p, x->pos, 0xff));
    return expr_new(p, EXPR_SHL, x->pos, byte, expr_int(p, x->pos, 8 * to));
}

static struct expr *make_permutation(struct parser *p, struct arguments *a, const struct function *f) {
    struct expr *x = keep(p, whole_argument(p, a, f->type));
    struct expr *y = keep(p, whole_argument(p, a, f->type));
    struct expr *selector = body_fold(p, whole_argument(p, a, f->type)), *all = NULL;
    if (selector->kind != EXPR_INT || selector->value.lo & 0x8888) {
        parse_error(p, selector->pos,
                    "__byte_perm() is supported with a selector that is a number, whose digits are 0 to 7");
        return expr_int(p, a->pos, 0);
    }
    for (int k = 0; k < 4; k++) {
        struct expr *byte = place_byte(p, x, y, selector->value.lo >> 4 * k & 7, k);
        all = all ? expr_new(p, EXPR_OR, a->pos, all, byte) : byte;
    }
    return all;
}

/* The bits of a value as another type: those of a float as an integer, and back. */
static struct expr *make_as_real(struct parser *p, struct arguments *a, const struct function *f) {
    return expr_bits(p, expr_cast(p, argument(p, a), *f->type), type_float);
}

static struct expr *make_as_bits(struct parser *p, struct arguments *a, const struct function *f) {
    return expr_bits(p, expr_cast(p, argument(p, a), type_float), *f->type);
}

/* signbit(x), of a float */
static struct expr *make_sign(struct parser *p, struct arguments *a, const struct function *f) {
    return expr_new(p, f->kind, a->pos, make_as_bits(p, a, f), expr_int(p, a->pos, 0));
}

static const struct function functions[] = {
    {"__popc", make_bits, EXPR_POPC, &type_unsigned},
    {"__popcll", make_bits, EXPR_POPC, &type_uint64},
    {"__clz", make_bits, EXPR_CLZ, &type_unsigned},
    {"__clzll", make_bits, EXPR_CLZ, &type_uint64},
    {"__brev", make_bits, EXPR_BREV, &type_unsigned},
    {"__brevll", make_bits, EXPR_BREV, &type_uint64},
    {"__ffs", make_lowest, EXPR_CLZ, &type_unsigned},
    {"__ffsll", make_lowest, EXPR_CLZ, &type_uint64},
    {"__byte_perm", make_permutation, EXPR_OR, &type_unsigned},
    {"__funnelshift_l", make_funnel, EXPR_SHL, &type_unsigned},
    {"__funnelshift_lc", make_funnel, EXPR_SHL, &type_unsigned},
    {"__funnelshift_r", make_funnel, EXPR_SHR, &type_unsigned},
    {"__funnelshift_rc", make_funnel, EXPR_SHR, &type_unsigned},
    {"min", make_extreme, EXPR_LT, NULL},
    {"max", make_extreme, EXPR_GT, NULL},
    {"umin", make_extreme, EXPR_LT, &type_unsigned},
    {"umax", make_extreme, EXPR_GT, &type_unsigned},
    {"llmin", make_extreme, EXPR_LT, &type_int64},
    {"llmax", make_extreme, EXPR_GT, &type_int64},
    {"ullmin", make_extreme, EXPR_LT, &type_uint64},
    {"ullmax", make_extreme, EXPR_GT, &type_uint64},
    {"fminf", make_extreme, EXPR_LT, &type_float},
    {"fmaxf", make_extreme, EXPR_GT, &type_float},
    {"abs", make_absolute, EXPR_LT, NULL},
    {"labs", make_absolute, EXPR_LT, &type_int64},
    {"llabs", make_absolute, EXPR_LT, &type_int64},
    {"fabsf", make_absolute, EXPR_LT, &type_float},
    {"isnan", make_test, EXPR_NE, &type_float},
    {"signbit", make_sign, EXPR_LT, &type_int},
    {"__fadd_rn", make_rounded, EXPR_ADD, &type_float},
    {"__fsub_rn", make_rounded, EXPR_SUB, &type_float},
    {"__fmul_rn", make_rounded, EXPR_MUL, &type_float},
    {"__fdiv_rn", make_rounded, EXPR_DIV, &type_float},
    {"__float_as_int", make_as_bits, EXPR_BITS, &type_int},
    {"__float_as_uint", make_as_bits, EXPR_BITS, &type_unsigned},
    {"__int_as_float", make_as_real, EXPR_BITS, &type_int},
    {"__uint_as_float", make_as_real, EXPR_BITS, &type_unsigned},
    {"__builtin_expect", make_expected, EXPR_NE, &type_int64},
};

static const struct function *find_function(const char *name) {
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        if (strcmp(functions[k].name, name) == 0) return &functions[k];
    return NULL;
}

bool function_is(const char *name) {
    return find_function(name) != NULL;
}

bool function_is_called(const struct tree *call) {
    const struct token *t = call->a->first, *last = call->a->at;
    if (call->a->kind != TREE_NAME || call->at->kind != '(') return false;
    bool std = token_is_word(t, "cuda") ? token_is_word(t + 3, "std") && last == t + 6
                                        : token_is_word(t, "std") && last == t + 3;
    return (std || last == t) && function_is(last->text);
}

struct expr *function_value(struct parser *p, const struct tree *call) {
    const struct function *f = find_function(call->a->at->text);
    struct arguments a = arguments_of(call, arena_printf(p->arena, "%s(...)", f->name));
    struct expr *e = f->make(p, &a, f);
    arguments_end(p, &a);
    return e;
}
