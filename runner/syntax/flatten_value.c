/* Values whose structs become their members: p.a, q->v[1], s.f(1). */
#include <string.h>

#include "syntax/flatten.h"

/* ---- the leaves of values ---- */

static struct tree *make_zero(struct flattening *f, const struct token *like) {
    const struct token *t = flatten_token(f, '{', "{", like);
    struct tree *n = syntax_make(f->s, TREE_LIST, t, t);
    n->end = t + 1;
    return n;
}

void value_defaults(struct flattening *f, const struct record_text *r, bool zero, const struct token *like,
                    struct tree **values) {
    struct leaf_list leaves;
    record_leaves(f, r, &leaves);
    for (int k = 0; k < leaves.n; k++) {
        const struct tree *n = leaves.list[k].declarator;
        bool points = n->flags & DECLARES_POINTER;
        if (n->b && leaves.list[k].nsizes)
            flatten_fail(f, like, "not supported yet: an array of structs whose members have values, '%s'",
                         leaves.list[k].name);
        values[k] = n->b ? n->b : zero && !points ? make_zero(f, like) : NULL;
        if (points && zero && !n->b)
            flatten_fail(f, like, "'%s' is a pointer, which is given its one place here, as in &X",
                         leaves.list[k].name);
    }
}

/* The next value of a list, if it is of this member: one with a name, .a = 1, may be of a later one. */
static struct tree *take_listed(struct tree **next, const struct tree *member) {
    struct tree *n = *next;
    bool named = n && n->kind == TREE_NAMED;
    if (!n || (named && strcmp(n->at->text, member->at->text) != 0)) return NULL;
    *next = n->next;
    return named ? n->a : n;
}

/* {1, {2, 3}}: the values of all leaves, of which a member that is a struct takes as many as it has. */
static void list_leaves(struct flattening *f, const struct record_text *r, struct tree *list,
                        struct tree **values) {
    struct tree *next = list, *value;
    for (const struct tree *n = r->tree->b; n; n = n->next)
        for (const struct tree *k = n->kind == TREE_DECLARATION ? n->b : NULL; k; k = k->next) {
            const struct record_text *inner = record_of_type(f, n->a);
            struct leaf_list leaves = {.n = 1};
            value = take_listed(&next, k);
            if (inner) record_leaves(f, inner, &leaves);
            if (inner && value && k->c)
                flatten_fail(f, value->first, "not supported yet: values of an array of structs");
            else if (inner && value)
                value_leaves(f, inner, value, values);
            else if (value) {
                value->next = NULL;
                flatten_value(f, &value);
                *values = value;
            }
            values += leaves.n;
        }
    if (next && next->kind == TREE_NAMED)
        flatten_fail(f, next->first, "'%s' has no member '%s' here: members by name stand in their order",
                     r->name, next->at->text);
    else if (next)
        flatten_fail(f, next->first, "'%s' has no more members", r->name);
}

/* f(1), as an argument. */
static void made_leaves(struct flattening *f, const struct record_text *r, const struct tree *n,
                        struct tree **values) {
    struct leaf_list leaves;
    struct object o;
    struct tree *made = value_make(f, n, &o);
    record_leaves(f, r, &leaves);
    if (o.record != r) flatten_fail(f, n->first, "expected a '%s', not a '%s'", r->name, o.record->name);
    for (int k = 0; k < leaves.n && o.record == r; k++) {
        if (leaves.list[k].declarator->flags & DECLARES_POINTER || leaves.list[k].nsizes)
            flatten_fail(f, n->first, "not supported yet: such a '%s' here: declare it before", r->name);
        values[k] = object_leaf(f, &o, &leaves.list[k], n->first);
    }
    if (o.record == r && !f->fault) values[0] = value_after(f, made, values[0]);
}

void value_leaves(struct flattening *f, const struct record_text *r, struct tree *n, struct tree **values) {
    struct object o;
    struct leaf_list leaves;
    const struct record_text *named = n->kind == TREE_BRACES && n->a ? record_of_type(f, n->a) : r;
    bool lists = n->kind == TREE_LIST && n->at->kind == '{', braces = n->kind == TREE_BRACES;
    record_leaves(f, r, &leaves);
    if (!lists && !braces && object_find(f, n, &o)) {
        object_check_copy(f, &o, n->first);
        if (o.record != r) flatten_fail(f, n->first, "expected a '%s', not a '%s'", r->name, o.record->name);
        bool whole = o.vector.lanes && o.record == r && !f->fault;
        if (whole) vector_leaves(f, &o, n->first, values);
        for (int k = 0; k < leaves.n && o.record == r && !whole; k++) {
            if (leaves.list[k].nsizes)
                flatten_fail(f, n->first, "not supported yet: a copy of a struct with an array, '%s'",
                             leaves.list[k].name);
            values[k] = object_leaf(f, &o, &leaves.list[k], n->first);
        }
    } else if (named != r) {
        flatten_fail(f, n->first, "expected a '%s'", r->name);
    } else if (lists || braces) {
        value_defaults(f, r, !(lists ? n->b : n->b->b), n->first, values);
        struct tree *list = lists ? n->b : n->b->b;
        struct leaf *leaf = leaves.list;
        list_leaves(f, r, list, values);
        for (int k = 0; k < leaves.n; k++, leaf++)
            if (!values[k] && !(leaf->declarator->flags & DECLARES_POINTER))
                values[k] = make_zero(f, n->first);
    } else if (result_find(f, n)) {
        made_leaves(f, r, n, values);
    } else {
        flatten_fail(
            f, n->first,
            "not supported yet: a struct by such a value; it is {1, 2}, another struct, or a call of a "
            "function");
    }
}

/* ---- calls ---- */

const struct routine *call_find(struct flattening *f, const struct tree *n) {
    const struct tree *callee = n->kind == TREE_CALL ? n->a : NULL;
    struct object o;
    const char *of = NULL;
    if (!callee || callee->at->kind != TOK_NAME) return NULL;
    bool member = callee->kind == TREE_MEMBER && object_find(f, callee->a, &o);
    bool arrow = callee->kind == TREE_ARROW && object_address(f, callee->a, &o);
    if (member || arrow)
        of = o.record->name;
    else if (callee->kind == TREE_NAME && callee->at == callee->first + 3 &&
             record_find(f, callee->first->text))
        of = callee->first->text;
    else if (tree_is_word(callee) && f->self)
        of = f->self->name;
    const char *name = callee->at->text, *whole = of ? arena_printf(f->s->arena, "%s.%s", of, name) : name;
    const struct routine *r = routine_find(f, whole);
    if (!r && (member || arrow)) flatten_fail(f, callee->at, "'%s' has no function '%s'", of, name);
    return r || !tree_is_word(callee) ? r : routine_find(f, name);
}

static void add_object(struct flattening *f, struct tree_list *l, const struct object *o,
                       const struct token *like) {
    struct leaf_list leaves;
    record_leaves(f, o->record, &leaves);
    object_check_index(f, o);
    for (int k = 0; k < leaves.n; k++)
        syntax_add(l, object_leaf(f, o, &leaves.list[k], like));
}

/* The struct whose function is called. */
static struct object called_object(struct flattening *f, const struct tree *n) {
    struct object o = {.record = f->self, .name = "this", .constant = f->self_is_const};
    const struct tree *callee = n->a;
    if (callee->kind == TREE_MEMBER)
        object_find(f, callee->a, &o);
    else if (callee->kind == TREE_ARROW)
        object_address(f, callee->a, &o);
    else if (!f->self)
        flatten_fail(f, n->first, "this function is one of a struct: write it behind one, as in s.f()");
    if (o.dimensions > 0)
        flatten_fail(f, n->first, "'%s' is an array of structs: write an index behind it", o.name);
    return o;
}

/* The same tree, to be put into another list. */
static struct tree *copy_alone(struct flattening *f, const struct tree *n) {
    struct tree *copy = arena_alloc(f->s->arena, sizeof *copy);
    *copy = *n;
    copy->next = NULL;
    return copy;
}

/* The value of a leaf, read where the call is: a reference to const would be one to a place. */
static struct tree *make_cast(struct flattening *f, const struct leaf *leaf, struct tree *value) {
    struct tree *n = syntax_make(f->s, TREE_CAST, value->first, value->first);
    n->a = copy_alone(f, value);
    n->b = copy_alone(f, leaf->type);
    n->end = value->end;
    return n;
}

/* What is given for a parameter that is a struct. */
static void add_argument(struct flattening *f, struct tree_list *l, const struct tree *parameter,
                         struct tree *given) {
    const struct record_text *r = record_of_type(f, parameter->a);
    struct tree *values[RECORD_MAX_LEAVES] = {NULL};
    struct leaf_list leaves;
    struct object o;
    bool points = parameter->b->flags & DECLARES_POINTER, refers = parameter->b->flags & DECLARES_REFERENCE;
    bool found = points ? object_address(f, given, &o) : object_find(f, given, &o);
    if (found && o.constant && !(parameter->a->flags & TYPE_CONST) && (points || refers))
        flatten_fail(f, given->first, "'%s' is const: it cannot be written", o.name);
    if (found && o.record == r && o.dimensions == 0 && (points || refers)) {
        add_object(f, l, &o, given->first);
        return;
    }
    if (points || (refers && !(parameter->a->flags & TYPE_CONST))) {
        flatten_fail(f, given->first, "expected a '%s'%s", r->name, points ? ", as in &p" : " by its name");
        return;
    }
    record_leaves(f, r, &leaves);
    value_leaves(f, r, given, values);
    for (int k = 0; k < leaves.n && !f->fault; k++) {
        struct tree *value = values[k];
        if (!value) flatten_fail(f, given->first, "'%s' has no value here", leaves.list[k].name);
        if (value && value->kind == TREE_LIST) { /* 0 */
            const struct token *t = flatten_token(f, TOK_NAME, "false", given->first);
            if (value->b) flatten_fail(f, value->first, "not supported yet: such values in a call");
            value = syntax_make(f->s, TREE_NAME, t, t);
            value->end = t + 1;
        }
        bool leads = leaves.list[k].declarator->flags & DECLARES_POINTER;
        if (value) syntax_add(l, leads ? copy_alone(f, value) : make_cast(f, &leaves.list[k], value));
    }
}

void call_flatten(struct flattening *f, struct tree *n, const struct routine *r,
                  const struct object *result) {
    struct tree_list l = {0};
    struct tree *next = n->b;
    const struct tree *parameter = r->parameters;
    if (result) add_object(f, &l, result, n->first);
    if (r->of) {
        struct object o = called_object(f, n);
        if (o.constant && !r->is_const)
            flatten_fail(f, n->first, "'%s' is const, and '%s' is not: it is so behind its ')'", o.name,
                         r->name);
        if (!f->fault) add_object(f, &l, &o, n->first);
    }
    while (next && !f->fault) {
        struct tree *given = next;
        next = given->next;
        given->next = NULL;
        if (!parameter) flatten_fail(f, given->first, "'%s' has no such parameter", r->name);
        if (parameter && record_of_type(f, parameter->a)) {
            add_argument(f, &l, parameter, given);
        } else {
            flatten_value(f, &given);
            syntax_add(&l, given);
        }
        parameter = parameter ? parameter->next : NULL;
    }
    n->a = flatten_name(f, r->name, n->a->at);
    n->first = n->a->first;
    n->b = l.first;
}

/* ---- values ---- */

/* s.a, p->a: a member that is no struct. */
static bool flatten_member(struct flattening *f, struct tree **n) {
    struct object o;
    const struct tree *of = (*n)->a, *type;
    const struct token *name = (*n)->at;
    struct tree *made = NULL;
    if ((*n)->kind == TREE_MEMBER && value_makes(f, of))
        made = value_make(f, of, &o);
    else if (!((*n)->kind == TREE_MEMBER ? object_find(f, of, &o) : object_address(f, of, &o)))
        return false;
    const struct tree *member = record_member(o.record, name->text, &type);
    struct leaf leaf = {.name = name->text, .type = type, .declarator = member};
    if (member) leaf.nsizes = record_dimensions(member);
    if (o.dimensions > 0)
        flatten_fail(f, name, "'%s' is an array of structs: write an index behind it", o.name);
    else if (!member)
        flatten_fail(f, name, "'%s' has no member '%s'", o.record->name, name->text);
    else if (record_of_type(f, type))
        flatten_fail(f, name, "'%s.%s' is a struct: write one of its members behind it", o.name, name->text);
    else
        *n = object_leaf(f, &o, &leaf, name);
    if (made && !f->fault) *n = value_after(f, made, *n);
    return true;
}

/* A name alone: in a function of a struct it may be a member. */
static void flatten_word(struct flattening *f, struct tree **n) {
    struct object o;
    const struct token *name = (*n)->at;
    const struct tree *type;
    if (name >= (*n)->first + 3 && record_find(f, (*n)->first->text)) { /* P::N, which stands before P */
        struct tree *inner = copy_alone(f, *n);
        inner->first += 3;
        *n = inner;
    }
    if (!tree_is_word(*n)) return;
    if (object_find(f, *n, &o) || object_address(f, *n, &o)) {
        flatten_fail(f, name, "'%s' is a struct: write one of its members behind it", name->text);
        return;
    }
    if (!f->self || bound_find(f, name->text) || !record_member(f->self, name->text, &type)) return;
    *n = flatten_name(f, arena_printf(f->s->arena, "this.%s", name->text), name);
}

static void flatten_call(struct flattening *f, struct tree *n) {
    const struct routine *r = call_find(f, n);
    if (r && r->result)
        flatten_fail(f, n->first, "this is a struct, a '%s': write one of its members behind it",
                     r->result->name);
    else if (r)
        call_flatten(f, n, r, NULL);
    if (r || f->fault) return;
    if (!tree_is_word(n->a)) flatten_value(f, &n->a);
    flatten_values(f, &n->b);
}

void flatten_values(struct flattening *f, struct tree **list) {
    for (; *list; list = &(*list)->next) {
        struct tree *next = (*list)->next;
        flatten_value(f, list);
        (*list)->next = next;
    }
}

/* sizeof(P), sizeof(p) */
static bool flatten_size(struct flattening *f, struct tree **whole) {
    const struct tree *of = (*whole)->a;
    struct object o;
    const struct record_text *r = record_of_type(f, of);
    if (!r && of->kind != TREE_TYPE && object_find(f, of, &o)) r = o.record;
    if (!r) return false;
    if (of->kind != TREE_TYPE && o.dimensions)
        flatten_fail(f, of->first, "not supported yet: the size of an array of structs");
    long long bytes = record_bytes(f, r);
    struct token *t = arena_alloc(f->s->arena, sizeof *t);
    *t = *flatten_token(f, TOK_INT, arena_printf(f->s->arena, "%lld", bytes), of->first);
    t->type = type_uint64;
    t->value = (struct value){(uint64_t)bytes, 0};
    const struct tree *n = *whole;
    *whole = syntax_make(f->s, TREE_NUMBER, n->first, t);
    (*whole)->end = n->end;
    return true;
}

static bool is_record_type(struct flattening *f, const struct tree *n) {
    if (!n || !record_of_type(f, n)) return false;
    flatten_fail(f, n->at, "not supported yet: the struct '%s' here", n->at->text);
    return true;
}

/* (unsigned long long *)&s, of a struct that is a vector: of all its bytes. */
static bool flatten_bytes(struct flattening *f, struct tree *n) {
    struct object o;
    if (n->kind != TREE_POINTER && n->kind != TREE_REFERENCE) return false;
    bool found = n->kind == TREE_POINTER ? object_address(f, n->a, &o) : object_find(f, n->a, &o);
    if (!found || f->fault || o.dimensions > 0) return false;
    const struct token *like = n->a->first;
    if (!o.vector.lanes) {
        flatten_fail(f, like,
                     "not supported yet: the bytes of '%s', which is no vector: a struct of two or four "
                     "numbers of one "
                     "size that is aligned to its own size, as by alignas(8), is one",
                     o.name);
        return true;
    }
    struct tree *place = object_whole(f, &o, like),
                *address = syntax_make(f->s, TREE_ADDRESS, place->first, like);
    address->a = place;
    address->end = place->end;
    n->a = n->kind == TREE_POINTER ? address : place;
    if (o.is_volatile) n->b->flags |= TYPE_VOLATILE;
    return true;
}

void flatten_value(struct flattening *f, struct tree **whole) {
    struct tree *n = *whole;
    const struct token *first = n->a ? n->a->first : NULL;
    if (f->fault || f->refused || (n->kind == TREE_SIZE && flatten_size(f, whole))) return;
    if (is_record_type(f, n->b) || is_record_type(f, n->a)) return;
    if (flatten_bytes(f, n)) return;
    switch (n->kind) {
    case TREE_TYPE: return;
    case TREE_NAME: flatten_word(f, whole); return;
    case TREE_CALL:
        flatten_call(f, n);
        if (n->a && n->first == first) n->first = n->a->first;
        return;
    case TREE_MEMBER:
    case TREE_ARROW:
        if (flatten_member(f, whole)) return;
        break;
    default: break;
    }
    if (n->a) flatten_values(f, &n->a);
    flatten_values(f, &n->b);
    flatten_values(f, &n->c);
    flatten_values(f, &n->d);
    if (n->a && n->first == first) n->first = n->a->first;
}
