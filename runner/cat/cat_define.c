/* Definitions of .cat files: names, functions and orders. */
#include <string.h>

#include "cat/cat_parser.h"

struct cat_param *parser_params(struct cat_parser *p) {
    struct cat_param *first = NULL, **end = &first;
    bool list = parser_accept_sign(p, SIGN_LPAREN);
    if (list && parser_accept_sign(p, SIGN_RPAREN)) return NULL;
    do {
        *end = arena_alloc(p->arena, sizeof **end);
        (*end)->name = parser_accept_sign(p, SIGN_ALL) ? "_" : parser_want_name(p, "a parameter's name");
        end = &(*end)->next;
    } while (list && parser_accept_sign(p, SIGN_COMMA));
    if (list) parser_want_sign(p, SIGN_RPAREN, "',' or ')'");
    return first;
}

/* (a, b) = e: each name is defined by something that is not read. */
static struct cat_binding *parse_tuple(struct cat_parser *p) {
    struct cat_binding *first = NULL, **end = &first;
    struct cat_expr *tuple = parser_new_expr(p, CAT_UNREAD, p->token.pos, NULL, NULL);
    tuple->name = "a tuple";
    for (const struct cat_param *name = parser_params(p); name; name = name->next) {
        *end = arena_alloc(p->arena, sizeof **end);
        **end = (struct cat_binding){.name = name->name, .pos = tuple->pos, .expr = tuple, .unread = tuple};
        end = &(*end)->next;
    }
    parser_want_sign(p, SIGN_EQ, "'='");
    parser_expr(p);
    if (!p->unread) p->unread = tuple;
    return first;
}

static struct cat_binding *parse_binding(struct cat_parser *p, bool rec) {
    if (!p->failed && parser_at_sign(p, SIGN_LPAREN)) return parse_tuple(p);
    struct cat_binding *b = arena_alloc(p->arena, sizeof *b);
    const struct cat_expr *outer = p->unread;
    b->pos = p->token.pos;
    b->name = parser_want_name(p, "a name");
    if (parser_at_sign(p, SIGN_LPAREN) || p->token.kind == TOKEN_NAME) {
        b->function = true;
        b->params = parser_params(p);
    }
    parser_want_sign(p, SIGN_EQ, b->function ? "'='" : "'=' or '('");
    p->unread = NULL;
    b->expr = parser_expr(p);
    b->unread = p->unread;
    if (rec && b->function && !b->unread) {
        struct cat_expr *self = parser_new_expr(p, CAT_UNREAD, b->pos, NULL, NULL);
        self->name = "a function that calls itself";
        b->unread = self;
    }
    p->unread = outer ? outer : b->unread;
    return b;
}

struct cat_stmt *parser_let(struct cat_parser *p, struct pos pos) {
    struct cat_stmt *s = parser_new_stmt(p, CAT_LET, pos);
    s->rec = parser_accept_keyword(p, KEY_REC);
    struct cat_binding **end = &s->bindings;
    do {
        *end = parse_binding(p, s->rec);
        while (*end)
            end = &(*end)->next;
    } while (parser_accept_keyword(p, KEY_AND));
    return s;
}

/* Whether an expression is an order as herd's cos.cat makes it: one that extends a relation on the events of
 * a set, among events of one location; or, if it is total, among all events of the set. */
static bool is_generated(struct cat_parser *p, const struct cat_expr *e, struct cat_expr **set,
                         struct cat_expr **base, bool *total) {
    bool call = e->kind == CAT_CALL, pair = call && e->a->next && !e->a->next->next;
    bool cos = call && strcmp(e->name, "generate_cos") == 0 && !e->a->next;
    bool orders = pair && strcmp(e->name, "generate_orders") == 0;
    *total = pair && strcmp(e->name, "linearisations") == 0;
    if (!cos && !orders && !*total) return false;
    *base = cos ? e->a : e->a->next;
    *set = cos ? (struct cat_expr *)cat_read_expr(p->arena, "W") : e->a;
    return true;
}

/* with name from generate_cos(base): writes it as an order(must, either), by functions of the library. */
static void desugar_order(struct cat_parser *p, struct cat_stmt *s) {
    const struct cat_token at = p->token;
    bool named = p->token.kind == TOKEN_NAME, call = named || parser_at_sign(p, SIGN_LPAREN);
    struct cat_expr *from = call ? parser_expr(p) : NULL, *set, *base;
    bool total, generated = from && is_generated(p, from, &set, &base, &total);
    if (!generated && !p->failed && from && from->kind == CAT_CALL) {
        s->expr = from; /* whether it can be read is seen where its names are looked up */
        return;
    }
    if (p->failed || !generated) {
        p->token = at;
        parser_expected(p, "'order(MUST, EITHER)'");
        return;
    }
    struct cat_expr *again = arena_alloc(p->arena, sizeof *again);
    *again = *set;
    again->next = NULL;
    s->expr = parser_new_expr(p, CAT_CALL, from->pos, set, NULL);
    s->expr->name = total ? "total-must" : "order-must";
    set->next = base;
    base->next = NULL;
    s->either = parser_new_expr(p, CAT_CALL, from->pos, again, NULL);
    s->either->name = total ? "total-either" : "order-either";
}

/* with name from order(must, either) [as name] */
struct cat_stmt *parser_with(struct cat_parser *p, struct pos pos) {
    struct cat_stmt *s = parser_new_stmt(p, CAT_WITH, pos);
    s->pos = p->token.pos;
    s->name = parser_want_name(p, "the order's name");
    if (!parser_accept_keyword(p, KEY_FROM)) parser_expected(p, "'from'");
    bool order = p->token.kind == TOKEN_NAME && strcmp(p->token.text, "order") == 0;
    if (order) {
        parser_advance(p);
        parser_want_sign(p, SIGN_LPAREN, "'('");
        s->expr = parser_expr(p);
        parser_want_sign(p, SIGN_COMMA, "','");
        s->either = parser_expr(p);
        parser_want_sign(p, SIGN_RPAREN, "')'");
    } else {
        desugar_order(p, s);
    }
    if (parser_accept_keyword(p, KEY_AS)) s->label = parser_want_name(p, "the axiom's name");
    return s;
}
