/* Structs of locations. They are found in the texts of bodies before the bodies are read, and are known to
 * all of them. */
#include "syntax/located.h"

#include <string.h>

#include "syntax/flatten.h"

/* ---- what a text defines ---- */

static void collect(struct flattening *f, const struct tree *n) {
    for (; n; n = n->next) {
        if (n->kind == TREE_ALIAS) record_alias(f, n);
        if (n->kind != TREE_RECORD) continue;
        collect(f, n->d);
        struct record_text *r = record_add(f->s->arena, &f->records, n->at->text, n);
        r->bad = n->a && n->a->fault;
        if (n->c && n->c->kind == TREE_NAME)
            record_add(f->s->arena, &f->records, n->c->at->text, NULL)->same = r;
    }
}

static struct record_text *find_own(struct record_text *list, const char *name) {
    while (list && strcmp(list->name, name) != 0)
        list = list->next;
    return list;
}

/* Finds a struct, and those of its members. */
static void add_record(struct flattening *f, struct located_structs *all, const struct record_text *r) {
    if (find_own(all->records, r->name)) return;
    record_add(f->s->arena, &all->records, r->name, r->tree)->bad = r->bad;
    for (const struct tree *n = r->tree->b; n; n = n->next) {
        const struct record_text *inner = record_of_type(f, n->a);
        if (inner) add_record(f, all, inner);
    }
}

const struct record_text *located_find(struct syntax *s, struct located_structs *all, const char *name) {
    struct flattening f = {.s = s};
    const struct tree *body = syntax_body(s);
    collect(&f, body->a);
    collect(&f, body->c);
    const struct record_text *r = record_find(&f, name);
    if (!r) return NULL;
    add_record(&f, all, r);
    return find_own(all->records, r->name);
}

/* ---- what it has ---- */

/* Reads the sizes of a member that is an array. */
static void find_sizes(struct flattening *f, const struct leaf *leaf, struct located_part *part) {
    for (int k = 0; k < leaf->nsizes; k++) {
        bool number = leaf->sizes[k]->kind == TREE_NUMBER;
        long long size = number ? token_number(leaf->sizes[k]->at) : 0;
        if (size < 1 || size > 65536)
            flatten_fail(f, leaf->declarator->at, "the size of '%s' is a number here, as in %s[4]",
                         leaf->name, leaf->name);
        part->sizes[part->nsizes++] = (int)size;
    }
}

static void find_part(struct flattening *f, const struct leaf *leaf, struct located_part *part) {
    *part = (struct located_part){.name = leaf->name, .type = type_int};
    if (leaf->declarator->flags & DECLARES_POINTER)
        flatten_fail(f, leaf->declarator->at, "not supported yet: a pointer in memory, '%s'", leaf->name);
    else if (!record_type(f, leaf->declarator->a, &part->type))
        flatten_fail(f, leaf->declarator->a->first, "not supported yet: the type of '%s' in memory",
                     leaf->name);
    find_sizes(f, leaf, part);
}

struct located_shape located_shape(struct syntax *s, const struct located_structs *all,
                                   const struct record_text *r) {
    struct flattening f = {.s = s, .records = all->records};
    struct located_shape shape = {.n = 0};
    record_check(&f, r);
    if (f.fault) return shape; /* the text is wrong */
    const struct leaf_list *leaves = record_leaves(&f, r);
    for (int k = 0; k < leaves->n; k++)
        find_part(&f, &leaves->list[k], &shape.parts[k]);
    shape.n = leaves->n;
    shape.vector = record_vector(&f, r);
    shape.fault = f.fault;
    return shape;
}

/* ---- in a text ---- */

void located_types(struct syntax *s) {
    for (const struct record_text *r = s->located ? s->located->records : NULL; r; r = r->next)
        syntax_add_type(s, r->name);
}

void located_begin(struct flattening *f) {
    const struct located_structs *all = f->s->located;
    for (const struct record_text *r = all->records; r; r = r->next) {
        struct record_text *own = record_add(f->s->arena, &f->records, r->name, r->tree);
        own->bad = r->bad;
        own->located = true;
    }
    for (const struct located *l = all->list; l; l = l->next) {
        struct object o = {.record = record_find(f, l->record->name), .name = l->name, .in_memory = true};
        o.dimensions = l->array;
        o.vector = l->vector;
        flatten_bind(f, (struct bound){.name = l->name, .is_object = true, .object = o});
    }
}

static bool same_leaf(struct flattening *f, const struct leaf *x, const struct leaf *y) {
    struct type t, u;
    bool types =
        record_type(f, x->declarator->a, &t) && record_type(f, y->declarator->a, &u) && type_same(t, u);
    if (!types || strcmp(x->name, y->name) != 0 || x->nsizes != y->nsizes) return false;
    for (int k = 0; k < x->nsizes; k++) {
        const struct tree *a = x->sizes[k], *b = y->sizes[k];
        bool number = a->kind == TREE_NUMBER; /* otherwise it was reported */
        if (number != (b->kind == TREE_NUMBER) || (number && token_number(a->at) != token_number(b->at)))
            return false;
    }
    return true;
}

/* Whether two structs have the same members and are accessed in the same way. */
static bool is_same(struct flattening *f, const struct record_text *x, const struct record_text *y) {
    const struct leaf_list *a = record_leaves(f, x), *b = record_leaves(f, y);
    if (a->n != b->n || !type_same(record_vector(f, x), record_vector(f, y))) return false;
    for (int k = 0; k < a->n; k++)
        if (!same_leaf(f, &a->list[k], &b->list[k])) return false;
    return true;
}

struct record_text *located_define(struct flattening *f, struct tree *n) {
    struct record_text *r = find_own(f->records, n->at->text), *none = NULL;
    if (!r || !r->located) return NULL;
    struct record_text *defined = record_add(f->s->arena, &none, n->at->text, n);
    if (!(n->a && n->a->fault) && !r->bad && !f->fault && !is_same(f, r, defined))
        flatten_fail(f, n->at,
                     "'%s' has other members than in another thread, and 'memory' has locations of it",
                     r->name);
    r->located = false;
    r->tree = n;
    r->leaves = defined->leaves;
    return r;
}
