/* asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(&flag) : "memory"); */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "bodies/bodies.h"
#include "lower/column.h"

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
        if (c == '\\' && t->text[k + 1] == '\n') { /* the next line goes on with it */
            k++;
            continue;
        }
        if (c == '\\') c = read_escape(p, t, t->text[++k]);
        if (c == '%' && t->text[k + 1] == '%') k++;
        if (c == '%' && t->text[k + 1] == '=') {
            c = '_';
            k++;
        }
        add_byte(p, out, c, at);
    }
}

/* Texts that stand one behind the other. */
static struct snippet join_texts(struct parser *p, const struct tree *list) {
    struct asm_text out = {0};
    for (const struct tree *n = list; n; n = n->next)
        add_text(p, &out, n->at);
    if (!out.text.len) add_byte(p, &out, ' ', list->at->at);
    struct snippet s = {arena_strdup(p->arena, out.text.s), out.text.len, out.offset, 0, p->text->lines};
    text_free(&out.text);
    return s;
}

/* Whether operand k stands second in an instruction of the text that takes an address there. */
static bool is_second_in(const struct snippet *text, const char *opcode, int k) {
    for (const char *s = text->text; (s = strstr(s, opcode)) != NULL;) {
        s += strcspn(s, ",;");
        s += *s == ',' ? 1 + strspn(s + 1, " \t\n") : 0;
        if (*s == '%' && isdigit((unsigned char)s[1]) && atoi(s + 1) == k) return true;
    }
    return false;
}

/* Whether operand k is an address in the text: [%k] */
static bool is_address_in(const struct snippet *text, int k) {
    if (is_second_in(text, "mapa", k) || is_second_in(text, "tensormap.replace", k)) return true;
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

/* "=r", "+r" of an output; "r" of an input */
static void lower_constraint(struct parser *p, const struct token *t, bool output, struct asm_operand *o) {
    const char *s = t->text + 1;
    if (output && *s != '=' && *s != '+')
        parse_error(p, t->pos, "the constraint of an output begins with '=' or '+'");
    if (!output && (*s == '=' || *s == '+'))
        parse_error(p, t->pos, "the constraint of an input has no '%c'", *s);
    o->written = output;
    o->read = !output || *s == '+';
    if (output) s++;
    if (output && *s == '&') s++;
    if (strlen(s) != 2 || !strchr("rlhqfdnC", *s))
        parse_error(p, t->pos, "unknown constraint %s; it can be r, l, h, q, f, d, or n of an input",
                    t->text);
    else if (*s == 'C' || (*s == 'n' && output))
        parse_error(p, t->pos, "constraint '%c' is not supported here", *s);
    o->letter = *s;
}

/* What stands in parentheses and casts. */
static const struct tree *without_casts(const struct tree *n) {
    while (n->kind == TREE_GROUPED || n->kind == TREE_CAST || n->kind == TREE_POINTER)
        n = n->a;
    return n;
}

static const char to_shared[] = "__cvta_generic_to_shared", to_global[] = "__cvta_generic_to_global";

/* f(a), with one argument */
static bool is_call_of(const struct tree *n, const char *name) {
    return n->kind == TREE_CALL && tree_is_word(n->a) && token_is_word(n->first, name) && n->b && !n->b->next;
}

/* The address that an asm has put into the register of this name, or NULL. */
static const struct asm_operand *led_by(const struct parser *p, const struct tree *n) {
    int reg = tree_is_word(n) ? body_find(p, n->at->text) : -1;
    return reg < 0 ? NULL : p->locals[reg].leads;
}

/* What a call gives the address of, in shared memory: p of __cvta_generic_to_shared(p), of CUTLASS's name for it, and of a
 * function of the text that returns it of its parameter; NULL: it does not. */
static const struct tree *shared_by(const struct parser *p, const struct tree *n) {
    const struct token *parameter;
    const struct tree *value = function_returned(p, n, &parameter);
    bool call = n->kind == TREE_CALL && n->a->kind == TREE_NAME && n->b && !n->b->next;
    bool cute =
        call && token_is_word(n->a->first, "cute") && token_is_word(n->a->at, "cast_smem_ptr_to_uint");
    if (cute || is_call_of(n, to_shared)) return n->b;
    if (!value || !is_call_of(without_casts(value), to_shared)) return NULL;
    const struct tree *of = without_casts(without_casts(value)->b);
    return tree_is_word(of) && token_is_word(of->at, parameter->text) ? n->b : NULL;
}

/* Whether a value is an address in shared memory: __cvta_generic_to_shared(&X), a name of one, or such an address and a
 * number of bytes. */
static bool is_window(const struct parser *p, const struct tree *n) {
    n = without_casts(n);
    if (n->kind == TREE_BINARY && n->at->kind == '+') return is_window(p, n->a);
    const struct asm_operand *led = led_by(p, n);
    return shared_by(p, n) || (led && led->window) || (tree_is_word(n) && window_find(p, n->at->text));
}

static void lower_address(struct parser *p, const struct tree *n, struct asm_operand *o);

/* s + bytes */
static void lower_moved_window(struct parser *p, const struct tree *n, struct asm_operand *o) {
    lower_address(p, n->a, o);
    struct expr *bytes = body_fold(p, lower_value(p, n->b));
    if (p->panic || o->place.loc < 0) return;
    int size = type_bytes(p->test->locs[o->place.loc].type);
    if (bytes->kind != EXPR_INT || expr_number(bytes, NULL) % size)
        parse_error(p, n->at->pos, "not supported yet: what is added is a number of bytes, a multiple of %d",
                    size);
    else
        asm_add_bytes(p, &o->place, n->at->pos, expr_number(bytes, NULL));
}

/* &X, X, &a[i], a, a + i, in casts, and as __cvta_generic_to_shared(...) */
static void lower_address(struct parser *p, const struct tree *n, struct asm_operand *o) {
    const struct tree *bare = without_casts(n);
    const struct tree *shared = shared_by(p, bare);
    bool word = tree_is_word(bare);
    if (shared || is_call_of(bare, to_global)) {
        o->window = shared;
        lower_address(p, bare->b, o);
    } else if (word && window_find(p, bare->at->text)) {
        o->window = true;
        o->place = window_find(p, bare->at->text)->place;
    } else if (led_by(p, bare)) {
        o->window = led_by(p, bare)->window;
        o->place = led_by(p, bare)->place;
    } else if (is_window(p, bare)) {
        lower_moved_window(p, bare, o);
    } else if (word && body_find(p, bare->at->text) >= 0) {
        parse_error(p, bare->at->pos, "'%s' is a register: the address of a location is written &X",
                    bare->at->text);
    } else {
        o->place = place_argument(p, bare, "\"l\"(&X)");
    }
}

bool asm_window_find(struct parser *p, const struct token *name, const struct tree *value,
                     struct reference *ref) {
    struct asm_operand o = {.reg = -1, .place = {.loc = -1}};
    if (!is_window(p, value)) return false;
    lower_address(p, value, &o);
    *ref = (struct reference){.name = name->text, .pos = name->pos, .is_pointer = true, .is_window = true};
    ref->place = o.place;
    return true;
}

bool asm_window_declare(struct parser *p, const struct token *name, const struct tree *value) {
    struct reference ref;
    if (!asm_window_find(p, name, value, &ref)) return false;
    if (!p->panic && ref.place.loc >= 0) reference_declare(p, &ref);
    return true;
}

/* As CUDA has it, an operand is exactly as wide as the register that its letter stands for. */
static void check_letter(struct parser *p, const struct asm_operand *o, struct type t) {
    static const struct {
        char letter;
        int bits;
    } letters[] = {{'h', 16}, {'r', 32}, {'f', 32}, {'l', 64}, {'d', 64}, {'q', 128}};
    size_t k = 0, n = sizeof letters / sizeof *letters;
    while (k < n && letters[k].letter != o->letter)
        k++;
    if (k == n || p->panic) return;
    bool real = o->letter == 'f' || o->letter == 'd';
    bool half = type_same(t, type_half) && o->letter == 'h';
    if (type_is_vector(t) || t.bits != letters[k].bits || (t.real != real && !half))
        parse_complain(p, o->pos, "constraint '%c' is %s of %d bits, and this is of type %s", o->letter,
                       real ? "a float" : "an integer", letters[k].bits, type_name(t));
}

/* An output: a register is written as it is, and what else C may assign to through a temporary one. */
static void lower_output(struct parser *p, const struct tree *n, struct asm_operand *o) {
    if (!target_find(p, n, &o->target)) return;
    struct type type = target_type(p, &o->target);
    struct pos pos = o->target.reg >= 0 ? o->pos : o->target.place.pos;
    check_letter(p, o, type);
    stmts_append(p, o->target.index);
    o->reg = o->target.reg;
    if (o->read && o->reg >= 0) body_read(p, o->reg, pos);
    if (p->panic || (o->reg >= 0 && o->target.lane < 0 && !o->target.pun)) return;
    struct expr *old = o->read ? target_value(p, &o->target, pos) : NULL;
    o->reg = body_temporary(p, pos, type);
    if (old) body_set(p, o->reg, old, pos);
}

/* An input has the value from before the asm, also where an instruction writes a register that it is computed from. */
static struct expr *keep_value(struct parser *p, const struct asm_block *block, struct expr *e) {
    bool changes = false;
    for (int k = 0; k < block->noperands; k++)
        changes = changes || (block->operands[k].written && expr_reads(e, block->operands[k].reg));
    if (!changes || p->panic) return e;
    return body_hold(p, e, e->pos);
}

static void lower_input(struct parser *p, const struct asm_block *block, const struct tree *n,
                        struct asm_operand *o) {
    if (o->is_address) {
        lower_address(p, n, o);
        if (!p->panic && o->letter != 'l' && !(o->window && o->letter == 'r'))
            parse_complain(p, o->pos, "constraint '%c' is no address: a pointer has 64 bits, \"l\"",
                           o->letter);
        o->place.index = keep_value(p, block, o->place.index);
        return;
    }
    o->value = lower_value(p, n);
    check_letter(p, o, o->value->type);
    if (o->letter == 'n') o->value = body_fold(p, o->value);
    if (o->letter == 'n' && o->value->kind != EXPR_INT)
        parse_complain(p, o->value->pos, "constraint 'n' is a number that is known when this is compiled");
    o->value = keep_value(p, block, o->value);
}

/* "=r"(v), "=l"(w) or "r"(v), "l"(&X) */
static void lower_operands(struct parser *p, struct asm_block *block, const struct snippet *text,
                           const struct tree *n, bool output) {
    for (; n && !p->panic; n = n->next) {
        if (block->noperands == ASM_MAX_OPERANDS) {
            parse_error(p, n->at->pos, "an asm has at most %d operands", ASM_MAX_OPERANDS);
            return;
        }
        struct asm_operand *o = &block->operands[block->noperands];
        *o = (struct asm_operand){.pos = n->at->pos, .reg = -1, .place = {.loc = -1}};
        lower_constraint(p, n->at, output, o);
        o->is_address = !output && (without_casts(n->a)->kind == TREE_ADDRESS || is_window(p, n->a) ||
                                    is_address_in(text, block->noperands));
        if (output)
            lower_output(p, n->a, o);
        else
            lower_input(p, block, n->a, o);
        block->noperands++;
    }
}

static void check_clobbers(struct parser *p, const struct tree *n) {
    for (; n; n = n->next)
        if (strcmp(n->at->text, "\"memory\"") != 0 && strcmp(n->at->text, "\"cc\"") != 0)
            parse_error(p, n->at->pos, "unknown clobber %s; it can be \"memory\"", n->at->text);
}

/* Keeps the address that the text has put into a register. */
static void keep_address(struct parser *p, const struct asm_operand *o) {
    struct asm_operand *kept = arena_alloc(p->arena, sizeof *kept);
    *kept = *o;
    if (o->target.reg < 0 || o->target.lane >= 0 || o->target.pun)
        parse_complain(p, o->pos, "an address is kept in a register: uint32_t remote;");
    else if (p->locals[o->target.reg].leads)
        parse_complain(p, o->pos, "'%s' holds another address already", p->body->regs[o->target.reg].name);
    else
        p->locals[o->target.reg].leads = kept;
}

/* What C assigns when the text has run. */
static void set_outputs(struct parser *p, const struct asm_block *block) {
    for (int k = 0; k < block->noperands; k++) {
        const struct asm_operand *o = &block->operands[k];
        if (o->written && o->is_address)
            keep_address(p, o);
        else if (o->written && o->reg >= 0 && o->reg != o->target.reg)
            target_set(p, &o->target, body_value(p, o->reg, o->pos), o->pos);
    }
}

/* Where an instruction cannot be had here, this is said, and not what is wrong with its operands. What is wrong with the text
 * is reported behind what is wrong with the operands. */
void asm_lower(struct parser *p, const struct tree *n) {
    struct asm_block *block = arena_alloc(p->arena, sizeof *block);
    struct snippet text = join_texts(p, n->a);
    struct diag found = {0};
    if (p->panic) return;
    struct ptx_code code = ptx_read(p->arena, p->source, &text, &found);
    bool refused = ptx_refuse_all(p, &code), wrong = n->b && n->b->kind == TREE_BAD;
    if (wrong && !refused) parse_fault(p, n->b->fault);
    p->panic = p->panic || wrong || refused;
    lower_operands(p, block, &text, n->b, true);
    lower_operands(p, block, &text, n->c, false);
    check_clobbers(p, n->d);
    bool good = found.errors == 0;
    diag_join(p->diag, &found);
    if (p->panic) return;
    if (good) asm_read_text(p, block, &code);
    set_outputs(p, block);
}
