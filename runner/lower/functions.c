/* Functions of CUDA that compute in registers: min, __popc and their like; and printf and assert, which real kernels have
 * beside what they do to memory. */
#include <string.h>

#include "lower/calls.h"

/* A function, and what makes it of its arguments: `kind` is an operator that it is made of, and its values are converted to `type`
 * unless that is NULL. Operators on bits take a number without a sign. */
struct function {
    const char *usage;
    struct expr *(*make)(struct parser *p, struct arguments *a, const struct function *f);
    enum expr_kind kind;
    const struct type *type;
    const char *text; /* of a formula */
    bool whole;       /* whose values are integers */
};

static bool counts_nodes(const struct expr *e, int *left) {
    if (!e) return true;
    return --*left >= 0 && counts_nodes(e->a, left) && counts_nodes(e->b, left) && counts_nodes(e->c, left);
}

/* A value that is used several times: a large one is computed once. */
static struct expr *keep(struct parser *p, struct expr *e) {
    int left = 8;
    return p->panic || counts_nodes(e, &left) ? e : body_hold(p, e, e->pos);
}

static const char *name_of(struct parser *p, const struct arguments *a) {
    return arena_printf(p->arena, "%.*s()", (int)strcspn(a->usage, "("), a->usage);
}

static struct expr *argument(struct parser *p, struct arguments *a) {
    const struct tree *n = arguments_take(p, a, "a value");
    return n ? expr_scalar(p, lower_value(p, n), name_of(p, a)) : expr_int(p, a->before->pos, 0);
}

static struct expr *whole_argument(struct parser *p, struct arguments *a, const struct type *type) {
    struct expr *e = argument(p, a);
    if (!e->type.real) return expr_cast(p, e, *type);
    parse_error(p, e->pos, "%s needs an integer, and this is of type %s", name_of(p, a), type_name(e->type));
    return expr_int(p, e->pos, 0);
}

static struct expr *make_bits(struct parser *p, struct arguments *a, const struct function *f) {
    struct expr *e = whole_argument(p, a, f->type);
    struct type type = e->type;
    e = expr_new(p, f->kind, a->pos, e, NULL);
    e->a = expr_cast(p, e->a, type);
    return e;
}

static struct expr *converted(struct parser *p, const struct function *f, struct expr *e) {
    return keep(p, f->type ? expr_cast(p, e, *f->type) : e);
}

/* The smaller or larger of two numbers; of real ones, if one is no number, the other (CUDA, fminf). */
static struct expr *make_extreme(struct parser *p, struct arguments *a, const struct function *f) {
    struct expr *x = converted(p, f, argument(p, a)), *y = converted(p, f, argument(p, a));
    struct expr *first = expr_new(p, f->kind, a->pos, x, y);
    if (y->type.real && y->kind != EXPR_INT)
        first = expr_new(p, EXPR_LOR, a->pos, first, expr_new(p, EXPR_NE, a->pos, y, y));
    return expr_choice(p, a->pos, first, x, y);
}

/* One byte of those of y and x, from the low end of x, and where it goes. */
static struct expr *place_byte(struct parser *p, struct expr *x, struct expr *y, unsigned from, int to) {
    struct expr *word = from < 4 ? x : y;
    struct expr *shifted = expr_new(p, EXPR_SHR, x->pos, word, expr_int(p, x->pos, 8 * (int)(from & 3)));
    struct expr *byte = expr_new(p, EXPR_AND, x->pos, shifted, expr_int(p, x->pos, 0xff));
    return expr_new(p, EXPR_SHL, x->pos, byte, expr_int(p, x->pos, 8 * to));
}

static struct expr *make_permutation(struct parser *p, struct arguments *a, const struct function *f) {
    struct expr *x = keep(p, whole_argument(p, a, f->type));
    struct expr *y = keep(p, whole_argument(p, a, f->type));
    struct expr *selector = body_fold(p, whole_argument(p, a, f->type)), *all = NULL;
    if (selector->kind != EXPR_INT || selector->value.lo & 0x8888) {
        parse_error(p, selector->pos,
                    "__byte_perm() is supported with a selector that is a number, whose digits are 0 to 7");
        return expr_int(p, a->pos, 0);
    }
    for (int k = 0; k < 4; k++) {
        struct expr *byte = place_byte(p, x, y, selector->value.lo >> 4 * k & 7, k);
        all = all ? expr_new(p, EXPR_OR, a->pos, all, byte) : byte;
    }
    return all;
}

static struct expr *make_formula(struct parser *p, struct arguments *a, const struct function *f) {
    struct expr *values[3];
    int k = 0;
    for (const char *c = f->usage; (c = strpbrk(c, "(,")); c++, k++) {
        const char *used = strchr(f->text, 'x' + k);
        values[k] = f->whole ? whole_argument(p, a, f->type) : argument(p, a);
        if (f->type) values[k] = expr_cast(p, values[k], *f->type);
        if (used && strchr(used + 1, 'x' + k)) values[k] = keep(p, values[k]);
    }
    return formula_value(p, a->pos, values, "%s", f->text);
}

/* signbit(x), of a real number */
static struct expr *make_sign(struct parser *p, struct arguments *a, const struct function *f) {
    struct expr *e = argument(p, a);
    e = type_same(e->type, type_double) ? expr_bits(p, e, type_int64)
                                        : expr_bits(p, expr_cast(p, e, type_float), type_int);
    return expr_new(p, f->kind, a->pos, e, expr_int(p, a->pos, 0));
}

static const struct function functions[] = {
#define FUNCTION(usage, make, kind, type) {usage, make, kind, type, NULL, false},
#define FORMULA(usage, type, whole, text) {usage, make_formula, EXPR_INT, type, text, whole},
#include "lower/names.def"
};

const struct names function_names = NAMES_OF(functions);

bool function_is(const char *name) {
    return names_find(function_names, name);
}

/* Whether a call is of one of them: min(a, b) or std::min(a, b). */
static bool is_called(const struct tree *call) {
    const struct token *t = call->a->first, *last = call->a->at;
    if (call->a->kind != TREE_NAME || call->at->kind != '(') return false;
    bool std = token_is_word(t, "cuda") ? token_is_word(t + 3, "std") && last == t + 6
                                        : token_is_word(t, "std") && last == t + 3;
    return (std || last == t) && function_is(last->text);
}

/* ---- make_int4(x, y, z, w), int(x) ---- */

static bool makes_vector(const struct tree *call, struct type *type) {
    const char *name = call->first->text;
    return tree_is_word(call->a) && strncmp(name, "make_", 5) == 0 && type_find(name + 5, type) &&
           type_is_vector(*type);
}

static struct expr *make_vector(struct parser *p, const struct tree *call, struct type type) {
    struct expr *lanes[4];
    const struct token *t = call->first;
    const struct tree *n = call->b;
    for (int k = 0; k < type.lanes; k++, n = n ? n->next : NULL) {
        if (!n) parse_error(p, call->end[-1].pos, "%s takes %d values", t->text, type.lanes);
        lanes[k] = n ? lower_value(p, n) : expr_int(p, t->pos, 0);
        lanes[k] = expr_convert(p, lanes[k], type_lane(type));
    }
    if (n) parse_error(p, n->first[-1].pos, "%s takes %d values", t->text, type.lanes);
    return expr_vector(p, t->pos, type, lanes);
}

static bool is_type_call(const struct parser *p, const struct tree *n) {
    return tree_is_word(n->a) && !token_is_word(n->first, "const") && parse_type_begins(p, n->first);
}

/* type(e): a cast; of nothing, 0 */
static struct expr *call_type(struct parser *p, const struct tree *n) {
    struct type type = lower_type(p, &(struct tree){.kind = TREE_TYPE, .at = n->first, .end = n->a->end});
    if (p->panic) return expr_int(p, n->first->pos, 0);
    if (n->b && n->b->next) parse_error(p, n->b->next->first[-1].pos, "expected ')'");
    struct expr *e = n->b ? lower_value(p, n->b) : expr_int(p, n->first->pos, 0);
    return p->panic ? e : expr_cast(p, e, type);
}

/* std::bit_cast<type>(a), also of cuda::std */
static bool is_bit_cast(const struct tree *call) {
    const struct tree *name = call->a;
    return name->kind == TREE_NAME && name->b && name->b->kind == TREE_TYPE &&
           token_is_word(name->at, "bit_cast") &&
           (token_is_word(name->first, "std") || token_is_word(name->first, "cuda"));
}

static struct expr *call_bit_cast(struct parser *p, const struct tree *call) {
    struct arguments a = arguments_of(call, "bit_cast<type>(x)");
    struct type type = lower_type(p, call->a->b);
    const struct tree *n = arguments_take(p, &a, "a value");
    struct expr *e =
        n ? bits_as(p, call->first->pos, lower_value(p, n), type) : expr_int(p, call->first->pos, 0);
    arguments_end(p, &a);
    return e;
}

/* ---- calls ---- */

bool function_knows(struct parser *p, const struct tree *n) {
    struct type type;
    return n->kind == TREE_CALL &&
           (is_called(n) || makes_vector(n, &type) || is_type_call(p, n) || is_bit_cast(n));
}

struct expr *function_value(struct parser *p, const struct tree *call) {
    struct type type;
    if (makes_vector(call, &type)) return make_vector(p, call, type);
    if (is_bit_cast(call)) return call_bit_cast(p, call);
    if (!is_called(call)) return call_type(p, call);
    const struct function *f = names_find(function_names, call->a->at->text);
    struct arguments a = arguments_of(call, f->usage);
    struct expr *e = f->make(p, &a, f);
    arguments_end(p, &a);
    return e;
}

/* ---- printf and assert ---- */

bool console_knows(struct parser *p, const struct tree *n) {
    (void)p;
    bool word = n->kind == TREE_CALL && tree_is_word(n->a);
    return word && (token_is_word(n->a->at, "printf") || token_is_word(n->a->at, "assert"));
}

/* printf("%d", X) reads X. */
static void lower_printf(struct parser *p, const struct tree *n) {
    if (!n->b || n->b->kind != TREE_TEXT)
        parse_error(p, n->a->at->after, "expected a text: printf(\"%%d\", X)");
    for (const struct tree *k = n->b; k && !p->panic; k = k->next)
        if (k->kind != TREE_TEXT && (place_is(p, k) || !place_is_address(p, k)))
            access_drop(p, lower_value(p, k));
    if (!p->panic)
        diag_warning(p->diag, p->source, n->a->at->pos,
                     "printf prints nothing in a test; what it is given is read");
}

/* assert(X == 1): a trap where the condition is false. */
static void lower_assert(struct parser *p, const struct tree *n) {
    struct pos pos = n->a->at->pos;
    if (!n->b || n->b->next) parse_error(p, n->a->at->after, "expected a condition: assert(X == 1)");
    struct expr *holds = p->panic ? NULL : expr_scalar(p, lower_value(p, n->b), "a condition");
    if (p->panic) return;
    struct stmts before = stmts_capture(p);
    guard_begin(p, holds, false);
    stmt_add_op(p, op_make(TRAP_HERE, pos));
    guard_end(p);
    struct stmts trap = stmts_restore(p, before);
    stmt_add_if(p, pos, holds, (struct stmts){0}, trap);
}

struct expr *console_use(struct parser *p, const struct tree *n) {
    (token_is_word(n->a->at, "printf") ? lower_printf : lower_assert)(p, n);
    return NULL;
}
