/* asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(&flag) : "memory"); */
#include <ctype.h>
#include <string.h>

#include "lower/column.h"

static bool is_one_of(const struct parser *p, const char *const *words, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (parse_at_word(p, words[k])) return true;
    return false;
}

bool asm_begins(const struct parser *p) {
    static const char *const words[] = {"asm", "__asm__", "__asm"};
    return is_one_of(p, words, sizeof words / sizeof *words);
}

static bool is_qualifier(const struct parser *p) {
    static const char *const words[] = {"volatile", "__volatile__", "inline"};
    return is_one_of(p, words, sizeof words / sizeof *words);
}

/* ---- the text ---- */

/* The text of an asm statement, each byte with its place in the file. */
struct asm_text {
    struct text text;
    size_t *offset;
    size_t cap;
};

static void add_byte(struct parser *p, struct asm_text *out, char c, size_t at) {
    const struct snippet *from = p->text;
    if (out->text.len + 1 >= out->cap) {
        size_t cap = 2 * out->cap + 64;
        out->offset = arena_grow(p->arena, out->offset, out->cap, cap, sizeof *out->offset);
        out->cap = cap;
    }
    out->offset[out->text.len] = from->offset ? from->offset[at] : from->base + at;
    out->offset[out->text.len + 1] = out->offset[out->text.len] + 1;
    text_add_n(&out->text, &c, 1);
}

/* "\n" and the like. What is no escape is reported. */
static char read_escape(struct parser *p, const struct token *t, char c) {
    static const char letters[] = "nt\\\"'rv", bytes[] = "\n\t\\\"'\r\v";
    const char *known = c ? strchr(letters, c) : NULL;
    if (!known) parse_error(p, t->pos, "'\\%c' is no escape of this text", c);
    return known ? bytes[known - letters] : ' ';
}

/* Adds one text in quotes, in which %% is a percent sign. %=, a number that makes labels unique, says nothing: labels are
 * those of their asm anyway. */
static void add_text(struct parser *p, struct asm_text *out, const struct token *t) {
    size_t n = strlen(t->text);
    if (n < 2 || t->text[0] != '"' || t->text[n - 1] != '"') {
        parse_error(p, t->pos, "expected a text in double quotes");
        return;
    }
    for (size_t k = 1; k + 1 < n; k++) {
        size_t at = t->at + k;
        char c = t->text[k];
        if (c == '\\') c = read_escape(p, t, t->text[++k]);
        if (c == '%' && t->text[k + 1] == '%') k++;
        if (c == '%' && t->text[k + 1] == '=') {
            c = '_';
            k++;
        }
        add_byte(p, out, c, at);
    }
}

/* Reads texts that stand one behind the other. */
static struct snippet read_text(struct parser *p) {
    struct asm_text out = {0};
    if (parse_peek(p) != TOK_TEXT) parse_error(p, p->tok->pos, "expected the text of the asm");
    while (parse_peek(p) == TOK_TEXT)
        add_text(p, &out, parse_next(p));
    if (!out.text.len) add_byte(p, &out, ' ', p->tok->at);
    struct snippet s = {arena_strdup(p->arena, out.text.s), out.text.len, out.offset, 0, p->text->lines};
    text_free(&out.text);
    return s;
}

/* Whether operand k is an address in the text: [%k] */
static bool is_address_in(const struct snippet *text, int k) {
    for (const char *s = text->text; (s = strchr(s, '[')) != NULL;) {
        s++;
        s += strspn(s, " \t\n");
        if (*s != '%' || !isdigit((unsigned char)s[1])) continue;
        int number = 0;
        for (s++; isdigit((unsigned char)*s) && number < 1000; s++)
            number = 10 * number + (*s - '0');
        if (number == k) return true;
    }
    return false;
}

/* ---- operands ---- */

/* The letter of a constraint, what stands before it being taken. */
static char read_constraint(struct parser *p, bool output, struct asm_operand *o) {
    const struct token *t = p->tok;
    if (!parse_expect(p, TOK_TEXT, "a constraint, as in \"r\"(v)")) return 'r';
    const char *s = t->text + 1;
    o->pos = t->pos;
    if (output && *s != '=' && *s != '+')
        parse_error(p, t->pos, "the constraint of an output begins with '=' or '+'");
    if (!output && (*s == '=' || *s == '+'))
        parse_error(p, t->pos, "the constraint of an input has no '%c'", *s);
    o->written = output;
    o->read = !output || *s == '+';
    if (output) s++;
    if (output && *s == '&') s++;
    if (strlen(s) != 2 || !strchr("rlhqfdnC", *s))
        parse_error(p, t->pos, "unknown constraint %s; it can be r, l, h, q, f, or n of an input", t->text);
    else if (*s == 'd')
        parse_error(p, t->pos, "constraint 'd' is a double, a type that tests do not have");
    else if (*s == 'C' || (*s == 'n' && output))
        parse_error(p, t->pos, "constraint '%c' is not supported here", *s);
    return *s;
}

static void skip_pointer_type(struct parser *p) {
    bool constant;
    parse_type(p, &constant);
    while (parse_accept(p, '*'))
        continue;
}

/* Skips "(int *)" and "reinterpret_cast<int *>" before an address. */
static void skip_casts(struct parser *p) {
    while (!p->panic) {
        if (parse_peek(p) == '(' && parse_type_begins(p, p->tok + 1)) {
            parse_next(p);
            skip_pointer_type(p);
            parse_expect(p, ')', "')'");
        } else if (parse_at_word(p, "static_cast") || parse_at_word(p, "reinterpret_cast")) {
            parse_next(p);
            parse_expect(p, '<', "'<'");
            skip_pointer_type(p);
            parse_expect(p, '>', "'>'");
        } else {
            return;
        }
    }
}

static void read_address(struct parser *p, struct asm_operand *o);

static void read_address_in_parentheses(struct parser *p, struct asm_operand *o) {
    parse_expect(p, '(', "'('");
    read_address(p, o);
    parse_expect(p, ')', "')'");
}

/* a or a + i, of an array */
static void read_element(struct parser *p, struct asm_operand *o, int loc) {
    const struct token *t = parse_next(p);
    o->place = (struct place){.loc = loc, .index = expr_int(p, t->pos, 0), .pos = t->pos};
    if (!parse_accept(p, '+')) return;
    struct expr *index = expr_scalar(p, parse_expression(p), "an index");
    o->place.index = expr_convert(p, index, type_promote(index->type));
}

/* s or s + bytes, where s is unsigned s = __cvta_generic_to_shared(&a[0]); */
static void read_window(struct parser *p, struct asm_operand *o, const struct reference *ref) {
    parse_next(p);
    o->window = true;
    o->place = ref->place;
    const struct token *sign = p->tok;
    if (!parse_accept(p, '+')) return;
    struct expr *bytes = body_fold(p, parse_expression(p));
    if (p->panic) return;
    int size = type_bytes(p->test->locs[o->place.loc].type);
    if (bytes->kind != EXPR_INT || expr_number(bytes, NULL) % size)
        parse_error(p, sign->pos, "not supported yet: what is added is a number of bytes, a multiple of %d",
                    size);
    else
        asm_add_bytes(p, &o->place, sign->pos, expr_number(bytes, NULL));
}

/* &X, X, &a[i], a, a + i, in casts, and as __cvta_generic_to_shared(...) */
static void read_address(struct parser *p, struct asm_operand *o) {
    skip_casts(p);
    const struct token *t = p->tok;
    bool shared = parse_at_word(p, "__cvta_generic_to_shared"), named = parse_peek(p) == TOK_NAME;
    int loc = named ? find_location(p->test, t->text) : -1;
    if (shared || parse_at_word(p, "__cvta_generic_to_global")) {
        parse_next(p);
        o->window = shared;
        read_address_in_parentheses(p, o);
    } else if (parse_peek(p) == '(') {
        read_address_in_parentheses(p, o);
    } else if (named && asm_window_find(p, t->text)) {
        read_window(p, o, asm_window_find(p, t->text));
    } else if (named && body_find(p, t->text) >= 0) {
        parse_error(p, t->pos, "'%s' is a register: the address of a location is written &X", t->text);
    } else if (loc >= 0 && p->test->locs[loc].array && t[1].kind != '[' && !pointer_find(p, t->text)) {
        read_element(p, o, loc);
    } else {
        o->place = place_read(p, "\"l\"(&X)");
    }
}

const struct reference *asm_window_find(const struct parser *p, const char *name) {
    const struct reference *ref = reference_find(p, name);
    return ref && ref->is_window ? ref : NULL;
}

/* Whether a value is __cvta_generic_to_shared(&X), in casts. */
static bool is_window(const struct tree *n) {
    while (n->kind == TREE_GROUPED || n->kind == TREE_CAST || n->kind == TREE_POINTER)
        n = n->a;
    return n->kind == TREE_CALL && token_is_word(n->first, "__cvta_generic_to_shared");
}

bool asm_window_declare(struct parser *p, const struct token *name, const struct tree *value) {
    struct asm_operand o = {.reg = -1, .place = {.loc = -1}};
    if (!is_window(value)) return false;
    p->tok = value->first;
    read_address(p, &o);
    struct reference ref = {.name = name->text, .pos = name->pos, .is_pointer = true, .is_window = true};
    ref.place = o.place;
    if (!p->panic && o.place.loc >= 0) reference_declare(p, &ref);
    return true;
}

/* As CUDA has it, an operand is exactly as wide as the register that its letter stands for. */
static void check_letter(struct parser *p, const struct asm_operand *o, struct type t) {
    static const struct {
        char letter;
        int bits;
    } letters[] = {{'h', 16}, {'r', 32}, {'f', 32}, {'l', 64}, {'q', 128}};
    size_t k = 0, n = sizeof letters / sizeof *letters;
    while (k < n && letters[k].letter != o->letter)
        k++;
    if (k == n || p->panic) return;
    if (type_is_vector(t) || t.bits != letters[k].bits || t.real != (o->letter == 'f'))
        parse_complain(p, o->pos, "constraint '%c' is %s of %d bits, and this is of type %s", o->letter,
                       o->letter == 'f' ? "a float" : "an integer", letters[k].bits, type_name(t));
}

/* An output: a register is written as it is, and what else C may assign to through a temporary one. */
static void read_output(struct parser *p, struct asm_operand *o) {
    if (!target_read(p, &o->target)) return;
    struct type type = target_type(p, &o->target);
    struct pos pos = o->target.reg >= 0 ? o->pos : o->target.place.pos;
    check_letter(p, o, type);
    stmts_append(p, o->target.index);
    o->reg = o->target.reg;
    if (o->read && o->reg >= 0) body_read(p, o->reg, pos);
    if (p->panic || (o->reg >= 0 && o->target.lane < 0)) return;
    struct expr *old = o->read ? target_value(p, &o->target, pos) : NULL;
    o->reg = body_temporary(p, pos, type);
    if (old) body_set(p, o->reg, old, pos);
}

static bool reads_register(const struct expr *e, int reg) {
    if (!e) return false;
    return (e->kind == EXPR_REG && e->index == reg) || reads_register(e->a, reg) ||
           reads_register(e->b, reg) || reads_register(e->c, reg);
}

/* An input has the value from before the asm, also where an instruction writes a register that it is computed from. */
static struct expr *keep_value(struct parser *p, const struct asm_block *block, struct expr *e) {
    bool changes = false;
    for (int k = 0; k < block->noperands; k++)
        changes = changes || (block->operands[k].written && reads_register(e, block->operands[k].reg));
    if (!changes || p->panic) return e;
    int reg = body_temporary(p, e->pos, e->type);
    body_set(p, reg, e, e->pos);
    return body_value(p, reg, e->pos);
}

static void read_input(struct parser *p, const struct asm_block *block, struct asm_operand *o) {
    if (o->is_address) {
        read_address(p, o);
        if (!p->panic && o->letter != 'l' && !(o->window && o->letter == 'r'))
            parse_complain(p, o->pos, "constraint '%c' is no address: a pointer has 64 bits, \"l\"",
                           o->letter);
        o->place.index = keep_value(p, block, o->place.index);
        return;
    }
    o->value = parse_expression(p);
    check_letter(p, o, o->value->type);
    if (o->letter == 'n') o->value = body_fold(p, o->value);
    if (o->letter == 'n' && o->value->kind != EXPR_INT)
        parse_complain(p, o->value->pos, "constraint 'n' is a number that is known when this is compiled");
    o->value = keep_value(p, block, o->value);
}

/* "=r"(v), "=l"(w) or "r"(v), "l"(&X) */
static void read_operands(struct parser *p, struct asm_block *block, const struct snippet *text,
                          bool output) {
    if (parse_peek(p) != TOK_TEXT) return;
    do {
        if (block->noperands == ASM_MAX_OPERANDS) {
            parse_error(p, p->tok->pos, "an asm has at most %d operands", ASM_MAX_OPERANDS);
            return;
        }
        struct asm_operand *o = &block->operands[block->noperands];
        *o = (struct asm_operand){.reg = -1, .place = {.loc = -1}};
        o->letter = read_constraint(p, output, o);
        parse_expect(p, '(', "'('");
        o->is_address = !output && (parse_peek(p) == '&' || parse_at_word(p, "__cvta_generic_to_shared") ||
                                    is_address_in(text, block->noperands));
        if (output)
            read_output(p, o);
        else
            read_input(p, block, o);
        parse_expect(p, ')', "')'");
        block->noperands++;
    } while (parse_accept(p, ','));
}

static void read_clobbers(struct parser *p) {
    if (parse_peek(p) != TOK_TEXT) return;
    do {
        const struct token *t = p->tok;
        if (!parse_expect(p, TOK_TEXT, "\"memory\"")) return;
        if (strcmp(t->text, "\"memory\"") != 0 && strcmp(t->text, "\"cc\"") != 0)
            parse_error(p, t->pos, "unknown clobber %s; it can be \"memory\"", t->text);
    } while (parse_accept(p, ','));
}

/* What C assigns when the text has run. */
static void set_outputs(struct parser *p, const struct asm_block *block) {
    for (int k = 0; k < block->noperands; k++) {
        const struct asm_operand *o = &block->operands[k];
        if (o->written && o->reg >= 0 && o->reg != o->target.reg)
            target_set(p, &o->target, body_value(p, o->reg, o->pos), o->pos);
    }
}

static void read_statement(struct parser *p, struct asm_block *block, const struct snippet *text) {
    if (parse_accept(p, ':')) read_operands(p, block, text, true);
    if (parse_accept(p, ':')) read_operands(p, block, text, false);
    if (parse_accept(p, ':')) read_clobbers(p);
    parse_expect(p, ')', "')' at the end of the asm");
}

/* Where an instruction cannot be had here, this is said, and not what is wrong with its operands. */
static void read_refused(struct parser *p, struct asm_block *block, const struct snippet *text,
                         const struct ptx_code *code) {
    struct diag quiet = {0}, *diag = p->diag;
    p->panic = false;
    p->diag = &quiet;
    read_statement(p, block, text);
    p->diag = diag;
    bool bad_operands = quiet.errors > 0;
    diag_free(&quiet);
    p->panic = false;
    if (bad_operands) ptx_refuse_all(p, code);
}

/* Whether an instruction of the text cannot be had here. */
static bool is_refused(struct parser *p, const struct ptx_code *code) {
    struct diag quiet = {0}, *diag = p->diag;
    p->diag = &quiet;
    bool refused = ptx_refuse_all(p, code);
    p->diag = diag;
    diag_free(&quiet);
    return refused;
}

void asm_statement(struct parser *p) {
    struct asm_block *block = arena_alloc(p->arena, sizeof *block);
    parse_next(p);
    while (is_qualifier(p))
        parse_next(p);
    parse_expect(p, '(', "'(' and the text of the asm");
    if (p->panic) return;
    struct snippet text = read_text(p);
    if (p->panic) return;
    struct diag found = {
        0}; /* what is wrong with the text is reported behind what is wrong with the operands */
    struct ptx_code code = ptx_read(p->arena, p->source, &text, &found);
    if (is_refused(p, &code))
        read_refused(p, block, &text, &code);
    else
        read_statement(p, block, &text);
    bool good = found.errors == 0;
    diag_join(p->diag, &found);
    if (p->panic) return;
    if (good) asm_read_text(p, block, &code);
    set_outputs(p, block);
    parse_expect(p, ';', "';'");
}
