/* .cat files to statements: a recursive descent parser with one token of lookahead. */
#include <stdlib.h>
#include <string.h>

#include "cat/cat.h"
#include "cat/cat_file.h"
#include "cat/cat_lex.h"

enum { DEEPEST_NESTING = 200, DEEPEST_INCLUDE = 32 };

/* Of a model with all that it includes; ptx.cat takes a tenth. */
enum { MOST_STATEMENTS = 1000, MOST_OPERATORS = 5000 };

struct cat_size {
    int statements, operators; /* the latter with names */
};

/* A file being read, and the one that includes it. */
struct reading {
    const struct source *source;
    const struct reading *by;
};

struct cat_parser {
    struct cat_lexer lexer;
    struct cat_token token;
    struct arena *arena;
    struct diag *diag;
    const struct reading *reading;
    struct cat_stmt **end; /* where the next statement is appended */
    struct cat_size *size;
    int depth;
    bool failed; /* inside the statement at hand */
};

static void advance(struct cat_parser *p) {
    p->token = lex_next(&p->lexer);
}

static bool at_sign(const struct cat_parser *p, enum sign s) {
    return p->token.kind == TOKEN_SIGN && p->token.sign == s;
}

static bool at_keyword(const struct cat_parser *p, enum keyword k) {
    return p->token.kind == TOKEN_KEYWORD && p->token.keyword == k;
}

/* Reports the first error in a statement. Later ones only follow from it. */
static void expected(struct cat_parser *p, const char *what) {
    if (p->failed) return;
    p->failed = true;
    const struct cat_token *t = &p->token;
    if (t->kind == TOKEN_BAD) return;
    if (t->kind == TOKEN_END)
        diag_error(p->diag, p->lexer.source, t->pos, "expected %s, found the end of the file", what);
    else
        diag_error(p->diag, p->lexer.source, t->pos, "expected %s, found '%s'", what, t->text);
}

static bool accept_sign(struct cat_parser *p, enum sign s) {
    if (p->failed || !at_sign(p, s)) return false;
    advance(p);
    return true;
}

static bool accept_keyword(struct cat_parser *p, enum keyword k) {
    if (p->failed || !at_keyword(p, k)) return false;
    advance(p);
    return true;
}

static void want_sign(struct cat_parser *p, enum sign s, const char *what) {
    if (!accept_sign(p, s)) expected(p, what);
}

/* A name, or "" and an error. */
static const char *want_name(struct cat_parser *p, const char *what) {
    if (p->failed || p->token.kind != TOKEN_NAME) {
        expected(p, what);
        return "";
    }
    const char *name = p->token.text;
    advance(p);
    return name;
}

static bool is_too_large(const struct cat_parser *p) {
    return p->size->statements > MOST_STATEMENTS || p->size->operators > MOST_OPERATORS;
}

/* What is read counts. Once that is too much, the rest of all files is skipped. */
static void count(struct cat_parser *p, int *what, struct pos pos) {
    if (is_too_large(p)) return;
    ++*what;
    if (is_too_large(p))
        diag_error(p->diag, p->lexer.source, pos,
                   "the model is too large: more than %d statements, or %d operators and names",
                   MOST_STATEMENTS, MOST_OPERATORS);
}

/* Expressions */

static struct cat_expr *parse_expr(struct cat_parser *p);

static struct cat_expr *new_expr(struct cat_parser *p, enum cat_expr_kind kind, struct pos pos,
                                 struct cat_expr *a, struct cat_expr *b) {
    struct cat_expr *e = arena_alloc(p->arena, sizeof *e);
    count(p, &p->size->operators, pos);
    e->kind = kind;
    e->source = p->lexer.source;
    e->pos = pos;
    e->a = a;
    e->b = b;
    return e;
}

static struct cat_expr *parse_name(struct cat_parser *p) {
    struct cat_expr *e = new_expr(p, CAT_NAME, p->token.pos, NULL, NULL);
    e->name = p->token.text;
    advance(p);
    if (!accept_sign(p, SIGN_LPAREN)) return e;
    e->kind = CAT_CALL;
    struct cat_expr **end = &e->a;
    do {
        *end = parse_expr(p);
        end = &(*end)->next;
    } while (accept_sign(p, SIGN_COMMA));
    want_sign(p, SIGN_RPAREN, "',' or ')'");
    return e;
}

static struct cat_expr *parse_atom(struct cat_parser *p) {
    struct pos pos = p->token.pos;
    if (p->token.kind == TOKEN_NAME) return parse_name(p);
    if (accept_sign(p, SIGN_ZERO)) return new_expr(p, CAT_EMPTY, pos, NULL, NULL);
    if (accept_sign(p, SIGN_ALL)) return new_expr(p, CAT_ALL, pos, NULL, NULL);
    if (accept_sign(p, SIGN_LPAREN)) {
        struct cat_expr *e = parse_expr(p);
        want_sign(p, SIGN_RPAREN, "')'");
        return e;
    }
    if (accept_sign(p, SIGN_LBRACKET)) {
        struct cat_expr *e = new_expr(p, CAT_DIAG, pos, parse_expr(p), NULL);
        want_sign(p, SIGN_RBRACKET, "']'");
        return e;
    }
    expected(p, "an expression");
    return new_expr(p, CAT_EMPTY, pos, NULL, NULL);
}

static bool starts_expr(const struct cat_token *t) {
    if (t->kind == TOKEN_NAME) return true;
    return t->kind == TOKEN_SIGN && (t->sign == SIGN_ZERO || t->sign == SIGN_ALL || t->sign == SIGN_LPAREN ||
                                     t->sign == SIGN_LBRACKET || t->sign == SIGN_TILDE);
}

/* `*` is a postfix closure unless an operand follows it: then it is the product. */
static bool star_is_postfix(const struct cat_parser *p) {
    struct cat_lexer ahead = p->lexer;
    struct diag ignored = {0};
    ahead.diag = &ignored;
    struct cat_token t = lex_next(&ahead);
    diag_free(&ignored);
    return !starts_expr(&t);
}

static struct cat_expr *parse_postfix(struct cat_parser *p) {
    struct cat_expr *e = parse_atom(p);
    while (!p->failed && p->token.kind == TOKEN_SIGN) {
        struct pos pos = p->token.pos;
        enum cat_expr_kind kind;
        switch (p->token.sign) {
        case SIGN_PLUS: kind = CAT_PLUS; break;
        case SIGN_OPT: kind = CAT_OPT; break;
        case SIGN_HAT_STAR: kind = CAT_STAR; break;
        case SIGN_INVERSE: kind = CAT_INVERSE; break;
        case SIGN_STAR:
            if (!star_is_postfix(p)) return e;
            kind = CAT_STAR;
            break;
        default: return e;
        }
        advance(p);
        e = new_expr(p, kind, pos, e, NULL);
    }
    return e;
}

static struct cat_expr *parse_prefix(struct cat_parser *p) {
    struct pos pos = p->token.pos;
    if (!accept_sign(p, SIGN_TILDE)) return parse_postfix(p);
    if (++p->depth > DEEPEST_NESTING) {
        if (!p->failed) diag_error(p->diag, p->lexer.source, pos, "expression nested too deeply");
        p->failed = true;
        return new_expr(p, CAT_EMPTY, pos, NULL, NULL);
    }
    struct cat_expr *e = new_expr(p, CAT_COMPL, pos, parse_prefix(p), NULL);
    p->depth--;
    return e;
}

/* Binary operators from loose to tight, all grouping from the left (only for \ does it matter). */
static const struct {
    enum sign sign;
    enum cat_expr_kind kind;
} binary[] = {
    {SIGN_BAR, CAT_UNION}, {SIGN_SEMI, CAT_SEQ},     {SIGN_BACKSLASH, CAT_DIFF},
    {SIGN_AMP, CAT_INTER}, {SIGN_STAR, CAT_PRODUCT},
};
enum { NBINARY = sizeof binary / sizeof *binary };

static struct cat_expr *parse_binary(struct cat_parser *p, size_t level) {
    if (level == NBINARY) return parse_prefix(p);
    struct cat_expr *e = parse_binary(p, level + 1);
    for (;;) {
        struct pos pos = p->token.pos;
        if (is_too_large(p) || !accept_sign(p, binary[level].sign)) return e;
        e = new_expr(p, binary[level].kind, pos, e, parse_binary(p, level + 1));
    }
}

static struct cat_expr *parse_expr(struct cat_parser *p) {
    struct pos pos = p->token.pos;
    if (p->depth >= DEEPEST_NESTING) {
        if (!p->failed) diag_error(p->diag, p->lexer.source, pos, "expression nested too deeply");
        p->failed = true;
        return new_expr(p, CAT_EMPTY, pos, NULL, NULL);
    }
    p->depth++;
    struct cat_expr *e = parse_binary(p, 0);
    p->depth--;
    return e;
}

/* Statements */

static bool read_file(struct cat_parser *p, const char *name, struct pos pos);

static struct cat_stmt *new_stmt(struct cat_parser *p, enum cat_stmt_kind kind, struct pos pos) {
    struct cat_stmt *s = arena_alloc(p->arena, sizeof *s);
    s->kind = kind;
    s->source = p->lexer.source;
    s->pos = pos;
    return s;
}

static struct cat_binding *parse_binding(struct cat_parser *p) {
    struct cat_binding *b = arena_alloc(p->arena, sizeof *b);
    b->pos = p->token.pos;
    b->name = want_name(p, "a name");
    if (accept_sign(p, SIGN_LPAREN)) {
        b->function = true;
        struct cat_param **end = &b->params;
        do {
            *end = arena_alloc(p->arena, sizeof **end);
            (*end)->name = want_name(p, "a parameter's name");
            end = &(*end)->next;
        } while (accept_sign(p, SIGN_COMMA));
        want_sign(p, SIGN_RPAREN, "',' or ')'");
    }
    want_sign(p, SIGN_EQ, b->function ? "'='" : "'=' or '('");
    b->expr = parse_expr(p);
    return b;
}

static struct cat_stmt *parse_let(struct cat_parser *p, struct pos pos) {
    struct cat_stmt *s = new_stmt(p, CAT_LET, pos);
    s->rec = accept_keyword(p, KEY_REC);
    struct cat_binding **end = &s->bindings;
    do {
        *end = parse_binding(p);
        end = &(*end)->next;
    } while (accept_keyword(p, KEY_AND));
    return s;
}

/* [~] acyclic|irreflexive|empty expr [as name] */
static struct cat_stmt *parse_check(struct cat_parser *p, struct pos pos, bool flag) {
    struct cat_stmt *s = new_stmt(p, CAT_CHECK, pos);
    s->flag = flag;
    s->negated = accept_sign(p, SIGN_TILDE);
    if (accept_keyword(p, KEY_ACYCLIC))
        s->check = CHECK_ACYCLIC;
    else if (accept_keyword(p, KEY_IRREFLEXIVE))
        s->check = CHECK_IRREFLEXIVE;
    else if (accept_keyword(p, KEY_EMPTY))
        s->check = CHECK_EMPTY;
    else
        expected(p, "'acyclic', 'irreflexive' or 'empty'");
    s->expr = parse_expr(p);
    if (accept_keyword(p, KEY_AS)) s->name = want_name(p, "the axiom's name");
    return s;
}

/* with name from order(must, either) [as name] */
static struct cat_stmt *parse_with(struct cat_parser *p, struct pos pos) {
    struct cat_stmt *s = new_stmt(p, CAT_WITH, pos);
    s->pos = p->token.pos;
    s->name = want_name(p, "the order's name");
    if (!accept_keyword(p, KEY_FROM)) expected(p, "'from'");
    if (!p->failed && (p->token.kind != TOKEN_NAME || strcmp(p->token.text, "order") != 0))
        expected(p, "'order(MUST, EITHER)'");
    else if (!p->failed)
        advance(p);
    want_sign(p, SIGN_LPAREN, "'('");
    s->expr = parse_expr(p);
    want_sign(p, SIGN_COMMA, "','");
    s->either = parse_expr(p);
    want_sign(p, SIGN_RPAREN, "')'");
    if (accept_keyword(p, KEY_AS)) s->label = want_name(p, "the axiom's name");
    return s;
}

static void parse_include(struct cat_parser *p) {
    if (p->failed || p->token.kind != TOKEN_STRING) {
        expected(p, "a file's name in quotes");
        return;
    }
    struct cat_token file = p->token;
    advance(p);
    read_file(p, file.text, file.pos);
}

static void parse_stmt(struct cat_parser *p) {
    struct pos pos = p->token.pos;
    struct cat_stmt *s = NULL;
    if (accept_keyword(p, KEY_LET))
        s = parse_let(p, pos);
    else if (accept_keyword(p, KEY_WITH))
        s = parse_with(p, pos);
    else if (accept_keyword(p, KEY_INCLUDE))
        parse_include(p);
    else if (accept_keyword(p, KEY_FLAG))
        s = parse_check(p, pos, true);
    else if (at_sign(p, SIGN_TILDE) || at_keyword(p, KEY_ACYCLIC) || at_keyword(p, KEY_IRREFLEXIVE) ||
             at_keyword(p, KEY_EMPTY))
        s = parse_check(p, pos, false);
    else
        expected(p, "a statement (let, with, include, flag, acyclic, irreflexive, empty)");
    count(p, &p->size->statements, pos);
    if (!s || p->failed) return;
    *p->end = s;
    p->end = &s->next;
}

/* Goes on after an error, at the next word that starts a statement. */
static void recover(struct cat_parser *p) {
    p->failed = false;
    p->depth = 0;
    while (p->token.kind != TOKEN_END) {
        if (at_keyword(p, KEY_LET) || at_keyword(p, KEY_WITH) || at_keyword(p, KEY_INCLUDE) ||
            at_keyword(p, KEY_FLAG) || at_keyword(p, KEY_ACYCLIC) || at_keyword(p, KEY_IRREFLEXIVE) ||
            at_keyword(p, KEY_EMPTY))
            return;
        advance(p);
    }
}

/* A file starts with its title (a string or a word, optional); then statements. */
static void parse_file(struct cat_parser *p) {
    size_t errors = p->diag->errors;
    advance(p);
    if (p->token.kind == TOKEN_STRING || p->token.kind == TOKEN_NAME) advance(p);
    if (p->token.kind == TOKEN_END && p->diag->errors == errors)
        diag_error(p->diag, p->lexer.source, (struct pos){1, 1, 1}, "there is no statement in this file");
    while (p->token.kind != TOKEN_END && !is_too_large(p)) {
        parse_stmt(p);
        if (p->failed) recover(p);
    }
}

static bool is_being_read(const struct reading *r, const char *path) {
    for (; r; r = r->by)
        if (strcmp(r->source->path, path) == 0) return true;
    return false;
}

static bool read_file(struct cat_parser *p, const char *name, struct pos pos) {
    const struct source *source =
        cat_open(p->arena, name, p->reading ? p->reading->source : NULL, pos, p->diag);
    if (!source) return false;
    int depth = 0;
    for (const struct reading *r = p->reading; r; r = r->by)
        depth++;
    if (is_being_read(p->reading, source->path)) {
        diag_error(p->diag, p->reading->source, pos, "include loop: '%s' is already being read", name);
        return false;
    }
    if (depth >= DEEPEST_INCLUDE) {
        diag_error(p->diag, p->reading->source, pos, "files are included more than %d deep", DEEPEST_INCLUDE);
        return false;
    }
    struct reading reading = {source, p->reading};
    struct cat_parser inner = {.lexer = {p->arena, source, p->diag, 0, 1, 0},
                               .arena = p->arena,
                               .diag = p->diag,
                               .reading = &reading,
                               .size = p->size,
                               .end = p->end};
    parse_file(&inner);
    p->end = inner.end;
    return true;
}

bool cat_read(struct arena *a, const char *name, struct cat_stmt **out, struct diag *d) {
    size_t before = d->errors;
    *out = NULL;
    struct cat_size size = {0};
    struct cat_parser p = {.arena = a, .diag = d, .size = &size, .end = out};
    return read_file(&p, name, (struct pos){0}) && d->errors == before;
}

const struct cat_expr *cat_read_expr(struct arena *a, const char *text) {
    struct diag d = {0};
    struct source *source = arena_alloc(a, sizeof *source);
    *source = (struct source){.path = "<built in>", .text = text, .len = strlen(text)};
    struct cat_size size = {0};
    struct cat_parser p = {.lexer = {a, source, &d, 0, 1, 0}, .arena = a, .diag = &d, .size = &size};
    advance(&p);
    const struct cat_expr *e = parse_expr(&p);
    if (d.errors || p.token.kind != TOKEN_END) abort();
    diag_free(&d);
    return e;
}
