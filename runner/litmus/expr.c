#include "litmus/expr.h"

#include <assert.h>

int32_t expr_apply(enum expr_kind kind, int32_t a, int32_t b) {
    uint32_t ua = (uint32_t)a, ub = (uint32_t)b;
    switch (kind) {
    case EXPR_NEG: return (int32_t)-ua;
    case EXPR_NOT: return !a;
    case EXPR_COMPL: return ~a;
    case EXPR_MUL: return (int32_t)(ua * ub);
    case EXPR_DIV: return b == 0 ? 0 : b == -1 ? (int32_t)-ua : a / b;
    case EXPR_MOD: return b == 0 || b == -1 ? 0 : a % b;
    case EXPR_ADD: return (int32_t)(ua + ub);
    case EXPR_SUB: return (int32_t)(ua - ub);
    case EXPR_SHL: return (int32_t)(ua << (ub & 31));
    case EXPR_SHR: return a >> (ub & 31);
    case EXPR_LT: return a < b;
    case EXPR_LE: return a <= b;
    case EXPR_GT: return a > b;
    case EXPR_GE: return a >= b;
    case EXPR_EQ: return a == b;
    case EXPR_NE: return a != b;
    case EXPR_AND: return a & b;
    case EXPR_XOR: return a ^ b;
    case EXPR_OR: return a | b;
    case EXPR_LAND: return a && b;
    case EXPR_LOR: return a || b;
    default: assert(!"an operator"); return 0;
    }
}

int32_t expr_eval(const struct expr *e, const struct expr_env *env) {
    switch (e->kind) {
    case EXPR_INT: return e->value;
    case EXPR_REG: return env->regs[e->value];
    case EXPR_TID: return env->tid;
    case EXPR_COUNT: return env->count;
    case EXPR_OBS: return env->obs[e->value];
    case EXPR_COND: return expr_eval(e->a, env) ? expr_eval(e->b, env) : expr_eval(e->c, env);
    default: return expr_apply(e->kind, expr_eval(e->a, env), e->b ? expr_eval(e->b, env) : 0);
    }
}

bool expr_is_known(const struct expr *e) {
    return !e || (e->kind != EXPR_REG && expr_is_known(e->a) && expr_is_known(e->b) && expr_is_known(e->c));
}

/* How an operator is written, and how tightly it binds in C (larger is tighter). */
static const struct {
    const char *text;
    int level;
    const char *call; /* what it is called in generated code */
} operators[] = {
    [EXPR_NEG] = {"-", 12, 0},      [EXPR_NOT] = {"!", 12, 0},      [EXPR_COMPL] = {"~", 12, 0},
    [EXPR_MUL] = {"*", 11, 0},      [EXPR_DIV] = {"/", 11, "idiv"}, [EXPR_MOD] = {"%", 11, "imod"},
    [EXPR_ADD] = {"+", 10, 0},      [EXPR_SUB] = {"-", 10, 0},      [EXPR_SHL] = {"<<", 9, "ishl"},
    [EXPR_SHR] = {">>", 9, "ishr"}, [EXPR_LT] = {"<", 8, 0},        [EXPR_LE] = {"<=", 8, 0},
    [EXPR_GT] = {">", 8, 0},        [EXPR_GE] = {">=", 8, 0},       [EXPR_EQ] = {"==", 7, 0},
    [EXPR_NE] = {"!=", 7, 0},       [EXPR_AND] = {"&", 6, 0},       [EXPR_XOR] = {"^", 5, 0},
    [EXPR_OR] = {"|", 4, 0},        [EXPR_LAND] = {"&&", 3, 0},     [EXPR_LOR] = {"||", 2, 0},
    [EXPR_COND] = {"?", 1, 0},
};

struct printer {
    struct text *out;
    bool safe;
    void (*leaf)(struct text *out, const struct expr *e, void *ctx);
    void *ctx;
};

static void print(const struct printer *p, const struct expr *e, int level);

static void print_int(const struct printer *p, int32_t value, int level) {
    if (value == INT32_MIN)
        text_add(p->out, "(-2147483647 - 1)"); /* C has no such literal */
    else
        text_printf(p->out, value < 0 && level > operators[EXPR_NEG].level ? "(%d)" : "%d", value);
}

/* Prints an operator whose operands bind at least as tightly as it does: the left one as the same level, the
 * right one tighter, as C groups from the left. */
static void print_operator(const struct printer *p, const struct expr *e) {
    int level = operators[e->kind].level;
    if (e->kind == EXPR_COND) {
        print(p, e->a, level + 1);
        text_add(p->out, " ? ");
        print(p, e->b, level);
        text_add(p->out, " : ");
        print(p, e->c, level);
    } else if (e->b) {
        print(p, e->a, level);
        text_printf(p->out, " %s ", operators[e->kind].text);
        print(p, e->b, level + 1);
    } else {
        text_add(p->out, operators[e->kind].text);
        print(p, e->a, e->kind == EXPR_NEG ? level + 1 : level); /* -(-a), never --a */
    }
}

/* Prints e where an operator of at least `level` is wanted. */
static void print(const struct printer *p, const struct expr *e, int level) {
    if (e->kind == EXPR_INT) {
        print_int(p, e->value, level);
    } else if (e->kind <= EXPR_OBS) {
        p->leaf(p->out, e, p->ctx);
    } else if (p->safe && operators[e->kind].call) {
        text_printf(p->out, "%s(", operators[e->kind].call);
        print(p, e->a, 0);
        text_add(p->out, ", ");
        print(p, e->b, 0);
        text_add(p->out, ")");
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
