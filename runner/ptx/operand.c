#include "ptx/read.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_OPERAND_NESTING = 16 };

/* Returns the number of digits such as 0x1fU, 017, 0b11 or 12. It must fit into 64 bits. */
static uint64_t read_digits(struct ptx_reader *r, const struct ptx_token *t) {
    const char *s = t->text;
    int base = 10;
    if (*s == '0' && strchr("xXbB", s[1]) && s[1]) {
        base = strchr("xX", s[1]) ? 16 : 2;
        s += 2;
    } else if (*s == '0') {
        base = 8;
    }
    unsigned __int128 value = 0;
    const char *first = s;
    for (; *s && !strchr("uU", *s); s++) {
        static const char digits[] = "0123456789abcdef";
        char letter = (char)(*s >= 'A' && *s <= 'F' ? *s - 'A' + 'a' : *s);
        const char *digit = strchr(digits, letter);
        if (!digit || digit - digits >= base) break;
        value = value * (unsigned)base + (unsigned)(digit - digits);
        if (value > UINT64_MAX) {
            ptx_reader_error(r, t->pos, "%s does not fit into 64 bits", t->text);
            return 0;
        }
    }
    if (*s == 'u' || *s == 'U') s++;
    if (s == first || *s) ptx_reader_error(r, t->pos, "'%s' is no number", t->text);
    return (uint64_t)value;
}

/* Reads a floating-point number: 0f and 8 hexadecimal digits or 0d and 16, which are its bits; or 1.5, which
 * is a double. */
static void read_float(struct ptx_reader *r, const struct ptx_token *t, struct ptx_operand *o) {
    bool bits = t->text[1] && strchr("fFdD", t->text[1]);
    o->kind = PTX_FLOAT;
    o->size = bits && strchr("fF", t->text[1]) ? 32 : 64;
    char *end;
    if (bits) {
        o->bits = strtoull(t->text + 2, &end, 16);
        if (*end || strlen(t->text) != (size_t)(2 + o->size / 4))
            ptx_reader_error(r, t->pos, "'%s' is no float: 0%c has %d hexadecimal digits", t->text,
                             t->text[1], o->size / 4);
        return;
    }
    double value = strtod(t->text, &end);
    memcpy(&o->bits, &value, sizeof value);
    if (*end) ptx_reader_error(r, t->pos, "'%s' is no number", t->text);
}

static void read_number(struct ptx_reader *r, struct ptx_operand *o) {
    const struct ptx_token *t = ptx_reader_next(r);
    bool hex = t->text[0] == '0' && (t->text[1] == 'x' || t->text[1] == 'X');
    bool bits = t->text[0] == '0' && t->text[1] && strchr("fFdD", t->text[1]);
    o->kind = PTX_INTEGER;
    o->text = t->text;
    if (bits || (!hex && strpbrk(t->text, ".eE")))
        read_float(r, t, o);
    else
        o->bits = read_digits(r, t);
}

/* Reads a name such as %r1 or %tid.x, or an element such as x[4]. */
static void read_name(struct ptx_reader *r, struct ptx_operand *o) {
    const struct ptx_token *t = ptx_reader_next(r);
    o->kind = PTX_NAME;
    o->text = t->text;
    while (ptx_reader_peek(r) == '.' && !r->tok->apart) {
        ptx_reader_next(r);
        const struct ptx_token *part = ptx_reader_expect(r, PTX_TOKEN_NAME, "a part of the name");
        if (!part) return;
        o->text = arena_printf(r->arena, "%s.%s", o->text, part->text);
        o->pos.len = part->pos.col + part->pos.len - o->pos.col;
    }
}

/* Reads an offset: "+ 4", "+ -4" or "- 4"; or "4]" behind "x[". */
static void read_offset(struct ptx_reader *r, struct ptx_operand *o) {
    struct pos pos = r->tok->pos;
    bool minus = ptx_reader_peek(r) == '-', element = ptx_reader_peek(r) == '[';
    if (!minus && !element && ptx_reader_peek(r) != '+') return;
    ptx_reader_next(r);
    if (!minus && ptx_reader_accept(r, '-')) minus = true;
    o->offset = arena_alloc(r->arena, sizeof *o->offset);
    *o->offset = (struct ptx_operand){.kind = PTX_INTEGER, .pos = pos, .text = "0", .negated = minus};
    o->element = element;
    if (ptx_reader_peek(r) == PTX_TOKEN_NUMBER) {
        read_number(r, o->offset);
        if (o->offset->kind == PTX_FLOAT) ptx_reader_error(r, pos, "'%s' is no integer", o->offset->text);
    } else {
        ptx_reader_expect(r, PTX_TOKEN_NUMBER, element ? "the number of an element" : "a number of bytes");
    }
    if (element) ptx_reader_expect(r, ']', "']'");
}

static void read_parts(struct ptx_reader *r, struct ptx_operand *o, enum ptx_operand_kind kind, int close) {
    o->kind = kind;
    ptx_reader_next(r);
    ptx_reader_operands(r, close, &o->parts, &o->nparts);
}

/* Reads an operand behind its sign. */
static void read_primary(struct ptx_reader *r, struct ptx_operand *o) {
    switch (ptx_reader_peek(r)) {
    case '[': read_parts(r, o, PTX_ADDRESS, ']'); return;
    case '{': read_parts(r, o, PTX_VECTOR, '}'); return;
    case '(': read_parts(r, o, PTX_LIST, ')'); return;
    case PTX_TOKEN_NUMBER: read_number(r, o); break;
    case PTX_TOKEN_NAME: read_name(r, o); break;
    default: ptx_reader_expect(r, PTX_TOKEN_NAME, "an operand"); return;
    }
    if (ptx_reader_peek(r) == '(' && !r->tok->apart) { /* as in generic(x) or 0xff(x) */
        ptx_reader_next(r);
        ptx_reader_operands(r, ')', &o->parts, &o->nparts);
    }
    read_offset(r, o);
}

struct ptx_operand ptx_reader_operand(struct ptx_reader *r) {
    struct ptx_operand o = {.pos = r->tok->pos, .text = ""};
    if (r->nesting == MAX_OPERAND_NESTING) {
        ptx_reader_error(r, o.pos, "this is nested too deeply");
        return o;
    }
    r->nesting++;
    bool minus = ptx_reader_accept(r, '-');
    o.negated = minus || ptx_reader_accept(r, '!');
    if (o.negated) o.pos = r->tok->pos;
    if (minus && ptx_reader_peek(r) != PTX_TOKEN_NUMBER)
        ptx_reader_expect(r, PTX_TOKEN_NUMBER, "a number");
    else if (o.negated && !minus && ptx_reader_peek(r) != PTX_TOKEN_NAME)
        ptx_reader_expect(r, PTX_TOKEN_NAME, "a predicate");
    else
        read_primary(r, &o);
    if (ptx_reader_accept(r, '|')) {
        o.second = arena_alloc(r->arena, sizeof *o.second);
        *o.second = ptx_reader_operand(r);
    }
    r->nesting--;
    return o;
}

void ptx_reader_operands(struct ptx_reader *r, int close, struct ptx_operand **list, int *n) {
    if (ptx_reader_accept(r, close)) return;
    do {
        *list = arena_more(r->arena, *list, (size_t)*n, sizeof **list);
        (*list)[(*n)++] = ptx_reader_operand(r);
    } while (ptx_reader_accept(r, ','));
    char what[] = "' '";
    what[1] = (char)close;
    ptx_reader_expect(r, close, what);
}
