/* How many bytes a struct has, and which structs are copied as vectors. */
#include "syntax/flatten.h"

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

static struct extent lay_out_member(struct flattening *f, const struct record_text *r, const struct tree *n) {
    const struct record_text *inner = record_of_type(f, n->a);
    struct extent of = {8, 8};
    struct type found = {0};
    bool points = n->flags & DECLARES_POINTER, known = points || inner || record_type(f, n->a, &found);
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

/* Returns the number in alignas; 1: there is none. */
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
    for (const struct tree *n = r->tree->b; n && !f->fault; n = n->next) {
        struct extent member = lay_out_member(f, r, n);
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
    const struct leaf_list *leaves = record_leaves(f, r);
    struct type type = {0}, first = {0};
    bool same = true;
    if (!r->tree->flags || (leaves->n != 2 && leaves->n != 4)) return (struct type){0};
    for (int k = 0; k < leaves->n; k++) {
        const struct leaf *leaf = &leaves->list[k];
        bool scalar = !leaf->nsizes && !(leaf->declarator->flags & DECLARES_POINTER) &&
                      record_type(f, leaf->declarator->a, &type) && !type_is_vector(type) && type.bits > 1;
        if (k == 0) first = type;
        if (!scalar || type.bits != first.bits) return (struct type){0};
        same = same && type_same(type, first);
    }
    struct type vector = {.bits = first.bits, .lanes = (uint8_t)leaves->n};
    vector.sign = same && first.sign;
    vector.real = same && first.real;
    bool fits = type_bytes(vector) <= 16 && find_alignment(r) >= type_bytes(vector);
    return fits ? vector : (struct type){0};
}

/* Returns a value as a lane of the vector; if the types differ, by __builtin_bit_cast(type, value). */
static struct tree *with_type(struct flattening *f, const struct leaf *leaf, struct type lane,
                              const struct tree *type, struct tree *value) {
    struct type found = {0};
    bool other = record_type(f, leaf->declarator->a, &found) && !type_same(found, lane);
    return other ? flatten_node(f, TREE_BITS, value, value, flatten_copy(f, type)) : value;
}

void vector_leaves(struct flattening *f, const struct object *o, const struct token *like,
                   struct tree **values) {
    const struct leaf_list *leaves = record_leaves(f, o->record);
    const char *name = arena_printf(f->s->arena, "t$whole.%d", ++f->made);
    struct tree *type = flatten_word(f, TREE_TYPE, type_name(o->vector), like);
    struct tree *declared = flatten_declare(f, type, name, object_whole(f, o, like), like);
    for (int k = 0; k < leaves->n; k++) {
        const struct leaf *leaf = &leaves->list[k];
        const char *lane = arena_printf(f->s->arena, "%c", type_lane_name(k));
        struct tree *word = flatten_word(f, TREE_MEMBER, lane, like);
        word->a = flatten_word(f, TREE_NAME, name, like);
        values[k] = with_type(f, leaf, type_lane(o->vector), leaf->declarator->a, word);
    }
    values[0] = value_after(f, declared, values[0]);
}

struct tree *vector_assign(struct flattening *f, const struct object *o, struct tree **values,
                           const struct token *like) {
    const struct leaf_list *leaves = record_leaves(f, o->record);
    const struct type lane = type_lane(o->vector);
    const struct tree *type = flatten_word(f, TREE_TYPE, type_name(lane), like);
    const char *name = arena_printf(f->s->arena, "make_%s", type_name(o->vector));
    struct tree_list l = {0};
    for (int k = 0; k < leaves->n; k++)
        syntax_add(&l, with_type(f, &leaves->list[k], lane, type, values[k]));
    struct tree *callee = flatten_word(f, TREE_NAME, name, like);
    return flatten_operator(f, TREE_ASSIGN, '=', object_whole(f, o, like),
                            flatten_operator(f, TREE_CALL, '(', callee, l.first));
}
