/* Functions of CUDA that compute in registers: min, __popc and their like. */
#include <string.h>

#include "litmus/parse.h"

/* Operators without a sign in C take a number of one size, whatever they are given. */
static const struct {
    const char *name;
    enum expr_kind kind;
    bool wide;
} bit_functions[] = {
    {"__popc", EXPR_POPC, false}, {"__popcll", EXPR_POPC, true}, {"__clz", EXPR_CLZ, false},
    {"__clzll", EXPR_CLZ, true},  {"__brev", EXPR_BREV, false},  {"__brevll", EXPR_BREV, true},
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

static struct expr *whole_argument(struct parser *p, const struct token *name, bool first, bool wide) {
    struct expr *e = argument(p, name, first);
    if (e->type.real) {
        parse_error(p, e->pos, "%s() needs an integer, and this is a float", name->text);
        return expr_int(p, e->pos, 0);
    }
    return expr_cast(p, e, wide ? type_uint64 : type_unsigned);
}

static struct expr *read_bits(struct parser *p, const struct token *name, enum expr_kind kind, bool wide) {
    struct expr *e = whole_argument(p, name, true, wide);
    struct type type = e->type;
    e = expr_new(p, kind, name->pos, e, NULL);
    e->a = expr_cast(p, e->a, type);
    return e;
}

/* The number of the lowest bit that is set, from 1: size - clz(x & -x); 0: there is none. */
static struct expr *read_lowest(struct parser *p, const struct token *name, bool wide) {
    struct expr *e = keep(p, whole_argument(p, name, true, wide));
    struct expr *lowest = expr_new(p, EXPR_AND, name->pos, e, expr_new(p, EXPR_NEG, name->pos, e, NULL));
    struct expr *before = expr_new(p, EXPR_CLZ, name->pos, lowest, NULL);
    return expr_new(p, EXPR_SUB, name->pos, expr_int(p, name->pos, wide ? 64 : 32), before);
}

static struct expr *read_extreme(struct parser *p, const struct token *name, enum expr_kind kind) {
    struct expr *a = keep(p, argument(p, name, true)), *b = keep(p, argument(p, name, false));
    return expr_choice(p, name->pos, expr_new(p, kind, name->pos, a, b), a, b);
}

static struct expr *read_absolute(struct parser *p, const struct token *name) {
    struct expr *e = keep(p, argument(p, name, true)), *zero = expr_int(p, name->pos, 0);
    struct expr *negative = expr_new(p, EXPR_LT, name->pos, e, zero);
    return expr_choice(p, name->pos, negative, expr_new(p, EXPR_NEG, name->pos, e, NULL), e);
}

/* One byte of those of y and x, from the low end of x, and where it goes. */
static struct expr *place_byte(struct parser *p, struct expr *x, struct expr *y, unsigned from, int to) {
    struct expr *word = from < 4 ? x : y;
    struct expr *shifted = expr_new(p, EXPR_SHR, x->pos, word, expr_int(p, x->pos, 8 * (int)(from & 3)));
    struct expr *byte = expr_new(p, EXPR_AND, x->pos, shifted, expr_int(p, x->pos, 0xff));
    return expr_new(p, EXPR_SHL, x->pos, byte, expr_int(p, x->pos, 8 * to));
}

static struct expr *read_permutation(struct parser *p, const struct token *name) {
    struct expr *x = keep(p, whole_argument(p, name, true, false));
    struct expr *y = keep(p, whole_argument(p, name, false, false));
    struct expr *selector = whole_argument(p, name, false, false), *all = NULL;
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

/* The functions that give a value the type of another with the same bits. */
static const struct bit_cast {
    const char *name;
    const struct type *from, *to;
} bit_casts[] = {{"__float_as_int", &type_float, &type_int},
                 {"__float_as_uint", &type_float, &type_unsigned},
                 {"__int_as_float", &type_int, &type_float},
                 {"__uint_as_float", &type_unsigned, &type_float}};

static const struct bit_cast *find_bit_cast(const char *name) {
    for (size_t k = 0; k < sizeof bit_casts / sizeof *bit_casts; k++)
        if (strcmp(bit_casts[k].name, name) == 0) return &bit_casts[k];
    return NULL;
}

static struct expr *read_call(struct parser *p, const struct token *name) {
    for (size_t k = 0; k < sizeof bit_functions / sizeof *bit_functions; k++)
        if (strcmp(bit_functions[k].name, name->text) == 0)
            return read_bits(p, name, bit_functions[k].kind, bit_functions[k].wide);
    const struct bit_cast *cast = find_bit_cast(name->text);
    if (cast) return expr_bits(p, expr_cast(p, argument(p, name, true), *cast->from), *cast->to);
    if (strcmp(name->text, "min") == 0) return read_extreme(p, name, EXPR_LT);
    if (strcmp(name->text, "max") == 0) return read_extreme(p, name, EXPR_GT);
    if (strcmp(name->text, "abs") == 0) return read_absolute(p, name);
    if (strcmp(name->text, "__byte_perm") == 0) return read_permutation(p, name);
    return read_lowest(p, name, strcmp(name->text, "__ffsll") == 0);
}

bool function_is(const char *name) {
    static const char *const others[] = {"min", "max", "abs", "__byte_perm", "__ffs", "__ffsll"};
    for (size_t k = 0; k < sizeof bit_functions / sizeof *bit_functions; k++)
        if (strcmp(bit_functions[k].name, name) == 0) return true;
    if (find_bit_cast(name)) return true;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (strcmp(others[k], name) == 0) return true;
    return false;
}

struct expr *function_value(struct parser *p) {
    const struct token *name = parse_next(p);
    struct expr *e = read_call(p, name);
    parse_expect(p, ')', arena_printf(p->arena, "')' behind the values of %s", name->text));
    return e;
}
