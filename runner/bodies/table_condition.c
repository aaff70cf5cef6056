/* A condition in herd's syntax, as the tokens that it has in C: /\ is &&, \/ is ||, = is ==, not and ~ are !, P0:r0 and
 * 0:r0 are P0.r0, and [x] is x. What ! is of, and =>, syntax/ knows. */
#include <string.h>

#include "bodies/bodies.h"

struct rewriting {
    struct parser *p;
    const struct token *first; /* of those that are rewritten */
    struct token *out;
    size_t n;
};

static void emit(struct rewriting *r, const struct token *like, int kind) {
    r->out = arena_more(r->p->arena, r->out, r->n, sizeof *r->out);
    r->out[r->n] = *like;
    r->out[r->n++].kind = kind;
}

static int sign_of(int kind) {
    switch (kind) {
    case TOK_LAND_TEX: return TOK_LAND;
    case TOK_LOR_TEX: return TOK_LOR;
    case '=': return TOK_EQ;
    case ':': return '.';
    case '~': return '!';
    default: return kind;
    }
}

const char *table_thread_name(struct arena *a, const struct test *t, const struct token *number) {
    const char *usual = arena_printf(a, "P%s", number->text), *other = NULL;
    for (int i = 0; i < t->nbodies; i++) {
        const char *name = t->bodies[i].name;
        if (strcmp(name, usual) == 0) return usual;
        if (strcmp(name + strcspn(name, "0123456789"), number->text) == 0) other = name;
    }
    return other ? other : usual;
}

/* Among values of 32 bits a number is signed, whatever it is in C. */
static void rewrite_number(struct rewriting *r, const struct token *t) {
    bool thread = t[1].kind == ':';
    emit(r, t, thread ? TOK_NAME : TOK_INT);
    struct token *o = &r->out[r->n - 1];
    if (thread) {
        o->text = table_thread_name(r->p->arena, r->p->test, t);
    } else if (test_is_int(r->p->test)) {
        o->type = type_int;
        o->value = value_from(type_int, parse_bits(r->p, t, false));
    }
}

/* Whether x[0] begins here, where x is no array: that is x. */
static bool is_whole(const struct rewriting *r, const struct token *t) {
    int loc = find_location(r->p->test, t->text);
    return loc >= 0 && !r->p->test->locs[loc].array && t[1].kind == '[' && t[2].kind == TOK_INT &&
           token_number(&t[2]) == 0 && t[3].kind == ']';
}

/* Rewrites a token, or several; the one behind. */
static const struct token *rewrite_token(struct rewriting *r, const struct token *t) {
    bool element = t->kind == '[' && t > r->first && t[-1].kind == TOK_NAME;
    bool arrow = t->kind == '=' && t[1].kind == '>', whole = t->kind == TOK_NAME && is_whole(r, t);
    if (t->kind == TOK_INT)
        rewrite_number(r, t);
    else if (token_is_word(t, "not"))
        emit(r, t, '!');
    else if (arrow)
        emit(r, t, TOK_IMPLIES);
    else if (element || (t->kind == ']' && t > r->first && t[-1].kind == TOK_INT))
        emit(r, t, t->kind);
    else if (t->kind != '[' && t->kind != ']' && !(t->kind == '%' && t > r->first && t[-1].kind == ':'))
        emit(r, t, sign_of(t->kind));
    return t + (whole ? 4 : arrow ? 2 : 1);
}

/* Rewrites a condition that begins here; its end. */
static const struct token *rewrite_all(struct rewriting *r, const struct token *t) {
    r->first = t;
    while (t->kind != TOK_END && !(t->kind == ';' && t[1].kind == TOK_END))
        t = rewrite_token(r, t);
    return t->kind == ';' ? t + 1 : t;
}

void table_rewrite_condition(struct parser *p, const struct token *filter, bool forall) {
    struct rewriting r = {.p = p};
    if (filter) {
        if (forall) emit(&r, filter, '!');
        emit(&r, filter, '(');
        emit(&r, rewrite_all(&r, filter), ')');
        emit(&r, p->syntax.tok, forall ? TOK_LOR : TOK_LAND);
        emit(&r, p->syntax.tok, '(');
    }
    const struct token *end = rewrite_all(&r, p->syntax.tok);
    if (filter) emit(&r, end, ')');
    emit(&r, end, TOK_END);
    p->syntax.tok = p->syntax.first = r.out;
    p->syntax.herd = true;
}
