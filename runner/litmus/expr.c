#include "litmus/expr.h"

#include <math.h>
#include <string.h>

struct value expr_eval(const struct expr *e, const struct expr_env *env) {
    switch (e->kind) {
    case EXPR_INT: return e->value;
    case EXPR_REG: return env->regs[e->index];
    case EXPR_TID: return value_from(e->type, env->tid);
    case EXPR_COUNT: return value_from(e->type, env->count);
    case EXPR_BLOCK: return value_from(e->type, env->tid / env->block);
    case EXPR_THREAD: return value_from(e->type, env->tid % env->block);
    case EXPR_OBS: return env->obs[e->index];
    case EXPR_CAST: return value_convert(expr_eval(e->a, env), e->a->type, e->type);
    case EXPR_COND: return expr_eval(expr_is_true(e->a, env) ? e->b : e->c, env);
    default:
        return value_apply(e->kind, e->a->type, expr_eval(e->a, env),
                           e->b ? expr_eval(e->b, env) : (struct value){0});
    }
}

bool expr_is_true(const struct expr *e, const struct expr_env *env) {
    return value_is_true(e->type, expr_eval(e, env));
}

long long expr_number(const struct expr *e, const struct expr_env *env) {
    return value_int(e->type, expr_eval(e, env));
}

bool expr_is_nonzero(const struct expr *e) {
    return e->kind == EXPR_INT && value_is_true(e->type, e->value);
}

bool expr_is_zero(const struct expr *e) {
    return e->kind == EXPR_INT && !value_is_true(e->type, e->value);
}

bool expr_is_of_cell(const struct expr *e) {
    return e->kind == EXPR_RANK || e->kind == EXPR_RANKS;
}

bool expr_reads(const struct expr *e, int reg) {
    if (!e) return false;
    return (e->kind == EXPR_REG && e->index == reg) || expr_reads(e->a, reg) || expr_reads(e->b, reg) ||
           expr_reads(e->c, reg);
}

bool expr_is_known(const struct expr *e) {
    return !e || (e->kind != EXPR_REG && !expr_is_of_cell(e) && expr_is_known(e->a) && expr_is_known(e->b) &&
                  expr_is_known(e->c));
}

/* How each operator is written in C, and how tightly it binds (larger is tighter). */
static const struct {
    const char *text;
    int level;
    const char *call; /* the function for it in generated code */
    const char *real; /* the function for it on real numbers */
} operators[] = {
    [EXPR_LANE] = {".", 13, NULL, NULL},        [EXPR_CAST] = {"(", 12, NULL, NULL},
    [EXPR_NEG] = {"-", 12, "ineg", "real_neg"}, [EXPR_NOT] = {"!", 12, NULL, NULL},
    [EXPR_COMPL] = {"~", 12, NULL, NULL},       [EXPR_POPC] = {"__popc", 13, "popc", NULL},
    [EXPR_CLZ] = {"__clz", 13, "clz", NULL},    [EXPR_BREV] = {"__brev", 13, "brev", NULL},
    [EXPR_MUL] = {"*", 11, "imul", "real_mul"}, [EXPR_DIV] = {"/", 11, "idiv", "real_div"},
    [EXPR_MOD] = {"%", 11, "imod", NULL},       [EXPR_ADD] = {"+", 10, "iadd", "real_add"},
    [EXPR_SUB] = {"-", 10, "isub", "real_sub"}, [EXPR_SHL] = {"<<", 9, "ishl", NULL},
    [EXPR_SHR] = {">>", 9, "ishr", NULL},       [EXPR_LT] = {"<", 8, NULL, NULL},
    [EXPR_LE] = {"<=", 8, NULL, NULL},          [EXPR_GT] = {">", 8, NULL, NULL},
    [EXPR_GE] = {">=", 8, NULL, NULL},          [EXPR_EQ] = {"==", 7, NULL, NULL},
    [EXPR_NE] = {"!=", 7, NULL, NULL},          [EXPR_AND] = {"&", 6, NULL, NULL},
    [EXPR_XOR] = {"^", 5, NULL, NULL},          [EXPR_OR] = {"|", 4, NULL, NULL},
    [EXPR_LAND] = {"&&", 3, NULL, NULL},        [EXPR_LOR] = {"||", 2, NULL, NULL},
    [EXPR_COND] = {"?", 1, NULL, NULL},
};

struct printer {
    struct text *out;
    bool safe;
    void (*leaf)(struct text *out, const struct expr *e, void *ctx);
    void *ctx;
};

static void print(const struct printer *p, const struct expr *e, int level);

const char *expr_real_suffix(struct type real) {
    return real.bits == 64 ? "_f64" : real.bits == 32 ? "" : "_b16";
}

/* Writes an integer in decimal with the suffix of its type. C has no literal for the smallest integers. */
static void print_integer(const struct printer *p, struct type t, struct value v, int level) {
    static const char *const suffixes[2][2] = {{"u", ""}, {"ull", "ll"}}; /* by size and sign */
    const char *suffix = t.bits < 32 ? "" : suffixes[t.bits > 32][t.sign];
    long long n = value_int(t, v);
    if (t.bits >= 32 && t.sign && v.lo == 1ull << (t.bits - 1))
        text_printf(p->out, "(%lld%s - 1)", n + 1, suffix);
    else if (t.sign)
        text_printf(p->out, n < 0 && level > operators[EXPR_NEG].level ? "(%lld%s)" : "%lld%s", n, suffix);
    else
        text_printf(p->out, "%llu%s", (unsigned long long)v.lo, suffix);
}

/* Writes a real number such that it is read as one of its type. */
static void print_real(const struct printer *p, struct type t, struct value v) {
    if (p->safe && (t.bits == 16 || !isfinite(value_real(t, v)))) {
        text_printf(p->out, "%s_of(%llu%s)", type_name(t), (unsigned long long)v.lo,
                    t.bits == 64 ? "ull" : "u");
        return;
    }
    if (t.bits == 16) text_add(p->out, "__float2half(");
    size_t from = p->out->len;
    value_print(p->out, t, v);
    const char *number = p->out->s + from;
    if (strpbrk(number, "n")) return;
    text_printf(p->out, "%s%s", strpbrk(number, ".e") ? "" : ".0",
                t.bits == 64   ? ""
                : t.bits == 32 ? "f"
                               : "f)");
}

static void print_scalar(const struct printer *p, struct type t, struct value v, int level) {
    if (t.real)
        print_real(p, t, v);
    else if (t.bits == 128)
        text_printf(p->out, "((%s)%lluull << 64 | %lluull)", type_name(t), (unsigned long long)v.hi,
                    (unsigned long long)v.lo);
    else
        print_integer(p, t, v, level);
}

/* Writes the lanes of a constant or joined vector, separated by commas. */
static void print_lanes(const struct printer *p, const struct expr *e, bool first) {
    if (e->kind == EXPR_JOIN) {
        print_lanes(p, e->a, first);
        print_lanes(p, e->b, false);
        return;
    }
    for (int lane = 0; lane < e->type.lanes; lane++) {
        if (!first || lane) text_add(p->out, ", ");
        if (e->kind == EXPR_INT)
            print_scalar(p, type_lane(e->type), value_lane(e->type, e->value, lane), 0);
        else
            print(p, e, 0);
    }
}

static void print_vector(const struct printer *p, const struct expr *e) {
    text_printf(p->out, "make_%s(", type_name(e->type));
    print_lanes(p, e, true);
    text_add(p->out, ")");
}

/* Returns the function for an operator in generated code; NULL: it is written as the operator. A compiler may
 * assume that signed arithmetic never overflows and delete branches on that ground, so signed sums and
 * products are computed by functions on unsigned numbers. */
static const char *call_of(const struct expr *e) {
    bool wraps = e->kind == EXPR_NEG || e->kind == EXPR_MUL || e->kind == EXPR_ADD || e->kind == EXPR_SUB;
    if (e->type.real) return operators[e->kind].real;
    return wraps && (!e->type.sign || e->type.bits < 32) ? NULL : operators[e->kind].call;
}

/* Writes a call such as idiv(a, b) or real_add(a, b), with the suffix of the type unless that is int or
 * float. */
static void print_call(const struct printer *p, const struct expr *e) {
    struct type t = e->a->type;
    text_add(p->out, t.real ? operators[e->kind].real : operators[e->kind].call);
    if (t.real)
        text_add(p->out, expr_real_suffix(t));
    else if (!type_same(t, type_int))
        text_printf(p->out, "_%s", type_ptx(t));
    text_add(p->out, "(");
    print(p, e->a, 0);
    if (e->b) {
        text_add(p->out, ", ");
        print(p, e->b, 0);
    }
    text_add(p->out, ")");
}

/* Writes an operator. Its left operand must bind at least as tightly as the operator, its right one more
 * tightly, since C groups from the left. */
static void print_operator(const struct printer *p, const struct expr *e) {
    int level = operators[e->kind].level;
    if (e->kind == EXPR_COND) {
        print(p, e->a, level + 1);
        text_add(p->out, " ? ");
        print(p, e->b, level);
        text_add(p->out, " : ");
        print(p, e->c, level);
    } else if (e->kind == EXPR_LANE) {
        print(p, e->a, level);
        text_printf(p->out, ".%c", type_lane_name((int)e->b->value.lo));
    } else if (e->kind == EXPR_CAST) {
        text_printf(p->out, "(%s)", type_name(e->type));
        print(p, e->a, level);
    } else if (e->kind >= EXPR_POPC && e->kind <= EXPR_BREV) {
        text_printf(p->out, "%s%s(", operators[e->kind].text, e->a->type.bits > 32 ? "ll" : "");
        print(p, e->a, 0);
        text_add(p->out, ")");
    } else if (e->b) {
        print(p, e->a, level);
        text_printf(p->out, " %s ", operators[e->kind].text);
        print(p, e->b, level + 1);
    } else {
        text_add(p->out, operators[e->kind].text);
        print(p, e->a, e->kind == EXPR_NEG ? level + 1 : level); /* so that it is -(-a) and never --a */
    }
}

/* Writes the conversion of a real number to its bits, or back. CUDA's functions for a double use signed
 * integers. */
static void print_bits(const struct printer *p, const struct expr *e) {
    struct type real = e->type.real ? e->type : e->a->type, bits = e->type.real ? e->a->type : e->type;
    const char *name = real.bits == 64   ? "longlong"
                       : real.bits == 32 ? (bits.sign ? "int" : "uint")
                                         : (bits.sign ? "short" : "ushort");
    const char *words[] = {name, type_name(real)};
    if (!p->safe)
        text_printf(p->out, "__%s_as_%s(", words[!e->type.real], words[e->type.real]);
    else if (e->type.real)
        text_printf(p->out, "%s_of(", type_name(real));
    else
        text_printf(p->out, "%sbits_of%s(",
                    !bits.sign        ? ""
                    : bits.bits == 64 ? "(long long)"
                    : bits.bits == 32 ? "(int)"
                                      : "(short)",
                    expr_real_suffix(real));
    print(p, e->a, 0);
    text_add(p->out, ")");
}

/* Writes e where C's grammar wants an expression that binds at least as tightly as `level`. */
static void print(const struct printer *p, const struct expr *e, int level) {
    bool vector = type_is_vector(e->type);
    if (e->kind == EXPR_JOIN || (e->kind == EXPR_INT && vector)) {
        print_vector(p, e);
    } else if (e->kind == EXPR_INT) {
        print_scalar(p, e->type, e->value, level);
    } else if (e->kind <= EXPR_OBS) {
        p->leaf(p->out, e, p->ctx);
    } else if (e->kind == EXPR_BITS) {
        print_bits(p, e);
    } else if (p->safe && e->kind == EXPR_CAST && e->a->type.real && e->type.bits > 1) {
        text_printf(p->out, "real_to_%s%s(", type_ptx(e->type), expr_real_suffix(e->a->type));
        print(p, e->a, 0);
        text_add(p->out, ")");
    } else if (p->safe && call_of(e)) {
        print_call(p, e);
    } else {
        bool parens = operators[e->kind].level < level;
        if (parens) text_add(p->out, "(");
        print_operator(p, e);
        if (parens) text_add(p->out, ")");
    }
}

void expr_print(struct text *out, const struct expr *e, bool safe,
                void (*leaf)(struct text *out, const struct expr *e, void *ctx), void *ctx) {
    print(&(struct printer){out, safe, leaf, ctx}, e, 0);
}
