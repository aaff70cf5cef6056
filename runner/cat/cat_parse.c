/* .cat files to statements: a recursive descent parser with one token of lookahead. */
#include <stdlib.h>
#include <string.h>

#include "cat/cat_file.h"
#include "cat/cat_parser.h"

void parser_advance(struct cat_parser *p) {
    p->token = lex_next(&p->lexer);
}

bool parser_at_sign(const struct cat_parser *p, enum sign s) {
    return p->token.kind == TOKEN_SIGN && p->token.sign == s;
}

bool parser_at_keyword(const struct cat_parser *p, enum keyword k) {
    return p->token.kind == TOKEN_KEYWORD && p->token.keyword == k;
}

/* Reports the first error in a statement. Later ones only follow from it. */
void parser_expected(struct cat_parser *p, const char *what) {
    if (p->failed) return;
    p->failed = true;
    const struct cat_token *t = &p->token;
    if (t->kind == TOKEN_BAD) return;
    if (t->kind == TOKEN_END)
        diag_error(p->diag, p->lexer.source, t->pos, "expected %s, found the end of the file", what);
    else
        diag_error(p->diag, p->lexer.source, t->pos, "expected %s, found '%s'", what, t->text);
}

bool parser_accept_sign(struct cat_parser *p, enum sign s) {
    if (p->failed || !parser_at_sign(p, s)) return false;
    parser_advance(p);
    return true;
}

bool parser_accept_keyword(struct cat_parser *p, enum keyword k) {
    if (p->failed || !parser_at_keyword(p, k)) return false;
    parser_advance(p);
    return true;
}

void parser_want_sign(struct cat_parser *p, enum sign s, const char *what) {
    if (!parser_accept_sign(p, s)) parser_expected(p, what);
}

/* A name, or "" and an error. */
const char *parser_want_name(struct cat_parser *p, const char *what) {
    if (p->failed || p->token.kind != TOKEN_NAME) {
        parser_expected(p, what);
        return "";
    }
    const char *name = p->token.text;
    parser_advance(p);
    return name;
}

bool parser_is_too_large(const struct cat_parser *p) {
    return p->size->statements > MOST_STATEMENTS || p->size->operators > MOST_OPERATORS;
}

void parser_count(struct cat_parser *p, int *what, struct pos pos) {
    if (parser_is_too_large(p)) return;
    ++*what;
    if (parser_is_too_large(p))
        diag_error(p->diag, p->lexer.source, pos,
                   "the model is too large: more than %d statements, or %d operators and names",
                   MOST_STATEMENTS, MOST_OPERATORS);
}

/* Statements */

static bool read_file(struct cat_parser *p, const char *name, struct pos pos);

struct cat_stmt *parser_new_stmt(struct cat_parser *p, enum cat_stmt_kind kind, struct pos pos) {
    struct cat_stmt *s = arena_alloc(p->arena, sizeof *s);
    s->kind = kind;
    s->source = p->lexer.source;
    s->pos = pos;
    return s;
}

/* [~] acyclic|irreflexive|empty expr [as name] */
static struct cat_stmt *parse_check(struct cat_parser *p, struct pos pos, bool flag) {
    struct cat_stmt *s = parser_new_stmt(p, CAT_CHECK, pos);
    s->flag = flag;
    s->negated = parser_accept_sign(p, SIGN_TILDE);
    if (parser_accept_keyword(p, KEY_ACYCLIC))
        s->check = CHECK_ACYCLIC;
    else if (parser_accept_keyword(p, KEY_IRREFLEXIVE))
        s->check = CHECK_IRREFLEXIVE;
    else if (parser_accept_keyword(p, KEY_EMPTY))
        s->check = CHECK_EMPTY;
    else
        parser_expected(p, "'acyclic', 'irreflexive' or 'empty'");
    s->expr = parser_expr(p);
    if (parser_accept_keyword(p, KEY_AS)) s->name = parser_want_name(p, "the axiom's name");
    return s;
}

static void parse_include(struct cat_parser *p) {
    if (p->failed || p->token.kind != TOKEN_STRING) {
        parser_expected(p, "a file's name in quotes");
        return;
    }
    struct cat_token file = p->token;
    parser_advance(p);
    if (!p->dead) read_file(p, file.text, file.pos);
}

/* show a, b / show a as name / unshow a: what herd draws. Nothing of it is kept. */
static void parse_show(struct cat_parser *p) {
    do
        parser_expr(p);
    while (parser_accept_sign(p, SIGN_COMMA));
    if (parser_accept_keyword(p, KEY_AS)) parser_want_name(p, "a name");
    p->unread = NULL;
}

static void append(struct cat_parser *p, struct cat_stmt *s) {
    if (!s || p->failed || p->dead) return;
    *p->end = s;
    p->end = &s->next;
}

static void parse_stmt(struct cat_parser *p);

/* Statements up to `end` or, of an `if`, `else`. */
static void parse_block(struct cat_parser *p) {
    while (!p->failed && p->token.kind != TOKEN_END && !parser_at_keyword(p, KEY_END) &&
           !parser_at_keyword(p, KEY_ELSE) && !parser_is_too_large(p))
        parse_stmt(p);
}

/* procedure name(x, y) = statements end */
static void parse_procedure(struct cat_parser *p) {
    struct cat_procedure *f = arena_alloc(p->arena, sizeof *f);
    struct cat_stmt **end = p->end;
    f->name = parser_want_name(p, "the procedure's name");
    f->params = parser_params(p);
    parser_want_sign(p, SIGN_EQ, "'='");
    p->end = &f->body;
    parse_block(p);
    p->end = end;
    if (!parser_accept_keyword(p, KEY_END)) parser_expected(p, "'end'");
    f->next = p->size->procedures;
    if (!p->failed && !p->dead) p->size->procedures = f;
}

static const struct cat_procedure *find_procedure(struct cat_parser *p, const char *name, struct pos pos) {
    for (const struct cat_procedure *f = p->size->procedures; f; f = f->next)
        if (strcmp(f->name, name) == 0) return f;
    if (!p->failed && !p->dead) diag_error(p->diag, p->lexer.source, pos, "unknown procedure '%s'", name);
    return NULL;
}

/* A binding for each parameter of a procedure. */
static struct cat_stmt *bind_arguments(struct cat_parser *p, const struct cat_procedure *f,
                                       struct cat_expr *args, struct pos pos) {
    struct cat_stmt *s = parser_new_stmt(p, CAT_LET, pos);
    struct cat_binding **end = &s->bindings;
    const struct cat_param *param = f->params;
    for (; param && args; param = param->next) {
        struct cat_binding *b = arena_alloc(p->arena, sizeof *b);
        struct cat_expr *next = args->next;
        *b = (struct cat_binding){.name = param->name, .pos = args->pos, .expr = args};
        args->next = NULL;
        args = next;
        *end = b;
        end = &b->next;
    }
    if (param || args)
        diag_error(p->diag, p->lexer.source, pos, "'%s' does not take so many arguments", f->name);
    return s;
}

/* call name(a, b) [as label]: its statements stand here, with the arguments for its parameters. */
static void parse_call(struct cat_parser *p, struct pos pos) {
    const char *name = parser_want_name(p, "a procedure's name"), *label = NULL;
    struct cat_expr *args = NULL, **end = &args;
    bool list = parser_accept_sign(p, SIGN_LPAREN), none = list && parser_accept_sign(p, SIGN_RPAREN);
    if (!none) do {
            *end = parser_expr(p);
            end = &(*end)->next;
        } while (list && parser_accept_sign(p, SIGN_COMMA));
    if (list && !none) parser_want_sign(p, SIGN_RPAREN, "',' or ')'");
    if (parser_accept_keyword(p, KEY_AS)) label = parser_want_name(p, "the axiom's name");
    const struct cat_procedure *f = find_procedure(p, name, pos);
    if (!f || p->failed || p->dead) return;
    append(p, parser_new_stmt(p, CAT_ENTER, pos));
    append(p, bind_arguments(p, f, args, pos));
    for (const struct cat_stmt *s = f->body; s; s = s->next) {
        struct cat_stmt *copy = arena_alloc(p->arena, sizeof *copy);
        parser_count(p, &p->size->statements, pos);
        *copy = *s;
        copy->next = NULL;
        if (label && copy->kind == CAT_CHECK) copy->name = label;
        append(p, copy);
    }
    append(p, parser_new_stmt(p, CAT_LEAVE, pos));
}

/* "a", not "a", "a" && "b", "a" || "b", in parentheses: whether it is true where no variant is on. */
bool parser_variant(struct cat_parser *p, bool *variant) {
    bool not = p->token.kind == TOKEN_NAME && strcmp(p->token.text, "not") == 0, on = false;
    if (not ) parser_advance(p);
    if (p->token.kind == TOKEN_NAME && strcmp(p->token.text, "variant") == 0) parser_advance(p);
    bool list = p->token.kind != TOKEN_STRING && parser_accept_sign(p, SIGN_LPAREN);
    *variant = p->token.kind == TOKEN_STRING || list || not ;
    if (list) {
        on = parser_variant(p, variant);
        parser_want_sign(p, SIGN_RPAREN, "')'");
    } else if (p->token.kind == TOKEN_STRING) {
        parser_advance(p);
    }
    on = on != not ;
    while (*variant && (parser_at_sign(p, SIGN_LAND) || parser_at_sign(p, SIGN_ALT))) {
        bool both = parser_accept_sign(p, SIGN_LAND), more;
        if (!both) parser_accept_sign(p, SIGN_ALT);
        bool other = parser_variant(p, &more);
        on = both ? on && other : on || other;
    }
    return on;
}

/* if "variant" statements [else statements] end */
static void parse_if(struct cat_parser *p) {
    bool variant, dead = p->dead, on = parser_variant(p, &variant);
    if (!variant) parser_expected(p, "the name of a variant in quotes");
    p->dead = dead || !on;
    parse_block(p);
    p->dead = dead || on;
    if (parser_accept_keyword(p, KEY_ELSE)) parse_block(p);
    p->dead = dead;
    if (!parser_accept_keyword(p, KEY_END)) parser_expected(p, "'end'");
}

/* The word that a statement begins with; KEY_COUNT: none. */
static enum keyword find_first_word(const struct cat_parser *p) {
    static const enum keyword words[] = {KEY_LET,  KEY_WITH,   KEY_INCLUDE,     KEY_FLAG,  KEY_ACYCLIC,
                                         KEY_SHOW, KEY_UNSHOW, KEY_IRREFLEXIVE, KEY_EMPTY, KEY_PROCEDURE,
                                         KEY_CALL, KEY_UNLESS, KEY_IF,          KEY_ASSERT};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (parser_at_keyword(p, words[k])) return words[k];
    return KEY_COUNT;
}

/* Whether a statement begins that herd has and this reader skips. */
static bool is_foreign(const struct cat_parser *p) {
    static const char *const words[] = {"enum", "instructions", "default", "forall", "debug", "catdep"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (p->token.kind == TOKEN_NAME && strcmp(p->token.text, words[k]) == 0) return true;
    return parser_at_keyword(p, KEY_MATCH);
}

static void report_statement(struct cat_parser *p) {
    if (p->diag->errors && (parser_at_keyword(p, KEY_END) || parser_at_keyword(p, KEY_ELSE)))
        p->failed = true; /* of a block that was not understood */
    if (!is_foreign(p)) {
        parser_expected(p, "a statement (let, with, include, flag, acyclic, irreflexive, empty)");
        return;
    }
    if (!p->failed)
        diag_error(p->diag, p->lexer.source, p->token.pos, "'%s' of herd is not read here", p->token.text);
    p->failed = true;
    parser_advance(p);
}

/* let rec ... when acyclic r as name: a definition and a check. */
static void parse_definition(struct cat_parser *p, struct pos pos) {
    append(p, parser_let(p, pos));
    if (parser_accept_keyword(p, KEY_WHEN)) append(p, parse_check(p, p->token.pos, false));
}

/* undefined_unless [~]check: a remark on the executions where it does not hold. */
static struct cat_stmt *parse_unless(struct cat_parser *p, struct pos pos) {
    struct cat_stmt *s = parse_check(p, pos, true);
    s->negated = !s->negated;
    return s;
}

/* assert [~]check */
static struct cat_stmt *parse_assert(struct cat_parser *p, struct pos pos) {
    struct cat_stmt *s = parse_check(p, pos, true);
    s->assertion = true;
    return s;
}

static void parse_stmt(struct cat_parser *p) {
    struct pos pos = p->token.pos;
    enum keyword word = find_first_word(p);
    bool check = word == KEY_ACYCLIC || word == KEY_IRREFLEXIVE || word == KEY_EMPTY;
    p->unread = NULL;
    if (word != KEY_COUNT && !check) parser_advance(p);
    switch (word) {
    case KEY_LET: parse_definition(p, pos); break;
    case KEY_WITH: append(p, parser_with(p, pos)); break;
    case KEY_INCLUDE: parse_include(p); break;
    case KEY_SHOW:
    case KEY_UNSHOW: parse_show(p); break;
    case KEY_PROCEDURE: parse_procedure(p); break;
    case KEY_CALL: parse_call(p, pos); break;
    case KEY_IF: parse_if(p); break;
    case KEY_FLAG: append(p, parse_check(p, pos, true)); break;
    case KEY_UNLESS: append(p, parse_unless(p, pos)); break;
    case KEY_ASSERT: append(p, parse_assert(p, pos)); break;
    default:
        if (check || parser_at_sign(p, SIGN_TILDE))
            append(p, parse_check(p, pos, false));
        else
            report_statement(p);
    }
    parser_count(p, &p->size->statements, pos);
}

/* Goes on after an error, at the next word that starts a statement. */
static void recover(struct cat_parser *p) {
    p->failed = false;
    p->depth = 0;
    while (p->token.kind != TOKEN_END && find_first_word(p) == KEY_COUNT)
        parser_advance(p);
}

static void say(struct cat_parser *p, enum cat_says says) {
    struct cat_stmt *s = parser_new_stmt(p, CAT_SAYS, p->token.pos);
    s->says = says;
    append(p, s);
}

/* Whether a word of a title is of C11: "C++11", or C before a name. */
static bool is_title_of_c11(const struct cat_token *t) {
    return strcasestr(t->text, "c11") || strcasestr(t->text, "c++11") || strcmp(t->text, "C") == 0;
}

/* Where all of a file is its title: the statement that its first word may be meant for. */
static const char *meant_statement(struct cat_parser *p, const char *word) {
    static const char *const words[] = {"acyclic", "irreflexive", "empty", "include", "let", "flag"};
    const char *near = word ? diag_nearest(word, words, sizeof words / sizeof *words) : NULL;
    return near ? arena_printf(p->arena, ": '%s' is its title; did you mean '%s'?", word, near) : "";
}

/* A file starts with its title (optional: one or two words or strings); then statements. */
static void parse_file(struct cat_parser *p) {
    size_t errors = p->diag->errors;
    parser_advance(p);
    const char *first = p->token.kind == TOKEN_NAME ? p->token.text : NULL;
    for (int k = 0; k < 2 && (p->token.kind == TOKEN_NAME || p->token.kind == TOKEN_STRING) && !is_foreign(p);
         k++) {
        if (is_title_of_c11(&p->token)) say(p, SAYS_C11);
        parser_advance(p);
    }
    if (p->token.kind == TOKEN_NAME && strcmp(p->token.text, "catdep") == 0) {
        say(p, SAYS_CATDEP);
        parser_advance(p);
    }
    if (p->token.kind == TOKEN_END && p->diag->errors == errors)
        diag_error(p->diag, p->lexer.source, (struct pos){1, 1, 1}, "there is no statement in this file%s",
                   meant_statement(p, first));
    while (p->token.kind != TOKEN_END && !parser_is_too_large(p)) {
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
    parser_advance(&p);
    const struct cat_expr *e = parser_expr(&p);
    if (d.errors || p.token.kind != TOKEN_END) abort();
    diag_free(&d);
    return e;
}
