#include "ptx/token.h"

#include <ctype.h>
#include <string.h>

struct scanner {
    struct arena *arena;
    const struct snippet *in;
    struct ptx_token *tokens;
    size_t n, cap;
    size_t line;       /* in which the last token begins, from 0 */
    bool first, apart; /* of the next token */
};

static size_t source_offset(const struct snippet *in, size_t at) {
    return in->offset ? in->offset[at] : in->base + at;
}

/* The line and column of an offset: near those of the last token, as a rule. */
static struct pos find_pos(struct scanner *s, size_t offset, size_t len) {
    const struct lines *lines = s->in->lines;
    while (s->line + 1 < lines->n && lines->start[s->line + 1] <= offset)
        s->line++;
    if (lines->start[s->line] > offset) return source_pos(lines, offset, len);
    return (struct pos){(int)s->line + 1, (int)(offset - lines->start[s->line]) + 1, (int)len};
}

/* The place of bytes from..to. An escape of a C string is longer in the source than here. */
static struct pos place(struct scanner *s, size_t from, size_t to) {
    size_t first = source_offset(s->in, from), len = to - from;
    size_t last = to > from ? source_offset(s->in, to - 1) + 1 : first;
    bool in_one_piece = last > first && last - first <= 2 * len;
    return find_pos(s, first, in_one_piece ? last - first : len);
}

static void add_token(struct scanner *s, int kind, size_t from, size_t to) {
    if (s->n == s->cap) {
        size_t cap = s->cap ? 2 * s->cap : s->in->len / 4 + 16; /* most need no more */
        s->tokens = arena_grow(s->arena, s->tokens, s->n, cap, sizeof *s->tokens);
        s->cap = cap;
    }
    const char *text = arena_strndup(s->arena, s->in->text + from, to - from);
    s->tokens[s->n++] = (struct ptx_token){kind, text, place(s, from, to), s->first, s->apart};
    bool comment = kind == PTX_TOKEN_COMMENT;
    s->first = s->first && comment; /* what stands behind a comment may still be the first of its line */
    s->apart = comment;
}

static bool is_letter(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static size_t name_end(const char *text, size_t at) {
    at++;
    while (is_letter(text[at]))
        at++;
    return at;
}

/* 10, 0x1fU, 0f3F800000, 1.5, 1.5e-3 */
static size_t number_end(const char *text, size_t at) {
    bool hex = text[at] == '0' && strchr("xXfFdD", text[at + 1]) && text[at + 1];
    at = name_end(text, at);
    if (hex) return at;
    if (text[at] == '.' && isdigit((unsigned char)text[at + 1])) at = name_end(text, at);
    bool exponent = strchr("eE", text[at - 1]) && (text[at] == '+' || text[at] == '-');
    return exponent && isdigit((unsigned char)text[at + 1]) ? name_end(text, at) : at;
}

/* Where what begins with these characters ends; 0: it does not. */
static size_t quoted_end(const char *text, size_t at, const char *close) {
    const char *end = strstr(text + at, close);
    return end ? (size_t)(end - text) + strlen(close) : 0;
}

/* The kind of the token at a place, and where it ends. */
static int scan(const char *text, size_t at, size_t *end) {
    bool colons = at > 1 && text[at - 1] == ':' && text[at - 2] == ':';
    bool behind_dot = colons || (at > 0 && text[at - 1] == '.');
    char c = text[at];
    *end = at + 1;
    if (c == '/' && text[at + 1] == '/') {
        *end = at + strcspn(text + at, "\n");
        return PTX_TOKEN_COMMENT;
    }
    if ((c == '/' && text[at + 1] == '*') || c == '"') {
        size_t close = c == '"' ? quoted_end(text, at + 1, "\"") : quoted_end(text, at + 2, "*/");
        if (!close) return PTX_TOKEN_BAD;
        *end = close;
        return c == '"' ? PTX_TOKEN_STRING : PTX_TOKEN_COMMENT;
    }
    if (isdigit((unsigned char)c) && !behind_dot) {
        *end = number_end(text, at);
        return PTX_TOKEN_NUMBER;
    }
    if (is_letter(c) || (c == '%' && is_letter(text[at + 1]))) {
        *end = name_end(text, at);
        return PTX_TOKEN_NAME;
    }
    return strchr(".,;:{}[]()@!|+-=<>", c) ? c : PTX_TOKEN_BAD;
}

const struct ptx_token *ptx_tokens(struct arena *a, const struct snippet *in) {
    struct scanner s = {.arena = a, .in = in, .first = true};
    size_t at = 0;
    while (in->text[at]) {
        if (isspace((unsigned char)in->text[at])) {
            s.first = s.first || in->text[at] == '\n';
            s.apart = true;
            at++;
            continue;
        }
        size_t end;
        int kind = scan(in->text, at, &end);
        add_token(&s, kind, at, end);
        at = end;
    }
    add_token(&s, PTX_TOKEN_END, at, at);
    return s.tokens;
}
