/* Expressions of .cat files. What herd has and models here have not (sets of sets, functions as values,
 * tuples) becomes CAT_UNREAD: it may stand in a file, and an error names it where it is used. */
#include "cat/cat_parser.h"

struct cat_expr *parser_new_expr(struct cat_parser *p, enum cat_expr_kind kind, struct pos pos,
                                 struct cat_expr *a, struct cat_expr *b) {
    struct cat_expr *e = arena_alloc(p->arena, sizeof *e);
    parser_count(p, &p->size->operators, pos);
    e->kind = kind;
    e->source = p->lexer.source;
    e->pos = pos;
    e->a = a;
    e->b = b;
    return e;
}

/* An expression that stands for something that is not read, which `what` names. */
static struct cat_expr *new_unread(struct cat_parser *p, struct pos pos, const char *what) {
    struct cat_expr *e = parser_new_expr(p, CAT_UNREAD, pos, NULL, NULL);
    e->name = what;
    if (!p->unread) p->unread = e;
    return e;
}

static struct cat_expr *parse_atom(struct cat_parser *p);

static bool at_argument(const struct cat_parser *p) {
    return !p->failed && (p->token.kind == TOKEN_NAME || parser_at_sign(p, SIGN_ZERO));
}

static void parse_arguments(struct cat_parser *p, struct cat_expr *e) {
    struct cat_expr **end = &e->a;
    do {
        *end = parser_expr(p);
        end = &(*end)->next;
    } while (parser_accept_sign(p, SIGN_COMMA));
    parser_want_sign(p, SIGN_RPAREN, "',' or ')'");
}

/* f(x, y), or f x; f x y is of a function that gives functions. */
static struct cat_expr *parse_name(struct cat_parser *p) {
    struct cat_expr *e = parser_new_expr(p, CAT_NAME, p->token.pos, NULL, NULL);
    e->name = p->token.text;
    parser_advance(p);
    if (parser_accept_sign(p, SIGN_LPAREN)) {
        e->kind = CAT_CALL;
        parse_arguments(p, e);
    } else if (at_argument(p)) {
        e->kind = CAT_CALL;
        e->a =
            parser_new_expr(p, p->token.kind == TOKEN_NAME ? CAT_NAME : CAT_EMPTY, p->token.pos, NULL, NULL);
        e->a->name = p->token.text;
        parser_advance(p);
    }
    if (e->kind == CAT_CALL && (at_argument(p) || parser_at_sign(p, SIGN_LPAREN))) {
        parse_atom(p);
        return new_unread(p, e->pos, "a function of functions");
    }
    return e;
}

/* Reads over a match to its end. */
static struct cat_expr *parse_match(struct cat_parser *p) {
    struct cat_expr *e = new_unread(p, p->token.pos, "'match'");
    int open = 0;
    do {
        open += parser_at_keyword(p, KEY_MATCH) - parser_at_keyword(p, KEY_END);
        parser_advance(p);
    } while (open > 0 && p->token.kind != TOKEN_END && p->token.kind != TOKEN_BAD);
    if (open > 0) parser_expected(p, "'end'");
    return e;
}

/* fun x -> e */
static struct cat_expr *parse_fun(struct cat_parser *p) {
    struct cat_expr *e = new_unread(p, p->token.pos, "'fun'");
    parser_advance(p);
    parser_params(p);
    parser_want_sign(p, SIGN_ARROW, "'->'");
    parser_expr(p);
    return e;
}

/* let x = e in e */
static struct cat_expr *parse_let_in(struct cat_parser *p) {
    struct pos pos = p->token.pos;
    parser_advance(p);
    struct cat_expr *e = parser_new_expr(p, CAT_LET_IN, pos, NULL, NULL);
    e->let = parser_let(p, pos);
    if (!parser_accept_keyword(p, KEY_IN)) parser_expected(p, "'in'");
    e->a = parser_expr(p);
    return e;
}

static struct cat_expr *parse_try(struct cat_parser *p) {
    struct pos pos = p->token.pos;
    parser_advance(p);
    struct cat_expr *a = parser_expr(p);
    if (!parser_accept_keyword(p, KEY_WITH)) parser_expected(p, "'with'");
    return parser_new_expr(p, CAT_TRY, pos, a, parser_expr(p));
}

/* if "variant" then a else b: no variant is on. */
static struct cat_expr *parse_if(struct cat_parser *p) {
    struct pos pos = p->token.pos;
    bool variant;
    parser_advance(p);
    bool on = parser_variant(p, &variant);
    const struct cat_expr *unread = p->unread;
    while (!variant && !p->failed && p->token.kind != TOKEN_END && !parser_at_keyword(p, KEY_THEN))
        parser_advance(p);
    if (!parser_accept_keyword(p, KEY_THEN)) parser_expected(p, "'then'");
    struct cat_expr *a = parser_expr(p);
    if (on) unread = p->unread;
    if (!parser_accept_keyword(p, KEY_ELSE)) parser_expected(p, "'else'");
    if (!on) p->unread = unread;
    struct cat_expr *b = parser_expr(p);
    if (on) p->unread = unread;
    return variant ? (on ? a : b) : new_unread(p, pos, "a condition on sets");
}

/* {}; with elements it is not read. */
static struct cat_expr *parse_braces(struct cat_parser *p, struct pos pos) {
    if (parser_accept_sign(p, SIGN_RBRACE)) return parser_new_expr(p, CAT_EMPTY, pos, NULL, NULL);
    do
        parser_expr(p);
    while (parser_accept_sign(p, SIGN_COMMA));
    parser_want_sign(p, SIGN_RBRACE, "'}'");
    return new_unread(p, pos, "a set of elements");
}

static struct cat_expr *parse_parentheses(struct cat_parser *p, struct pos pos) {
    struct cat_expr *e = parser_expr(p);
    bool tuple = false;
    while (parser_accept_sign(p, SIGN_COMMA)) {
        tuple = true;
        parser_expr(p);
    }
    parser_want_sign(p, SIGN_RPAREN, "')'");
    return tuple ? new_unread(p, pos, "a tuple") : e;
}

static struct cat_expr *parse_atom(struct cat_parser *p) {
    struct pos pos = p->token.pos;
    if (p->token.kind == TOKEN_NAME) return parse_name(p);
    if (parser_at_keyword(p, KEY_LET)) return parse_let_in(p);
    if (parser_at_keyword(p, KEY_TRY)) return parse_try(p);
    if (parser_at_keyword(p, KEY_IF)) return parse_if(p);
    if (parser_at_keyword(p, KEY_MATCH)) return parse_match(p);
    if (parser_at_keyword(p, KEY_FUN)) return parse_fun(p);
    if (parser_accept_sign(p, SIGN_ZERO)) return parser_new_expr(p, CAT_EMPTY, pos, NULL, NULL);
    if (parser_accept_sign(p, SIGN_ALL)) return parser_new_expr(p, CAT_ALL, pos, NULL, NULL);
    if (parser_accept_sign(p, SIGN_LBRACE)) return parse_braces(p, pos);
    if (parser_accept_sign(p, SIGN_LPAREN)) return parse_parentheses(p, pos);
    if (parser_accept_sign(p, SIGN_LBRACKET)) {
        struct cat_expr *e = parser_new_expr(p, CAT_DIAG, pos, parser_expr(p), NULL);
        parser_want_sign(p, SIGN_RBRACKET, "']'");
        return e;
    }
    parser_expected(p, "an expression");
    return parser_new_expr(p, CAT_EMPTY, pos, NULL, NULL);
}

static bool starts_expr(const struct cat_token *t) {
    if (t->kind == TOKEN_NAME) return true;
    return t->kind == TOKEN_SIGN &&
           (t->sign == SIGN_ZERO || t->sign == SIGN_ALL || t->sign == SIGN_LPAREN ||
            t->sign == SIGN_LBRACKET || t->sign == SIGN_TILDE || t->sign == SIGN_LBRACE);
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
        case SIGN_ADD: /* + twice, unless an operand follows */
            if (!star_is_postfix(p)) return e;
            e = parser_new_expr(p, CAT_PLUS, pos, e, NULL);
            kind = CAT_PLUS;
            break;
        case SIGN_INVERSE: kind = CAT_INVERSE; break;
        case SIGN_STAR:
            if (!star_is_postfix(p)) return e;
            kind = CAT_STAR;
            break;
        default: return e;
        }
        parser_advance(p);
        e = parser_new_expr(p, kind, pos, e, NULL);
    }
    return e;
}

static struct cat_expr *parse_prefix(struct cat_parser *p) {
    struct pos pos = p->token.pos;
    if (!parser_accept_sign(p, SIGN_TILDE)) return parse_postfix(p);
    if (++p->depth > DEEPEST_NESTING) {
        if (!p->failed) diag_error(p->diag, p->lexer.source, pos, "expression nested too deeply");
        p->failed = true;
        return parser_new_expr(p, CAT_EMPTY, pos, NULL, NULL);
    }
    struct cat_expr *e = parser_new_expr(p, CAT_COMPL, pos, parse_prefix(p), NULL);
    p->depth--;
    return e;
}

/* Binary operators from loose to tight, all grouping from the left (only for \ does it matter). */
static const struct {
    enum sign sign;
    enum cat_expr_kind kind;
} binary[] = {
    {SIGN_BAR, CAT_UNION},      {SIGN_ADD, CAT_UNREAD}, {SIGN_SEMI, CAT_SEQ},
    {SIGN_BACKSLASH, CAT_DIFF}, {SIGN_AMP, CAT_INTER},  {SIGN_STAR, CAT_PRODUCT},
};
enum { NBINARY = sizeof binary / sizeof *binary };

static struct cat_expr *parse_binary(struct cat_parser *p, size_t level) {
    if (level == NBINARY) return parse_prefix(p);
    struct cat_expr *e = parse_binary(p, level + 1);
    for (;;) {
        struct pos pos = p->token.pos;
        if (parser_is_too_large(p) || !parser_accept_sign(p, binary[level].sign)) return e;
        struct cat_expr *right = parse_binary(p, level + 1);
        e = binary[level].kind == CAT_UNREAD ? new_unread(p, pos, "'++'")
                                             : parser_new_expr(p, binary[level].kind, pos, e, right);
    }
}

struct cat_expr *parser_expr(struct cat_parser *p) {
    struct pos pos = p->token.pos;
    if (p->depth >= DEEPEST_NESTING) {
        if (!p->failed) diag_error(p->diag, p->lexer.source, pos, "expression nested too deeply");
        p->failed = true;
        return parser_new_expr(p, CAT_EMPTY, pos, NULL, NULL);
    }
    p->depth++;
    struct cat_expr *e = parse_binary(p, 0);
    p->depth--;
    return e;
}
