/* Instructions that count, find, move and choose bits. */
#include "lower/column.h"

/* A value of the instruction's size without a sign. */
static struct expr *next_bits(struct column *c) {
    c->type.sign = false;
    return ptx_next_value(c);
}

/* The same of 32 bits. */
static struct expr *next_unsigned(struct column *c) {
    struct type type = c->type;
    c->type = type_unsigned;
    struct expr *e = ptx_next_value(c);
    c->type = type;
    return e;
}

/* The register of a result of 32 bits. */
static int result_of_32(struct column *c) {
    struct type type = c->type;
    c->type = type_unsigned;
    int reg = ptx_result(c);
    c->type = type;
    return reg;
}

/* popc r, a; clz r, a; brev r, a */
void ptx_count_bits(struct column *c) {
    bool reverses = ptx_is(c->in, "brev");
    enum expr_kind kind = reverses ? EXPR_BREV : ptx_is(c->in, "clz") ? EXPR_CLZ : EXPR_POPC;
    int reg = reverses ? ptx_result(c) : result_of_32(c);
    struct expr *a = next_bits(c);
    if (!c->p.panic) ptx_set(c, reg, expr_new(&c->p, kind, c->in->pos, a, NULL));
}

/* bfind r, a: the highest bit that is not as the sign; all bits where there is none. */
void ptx_find_bit(struct column *c) {
    struct parser *p = &c->p;
    struct pos pos = c->in->pos;
    bool shifts = ptx_words_take(&c->words, c->in, "shiftamt"), sign = c->type.sign;
    int reg = result_of_32(c), bits = c->type.bits;
    struct expr *a = ptx_next_value(c);
    if (p->panic) return;
    if (sign) {
        struct expr *negative = expr_new(p, EXPR_LT, pos, a, expr_int(p, pos, 0));
        a = expr_choice(p, pos, negative, expr_new(p, EXPR_COMPL, pos, a, NULL), a);
        a = expr_cast(p, a, (struct type){.bits = (uint8_t)bits, .lanes = 1});
    }
    struct expr *above = expr_new(p, EXPR_CLZ, pos, a, NULL);
    struct expr *none = expr_new(p, EXPR_EQ, pos, a, expr_int(p, pos, 0));
    struct expr *place = shifts ? above : expr_new(p, EXPR_SUB, pos, expr_int(p, pos, bits - 1), above);
    ptx_set(c, reg, expr_choice(p, pos, none, expr_int(p, pos, -1), place));
}

/* (1 << n) - 1, also of all bits. */
static struct expr *low_mask(struct column *c, struct type type, struct expr *n) {
    struct parser *p = &c->p;
    struct expr *one = expr_cast(p, expr_int(p, n->pos, 1), type);
    return expr_new(p, EXPR_SUB, n->pos, ptx_shift_value(c, EXPR_SHL, one, n), one);
}

/* The low eight bits of a number. */
static struct expr *low_byte(struct column *c, struct expr *n) {
    if (n->kind != EXPR_INT) return expr_new(&c->p, EXPR_AND, n->pos, n, expr_int(&c->p, n->pos, 255));
    return expr_int(&c->p, n->pos, (int)(n->value.lo & 255));
}

/* bfe r, a, first, n: n bits of a; those of a sign beyond them are copied. */
void ptx_extract(struct column *c) {
    struct parser *p = &c->p;
    struct pos pos = c->in->pos;
    bool sign = c->type.sign;
    int reg = ptx_result(c), bits = c->type.bits;
    struct expr *a = next_bits(c), *first = low_byte(c, next_unsigned(c)), *n = low_byte(c, next_unsigned(c));
    if (p->panic) return;
    if (!sign) {
        struct expr *low = ptx_shift_value(c, EXPR_SHR, a, first);
        ptx_set(c, reg, expr_new(p, EXPR_AND, pos, low, low_mask(c, a->type, n)));
        return;
    }
    bool known = first->kind == EXPR_INT && n->kind == EXPR_INT;
    int from = known ? (int)first->value.lo : 0, count = known ? (int)n->value.lo : 0;
    if (!known || count == 0 || from + count > bits) {
        parse_error(p, pos,
                    "not supported yet: bits with a sign whose places are not known or beyond the number");
        return;
    }
    struct type type = {.bits = (uint8_t)bits, .lanes = 1, .sign = true};
    struct expr *high = expr_new(p, EXPR_SHL, pos, a, expr_int(p, pos, bits - from - count));
    ptx_set(c, reg, expr_new(p, EXPR_SHR, pos, expr_cast(p, high, type), expr_int(p, pos, bits - count)));
}

/* bfi r, a, b, first, n: b, of which n bits are those of a. */
void ptx_insert(struct column *c) {
    struct parser *p = &c->p;
    struct pos pos = c->in->pos;
    int reg = ptx_result(c);
    struct expr *a = next_bits(c), *b = next_bits(c);
    struct expr *first = low_byte(c, next_unsigned(c)), *n = low_byte(c, next_unsigned(c));
    if (p->panic) return;
    struct expr *mask = ptx_shift_value(c, EXPR_SHL, low_mask(c, a->type, n), first);
    struct expr *in = expr_new(p, EXPR_AND, pos, ptx_shift_value(c, EXPR_SHL, a, first), mask);
    struct expr *kept = expr_new(p, EXPR_AND, pos, b, expr_new(p, EXPR_COMPL, pos, mask, NULL));
    ptx_set(c, reg, expr_new(p, EXPR_OR, pos, kept, in));
}

/* A number that must be known, which is the next operand. */
static unsigned next_known(struct column *c, const char *what) {
    const struct ptx_operand *o = ptx_next(c, what);
    if (o && o->kind != PTX_INTEGER)
        parse_error(&c->p, o->pos, "not supported yet: %s that is not known when this is compiled", what);
    return o ? (unsigned)o->bits : 0;
}

/* The same with a selector that is computed: byte k is that of eight at a place of four bits, or its sign. */
static void permute_by(struct column *c, int reg, struct expr *a, struct expr *b, struct expr *selector) {
    struct parser *p = &c->p;
    struct pos pos = c->in->pos;
    int whole = body_temporary(p, pos, type_uint64), by = body_temporary(p, pos, type_unsigned);
    struct expr *high = expr_new(p, EXPR_SHL, pos, expr_cast(p, b, type_uint64), expr_int(p, pos, 32));
    body_set(p, whole, expr_new(p, EXPR_OR, pos, high, expr_cast(p, a, type_uint64)), pos);
    body_set(p, by, selector, pos);
    struct expr *value = NULL;
    for (int k = 0; k < 4; k++) {
        struct expr *pick = expr_new(p, EXPR_SHR, pos, body_value(p, by, pos), expr_int(p, pos, 4 * k));
        struct expr *place = expr_new(p, EXPR_AND, pos, pick, expr_int(p, pos, 7));
        place = expr_new(p, EXPR_SHL, pos, place, expr_int(p, pos, 3));
        struct expr *byte =
            expr_cast(p, expr_new(p, EXPR_SHR, pos, body_value(p, whole, pos), place), type_unsigned);
        struct expr *sign = expr_new(p, EXPR_AND, pos, expr_new(p, EXPR_SHR, pos, byte, expr_int(p, pos, 7)),
                                     expr_int(p, pos, 1));
        struct expr *signs = expr_new(p, EXPR_AND, pos, pick, expr_int(p, pos, 8));
        byte = expr_choice(p, pos, signs, expr_new(p, EXPR_MUL, pos, sign, expr_int(p, pos, 255)), byte);
        byte = expr_new(p, EXPR_AND, pos, byte, expr_int(p, pos, 255));
        byte = expr_new(p, EXPR_SHL, pos, byte, expr_int(p, pos, 8 * k));
        value = value ? expr_new(p, EXPR_OR, pos, value, byte) : byte;
    }
    ptx_set(c, reg, value);
}

/* prmt r, a, b, selector: four bytes of eight, or their signs. */
void ptx_permute(struct column *c) {
    struct parser *p = &c->p;
    struct pos pos = c->in->pos;
    int reg = ptx_result(c);
    struct expr *a = next_bits(c), *b = next_bits(c), *value = NULL;
    if (c->next < c->in->noperands && c->in->operands[c->next].kind != PTX_INTEGER) {
        struct expr *by = next_unsigned(c);
        if (!p->panic) permute_by(c, reg, a, b, by);
        return;
    }
    unsigned selector = next_known(c, "a selector");
    for (int k = 0; k < 4 && !p->panic; k++) {
        unsigned pick = selector >> 4 * k & 15;
        struct expr *byte =
            expr_new(p, EXPR_SHR, pos, pick & 4 ? b : a, expr_int(p, pos, 8 * (int)(pick & 3)));
        byte = expr_cast(p, byte, (struct type){.bits = 8, .lanes = 1, .sign = pick & 8});
        if (pick & 8) byte = expr_new(p, EXPR_SHR, pos, expr_cast(p, byte, type_int), expr_int(p, pos, 7));
        if (pick & 8) byte = expr_cast(p, byte, (struct type){.bits = 8, .lanes = 1});
        byte = expr_new(p, EXPR_SHL, pos, expr_cast(p, byte, type_unsigned), expr_int(p, pos, 8 * k));
        value = value ? expr_new(p, EXPR_OR, pos, value, byte) : byte;
    }
    if (!p->panic) ptx_set(c, reg, value);
}

/* lop3 r, a, b, c, table: a bit of the table for each three bits. */
void ptx_logic(struct column *c) {
    struct parser *p = &c->p;
    struct pos pos = c->in->pos;
    int reg = ptx_result(c);
    struct expr *v[3] = {next_bits(c), next_bits(c), next_bits(c)},
                *value = expr_cast(p, expr_int(p, pos, 0), c->type);
    unsigned table = next_known(c, "a table");
    for (unsigned row = 0; row < 8 && !p->panic; row++) {
        struct expr *all = NULL;
        for (int k = 0; k < 3 && table >> row & 1; k++) {
            bool one = row >> (2 - k) & 1;
            struct expr *part = one ? v[k] : expr_new(p, EXPR_COMPL, pos, v[k], NULL);
            all = all ? expr_new(p, EXPR_AND, pos, all, part) : part;
        }
        if (all) value = expr_is_zero(value) ? all : expr_new(p, EXPR_OR, pos, value, all);
    }
    if (!p->panic) ptx_set(c, reg, value);
}

/* shf.l and shf.r: 32 bits of two numbers side by side, a being the low one. */
void ptx_funnel(struct column *c) {
    struct parser *p = &c->p;
    struct pos pos = c->in->pos;
    bool left = ptx_words_take(&c->words, c->in, "l"), wraps = ptx_words_take(&c->words, c->in, "wrap");
    if (!left) ptx_words_take(&c->words, c->in, "r");
    if (!wraps) ptx_words_take(&c->words, c->in, "clamp");
    int reg = ptx_result(c);
    struct expr *a = next_bits(c), *b = next_bits(c), *n = next_unsigned(c);
    if (p->panic) return;
    struct expr *most = expr_int(p, pos, 32), *high = expr_cast(p, b, type_uint64);
    n = wraps ? expr_new(p, EXPR_AND, pos, n, expr_int(p, pos, 31))
              : expr_choice(p, pos, expr_new(p, EXPR_LT, pos, n, most), n, expr_cast(p, most, type_unsigned));
    struct expr *both =
        expr_new(p, EXPR_OR, pos, expr_new(p, EXPR_SHL, pos, high, most), expr_cast(p, a, type_uint64));
    struct expr *moved = expr_new(p, left ? EXPR_SHL : EXPR_SHR, pos, both, n);
    if (left) moved = expr_new(p, EXPR_SHR, pos, moved, most);
    ptx_set(c, reg, expr_cast(p, moved, type_unsigned));
}

/* abs r, a */
void ptx_magnitude(struct column *c) {
    struct parser *p = &c->p;
    struct pos pos = c->in->pos;
    int reg = ptx_result(c);
    struct expr *a = ptx_next_value(c);
    if (p->panic) return;
    struct expr *negative = expr_new(p, EXPR_LT, pos, a, expr_cast(p, expr_int(p, pos, 0), a->type));
    ptx_set(c, reg, expr_choice(p, pos, negative, expr_new(p, EXPR_NEG, pos, a, NULL), a));
}
