/* Instructions that compute in registers. Those whose result depends on the sign are lowered to the signed
 * expressions we have, or refused; PTX's shifts are clamped (PTX ISA, "shl" and "shr"), where ours use the low
 * five bits of the amount. */
#include "lower/column.h"

#include <string.h>

static const struct {
    const char *name;
    enum expr_kind kind;
} operators[] = {
    {"add", EXPR_ADD}, {"sub", EXPR_SUB}, {"mul", EXPR_MUL}, {"div", EXPR_DIV},
    {"rem", EXPR_MOD}, {"and", EXPR_AND}, {"or", EXPR_OR},   {"xor", EXPR_XOR},
};

/* lo, ls, hi and hs are lt, le, gt and ge of unsigned values. */
static const struct {
    const char *name;
    enum expr_kind kind;
    bool is_unsigned;
} comparisons[] = {
    {"eq", EXPR_EQ, false}, {"ne", EXPR_NE, false}, {"lt", EXPR_LT, false},  {"le", EXPR_LE, false},
    {"gt", EXPR_GT, false}, {"ge", EXPR_GE, false}, {"lo", EXPR_LT, true},   {"ls", EXPR_LE, true},
    {"hi", EXPR_GT, true},  {"hs", EXPR_GE, true},  {"num", EXPR_EQ, false},
};

/* Of reals: a comparison that is true if one of two is no number, and of which all others it is the contrary. */
static const struct {
    const char *name, *contrary;
} unordered[] = {
    {"ltu", "ge"}, {"leu", "gt"}, {"gtu", "le"}, {"geu", "lt"}, {"neu", "eq"}, {"equ", "ne"}, {"nan", "num"},
};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static bool has_type(const struct column *c, const char *type) {
    return c->words.type_word && ptx_is_word(c->words.type_word, type);
}

/* Whether the type is one of bits. */
static bool is_bare(const struct column *c) {
    return c->words.type_word && *c->words.type_word->text == 'b';
}

void ptx_need_sign(struct column *c, const char *what) {
    const struct ptx_word *type = c->words.type_word;
    if (!c->typed && type && !ptx_is_word(type, "s32"))
        parse_error(&c->p, type->pos, "'%s.%s' is not supported: values are signed 32-bit integers", what,
                    type->text);
}

void ptx_set(struct column *c, int reg, struct expr *value) {
    if (c->p.panic) return;
    struct stmt *s = stmt_add(&c->p, STMT_SET, c->in->pos);
    s->reg = reg;
    s->value = expr_cast(&c->p, value, c->p.body->regs[reg].type);
}

/* A value of an instruction whose result depends on the sign. In a table values of 32 bits are signed, and .u32 takes
 * their bits for those of a number without a sign. */
static struct expr *ordered_value(struct column *c) {
    struct expr *e = ptx_next_value(c);
    return !c->typed && has_type(c, "u32") && !c->p.panic ? expr_cast(&c->p, e, type_unsigned) : e;
}

/* Complains about bits, which have no order. */
static void need_order(struct column *c) {
    const struct ptx_word *type = c->words.type_word;
    if (is_bare(c)) parse_error(&c->p, type->pos, "'.%s' has no order", type->text);
}

int ptx_result(struct column *c) {
    return ptx_register(c, ptx_next(c, "a register"));
}

/* a op b; folded where both are numbers. */
static struct expr *combine(struct column *c, enum expr_kind kind, struct expr *a, struct expr *b) {
    if (a->kind == EXPR_INT && b->kind == EXPR_INT)
        return expr_int(&c->p, a->pos,
                        (int)value_int(type_int, value_apply(kind, type_int, a->value, b->value)));
    return expr_new(&c->p, kind, a->pos, a, b);
}

static struct expr *combine_int(struct column *c, enum expr_kind kind, struct expr *a, int b) {
    return combine(c, kind, a, expr_int(&c->p, a->pos, b));
}

/* Of n parts of the instruction's type each; they must be 2 or 4, and have at least 8 bits. */
static struct type part_type(struct column *c, int n) {
    struct type part = {.bits = (uint8_t)(n ? c->type.bits / n : 0), .lanes = 1};
    if ((n != 2 && n != 4) || part.bits < 8)
        parse_error(&c->p, c->in->pos, "a value of %d bits is not put together from %d parts", c->type.bits,
                    n);
    return part;
}

/* mov.b64 r, {a, b}: the first part is the lowest. */
static struct expr *pack(struct column *c, const struct ptx_operand *o) {
    struct parser *p = &c->p;
    struct type whole = c->type;
    struct expr *e = expr_int(p, o->pos, 0);
    whole.sign = false;
    c->type = part_type(c, o->nparts);
    for (int k = 0; k < o->nparts && !p->panic; k++) {
        struct pos pos = o->parts[k].pos;
        struct expr *part = expr_cast(p, expr_cast(p, ptx_value(c, &o->parts[k]), c->type), whole);
        if (k) part = expr_new(p, EXPR_SHL, pos, part, expr_int(p, pos, k * c->type.bits));
        e = k ? expr_new(p, EXPR_OR, pos, e, part) : part;
    }
    return e;
}

/* mov.b64 {a, b}, r */
static void unpack(struct column *c, const struct ptx_operand *o) {
    struct parser *p = &c->p;
    struct type whole = c->type, part = part_type(c, o->nparts);
    int regs[4] = {0};
    whole.sign = false;
    c->type = part;
    for (int k = 0; k < o->nparts && !p->panic; k++)
        regs[k] = strcmp(o->parts[k].text, "_") == 0 ? -1 : ptx_register(c, &o->parts[k]);
    c->type = whole;
    struct expr *value = p->panic ? NULL : ptx_next_value(c);
    if (p->panic) return;
    int kept = body_temporary(p, value->pos, whole);
    body_set(p, kept, expr_cast(p, value, whole), value->pos);
    for (int k = 0; k < o->nparts; k++) {
        if (regs[k] < 0) continue;
        struct expr *all = body_value(p, kept, value->pos);
        struct expr *shifted = expr_new(p, EXPR_SHR, value->pos, all, expr_int(p, value->pos, k * part.bits));
        ptx_set(c, regs[k], expr_cast(p, shifted, part));
    }
}

/* Whether the values are predicates: and.pred p, q, r. */
static bool is_predicate(struct column *c) {
    return ptx_words_take(&c->words, c->in, "pred");
}

/* p, !p or 0 and 1 of such an instruction. */
static struct expr *next_predicate(struct column *c) {
    const struct ptx_operand *o = ptx_next(c, "a predicate");
    if (!o) return expr_int(&c->p, c->in->end, 0);
    return o->kind == PTX_INTEGER ? expr_int(&c->p, o->pos, o->bits != 0) : ptx_condition(c, o);
}

static int predicate_result(struct column *c) {
    return ptx_predicate(c, ptx_next(c, "a predicate"));
}

void ptx_move(struct column *c) {
    if (is_predicate(c)) {
        int reg = predicate_result(c);
        ptx_set(c, reg, next_predicate(c));
        return;
    }
    const struct ptx_operand *to = ptx_next(c, "a register");
    if (to && to->kind == PTX_VECTOR) {
        unpack(c, to);
        return;
    }
    int reg = ptx_register(c, to);
    const struct ptx_operand *from = ptx_next(c, "a register or a number");
    if (!from) return;
    bool parts = from->kind == PTX_VECTOR && !type_is_vector(c->type);
    struct expr *value = parts ? pack(c, from) : ptx_value(c, from);
    if (c->p.panic) return;
    struct type type = c->p.body->regs[reg].type;
    ptx_set(c, reg, type.real && !value->type.real ? expr_bits(&c->p, value, type) : value);
}

bool ptx_moves(struct column *c) {
    bool moves =
        !c->block && ptx_is(c->in, "ld") && c->in->noperands > 1 && ptx_is_value(c, &c->in->operands[1]);
    if (!moves) return false;
    column_say(c, c->in->pos, "this 'ld' names no location: it is read as 'mov', as Dartagnan has it");
    ptx_move(c);
    return true;
}

void ptx_unary(struct column *c) {
    enum expr_kind kind = ptx_is(c->in, "neg") ? EXPR_NEG : EXPR_COMPL;
    if (is_predicate(c)) {
        int reg = predicate_result(c);
        struct expr *value = next_predicate(c);
        if (!c->p.panic) ptx_set(c, reg, expr_new(&c->p, EXPR_NOT, c->in->pos, value, NULL));
        return;
    }
    int reg = ptx_result(c);
    struct expr *value = ptx_next_value(c);
    if (!c->p.panic) ptx_set(c, reg, expr_new(&c->p, kind, c->in->pos, value, NULL));
}

/* An integer of this type and twice its size. */
static struct type twice(struct type t) {
    return (struct type){.bits = (uint8_t)(2 * t.bits), .lanes = 1, .sign = t.sign};
}

/* mul and mad: .lo is the low half of the product, .hi the high one, .wide all of it, and the type that of an operand. */
void ptx_multiply(struct column *c) {
    struct parser *p = &c->p;
    bool adds = ptx_is(c->in, "mad"), wide = c->block && ptx_words_take(&c->words, c->in, "wide");
    bool high = c->block && !wide && ptx_words_take(&c->words, c->in, "hi");
    struct type type = c->type;
    if (!wide && !high) ptx_words_take(&c->words, c->in, type.real ? "rn" : "lo");
    if ((wide && type.bits > 32) || (high && type.bits != 32))
        parse_error(p, c->in->pos, "not supported yet: products of %d bits", 2 * type.bits);
    if (wide) c->type = twice(type);
    int reg = ptx_result(c);
    c->type = type;
    struct expr *a = ptx_next_value(c), *b = ptx_next_value(c);
    if (p->panic) return;
    if (wide || high) a = expr_cast(p, a, twice(type));
    if (wide || high) b = expr_cast(p, b, twice(type));
    struct expr *value = expr_new(p, EXPR_MUL, c->in->pos, a, b);
    if (high)
        value = expr_cast(p, expr_new(p, EXPR_SHR, c->in->pos, value, expr_int(p, c->in->pos, 32)), type);
    if (wide) c->type = twice(type);
    if (adds) value = expr_new(p, EXPR_ADD, c->in->pos, value, ptx_next_value(c));
    if (!p->panic) ptx_set(c, reg, value);
}

void ptx_arithmetic(struct column *c) {
    size_t i = 0;
    while (!ptx_is(c->in, operators[i].name))
        i++;
    enum expr_kind kind = operators[i].kind;
    if (c->type.real) ptx_words_take(&c->words, c->in, "rn");
    if (is_predicate(c)) {
        int reg = predicate_result(c);
        struct expr *a = next_predicate(c), *b = next_predicate(c);
        if (!c->p.panic) ptx_set(c, reg, expr_new(&c->p, kind, c->in->pos, a, b));
        return;
    }
    bool ordered = kind == EXPR_DIV || kind == EXPR_MOD;
    if (ordered) need_order(c);
    if (kind == EXPR_ADD && ptx_add_address(c)) return;
    int reg = ptx_result(c);
    struct expr *a = ordered ? ordered_value(c) : ptx_next_value(c);
    struct expr *b = ordered ? ordered_value(c) : ptx_next_value(c);
    if (!c->p.panic) ptx_set(c, reg, expr_new(&c->p, kind, c->in->pos, a, b));
}

/* ---- shifts ---- */

/* a shifted by n, 0 to 31; a logical shift to the right drops the copies of the sign: there the highest n bits
 * become 0. */
static struct expr *shift_within(struct column *c, enum expr_kind kind, bool logical, struct expr *a,
                                 struct expr *n) {
    struct expr *shifted = expr_new(&c->p, kind, a->pos, a, n);
    if (!logical) return shifted;
    struct expr *left = combine(c, EXPR_SUB, expr_int(&c->p, n->pos, 31), n);
    struct expr *high = combine(c, EXPR_SHL, expr_int(&c->p, n->pos, -2), left);
    return combine(c, EXPR_AND, shifted, combine_int(c, EXPR_XOR, high, -1));
}

/* The same of any type, as an asm has it. */
struct expr *ptx_shift_value(struct column *c, enum expr_kind kind, struct expr *a, struct expr *n) {
    int bits = a->type.bits;
    struct expr *width = expr_int(&c->p, n->pos, bits), *last = expr_int(&c->p, n->pos, bits - 1);
    bool copies = kind == EXPR_SHR && a->type.sign;
    struct expr *within = expr_new(&c->p, kind, a->pos, a, n);
    struct expr *beyond = copies ? expr_new(&c->p, kind, a->pos, a, last) : expr_int(&c->p, n->pos, 0);
    if (n->kind == EXPR_INT) return n->value.lo >= (uint64_t)bits ? beyond : within;
    return expr_choice(&c->p, n->pos, expr_new(&c->p, EXPR_LT, n->pos, n, width), within, beyond);
}

/* shl r, a, n and shr r, a, n: n is unsigned, and 32 or more shifts everything out. */
void ptx_shift(struct column *c) {
    bool left = ptx_is(c->in, "shl");
    bool logical = !left && (has_type(c, "u32") || has_type(c, "b32"));
    enum expr_kind kind = left ? EXPR_SHL : EXPR_SHR;
    int reg = ptx_result(c);
    struct expr *a = ptx_next_value(c);
    if (c->typed) c->type = type_unsigned;
    struct expr *n = ptx_next_value(c);
    if (c->p.panic) return;
    if (c->typed) {
        ptx_set(c, reg, ptx_shift_value(c, kind, a, n));
        return;
    }
    struct expr *within = shift_within(c, kind, logical, a, n);
    struct expr *beyond = left || logical ? expr_int(&c->p, n->pos, 0)
                                          : expr_new(&c->p, EXPR_SHR, a->pos, a, expr_int(&c->p, n->pos, 31));
    struct expr *high = combine_int(c, EXPR_AND, n, -32);
    struct expr *value = high->kind != EXPR_INT  ? expr_choice(&c->p, n->pos, high, beyond, within)
                         : expr_is_nonzero(high) ? beyond
                                                 : within;
    ptx_set(c, reg, value);
}

/* ---- comparisons ---- */

/* Unsigned values compare as the signed ones whose highest bit is flipped. */
struct expr *ptx_comparison(struct column *c, const char *name) {
    const struct ptx_word *type = c->words.type_word;
    size_t i = 0;
    while (strcmp(comparisons[i].name, name) != 0)
        i++;
    enum expr_kind kind = comparisons[i].kind;
    bool equality = kind == EXPR_EQ || kind == EXPR_NE;
    bool flip = comparisons[i].is_unsigned || (!equality && has_type(c, "u32"));
    if (c->typed && comparisons[i].is_unsigned) c->type.sign = false;
    if (!equality && (is_bare(c) || (comparisons[i].is_unsigned && has_type(c, "s32"))))
        parse_error(&c->p, type->pos, "'.%s' cannot be compared by '%s'", type->text, name);
    struct expr *a = ptx_next_value(c), *b = ptx_next_value(c);
    if (c->p.panic) return expr_int(&c->p, c->in->pos, 0);
    if (c->type.real && kind == EXPR_NE)
        return expr_new(&c->p, EXPR_LOR, c->in->pos, expr_new(&c->p, EXPR_LT, c->in->pos, a, b),
                        expr_new(&c->p, EXPR_GT, c->in->pos, a, b));
    if (strcmp(name, "num") == 0)
        return expr_new(&c->p, EXPR_LAND, c->in->pos, expr_new(&c->p, EXPR_EQ, c->in->pos, a, a),
                        expr_new(&c->p, EXPR_EQ, c->in->pos, b, b));
    flip = flip && !c->typed;
    if (flip) a = combine_int(c, EXPR_XOR, a, INT32_MIN);
    if (flip) b = combine_int(c, EXPR_XOR, b, INT32_MIN);
    return expr_new(&c->p, kind, c->in->pos, a, b);
}

/* setp.lt.and.u32 p, a, b, q: what is compared, and another predicate. */
static struct expr *join_predicate(struct column *c, enum expr_kind join, struct expr *value) {
    if (join == EXPR_INT || c->p.panic) return value;
    return expr_new(&c->p, join, c->in->pos, value, next_predicate(c));
}

static enum expr_kind take_join(struct column *c) {
    static const char *const words[] = {"and", "or", "xor"};
    static const enum expr_kind kinds[] = {EXPR_AND, EXPR_OR, EXPR_XOR};
    for (size_t k = 0; k < COUNT_OF(words); k++)
        if (ptx_words_take(&c->words, c->in, words[k])) return kinds[k];
    return EXPR_INT;
}

/* The comparison that an instruction names, or that of which it is the contrary; NULL: it names none. */
static const char *take_comparison(struct column *c, bool *contrary) {
    for (size_t i = 0; i < COUNT_OF(unordered) && c->type.real; i++) {
        *contrary = ptx_words_take(&c->words, c->in, unordered[i].name);
        if (*contrary) return unordered[i].contrary;
    }
    *contrary = false;
    for (size_t i = 0; i < COUNT_OF(comparisons); i++)
        if ((c->type.real || strcmp(comparisons[i].name, "num") != 0) &&
            ptx_words_take(&c->words, c->in, comparisons[i].name))
            return comparisons[i].name;
    return NULL;
}

void ptx_setp(struct column *c) {
    bool negates;
    const char *name = take_comparison(c, &negates);
    if (!name) {
        parse_error(&c->p, ptx_behind(&c->in->words[0]),
                    "expected a comparison: .eq, .ne, .lt, .le, .gt or .ge");
        return;
    }
    enum expr_kind join = take_join(c);
    const struct ptx_operand *to = ptx_next(c, "a predicate");
    int reg = ptx_predicate(c, to), contrary = to && to->second ? ptx_predicate(c, to->second) : -1;
    struct expr *value = ptx_comparison(c, name);
    if (negates) value = expr_new(&c->p, EXPR_NOT, c->in->pos, value, NULL);
    size_t behind = (size_t)c->next;
    struct expr *not = contrary >= 0 ? expr_new(&c->p, EXPR_NOT, c->in->pos, value, NULL) : NULL;
    value = join_predicate(c, join, value);
    c->next = (int)behind;
    if (not ) ptx_set(c, contrary, join_predicate(c, join, not ));
    c->next = (int)behind + (join != EXPR_INT);
    ptx_set(c, reg, value);
}

void ptx_select(struct column *c) {
    int reg = ptx_result(c);
    struct expr *a = ptx_next_value(c), *b = ptx_next_value(c);
    const struct ptx_operand *o = ptx_next(c, "a predicate");
    if (!o) return;
    struct expr *p = c->block ? asm_predicate(c, o) : ptx_value(c, o);
    if (!c->p.panic) ptx_set(c, reg, expr_choice(&c->p, c->in->pos, p, a, b));
}

void ptx_extreme(struct column *c) {
    enum expr_kind kind = ptx_is(c->in, "min") ? EXPR_LT : EXPR_GT;
    need_order(c);
    int reg = ptx_result(c);
    struct expr *a = ordered_value(c), *b = ordered_value(c);
    if (c->p.panic) return;
    struct expr *first = expr_new(&c->p, kind, c->in->pos, a, b);
    ptx_set(c, reg, expr_choice(&c->p, c->in->pos, first, a, b));
}

/* The first type is that of the result. */
void ptx_convert(struct column *c) {
    struct type to = c->type, from = to;
    int reg = ptx_result(c), k = 1;
    const struct ptx_word *words = c->in->words;
    while (k < c->in->nwords && (&words[k] == c->words.type_word || !type_find_ptx(words[k].text, &from)))
        k++;
    if (!c->words.type_word || k == c->in->nwords) {
        parse_error(&c->p, ptx_behind(&words[c->in->nwords - 1]), "expected two types, as in cvt.u64.u32");
        return;
    }
    c->words.used |= (uint64_t)1 << k;
    if (to.real && (!from.real || from.bits > to.bits)) ptx_words_take(&c->words, c->in, "rn");
    if (from.real && !to.real) ptx_words_take(&c->words, c->in, "rzi");
    c->type = from;
    c->typed = true;
    ptx_set(c, reg, expr_cast(&c->p, ptx_next_value(c), to));
}
