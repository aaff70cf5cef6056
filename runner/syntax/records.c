/* Structs of plain data as trees: their members, and their functions. */
#include "syntax/syntax.h"

/* Behind alignas(16) or __align__(16). */
static const struct token *skip_alignment(const struct token *t) {
    bool aligns = token_is_word(t, "alignas") || token_is_word(t, "__align__");
    const struct token *behind = aligns && t[1].kind == '(' ? syntax_skip_pair(t + 1, '(', ')') : NULL;
    return behind ? behind : t;
}

bool syntax_at_record(const struct token *t) {
    if (!token_is_word(t, "struct")) return false;
    t = skip_alignment(t + 1);
    return t->kind == TOK_NAME && t[1].kind == '{';
}

/* ---- members ---- */

static const char beyond[] = "%s is not supported: a struct of a body has data, and functions that are none "
                             "of these; a kernel of `source:` may have any";

/* What of C++ a member has that no body has; NULL: nothing. */
static const char *find_beyond(const struct token *t, const struct token *name) {
    static const struct {
        const char *word, *what;
    } words[] = {{"virtual", "a virtual function"},
                 {"template", "a template"},
                 {"operator", "an operator of a struct"},
                 {"explicit", "a constructor"},
                 {"friend", "a friend"},
                 {"union", "a union"},
                 {"struct", "a struct within a struct"},
                 {"class", "a class"}};
    for (const struct token *k = t; k->kind == TOK_NAME || k->kind == '~'; k++) {
        if (k->kind == '~') return "a destructor";
        if (token_is_word(k, name->text) && k[1].kind == '(') return "a constructor";
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (token_is_word(k, words[i].word)) return words[i].what;
    }
    return NULL;
}

/* Behind the words before a function, whose '(' comes before any ';', '=' or '{'; NULL: there is none. */
static const struct token *find_result(const struct token *t) {
    static const char *const words[] = {"static",          "inline",       "constexpr",
                                        "__host__",        "__device__",   "__inline__",
                                        "__forceinline__", "__noinline__", NULL};
    const struct token *k = skip_alignment(t);
    while (k->kind == TOK_NAME || k->kind == '*' || k->kind == '&' || k->kind == ':')
        k++;
    if (k->kind != '(') return NULL;
    while (syntax_is_one_of(t, words))
        t++;
    return t;
}

/* public: says nothing to a test. */
static bool skip_access(struct syntax *s) {
    static const char *const words[] = {"public", "private", "protected", NULL};
    bool found = syntax_is_one_of(s->tok, words) && s->tok[1].kind == ':';
    if (found) s->tok += 2;
    return found;
}

static struct tree *read_member(struct syntax *s, const struct token *name) {
    const char *what = find_beyond(s->tok, name);
    const struct token *result = find_result(s->tok);
    if (what) syntax_fail(s, s->tok->pos, beyond, what);
    if (s->fault) return NULL;
    if (result) return syntax_function(s, result);
    if (syntax_at(s, "static") || syntax_at(s, "using") || syntax_at(s, "typedef") || syntax_at(s, "enum"))
        syntax_fail(s, s->tok->pos, "not supported yet within a struct: '%s'; it may stand before it",
                    s->tok->text);
    if (!s->fault && !syntax_type_begins(s, s->tok) && !syntax_at_declaration(s))
        syntax_fail(s, s->tok->pos, "expected a member, as in int a;");
    if (s->fault) return NULL;
    struct tree *n = syntax_declaration(s);
    syntax_expect(s, ';', "';'");
    return n;
}

/* ---- definitions ---- */

/* p, *q behind the braces, as a declaration. */
static struct tree *read_declared(struct syntax *s, const struct token *name) {
    struct tree *n = syntax_make(s, TREE_DECLARATION, s->tok, s->tok);
    struct tree_list l = {0};
    n->a = syntax_make(s, TREE_TYPE, name, name);
    n->a->end = name + 1;
    do
        syntax_add(&l, syntax_declarator(s));
    while (syntax_accept(s, ','));
    n->b = l.first;
    return syntax_end(s, n);
}

struct tree *syntax_record(struct syntax *s) {
    struct tree *n = syntax_make(s, TREE_RECORD, s->tok, s->tok);
    struct tree_list members = {0};
    const struct token *name = skip_alignment(s->tok + 1), *behind = syntax_skip_braces(name + 1);
    n->at = name;
    n->flags = name != s->tok + 1; /* it is aligned */
    s->nrecords++;
    syntax_add_type(s, name->text);
    s->tok = name + 2;
    while (!s->fault && s->tok->kind != '}' && s->tok->kind != TOK_END) {
        struct tree *member = skip_access(s) || syntax_accept(s, ';') ? NULL : read_member(s, name);
        if (member) syntax_add(&members, member);
    }
    n->b = members.first;
    if (s->fault) {
        n->a = syntax_make(s, TREE_BAD, name, name);
        n->a->fault = s->fault;
        s->fault = NULL;
        s->tok = behind;
    } else {
        syntax_expect(s, '}', "'}'");
    }
    if (!s->fault && s->tok->kind != ';') n->c = read_declared(s, name);
    return syntax_end(s, n);
}
