/* Functions of CUDA that compute in registers: min, __popc and their like; and printf and assert, which real kernels have
 * beside what they do to memory. */
#include <string.h>

#include "lower/calls.h"

/* A function, and what makes it of its arguments, which are converted to `type` unless that is NULL. */
struct function {
    const char *usage;
    struct expr *(*make)(struct parser *p, struct arguments *a, const struct function *f);
    const struct type *type;
    bool whole;       /* its arguments are integers */
    const char *text; /* a formula of the arguments x, y and z; of an extreme, how the first compares */
};

static bool counts_nodes(const struct expr *e, int *left) {
    if (!e) return true;
    return --*left >= 0 && counts_nodes(e->a, left) && counts_nodes(e->b, left) && counts_nodes(e->c, left);
}

/* A value that is used several times: a large one is computed once. */
static struct expr *keep(struct parser *p, struct expr *e) {
    int left = 8;
    return p->panic || counts_nodes(e, &left) ? e : body_hold(p, e, e->pos);
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
    parse_error(p, e->pos, "%s needs an integer, and this is of type %s", name_of(p, a), type_name(e->type));
    return expr_int(p, e->pos, 0);
}

static struct expr *converted(struct parser *p, const struct function *f, struct expr *e) {
    return keep(p, f->type ? expr_cast(p, e, *f->type) : e);
}

/* The smaller or larger of two numbers; of real ones, if one is no number, the other (CUDA, fminf). */
static struct expr *make_extreme(struct parser *p, struct arguments *a, const struct function *f) {
    struct expr *x = converted(p, f, argument(p, a)), *y = converted(p, f, argument(p, a));
    struct expr *first = expr_new(p, *f->text == '<' ? EXPR_LT : EXPR_GT, a->pos, x, y);
    if (y->type.real && y->kind != EXPR_INT)
        first = expr_new(p, EXPR_LOR, a->pos, first, expr_new(p, EXPR_NE, a->pos, y, y));
    return expr_choice(p, a->pos, first, x, y);
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

static struct expr *make_formula(struct parser *p, struct arguments *a, const struct function *f) {
    struct expr *values[3];
    int k = 0;
    for (const char *c = f->usage; (c = strpbrk(c, "(,")); c++, k++) {
        const char *used = strchr(f->text, 'x' + k);
        values[k] = f->whole ? whole_argument(p, a, f->type) : argument(p, a);
        if (f->type) values[k] = expr_cast(p, values[k], *f->type);
        if (used && strchr(used + 1, 'x' + k)) values[k] = keep(p, values[k]);
    }
    return formula_value(p, a->pos, values, "%s", f->text);
}

/* signbit(x), of a real number */
static struct expr *make_sign(struct parser *p, struct arguments *a, const struct function *f) {
    (void)f;
    struct expr *e = argument(p, a);
    e = type_same(e->type, type_double) ? expr_bits(p, e, type_int64)
                                        : expr_bits(p, expr_cast(p, e, type_float), type_int);
    return expr_new(p, EXPR_LT, a->pos, e, expr_int(p, a->pos, 0));
}

static const struct function functions[] = {
    {"__popc(x)", make_formula, &type_unsigned, true, "popc(x)"},
    {"__popcll(x)", make_formula, &type_uint64, true, "popc(x)"},
    {"__clz(x)", make_formula, &type_unsigned, true, "clz(x)"},
    {"__clzll(x)", make_formula, &type_uint64, true, "clz(x)"},
    {"__brev(x)", make_formula, &type_unsigned, true, "brev(x)"},
    {"__brevll(x)", make_formula, &type_uint64, true, "brev(x)"},
    {"__ffs(x)", make_formula, &type_unsigned, true, "32 - clz(x & -x)"},
    {"__ffsll(x)", make_formula, &type_uint64, true, "64 - clz(x & -x)"},
    {"__byte_perm(x, y, selector)", make_permutation, &type_unsigned, true, NULL},
    {"__funnelshift_l(low, high, shift)", make_formula, &type_unsigned, true,
     "(unsigned)(((uint64_t)y << 32 | (uint64_t)x) << (z & 31) >> 32)"},
    {"__funnelshift_lc(low, high, shift)", make_formula, &type_unsigned, true,
     "(unsigned)(((uint64_t)y << 32 | (uint64_t)x) << (z < 32u ? z : 32u) >> 32)"},
    {"__funnelshift_r(low, high, shift)", make_formula, &type_unsigned, true,
     "(unsigned)(((uint64_t)y << 32 | (uint64_t)x) >> (z & 31))"},
    {"__funnelshift_rc(low, high, shift)", make_formula, &type_unsigned, true,
     "(unsigned)(((uint64_t)y << 32 | (uint64_t)x) >> (z < 32u ? z : 32u))"},
    {"__mulhi(x, y)", make_formula, &type_int, true, "(int)((int64_t)x * (int64_t)y >> 32)"},
    {"__umulhi(x, y)", make_formula, &type_unsigned, true, "(unsigned)((uint64_t)x * (uint64_t)y >> 32)"},
    {"__mul64hi(x, y)", make_formula, &type_int64, true, "(int64_t)((__int128)x * (__int128)y >> 64)"},
    {"__umul64hi(x, y)", make_formula, &type_uint64, true,
     "(uint64_t)((unsigned __int128)x * (unsigned __int128)y >> 64)"},
    {"__mul24(x, y)", make_formula, &type_int, true,
     "((int)((unsigned)x << 8) >> 8) * ((int)((unsigned)y << 8) >> 8)"},
    {"__umul24(x, y)", make_formula, &type_unsigned, true, "(x << 8 >> 8) * (y << 8 >> 8)"},
    {"__hadd(x, y)", make_formula, &type_int, true, "(int)((int64_t)x + (int64_t)y >> 1)"},
    {"__uhadd(x, y)", make_formula, &type_unsigned, true, "(unsigned)((int64_t)x + (int64_t)y >> 1)"},
    {"__rhadd(x, y)", make_formula, &type_int, true, "(int)((int64_t)x + (int64_t)y + 1 >> 1)"},
    {"__urhadd(x, y)", make_formula, &type_unsigned, true, "(unsigned)((int64_t)x + (int64_t)y + 1 >> 1)"},
    {"__sad(x, y, z)", make_formula, &type_int, true,
     "(x < y ? (unsigned)y - (unsigned)x : (unsigned)x - (unsigned)y) + (unsigned)z"},
    {"__usad(x, y, z)", make_formula, &type_unsigned, true, "(x < y ? y - x : x - y) + z"},
    {"min(x, y)", make_extreme, NULL, false, "<"},
    {"max(x, y)", make_extreme, NULL, false, ">"},
    {"umin(x, y)", make_extreme, &type_unsigned, false, "<"},
    {"umax(x, y)", make_extreme, &type_unsigned, false, ">"},
    {"llmin(x, y)", make_extreme, &type_int64, false, "<"},
    {"llmax(x, y)", make_extreme, &type_int64, false, ">"},
    {"ullmin(x, y)", make_extreme, &type_uint64, false, "<"},
    {"ullmax(x, y)", make_extreme, &type_uint64, false, ">"},
    {"fminf(x, y)", make_extreme, &type_float, false, "<"},
    {"fmaxf(x, y)", make_extreme, &type_float, false, ">"},
    {"abs(x)", make_formula, NULL, false, "x < 0 ? -x : x"},
    {"labs(x)", make_formula, &type_int64, false, "x < 0 ? -x : x"},
    {"llabs(x)", make_formula, &type_int64, false, "x < 0 ? -x : x"},
    {"fabsf(x)", make_formula, &type_float, false, "x < 0 ? -x : x"},
    {"fmin(x, y)", make_extreme, &type_double, false, "<"},
    {"fmax(x, y)", make_extreme, &type_double, false, ">"},
    {"fabs(x)", make_formula, &type_double, false, "x < 0 ? -x : x"},
    {"isnan(x)", make_formula, NULL, false, "x != x"},
    {"isinf(x)", make_formula, NULL, false, "x == x && x - x != 0"},
    {"isfinite(x)", make_formula, NULL, false, "x - x == 0"},
    {"signbit(x)", make_sign, NULL, false, NULL},
    {"__fadd_rn(x, y)", make_formula, &type_float, false, "x + y"},
    {"__fsub_rn(x, y)", make_formula, &type_float, false, "x - y"},
    {"__fmul_rn(x, y)", make_formula, &type_float, false, "x * y"},
    {"__fdiv_rn(x, y)", make_formula, &type_float, false, "x / y"},
    {"__dadd_rn(x, y)", make_formula, &type_double, false, "x + y"},
    {"__dsub_rn(x, y)", make_formula, &type_double, false, "x - y"},
    {"__dmul_rn(x, y)", make_formula, &type_double, false, "x * y"},
    {"__ddiv_rn(x, y)", make_formula, &type_double, false, "x / y"},
    {"__float_as_int(x)", make_formula, &type_float, false, "__builtin_bit_cast(int, x)"},
    {"__float_as_uint(x)", make_formula, &type_float, false, "__builtin_bit_cast(unsigned, x)"},
    {"__int_as_float(x)", make_formula, &type_int, false, "__builtin_bit_cast(float, x)"},
    {"__uint_as_float(x)", make_formula, &type_unsigned, false, "__builtin_bit_cast(float, x)"},
    {"__double_as_longlong(x)", make_formula, &type_double, false, "__builtin_bit_cast(int64_t, x)"},
    {"__longlong_as_double(x)", make_formula, &type_int64, false, "__builtin_bit_cast(double, x)"},
    {"__half2float(x)", make_formula, &type_float, false, "x"},
    {"__float2half(x)", make_formula, &type_half, false, "x"},
    {"__float2half_rn(x)", make_formula, &type_half, false, "x"},
    {"__double2half(x)", make_formula, &type_half, false, "x"},
    {"__half_as_short(x)", make_formula, &type_half, false, "__builtin_bit_cast(int16_t, x)"},
    {"__half_as_ushort(x)", make_formula, &type_half, false, "__builtin_bit_cast(uint16_t, x)"},
    {"__short_as_half(x)", make_formula, &type_int16, false, "__builtin_bit_cast(half, x)"},
    {"__ushort_as_half(x)", make_formula, &type_uint16, false, "__builtin_bit_cast(half, x)"},
    {"__builtin_expect(x, value)", make_formula, &type_int64, false, "x"},
};

const struct names function_names = NAMES_OF(functions);

bool function_is(const char *name) {
    return names_find(function_names, name);
}

/* Whether a call is of one of them: min(a, b) or std::min(a, b). */
static bool is_called(const struct tree *call) {
    const struct token *t = call->a->first, *last = call->a->at;
    if (call->a->kind != TREE_NAME || call->at->kind != '(') return false;
    bool std = token_is_word(t, "cuda") ? token_is_word(t + 3, "std") && last == t + 6
                                        : token_is_word(t, "std") && last == t + 3;
    return (std || last == t) && function_is(last->text);
}

/* ---- make_int4(x, y, z, w), int(x) ---- */

static bool makes_vector(const struct tree *call, struct type *type) {
    const char *name = call->first->text;
    return tree_is_word(call->a) && strncmp(name, "make_", 5) == 0 && type_find(name + 5, type) &&
           type_is_vector(*type);
}

static struct expr *make_vector(struct parser *p, const struct tree *call, struct type type) {
    struct expr *lanes[4];
    const struct token *t = call->first;
    const struct tree *n = call->b;
    for (int k = 0; k < type.lanes; k++, n = n ? n->next : NULL) {
        if (!n) parse_error(p, call->end[-1].pos, "%s takes %d values", t->text, type.lanes);
        lanes[k] = n ? lower_value(p, n) : expr_int(p, t->pos, 0);
        lanes[k] = expr_convert(p, lanes[k], type_lane(type));
    }
    if (n) parse_error(p, n->first[-1].pos, "%s takes %d values", t->text, type.lanes);
    return expr_vector(p, t->pos, type, lanes);
}

static bool is_type_call(const struct parser *p, const struct tree *n) {
    return tree_is_word(n->a) && !token_is_word(n->first, "const") && parse_type_begins(p, n->first);
}

/* type(e): a cast; of nothing, 0 */
static struct expr *call_type(struct parser *p, const struct tree *n) {
    struct type type = lower_type(p, &(struct tree){.kind = TREE_TYPE, .at = n->first, .end = n->a->end});
    if (p->panic) return expr_int(p, n->first->pos, 0);
    if (n->b && n->b->next) parse_error(p, n->b->next->first[-1].pos, "expected ')'");
    struct expr *e = n->b ? lower_value(p, n->b) : expr_int(p, n->first->pos, 0);
    return p->panic ? e : expr_cast(p, e, type);
}

/* std::bit_cast<type>(a), also of cuda::std */
static bool is_bit_cast(const struct tree *call) {
    const struct tree *name = call->a;
    return name->kind == TREE_NAME && name->b && name->b->kind == TREE_TYPE &&
           token_is_word(name->at, "bit_cast") &&
           (token_is_word(name->first, "std") || token_is_word(name->first, "cuda"));
}

static struct expr *call_bit_cast(struct parser *p, const struct tree *call) {
    struct arguments a = arguments_of(call, "bit_cast<type>(x)");
    struct type type = lower_type(p, call->a->b);
    const struct tree *n = arguments_take(p, &a, "a value");
    struct expr *e =
        n ? bits_as(p, call->first->pos, lower_value(p, n), type) : expr_int(p, call->first->pos, 0);
    arguments_end(p, &a);
    return e;
}

/* ---- calls ---- */

bool function_knows(struct parser *p, const struct tree *n) {
    struct type type;
    return n->kind == TREE_CALL &&
           (is_called(n) || makes_vector(n, &type) || is_type_call(p, n) || is_bit_cast(n));
}

struct expr *function_value(struct parser *p, const struct tree *call) {
    struct type type;
    if (makes_vector(call, &type)) return make_vector(p, call, type);
    if (is_bit_cast(call)) return call_bit_cast(p, call);
    if (!is_called(call)) return call_type(p, call);
    const struct function *f = names_find(function_names, call->a->at->text);
    struct arguments a = arguments_of(call, f->usage);
    struct expr *e = f->make(p, &a, f);
    arguments_end(p, &a);
    return e;
}

/* ---- printf and assert ---- */

bool console_knows(struct parser *p, const struct tree *n) {
    (void)p;
    bool word = n->kind == TREE_CALL && tree_is_word(n->a);
    return word && (token_is_word(n->a->at, "printf") || token_is_word(n->a->at, "assert"));
}

/* printf("%d", X) reads X. */
static void lower_printf(struct parser *p, const struct tree *n) {
    if (!n->b || n->b->kind != TREE_TEXT)
        parse_error(p, n->a->at->after, "expected a text: printf(\"%%d\", X)");
    for (const struct tree *k = n->b; k && !p->panic; k = k->next)
        if (k->kind != TREE_TEXT && (place_is(p, k) || !place_is_address(p, k)))
            access_drop(p, lower_value(p, k));
    if (!p->panic)
        diag_warning(p->diag, p->source, n->a->at->pos,
                     "printf prints nothing in a test; what it is given is read");
}

/* assert(X == 1 && "why"): a trap where the condition is false. A text is true. */
static void lower_assert(struct parser *p, const struct tree *n) {
    struct pos pos = n->a->at->pos;
    const struct tree *claim = n->b;
    if (!claim || claim->next) parse_error(p, n->a->at->after, "expected a condition: assert(X == 1)");
    bool told = claim && claim->kind == TREE_BINARY && claim->at->kind == TOK_LAND;
    if (told && claim->b->kind == TREE_TEXT) claim = claim->a;
    struct expr *holds = p->panic ? NULL : expr_scalar(p, lower_value(p, claim), "a condition");
    if (p->panic) return;
    struct stmts before = stmts_capture(p);
    guard_begin(p, holds, false);
    stmt_add_op(p, op_make(TRAP_HERE, pos));
    guard_end(p);
    struct stmts trap = stmts_restore(p, before);
    stmt_add_if(p, pos, holds, (struct stmts){0}, trap);
}

struct expr *console_use(struct parser *p, const struct tree *n) {
    (token_is_word(n->a->at, "printf") ? lower_printf : lower_assert)(p, n);
    return NULL;
}
