/* Types and declarations as trees. Which type a name is, is asked later. */
#include "syntax/syntax.h"

/* ---- types ---- */

const struct token *syntax_skip_alignment(const struct token *t) {
    bool aligns = token_is_word(t, "alignas") || token_is_word(t, "__align__");
    const struct token *behind = aligns && t[1].kind == '(' ? syntax_skip_pair(t + 1, '(', ')') : NULL;
    return behind ? behind : t;
}

/* Skips an alignment that is a number. */
static const struct token *skip_alignment(const struct token *t) {
    const struct token *behind = syntax_skip_alignment(t);
    return behind == t + 4 && t[2].kind == TOK_INT ? behind : t;
}

/* Returns the flag of a word before or behind a type; 0: it is none. */
static unsigned find_flag(const struct token *t) {
    static const struct {
        const char *word;
        unsigned flag;
    } words[] = {{"const", TYPE_CONST},   {"volatile", TYPE_VOLATILE}, {"constexpr", TYPE_CONSTEXPR},
                 {"static", TYPE_STATIC}, {"extern", TYPE_EXTERN},     {"__shared__", TYPE_SHARED}};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (token_is_word(t, words[k].word)) return words[k].flag;
    return syntax_is_restrict(t) ? TYPE_RESTRICT : 0;
}

static void read_flags(struct syntax *s, struct tree *n) {
    for (unsigned flag; (flag = find_flag(s->tok = skip_alignment(s->tok))); s->tok++)
        n->flags |= flag;
}

/* Skips `struct` before the name of a struct. */
static const struct token *skip_struct(const struct syntax *s, const struct token *t) {
    bool known = s->nrecords > 0 && token_is_word(t, "struct") && syntax_type_begins(s, t + 1);
    return known ? t + 1 : t;
}

struct tree *syntax_type(struct syntax *s) {
    struct tree *n = syntax_begin(s, TREE_TYPE);
    n->fault = s->fault;
    if (s->fault) return n;
    read_flags(s, n);
    s->tok = skip_struct(s, s->tok);
    n->at = s->tok;
    bool known = syntax_type_begins(s, s->tok),
         words = s->tok->kind == TOK_NAME && type_is_word(s->tok->text);
    if (token_is_word(s->tok, "auto"))
        n->flags |= TYPE_AUTO;
    else if (s->tok->kind == TOK_NAME && (!known || syntax_has_part(s->tok + 1)))
        n->a = syntax_name(s);
    if (!n->a && s->tok->kind == TOK_NAME) s->tok++;
    while (words && s->tok->kind == TOK_NAME && type_is_word(s->tok->text))
        s->tok++;
    read_flags(s, n);
    n->fault = s->fault;
    return syntax_end(s, n);
}

/* ---- declared names ---- */

/* Reads .x = 1 or .x{1}. */
static struct tree *read_named(struct syntax *s) {
    struct tree *n = syntax_make(s, TREE_NAMED, s->tok, s->tok + 1);
    s->tok += 2;
    if (syntax_peek(s) != '{') syntax_expect(s, '=', "'='");
    n->a = syntax_peek(s) == '{' ? syntax_list(s, '}') : syntax_assigned(s);
    return syntax_end(s, n);
}

static struct tree *read_listed(struct syntax *s) {
    return s->tok->kind == '{' ? syntax_list(s, '}') : syntax_assigned(s);
}

static struct tree *read_in_braces(struct syntax *s) {
    if (s->tok->kind == '.' && s->tok[1].kind == TOK_NAME) return read_named(s);
    return read_listed(s);
}

struct tree *syntax_list(struct syntax *s, int close) {
    struct tree *n = syntax_begin(s, TREE_LIST);
    if (!syntax_enter(s)) return n;
    s->tok++;
    n->b = syntax_items(s, close == '}' ? read_in_braces : read_listed, close);
    syntax_expect(s, close, close == ')' ? "')'" : "'}'");
    syntax_leave(s);
    return syntax_end(s, n);
}

/* * const __restrict__ */
void syntax_stars(struct syntax *s, struct tree *n) {
    while (syntax_peek(s) == '*') {
        if (n->flags & DECLARES_POINTER)
            syntax_fail(s, s->tok->pos,
                        "a pointer to a pointer is not supported: a pointer is the address of a location");
        n->flags |= DECLARES_POINTER;
        if (s->fault) return;
        for (s->tok++; syntax_is_qualifier(s->tok); s->tok++) {
            if (token_is_word(s->tok, "const")) n->flags |= DECLARES_FIXED;
            if (syntax_is_restrict(s->tok)) n->flags |= DECLARES_RESTRICT;
        }
    }
}

/* (&name)[4] */
static bool at_whole(const struct token *t) {
    return t->kind == '(' && t[1].kind == '&' && t[2].kind == TOK_NAME && t[3].kind == ')' &&
           t[4].kind == '[';
}

/* (*name)( */
static bool at_function(const struct token *t) {
    return t->kind == '(' && t[1].kind == '*' && t[2].kind == TOK_NAME && t[3].kind == ')' &&
           t[4].kind == '(';
}

static void read_name(struct syntax *s, struct tree *n) {
    bool whole = at_whole(s->tok);
    if (whole) {
        n->flags |= DECLARES_WHOLE;
        s->tok += 2;
    } else if (at_function(s->tok)) {
        syntax_fail(s, s->tok->pos, "a pointer to a function is not supported: a call names its function");
    } else {
        syntax_stars(s, n);
        if (syntax_peek(s) == TOK_LAND) n->flags |= DECLARES_MOVED;
        if (syntax_accept(s, '&') || syntax_accept(s, TOK_LAND)) n->flags |= DECLARES_REFERENCE;
    }
    n->at = s->tok;
    if (!syntax_accept(s, TOK_NAME))
        syntax_fail(s, s->tok == s->first ? s->tok->pos : s->tok[-1].after, "expected the name of a %s%s",
                    n->flags & DECLARES_POINTER ? "pointer" : "register", syntax_hint(s->tok));
    s->tok += whole;
}

/* Reads [4] or []. */
static struct tree *read_size(struct syntax *s) {
    struct tree *n = syntax_begin(s, TREE_NONE);
    s->tok++;
    if (syntax_accept(s, ']')) return syntax_end(s, n);
    n = syntax_value(s);
    syntax_expect(s, ']', "']'");
    return n;
}

/* Reads = value, = {list}, {list} or (list). */
static struct tree *read_initial(struct syntax *s, struct tree *n) {
    if (syntax_accept(s, '=')) n->flags |= DECLARES_EQUAL;
    if (syntax_peek(s) == '{') return syntax_list(s, '}');
    if (n->flags & DECLARES_EQUAL) return syntax_assigned(s);
    return syntax_peek(s) == '(' ? syntax_list(s, ')') : NULL;
}

struct tree *syntax_declarator(struct syntax *s) {
    struct tree *n = syntax_begin(s, TREE_DECLARATOR);
    struct tree_list sizes = {0};
    n->fault = s->fault;
    if (s->fault) return n;
    read_name(s, n);
    while (syntax_peek(s) == '[')
        syntax_add(&sizes, read_size(s));
    n->c = sizes.first;
    n->b = read_initial(s, n);
    n->fault = s->fault;
    return syntax_end(s, n);
}

struct tree *syntax_declaration(struct syntax *s) {
    struct tree *n = syntax_begin(s, TREE_DECLARATION);
    n->a = syntax_type(s);
    n->b = syntax_joined(s, syntax_declarator);
    return syntax_end(s, n);
}

/* ---- where a declaration begins ---- */

/* Whether a declaration such as cuda::atomic_ref<int, cuda::thread_scope_device> f; or cg::thread_block &g
 * begins here. */
static bool at_declared(const struct token *t) {
    const struct token *name = t;
    while (syntax_has_part(t + 1)) {
        t += 3;
        const struct token *behind = t[1].kind == '<' ? syntax_skip_pair(t + 1, '<', '>') : NULL;
        if (behind) t = behind - 1;
    }
    if (t == name) return false;
    for (t++; token_is_word(t, "const") || t->kind == '&'; t++)
        continue;
    return t->kind == TOK_NAME;
}

bool syntax_at_declaration(const struct syntax *s) {
    const struct token *t = skip_alignment(s->tok);
    unsigned flags = 0;
    for (unsigned flag; (flag = find_flag(t)); t = skip_alignment(t + 1))
        flags |= flag;
    t = skip_struct(s, t);
    if (flags & TYPE_SHARED) return true;
    if (flags & TYPE_EXTERN || (flags & TYPE_STATIC && !(flags & (TYPE_CONST | TYPE_CONSTEXPR))))
        return false;
    bool of_record = s->nrecords > 0 && t->kind == TOK_NAME && syntax_has_part(t + 1); /* P::f(x) */
    return token_is_word(t, "auto") || (!of_record && syntax_type_begins(s, t)) ||
           (t->kind == TOK_NAME && at_declared(t));
}
