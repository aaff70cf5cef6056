/* Functions whose parameters or results are structs, those of a struct among them; and structs. */
#include "syntax/flatten.h"

/* ---- functions ---- */

/* A leaf as parameter. */
static void add_parameter(struct flattening *f, const struct leaf *leaf, const char *name, unsigned flags,
                          bool refers, const struct token *like, struct tree_list *out) {
    const char *whole = arena_printf(f->s->arena, "%s.%s", name, leaf->name);
    if (leaf->nsizes)
        flatten_fail(f, like, "not supported yet: a function of a struct with an array, '%s'", leaf->name);
    struct tree *n = flatten_make_declaration(f, leaf, whole, flags, NULL, like);
    if (refers && !(n->b->flags & DECLARES_POINTER)) n->b->flags |= DECLARES_REFERENCE;
    syntax_add(out, n);
}

static void add_parameters(struct flattening *f, const struct record_text *r, const char *name,
                           unsigned flags, bool refers, const struct token *like, struct tree_list *out) {
    struct leaf_list leaves;
    record_leaves(f, r, &leaves);
    for (int k = 0; k < leaves.n; k++)
        add_parameter(f, &leaves.list[k], name, flags, refers, like, out);
}

/* One of the text: a struct becomes its leaves, and what it is called is bound. */
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

/* The words of a head, "__device__ int P.f(", in which the name and a result that is a struct are others. */
static void set_head(struct flattening *f, struct tree *n, const char *name, bool has_result) {
    const struct token *from = n->a->first, *type = n->a->at;
    size_t words = has_result ? 1 : (size_t)(n->at - from);
    struct token *t = arena_array(f->s->arena, words + 4, sizeof *t);
    struct tree *result = arena_alloc(f->s->arena, sizeof *result);
    t[0] = *n->first;
    t[0].kind = TOK_NAME;
    t[0].text = "__device__";
    for (size_t k = 0; k < words; k++)
        t[1 + k] = from[k];
    if (has_result) t[1].text = "void";
    t[1 + words] = *n->at;
    t[1 + words].text = name;
    t[2 + words] = n->at[1];
    *result = *n->a;
    result->first = &t[1];
    result->at = has_result ? &t[1] : &t[1] + (type - from);
    result->end = &t[1] + (has_result ? 1 : n->a->end - from);
    n->first = t;
    n->a = result;
    n->at = &t[1 + words];
}

static bool has_word(const struct token *t, const struct token *end, const char *word) {
    for (; t < end && t->kind != TOK_END; t++)
        if (token_is_word(t, word)) return true;
    return false;
}

/* Whether `const` stands between the parameters and the lines. */
static bool is_const(const struct tree *n) {
    const struct token *behind = syntax_skip_pair(n->at + 1, '(', ')');
    return behind && n->b && has_word(behind, n->b->first, "const");
}

struct routine *routine_add(struct flattening *f, const struct record_text *of, const struct tree *n) {
    struct routine *r = arena_alloc(f->s->arena, sizeof *r);
    const char *name = n->at->text;
    bool is_static = has_word(n->first, n->a->first, "static");
    const struct record_text *result = record_of_type(f, n->a);
    *r = (struct routine){.name = of ? arena_printf(f->s->arena, "%s.%s", of->name, name) : name};
    r->parameters = n->c;
    r->of = is_static ? NULL : of;
    r->is_const = is_const(n);
    r->result = n->a->end == n->at ? result : NULL;
    r->next = f->routines;
    f->routines = r;
    return r;
}

bool routine_is(const struct tree *n) {
    return n->kind == TREE_FUNCTION && n->at && n->at->kind == TOK_NAME && n->at > n->a->first && n->b;
}

void flatten_function(struct flattening *f, struct tree *n, const struct routine *r,
                      const struct record_text *self, struct tree_list *out) {
    struct tree_list parameters = {0};
    int around = f->nbound, floor = f->floor;
    const struct token *like = n->at;
    const struct record_text *of = f->self;
    f->floor = around;
    if (r->result) add_parameters(f, r->result, "return", 0, true, like, &parameters);
    if (r->of) add_parameters(f, r->of, "this", r->is_const ? TYPE_CONST : 0, true, like, &parameters);
    for (struct tree *k = n->c, *next; k; k = next) {
        next = k->next;
        struct tree *copy = arena_alloc(f->s->arena, sizeof *copy);
        *copy = *k;
        copy->next = NULL;
        take_parameter(f, copy, &parameters);
    }
    if (f->fault || f->refused) {
        f->nbound = around;
        f->floor = floor;
        return;
    }
    n->c = parameters.first;
    if (self || r->result) set_head(f, n, r->name, r->result);
    f->self = r->of ? self : NULL;
    f->self_is_const = r->is_const;
    f->result = r->result;
    n->b = flatten_branch(f, n->b);
    f->self = of;
    f->result = NULL;
    f->nbound = around;
    f->floor = floor;
    syntax_add(out, n);
}

/* ---- structs ---- */

void record_check(struct flattening *f, const struct record_text *r) {
    struct leaf_list leaves;
    for (struct tree *n = r->tree->b; n; n = n->next)
        for (struct tree *k = n->kind == TREE_DECLARATION ? n->b : NULL; k && !f->fault; k = k->next) {
            const struct record_text *inner = record_of_type(f, n->a);
            const struct tree *type;
            if (k->at->kind != TOK_NAME) continue;
            if (inner == r || (inner && k->flags & (DECLARES_POINTER | DECLARES_REFERENCE | DECLARES_WHOLE)))
                flatten_fail(f, k->at, "not supported yet: a member that leads to a struct");
            else if (k->flags & (DECLARES_REFERENCE | DECLARES_WHOLE))
                flatten_fail(f, k->at,
                             "not supported yet: a member that is a reference; a pointer may be one");
            else if (k->flags & DECLARES_POINTER && k->c)
                flatten_fail(f, k->at, "not supported yet: an array of pointers");
            else if (record_member(r, k->at->text, &type) != k)
                flatten_fail(f, k->at, "'%s' is declared twice", k->at->text);
            else if (k->b && (inner || k->c))
                flatten_fail(f, k->at, "not supported yet: a value of such a member: give it where a '%s' is",
                             r->name);
            else if (k->b)
                flatten_value(f, &k->b);
        }
    if (!f->fault) record_leaves(f, r, &leaves);
    if (!f->fault && leaves.n == 0) flatten_fail(f, r->tree->at, "a struct has a member at least");
}

void flatten_record(struct flattening *f, struct tree *n, struct tree_list *out) {
    struct record_text *r = arena_alloc(f->s->arena, sizeof *r);
    struct tree *within = n->d ? flatten_list(f, n->d) : NULL;
    while (within) {
        struct tree *next = within->next;
        within->next = NULL;
        if (within->kind == TREE_BAD && !f->fault) f->fault = within->fault;
        syntax_add(out, within);
        within = next;
    }
    struct record_text *located = located_define(f, n);
    *r = (struct record_text){.name = n->at->text, .tree = n, .next = f->records};
    if (!located && record_find(f, r->name)) flatten_fail(f, n->at, "'%s' is defined already", r->name);
    if (!located) f->records = r;
    if (located) r = located;
    if (n->c && n->c->kind == TREE_NAME) {
        record_name(f, n->c->at, r);
        n->c = NULL;
    }
    if (n->a && !f->fault) f->fault = n->a->fault;
    if (!f->fault) record_check(f, r);
    for (struct tree *k = n->b; k && !f->fault; k = k->next)
        if (routine_is(k)) routine_add(f, r, k);
    for (struct tree *k = n->b, *next; k && !f->fault; k = next) {
        next = k->next;
        if (!routine_is(k)) continue;
        const struct routine *routine =
            routine_find(f, arena_printf(f->s->arena, "%s.%s", r->name, k->at->text));
        struct tree *copy = arena_alloc(f->s->arena, sizeof *copy);
        *copy = *k;
        copy->next = NULL;
        flatten_function(f, copy, routine, r, out);
    }
    r->bad = f->fault;
    if (n->c && !f->fault) flatten_declaration(f, n->c, out);
}
