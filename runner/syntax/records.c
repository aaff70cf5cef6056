/* Reads definitions of structs of plain data: their members and their functions. */
#include <string.h>

#include "litmus/name.h"
#include "syntax/syntax.h"

/* What stands before the braces of a struct: struct P {, class P {, struct { or typedef struct P {. */
struct record_head {
    bool names; /* it is a typedef: its name is behind the braces */
    bool aligned;
    const struct token *tag; /* the name before the braces; or NULL */
    const struct token *braces;
};

static bool find_head(const struct token *t, struct record_head *h) {
    h->names = token_is_word(t, "typedef");
    t += h->names;
    if (!token_is_word(t, "struct") && !token_is_word(t, "class")) return false;
    const struct token *behind = syntax_skip_alignment(t + 1);
    h->aligned = behind != t + 1;
    h->tag = behind->kind == TOK_NAME ? behind : NULL;
    h->braces = behind + (behind->kind == TOK_NAME);
    return h->braces->kind == '{';
}

bool syntax_at_record(const struct token *t) {
    struct record_head h;
    return find_head(t, &h);
}

/* ---- members ---- */

static const char beyond[] = "%s is not supported: a struct of a body has data, and functions that are none "
                             "of these; a kernel of `source:` may have any";

/* Returns a feature of C++ that this member has and that bodies do not support; NULL: none. */
static const char *find_beyond(const struct token *t, const struct token *name) {
    static const struct {
        const char *word, *what;
    } words[] = {{"virtual", "a virtual function"},
                 {"template", "a template"},
                 {"operator", "an operator of a struct"},
                 {"explicit", "a constructor"},
                 {"friend", "a friend"},
                 {"union", "a union"}};
    for (const struct token *k = t; k->kind == TOK_NAME || k->kind == '~'; k++) {
        if (k->kind == '~') return "a destructor";
        if (token_is_word(k, name->text) && k[1].kind == '(') return "a constructor";
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (token_is_word(k, words[i].word)) return words[i].what;
    }
    return NULL;
}

/* Skips the words before a member function, whose '(' comes before any ';', '=' or '{'; NULL: there is no
 * function. */
static const struct token *find_result(const struct token *t) {
    const struct token *k = syntax_skip_alignment(t);
    while (k->kind == TOK_NAME || k->kind == '*' || k->kind == '&' || k->kind == ':')
        k++;
    if (k->kind != '(') return NULL;
    while (syntax_is_one_of(t, syntax_specifiers))
        t++;
    return t;
}

/* Skips public: and the like, which mean nothing to a test. */
static bool skip_access(struct syntax *s) {
    static const char *const words[] = {"public", "private", "protected", NULL};
    bool found = syntax_is_one_of(s->tok, words) && s->tok[1].kind == ':';
    if (found) s->tok += 2;
    return found;
}

/* Whether a struct, a constant or a type is defined within the struct, and is no member. */
static bool at_within(const struct syntax *s) {
    const struct token *t = s->tok;
    bool constant = token_is_word(t + 1, "const") || token_is_word(t + 1, "constexpr");
    return syntax_at_record(t) || syntax_at_naming(t) || (token_is_word(t, "static") && constant);
}

/* Reads such a definition as if it stood before the struct. If it also declares a member, returns that, else
 * NULL. */
static struct tree *read_within(struct syntax *s, struct tree_list *within) {
    struct tree *n = syntax_at_record(s->tok) ? syntax_record(s) : syntax_naming(s), *member = NULL;
    bool named = n && n->kind != TREE_RECORD;
    if (!n) n = syntax_declaration(s);
    if (!named) syntax_expect(s, ';', "';'");
    if (n->kind == TREE_RECORD && n->c && n->c->kind == TREE_DECLARATION) {
        member = n->c;
        n->c = NULL;
    }
    syntax_add(within, n);
    return member;
}

static struct tree *read_member(struct syntax *s, const struct token *name, struct tree_list *within) {
    const struct token *result = find_result(s->tok);
    if (!result && at_within(s)) return read_within(s, within);
    const char *what = find_beyond(s->tok, name);
    if (what) syntax_fail(s, s->tok->pos, beyond, what);
    if (s->fault) return NULL;
    if (result) return syntax_function(s, result);
    if (syntax_at(s, "static"))
        syntax_fail(
            s, s->tok->pos,
            "not supported yet within a struct: 'static' of what is no constant; it may stand before it");
    const char *refusal = s->tok->kind == TOK_NAME ? name_refusal(s->tok->text) : NULL;
    if (refusal)
        syntax_fail(s, s->tok->pos, "'%s' is %s", s->tok->text, refusal);
    else if (!syntax_type_begins(s, s->tok) && !syntax_at_declaration(s))
        syntax_fail(s, s->tok->pos, "expected a member, as in int a;");
    if (s->fault) return NULL;
    struct tree *n = syntax_declaration(s);
    if (syntax_peek(s) == ':')
        syntax_fail(s, s->tok->pos, "a bit-field is not supported: a member has all bits of its type");
    syntax_expect(s, ';', "';'");
    return n;
}

/* ---- definitions ---- */

/* Reads "p, *q" behind the braces as a declaration. */
static struct tree *read_declared(struct syntax *s, const struct token *name) {
    struct tree *n = syntax_begin(s, TREE_DECLARATION);
    n->a = syntax_make(s, TREE_TYPE, name, name);
    n->a->end = name + 1;
    n->b = syntax_joined(s, syntax_declarator);
    return syntax_end(s, n);
}

/* Returns the name of a struct: that behind the braces of a typedef; if there is none, a name that no text
 * can use. */
static const struct token *find_name(struct syntax *s, const struct record_head *h) {
    const struct token *behind = syntax_skip_braces(h->braces);
    if (h->names && behind->kind == TOK_NAME) return behind;
    if (h->names) syntax_fail(s, behind->pos, "expected the name of the struct");
    if (h->tag) return h->tag;
    struct token *t = arena_array(s->arena, 2, sizeof *t);
    t[0] = t[1] = *h->braces;
    t[0].kind = TOK_NAME;
    t[0].text = arena_printf(s->arena, "struct$%d", s->nrecords + 1);
    t[1].kind = TOK_END;
    return t;
}

/* Reads what is declared behind the braces; for a typedef, the name before them. */
static struct tree *read_behind(struct syntax *s, const struct record_head *h, const struct token *name) {
    if (!h->names) return s->tok->kind != ';' ? read_declared(s, name) : NULL;
    syntax_accept(s, TOK_NAME);
    if (!h->tag || strcmp(h->tag->text, name->text) == 0) return NULL;
    struct tree *n = syntax_make(s, TREE_NAME, h->tag, h->tag);
    n->end = h->tag + 1;
    return n;
}

struct tree *syntax_record(struct syntax *s) {
    struct tree *n = syntax_begin(s, TREE_RECORD);
    struct tree_list members = {0}, functions = {0}, within = {0};
    struct record_head h;
    find_head(s->tok, &h);
    const struct token *name = find_name(s, &h);
    n->at = name;
    n->flags = h.aligned;
    s->nrecords++;
    syntax_add_type(s, name->text);
    if (h.tag) syntax_add_type(s, h.tag->text);
    s->tok = h.braces + 1;
    while (!s->fault && s->tok->kind != '}' && s->tok->kind != TOK_END) {
        struct tree *member = skip_access(s) || syntax_accept(s, ';') ? NULL : read_member(s, name, &within);
        if (member && member->kind == TREE_FUNCTION) syntax_add(&functions, member);
        for (struct tree *k = member && member->kind == TREE_DECLARATION ? member->b : NULL; k; k = k->next) {
            k->a = member->a;
            syntax_add(&members, k);
        }
    }
    n->a = functions.first;
    n->b = members.first;
    n->d = within.first;
    if (s->fault) {
        n->a = syntax_make(s, TREE_BAD, name, name);
        n->a->fault = s->fault;
        s->fault = NULL;
        s->tok = syntax_skip_braces(h.braces);
    } else {
        syntax_expect(s, '}', "'}'");
    }
    if (!s->fault) n->c = read_behind(s, &h, name);
    return syntax_end(s, n);
}
