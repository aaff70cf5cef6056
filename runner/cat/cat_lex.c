#include "cat/cat_lex.h"

#include <ctype.h>
#include <string.h>

static const char *const keywords[KEY_COUNT] = {
    [KEY_LET] = "let",
    [KEY_REC] = "rec",
    [KEY_AND] = "and",
    [KEY_ACYCLIC] = "acyclic",
    [KEY_EMPTY] = "empty",
    [KEY_FLAG] = "flag",
    [KEY_INCLUDE] = "include",
    [KEY_AS] = "as",
    [KEY_WITH] = "with",
    [KEY_FROM] = "from",
    [KEY_IRREFLEXIVE] = "irreflexive",
    [KEY_SHOW] = "show",
    [KEY_UNSHOW] = "unshow",
    [KEY_IN] = "in",
    [KEY_TRY] = "try",
    [KEY_IF] = "if",
    [KEY_THEN] = "then",
    [KEY_ELSE] = "else",
    [KEY_END] = "end",
    [KEY_PROCEDURE] = "procedure",
    [KEY_CALL] = "call",
    [KEY_WHEN] = "when",
    [KEY_UNLESS] = "undefined_unless",
    [KEY_MATCH] = "match",
    [KEY_FUN] = "fun",
    [KEY_ASSERT] = "assert",
};

static int peek(const struct cat_lexer *lx, size_t ahead) {
    size_t at = lx->at + ahead;
    return at < lx->source->len ? (unsigned char)lx->source->text[at] : -1;
}

static struct pos position(const struct cat_lexer *lx, size_t start) {
    return (struct pos){lx->line, (int)(start - lx->line_start) + 1, (int)(lx->at - start)};
}

static void newline(struct cat_lexer *lx) {
    lx->line++;
    lx->line_start = lx->at;
}

/* Skips a comment that nests, as in OCaml. False when the file ends inside it. */
static bool skip_comment(struct cat_lexer *lx) {
    struct pos start = {lx->line, (int)(lx->at - lx->line_start) + 1, 2};
    int depth = 0;
    do {
        int c = peek(lx, 0);
        if (c < 0) {
            diag_error(lx->diag, lx->source, start, "this comment never ends");
            return false;
        }
        if (c == '(' && peek(lx, 1) == '*') {
            depth++;
            lx->at++;
        } else if (c == '*' && peek(lx, 1) == ')') {
            depth--;
            lx->at++;
        }
        lx->at++;
        if (c == '\n') newline(lx);
    } while (depth);
    return true;
}

static bool skip_blank(struct cat_lexer *lx) {
    for (;;) {
        int c = peek(lx, 0);
        if (c == '\n') {
            lx->at++;
            newline(lx);
        } else if (c == ' ' || c == '\t' || c == '\r') {
            lx->at++;
        } else if (c == '#' || (c == '/' && peek(lx, 1) == '/')) {
            while (peek(lx, 0) >= 0 && peek(lx, 0) != '\n')
                lx->at++;
        } else if (c == '(' && peek(lx, 1) == '*') {
            if (!skip_comment(lx)) return false;
        } else {
            return true;
        }
    }
}

static bool is_name_char(int c) {
    return isalnum(c) || c == '_' || c == '-' || c == '.';
}

static struct cat_token lex_word(struct cat_lexer *lx) {
    size_t start = lx->at;
    lx->at++;
    while (is_name_char(peek(lx, 0)))
        lx->at++;
    struct cat_token t = {.kind = TOKEN_NAME, .pos = position(lx, start)};
    t.text = arena_strndup(lx->arena, lx->source->text + start, lx->at - start);
    for (int k = 0; k < KEY_COUNT; k++) {
        if (strcmp(t.text, keywords[k]) != 0) continue;
        t.kind = TOKEN_KEYWORD;
        t.keyword = (enum keyword)k;
    }
    if (strcmp(t.text, "_") == 0) {
        t.kind = TOKEN_SIGN;
        t.sign = SIGN_ALL;
    }
    return t;
}

static struct cat_token lex_string(struct cat_lexer *lx) {
    size_t start = lx->at++;
    struct cat_token t = {.kind = TOKEN_STRING, .pos = position(lx, start)};
    while (peek(lx, 0) >= 0 && peek(lx, 0) != '"')
        if (lx->source->text[lx->at++] == '\n') newline(lx);
    if (peek(lx, 0) == '"') {
        t.text = arena_strndup(lx->arena, lx->source->text + start + 1, lx->at - start - 1);
        lx->at++;
        if (t.pos.line == lx->line) t.pos = position(lx, start);
        return t;
    }
    t.kind = TOKEN_BAD;
    t.pos.len = (int)strcspn(lx->source->text + start, "\n");
    diag_error(lx->diag, lx->source, t.pos, "this string never ends");
    return t;
}

/* A sign of two letters; 0: they are none. */
static enum sign lex_pair(int c, int next) {
    static const struct {
        const char *text;
        enum sign sign;
    } pairs[] = {{"||", SIGN_ALT}, {"++", SIGN_ADD}, {"->", SIGN_ARROW}, {"&&", SIGN_LAND}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        if (pairs[k].text[0] == c && pairs[k].text[1] == next) return pairs[k].sign;
    return 0;
}

/* How long the inverse is that stands here: ^-1, with blanks behind the ^ or without it; 0: there is none. */
static size_t inverse_length(const struct cat_lexer *lx) {
    size_t n = peek(lx, 0) == '^';
    while (n && (peek(lx, n) == ' ' || peek(lx, n) == '\t'))
        n++;
    return peek(lx, n) == '-' && peek(lx, n + 1) == '1' ? n + 2 : 0;
}

/* A sign; ^+ is + and ^? is ?, as herd writes them both ways. */
static struct cat_token lex_sign(struct cat_lexer *lx) {
    size_t start = lx->at;
    int c = peek(lx, 0), next = peek(lx, 1);
    struct cat_token t = {.kind = TOKEN_SIGN, .sign = (enum sign)c};
    size_t inverse = inverse_length(lx);
    lx->at++;
    if (c == '^' && (next == '+' || next == '?')) {
        t.sign = (enum sign)next;
        lx->at++;
    } else if (c == '^' && next == '*') {
        t.sign = SIGN_HAT_STAR;
        lx->at++;
    } else if (inverse) {
        t.sign = SIGN_INVERSE;
        lx->at = start + inverse;
    } else if (lex_pair(c, next)) {
        t.sign = lex_pair(c, next);
        lx->at++;
    } else if (c == '{' || c == '}') {
        t.sign = c == '{' ? SIGN_LBRACE : SIGN_RBRACE;
    } else if (!strchr("()[],=|&\\;*~+?0", c) || c == 0) {
        t.kind = TOKEN_BAD;
    }
    t.pos = position(lx, start);
    t.text = arena_strndup(lx->arena, lx->source->text + start, lx->at - start);
    if (t.kind == TOKEN_BAD) diag_error(lx->diag, lx->source, t.pos, "unexpected character '%s'", t.text);
    return t;
}

struct cat_token lex_next(struct cat_lexer *lx) {
    if (!skip_blank(lx)) lx->at = lx->source->len;
    int c = peek(lx, 0);
    if (c < 0) return (struct cat_token){.kind = TOKEN_END, .pos = position(lx, lx->at)};
    if (isalpha(c) || c == '_' || (c == '\'' && isalpha(peek(lx, 1)))) return lex_word(lx);
    if (c == '"') return lex_string(lx);
    return lex_sign(lx);
}
