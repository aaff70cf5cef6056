/* Finds the objects that a text names, which structs they are, their members and their leaves. */
#include <inttypes.h>
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

static struct token *make_token(struct flattening *f, int kind, const char *text, const struct token *like) {
    struct token *t = arena_array(f->s->arena, 4, sizeof *t);
    for (int k = 0; k < 4; k++) {
        t[k] = *like;
        t[k].kind = TOK_END;
    }
    t[1].kind = kind;
    t[1].text = text;
    return &t[1];
}

struct tree *flatten_word(struct flattening *f, enum tree_kind kind, const char *text,
                          const struct token *like) {
    const struct token *t = make_token(f, kind == TREE_LIST ? '{' : TOK_NAME, text, like);
    struct tree *n = syntax_make(f->s, kind, t, t);
    n->end = t + 1;
    return n;
}

struct tree *flatten_number(struct flattening *f, struct type type, uint64_t number,
                            const struct token *like) {
    struct token *t = make_token(f, TOK_INT, arena_printf(f->s->arena, "%" PRIu64, number), like);
    struct tree *n = syntax_make(f->s, TREE_NUMBER, t, t);
    t->type = type;
    t->value = (struct value){number, 0};
    n->end = t + 1;
    return n;
}

struct tree *flatten_node(struct flattening *f, enum tree_kind kind, const struct tree *like, struct tree *a,
                          struct tree *b) {
    struct tree *n = syntax_make(f->s, kind, like->first, like->at);
    n->end = like->end;
    n->a = a;
    n->b = b;
    return n;
}

struct tree *flatten_operator(struct flattening *f, enum tree_kind kind, int sign, struct tree *a,
                              struct tree *b) {
    struct tree *n = flatten_node(f, kind, a, a, b);
    n->at = make_token(f, sign, arena_printf(f->s->arena, "%c", sign), a->first);
    return n;
}

struct tree *flatten_copy(struct flattening *f, const struct tree *n) {
    struct tree *copy = arena_alloc(f->s->arena, sizeof *copy);
    *copy = *n;
    copy->next = NULL;
    return copy;
}

/* ---- structs ---- */

const struct record_text *record_find(const struct flattening *f, const char *name) {
    const struct record_text *r = f->records;
    while (r && strcmp(r->name, name) != 0)
        r = r->next;
    return r && r->same ? r->same : r;
}

struct record_text *record_add(struct arena *a, struct record_text **list, const char *name,
                               const struct tree *tree) {
    struct record_text *r = arena_alloc(a, sizeof *r);
    *r = (struct record_text){.name = name, .tree = tree, .next = *list};
    r->leaves = arena_alloc(a, sizeof *r->leaves);
    r->leaves->n = -1;
    return *list = r;
}

const struct record_text *record_of_type(struct flattening *f, const struct tree *type) {
    bool named = type && type->kind == TREE_TYPE && !type->a && type->at->kind == TOK_NAME;
    const struct record_text *r = named ? record_find(f, type->at->text) : NULL;
    if (r && r->bad) f->refused = true;
    return r;
}

bool record_alias(struct flattening *f, const struct tree *n) {
    const struct record_text *same = record_of_type(f, n->a);
    if (same) record_add(f->s->arena, &f->records, n->at->text, NULL)->same = same;
    return same;
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

/* Adds the leaves of a struct that is a member of another one. */
static void add_leaves(struct flattening *f, const struct record_text *r, const struct leaf *around,
                       struct leaf_list *out) {
    for (const struct tree *n = r->tree->b; n; n = n->next) {
        const struct record_text *inner = record_of_type(f, n->a);
        struct leaf leaf = *around;
        leaf.name = arena_printf(f->s->arena, "%s%s%s", around->name, *around->name ? "." : "", n->at->text);
        leaf.declarator = n;
        if (!add_sizes(f, &leaf, n)) return;
        if (inner && !inner->bad)
            add_leaves(f, inner, &leaf, out);
        else if (!inner && out->n < RECORD_MAX_LEAVES)
            out->list[out->n++] = leaf;
        else if (!inner)
            flatten_fail(f, n->at, "a struct has at most %d members", RECORD_MAX_LEAVES);
    }
}

const struct leaf_list *record_leaves(struct flattening *f, const struct record_text *r) {
    if (r->leaves->n >= 0) return r->leaves;
    r->leaves->n = 0;
    add_leaves(f, r, &(struct leaf){.name = ""}, r->leaves);
    return r->leaves;
}

const struct tree *record_member(const struct record_text *r, const char *name) {
    const struct tree *n = r->tree->b;
    while (n && !token_is_word(n->at, name))
        n = n->next;
    return n;
}

/* ---- names ---- */

void flatten_bind(struct flattening *f, struct bound b) {
    f->bound = arena_more(f->s->arena, f->bound, (size_t)f->in.nbound, sizeof *f->bound);
    f->bound[f->in.nbound++] = b;
}

const struct bound *bound_find(const struct flattening *f, const char *name) {
    const struct record_text *self = f->in.self;
    bool member = self && (record_member(self, name) || strcmp(name, "this") == 0);
    for (int k = f->in.nbound; --k >= 0;) {
        if (k < f->in.floor && member) return NULL;
        if (k < f->in.floor && k >= f->globals) continue;
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
    return (struct object){.record = f->in.self,
                           .name = "this",
                           .in_memory = true,
                           .perhaps = true,
                           .constant = f->in.self_is_const};
}

static bool is_zero(const struct tree *n) {
    n = tree_inside(n);
    return n->kind == TREE_NUMBER && value_is_zero(n->at->value);
}

/* Returns the object so many elements further. */
static bool object_move(struct flattening *f, struct object *o, const struct tree *by, int sign) {
    const struct tree **last = o->nindices ? &o->indices[o->nindices - 1] : NULL;
    if (o->dimensions > 0) return false;
    if (is_zero(by)) return true;
    if (!last)
        flatten_fail(f, by->first, "'%s' is not an array: no element lies beside it", o->name);
    else if (is_zero(*last) && sign == '+')
        *last = by;
    else
        *last = flatten_operator(f, TREE_BINARY, sign, flatten_copy(f, *last), flatten_copy(f, by));
    return true;
}

/* Returns a member of an object that is a struct itself. */
static bool find_inner(struct flattening *f, const struct token *name, struct object *o) {
    const struct tree *member = record_member(o->record, name->text);
    const struct record_text *r = member ? record_of_type(f, member->a) : NULL;
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
    if (b || !f->in.self || !tree_is_word(n)) return b && b->is_object && b->points == points;
    *o = this_object(f);
    if (points) return strcmp(name, "this") == 0;
    return find_inner(f, n->at, o);
}

/* Returns the element with an index: in an array of structs, or counted from the struct to which a pointer
 * leads. */
static bool find_indexed(struct flattening *f, const struct tree *n, struct object *o) {
    if (!object_find(f, n->a, false, o)) return object_find(f, n->a, true, o) && object_move(f, o, n->b, '+');
    if (o->dimensions == 0) return false;
    if (o->nindices < OBJECT_MAX_DIMENSIONS) o->indices[o->nindices++] = n->b;
    o->dimensions--;
    return true;
}

void object_first(struct flattening *f, struct object *o, const struct token *like) {
    o->indices[o->nindices++] = flatten_number(f, type_int, 0, like);
    o->dimensions = 0;
}

/* Returns an array of structs as the address of its first element. */
static bool find_first(struct flattening *f, const struct tree *n, struct object *o) {
    if (!object_find(f, n, false, o) || o->dimensions != 1 || o->nindices == OBJECT_MAX_DIMENSIONS)
        return false;
    object_first(f, o, n->first);
    return true;
}

static bool find_object(struct flattening *f, const struct tree *n, struct object *o) {
    switch (n->kind) {
    case TREE_NAME: return find_named(f, n, false, o);
    case TREE_DEREF: return object_find(f, n->a, true, o);
    case TREE_INDEX: return find_indexed(f, n, o);
    case TREE_MEMBER:
    case TREE_ARROW: return object_before(f, n, o) && find_inner(f, n->at, o);
    default: return false;
    }
}

static bool find_address(struct flattening *f, const struct tree *n, struct object *o) {
    bool adds = n->kind == TREE_BINARY && (n->at->kind == '+' || n->at->kind == '-');
    if (n->kind == TREE_ADDRESS) return object_find(f, n->a, false, o);
    if (adds) return object_find(f, n->a, true, o) && object_move(f, o, n->b, n->at->kind);
    if (n->kind == TREE_NAME && find_named(f, n, true, o)) return true;
    return find_first(f, n, o);
}

bool object_find(struct flattening *f, const struct tree *n, bool address, struct object *o) {
    n = tree_inside(n);
    return (address ? find_address : find_object)(f, n, o);
}

bool object_before(struct flattening *f, const struct tree *n, struct object *o) {
    return object_find(f, n->a, n->kind == TREE_ARROW, o);
}

/* Adds the indices of an object to a name. */
static struct tree *index_name(struct flattening *f, const struct object *o, const char *name,
                               const struct token *like) {
    struct tree *n = flatten_word(f, TREE_NAME, name, like);
    for (int k = 0; k < o->nindices; k++) {
        n = flatten_node(f, TREE_INDEX, n, n, flatten_copy(f, o->indices[k]));
        flatten_value(f, &n->b);
    }
    return n;
}

struct tree *object_whole(struct flattening *f, const struct object *o, const struct token *like) {
    return index_name(f, o, o->name, like);
}

struct tree *object_leaf(struct flattening *f, const struct object *o, const struct leaf *leaf,
                         const struct token *like) {
    struct tree *n = index_name(f, o, arena_printf(f->s->arena, "%s.%s", o->name, leaf->name), like);
    if (!o->is_volatile) return n;
    if (leaf->nsizes) flatten_fail(f, like, "not supported yet: an array within a volatile struct");
    n = flatten_node(f, TREE_REFERENCE, n, n, flatten_copy(f, leaf->declarator->a)); /* (volatile T &)a */
    n->b->flags |= TYPE_VOLATILE;
    return n;
}

/* ---- copies ---- */

/* Whether a value has neither an access nor an effect, by its words: it has only numbers and registers. */
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
