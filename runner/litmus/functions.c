/* Functions of CUDA that compute in registers: min, __popc and their like. */
#include <string.h>

#include "litmus/parse.h"

/* A function, and what reads its call: `kind` is an operator that it is made of, and its values are converted to `type`
 * unless that is NULL. Operators on bits take a number without a sign. */
struct function {
    const char *name;
    struct expr *(*read)(struct parser *p, const struct token *name, const struct function *f);
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

static struct expr *argument(struct parser *p, const struct token *name, bool first) {
    parse_expect(p, first ? '(' : ',', first ? "'('" : "',' and another value");
    return expr_scalar(p, parse_expression(p), arena_printf(p->arena, "%s()", name->text));
}

static struct expr *whole_argument(struct parser *p, const struct token *name, bool first,
                                   const struct type *type) {
    struct expr *e = argument(p, name, first);
    if (!e->type.real) return expr_cast(p, e, *type);
    parse_error(p, e->pos, "%s() needs an integer, and this is a float", name->text);
    return expr_int(p, e->pos, 0);
}

static struct expr *read_bits(struct parser *p, const struct token *name, const struct function *f) {
    struct expr *e = whole_argument(p, name, true, f->type);
    struct type type = e->type;
    e = expr_new(p, f->kind, name->pos, e, NULL);
    e->a = expr_cast(p, e->a, type);
    return e;
}

/* The number of the lowest bit that is set, from 1: size - clz(x & -x); 0: there is none. */
static struct expr *read_lowest(struct parser *p, const struct token *name, const struct function *f) {
    struct expr *e = keep(p, whole_argument(p, name, true, f->type));
    struct expr *lowest = expr_new(p, EXPR_AND, name->pos, e, expr_new(p, EXPR_NEG, name->pos, e, NULL));
    struct expr *before = expr_new(p, f->kind, name->pos, lowest, NULL);
    return expr_new(p, EXPR_SUB, name->pos, expr_int(p, name->pos, f->type->bits), before);
}

static struct expr *converted(struct parser *p, const struct function *f, struct expr *e) {
    return keep(p, f->type ? expr_cast(p, e, *f->type) : e);
}

/* The smaller or larger of two numbers; of floats, if one is no number, the other (CUDA, fminf). */
static struct expr *read_extreme(struct parser *p, const struct token *name, const struct function *f) {
    struct expr *a = converted(p, f, argument(p, name, true)), *b = converted(p, f, argument(p, name, false));
    struct expr *first = expr_new(p, f->kind, name->pos, a, b);
    if (b->type.real && b->kind != EXPR_INT)
        first = expr_new(p, EXPR_LOR, name->pos, first, expr_new(p, EXPR_NE, name->pos, b, b));
    return expr_choice(p, name->pos, first, a, b);
}

static struct expr *read_absolute(struct parser *p, const struct token *name, const struct function *f) {
    struct expr *e = converted(p, f, argument(p, name, true)), *zero = expr_int(p, name->pos, 0);
    struct expr *negative = expr_new(p, f->kind, name->pos, e, zero);
    return expr_choice(p, name->pos, negative, expr_new(p, EXPR_NEG, name->pos, e, NULL), e);
}

/* __fadd_rn and the like: what the operator is, as floats are rounded so. */
static struct expr *read_rounded(struct parser *p, const struct token *name, const struct function *f) {
    struct expr *a = expr_cast(p, argument(p, name, true), *f->type);
    struct expr *b = expr_cast(p, argument(p, name, false), *f->type);
    return expr_new(p, f->kind, name->pos, a, b);
}

/* isnan(x): x differs from itself */
static struct expr *read_test(struct parser *p, const struct token *name, const struct function *f) {
    struct expr *e = converted(p, f, argument(p, name, true));
    return expr_new(p, f->kind, name->pos, e, e);
}

/* __builtin_expect(x, likely) is x. */
static struct expr *read_expected(struct parser *p, const struct token *name, const struct function *f) {
    struct expr *e = expr_cast(p, argument(p, name, true), *f->type);
    argument(p, name, false);
    return e;
}

/* __funnelshift_l(low, high, by) and its like: a shift of 64 bits, of which 32 are kept. */
static struct expr *read_funnel(struct parser *p, const struct token *name, const struct function *f) {
    struct expr *low = expr_cast(p, whole_argument(p, name, true, &type_unsigned), type_uint64);
    struct expr *high = expr_cast(p, whole_argument(p, name, false, &type_unsigned), type_uint64);
    struct expr *by = keep(p, whole_argument(p, name, false, &type_unsigned));
    struct pos pos = name->pos;
    struct expr *most = expr_cast(p, expr_int(p, pos, 32), type_unsigned);
    bool clamps = name->text[strlen(name->text) - 1] == 'c', left = f->kind == EXPR_SHL;
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

static struct expr *read_permutation(struct parser *p, const struct token *name, const struct function *f) {
    struct expr *x = keep(p, whole_argument(p, name, true, f->type));
    struct expr *y = keep(p, whole_argument(p, name, false, f->type));
    struct expr *selector = body_fold(p, whole_argument(p, name, false, f->type)), *all = NULL;
    if (selector->kind != EXPR_INT || selector->value.lo & 0x8888) {
        parse_error(p, selector->pos,
                    "__byte_perm() is supported with a selector that is a number, whose digits are 0 to 7");
        return expr_int(p, name->pos, 0);
    }
    for (int k = 0; k < 4; k++) {
        struct expr *byte = place_byte(p, x, y, selector->value.lo >> 4 * k & 7, k);
        all = all ? expr_new(p, EXPR_OR, name->pos, all, byte) : byte;
    }
    return all;
}

/* The bits of a value as another type: those of a float as an integer, and back. */
static struct expr *read_as_real(struct parser *p, const struct token *name, const struct function *f) {
    return expr_bits(p, expr_cast(p, argument(p, name, true), *f->type), type_float);
}

static struct expr *read_as_bits(struct parser *p, const struct token *name, const struct function *f) {
    return expr_bits(p, expr_cast(p, argument(p, name, true), type_float), *f->type);
}

/* signbit(x), of a float */
static struct expr *read_sign(struct parser *p, const struct token *name, const struct function *f) {
    return expr_new(p, f->kind, name->pos, read_as_bits(p, name, f), expr_int(p, name->pos, 0));
}

static const struct function functions[] = {
    {"__popc", read_bits, EXPR_POPC, &type_unsigned},
    {"__popcll", read_bits, EXPR_POPC, &type_uint64},
    {"__clz", read_bits, EXPR_CLZ, &type_unsigned},
    {"__clzll", read_bits, EXPR_CLZ, &type_uint64},
    {"__brev", read_bits, EXPR_BREV, &type_unsigned},
    {"__brevll", read_bits, EXPR_BREV, &type_uint64},
    {"__ffs", read_lowest, EXPR_CLZ, &type_unsigned},
    {"__ffsll", read_lowest, EXPR_CLZ, &type_uint64},
    {"__byte_perm", read_permutation, EXPR_OR, &type_unsigned},
    {"__funnelshift_l", read_funnel, EXPR_SHL, &type_unsigned},
    {"__funnelshift_lc", read_funnel, EXPR_SHL, &type_unsigned},
    {"__funnelshift_r", read_funnel, EXPR_SHR, &type_unsigned},
    {"__funnelshift_rc", read_funnel, EXPR_SHR, &type_unsigned},
    {"min", read_extreme, EXPR_LT, NULL},
    {"max", read_extreme, EXPR_GT, NULL},
    {"umin", read_extreme, EXPR_LT, &type_unsigned},
    {"umax", read_extreme, EXPR_GT, &type_unsigned},
    {"llmin", read_extreme, EXPR_LT, &type_int64},
    {"llmax", read_extreme, EXPR_GT, &type_int64},
    {"ullmin", read_extreme, EXPR_LT, &type_uint64},
    {"ullmax", read_extreme, EXPR_GT, &type_uint64},
    {"fminf", read_extreme, EXPR_LT, &type_float},
    {"fmaxf", read_extreme, EXPR_GT, &type_float},
    {"abs", read_absolute, EXPR_LT, NULL},
    {"labs", read_absolute, EXPR_LT, &type_int64},
    {"llabs", read_absolute, EXPR_LT, &type_int64},
    {"fabsf", read_absolute, EXPR_LT, &type_float},
    {"isnan", read_test, EXPR_NE, &type_float},
    {"signbit", read_sign, EXPR_LT, &type_int},
    {"__fadd_rn", read_rounded, EXPR_ADD, &type_float},
    {"__fsub_rn", read_rounded, EXPR_SUB, &type_float},
    {"__fmul_rn", read_rounded, EXPR_MUL, &type_float},
    {"__fdiv_rn", read_rounded, EXPR_DIV, &type_float},
    {"__float_as_int", read_as_bits, EXPR_BITS, &type_int},
    {"__float_as_uint", read_as_bits, EXPR_BITS, &type_unsigned},
    {"__int_as_float", read_as_real, EXPR_BITS, &type_int},
    {"__uint_as_float", read_as_real, EXPR_BITS, &type_unsigned},
    {"__builtin_expect", read_expected, EXPR_NE, &type_int64},
};

static const struct function *find_function(const char *name) {
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        if (strcmp(functions[k].name, name) == 0) return &functions[k];
    return NULL;
}

bool function_is(const char *name) {
    return find_function(name) != NULL;
}

/* What is behind std:: or cuda::std::, or a :: alone, of a function; NULL: it is none. */
static const struct token *skip_namespace(const struct token *t) {
    static const char *const names[] = {"cuda", "std"};
    for (int k = 0; k < 2; k++)
        if (token_is_word(t, names[k]) && t[1].kind == ':') t += k ? 1 : 3;
    if (t->kind != ':' || t[1].kind != ':' || t[2].kind != TOK_NAME || t[3].kind != '(') return NULL;
    return function_is(t[2].text) ? t + 2 : NULL;
}

bool function_qualified(const struct parser *p) {
    return !p->panic && skip_namespace(p->tok);
}

struct expr *function_value(struct parser *p) {
    const struct token *bare = skip_namespace(p->tok);
    if (bare) p->tok = bare;
    const struct token *name = parse_next(p);
    const struct function *f = find_function(name->text);
    struct expr *e = f->read(p, name, f);
    parse_expect(p, ')', arena_printf(p->arena, "')' behind the values of %s", name->text));
    return e;
}
