/* What of a text is a struct: its members, the objects that are named, their leaves. */
#include <stdarg.h>
#include <string.h>

#include "syntax/flatten.h"

/* ---- words ---- */

void flatten_fail(struct flattening *f, const struct token *at, const char *fmt, ...) {
    struct fault *fault = arena_alloc(f->s->arena, sizeof *fault);
    if (f->fault || f->refused) return;
    va_list ap;
    va_start(ap, fmt);
    *fault = (struct fault){.pos = at->pos, .text = arena_vprintf(f->s->arena, fmt, ap)};
    va_end(ap);
    f->fault = fault;
}

const struct token *flatten_token(struct flattening *f, int kind, const char *text,
                                  const struct token *like) {
    struct token *t = arena_array(f->s->arena, 4, sizeof *t);
    for (int k = 0; k < 4; k++) {
        t[k] = *like;
        t[k].kind = TOK_END;
    }
    t[1].kind = kind;
    t[1].text = text;
    return &t[1];
}

struct tree *flatten_name(struct flattening *f, const char *text, const struct token *like) {
    const struct token *t = flatten_token(f, TOK_NAME, text, like);
    struct tree *n = syntax_make(f->s, TREE_NAME, t, t);
    n->end = t + 1;
    return n;
}

/* ---- structs ---- */

const struct record_text *record_find(const struct flattening *f, const char *name) {
    const struct record_text *r = f->records;
    while (r && strcmp(r->name, name) != 0)
        r = r->next;
    return r && r->same ? r->same : r;
}

void record_name(struct flattening *f, const struct token *name, const struct record_text *same) {
    struct record_text *r = arena_alloc(f->s->arena, sizeof *r);
    *r = (struct record_text){.name = name->text, .same = same, .next = f->records};
    f->records = r;
}

const struct record_text *record_of_type(struct flattening *f, const struct tree *type) {
    bool named = type && type->kind == TREE_TYPE && !type->a && type->at->kind == TOK_NAME;
    const struct record_text *r = named ? record_find(f, type->at->text) : NULL;
    if (r && r->bad) f->refused = true;
    return r;
}

int record_dimensions(const struct tree *declarator) {
    int n = 0;
    for (const struct tree *k = declarator->c; k; k = k->next)
        n++;
    return n;
}

static bool add_sizes(struct flattening *f, struct leaf *leaf, const struct tree *declarator) {
    for (const struct tree *k = declarator->c; k; k = k->next) {
        if (leaf->nsizes == OBJECT_MAX_DIMENSIONS) {
            flatten_fail(f, declarator->at, "not supported yet: more than %d dimensions of '%s'",
                         OBJECT_MAX_DIMENSIONS, leaf->name);
            return false;
        }
        leaf->sizes[leaf->nsizes++] = k;
    }
    return true;
}

/* The leaves of a struct that is a part of another. */
static void add_leaves(struct flattening *f, const struct record_text *r, const struct leaf *around,
                       struct leaf_list *out) {
    for (const struct tree *n = r->tree->b; n; n = n->next) {
        const struct record_text *inner = n->kind == TREE_DECLARATION ? record_of_type(f, n->a) : NULL;
        for (const struct tree *k = n->kind == TREE_DECLARATION ? n->b : NULL; k; k = k->next) {
            struct leaf leaf = *around;
            leaf.name =
                arena_printf(f->s->arena, "%s%s%s", around->name, *around->name ? "." : "", k->at->text);
            leaf.type = n->a;
            leaf.declarator = k;
            if (!add_sizes(f, &leaf, k)) return;
            if (inner && inner->bad) continue;
            if (inner)
                add_leaves(f, inner, &leaf, out);
            else if (out->n < RECORD_MAX_LEAVES)
                out->list[out->n++] = leaf;
            else
                flatten_fail(f, k->at, "a struct has at most %d members", RECORD_MAX_LEAVES);
        }
    }
}

void record_leaves(struct flattening *f, const struct record_text *r, struct leaf_list *out) {
    out->n = 0;
    add_leaves(f, r, &(struct leaf){.name = ""}, out);
}

/* The declarator of a member; NULL: the struct has none of that name. */
const struct tree *record_member(const struct record_text *r, const char *name, const struct tree **type) {
    for (const struct tree *n = r->tree->b; n; n = n->next)
        for (const struct tree *k = n->kind == TREE_DECLARATION ? n->b : NULL; k; k = k->next)
            if (token_is_word(k->at, name)) {
                *type = n->a;
                return k;
            }
    return NULL;
}

/* ---- names ---- */

void flatten_bind(struct flattening *f, struct bound b) {
    f->bound = arena_more(f->s->arena, f->bound, (size_t)f->nbound, sizeof *f->bound);
    f->bound[f->nbound++] = b;
}

const struct bound *bound_find(const struct flattening *f, const char *name) {
    const struct tree *type;
    bool member = f->self && (record_member(f->self, name, &type) || strcmp(name, "this") == 0);
    for (int k = f->nbound; --k >= 0;) {
        if (k < f->floor && member) return NULL;
        if (k < f->floor && k >= f->globals) continue;
        if (strcmp(f->bound[k].name, name) == 0) return &f->bound[k];
    }
    return NULL;
}

const struct routine *routine_find(const struct flattening *f, const char *name) {
    const struct routine *r = f->routines;
    while (r && strcmp(r->name, name) != 0)
        r = r->next;
    return r;
}

/* ---- objects ---- */

static struct object this_object(const struct flattening *f) {
    return (struct object){
        .record = f->self, .name = "this", .in_memory = true, .perhaps = true, .constant = f->self_is_const};
}

static struct tree *make_number(struct flattening *f, const struct token *like) {
    struct token *t = arena_array(f->s->arena, 2, sizeof *t);
    t[0] = *flatten_token(f, TOK_INT, "0", like);
    t[1] = *flatten_token(f, TOK_END, "", like);
    t[0].type = type_int;
    t[0].value = (struct value){0, 0};
    struct tree *n = syntax_make(f->s, TREE_NUMBER, t, t);
    n->end = t + 1;
    return n;
}

static bool is_zero(const struct tree *n) {
    n = tree_inside(n);
    return n->kind == TREE_NUMBER && value_is_zero(n->at->value);
}

/* The object so many elements behind one. */
static bool object_move(struct flattening *f, struct object *o, const struct tree *by, int sign) {
    const struct tree **last = o->nindices ? &o->indices[o->nindices - 1] : NULL;
    struct tree *sum, *a, *b;
    if (o->dimensions > 0) return false;
    if (is_zero(by)) return true;
    if (!last) {
        flatten_fail(f, by->first, "'%s' is not an array: no element lies beside it", o->name);
        return true;
    }
    if (is_zero(*last) && sign == '+') {
        *last = by;
        return true;
    }
    const char *text = sign == '+' ? "+" : "-";
    a = arena_alloc(f->s->arena, sizeof *a);
    b = arena_alloc(f->s->arena, sizeof *b);
    *a = **last;
    *b = *by;
    a->next = b->next = NULL;
    sum = syntax_make(f->s, TREE_BINARY, by->first, flatten_token(f, sign, text, by->first));
    sum->end = by->end;
    sum->a = a;
    sum->b = b;
    *last = sum;
    return true;
}

/* A member of a struct that is one itself. */
static bool find_inner(struct flattening *f, const struct token *name, struct object *o) {
    const struct tree *type = NULL, *member = record_member(o->record, name->text, &type);
    const struct record_text *r = member ? record_of_type(f, type) : NULL;
    if (!r || o->dimensions > 0) return false;
    o->record = r;
    o->vector = (struct type){0};
    o->name = arena_printf(f->s->arena, "%s.%s", o->name, name->text);
    o->dimensions = record_dimensions(member);
    return true;
}

static bool find_named(struct flattening *f, const struct tree *n, bool points, struct object *o) {
    const char *name = n->at->text;
    const struct bound *b = tree_is_word(n) ? bound_find(f, name) : NULL;
    if (b) *o = b->object;
    if (b && b->points && !points) return false;
    if (b && b->is_object && b->object.record->bad) f->refused = true;
    if (b || !f->self || !tree_is_word(n)) return b && b->is_object && b->points == points;
    *o = this_object(f);
    if (points) return strcmp(name, "this") == 0;
    return find_inner(f, n->at, o);
}

/* The element behind an index: of an array of structs, or from the one on to which a pointer leads. */
static bool find_indexed(struct flattening *f, const struct tree *n, struct object *o) {
    if (!object_find(f, n->a, o)) return object_address(f, n->a, o) && object_move(f, o, n->b, '+');
    if (o->dimensions == 0) return false;
    if (o->nindices < OBJECT_MAX_DIMENSIONS) o->indices[o->nindices++] = n->b;
    o->dimensions--;
    return true;
}

void object_first(struct flattening *f, struct object *o, const struct token *like) {
    o->indices[o->nindices++] = make_number(f, like);
    o->dimensions = 0;
}

/* An array of structs as the address of its first one. */
static bool find_first(struct flattening *f, const struct tree *n, struct object *o) {
    if (!object_find(f, n, o) || o->dimensions != 1 || o->nindices == OBJECT_MAX_DIMENSIONS) return false;
    object_first(f, o, n->first);
    return true;
}

bool object_find(struct flattening *f, const struct tree *n, struct object *o) {
    n = tree_inside(n);
    switch (n->kind) {
    case TREE_NAME: return find_named(f, n, false, o);
    case TREE_DEREF: return object_address(f, n->a, o);
    case TREE_INDEX: return find_indexed(f, n, o);
    case TREE_MEMBER: return object_find(f, n->a, o) && find_inner(f, n->at, o);
    case TREE_ARROW: return object_address(f, n->a, o) && find_inner(f, n->at, o);
    default: return false;
    }
}

bool object_address(struct flattening *f, const struct tree *n, struct object *o) {
    n = tree_inside(n);
    bool adds = n->kind == TREE_BINARY && (n->at->kind == '+' || n->at->kind == '-');
    if (n->kind == TREE_ADDRESS) return object_find(f, n->a, o);
    if (adds) return object_address(f, n->a, o) && object_move(f, o, n->b, n->at->kind);
    if (n->kind == TREE_NAME && find_named(f, n, true, o)) return true;
    return find_first(f, n, o);
}

/* A name with the indices of an object behind it. */
static struct tree *index_name(struct flattening *f, const struct object *o, const char *name,
                               const struct token *like) {
    struct tree *n = flatten_name(f, name, like);
    for (int k = 0; k < o->nindices; k++) {
        struct tree *whole = syntax_make(f->s, TREE_INDEX, n->first, like);
        whole->a = n;
        whole->b = arena_alloc(f->s->arena, sizeof *whole->b);
        *whole->b = *o->indices[k];
        whole->b->next = NULL;
        flatten_value(f, &whole->b);
        whole->end = like + 1;
        n = whole;
    }
    return n;
}

struct tree *object_whole(struct flattening *f, const struct object *o, const struct token *like) {
    return index_name(f, o, o->name, like);
}

/* (volatile T &)a */
static struct tree *make_volatile(struct flattening *f, const struct leaf *leaf, struct tree *value) {
    struct tree *n = syntax_make(f->s, TREE_REFERENCE, value->first, value->at);
    n->b = arena_alloc(f->s->arena, sizeof *n->b);
    *n->b = *leaf->type;
    n->b->next = NULL;
    n->b->flags |= TYPE_VOLATILE;
    n->a = value;
    n->end = value->end;
    return n;
}

struct tree *object_leaf(struct flattening *f, const struct object *o, const struct leaf *leaf,
                         const struct token *like) {
    struct tree *n = index_name(f, o, arena_printf(f->s->arena, "%s.%s", o->name, leaf->name), like);
    if (o->is_volatile && leaf->nsizes)
        flatten_fail(f, like, "not supported yet: an array within a volatile struct");
    return o->is_volatile ? make_volatile(f, leaf, n) : n;
}

/* ---- copies ---- */

/* Whether a value has no access and no effect, by its words: numbers and registers. */
static bool is_settled(const struct flattening *f, const struct tree *n) {
    if (!n) return true;
    const struct bound *b = n->kind == TREE_NAME && tree_is_word(n) ? bound_find(f, n->at->text) : NULL;
    switch (n->kind) {
    case TREE_NUMBER: return true;
    case TREE_NAME: return b && b->settled;
    case TREE_GROUPED:
    case TREE_UNARY:
    case TREE_BINARY: return is_settled(f, n->a) && is_settled(f, n->b);
    default: return false;
    }
}

void object_check_index(struct flattening *f, const struct object *o) {
    for (int k = 0; k < o->nindices; k++)
        if (!is_settled(f, o->indices[k]))
            flatten_fail(f, o->indices[k]->first,
                         "not supported yet: a whole struct by an index that is no number and no register: "
                         "put it into a register before");
}

void object_check_copy(struct flattening *f, const struct object *o, const struct token *at) {
    object_check_index(f, o);
    if (o->dimensions > 0)
        flatten_fail(f, at, "'%s' is an array of structs: write an index behind it", o->name);
    if (o->is_volatile)
        flatten_fail(f, at, "a volatile struct is copied member by member: C++ has no copy of it");
    if (o->in_memory && o->record->tree->flags && !o->vector.lanes)
        flatten_fail(
            f, at,
            "not supported yet: a copy of a whole '%s', which is aligned: nvcc may make one access of "
            "it; copy its members, or declare a vector such as int2",
            o->record->name);
}
