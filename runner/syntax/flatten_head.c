/* Flattens functions with structs as parameters or results, member functions among them; and definitions of
 * structs. */
#include "syntax/flatten.h"

/* ---- functions ---- */

/* Adds the leaves of a struct as parameters. */
static void add_parameters(struct flattening *f, const struct record_text *r, const char *name,
                           unsigned flags, bool refers, const struct token *like, struct tree_list *out) {
    const struct leaf_list *leaves = record_leaves(f, r);
    for (int k = 0; k < leaves->n; k++) {
        const struct leaf *leaf = &leaves->list[k];
        if (leaf->nsizes)
            flatten_fail(f, like, "not supported yet: a function of a struct with an array, '%s'",
                         leaf->name);
        struct tree *n = flatten_declare_leaf(f, leaf, name, flags, NULL, like);
        if (refers && !(n->b->flags & DECLARES_POINTER)) n->b->flags |= DECLARES_REFERENCE;
        syntax_add(out, n);
    }
}

/* Adds a parameter: a struct becomes its leaves, and its name is bound. */
static void take_parameter(struct flattening *f, struct tree *n, struct tree_list *out) {
    const struct record_text *r = n->fault ? NULL : record_of_type(f, n->a);
    struct tree *name = n->b;
    if (n->fault || name->at->kind != TOK_NAME) {
        syntax_add(out, n);
        return;
    }
    struct bound b = {.name = name->at->text, .is_object = r};
    bool refers = name->flags & (DECLARES_POINTER | DECLARES_REFERENCE);
    b.points = r && name->flags & DECLARES_POINTER;
    b.settled = !r && !refers;
    b.object = (struct object){.record = r, .name = b.name, .in_memory = refers, .perhaps = true};
    b.object.constant = r && n->a->flags & TYPE_CONST;
    b.object.is_volatile = r && refers && n->a->flags & TYPE_VOLATILE;
    flatten_bind(f, b);
    if (r && (name->b || name->c))
        flatten_fail(f, name->at, "not supported yet: such a parameter that is a struct");
    if (r)
        add_parameters(f, r, b.name, n->a->flags & TYPE_CONST, refers, name->at, out);
    else
        syntax_add(out, n);
}

struct routine *routine_add(struct flattening *f, const struct record_text *of, const struct tree *n) {
    struct routine *r = arena_alloc(f->s->arena, sizeof *r);
    const char *name = n->at->text;
    *r = (struct routine){.name = of ? arena_printf(f->s->arena, "%s.%s", of->name, name) : name};
    r->parameters = n->c;
    r->of = n->flags & FUNCTION_STATIC ? NULL : of;
    r->is_const = n->flags & FUNCTION_CONST;
    r->result = n->flags & FUNCTION_PLAIN ? record_of_type(f, n->a) : NULL;
    r->next = f->routines;
    return f->routines = r;
}

bool routine_is(const struct tree *n) {
    return n->kind == TREE_FUNCTION && n->flags & FUNCTION_NAMED && n->b;
}

void flatten_function(struct flattening *f, struct tree *n, const struct routine *r,
                      const struct record_text *self, struct tree_list *out) {
    const struct flatten_scope around = f->in;
    const struct token *like = n->at;
    struct tree_list parameters = {0};
    f->in.floor = around.nbound;
    if (r->result) add_parameters(f, r->result, "return", 0, true, like, &parameters);
    if (r->of) add_parameters(f, r->of, "this", r->is_const ? TYPE_CONST : 0, true, like, &parameters);
    for (const struct tree *k = n->c; k; k = k->next)
        take_parameter(f, flatten_copy(f, k), &parameters);
    f->in.self = r->of ? self : NULL;
    f->in.self_is_const = r->is_const;
    f->in.result = r->result;
    if (!f->fault && !f->refused) {
        n->c = parameters.first;
        n->at = flatten_word(f, TREE_NAME, r->name, like)->at;
        if (r->result) n->a = flatten_word(f, TREE_TYPE, "void", n->a->at);
        n->b = flatten_branch(f, n->b);
        syntax_add(out, n);
    }
    f->in = around;
}

/* ---- structs ---- */

/* Reports what is not supported of a member. Its default value is flattened. */
static void check_member(struct flattening *f, const struct record_text *r, struct tree *n) {
    const struct record_text *inner = record_of_type(f, n->a);
    if (n->at->kind != TOK_NAME) return;
    if (inner == r || (inner && n->flags & (DECLARES_POINTER | DECLARES_REFERENCE | DECLARES_WHOLE)))
        flatten_fail(f, n->at, "not supported yet: a member that leads to a struct");
    else if (n->flags & (DECLARES_REFERENCE | DECLARES_WHOLE))
        flatten_fail(f, n->at, "not supported yet: a member that is a reference; a pointer may be one");
    else if (n->flags & DECLARES_POINTER && n->c)
        flatten_fail(f, n->at, "not supported yet: an array of pointers");
    else if (record_member(r, n->at->text) != n)
        flatten_fail(f, n->at, "'%s' is declared twice", n->at->text);
    else if (n->b && (inner || n->c))
        flatten_fail(f, n->at, "not supported yet: a value of such a member: give it where a '%s' is",
                     r->name);
    else if (n->b)
        flatten_value(f, &n->b);
}

void record_check(struct flattening *f, const struct record_text *r) {
    for (struct tree *n = r->tree->b; n && !f->fault; n = n->next)
        check_member(f, r, n);
    if (!f->fault && record_leaves(f, r)->n == 0)
        flatten_fail(f, r->tree->at, "a struct has a member at least");
}

void flatten_record(struct flattening *f, struct tree *n, struct tree_list *out) {
    for (struct tree *k = n->d ? flatten_list(f, n->d) : NULL, *next; k; k = next) {
        next = k->next;
        k->next = NULL;
        if (k->kind == TREE_BAD && !f->fault) f->fault = k->fault;
        syntax_add(out, k);
    }
    struct record_text *r = located_define(f, n);
    if (!r && record_find(f, n->at->text)) flatten_fail(f, n->at, "'%s' is defined already", n->at->text);
    if (!r) r = record_add(f->s->arena, &f->records, n->at->text, n);
    if (n->c && n->c->kind == TREE_NAME) {
        record_add(f->s->arena, &f->records, n->c->at->text, NULL)->same = r;
        n->c = NULL;
    }
    if (n->a && !f->fault) f->fault = n->a->fault;
    if (!f->fault) record_check(f, r);
    for (const struct tree *k = n->a; k && !f->fault; k = k->next)
        if (routine_is(k)) routine_add(f, r, k);
    for (const struct tree *k = n->a; k && !f->fault; k = k->next)
        if (routine_is(k))
            flatten_function(f, flatten_copy(f, k),
                             routine_find(f, arena_printf(f->s->arena, "%s.%s", r->name, k->at->text)), r,
                             out);
    r->bad = f->fault || f->refused;
    if (n->c && !f->fault) flatten_declaration(f, n->c, out);
}
