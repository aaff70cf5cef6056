/* Statements whose structs become their members.
 *
 *   records.c        reads the definition of a struct
 *   objects.c        its members, and what is named of it
 *   flatten_value.c  values and calls
 *   flatten_copy.c   declarations, assignments and results
 *   flatten_head.c   functions, and the structs themselves
 *   flatten_size.c   how many bytes a struct has, and which are vectors
 *   located.c        structs of locations
 *   flatten.c        control flow
 *
 *   P p = {1, 2};   q = p;   void P::set(int v) { a = v; }
 *
 * become  int p.a = 1; int p.b = 2;   q.a = p.a; q.b = p.b;   void P.set(int &this.a, int &this.b, int v) { this.a = v; } */
#include <limits.h>

#include "syntax/flatten.h"

static void flatten_statement(struct flattening *f, struct tree *n, struct tree_list *out);

struct tree *flatten_list(struct flattening *f, struct tree *n) {
    struct tree_list out = {0};
    for (struct tree *next; n; n = next) {
        next = n->next;
        n->next = NULL;
        flatten_statement(f, n, &out);
    }
    return out.first;
}

/* Flattens a statement in a scope of its own. */
struct tree *flatten_branch(struct flattening *f, struct tree *n) {
    int around = f->in.nbound;
    if (!n) return NULL;
    struct tree *list = flatten_list(f, n);
    f->in.nbound = around;
    return list && !list->next ? list : flatten_node(f, TREE_SEQUENCE, n, list, NULL);
}

/* ---- control flow ---- */

/* Flattens a condition, which may be a declaration. */
static void flatten_condition(struct flattening *f, struct tree **n) {
    if (!*n) return;
    if ((*n)->kind != TREE_WITH) {
        flatten_value(f, n);
        return;
    }
    struct tree_list l = {0};
    const struct token *at = (*n)->first;
    flatten_declaration(f, (*n)->a, &l);
    if (!l.first || l.first->next) flatten_fail(f, at, "not supported yet: a struct that is declared here");
    (*n)->a = l.first;
    if ((*n)->b) flatten_value(f, &(*n)->b);
}

/* Joins the steps of a `for` into one statement. */
static void join_effects(struct flattening *f, struct tree *n) {
    for (struct tree *k = n, *last = n ? n->a : NULL; k && k->next; k->next = k->next->next) {
        if (k->kind != TREE_RUN || k->next->kind != TREE_RUN) {
            flatten_fail(f, n->first, "not supported yet: such a struct among the steps of a 'for'");
            return;
        }
        last = last->next = k->next->a;
    }
}

/* Flattens for (c; a; d) b. The declaration c may become several. */
static void flatten_for(struct flattening *f, struct tree *n, struct tree_list *out) {
    struct tree_list step = {0};
    if (n->c) n->c = flatten_list(f, n->c);
    if (n->a) flatten_value(f, &n->a);
    if (n->d && n->d->kind == TREE_RUN) {
        flatten_run(f, n->d, &step);
        join_effects(f, step.first);
        n->d = step.first;
    }
    if (f->fault || f->refused) return;
    n->b = flatten_branch(f, n->b);
    syntax_add(out, n);
}

static void flatten_switch(struct flattening *f, struct tree *n) {
    flatten_value(f, &n->a);
    for (struct tree *k = n->b; k && !f->fault; k = k->next)
        k->b = flatten_list(f, k->b);
}

static void flatten_parts(struct flattening *f, struct tree *n, struct tree_list *out) {
    switch (n->kind) {
    case TREE_RECORD: flatten_record(f, n, out); return;
    case TREE_ALIAS:
        if (!record_alias(f, n)) break;
        return;
    case TREE_DECLARATION: flatten_declaration(f, n, out); return;
    case TREE_RUN: flatten_run(f, n, out); return;
    case TREE_RETURN: flatten_return(f, n, out); return;
    case TREE_FOR: flatten_for(f, n, out); return;
    case TREE_FUNCTION:
        if (!routine_is(n)) break;
        flatten_function(f, n, routine_add(f, NULL, n), NULL, out);
        return;
    case TREE_AGAIN:
    case TREE_LEFT:
    case TREE_SEQUENCE: n->a = flatten_list(f, n->a); break;
    case TREE_IF:
    case TREE_WHILE:
    case TREE_DO:
        if (n->kind != TREE_DO) flatten_condition(f, &n->a);
        if (f->fault || f->refused) return;
        n->b = flatten_branch(f, n->b);
        if (n->kind == TREE_IF) n->c = flatten_branch(f, n->c);
        if (n->kind == TREE_DO) flatten_condition(f, &n->a);
        break;
    case TREE_SWITCH: flatten_switch(f, n); break;
    case TREE_ASSERTION: flatten_value(f, &n->a); break;
    case TREE_ASM:
        flatten_values(f, &n->b);
        flatten_values(f, &n->c);
        break;
    default: break;
    }
    syntax_add(out, n);
}

static bool has_scope(enum tree_kind kind) {
    return kind == TREE_SEQUENCE || kind == TREE_IF || kind == TREE_WHILE || kind == TREE_DO ||
           kind == TREE_FOR || kind == TREE_SWITCH;
}

/* Flattens one statement. If it is wrong, the error takes its place. */
static void flatten_statement(struct flattening *f, struct tree *n, struct tree_list *out) {
    const struct fault *behind = n->fault;
    struct tree_list made = {0};
    int around = f->in.nbound;
    f->fault = NULL;
    f->refused = false;
    if (n->kind == TREE_BAD) {
        syntax_add(out, n);
        return;
    }
    flatten_parts(f, n, &made);
    if (has_scope(n->kind)) f->in.nbound = around;
    if (f->fault) {
        made = (struct tree_list){0};
        syntax_add(&made, flatten_node(f, TREE_BAD, n, NULL, NULL));
        made.first->fault = f->fault;
    } else if (f->refused) {
        made = (struct tree_list){0};
    }
    f->fault = NULL;
    f->refused = false;
    for (struct tree *k = made.first, *next; k; k = next) {
        next = k->next;
        k->next = NULL;
        if (k->kind != TREE_BAD) k->fault = next ? NULL : behind;
        syntax_add(out, k);
    }
}

/* Handles a parameter P *s: it points to the location of that name. */
static void take_pointer(struct flattening *f, const struct tree *n) {
    const char *name = n->b->at->text;
    const struct bound *b = n->b->at->kind == TOK_NAME ? bound_find(f, name) : NULL;
    struct object o;
    bool reads = n->a->flags & TYPE_CONST;
    if (!b || !b->is_object || b->object.record != record_of_type(f, n->a)) {
        flatten_fail(f, n->b->at,
                     "a parameter is a pointer to the location of that name: 'memory' has no {type: %s} '%s'",
                     n->a->at->text, name ? name : "");
        return;
    }
    if (reads && (n->a->flags & TYPE_RESTRICT || n->b->flags & DECLARES_RESTRICT))
        flatten_fail(
            f, n->b->at,
            "not supported yet: a struct that is const and __restrict__: nvcc may read it by ld.global.nc");
    o = b->object;
    if (o.dimensions) object_first(f, &o, n->b->at);
    o.constant = reads;
    o.is_volatile = n->a->flags & TYPE_VOLATILE;
    flatten_bind(f, (struct bound){.name = name, .is_object = true, .points = true, .object = o});
}

/* Flattens the parameters of a kernel, which are places and numbers. */
static void flatten_head(struct flattening *f, struct tree *head) {
    for (struct tree **k = &head->c; *k;) {
        const struct tree *n = *k;
        const struct token *name = n->b ? n->b->at : NULL;
        bool points = name && n->b->flags & DECLARES_POINTER, is_record = name && record_of_type(f, n->a);
        if (is_record && points)
            take_pointer(f, n);
        else if (is_record)
            flatten_fail(f, n->first,
                         "not supported yet: a struct among the parameters of a kernel: a location for each "
                         "member, or __shared__ %s s; in the kernel",
                         n->a->at->text);
        else if (name && name->kind == TOK_NAME)
            flatten_bind(f, (struct bound){.name = name->text, .settled = !points});
        if (is_record && !head->fault) head->fault = f->fault;
        if (is_record && f->refused) {
            flatten_bind(f, (struct bound){.name = name->text});
            flatten_refuse(f, f->in.nbound - 1);
            f->refused = false;
        }
        if (is_record)
            *k = n->next;
        else
            k = &(*k)->next;
    }
}

void syntax_flatten(struct syntax *s, struct tree *body) {
    struct flattening f = {.s = s, .globals = INT_MAX};
    if (s->nrecords == 0 && !s->located) return;
    if (s->located) located_begin(&f);
    body->a = flatten_list(&f, body->a);
    f.globals = f.in.nbound;
    if (body->b) flatten_head(&f, body->b);
    body->c = flatten_list(&f, body->c);
}
