/* Instructions that compute in registers. Most are a row: what the operands are, and a formula of them. */
#include <string.h>

#include "lower/calls.h"
#include "lower/column.h"

/* What a letter of a rule stands for; the first one is the result.
 *
 *   t  a value of the instruction's type          w  32 bits without a sign
 *   s  the same, with the sign that the opcode names    y  the low byte of such
 *   o  the same, but no type of bits              l  64 bits without a sign
 *   u  the same without a sign                    p  a predicate: p, !p, 0 or 1
 *   d  an integer of twice the size               q  a predicate, whatever its sign
 *   x  a value of the type as one of twice the size */
static const struct rule {
    const char *opcode, *word; /* NULL: any; a word is of no real type */
    const char *operands, *formula;
    bool rounds; /* real ones may say .rn, which they do anyway */
} rules[] = {
    {"mov", "pred", "pp", "a", false},
    {"not", "pred", "pp", "!a", false},
    {"and", "pred", "ppp", "a & b", false},
    {"or", "pred", "ppp", "a | b", false},
    {"xor", "pred", "ppp", "a ^ b", false},
    {"not", NULL, "tt", "~a", false},
    {"and", NULL, "ttt", "a & b", false},
    {"or", NULL, "ttt", "a | b", false},
    {"xor", NULL, "ttt", "a ^ b", false},
    {"neg", NULL, "tt", "-a", false},
    {"abs", NULL, "tt", "a < 0 ? -a : a", false},
    {"add", NULL, "ttt", "a + b", true},
    {"sub", NULL, "ttt", "a - b", true},
    {"mul", "wide", "dxx", "a * b", false},
    {"mul", "hi", "txx", "a * b >> 32", false},
    {"mul", "lo", "ttt", "a * b", false},
    {"mul", NULL, "ttt", "a * b", true},
    {"mad", "wide", "dxxd", "a * b + c", false},
    {"mad", "hi", "txxt", "(a * b >> 32) + c", false},
    {"mad", "lo", "tttt", "a * b + c", false},
    {"mad", NULL, "tttt", "a * b + c", true},
    {"div", NULL, "too", "div(a, b)", true},
    {"rem", NULL, "too", "rem(a, b)", true},
    {"min", NULL, "too", "a < b ? a : b", false},
    {"max", NULL, "too", "a > b ? a : b", false},
    {"selp", NULL, "tttq", "c ? a : b", false},
    {"shl", NULL, "ttw", "shl(a, b)", false},
    {"shr", NULL, "tsw", "shr(a, b)", false},
    {"popc", NULL, "wu", "popc(a)", false},
    {"clz", NULL, "wu", "clz(a)", false},
    {"brev", NULL, "tu", "brev(a)", false},
    {"bfe", NULL, "tuyy", "shr(a, b) & shl(t(1), c) - t(1)", false},
    {"bfi", NULL, "tuuyy", "b & ~shl(shl(t(1), d) - t(1), c) | shl(a, c) & shl(shl(t(1), d) - t(1), c)",
     false},
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

bool ptx_is_bare(const struct column *c) {
    return c->words.type_word && *c->words.type_word->text == 'b';
}

void ptx_need_sign(struct column *c, const char *what) {
    const struct ptx_word *type = c->words.type_word;
    if (!c->typed && type && !ptx_is_word(type, "s32"))
        parse_error(&c->p, type->pos, "'%s.%s' is not supported: values are signed 32-bit integers", what,
                    type->text);
}

/* ---- operands ---- */

/* An integer of this type and twice its size. */
static struct type twice(struct type t) {
    return (struct type){.bits = (uint8_t)(2 * t.bits), .lanes = 1, .sign = t.sign};
}

/* In a table the types of 32 bits have a sign, but where a result depends on it. */
static bool has_sign(const struct column *c) {
    return c->words.type_word ? c->words.type.sign : c->type.sign;
}

/* The type of the operand that a letter stands for, as it is read. */
static struct type type_for(const struct column *c, char letter) {
    struct type type = c->type;
    if (letter == 'w' || letter == 'y') return type_unsigned;
    if (letter == 'l') return type_uint64;
    if (letter == 'd') return twice(type);
    if (letter == 's' || letter == 'o') type.sign = has_sign(c);
    if (letter == 'u') type.sign = false;
    return type;
}

/* p, !p or 0 and 1. */
static struct expr *next_predicate(struct column *c) {
    const struct ptx_operand *o = ptx_next(c, "a predicate");
    if (!o) return expr_int(&c->p, c->in->end, 0);
    return o->kind == PTX_INTEGER ? expr_int(&c->p, o->pos, o->bits != 0) : ptx_condition(c, o);
}

static struct expr *next_choice(struct column *c) {
    const struct ptx_operand *o = ptx_next(c, "a predicate");
    return o && c->block ? asm_predicate(c, o) : ptx_value(c, o);
}

static struct expr *next_value(struct column *c, char letter) {
    if (letter == 'p') return next_predicate(c);
    if (letter == 'q') return next_choice(c);
    struct expr *e = ptx_next_value(c);
    if (letter == 'x') return expr_cast(&c->p, e, twice(c->type));
    if (letter != 'y') return e;
    if (e->kind == EXPR_INT) return expr_int(&c->p, e->pos, (int)(e->value.lo & 255));
    return expr_new(&c->p, EXPR_AND, e->pos, e, expr_int(&c->p, e->pos, 255));
}

int ptx_operands(struct column *c, const char *letters, struct expr **values) {
    const struct ptx_operand *to = ptx_next(c, *letters == 'p' ? "a predicate" : "a register");
    struct type type = c->type;
    c->type = type_for(c, *letters);
    int reg = *letters == 'p' ? ptx_predicate(c, to) : ptx_register(c, to);
    c->type = type;
    for (int k = 1; letters[k]; k++) {
        c->type = type_for(c, letters[k]);
        values[k - 1] = next_value(c, letters[k]);
        c->type = type;
    }
    return reg;
}

/* ---- what is computed ---- */

void ptx_set(struct column *c, int reg, struct expr *value) {
    if (c->p.panic) return;
    stmt_add_set(&c->p, reg, expr_cast(&c->p, value, c->p.body->regs[reg].type), c->in->pos);
}

/* The rule of the instruction at hand. Products of twice the size are none of a table. */
static const struct rule *find_rule(struct column *c) {
    const struct rule *rule = rules;
    for (; rule < rules + COUNT_OF(rules); rule++) {
        if (!ptx_is(c->in, rule->opcode) || (!c->block && strchr(rule->operands, 'x'))) continue;
        if (!rule->word || (!c->type.real && ptx_words_take(&c->words, c->in, rule->word))) return rule;
    }
    return NULL;
}

static void check_rule(struct column *c, const struct rule *rule) {
    bool wide = *rule->operands == 'd', doubles = strchr(rule->operands, 'x');
    if (strchr(rule->operands, 'o') && ptx_is_bare(c))
        parse_error(&c->p, c->words.type_word->pos, "'.%s' has no order", c->words.type_word->text);
    if (doubles && (wide ? c->type.bits > 32 : c->type.bits != 32))
        parse_error(&c->p, c->in->pos, "not supported yet: products of %d bits", 2 * c->type.bits);
}

static void compute(struct column *c, const struct rule *rule) {
    struct expr *values[4];
    if (rule->rounds && c->type.real) ptx_words_take(&c->words, c->in, "rn");
    check_rule(c, rule);
    int reg = ptx_operands(c, rule->operands, values);
    if (!c->p.panic) ptx_set(c, reg, formula_value(&c->p, c->in->pos, values, "%s", rule->formula));
}

void ptx_compute(struct column *c) {
    compute(c, find_rule(c));
}

void ptx_add(struct column *c) {
    if (!ptx_add_address(c)) ptx_compute(c);
}

/* ---- mov ---- */

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

void ptx_move(struct column *c) {
    const struct rule *rule = find_rule(c);
    if (rule) {
        compute(c, rule);
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

/* ---- comparisons ---- */

struct expr *ptx_comparison(struct column *c, const char *name) {
    const struct ptx_word *type = c->words.type_word;
    size_t i = 0;
    while (strcmp(comparisons[i].name, name) != 0)
        i++;
    enum expr_kind kind = comparisons[i].kind;
    bool equality = kind == EXPR_EQ || kind == EXPR_NE;
    if (!equality && (ptx_is_bare(c) || (comparisons[i].is_unsigned && type && ptx_is_word(type, "s32"))))
        parse_error(&c->p, type->pos, "'.%s' cannot be compared by '%s'", type->text, name);
    if (!equality) c->type.sign = has_sign(c);
    if (comparisons[i].is_unsigned) c->type.sign = false;
    struct expr *a = ptx_next_value(c), *b = ptx_next_value(c), *values[] = {a, b};
    if (c->p.panic) return expr_int(&c->p, c->in->pos, 0);
    if (c->type.real && kind == EXPR_NE) return formula_value(&c->p, c->in->pos, values, "a < b || a > b");
    if (strcmp(name, "num") == 0) return formula_value(&c->p, c->in->pos, values, "a == a && b == b");
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

/* ---- conversions ---- */

/* The first type is that of the result. */
void ptx_convert(struct column *c) {
    struct type to = c->type, from = to;
    int reg = ptx_operands(c, "t", NULL), k = 1;
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
