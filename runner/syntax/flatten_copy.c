/* Flattens what copies structs: declarations with values, assignments, and results. */
#include <string.h>

#include "syntax/flatten.h"

/* ---- what takes part ---- */

struct tree *flatten_declare(struct flattening *f, const struct tree *type, const char *name,
                             struct tree *value, const struct token *like) {
    struct tree *declarator = flatten_word(f, TREE_DECLARATOR, name, like);
    declarator->b = value;
    if (value) declarator->flags = DECLARES_EQUAL;
    return flatten_node(f, TREE_DECLARATION, declarator, flatten_copy(f, type), declarator);
}

struct tree *flatten_declare_leaf(struct flattening *f, const struct leaf *leaf, const char *of,
                                  unsigned flags, struct tree *value, const struct token *like) {
    const struct tree *declarator = leaf->declarator;
    const char *name = arena_printf(f->s->arena, "%s.%s", of, leaf->name);
    struct tree *n = flatten_declare(f, declarator->a, name, value, like);
    n->a->flags |= declarator->flags & DECLARES_POINTER ? flags & TYPE_SHARED : flags;
    n->b->flags |= declarator->flags & (DECLARES_POINTER | DECLARES_FIXED | DECLARES_RESTRICT);
    return n;
}

/* Returns the array sizes of a leaf: those of the structs around it, then its own. */
static struct tree *find_sizes(struct flattening *f, const struct tree *outer, const struct leaf *leaf) {
    struct tree_list l = {0};
    for (; outer; outer = outer->next)
        syntax_add(&l, flatten_copy(f, outer));
    for (int k = 0; k < leaf->nsizes; k++)
        syntax_add(&l, flatten_copy(f, leaf->sizes[k]));
    return l.first;
}

static struct tree *make_run(struct flattening *f, struct tree *effect) {
    return flatten_node(f, TREE_RUN, effect, effect, NULL);
}

/* Writes "to = value" for each leaf. */
static void assign_leaves(struct flattening *f, const struct object *to, struct tree **values,
                          const struct token *like, struct tree_list *out) {
    const struct leaf_list *leaves = record_leaves(f, to->record);
    if (to->vector.lanes && !f->fault) {
        syntax_add(out, make_run(f, vector_assign(f, to, values, like)));
        return;
    }
    for (int k = 0; k < leaves->n && !f->fault; k++) {
        const struct leaf *leaf = &leaves->list[k];
        if (leaf->nsizes)
            flatten_fail(f, like, "not supported yet: a copy of a struct with an array, '%s'", leaf->name);
        struct tree *target = object_leaf(f, to, leaf, like);
        syntax_add(out, make_run(f, flatten_operator(f, TREE_ASSIGN, '=', target, values[k])));
    }
}

/* ---- declarations ---- */

const struct routine *result_find(struct flattening *f, const struct tree *n) {
    const struct routine *r = n ? call_find(f, tree_inside(n)) : NULL;
    return r && r->result ? r : NULL;
}

/* Declares the leaves of an object, or of an array of objects with the sizes `outer`, with their values or
 * with `value`. */
static void declare(struct flattening *f, const struct object *o, unsigned flags, const struct tree *outer,
                    struct tree *value, struct tree **values, const struct token *like,
                    struct tree_list *out) {
    const struct leaf_list *leaves = record_leaves(f, o->record);
    const struct routine *call = result_find(f, value);
    if (call && call->result != o->record && !f->fault)
        flatten_fail(f, value->first, "expected a '%s'", o->record->name);
    else if (value && !call && !f->fault)
        value_leaves(f, o->record, value, values);
    if (call) flags &= ~(unsigned)(TYPE_CONST | TYPE_CONSTEXPR);
    for (int k = 0; k < leaves->n && !f->fault; k++) {
        struct tree *n = flatten_declare_leaf(f, &leaves->list[k], o->name, flags, values[k], like);
        n->b->c = find_sizes(f, outer, &leaves->list[k]);
        syntax_add(out, n);
    }
    if (!call || f->fault) return;
    call_flatten(f, value, call, o);
    syntax_add(out, make_run(f, value));
}

void object_make(struct flattening *f, const struct record_text *r, struct tree *value, struct object *o,
                 struct tree_list *out) {
    struct tree *values[RECORD_MAX_LEAVES] = {NULL};
    *o = (struct object){.record = r, .name = arena_printf(f->s->arena, "t$%s%d", r->name, ++f->made)};
    declare(f, o, 0, NULL, value, values, value->first, out);
}

/* Returns the struct that `auto` stands for before a value, or NULL. */
static const struct record_text *guess_record(struct flattening *f, const struct tree *value) {
    const struct record_text *made = value ? value_makes(f, value) : NULL;
    struct object o;
    if (made || !value) return made;
    return object_find(f, value, false, &o) || object_find(f, value, true, &o) ? o.record : NULL;
}

/* Keeps the index of another name as it is at the declaration, whatever happens to its registers later. */
static const struct tree *keep_index(struct flattening *f, const struct tree *index, struct tree_list *out) {
    const char *name = arena_printf(f->s->arena, "t$index.%d", ++f->made);
    if (index->kind == TREE_NUMBER) return index;
    struct tree *value = flatten_copy(f, index), *type = flatten_word(f, TREE_TYPE, "auto", index->first);
    type->flags = TYPE_AUTO | TYPE_CONST;
    flatten_value(f, &value);
    syntax_add(out, flatten_declare(f, type, name, value, index->first));
    flatten_bind(f, (struct bound){.name = name, .settled = true});
    return flatten_word(f, TREE_NAME, name, index->first);
}

/* Handles P &r = p and P *q = &p: another name of an object. */
static void declare_other(struct flattening *f, const struct tree *type, const struct record_text *r,
                          struct tree *n, struct tree_list *out) {
    struct bound b = {.name = n->at->text, .is_object = true, .points = n->flags & DECLARES_POINTER};
    bool found = n->b && object_find(f, n->b, b.points, &b.object);
    const char *of = strchr(r->name, '$') ? "struct" : r->name;
    if (!found || b.object.record != r || n->c || b.object.dimensions > 0)
        flatten_fail(f, n->at, "'%s' is another name of one '%s' throughout, as in %s %s = %sp", n->at->text,
                     of, of, b.points ? "*q" : "&r", b.points ? "&" : "");
    for (int k = 0; k < b.object.nindices && !f->fault; k++)
        b.object.indices[k] = keep_index(f, b.object.indices[k], out);
    b.object.constant = b.object.constant || type->flags & TYPE_CONST;
    b.object.is_volatile = b.object.is_volatile || (type->flags & TYPE_VOLATILE && b.object.in_memory);
    flatten_bind(f, b);
}

static void declare_object(struct flattening *f, const struct tree *type, const struct record_text *r,
                           struct tree *n, struct tree_list *out) {
    struct tree *values[RECORD_MAX_LEAVES] = {NULL};
    bool shared = type->flags & TYPE_SHARED;
    unsigned flags = type->flags & (TYPE_CONST | TYPE_CONSTEXPR | TYPE_STATIC | TYPE_SHARED | TYPE_EXTERN);
    struct object o = {.record = r, .name = n->at->text, .dimensions = record_dimensions(n)};
    o.in_memory = shared;
    o.constant = flags & (TYPE_CONST | TYPE_CONSTEXPR);
    if (n->c && n->b)
        flatten_fail(f, n->at, "not supported yet: values of an array of structs: assign its members");
    else if (shared && n->b)
        flatten_fail(f, n->at, "a __shared__ variable has no initial value");
    else if (!n->b)
        value_defaults(f, r, false, n->at, values);
    for (int k = 0; k < RECORD_MAX_LEAVES && (n->c || shared); k++)
        if (values[k])
            flatten_fail(f, n->at, "the members of '%s' have values, which such a declaration does not give",
                         r->name);
    declare(f, &o, flags, n->c, n->b, values, n->at, out);
    flatten_bind(f, (struct bound){.name = o.name, .is_object = true, .object = o});
}

/* Declares a name that is no struct. */
static void declare_plain(struct flattening *f, const struct tree *type, struct tree *n) {
    bool refers = n->flags & (DECLARES_POINTER | DECLARES_REFERENCE | DECLARES_WHOLE);
    if (n->b) flatten_value(f, &n->b);
    flatten_values(f, &n->c);
    flatten_bind(
        f, (struct bound){.name = n->at->text, .settled = !refers && !(type->flags & TYPE_SHARED) && !n->c});
}

static void declare_one(struct flattening *f, const struct tree *type, const struct record_text *r,
                        struct tree *n, struct tree_list *out) {
    const unsigned other = DECLARES_POINTER | DECLARES_REFERENCE | DECLARES_WHOLE;
    struct object o;
    if (!(n->flags & other) && type->flags & TYPE_AUTO && object_find(f, n->b, true, &o))
        n->flags |= DECLARES_POINTER;
    (n->flags & other ? declare_other : declare_object)(f, type, r, n, out);
}

void flatten_refuse(struct flattening *f, int from) {
    static const struct tree nothing = {.kind = TREE_RECORD};
    struct record_text *none = NULL, *bad = record_add(f->s->arena, &none, "", &nothing);
    bad->bad = true;
    for (int k = from; k < f->in.nbound; k++)
        f->bound[k] = (struct bound){.name = f->bound[k].name, .is_object = true, .object = {.record = bad}};
}

void flatten_declaration(struct flattening *f, struct tree *n, struct tree_list *out) {
    const struct record_text *r = record_of_type(f, n->a);
    int around = f->in.nbound;
    if (n->a->flags & TYPE_AUTO && n->b->at->kind == TOK_NAME) r = guess_record(f, n->b->b);
    if (!r) syntax_add(out, n);
    for (struct tree *k = n->b, *next; k; k = next) {
        next = k->next;
        if (k->at->kind != TOK_NAME) {
            if (r) flatten_fail(f, k->at, "expected the name of a '%s'", r->name);
        } else if (r && !f->fault) {
            k->next = NULL;
            declare_one(f, n->a, r, k, out);
        } else {
            declare_plain(f, n->a, k);
        }
    }
    if ((f->fault && r) || f->refused) flatten_refuse(f, around);
}

/* ---- assignments ---- */

static struct tree *make_sequence(struct flattening *f, struct tree *list, const struct tree *like) {
    return flatten_node(f, TREE_SEQUENCE, like, list, NULL);
}

/* Flattens p = q, p = {1, 2} and p = f(1). Values that may read p are computed before the copy. */
static void flatten_assignment(struct flattening *f, struct tree *n, const struct object *to,
                               struct tree_list *out) {
    struct tree *values[RECORD_MAX_LEAVES] = {NULL};
    const struct token *like = n->first;
    struct tree_list l = {0};
    struct object o, from;
    if (n->at->kind != '=') flatten_fail(f, n->at, "'%s' is for numbers: this is a struct", n->at->text);
    if (to->constant) flatten_fail(f, like, "'%s' is const: it cannot be assigned", to->name);
    object_check_copy(f, to, like);
    bool stores = to->in_memory && !to->perhaps;
    if (object_find(f, n->b, false, &o) &&
        !(stores && o.in_memory && !o.perhaps)) { /* otherwise all leaves are loaded first */
        value_leaves(f, to->record, n->b, values);
        assign_leaves(f, to, values, like, out);
        return;
    }
    object_make(f, to->record, n->b, &from, &l);
    object_leaves(f, &from, like, values);
    assign_leaves(f, to, values, like, &l);
    syntax_add(out, make_sequence(f, l.first, n));
}

static void flatten_effect(struct flattening *f, struct tree *n, struct tree_list *out) {
    const struct routine *r = result_find(f, n);
    struct tree_list dropped = {0};
    struct object o;
    if (n->kind == TREE_ASSIGN && object_find(f, n->a, false, &o)) {
        flatten_assignment(f, n, &o, out);
    } else if (r) { /* f(1); with a result that is ignored */
        object_make(f, r->result, n, &o, &dropped);
        syntax_add(out, make_sequence(f, dropped.first, n));
    } else {
        if (n->kind == TREE_ASSIGN && n->b->kind == TREE_LIST)
            flatten_fail(f, n->b->first, "expected a value, not '{'");
        flatten_value(f, &n);
        syntax_add(out, make_run(f, n));
    }
}

void flatten_run(struct flattening *f, struct tree *n, struct tree_list *out) {
    struct tree *next = n->a;
    if (!next) syntax_add(out, n); /* it is refused */
    while (next) {
        struct tree *effect = next;
        next = effect->next;
        effect->next = NULL;
        flatten_effect(f, effect, out);
    }
}

/* Flattens `return p;` in a function whose result is a struct. */
void flatten_return(struct flattening *f, struct tree *n, struct tree_list *out) {
    const struct routine *call = result_find(f, n->a);
    struct object to = {.record = f->in.result, .name = "return"};
    struct tree *values[RECORD_MAX_LEAVES] = {NULL};
    struct tree_list l = {0};
    if (n->a && n->a->kind == TREE_LIST && !f->in.result)
        flatten_fail(f, n->a->first, "expected a value, not '{'");
    if (!f->in.result || !n->a) {
        if (n->a) flatten_value(f, &n->a);
        syntax_add(out, n);
        return;
    }
    if (call && call->result == f->in.result) {
        call_flatten(f, n->a, call, &to);
        syntax_add(&l, make_run(f, n->a));
    } else {
        value_leaves(f, f->in.result, n->a, values);
        assign_leaves(f, &to, values, n->first, &l);
    }
    n->a = NULL;
    syntax_add(&l, n);
    syntax_add(out, make_sequence(f, l.first, n));
}
