/* Declarations: registers, and other names of places and groups. What is declared follows from the value as well:
 *
 *   int a = 1, b[4];   int *p = &X;   int &r = X;   auto g = cg::this_thread_block();   auto f = cuda::atomic_ref<int>(X); */
#include <string.h>

#include "bodies/bodies.h"
#include "litmus/name.h"
#include "lower/calls.h"
#include "lower/pointer.h"

static bool is_constant(const struct tree *type) {
    return type->flags & (TYPE_CONST | TYPE_CONSTEXPR);
}

/* Whether `auto` makes a pointer, a group or an atomic_ref of a value, which then has that name. */
static bool declare_other(struct parser *p, const struct tree *type, const struct tree *n) {
    if (asm_window_declare(p, n->at, n->b)) return true;
    if (!(type->flags & TYPE_AUTO)) return false;
    if (place_is_address(p, n->b)) {
        pointer_declare(p, type, n);
        return true;
    }
    return groups_declare_auto(p, n) || atomic_declare_auto(p, n);
}

void declaration_set(struct parser *p, int reg, struct expr *value, bool constant, struct pos pos) {
    body_set(p, reg, value, pos);
    if (constant) body_keep_number(p, reg, value);
    p->locals[reg].constant = constant;
}

/* r = value, whose type it has if it is `auto`. */
static void declare_equal(struct parser *p, const struct tree *type, const struct tree *n) {
    bool automatic = type->flags & TYPE_AUTO;
    if (declare_other(p, type, n) || p->panic) return;
    struct expr *value = automatic ? lower_value(p, n->b) : NULL;
    struct type t = value ? value->type : lower_type(p, type);
    if (p->panic) return;
    int reg = body_declare(p, n->at, t);
    if (!value) value = lower_value(p, n->b);
    declaration_set(p, reg, value, is_constant(type), n->at->pos);
}

/* A register, with its value in brackets or braces if it has any. */
static void declare_plain(struct parser *p, const struct tree *type, const struct tree *n) {
    const struct token *name = n->at;
    if (type->flags & TYPE_AUTO) parse_error(p, name->pos, "'auto' needs a value: auto %s = ...", name->text);
    struct type t = lower_type(p, type);
    if (p->panic) return;
    int reg = body_declare(p, name, t);
    if (n->b) declaration_set(p, reg, lower_initial(p, n->b, t), is_constant(type), name->pos);
    p->locals[reg].constant = is_constant(type);
}

static void declare_register(struct parser *p, const struct tree *type, const struct tree *n) {
    if (n->c && !(type->flags & TYPE_AUTO))
        registers_declare(p, type, n);
    else if (n->b && !n->c && n->flags & DECLARES_EQUAL &&
             (n->b->kind != TREE_LIST || type->flags & TYPE_AUTO))
        declare_equal(p, type, n);
    else
        declare_plain(p, type, n);
}

/* &name = X, auto &&name = X; or a group, an atomic_ref */
static void declare_reference(struct parser *p, const struct tree *type, const struct tree *n) {
    bool automatic = type->flags & TYPE_AUTO;
    if (n->flags & DECLARES_MOVED && !automatic)
        parse_error(p, n->first->pos, "'&&' is supported behind 'auto'; a reference to a place has one '&'");
    if (!(n->flags & DECLARES_EQUAL)) parse_error(p, n->end[-1].after, "expected '='");
    if (!p->panic && automatic && (groups_declare_auto(p, n) || atomic_declare_auto(p, n))) return;
    pointer_declare_alias(p, type, n);
}

static const struct token *find_word(const struct tree *type, const char *word) {
    const struct token *t = type->first;
    while (t < type->end && !token_is_word(t, word))
        t++;
    return t < type->end ? t : NULL;
}

static void declare_one(struct parser *p, const struct tree *type, const struct tree *n) {
    const struct token *is_volatile = find_word(type, "volatile");
    bool other = n->flags & (DECLARES_POINTER | DECLARES_REFERENCE | DECLARES_WHOLE);
    if (is_volatile && !other) parse_error(p, is_volatile->pos, "'volatile' is %s", name_refusal("volatile"));
    if (n->at->kind != TOK_NAME) parse_fault(p, n->fault);
    if (p->panic) return;
    if (n->flags & DECLARES_POINTER && n->c)
        pointers_declare(p, type, n);
    else if (n->flags & DECLARES_POINTER)
        pointer_declare(p, type, n);
    else if (n->flags & DECLARES_WHOLE)
        pointer_declare_whole(p, type, n);
    else if (n->flags & DECLARES_REFERENCE)
        declare_reference(p, type, n);
    else
        declare_register(p, type, n);
}

static void declare_all(struct parser *p, const struct tree *n) {
    bool pointers = false;
    for (const struct tree *k = n->b; k && !p->panic; k = k->next) {
        bool other = k->flags & (DECLARES_POINTER | DECLARES_REFERENCE | DECLARES_WHOLE);
        if (pointers && !other && k->at->kind == TOK_NAME)
            parse_error(p, k->at->pos, "a register is declared by itself, not beside pointers");
        pointers = pointers || k->flags & DECLARES_POINTER;
        declare_one(p, n->a, k);
        if (k->fault && !p->panic) parse_fault(p, k->fault);
    }
}

/* Lets a library declare each name. */
static void declare_each(struct parser *p, const struct tree *n,
                         void (*declare)(struct parser *p, const struct tree *type, const struct tree *n)) {
    for (const struct tree *k = n->b; k && !p->panic; k = k->next) {
        if (k->at->kind != TOK_NAME) parse_fault(p, k->fault);
        if (!p->panic) declare(p, n->a, k);
        if (k->fault) parse_fault(p, k->fault);
    }
}

static void lower_any(struct parser *p, const struct tree *n) {
    const struct tree *type = n->a;
    if (type->fault) parse_fault(p, type->fault);
    if (p->panic) return;
    if (arrival_is_type(p, type))
        declare_each(p, n, arrival_declare);
    else if (type->flags & TYPE_SHARED)
        shared_declare(p, n);
    else if (type->a && groups_know(p, type->a))
        declare_each(p, n, groups_declare);
    else if (type->a && atomic_is_type(type->a))
        declare_each(p, n, atomic_declare);
    else if (type->a)
        assign_lower(p, type->a); /* what is no type */
    else
        declare_all(p, n);
}

void declaration_lower(struct parser *p, const struct tree *n) {
    lower_any(p, n);
    for (const struct tree *k = n->b; k && p->panic; k = k->next) {
        const struct token *name = k->at;
        while (name->kind == '*' || name->kind == '(') /* of **name or (*name)(int), which is refused */
            name++;
        if (name->kind == TOK_NAME && body_find(p, name->text) < 0 && !reference_find(p, name->text) &&
            find_location(p->test, name->text) < 0)
            body_refuse(p, name);
    }
}
