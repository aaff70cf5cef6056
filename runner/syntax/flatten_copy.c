/* What is copied of structs: declarations with their values, assignments, results. */
#include <string.h>

#include "syntax/flatten.h"

/* ---- what takes part ---- */

/* A declaration of a leaf, with its value or NULL. */
struct tree *flatten_make_declaration(struct flattening *f, const struct leaf *leaf, const char *name,
                                      unsigned flags, struct tree *value, const struct token *like) {
    const struct token *t = flatten_token(f, TOK_NAME, name, like);
    struct tree *n = syntax_make(f->s, TREE_DECLARATION, t, t),
                *type = arena_alloc(f->s->arena, sizeof *type),
                *declarator = syntax_make(f->s, TREE_DECLARATOR, t, t);
    bool points = leaf->declarator->flags & DECLARES_POINTER;
    *type = *leaf->type;
    type->next = NULL;
    type->flags |= points ? flags & TYPE_SHARED : flags;
    declarator->flags = leaf->declarator->flags & (DECLARES_POINTER | DECLARES_FIXED | DECLARES_RESTRICT);
    declarator->end = n->end = t + 1;
    declarator->b = value;
    if (value) declarator->flags |= DECLARES_EQUAL;
    n->a = type;
    n->b = declarator;
    return n;
}

/* The sizes of a leaf: those of the structs around it come first. */
static void set_sizes(struct flattening *f, struct tree *declaration, const struct tree *outer,
                      const struct leaf *leaf) {
    struct tree_list l = {0};
    for (const struct tree *k = outer; k; k = k->next) {
        struct tree *copy = arena_alloc(f->s->arena, sizeof *copy);
        *copy = *k;
        copy->next = NULL;
        syntax_add(&l, copy);
    }
    for (int k = 0; k < leaf->nsizes; k++) {
        struct tree *copy = arena_alloc(f->s->arena, sizeof *copy);
        *copy = *leaf->sizes[k];
        copy->next = NULL;
        syntax_add(&l, copy);
    }
    declaration->b->c = l.first;
}

static void declare_leaves(struct flattening *f, const struct record_text *r, const char *name,
                           unsigned flags, const struct tree *outer, struct tree **values,
                           const struct token *like, struct tree_list *out) {
    struct leaf_list leaves;
    record_leaves(f, r, &leaves);
    for (int k = 0; k < leaves.n && !f->fault; k++) {
        const struct leaf *leaf = &leaves.list[k];
        const char *whole = arena_printf(f->s->arena, "%s.%s", name, leaf->name);
        struct tree *n = flatten_make_declaration(f, leaf, whole, flags, values ? values[k] : NULL, like);
        set_sizes(f, n, outer, leaf);
        syntax_add(out, n);
    }
}

static struct tree *make_run(struct flattening *f, struct tree *effect) {
    struct tree *n = syntax_make(f->s, TREE_RUN, effect->first, effect->at);
    n->end = effect->end;
    n->a = effect;
    return n;
}

/* to = value, of each leaf. */
static void assign_leaves(struct flattening *f, const struct object *to, struct tree **values,
                          const struct token *like, struct tree_list *out) {
    struct leaf_list leaves;
    record_leaves(f, to->record, &leaves);
    if (to->vector.lanes && !f->fault) {
        syntax_add(out, make_run(f, vector_assign(f, to, values, like)));
        return;
    }
    for (int k = 0; k < leaves.n && !f->fault; k++) {
        if (leaves.list[k].nsizes)
            flatten_fail(f, like, "not supported yet: a copy of a struct with an array, '%s'",
                         leaves.list[k].name);
        struct tree *target = object_leaf(f, to, &leaves.list[k], like);
        struct tree *n = syntax_make(f->s, TREE_ASSIGN, target->first, flatten_token(f, '=', "=", like));
        n->a = target;
        n->b = values[k];
        n->end = like + 1;
        syntax_add(out, make_run(f, n));
    }
}

/* A new object, as which a value is computed before it is copied. */
static struct object make_object(struct flattening *f, const struct record_text *r) {
    return (struct object){.record = r, .name = arena_printf(f->s->arena, "t$%s%d", r->name, ++f->made)};
}

static void find_values(struct flattening *f, const struct object *o, const struct token *like,
                        struct tree **values) {
    struct leaf_list leaves;
    record_leaves(f, o->record, &leaves);
    for (int k = 0; k < leaves.n; k++)
        values[k] = object_leaf(f, o, &leaves.list[k], like);
}

/* ---- declarations ---- */

const struct routine *result_find(struct flattening *f, const struct tree *n) {
    const struct routine *r = n ? call_find(f, tree_inside(n)) : NULL;
    return r && r->result ? r : NULL;
}

void object_make(struct flattening *f, const struct record_text *r, struct tree *value, struct object *o,
                 struct tree_list *out) {
    const struct routine *call = result_find(f, value);
    struct tree *values[RECORD_MAX_LEAVES] = {NULL};
    *o = make_object(f, r);
    if (!call) value_leaves(f, r, value, values);
    declare_leaves(f, r, o->name, 0, NULL, call ? NULL : values, value->first, out);
    if (!call || f->fault) return;
    call_flatten(f, value, call, o);
    syntax_add(out, make_run(f, value));
}

/* The struct that `auto` makes of a value, or NULL. */
static const struct record_text *guess_record(struct flattening *f, const struct tree *value) {
    const struct routine *r = result_find(f, value);
    struct object o;
    if (r) return r->result;
    if (!value) return NULL;
    if (value->kind == TREE_BRACES && value->a) return record_of_type(f, value->a);
    return object_find(f, value, &o) || object_address(f, value, &o) ? o.record : NULL;
}

/* The index of another name is that of its declaration, whatever happens to its registers later. */
static const struct tree *keep_index(struct flattening *f, const struct tree *index, struct tree_list *out) {
    const char *name = arena_printf(f->s->arena, "t$index.%d", ++f->made);
    if (index->kind == TREE_NUMBER) return index;
    const struct token *word = flatten_token(f, TOK_NAME, "auto", index->first);
    struct tree *type = syntax_make(f->s, TREE_TYPE, word, word),
                *value = arena_alloc(f->s->arena, sizeof *value);
    struct leaf leaf = {.type = type, .declarator = type};
    type->end = word + 1;
    *value = *index;
    value->next = NULL;
    flatten_value(f, &value);
    syntax_add(out, flatten_make_declaration(f, &leaf, name, TYPE_AUTO | TYPE_CONST, value, index->first));
    flatten_bind(f, (struct bound){.name = name, .settled = true});
    return flatten_name(f, name, index->first);
}

/* P &r = p, P *q = &p: another name of an object. */
static void declare_other(struct flattening *f, const struct tree *type, const struct record_text *r,
                          const struct tree *n, struct tree_list *out) {
    struct bound b = {.name = n->at->text, .is_object = true, .points = n->flags & DECLARES_POINTER};
    bool found = n->b && (b.points ? object_address(f, n->b, &b.object) : object_find(f, n->b, &b.object));
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

/* The values of a struct that is declared without any; an array and shared memory have none. */
static void find_defaults(struct flattening *f, const struct record_text *r, bool none,
                          const struct token *like, struct tree **values) {
    value_defaults(f, r, false, like, values);
    for (int k = 0; k < RECORD_MAX_LEAVES && none; k++)
        if (values[k])
            flatten_fail(f, like, "the members of '%s' have values, which such a declaration does not give",
                         r->name);
}

static void declare_object(struct flattening *f, const struct tree *type, const struct record_text *r,
                           struct tree *n, struct tree_list *out) {
    const struct routine *call = result_find(f, n->b);
    struct tree *values[RECORD_MAX_LEAVES] = {NULL};
    const char *name = n->at->text;
    bool shared = type->flags & TYPE_SHARED;
    unsigned flags = type->flags & (TYPE_CONST | TYPE_CONSTEXPR | TYPE_STATIC | TYPE_SHARED | TYPE_EXTERN);
    struct bound b = {.name = name, .is_object = true};
    b.object =
        (struct object){.record = r, .name = name, .dimensions = record_dimensions(n), .in_memory = shared};
    b.object.constant = type->flags & (TYPE_CONST | TYPE_CONSTEXPR);
    if (n->c && n->b)
        flatten_fail(f, n->at, "not supported yet: values of an array of structs: assign its members");
    else if (shared && n->b)
        flatten_fail(f, n->at, "a __shared__ variable has no initial value");
    else if (call && call->result != r)
        flatten_fail(f, n->b->first, "expected a '%s'", r->name);
    else if (n->b && !call)
        value_leaves(f, r, n->b, values);
    else if (!n->b)
        find_defaults(f, r, n->c || shared, n->at, values);
    declare_leaves(f, r, name, call ? flags & ~(unsigned)(TYPE_CONST | TYPE_CONSTEXPR) : flags, n->c,
                   call ? NULL : values, n->at, out);
    if (call) {
        call_flatten(f, n->b, call, &b.object);
        syntax_add(out, make_run(f, n->b));
    }
    flatten_bind(f, b);
}

/* A name that is no struct. */
static void declare_plain(struct flattening *f, const struct tree *type, struct tree *n) {
    bool refers = n->flags & (DECLARES_POINTER | DECLARES_REFERENCE | DECLARES_WHOLE);
    if (n->b) flatten_value(f, &n->b);
    flatten_values(f, &n->c);
    flatten_bind(
        f, (struct bound){.name = n->at->text, .settled = !refers && !(type->flags & TYPE_SHARED) && !n->c});
}

static void declare_one(struct flattening *f, const struct tree *type, const struct record_text *r,
                        struct tree *n, struct tree_list *out) {
    struct object o;
    bool other = n->flags & (DECLARES_POINTER | DECLARES_REFERENCE | DECLARES_WHOLE);
    if (!other && type->flags & TYPE_AUTO && object_address(f, n->b, &o)) n->flags |= DECLARES_POINTER;
    if (n->flags & (DECLARES_POINTER | DECLARES_REFERENCE | DECLARES_WHOLE))
        declare_other(f, type, r, n, out);
    else
        declare_object(f, type, r, n, out);
}

/* What is declared with an error, or beside one, is not spoken of again. */
static void refuse_bound(struct flattening *f, int from) {
    static const struct tree nothing = {.kind = TREE_RECORD};
    static const struct record_text bad = {.name = "", .tree = &nothing, .bad = true};
    for (int k = from; k < f->nbound; k++)
        f->bound[k] = (struct bound){.name = f->bound[k].name, .is_object = true, .object = {.record = &bad}};
}

void flatten_declaration(struct flattening *f, struct tree *n, struct tree_list *out) {
    const struct record_text *r = record_of_type(f, n->a);
    int around = f->nbound;
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
    if ((f->fault || f->refused) && r) refuse_bound(f, around);
}

/* ---- assignments ---- */

static struct tree *make_sequence(struct flattening *f, struct tree *list, const struct tree *like) {
    struct tree *n = syntax_make(f->s, TREE_SEQUENCE, like->first, like->at);
    n->end = like->end;
    n->a = list;
    return n;
}

/* p = q, p = {1, 2}, p = f(1): what is computed before it is copied may read p. */
static void flatten_assignment(struct flattening *f, struct tree *n, const struct object *to,
                               struct tree_list *out) {
    const struct routine *call = result_find(f, n->b);
    struct tree *values[RECORD_MAX_LEAVES] = {NULL};
    const struct token *like = n->first;
    struct tree_list l = {0};
    struct object o, from;
    if (n->at->kind != '=') flatten_fail(f, n->at, "'%s' is for numbers: this is a struct", n->at->text);
    if (to->constant) flatten_fail(f, like, "'%s' is const: it cannot be assigned", to->name);
    object_check_copy(f, to, like);
    bool stores = to->in_memory && !to->perhaps;
    if (object_find(f, n->b, &o) && !(stores && o.in_memory && !o.perhaps)) { /* else it loads all before */
        value_leaves(f, to->record, n->b, values);
        assign_leaves(f, to, values, like, out);
        return;
    }
    if (call && call->result != to->record) flatten_fail(f, n->b->first, "expected a '%s'", to->record->name);
    object_make(f, to->record, n->b, &from, &l);
    find_values(f, &from, like, values);
    assign_leaves(f, to, values, like, &l);
    syntax_add(out, make_sequence(f, l.first, n));
}

/* f(1); whose result nobody takes. */
static void flatten_dropped(struct flattening *f, struct tree *n, const struct routine *r,
                            struct tree_list *out) {
    struct tree_list l = {0};
    struct object o;
    object_make(f, r->result, n, &o, &l);
    syntax_add(out, make_sequence(f, l.first, n));
}

static void flatten_effect(struct flattening *f, struct tree *n, struct tree_list *out) {
    const struct routine *r = result_find(f, n);
    struct object o;
    if (n->kind == TREE_ASSIGN && object_find(f, n->a, &o)) {
        flatten_assignment(f, n, &o, out);
        return;
    }
    if (r) {
        flatten_dropped(f, n, r, out);
        return;
    }
    if (n->kind == TREE_ASSIGN && n->b->kind == TREE_LIST)
        flatten_fail(f, n->b->first, "expected a value, not '{'");
    flatten_value(f, &n);
    syntax_add(out, make_run(f, n));
}

void flatten_run(struct flattening *f, struct tree *n, struct tree_list *out) {
    struct tree *next = n->a;
    if (!next) syntax_add(out, n); /* what is refused */
    while (next) {
        struct tree *effect = next;
        next = effect->next;
        effect->next = NULL;
        flatten_effect(f, effect, out);
    }
}

/* return p; in a function whose result is a struct. */
void flatten_return(struct flattening *f, struct tree *n, struct tree_list *out) {
    const struct routine *call = result_find(f, n->a);
    struct object to = {.record = f->result, .name = "return"};
    struct tree *values[RECORD_MAX_LEAVES] = {NULL};
    struct tree_list l = {0};
    if (n->a && n->a->kind == TREE_LIST && !f->result)
        flatten_fail(f, n->a->first, "expected a value, not '{'");
    if (!f->result || !n->a) {
        if (n->a) flatten_value(f, &n->a);
        syntax_add(out, n);
        return;
    }
    if (call && call->result == f->result) {
        call_flatten(f, n->a, call, &to);
        syntax_add(&l, make_run(f, n->a));
    } else {
        value_leaves(f, f->result, n->a, values);
        assign_leaves(f, &to, values, n->first, &l);
    }
    n->a = NULL;
    syntax_add(&l, n);
    syntax_add(out, make_sequence(f, l.first, n));
}
