/* Instructions that find, move and choose bits, and that no rule says. */
#include "lower/calls.h"
#include "lower/column.h"

/* bfind r, a: the highest bit that is not as the sign; all bits where there is none. */
void ptx_find_bit(struct column *c) {
    bool shifts = ptx_words_take(&c->words, c->in, "shiftamt");
    struct expr *a[1];
    int reg = ptx_operands(c, "ws", a);
    if (c->p.panic) return;
    int bits = a[0]->type.bits;
    if (a[0]->type.sign) a[0] = formula_value(&c->p, c->in->pos, a, "u%d(a < 0 ? ~a : a)", bits);
    if (shifts)
        a[0] = formula_value(&c->p, c->in->pos, a, "a == 0 ? -1 : clz(a)");
    else
        a[0] = formula_value(&c->p, c->in->pos, a, "a == 0 ? -1 : %d - clz(a)", bits - 1);
    ptx_set(c, reg, a[0]);
}

/* bfe r, a, first, n: n bits of a; those of a sign beyond them are copied. */
void ptx_extract(struct column *c) {
    struct expr *v[3];
    bool sign = c->words.type_word ? c->words.type.sign : c->type.sign;
    if (!sign) {
        ptx_compute(c);
        return;
    }
    int reg = ptx_operands(c, "tuyy", v);
    if (c->p.panic) return;
    bool known = v[1]->kind == EXPR_INT && v[2]->kind == EXPR_INT;
    int first = known ? (int)v[1]->value.lo : 0, n = known ? (int)v[2]->value.lo : 0, bits = v[0]->type.bits;
    if (known && n > 0 && first + n <= bits)
        ptx_set(c, reg,
                formula_value(&c->p, c->in->pos, v, "s%d(a << %d) >> %d", bits, bits - first - n, bits - n));
    else
        parse_error(&c->p, c->in->pos,
                    "not supported yet: bits with a sign whose places are not known or beyond the number");
}

/* A number that must be known, which is the next operand. */
static unsigned next_known(struct column *c, const char *what) {
    const struct ptx_operand *o = ptx_next(c, what);
    if (o && o->kind != PTX_INTEGER)
        parse_error(&c->p, o->pos, "not supported yet: %s that is not known when this is compiled", what);
    return o ? (unsigned)o->bits : 0;
}

/* Byte k of prmt, where a number says which: a byte of a or b, or its sign. */
static const char *known_byte(struct column *c, unsigned pick, int k) {
    char from = pick & 4 ? 'b' : 'a';
    int at = 8 * (int)(pick & 3);
    return pick & 8 ? arena_printf(c->p.arena, "u32(u8(s32(s8(%c >> %d)) >> 7)) << %d", from, at, 8 * k)
                    : arena_printf(c->p.arena, "u32(u8(%c >> %d)) << %d", from, at, 8 * k);
}

/* The same of all eight, c, by a selector d that is computed. */
static const char *chosen_byte(struct column *c, int k) {
    const char *byte = arena_printf(c->p.arena, "u32(c >> ((d >> %d & 7) << 3))", 4 * k);
    return arena_printf(c->p.arena, "((d >> %d & 8 ? (%s >> 7 & 1) * 255 : %s) & 255) << %d", 4 * k, byte,
                        byte, 8 * k);
}

/* prmt r, a, b, selector: four bytes of eight, or their signs. */
void ptx_permute(struct column *c) {
    struct parser *p = &c->p;
    struct pos pos = c->in->pos;
    struct expr *v[4];
    int reg = ptx_operands(c, "tuu", v);
    bool known = !ptx_peek(c) || ptx_peek(c)->kind == PTX_INTEGER;
    unsigned selector = known ? next_known(c, "a selector") : 0;
    if (!known) v[3] = ptx_next_value(c);
    if (p->panic) return;
    if (!known) {
        v[2] = body_hold(p, formula_value(p, pos, v, "u64(b) << 32 | u64(a)"), pos);
        v[3] = body_hold(p, expr_cast(p, v[3], type_unsigned), pos);
    }
    const char *text = "";
    for (int k = 0; k < 4; k++)
        text = arena_printf(p->arena, "%s%s%s", text, k ? " | " : "",
                            known ? known_byte(c, selector >> 4 * k & 15, k) : chosen_byte(c, k));
    ptx_set(c, reg, formula_value(p, pos, v, "%s", text));
}

/* lop3 r, a, b, c, table: a bit of the table for each three bits. */
void ptx_logic(struct column *c) {
    struct expr *v[3];
    int reg = ptx_operands(c, "tuuu", v);
    unsigned table = next_known(c, "a table");
    const char *text = "";
    for (unsigned row = 0; row < 8; row++)
        if (table >> row & 1)
            text = arena_printf(c->p.arena, "%s%s%sa & %sb & %sc", text, *text ? " | " : "",
                                row & 4 ? "" : "~", row & 2 ? "" : "~", row & 1 ? "" : "~");
    if (!c->p.panic) ptx_set(c, reg, formula_value(&c->p, c->in->pos, v, "%s", *text ? text : "t(0)"));
}

/* shf.l and shf.r: 32 bits of two numbers side by side, a being the low one. */
void ptx_funnel(struct column *c) {
    bool left = ptx_words_take(&c->words, c->in, "l"), wraps = ptx_words_take(&c->words, c->in, "wrap");
    if (!left) ptx_words_take(&c->words, c->in, "r");
    if (!wraps) ptx_words_take(&c->words, c->in, "clamp");
    struct expr *v[3];
    int reg = ptx_operands(c, "tuuw", v);
    if (c->p.panic) return;
    const char *n = wraps ? "(c & 31)" : "(c < 32 ? c : u32(32))", *both = "(u64(b) << 32 | u64(a))";
    ptx_set(c, reg,
            formula_value(&c->p, c->in->pos, v, left ? "u32((%s << %s) >> 32)" : "u32(%s >> %s)", both, n));
}
