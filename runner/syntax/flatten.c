/* Statements whose structs become their members.
 *
 *   records.c        reads the definition of a struct
 *   objects.c        its members, and what is named of it
 *   flatten_value.c  values and calls
 *   flatten_copy.c   declarations, assignments and results
 *   flatten_head.c   functions, and the structs themselves
 *   flatten_made.c   structs that a value makes, and the sizes of all
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

/* A statement with a scope of its own, which may become several. */
struct tree *flatten_branch(struct flattening *f, struct tree *n) {
    int around = f->nbound;
    if (!n) return NULL;
    struct tree *list = flatten_list(f, n);
    f->nbound = around;
    if (list && !list->next) return list;
    struct tree *whole = syntax_make(f->s, TREE_SEQUENCE, n->first, n->at);
    whole->end = n->end;
    whole->a = list;
    return whole;
}

/* ---- control flow ---- */

/* A condition, which may declare something. */
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

/* The steps of a 'for' are one statement. */
static void join_effects(struct flattening *f, struct tree *n) {
    for (struct tree *k = n, *last = n ? n->a : NULL; k && k->next; k->next = k->next->next) {
        if (k->kind != TREE_RUN || k->next->kind != TREE_RUN) {
            flatten_fail(f, n->first, "not supported yet: such a struct among the steps of a 'for'");
            return;
        }
        last = last->next = k->next->a;
    }
}

/* for (c; a; d) b: what c declares may be several names. */
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
        if (record_of_type(f, n->a))
            record_name(f, n->at, record_of_type(f, n->a));
        else
            syntax_add(out, n);
        return;
    case TREE_DECLARATION: flatten_declaration(f, n, out); return;
    case TREE_RUN: flatten_run(f, n, out); return;
    case TREE_RETURN: flatten_return(f, n, out); return;
    case TREE_FOR: flatten_for(f, n, out); return;
    case TREE_FUNCTION:
        if (routine_is(n))
            flatten_function(f, n, routine_add(f, NULL, n), NULL, out);
        else
            syntax_add(out, n);
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

/* What is wrong takes the place of the statement. */
static void flatten_statement(struct flattening *f, struct tree *n, struct tree_list *out) {
    const struct fault *behind = n->fault;
    struct tree_list made = {0};
    int around = f->nbound;
    f->fault = NULL;
    f->refused = false;
    if (n->kind == TREE_BAD) {
        syntax_add(out, n);
        return;
    }
    flatten_parts(f, n, &made);
    if (has_scope(n->kind)) f->nbound = around;
    if (f->fault) {
        struct tree *bad = syntax_make(f->s, TREE_BAD, n->first, n->at);
        bad->fault = f->fault;
        bad->end = n->end;
        made = (struct tree_list){0};
        syntax_add(&made, bad);
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

/* P *s, which leads to the location of that name. */
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

/* The parameters of a kernel are places and numbers. */
static void flatten_head(struct flattening *f, struct tree *head) {
    for (struct tree **k = &head->c; *k;) {
        const struct token *name = (*k)->b ? (*k)->b->at : NULL;
        if (record_of_type(f, (*k)->a) && name && (*k)->b->flags & DECLARES_POINTER) {
            take_pointer(f, *k);
            if (f->fault) head->fault = head->fault ? head->fault : f->fault;
            *k = (*k)->next;
            continue;
        }
        if (record_of_type(f, (*k)->a) && name) {
            flatten_fail(f, (*k)->first,
                         "not supported yet: a struct among the parameters of a kernel: a location for each "
                         "member, or __shared__ %s s; in the kernel",
                         (*k)->a->at->text);
            head->fault = head->fault ? head->fault : f->fault;
            *k = (*k)->next;
            continue;
        }
        if (name && name->kind == TOK_NAME)
            flatten_bind(f,
                         (struct bound){.name = name->text, .settled = !((*k)->b->flags & DECLARES_POINTER)});
        k = &(*k)->next;
    }
}

void syntax_flatten(struct syntax *s, struct tree *body) {
    struct flattening f = {.s = s, .globals = INT_MAX};
    if (s->nrecords == 0 && !s->located) return;
    if (s->located) located_begin(&f);
    body->a = flatten_list(&f, body->a);
    f.globals = f.nbound;
    if (body->b) flatten_head(&f, body->b);
    body->c = flatten_list(&f, body->c);
}
