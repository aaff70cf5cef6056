#include "paths/circuit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "litmus/ops.h"

/* The text of a row that is read, of an operation of one type. */
struct update {
    struct arena *arena;
    const struct sym *of;
    const char *at;
    bool unknown;
};

static const struct update_operator {
    const char *text;
    enum expr_kind op;
    int binds;
} operators[] = {
    {"||", EXPR_LOR, 1}, {"|", EXPR_OR, 2}, {"^", EXPR_XOR, 3}, {"&", EXPR_AND, 4}, {"==", EXPR_EQ, 5},
    {">=", EXPR_GE, 6},  {"<", EXPR_LT, 6}, {">", EXPR_GT, 6},  {"+", EXPR_ADD, 7}, {"-", EXPR_SUB, 7},
};

/* Skips a text, if it comes next. */
static bool accept(struct update *u, const char *text) {
    while (*u->at == ' ')
        u->at++;
    size_t n = strlen(text);
    bool word = isalpha((unsigned char)*text) && isalnum((unsigned char)u->at[strnlen(u->at, n)]);
    if (strncmp(u->at, text, n) != 0 || word) return false;
    u->at += n;
    return true;
}

static const struct sym *read_choice(struct update *u);

static const struct sym *cast(struct update *u, const struct sym *s, bool sign) {
    struct type to = s->type;
    to.sign = sign;
    return sym_make(u->arena, (struct sym){.kind = SYM_OP, .op = EXPR_CAST, .type = to, .a = s});
}

static const struct sym *read_word(struct update *u) {
    if (accept(u, "old")) return u->of->a;
    if (accept(u, "v") && u->of->b) return u->of->b;
    if (accept(u, "expected") && u->of->c) return u->of->c;
    u->unknown = u->unknown || !isdigit((unsigned char)*u->at);
    return sym_int(u->arena, u->of->type, u->unknown ? 0 : strtoll(u->at, (char **)&u->at, 10));
}

static const struct sym *read_operand(struct update *u) {
    if (accept(u, "(T)")) return cast(u, read_operand(u), u->of->type.sign);
    if (accept(u, "(U)")) return cast(u, read_operand(u), false);
    if (!accept(u, "(")) return read_word(u);
    const struct sym *s = read_choice(u);
    u->unknown = u->unknown || !accept(u, ")");
    return s;
}

/* The operator that comes next, if it binds as closely as that; or NULL. */
static const struct update_operator *accept_operator(struct update *u, int binds) {
    for (size_t k = 0; k < sizeof operators / sizeof *operators; k++) {
        const char *before = u->at;
        if (!accept(u, operators[k].text)) continue;
        if (operators[k].binds >= binds) return &operators[k];
        u->at = before;
        return NULL;
    }
    return NULL;
}

static const struct sym *read_binary(struct update *u, int binds) {
    const struct sym *x = read_operand(u);
    const struct update_operator *o;
    while (!u->unknown && (o = accept_operator(u, binds)))
        x = sym_apply(u->arena, o->op, x, read_binary(u, o->binds + 1));
    return x;
}

static const struct sym *read_choice(struct update *u) {
    struct sym s = {.kind = SYM_OP, .op = EXPR_COND, .type = u->of->type};
    s.a = read_binary(u, 1);
    if (!accept(u, "?")) return s.a;
    s.b = read_choice(u);
    u->unknown = u->unknown || !accept(u, ":");
    s.c = u->unknown ? s.b : read_choice(u);
    return sym_make(u->arena, s);
}

const struct sym *update_term(struct arena *a, const struct sym *s) {
    struct update u = {.arena = a, .of = s, .at = op_rows[s->fn].value};
    if (s->type.real) return NULL;
    const struct sym *term = read_choice(&u);
    return u.unknown || *u.at ? NULL : term;
}
