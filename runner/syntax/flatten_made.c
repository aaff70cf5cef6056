/* Structs that a value makes on its way, f(1).a and P{1, 2}.a; and how many bytes a struct has. */
#include "syntax/flatten.h"

/* ---- values with statements before them ---- */

struct tree *value_after(struct flattening *f, struct tree *statements, struct tree *value) {
    struct tree *n = syntax_make(f->s, TREE_AFTER, value->first, value->at);
    n->end = value->end;
    n->a = statements;
    n->b = value;
    return n;
}

static bool is_braces(struct flattening *f, const struct tree *n) {
    return n->kind == TREE_BRACES && n->a && record_of_type(f, n->a);
}

bool value_makes(struct flattening *f, const struct tree *n) {
    n = tree_inside(n);
    return is_braces(f, n) || result_find(f, n);
}

struct tree *value_make(struct flattening *f, const struct tree *n, struct object *o) {
    struct tree_list l = {0};
    struct tree *whole = arena_alloc(f->s->arena, sizeof *whole);
    *whole = *tree_inside(n);
    whole->next = NULL;
    object_make(f, is_braces(f, whole) ? record_of_type(f, whole->a) : result_find(f, whole)->result, whole,
                o, &l);
    return l.first;
}

/* ---- sizes ---- */

struct extent {
    long long bytes, align;
};

static long long align_up(long long bytes, long long align) {
    return (bytes + align - 1) / align * align;
}

bool record_type(struct flattening *f, const struct tree *n, struct type *out) {
    const char *name = "";
    for (const struct token *t = n->at; t < n->end && t->kind == TOK_NAME; t++)
        if (t == n->at || type_is_word(t->text))
            name = arena_printf(f->s->arena, "%s%s%s", name, *name ? " " : "", t->text);
    return !n->a && type_find(name, out);
}

static struct extent lay_out(struct flattening *f, const struct record_text *r);

static struct extent lay_out_member(struct flattening *f, const struct record_text *r,
                                    const struct tree *type, const struct tree *n) {
    const struct record_text *inner = record_of_type(f, type);
    struct extent of = {8, 8};
    struct type found = {0};
    bool points = n->flags & DECLARES_POINTER, known = points || inner || record_type(f, type, &found);
    if (inner)
        of = lay_out(f, inner);
    else if (!points && known)
        of.bytes = of.align = type_bytes(found);
    for (const struct tree *k = n->c; k; k = k->next) {
        known = known && k->kind == TREE_NUMBER;
        if (known) of.bytes *= token_number(k->at);
    }
    if (!known)
        flatten_fail(f, n->at,
                     "not supported yet: the size of '%s' with this member; write the number of bytes",
                     r->name);
    return of;
}

/* The number behind alignas; 1: there is none. */
static long long find_alignment(const struct record_text *r) {
    const struct tree *n = r->tree;
    if (!n->flags) return 1;
    const struct token *t = n->first;
    while (t->kind != '{' && t->kind != TOK_INT)
        t++;
    return t->kind == TOK_INT ? token_number(t) : 16;
}

static struct extent lay_out(struct flattening *f, const struct record_text *r) {
    struct extent whole = {0, find_alignment(r)};
    for (const struct tree *n = r->tree->b; n; n = n->next)
        for (const struct tree *k = n->kind == TREE_DECLARATION ? n->b : NULL; k && !f->fault; k = k->next) {
            struct extent member = lay_out_member(f, r, n->a, k);
            if (member.align > whole.align) whole.align = member.align;
            whole.bytes = align_up(whole.bytes, member.align) + member.bytes;
        }
    whole.bytes = align_up(whole.bytes, whole.align);
    return whole;
}

long long record_bytes(struct flattening *f, const struct record_text *r) {
    return lay_out(f, r).bytes;
}

/* ---- vectors ---- */

struct type record_vector(struct flattening *f, const struct record_text *r) {
    struct leaf_list leaves;
    struct type type = {0}, first = {0};
    bool same = true;
    record_leaves(f, r, &leaves);
    if (!r->tree->flags || (leaves.n != 2 && leaves.n != 4)) return (struct type){0};
    for (int k = 0; k < leaves.n; k++) {
        const struct leaf *leaf = &leaves.list[k];
        bool scalar = !leaf->nsizes && !(leaf->declarator->flags & DECLARES_POINTER) &&
                      record_type(f, leaf->type, &type) && !type_is_vector(type) && type.bits > 1;
        if (k == 0) first = type;
        if (!scalar || type.bits != first.bits) return (struct type){0};
        same = same && type_same(type, first);
    }
    struct type vector = {.bits = first.bits, .lanes = (uint8_t)leaves.n};
    vector.sign = same && first.sign;
    vector.real = same && first.real;
    bool fits = type_bytes(vector) <= 16 && find_alignment(r) >= type_bytes(vector);
    return fits ? vector : (struct type){0};
}

/* A word, and what may stand behind it. */
static struct tree *name_type(struct flattening *f, const char *name, const struct token *like) {
    const struct token *t = flatten_token(f, TOK_NAME, name, like);
    struct tree *n = syntax_make(f->s, TREE_TYPE, t, t);
    n->end = t + 1;
    return n;
}

/* __builtin_bit_cast(type, value) */
static struct tree *make_bits(struct flattening *f, struct tree *type, struct tree *value) {
    struct tree *n = syntax_make(f->s, TREE_BITS, value->first, value->at);
    n->end = value->end;
    n->a = value;
    n->b = type;
    return n;
}

/* Whether a leaf has another type than the vector's lanes. */
static bool has_other_type(struct flattening *f, const struct object *o, const struct leaf *leaf) {
    struct type type = {0};
    return record_type(f, leaf->type, &type) && !type_same(type, type_lane(o->vector));
}

void vector_leaves(struct flattening *f, const struct object *o, const struct token *like,
                   struct tree **values) {
    const char *name = arena_printf(f->s->arena, "t$whole.%d", ++f->made);
    struct tree *type = name_type(f, type_name(o->vector), like);
    const struct leaf whole = {.type = type, .declarator = type};
    struct tree *declared = flatten_make_declaration(f, &whole, name, 0, object_whole(f, o, like), like);
    struct leaf_list leaves;
    record_leaves(f, o->record, &leaves);
    for (int k = 0; k < leaves.n; k++) {
        const char lane[] = {type_lane_name(k), '\0'};
        const struct token *word = flatten_token(f, TOK_NAME, arena_strdup(f->s->arena, lane), like);
        struct tree *n = flatten_name(f, name, like),
                    *member = syntax_make(f->s, TREE_MEMBER, n->first, word);
        struct tree *leaf_type = arena_alloc(f->s->arena, sizeof *leaf_type);
        *leaf_type = *leaves.list[k].type;
        leaf_type->next = NULL;
        member->a = n;
        member->end = word + 1;
        values[k] = has_other_type(f, o, &leaves.list[k]) ? make_bits(f, leaf_type, member) : member;
    }
    values[0] = value_after(f, declared, values[0]);
}

struct tree *vector_assign(struct flattening *f, const struct object *o, struct tree **values,
                           const struct token *like) {
    struct tree *target = object_whole(f, o, like);
    struct tree *callee = flatten_name(f, arena_printf(f->s->arena, "make_%s", type_name(o->vector)), like);
    struct tree *call = syntax_make(f->s, TREE_CALL, callee->first, flatten_token(f, '(', "(", like)),
                *n = syntax_make(f->s, TREE_ASSIGN, target->first, flatten_token(f, '=', "=", like));
    struct tree_list l = {0};
    struct leaf_list leaves;
    record_leaves(f, o->record, &leaves);
    for (int k = 0; k < leaves.n; k++) {
        struct tree *value = values[k];
        if (has_other_type(f, o, &leaves.list[k]))
            value = make_bits(f, name_type(f, type_name(type_lane(o->vector)), like), value);
        syntax_add(&l, value);
    }
    call->a = callee;
    call->b = l.first;
    call->end = callee->end + 1;
    n->a = target;
    n->b = call;
    n->end = like + 1;
    return n;
}
