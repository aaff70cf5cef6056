/* Gives expressions their types, as C does; and finds types by their names. */
#include <assert.h>
#include <string.h>

#include "lower/lower.h"

/* ---- conversions ---- */

/* The remedy where a scalar is wanted. */
static void complain_vector(struct parser *p, const struct expr *e, const char *what) {
    parse_complain(p, e->pos, "%s needs a scalar, and this is of type %s: take an element, as in v.x", what,
                   type_name(e->type));
}

struct expr *expr_scalar(struct parser *p, struct expr *e, const char *what) {
    if (!type_is_vector(e->type)) return e;
    if (!p->panic) complain_vector(p, e, what);
    return expr_int(p, e->pos, 0);
}

static struct expr *make(struct parser *p, enum expr_kind kind, struct type type, struct pos pos,
                         struct expr *a, struct expr *b) {
    struct expr *e = arena_alloc(p->arena, sizeof *e);
    *e = (struct expr){.kind = kind, .type = type, .pos = pos, .a = a, .b = b};
    return e;
}

struct expr *expr_of_value(struct parser *p, struct pos pos, struct type type, struct value value) {
    struct expr *e = make(p, EXPR_INT, type, pos, NULL, NULL);
    e->value = value;
    return e;
}

struct expr *expr_int(struct parser *p, struct pos pos, int value) {
    return expr_of_value(p, pos, type_int, value_from(type_int, value));
}

struct expr *expr_unsigned(struct parser *p, struct pos pos, long long value) {
    return expr_of_value(p, pos, type_unsigned, value_from(type_unsigned, value));
}

/* Warns of a number that loses bits. */
static void check_size(struct parser *p, const struct expr *number, struct type type) {
    const struct type from = number->type, wide = {128, 1, true, false};
    struct value back = value_convert(value_convert(number->value, from, type), type, from);
    bool fits = type.real || type.bits == 1 || p->panic || (from.real && value_equal(back, number->value));
    for (int sign = 0; sign < 2 && !from.real; sign++) {
        struct type to = {type.bits, 1, sign, false};
        struct value kept = value_convert(value_convert(number->value, from, to), to, wide);
        fits = fits || value_equal(kept, value_convert(number->value, from, wide));
    }
    char text[VALUE_MAX_TEXT], kept[VALUE_MAX_TEXT];
    if (!fits)
        diag_warning(p->diag, p->source, number->pos, "%s does not fit into type %s: it becomes %s",
                     value_text(text, from, number->value), type_name(type),
                     value_text(kept, type, value_convert(number->value, from, type)));
}

struct expr *expr_convert(struct parser *p, struct expr *e, struct type type) {
    if (type_same(e->type, type)) return e;
    if (type_is_vector(type)) {
        if (!p->panic)
            parse_complain(p, e->pos, "expected a value of type %s, not %s: write make_%s(...)",
                           type_name(type), type_name(e->type), type_name(type));
        return expr_of_value(p, e->pos, type, (struct value){0});
    }
    e = expr_scalar(p, e, arena_printf(p->arena, "a value of type %s", type_name(type)));
    if (e->kind == EXPR_INT) {
        check_size(p, e, type);
        return expr_of_value(p, e->pos, type, value_convert(e->value, e->type, type));
    }
    bool halves = type_same(e->type, type_half) || (type_same(type, type_half) && !e->type.real);
    if (halves && !type_same(e->type, type_float) && !type_same(type, type_float))
        e = make(p, EXPR_CAST, type_float, e->pos, e,
                 NULL); /* a half is made of a float or a double, and becomes a float */
    return make(p, EXPR_CAST, type, e->pos, e, NULL);
}

struct expr *expr_truth(struct parser *p, struct expr *e) {
    return type_same(e->type, type_half) ? expr_convert(p, e, type_float) : e;
}

struct expr *expr_cast(struct parser *p, struct expr *e, struct type type) {
    bool scalars = !type_is_vector(type) && !type_is_vector(e->type);
    if (!scalars || e->kind != EXPR_INT) return expr_convert(p, e, type);
    return expr_of_value(p, e->pos, type, value_convert(e->value, e->type, type));
}

struct expr *expr_bits(struct parser *p, struct expr *e, struct type type) {
    return e->kind == EXPR_INT ? expr_of_value(p, e->pos, type, e->value)
                               : make(p, EXPR_BITS, type, e->pos, e, NULL);
}

/* ---- operators ---- */

static const char *operator_text(enum expr_kind kind) {
    static const char *const texts[] = {
        [EXPR_NEG] = "-",     [EXPR_NOT] = "!",       [EXPR_COMPL] = "~", [EXPR_POPC] = "__popc",
        [EXPR_CLZ] = "__clz", [EXPR_BREV] = "__brev", [EXPR_MUL] = "*",   [EXPR_DIV] = "/",
        [EXPR_MOD] = "%",     [EXPR_ADD] = "+",       [EXPR_SUB] = "-",   [EXPR_SHL] = "<<",
        [EXPR_SHR] = ">>",    [EXPR_LT] = "<",        [EXPR_LE] = "<=",   [EXPR_GT] = ">",
        [EXPR_GE] = ">=",     [EXPR_EQ] = "==",       [EXPR_NE] = "!=",   [EXPR_AND] = "&",
        [EXPR_XOR] = "^",     [EXPR_OR] = "|",        [EXPR_LAND] = "&&", [EXPR_LOR] = "||"};
    return texts[kind];
}

/* Warns when a number is compared that the other side's type cannot have: the comparison is decided. */
static void check_equality(struct parser *p, enum expr_kind kind, const struct expr *e,
                           const struct expr *number) {
    if ((kind != EXPR_EQ && kind != EXPR_NE) || number->kind != EXPR_INT || e->kind == EXPR_INT) return;
    struct type common = type_common(e->type, number->type);
    struct value wanted = value_convert(number->value, number->type, common);
    struct value there = value_convert(value_convert(wanted, common, e->type), e->type, common);
    if (value_equal(wanted, there) || p->panic) return;
    diag_warning(p->diag, p->source, number->pos, "no value of type %s is equal to this number",
                 type_name(e->type));
}

/* Converts operands to one type, and makes the operator. */
static struct expr *make_operator(struct parser *p, enum expr_kind kind, struct pos pos, struct expr *a,
                                  struct expr *b) {
    struct type type = b ? type_common(a->type, b->type) : type_promote(a->type);
    if (kind == EXPR_SHL || kind == EXPR_SHR) type = type_promote(a->type);
    if (kind == EXPR_NOT) type = a->type;
    bool halves = type_same(a->type, type_half) || (b && type_same(b->type, type_half));
    if (halves && value_result(kind, type).real) {
        parse_complain(p, pos, "'%s' is not supported on half: write it of floats, as __half2float(x)",
                       operator_text(kind));
        return expr_int(p, pos, 0);
    }
    if (!value_has_operator(kind, type) || (b && !value_has_operator(kind, b->type))) {
        parse_complain(p, pos, "'%s' is not defined on %s", operator_text(kind),
                       type_name(type.real ? type : b->type));
        return expr_int(p, pos, 0);
    }
    if (b) check_equality(p, kind, a, b);
    if (b) check_equality(p, kind, b, a);
    a = expr_convert(p, a, type);
    if (b) b = expr_convert(p, b, kind == EXPR_SHL || kind == EXPR_SHR ? type_promote(b->type) : type);
    if (kind == EXPR_NEG && a->kind == EXPR_INT)
        return expr_of_value(p, pos, type, value_apply(kind, type, a->value, a->value));
    return make(p, kind, value_result(kind, type), pos, a, b);
}

struct expr *expr_new(struct parser *p, enum expr_kind kind, struct pos pos, struct expr *a, struct expr *b) {
    if (!a) return make(p, kind, type_int, pos, NULL, NULL);
    const char *what = arena_printf(p->arena, "'%s'", operator_text(kind));
    a = expr_scalar(p, a, what);
    if (b) b = expr_scalar(p, b, what);
    return make_operator(p, kind, pos, a, b);
}

struct expr *expr_choice(struct parser *p, struct pos pos, struct expr *a, struct expr *b, struct expr *c) {
    bool vectors = type_is_vector(b->type) || type_is_vector(c->type);
    struct type type = vectors ? b->type : type_common(b->type, c->type);
    if (vectors && !type_is_vector(type)) type = c->type;
    a = expr_scalar(p, a, "'?'");
    struct expr *e = make(p, EXPR_COND, type, pos, a, expr_convert(p, b, type));
    e->c = expr_convert(p, c, type);
    return e;
}

struct expr *expr_lane(struct parser *p, struct pos pos, struct expr *vector, int lane) {
    struct type type = type_lane(vector->type);
    if (vector->kind == EXPR_INT)
        return expr_of_value(p, pos, type, value_lane(vector->type, vector->value, lane));
    return make(p, EXPR_LANE, type, pos, vector, expr_int(p, pos, lane));
}

struct expr *expr_vector(struct parser *p, struct pos pos, struct type type, struct expr **lanes) {
    struct type half = type_lane(type);
    int n = type.lanes;
    assert(n == 2 || n == 4);
    for (; n > 1; n /= 2) {
        for (int k = 0; k < n / 2; k++)
            lanes[k] = make(p, EXPR_JOIN, value_result(EXPR_JOIN, half), pos, lanes[2 * k], lanes[2 * k + 1]);
        half = value_result(EXPR_JOIN, half);
    }
    return lanes[0];
}

struct expr *expr_set_lane(struct parser *p, struct pos pos, struct expr *vector, int lane,
                           struct expr *scalar) {
    struct expr *lanes[4];
    for (int k = 0; k < vector->type.lanes; k++)
        lanes[k] =
            k == lane ? expr_convert(p, scalar, type_lane(vector->type)) : expr_lane(p, pos, vector, k);
    return expr_vector(p, pos, vector->type, lanes);
}

/* ---- names ---- */

const struct type_alias *type_find_alias(const struct parser *p, const char *name) {
    for (int k = 0; k < p->naliases; k++)
        if (strcmp(p->aliases[k].name, name) == 0) return &p->aliases[k];
    return NULL;
}

bool type_of_name(const struct parser *p, const char *name, struct type *out) {
    const struct type_alias *alias = type_find_alias(p, name);
    if (alias) *out = alias->type;
    return alias || type_find(name, out);
}

bool parse_type_begins(const struct parser *p, const struct token *t) {
    struct type type;
    bool named = t->kind == TOK_NAME &&
                 (strcmp(t->text, "const") == 0 || type_is_word(t->text) || type_of_name(p, t->text, &type));
    return named && !p->panic && find_location(p->test, t->text) < 0 &&
           (!p->body || body_find(p, t->text) < 0);
}

struct type lower_type(struct parser *p, const struct tree *n) {
    struct type type = type_int;
    const char *name = "";
    const struct token *t = n->at;
    if (body_is_refused(p, t)) return type;
    if (t->kind != TOK_NAME) parse_error(p, t->pos, "expected a type of a register");
    for (; t < n->end && t->kind == TOK_NAME; t++)
        if (t == n->at || type_is_word(t->text))
            name = arena_printf(p->arena, "%s%s%s", name, *name ? " " : "", t->text);
    if (!p->panic && !type_of_name(p, name, &type))
        parse_error(p, n->at->pos, "'%s' is no type%s", name, type_hint(p->arena, name));
    return type;
}
