/* Casts, and other values that begin with a type: (int)a, static_cast<int>(a), (int){1}, int4{1, 2}. */
#include "syntax/syntax.h"

/* Returns which cast has the type at t, which ends at a token `close`; TREE_BAD: it is no cast. */
static enum tree_kind find_cast(const struct syntax *s, const struct token *t, int close,
                                const struct token **end) {
    enum tree_kind kind = TREE_CAST;
    while (syntax_is_qualifier(t))
        t++;
    if (!syntax_type_begins(s, t)) return TREE_BAD;
    for (t++; t->kind == TOK_NAME && (syntax_is_qualifier(t) || type_is_word(t->text)); t++)
        continue;
    for (; t->kind == '*' || t->kind == '&' || syntax_is_qualifier(t); t++)
        if (t->kind != TOK_NAME) kind = t->kind == '*' ? TREE_POINTER : TREE_REFERENCE;
    *end = t + 1;
    return t->kind == close ? kind : TREE_BAD;
}

static bool at_compound(const struct syntax *s) {
    const struct token *behind = NULL;
    return !s->condition && find_cast(s, s->tok + 1, ')', &behind) == TREE_CAST && behind->kind == '{';
}

/* ---- casts ---- */

/* Reads int, int * or int &. */
static void read_cast_type(struct syntax *s, struct tree *n) {
    n->b = syntax_type(s);
    syntax_stars(s, n);
    syntax_accept(s, '&');
}

struct tree *syntax_cast(struct syntax *s) {
    const struct token *behind = NULL;
    enum tree_kind kind = find_cast(s, s->tok + 1, ')', &behind);
    bool fits = s->condition ? kind == TREE_CAST : kind != TREE_BAD;
    if (!fits || at_compound(s)) return NULL;
    struct tree *n = syntax_make(s, kind, s->tok, s->tok + 1);
    s->tok++;
    read_cast_type(s, n);
    s->tok = behind;
    n->a = syntax_unary(s);
    return syntax_end(s, n);
}

/* Reads static_cast<type>(a). */
static struct tree *read_named(struct syntax *s) {
    const struct token *behind = NULL;
    enum tree_kind kind = find_cast(s, s->tok + 2, '>', &behind);
    struct tree *n = syntax_make(s, kind == TREE_BAD ? TREE_CAST : kind, s->tok, s->tok + 2);
    if (kind == TREE_BAD) syntax_fail(s, s->tok[2].pos, "expected a type of a register");
    if (kind == TREE_REFERENCE && !token_is_word(s->tok, "reinterpret_cast"))
        syntax_fail(s, s->tok[2].pos, "expected a type of a register");
    s->tok += 2;
    if (!s->fault) read_cast_type(s, n);
    if (!s->fault) s->tok = behind;
    syntax_expect(s, '(', "'('");
    n->a = syntax_operator(s);
    syntax_expect(s, ')', "')'");
    return syntax_end(s, n);
}

/* Reads __builtin_bit_cast(type, a). */
static struct tree *read_bits(struct syntax *s) {
    struct tree *n = syntax_begin(s, TREE_BITS);
    s->tok += 2;
    n->b = syntax_type(s);
    syntax_expect(s, ',', "','");
    n->a = syntax_operator(s);
    syntax_expect(s, ')', "')'");
    return syntax_end(s, n);
}

struct tree *syntax_named_cast(struct syntax *s) {
    static const char *const words[] = {"static_cast", "reinterpret_cast", "const_cast", NULL};
    if (syntax_is_one_of(s->tok, words) && s->tok[1].kind == '<') return read_named(s);
    if (token_is_word(s->tok, "__builtin_bit_cast") && s->tok[1].kind == '(') return read_bits(s);
    return NULL;
}

/* ---- lists ---- */

struct tree *syntax_braces(struct syntax *s, struct tree *type) {
    struct tree *n = syntax_make(s, TREE_BRACES, type ? type->first : s->tok, s->tok);
    n->a = type;
    n->b = syntax_list(s, '}');
    return syntax_end(s, n);
}

struct tree *syntax_compound(struct syntax *s) {
    const struct token *first = s->tok;
    if (!at_compound(s)) return NULL;
    s->tok++;
    struct tree *type = syntax_type(s);
    s->tok += !s->fault; /* the ')' */
    struct tree *n = syntax_braces(s, type);
    n->first = first;
    return n;
}
