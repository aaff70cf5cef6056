/* A condition in herd's syntax, as the tokens that it has in C: /\ is &&, \/ is ||, = is ==, not and ~ are !, P0:r0 and
 * 0:r0 are P0.r0, [x] is x, and a => b is !(a) || (b). */
#include <string.h>

#include "bodies/bodies.h"

struct rewriting {
    struct parser *p;
    const struct token *first; /* of those that are rewritten */
    struct token *out;
    size_t n, cap;
};

static void emit(struct rewriting *r, const struct token *like, int kind) {
    if (r->n == r->cap) {
        size_t cap = r->cap ? 2 * r->cap : 32;
        r->out = arena_grow(r->p->arena, r->out, r->n, cap, sizeof *r->out);
        r->cap = cap;
    }
    r->out[r->n] = *like;
    r->out[r->n++].kind = kind;
}

static bool is_arrow(const struct token *t) {
    return t->kind == '=' && t[1].kind == '>';
}

static bool is_negation(const struct token *t) {
    return t->kind == '~' || t->kind == '!' || token_is_word(t, "not");
}

static int sign_of(int kind) {
    switch (kind) {
    case TOK_LAND_TEX: return TOK_LAND;
    case TOK_LOR_TEX: return TOK_LOR;
    case '=': return TOK_EQ;
    case ':': return '.';
    default: return kind;
    }
}

/* The first of some tokens, `to` if there is none, outside of parentheses. */
static const struct token *find_outside(const struct token *from, const struct token *to,
                                        bool (*is)(const struct token *t)) {
    int depth = 0;
    for (const struct token *t = from; t < to; t++) {
        if (depth == 0 && is(t)) return t;
        depth += (t->kind == '(') - (t->kind == ')');
        if (depth < 0) return t;
    }
    return to;
}

static bool is_close(const struct token *t) {
    return t->kind == ')';
}

static bool is_junction(const struct token *t) {
    return t->kind == TOK_LAND_TEX || t->kind == TOK_LOR_TEX || t->kind == TOK_LAND || t->kind == TOK_LOR ||
           t->kind == ')' || is_arrow(t);
}

static void rewrite(struct rewriting *r, const struct token *from, const struct token *to);

static void rewrite_in_parentheses(struct rewriting *r, const struct token *from, const struct token *to) {
    emit(r, from, '(');
    rewrite(r, from, to);
    emit(r, to, ')');
}

/* What is negated reaches to the next conjunction or disjunction. */
static const struct token *rewrite_negation(struct rewriting *r, const struct token *t,
                                            const struct token *to) {
    emit(r, t, '!');
    if (t[1].kind == '(') return t + 1;
    const struct token *end = find_outside(t + 1, to, is_junction);
    rewrite_in_parentheses(r, t + 1, end);
    return end;
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
static const struct token *rewrite_token(struct rewriting *r, const struct token *t, const struct token *to) {
    bool element = t->kind == '[' && t > r->first && t[-1].kind == TOK_NAME;
    if (is_negation(t)) return rewrite_negation(r, t, to);
    if (t->kind == '(') {
        const struct token *close = find_outside(t + 1, to, is_close);
        emit(r, t, '(');
        rewrite(r, t + 1, close);
        return close;
    }
    if (t->kind == TOK_NAME && is_whole(r, t)) {
        emit(r, t, TOK_NAME);
        return t + 4;
    }
    if (t->kind == TOK_INT)
        rewrite_number(r, t);
    else if (element || (t->kind == ']' && t > r->first && t[-1].kind == TOK_INT))
        emit(r, t, t->kind);
    else if (t->kind != '[' && t->kind != ']' && !(t->kind == '%' && t > r->first && t[-1].kind == ':'))
        emit(r, t, sign_of(t->kind));
    return t + 1;
}

static void rewrite(struct rewriting *r, const struct token *from, const struct token *to) {
    if (!parse_enter(r->p, from->pos)) return;
    const struct token *arrow = find_outside(from, to, is_arrow);
    if (is_arrow(arrow) && arrow < to) {
        emit(r, from, '!');
        rewrite_in_parentheses(r, from, arrow);
        emit(r, arrow, TOK_LOR);
        rewrite_in_parentheses(r, arrow + 2, to);
    } else {
        while (from < to)
            from = rewrite_token(r, from, to);
    }
    parse_leave(r->p);
}

/* Rewrites a condition that begins here; its end. */
static const struct token *rewrite_all(struct rewriting *r, const struct token *t) {
    const struct token *end = t;
    while (end->kind != TOK_END)
        end++;
    r->first = t;
    rewrite(r, t, end > t && end[-1].kind == ';' ? end - 1 : end);
    return end;
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
}
