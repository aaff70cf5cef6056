#include "syntax/lex.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "syntax/lexer.h"

/* A sign, or a word that stands for a sign. */
struct sign {
    const char *text;
    int kind;
};

/* Longer signs come first, since the first that fits is taken. */
static const struct sign punctuators[] = {
    {"<<=", TOK_SHL_SET},  {">>=", TOK_SHR_SET}, {"<<", TOK_SHL},     {">>", TOK_SHR},
    {"<=", TOK_LE},        {">=", TOK_GE},       {"==", TOK_EQ},      {"!=", TOK_NE},
    {"&&", TOK_LAND},      {"||", TOK_LOR},      {"++", TOK_INC},     {"--", TOK_DEC},
    {"+=", TOK_ADD_SET},   {"-=", TOK_SUB_SET},  {"*=", TOK_MUL_SET}, {"/=", TOK_DIV_SET},
    {"%=", TOK_MOD_SET},   {"&=", TOK_AND_SET},  {"|=", TOK_OR_SET},  {"^=", TOK_XOR_SET},
    {"/\\", TOK_LAND_TEX}, {"\\/", TOK_LOR_TEX},
};

/* The alternative tokens of C++ (ISO C++, "Alternative tokens"). */
static const struct sign alternatives[] = {
    {"and", TOK_LAND},     {"or", TOK_LOR},         {"not", '!'},
    {"bitand", '&'},       {"bitor", '|'},          {"xor", '^'},
    {"compl", '~'},        {"not_eq", TOK_NE},      {"and_eq", TOK_AND_SET},
    {"or_eq", TOK_OR_SET}, {"xor_eq", TOK_XOR_SET},
};

static size_t source_offset(const struct lexer *l, size_t k) {
    return l->in->offset ? l->in->offset[k] : l->in->base + k;
}

struct pos lexer_place(const struct lexer *l, size_t from, size_t to) {
    if (l->used) return *l->used;
    return source_pos(l->in->lines, source_offset(l, from), to - from);
}

struct token *lexer_add(struct lexer *l, int kind, size_t from, size_t to) {
    if (l->n == l->cap) {
        l->cap = l->cap ? 2 * l->cap : 64;
        l->tokens = memory_resize(l->tokens, l->cap, sizeof *l->tokens);
    }
    struct token *t = &l->tokens[l->n++];
    struct pos pos = lexer_place(l, from, to);
    *t = (struct token){.kind = kind,
                        .at = from,
                        .text = arena_strndup(l->arena, l->in->text + from, to - from),
                        .pos = pos,
                        .after = {pos.line, pos.col + pos.len, 1}};
    return t;
}

/* Returns the end of the comment that begins at s[at]; `end`: it is not closed. */
static size_t end_of_comment(const char *s, size_t at, size_t end) {
    if (s[at + 1] == '/') return at + strcspn(s + at, "\n");
    const char *closing = strstr(s + at + 2, "*/");
    return closing ? (size_t)(closing - s) + 2 : end;
}

static void skip_comment(struct lexer *l) {
    const char *s = l->in->text;
    size_t from = l->at, none = l->in->len + 1;
    l->at = end_of_comment(s, from, none);
    if (l->at < none) return;
    l->at = l->in->len;
    diag_error(l->diag, l->source, lexer_place(l, from, from + 2), "this comment has no end '*/'");
    lexer_add(l, TOK_BAD, from, from + 2);
}

size_t lexer_end_of_name(const char *s, size_t at) {
    while (isalnum((unsigned char)s[at]) || s[at] == '_')
        at++;
    return at;
}

size_t lexer_end_of_quoted(const char *s, size_t at) {
    char quote = s[at++];
    while (s[at] && s[at] != '\n' && s[at] != quote)
        at += s[at] == '\\' && s[at + 1] ? 2 : 1;
    return at + (s[at] == quote);
}

bool token_is_word(const struct token *t, const char *word) {
    return t->kind == TOK_NAME && strcmp(t->text, word) == 0;
}

long long token_number(const struct token *t) {
    return value_int(t->type, t->value);
}

/* A decimal, hexadecimal, octal or binary number of up to 128 bits, or a float. */
static void read_number(struct lexer *l) {
    size_t from = l->at;
    l->at = literal_end(l->in->text, from);
    literal_read(l, lexer_add(l, TOK_INT, from, l->at));
}

static bool read_punctuator(struct lexer *l) {
    const char *s = l->in->text + l->at;
    for (size_t i = 0; i < sizeof punctuators / sizeof *punctuators; i++) {
        if (*s != *punctuators[i].text) continue;
        size_t n = strlen(punctuators[i].text);
        if (strncmp(s, punctuators[i].text, n) != 0) continue;
        lexer_add(l, punctuators[i].kind, l->at, l->at + n);
        l->at += n;
        return true;
    }
    if (!strchr("+-*/%<>=!~&|^?:;,.@()[]{}", *s)) return false;
    lexer_add(l, (unsigned char)*s, l->at, l->at + 1);
    l->at++;
    return true;
}

/* Returns the number of a character constant, such as 'a' or '\\n'; -1: it is a text, or has several
 * characters. */
static int character_of(const char *s, size_t n) {
    static const char names[] = "abfnrtv0\\'\"?", numbers[] = "\a\b\f\n\r\t\v\0\\'\"?";
    const char *escape = n == 4 && s[1] == '\\' ? strchr(names, s[2]) : NULL;
    if (*s != '\'' || s[n - 1] != '\'') return -1;
    if (escape) return numbers[escape - names];
    return n == 3 && s[1] != '\\' && (s[1] & 0x80) == 0 ? s[1] : -1;
}

/* Reads a text or a character constant, which is a number; to the end of the line if its closing quote is
 * missing. */
static void read_quoted(struct lexer *l) {
    size_t from = l->at;
    l->at = lexer_end_of_quoted(l->in->text, from);
    struct token *t = lexer_add(l, TOK_TEXT, from, l->at);
    int c = character_of(l->in->text + from, l->at - from);
    if (c < 0) return;
    t->kind = TOK_INT;
    t->type = (struct type){.bits = 8, .lanes = 1, .sign = true};
    t->value = value_from(t->type, c);
}

/* Returns the character of C that a character looks like; NULL: none. */
static const char *meant_by(const char *s, size_t n) {
    static const char *const alike[][2] = {
        {"\u201c", "\""}, {"\u201d", "\""}, {"\u201e", "\""}, {"\u2018", "'"},  {"\u2019", "'"},
        {"\u2227", "&&"}, {"\u2228", "||"}, {"\u00ac", "!"},  {"\u2260", "!="}, {"\u2264", "<="},
        {"\u2265", ">="}, {"\u2212", "-"},  {"\u2013", "-"},  {"\u2014", "-"},  {"\u00d7", "*"},
        {"\u2190", "="},  {"\uff1b", ";"},  {"\u037e", ";"}};
    for (size_t k = 0; k < sizeof alike / sizeof *alike; k++)
        if (strlen(alike[k][0]) == n && memcmp(alike[k][0], s, n) == 0) return alike[k][1];
    return NULL;
}

/* Reports what cannot begin a token: one byte, or all bytes of a character. */
static void report_stray(struct lexer *l) {
    const char *s = l->in->text + l->at;
    size_t n = 1;
    while (s[n] & 0x80 && *s & 0x80)
        n++;
    const char *meant = meant_by(s, n);
    diag_error(l->diag, l->source, lexer_place(l, l->at, l->at + n), "unexpected character '%.*s'%s%s%s",
               (int)n, s, meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
    bool in_name =
        l->at > 0 && l->n > 0 && l->tokens[l->n - 1].kind == TOK_NAME && !isspace((unsigned char)s[-1]);
    if (in_name) l->tokens[l->n - 1].kind = TOK_BAD;
    lexer_add(l, TOK_BAD, l->at, l->at + n);
    l->at += n;
}

/* Whether a name begins here. Behind "." and "::" it may begin with digits, as in the opcodes suld.b.1d and
 * ld.L2::128B. */
static bool at_name(const struct lexer *l) {
    const char *s = l->in->text + l->at;
    bool behind_dot = l->n > 0 && l->tokens[l->n - 1].kind == '.' && s[-1] == '.';
    bool behind_colons = l->at > 1 && s[-1] == ':' && s[-2] == ':';
    if (behind_dot || behind_colons) s += strspn(s, "0123456789");
    return isalpha((unsigned char)*s) || *s == '_';
}

/* .5f, but not x.5 */
static bool at_fraction(const struct lexer *l) {
    const char *s = l->in->text + l->at;
    bool behind = l->n > 0 && strchr(")]", l->tokens[l->n - 1].kind) && l->tokens[l->n - 1].kind < 128;
    behind =
        behind || (l->n > 0 && (l->tokens[l->n - 1].kind == TOK_NAME || l->tokens[l->n - 1].kind == TOK_INT));
    return s[0] == '.' && isdigit((unsigned char)s[1]) && !behind;
}

/* ---- macros ---- */

/* Reads a text in place of what ends here. `call` is the macro call that it belongs to, `used` its
 * position. */
static void read_instead(struct lexer *l, struct range text, struct macro_call *call,
                         const struct pos *used) {
    struct lexer around = *l;
    l->at = text.from;
    l->call = call;
    l->used = used;
    l->uses++;
    l->depth++;
    lexer_read_until(l, text.to);
    l->at = around.at;
    l->call = around.call;
    l->used = around.used;
    l->end = around.end;
    l->depth--;
}

/* Returns the argument for a name in the text of a macro. */
static bool read_argument(struct lexer *l, struct range name) {
    struct macro_call *c = l->call;
    const char *s = l->in->text;
    size_t n = name.to - name.from;
    for (int k = 0; c && k < c->macro->nparams; k++) {
        const struct range *param = &c->macro->params[k];
        if (param->to - param->from != n || memcmp(s + param->from, s + name.from, n) != 0) continue;
        bool open = c->macro->open;
        c->macro->open = false;
        read_instead(l, c->args[k], c->outer, c->used);
        c->macro->open = open;
        return true;
    }
    return false;
}

/* Skips a quoted text, a comment, or one byte. */
static size_t skip_one(const struct lexer *l, size_t at) {
    const char *s = l->in->text;
    if (s[at] == '/' && (s[at + 1] == '/' || s[at + 1] == '*')) return end_of_comment(s, at, l->end);
    return s[at] == '"' || s[at] == '\'' ? lexer_end_of_quoted(s, at) : at + 1;
}

/* Reads the arguments "(a, f(b, c))"; `at` is behind the '('. False: no ')' ends them. */
static bool find_arguments(struct lexer *l, size_t at, struct macro_call *c) {
    const char *s = l->in->text;
    int depth = 0;
    for (size_t from = at; at < l->end; at = skip_one(l, at)) {
        bool ends = depth == 0 && (s[at] == ')' || s[at] == ',');
        depth += (s[at] == '(') - (s[at] == ')');
        if (!ends) continue;
        if (c->nargs < MAX_ARGUMENTS) c->args[c->nargs] = (struct range){from, at};
        c->nargs++;
        from = l->at = at + 1;
        if (s[at] == ')') return true;
    }
    return false;
}

/* Reads the text of a macro, as used at `used`. Within it, the macro's name is an ordinary name. */
static void read_text(struct lexer *l, struct macro *m, struct macro_call *call, const struct pos *used) {
    m->open = true;
    read_instead(l, m->text, call, used);
    m->open = false;
}

/* Reads a macro call NAME(arguments), from behind the name. */
static void read_call(struct lexer *l, struct macro *m, struct range name) {
    size_t open = l->at + strspn(l->in->text + l->at, " \t\n");
    struct macro_call c = {.macro = m, .used = l->used, .outer = l->call};
    struct pos here = lexer_place(l, name.from, name.to);
    if (open >= l->end || l->in->text[open] != '(') {
        lexer_add(l, TOK_NAME, name.from, name.to);
        return;
    }
    bool ended = find_arguments(l, open + 1, &c);
    const struct range *only = &c.args[0];
    if (c.nargs == 1 && strspn(l->in->text + only->from, " \t\n") >= only->to - only->from)
        c.nargs = m->nparams == 1; /* one empty argument */
    if (!ended || c.nargs != m->nparams) {
        diag_error(l->diag, l->source, here, "macro '%s' takes %d argument%s in parentheses", m->name,
                   m->nparams, m->nparams == 1 ? "" : "s");
        lexer_add(l, TOK_BAD, name.from, name.to);
        return;
    }
    read_text(l, m, &c, &here);
}

/* Returns the macro of a name unless it is being read; NULL: there is none. */
static struct macro *find_macro(const struct lexer *l, struct range name) {
    struct macro *m = l->macros;
    size_t n = name.to - name.from;
    while (m && (m->open || strlen(m->name) != n || memcmp(m->name, l->in->text + name.from, n) != 0))
        m = m->next;
    return m;
}

/* Whether the newest tokens, not counting the last `behind`, are this word and "::". */
static bool ends_with_space(const struct lexer *l, size_t behind, const char *word) {
    if (l->n < behind + 3) return false;
    const struct token *t = l->tokens + l->n - behind - 3;
    return token_is_word(t, word) && t[1].kind == ':' && t[2].kind == ':';
}

/* Adds a name, or a sign that C++ spells as a name. A type of <cstdint> is the same with std:: or
 * cuda::std::, which is dropped. */
static void add_name(struct lexer *l, struct range name) {
    struct token *t = lexer_add(l, TOK_NAME, name.from, name.to);
    size_t n = strlen(t->text), space = 0;
    struct type type;
    for (size_t i = 0; i < sizeof alternatives / sizeof *alternatives; i++)
        if (strcmp(t->text, alternatives[i].text) == 0) t->kind = alternatives[i].kind;
    if (n < 2 || strcmp(t->text + n - 2, "_t") != 0 || !type_find(t->text, &type)) return;
    if (ends_with_space(l, 1, "std")) space = 3;
    if (space && ends_with_space(l, 4, "cuda")) space = 6;
    l->tokens[l->n - 1 - space] = *t;
    l->n -= space;
}

/* Whether `defined` or `defined(` stands before the name in the condition of an '#if', so that it is not
 * replaced. */
static bool asks_for_name(const struct lexer *l) {
    size_t n = l->n;
    if (!l->asks || n == 0) return false;
    n -= n > 1 && l->tokens[n - 1].kind == '(';
    return token_is_word(&l->tokens[n - 1], "defined");
}

/* Reads a name, or the text of the macro of that name. */
static void read_name(struct lexer *l) {
    struct range name = {l->at, lexer_end_of_name(l->in->text, l->at)};
    l->at = name.to;
    if (read_argument(l, name)) return;
    struct macro *m = asks_for_name(l) ? NULL : find_macro(l, name);
    if (!m) {
        add_name(l, name);
        return;
    }
    struct pos here = lexer_place(l, name.from, name.to);
    if (l->depth >= MAX_DEPTH) {
        diag_error(l->diag, l->source, here, "macros are nested too deeply: more than %d levels", MAX_DEPTH);
        lexer_add(l, TOK_BAD, name.from, name.to);
        return;
    }
    if (m->called) {
        read_call(l, m, name);
        return;
    }
    read_text(l, m, NULL, &here);
}

/* ---- the whole ---- */

/* Reads one token, a comment, or white space. */
static void read_one(struct lexer *l) {
    const char *s = l->in->text + l->at;
    if (isspace((unsigned char)*s))
        l->at++;
    else if (s[0] == '\\' && s[1] == '\n')
        l->at += 2; /* a macro goes on in the next line */
    else if (*s == '#')
        lexer_read_directive(l);
    else if (s[0] == '/' && (s[1] == '/' || s[1] == '*'))
        skip_comment(l);
    else if (at_name(l))
        read_name(l);
    else if (isdigit((unsigned char)*s) || at_fraction(l))
        read_number(l);
    else if (*s == '"' || *s == '\'')
        read_quoted(l);
    else if (!read_punctuator(l))
        report_stray(l);
}

void lexer_read_until(struct lexer *l, size_t end) {
    l->end = end;
    while (l->at < end && !l->full) {
        l->full = l->n == LEX_MAX_TOKENS || l->uses == LEX_MAX_TOKENS;
        if (!l->full) read_one(l);
    }
}

const struct token *lex(struct arena *a, const struct source *src, const struct snippet *in, struct diag *d) {
    struct lexer l = {.arena = a, .source = src, .diag = d, .in = in};
    lexer_read_until(&l, in->len);
    lexer_check_branches(&l);
    if (l.full) {
        diag_error(d, src, lexer_place(&l, l.at, l.at), "too long: more than %d words and signs",
                   LEX_MAX_TOKENS);
        l.n = 0;
    }
    lexer_add(&l, TOK_END, in->len, in->len);
    struct token *tokens = arena_grow(a, l.tokens, l.n, l.n, sizeof *tokens);
    free(l.tokens);
    return tokens;
}
