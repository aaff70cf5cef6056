/* Flattens values: p.a, q->v[1], s.f(1). */
#include <string.h>

#include "syntax/flatten.h"

/* ---- structs without a name ---- */

struct tree *value_after(struct flattening *f, struct tree *statements, struct tree *value) {
    return flatten_node(f, TREE_AFTER, value, statements, value);
}

const struct record_text *value_makes(struct flattening *f, const struct tree *n) {
    n = tree_inside(n);
    if (n->kind == TREE_BRACES) return n->a ? record_of_type(f, n->a) : NULL;
    const struct routine *r = result_find(f, n);
    return r ? r->result : NULL;
}

/* Returns the statements that make the object of a value without a name. */
static struct tree *value_make(struct flattening *f, const struct tree *n, struct object *o) {
    struct tree_list l = {0};
    object_make(f, value_makes(f, n), flatten_copy(f, tree_inside(n)), o, &l);
    return l.first;
}

/* ---- the leaves of values ---- */

void value_defaults(struct flattening *f, const struct record_text *r, bool zero, const struct token *like,
                    struct tree **values) {
    const struct leaf_list *leaves = record_leaves(f, r);
    for (int k = 0; k < leaves->n; k++) {
        const struct leaf *leaf = &leaves->list[k];
        const struct tree *n = leaf->declarator;
        if (n->b && leaf->nsizes)
            flatten_fail(f, like, "not supported yet: an array of structs whose members have values, '%s'",
                         leaf->name);
        values[k] = n->b;
        if (n->flags & DECLARES_POINTER && zero && !n->b)
            flatten_fail(f, like, "'%s' is a pointer, which is given its one place here, as in &X",
                         leaf->name);
    }
}

/* Takes the next value of a list if it is for this member; one with a name, .a = 1, may be for a later
 * member. */
static struct tree *take_listed(struct tree **next, const struct tree *member) {
    struct tree *n = *next;
    bool named = n && n->kind == TREE_NAMED;
    if (!n || (named && strcmp(n->at->text, member->at->text) != 0)) return NULL;
    *next = n->next;
    return named ? n->a : n;
}

/* Fills in the values of all leaves from a list such as {1, {2, 3}}; a member that is a struct takes as many
 * values as it has leaves. */
static void list_leaves(struct flattening *f, const struct record_text *r, struct tree *next,
                        struct tree **values) {
    for (const struct tree *k = r->tree->b; k; k = k->next) {
        const struct record_text *inner = record_of_type(f, k->a);
        struct tree *value = take_listed(&next, k);
        if (inner && value && k->c)
            flatten_fail(f, value->first, "not supported yet: values of an array of structs");
        else if (inner && value)
            value_leaves(f, inner, value, values);
        else if (value) {
            value->next = NULL;
            flatten_value(f, &value);
            *values = value;
        }
        values += inner ? record_leaves(f, inner)->n : 1;
    }
    if (next && next->kind == TREE_NAMED)
        flatten_fail(f, next->first, "'%s' has no member '%s' here: members by name stand in their order",
                     r->name, next->at->text);
    else if (next)
        flatten_fail(f, next->first, "'%s' has no more members", r->name);
}

/* The same; leaves without a value become 0. */
static void braces_leaves(struct flattening *f, const struct record_text *r, const struct tree *n,
                          struct tree **values) {
    struct tree *items = n->kind == TREE_BRACES ? n->b->b : n->b;
    const struct leaf_list *leaves = record_leaves(f, r);
    value_defaults(f, r, !items, n->first, values);
    list_leaves(f, r, items, values);
    for (int k = 0; k < leaves->n; k++)
        if (!values[k] && !(leaves->list[k].declarator->flags & DECLARES_POINTER))
            values[k] = flatten_word(f, TREE_LIST, "{", n->first);
}

void object_leaves(struct flattening *f, const struct object *o, const struct token *like,
                   struct tree **values) {
    const struct leaf_list *leaves = record_leaves(f, o->record);
    for (int k = 0; k < leaves->n; k++) {
        if (leaves->list[k].nsizes)
            flatten_fail(f, like, "not supported yet: a copy of a struct with an array, '%s'",
                         leaves->list[k].name);
        values[k] = object_leaf(f, o, &leaves->list[k], like);
    }
}

/* Fills in the leaves of an object made by a call such as f(1), as an argument. */
static void made_leaves(struct flattening *f, const struct object *o, struct tree *made,
                        const struct token *like, struct tree **values) {
    const struct leaf_list *leaves = record_leaves(f, o->record);
    for (int k = 0; k < leaves->n; k++)
        if (leaves->list[k].declarator->flags & DECLARES_POINTER || leaves->list[k].nsizes)
            flatten_fail(f, like, "not supported yet: such a '%s' here: declare it before", o->record->name);
    object_leaves(f, o, like, values);
    if (!f->fault) values[0] = value_after(f, made, values[0]);
}

void value_leaves(struct flattening *f, const struct record_text *r, struct tree *n, struct tree **values) {
    bool braces = n->kind == TREE_BRACES || (n->kind == TREE_LIST && n->at->kind == '{');
    bool other = n->kind == TREE_BRACES && n->a && record_of_type(f, n->a) != r;
    struct tree *made = NULL;
    struct object o;
    bool found = !braces && object_find(f, n, false, &o), makes = !braces && !found && result_find(f, n);
    if (found) object_check_copy(f, &o, n->first);
    if (makes) made = value_make(f, n, &o);
    if (other)
        flatten_fail(f, n->first, "expected a '%s'", r->name);
    else if ((found || makes) && o.record != r)
        flatten_fail(f, n->first, "expected a '%s', not a '%s'", r->name, o.record->name);
    else if (braces)
        braces_leaves(f, r, n, values);
    else if (makes)
        made_leaves(f, &o, made, n->first, values);
    else if (found && o.vector.lanes && !f->fault)
        vector_leaves(f, &o, n->first, values);
    else if (found)
        object_leaves(f, &o, n->first, values);
    else
        flatten_fail(
            f, n->first,
            "not supported yet: a struct by such a value; it is {1, 2}, another struct, or a call of a "
            "function");
}

/* ---- calls ---- */

static bool is_member(const struct tree *n) {
    return n->kind == TREE_MEMBER || n->kind == TREE_ARROW;
}

const struct routine *call_find(struct flattening *f, const struct tree *n) {
    const struct tree *callee = n->kind == TREE_CALL ? n->a : NULL;
    struct object o;
    const char *of = NULL;
    if (!callee || callee->at->kind != TOK_NAME) return NULL;
    bool member = is_member(callee) && object_before(f, callee, &o);
    if (member)
        of = o.record->name;
    else if (callee->kind == TREE_NAME && callee->at == callee->first + 3 &&
             record_find(f, callee->first->text))
        of = callee->first->text;
    else if (tree_is_word(callee) && f->in.self)
        of = f->in.self->name;
    const char *name = callee->at->text, *whole = of ? arena_printf(f->s->arena, "%s.%s", of, name) : name;
    const struct routine *r = routine_find(f, whole);
    if (!r && member) flatten_fail(f, callee->at, "'%s' has no function '%s'", of, name);
    return r || !tree_is_word(callee) ? r : routine_find(f, name);
}

static void add_object(struct flattening *f, struct tree_list *l, const struct object *o,
                       const struct token *like) {
    const struct leaf_list *leaves = record_leaves(f, o->record);
    object_check_index(f, o);
    for (int k = 0; k < leaves->n; k++)
        syntax_add(l, object_leaf(f, o, &leaves->list[k], like));
}

/* Adds the members of the object whose member function is called as arguments. */
static void add_called(struct flattening *f, const struct tree *n, const struct routine *r,
                       struct tree_list *l) {
    struct object o = {.record = f->in.self, .name = "this", .constant = f->in.self_is_const};
    bool member = is_member(n->a) && object_before(f, n->a, &o);
    if (!member && !f->in.self)
        flatten_fail(f, n->first, "this function is one of a struct: write it behind one, as in s.f()");
    if (o.dimensions > 0)
        flatten_fail(f, n->first, "'%s' is an array of structs: write an index behind it", o.name);
    if (o.constant && !r->is_const)
        flatten_fail(f, n->first, "'%s' is const, and '%s' is not: it is so behind its ')'", o.name, r->name);
    if (!f->fault) add_object(f, l, &o, n->first);
}

/* Adds the argument for a parameter that is a struct. */
static void add_argument(struct flattening *f, struct tree_list *l, const struct tree *parameter,
                         struct tree *given) {
    const struct record_text *r = record_of_type(f, parameter->a);
    struct tree *values[RECORD_MAX_LEAVES] = {NULL};
    const struct leaf_list *leaves = record_leaves(f, r);
    const struct token *like = given->first;
    struct object o;
    bool points = parameter->b->flags & DECLARES_POINTER, refers = parameter->b->flags & DECLARES_REFERENCE;
    bool found = object_find(f, given, points, &o), writes = !(parameter->a->flags & TYPE_CONST);
    if (found && o.constant && writes && (points || refers))
        flatten_fail(f, like, "'%s' is const: it cannot be written", o.name);
    if (found && o.record == r && o.dimensions == 0 && (points || refers)) {
        add_object(f, l, &o, like);
        return;
    }
    if (points || (refers && writes)) {
        flatten_fail(f, like, "expected a '%s'%s", r->name, points ? ", as in &p" : " by its name");
        return;
    }
    value_leaves(f, r, given, values);
    for (int k = 0; k < leaves->n && !f->fault; k++) {
        const struct tree *member = leaves->list[k].declarator;
        struct tree *value = values[k];
        if (!value) flatten_fail(f, like, "'%s' has no value here", leaves->list[k].name);
        if (!value) return;
        if (value->kind == TREE_LIST) { /* it is 0 */
            if (value->b) flatten_fail(f, value->first, "not supported yet: such values in a call");
            value = flatten_word(f, TREE_NAME, "false", like);
        }
        /* the value is read at the call; a reference to const would be read later */
        value = flatten_copy(f, value);
        if (!(member->flags & DECLARES_POINTER))
            value = flatten_node(f, TREE_CAST, value, value, flatten_copy(f, member->a));
        syntax_add(l, value);
    }
}

void call_flatten(struct flattening *f, struct tree *n, const struct routine *r,
                  const struct object *result) {
    struct tree_list l = {0};
    struct tree *next = n->b;
    const struct tree *parameter = r->parameters;
    if (result) add_object(f, &l, result, n->first);
    if (r->of) add_called(f, n, r, &l);
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
    n->a = flatten_word(f, TREE_NAME, r->name, n->a->at);
    n->first = n->a->first;
    n->b = l.first;
}

/* ---- values ---- */

/* Flattens s.a or p->a if the member is no struct. */
static bool flatten_member(struct flattening *f, struct tree **n) {
    const struct token *name = (*n)->at;
    struct tree *made = NULL;
    struct object o;
    if ((*n)->kind == TREE_MEMBER && value_makes(f, (*n)->a))
        made = value_make(f, (*n)->a, &o);
    else if (!object_before(f, *n, &o))
        return false;
    const struct tree *member = record_member(o.record, name->text);
    struct leaf leaf = {.name = name->text, .declarator = member};
    if (member) leaf.nsizes = record_dimensions(member);
    if (o.dimensions > 0)
        flatten_fail(f, name, "'%s' is an array of structs: write an index behind it", o.name);
    else if (!member)
        flatten_fail(f, name, "'%s' has no member '%s'", o.record->name, name->text);
    else if (record_of_type(f, member->a))
        flatten_fail(f, name, "'%s.%s' is a struct: write one of its members behind it", o.name, name->text);
    else
        *n = object_leaf(f, &o, &leaf, name);
    if (made && !f->fault) *n = value_after(f, made, *n);
    return true;
}

/* Flattens a name; in a member function it may be a member. */
static void flatten_known(struct flattening *f, struct tree **n) {
    struct object o;
    const struct token *name = (*n)->at;
    /* P::N, a constant that stands before P */
    if (name >= (*n)->first + 3 && record_find(f, (*n)->first->text)) {
        *n = flatten_copy(f, *n);
        (*n)->first += 3;
    }
    if (!tree_is_word(*n)) return;
    if (object_find(f, *n, false, &o) || object_find(f, *n, true, &o)) {
        flatten_fail(f, name, "'%s' is a struct: write one of its members behind it", name->text);
        return;
    }
    if (f->in.self && !bound_find(f, name->text) && record_member(f->in.self, name->text))
        *n = flatten_word(f, TREE_NAME, arena_printf(f->s->arena, "this.%s", name->text), name);
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

/* Flattens sizeof(P) and sizeof(p). */
static bool flatten_size(struct flattening *f, struct tree **whole) {
    const struct tree *of = (*whole)->a;
    struct object o;
    const struct record_text *r = record_of_type(f, of);
    if (!r && of->kind != TREE_TYPE && object_find(f, of, false, &o)) r = o.record;
    if (!r) return false;
    if (of->kind != TREE_TYPE && o.dimensions)
        flatten_fail(f, of->first, "not supported yet: the size of an array of structs");
    *whole = flatten_number(f, type_uint64, (uint64_t)record_bytes(f, r), (*whole)->first);
    return true;
}

static bool is_record_type(struct flattening *f, const struct tree *n) {
    if (!n || !record_of_type(f, n)) return false;
    flatten_fail(f, n->at, "not supported yet: the struct '%s' here", n->at->text);
    return true;
}

/* Flattens (unsigned long long *)&s: all bytes of a struct that is a vector. */
static bool flatten_bytes(struct flattening *f, struct tree *n) {
    struct object o;
    if (n->kind != TREE_POINTER && n->kind != TREE_REFERENCE) return false;
    if (!object_find(f, n->a, n->kind == TREE_POINTER, &o) || f->fault || o.dimensions > 0) return false;
    const struct token *like = n->a->first;
    if (!o.vector.lanes) {
        flatten_fail(f, like,
                     "not supported yet: the bytes of '%s', which is no vector: a struct of two or four "
                     "numbers of one "
                     "size that is aligned to its own size, as by alignas(8), is one",
                     o.name);
        return true;
    }
    struct tree *place = object_whole(f, &o, like);
    n->a = n->kind == TREE_POINTER ? flatten_node(f, TREE_ADDRESS, place, place, NULL) : place;
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
    case TREE_NAME: flatten_known(f, whole); return;
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
