/* Structs that a value makes on its way, f(1).a and P{1, 2}.a; and how many bytes a struct has. */
#include "syntax/flatten.h"

/* ---- values with statements before them ---- */

struct tree *value_after(struct flattening *f, struct tree *statements, struct tree *value) {
    struct tree *n = syntax_make(f->s, TREE_AFTER, value->first, value->at);
    n->end = value->end;
    n->a = statements;
    n->b = value;
    return n;
}

static bool is_braces(struct flattening *f, const struct tree *n) {
    return n->kind == TREE_BRACES && n->a && record_of_type(f, n->a);
}

bool value_makes(struct flattening *f, const struct tree *n) {
    n = tree_inside(n);
    return is_braces(f, n) || result_find(f, n);
}

struct tree *value_make(struct flattening *f, const struct tree *n, struct object *o) {
    struct tree_list l = {0};
    struct tree *whole = arena_alloc(f->s->arena, sizeof *whole);
    *whole = *tree_inside(n);
    whole->next = NULL;
    object_make(f, is_braces(f, whole) ? record_of_type(f, whole->a) : result_find(f, whole)->result, whole,
                o, &l);
    return l.first;
}

/* ---- sizes ---- */

struct extent {
    long long bytes, align;
};

static long long align_up(long long bytes, long long align) {
    return (bytes + align - 1) / align * align;
}

/* The type of a member by its words. */
static bool find_type(struct flattening *f, const struct tree *n, struct type *out) {
    const char *name = "";
    for (const struct token *t = n->at; t < n->end && t->kind == TOK_NAME; t++)
        if (t == n->at || type_is_word(t->text))
            name = arena_printf(f->s->arena, "%s%s%s", name, *name ? " " : "", t->text);
    return !n->a && type_find(name, out);
}

static struct extent lay_out(struct flattening *f, const struct record_text *r);

static struct extent lay_out_member(struct flattening *f, const struct record_text *r,
                                    const struct tree *type, const struct tree *n) {
    const struct record_text *inner = record_of_type(f, type);
    struct extent of = {8, 8};
    struct type found = {0};
    bool points = n->flags & DECLARES_POINTER, known = points || inner || find_type(f, type, &found);
    if (inner)
        of = lay_out(f, inner);
    else if (!points && known)
        of.bytes = of.align = type_bytes(found);
    for (const struct tree *k = n->c; k; k = k->next) {
        known = known && k->kind == TREE_NUMBER;
        if (known) of.bytes *= token_number(k->at);
    }
    if (!known)
        flatten_fail(f, n->at,
                     "not supported yet: the size of '%s' with this member; write the number of bytes",
                     r->name);
    return of;
}

/* The number behind alignas; 1: there is none. */
static long long find_alignment(const struct record_text *r) {
    const struct tree *n = r->tree;
    if (!n->flags) return 1;
    const struct token *t = n->first;
    while (t->kind != '{' && t->kind != TOK_INT)
        t++;
    return t->kind == TOK_INT ? token_number(t) : 16;
}

static struct extent lay_out(struct flattening *f, const struct record_text *r) {
    struct extent whole = {0, find_alignment(r)};
    for (const struct tree *n = r->tree->b; n; n = n->next)
        for (const struct tree *k = n->kind == TREE_DECLARATION ? n->b : NULL; k && !f->fault; k = k->next) {
            struct extent member = lay_out_member(f, r, n->a, k);
            if (member.align > whole.align) whole.align = member.align;
            whole.bytes = align_up(whole.bytes, member.align) + member.bytes;
        }
    whole.bytes = align_up(whole.bytes, whole.align);
    return whole;
}

long long record_bytes(struct flattening *f, const struct record_text *r) {
    return lay_out(f, r).bytes;
}
