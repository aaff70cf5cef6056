#include "ptx/read.h"

#include <stdarg.h>
#include <string.h>

/* ---- tokens ---- */

int ptx_reader_peek(const struct ptx_reader *r) {
    return r->panic ? PTX_TOKEN_END : r->tok->kind;
}

static struct ptx_statement *add_statement(struct ptx_reader *r, enum ptx_statement_kind kind,
                                           struct pos pos) {
    size_t n = (size_t)r->out.n;
    if (n == r->cap) {
        r->cap = n ? 2 * n : 16;
        r->out.statements = arena_grow(r->arena, r->out.statements, n, r->cap, sizeof *r->out.statements);
    }
    struct ptx_statement *s = &r->out.statements[r->out.n++];
    *s = (struct ptx_statement){.kind = kind, .pos = pos};
    return s;
}

static void take_comments(struct ptx_reader *r) {
    for (; r->tok->kind == PTX_TOKEN_COMMENT; r->tok++)
        add_statement(r, PTX_COMMENT, r->tok->pos)->text = r->tok->text;
}

const struct ptx_token *ptx_reader_next(struct ptx_reader *r) {
    const struct ptx_token *t = r->tok;
    r->last = t;
    if (!r->panic && t->kind != PTX_TOKEN_END) r->tok++;
    take_comments(r);
    return t;
}

bool ptx_reader_accept(struct ptx_reader *r, int kind) {
    if (ptx_reader_peek(r) != kind) return false;
    ptx_reader_next(r);
    return true;
}

/* Just behind the last token that was taken. */
static struct pos behind_last(const struct ptx_reader *r) {
    if (!r->last) return r->tok->pos;
    struct pos pos = r->last->pos;
    return (struct pos){pos.line, pos.col + pos.len, 1};
}

void ptx_reader_error(struct ptx_reader *r, struct pos pos, const char *fmt, ...) {
    if (r->panic) return;
    r->panic = true;
    if (!r->source) return;
    va_list ap;
    va_start(ap, fmt);
    diag_error(r->diag, r->source, pos, "%s", arena_vprintf(r->arena, fmt, ap));
    va_end(ap);
}

/* Where something else stands, it is underlined; at the end, the place behind what was read. */
const struct ptx_token *ptx_reader_expect(struct ptx_reader *r, int kind, const char *what) {
    if (ptx_reader_peek(r) == kind) return ptx_reader_next(r);
    const struct ptx_token *t = r->tok;
    if (t->kind == PTX_TOKEN_BAD)
        ptx_reader_error(r, t->pos,
                         *t->text == '"'   ? "this text has no end"
                         : *t->text == '/' ? "this comment has no end"
                                           : "unexpected character in PTX");
    ptx_reader_error(r, behind_last(r), "expected %s", what);
    return NULL;
}

struct ptx_word ptx_reader_word(struct ptx_reader *r, const char *what) {
    const struct ptx_token *t = ptx_reader_expect(r, PTX_TOKEN_NAME, what);
    if (!t) return (struct ptx_word){.text = ""};
    struct ptx_word word = {.text = t->text, .pos = t->pos};
    while (ptx_reader_peek(r) == ':' && r->tok[1].kind == ':') {
        ptx_reader_next(r);
        ptx_reader_next(r);
        const struct ptx_token *part = ptx_reader_expect(r, PTX_TOKEN_NAME, "a word behind '::'");
        if (!part) return word;
        word.text = arena_printf(r->arena, "%s::%s", word.text, part->text);
        word.pos.len = part->pos.col + part->pos.len - word.pos.col;
    }
    return word;
}

/* ---- statements ---- */

static const struct ptx_operand *read_guard(struct ptx_reader *r) {
    if (!ptx_reader_accept(r, '@')) return NULL;
    struct ptx_operand *o = arena_alloc(r->arena, sizeof *o);
    *o = (struct ptx_operand){.kind = PTX_NAME, .negated = ptx_reader_accept(r, '!')};
    const struct ptx_token *t = ptx_reader_expect(r, PTX_TOKEN_NAME, "a predicate");
    if (!t) return NULL;
    o->text = t->text;
    o->pos = t->pos;
    return o;
}

static bool at_end(const struct ptx_reader *r) {
    int kind = ptx_reader_peek(r);
    return kind == ';' || kind == '}' || kind == PTX_TOKEN_END;
}

static void read_words(struct ptx_reader *r, struct ptx_instruction *in) {
    do {
        struct ptx_word word = ptx_reader_word(r, in->nwords ? "a word of the opcode" : "an instruction");
        in->words = arena_more(r->arena, in->words, (size_t)in->nwords, sizeof *in->words);
        in->words[in->nwords++] = word;
    } while (ptx_reader_accept(r, '.'));
}

static void read_instruction(struct ptx_reader *r) {
    struct ptx_instruction *in = arena_alloc(r->arena, sizeof *in);
    int before = r->out.n;
    add_statement(r, PTX_INSTRUCTION, r->tok->pos);
    in->guard = read_guard(r);
    in->pos = r->tok->pos;
    read_words(r, in);
    while (!at_end(r) && !r->panic) {
        in->operands = arena_more(r->arena, in->operands, (size_t)in->noperands, sizeof *in->operands);
        in->operands[in->noperands++] = ptx_reader_operand(r);
        if (!ptx_reader_accept(r, ',')) break;
        if (at_end(r)) ptx_reader_expect(r, PTX_TOKEN_NAME, "an operand behind ','");
    }
    in->end = behind_last(r);
    if (!at_end(r)) ptx_reader_expect(r, ';', in->noperands ? "','" : "an operand");
    if (ptx_reader_peek(r) == ';') ptx_reader_next(r);
    r->out.statements[before].instruction = in;
    if (r->panic) r->out.n = before;
}

static void read_label(struct ptx_reader *r) {
    struct ptx_statement *s = add_statement(r, PTX_LABEL, r->tok->pos);
    s->text = r->tok->text;
    ptx_reader_next(r);
    ptx_reader_next(r);
}

static bool at_label(const struct ptx_reader *r) {
    return r->tok->kind == PTX_TOKEN_NAME && r->tok[1].kind == ':' && r->tok[2].kind != ':';
}

static void read_statement(struct ptx_reader *r) {
    int kind = ptx_reader_peek(r);
    if (kind == '{' || kind == '}') {
        add_statement(r, kind == '{' ? PTX_OPEN : PTX_CLOSE, r->tok->pos);
        ptx_reader_next(r);
    } else if (kind == '.') {
        int before = r->out.n;
        struct ptx_statement s = {.pos = r->tok->pos};
        add_statement(r, PTX_DIRECTIVE, s.pos);
        ptx_reader_declaration(r, &s);
        r->out.statements[before] = s;
        if (r->panic) r->out.n = before;
    } else if (at_label(r)) {
        read_label(r);
    } else if (!ptx_reader_accept(r, ';')) {
        read_instruction(r);
    }
}

/* Goes on behind the next ';', or at a brace. */
static void recover(struct ptx_reader *r) {
    if (!r->panic) return;
    r->panic = false;
    r->nesting = 0;
    r->out.nbad++;
    while (r->tok->kind != PTX_TOKEN_END && r->tok->kind != ';' && r->tok->kind != '{' && r->tok->kind != '}')
        r->tok++;
}

struct ptx_code ptx_read(struct arena *a, const struct source *src, const struct snippet *text,
                         struct diag *d) {
    struct ptx_reader r = {.arena = a, .source = src, .diag = d, .tok = ptx_tokens(a, text)};
    take_comments(&r);
    while (r.tok->kind != PTX_TOKEN_END) {
        const struct ptx_token *from = r.tok;
        read_statement(&r);
        recover(&r);
        if (r.tok == from) r.tok++; /* an error that took nothing */
        take_comments(&r);
    }
    return r.out;
}

struct ptx_code ptx_read_text(struct arena *a, const char *text) {
    struct source src = {.path = "", .text = text, .len = strlen(text)};
    struct lines lines = source_lines(a, &src);
    struct snippet all = {text, src.len, NULL, 0, &lines};
    return ptx_read(a, NULL, &all, NULL);
}

bool ptx_is_word(const struct ptx_word *word, const char *text) {
    return strcmp(word->text, text) == 0;
}

bool ptx_is(const struct ptx_instruction *in, const char *opcode) {
    return ptx_is_word(&in->words[0], opcode);
}

int ptx_find_word(const struct ptx_instruction *in, const char *word) {
    for (int k = 1; k < in->nwords; k++)
        if (ptx_is_word(&in->words[k], word)) return k;
    return -1;
}

void ptx_write_opcode(struct text *out, const struct ptx_instruction *in) {
    for (int k = 0; k < in->nwords; k++)
        text_printf(out, "%s%s", k ? "." : "", in->words[k].text);
}
