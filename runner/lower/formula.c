/* Formulas, as C has them, of values that are known: what an instruction computes can be read off its row. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lower/column.h"

/* A formula that is being read. */
struct ptx_formula {
    struct parser *p;
    struct pos pos; /* of whatever it makes */
    struct expr *const *values;
    const char *at;
};

static struct expr *read_choice(struct ptx_formula *f);

static bool take(struct ptx_formula *f, const char *text) {
    size_t n = strlen(text);
    f->at += strspn(f->at, " ");
    if (strncmp(f->at, text, n) != 0) return false;
    f->at += n;
    return true;
}

/* A shift by n of PTX: n has no sign, and may be more than the value has bits. */
static struct expr *shift(struct ptx_formula *f, enum expr_kind kind, struct expr *a, struct expr *n) {
    struct parser *p = f->p;
    int bits = a->type.bits;
    bool copies = kind == EXPR_SHR && a->type.sign;
    struct expr *within = expr_new(p, kind, f->pos, a, n);
    struct expr *beyond =
        copies ? expr_new(p, kind, f->pos, a, expr_int(p, n->pos, bits - 1)) : expr_int(p, n->pos, 0);
    if (n->kind == EXPR_INT) return n->value.lo >= (uint64_t)bits ? beyond : within;
    struct expr *fits = expr_new(p, EXPR_LT, n->pos, n, expr_int(p, n->pos, bits));
    return expr_choice(p, n->pos, fits, within, beyond);
}

/* 10, 0x1f */
static struct expr *read_number(struct ptx_formula *f) {
    char *end;
    struct expr *e = expr_int(f->p, f->pos, 0);
    e->value.lo = strtoull(f->at, &end, 0);
    e->type = e->value.lo > INT64_MAX ? type_uint64 : e->value.lo > INT32_MAX ? type_int64 : type_int;
    f->at = end;
    return e;
}

/* a, u32(a), t(a), clz(a) */
static struct expr *read_name(struct ptx_formula *f) {
    char name[8] = "";
    size_t n = 0;
    for (; isalnum((unsigned char)*f->at) && n + 1 < sizeof name; n++)
        name[n] = *f->at++;
    if (!take(f, "(")) return f->values[*name - 'a'];
    struct expr *e = read_choice(f);
    struct type type = f->values[0]->type;
    take(f, ")");
    if (strcmp(name, "t") == 0 || type_find_ptx(name, &type)) return expr_cast(f->p, e, type);
    enum expr_kind kind = *name == 'p' ? EXPR_POPC : *name == 'c' ? EXPR_CLZ : EXPR_BREV;
    return expr_new(f->p, kind, f->pos, e, NULL);
}

static struct expr *read_operand(struct ptx_formula *f) {
    static const struct {
        const char *text;
        enum expr_kind kind;
    } signs[] = {{"-", EXPR_NEG}, {"~", EXPR_COMPL}, {"!", EXPR_NOT}};
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++)
        if (take(f, signs[k].text)) return expr_new(f->p, signs[k].kind, f->pos, read_operand(f), NULL);
    if (isdigit((unsigned char)*f->at)) return read_number(f);
    if (!take(f, "(")) return read_name(f);
    struct expr *e = read_choice(f);
    take(f, ")");
    return e;
}

/* From the weakest on; of those that begin alike the longest comes first. */
static const struct infix {
    const char *text;
    int level;
    enum expr_kind kind;
} infixes[] = {
    {"||", 0, EXPR_LOR},  {"&&", 1, EXPR_LAND}, {"|", 2, EXPR_OR},   {"^", 3, EXPR_XOR},
    {"&", 4, EXPR_AND},   {"==", 5, EXPR_EQ},   {"!=", 5, EXPR_NE},  {"<<<", 7, EXPR_SHL},
    {">>>", 7, EXPR_SHR}, {"<<", 7, EXPR_SHL},  {">>", 7, EXPR_SHR}, {"<=", 6, EXPR_LE},
    {">=", 6, EXPR_GE},   {"<", 6, EXPR_LT},    {">", 6, EXPR_GT},   {"+", 8, EXPR_ADD},
    {"-", 8, EXPR_SUB},   {"*", 9, EXPR_MUL},   {"/", 9, EXPR_DIV},  {"%", 9, EXPR_MOD},
};

static const struct infix *find_infix(struct ptx_formula *f) {
    for (size_t k = 0; k < sizeof infixes / sizeof *infixes; k++)
        if (take(f, infixes[k].text)) return &infixes[k];
    return NULL;
}

/* Operators of this level and of those that bind more. */
static struct expr *read_operators(struct ptx_formula *f, int level) {
    struct expr *e = read_operand(f);
    for (;;) {
        const char *before = f->at;
        const struct infix *o = find_infix(f);
        if (!o || o->level < level) {
            f->at = before;
            return e;
        }
        struct expr *other = read_operators(f, o->level + 1);
        bool shifts = strlen(o->text) == 3;
        e = shifts ? shift(f, o->kind, e, other) : expr_new(f->p, o->kind, f->pos, e, other);
    }
}

static struct expr *read_choice(struct ptx_formula *f) {
    struct expr *e = read_operators(f, 0);
    if (!take(f, "?")) return e;
    struct expr *a = read_choice(f);
    take(f, ":");
    return expr_choice(f->p, f->pos, e, a, read_choice(f));
}

struct expr *formula_value(struct parser *p, struct pos pos, struct expr *const *values, const char *fmt,
                           ...) {
    va_list ap;
    va_start(ap, fmt);
    struct ptx_formula f = {p, pos, values, arena_vprintf(p->arena, fmt, ap)};
    va_end(ap);
    return read_choice(&f);
}
