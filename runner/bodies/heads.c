/* What stands outside of statements: the head of a kernel, where a body is pasted with it, and names.
 *
 *   template <typename T, int N = 4>
 *   extern "C" __global__ void __launch_bounds__(128) sum(const T *data, volatile int *flag, int n = 7) { ... }
 *   using T = int;  typedef int T;  enum { EMPTY, FULL = 5 };  using namespace cooperative_groups;
 *
 * A parameter of a kernel is a pointer to the location of that name, or a number whose value it says. */
#include <string.h>

#include "bodies/bodies.h"
#include "litmus/name.h"
#include "lower/calls.h"
#include "lower/pointer.h"
#include "syntax/spaces.h"

/* ---- types ---- */

static void name_type(struct parser *p, const struct token *name, struct type type) {
    struct type known;
    const char *problem = name_problem(name->text);
    if (p->panic) return;
    if (type_of_name(p, name->text, &known)) {
        if (!type_same(known, type))
            parse_complain(p, name->pos, "'%s' is a name of type %s already", name->text, type_name(known));
        return;
    }
    if (problem)
        parse_complain(p, name->pos, "'%s' %s", name->text, problem);
    else if (find_location(p->test, name->text) >= 0)
        parse_complain(p, name->pos, "type '%s' hides the location of that name", name->text);
    else if (p->naliases == MAX_ALIASES)
        parse_error(p, name->pos, "a thread names at most %d types", MAX_ALIASES);
    else
        p->aliases[p->naliases++] = (struct type_alias){name->text, type};
}

/* using T = int; typedef int T; */
static void lower_alias(struct parser *p, const struct tree *n) {
    const struct tree *type = n->a;
    if (n->fault) parse_fault(p, n->fault);
    if (p->panic) return;
    if (arrival_is_type(p, type))
        arrival_name_type(p, type, n->at);
    else if (type->a || type->at->kind != TOK_NAME)
        parse_error(p, type->at->pos, "expected the type of a register");
    else
        name_type(p, n->at, lower_type(p, type));
}

/* ---- numbers ---- */

/* EMPTY, or FULL = 5, of the enum `of`; each without a number is one more than that before it. One of an enum class has no
 * name but "State::FULL". */
static struct expr *lower_constant(struct parser *p, const struct tree *n, const struct tree *of,
                                   struct type type, struct expr *before) {
    struct pos pos = n->at->pos;
    if (n->at->kind != TOK_NAME) parse_fault(p, n->fault);
    if (p->panic) return before;
    struct expr *one = expr_int(p, pos, 1),
                *value = before ? expr_new(p, EXPR_ADD, pos, before, one) : expr_int(p, pos, 0);
    if (n->b) value = lower_value(p, n->b);
    if (p->panic) body_refuse(p, n->at);
    if (p->panic) return before;
    int reg = of->flags ? body_temporary(p, pos, type) : body_declare(p, n->at, type);
    declaration_set(p, reg, value, true, pos);
    if (of->at->kind == TOK_NAME) body_alias_within(p, n->at, of->at->text, reg);
    return body_value(p, reg, pos);
}

/* enum State : unsigned { ... }; of an enum class the numbers are named with it, State::FULL. */
static void lower_enum(struct parser *p, const struct tree *n) {
    struct type type = n->a && !n->a->fault ? lower_type(p, n->a) : type_int;
    struct expr *last = NULL;
    if (n->at->kind == TOK_NAME && !p->panic && (n->b || !n->fault)) name_type(p, n->at, type);
    for (const struct tree *k = n->b; k; k = k->next)
        if (p->panic)
            body_refuse(p, k->at);
        else
            last = lower_constant(p, k, n, type, last);
}

/* ---- namespaces ---- */

static void lower_using(struct parser *p, const struct tree *n) {
    const struct tree *path = n->a;
    if (n->fault) parse_fault(p, n->fault);
    if (p->panic) return;
    const struct token *last = path->at;
    bool whole = n->flags, single = last == path->first;
    bool known = single || token_is_word(last, "std") || token_is_word(last, "ptx");
    const char *name = known ? last->text : "";
    if (whole && !spaces_find(name))
        parse_error(
            p, path->first->pos,
            "'using namespace' is not supported yet of any but cooperative_groups, cuda, cuda::ptx and std");
    if (whole || single) return;
    const struct name_space *space = spaces_find(last[-3].text);
    if (!space || !spaces_has(space, last))
        parse_error(p, last->pos, "'using' of this name is not supported yet: '%s::%s'", last[-3].text,
                    last->text);
}

/* namespace ptx = cuda::ptx, and using ref = cuda::atomic_ref<int>, whose use syntax/ has replaced. */
static void lower_space(struct parser *p, const struct tree *n) {
    if (n->fault) parse_fault(p, n->fault);
    if (n->a && !p->panic && !spaces_find(n->a->at->text) && !spaces_names_type(n->a->first))
        parse_error(p, n->a->first->pos,
                    "another name for '%s' is not supported yet; cooperative_groups, cuda, cuda::std and "
                    "cuda::ptx can "
                    "have one",
                    n->a->at->text);
}

void naming_lower(struct parser *p, const struct tree *n) {
    if (n->kind == TREE_ALIAS)
        lower_alias(p, n);
    else if (n->kind == TREE_ENUM)
        lower_enum(p, n);
    else if (n->kind == TREE_SPACE)
        lower_space(p, n);
    else
        lower_using(p, n);
}

/* ---- what stands before a kernel ---- */

/* A variable of the host, or something that is none. */
static void report_before(struct parser *p, const struct tree *n) {
    struct pos pos = n->first->pos;
    if (n->kind != TREE_DECLARATION) {
        parse_complain(
            p, pos,
            "before a kernel stand functions of the device, names of types, and numbers that are const");
        return;
    }
    if (n->a->flags & TYPE_SHARED)
        parse_complain(p, pos, "shared memory before a kernel is that of no block: declare it in the kernel");
    else
        parse_complain(
            p, pos,
            "what stands before a kernel without __device__ is the host's: declare what the device has in "
            "'memory', and a number as const");
    for (const struct tree *k = n->b; k; k = k->next)
        if (k->at->kind == TOK_NAME) body_refuse(p, k->at);
}

static bool is_before(const struct tree *n) {
    switch (n->kind) {
    case TREE_FUNCTION:
    case TREE_ALIAS:
    case TREE_ENUM:
    case TREE_USING:
    case TREE_SPACE:
    case TREE_ASSERTION: return true;
    case TREE_DECLARATION: return n->a->flags & (TYPE_CONST | TYPE_CONSTEXPR);
    default: return false;
    }
}

void head_lower_before(struct parser *p, const struct tree *n) {
    for (; n; n = n->next) {
        size_t errors = p->diag->errors;
        bool before = is_before(n);
        if (before || n->kind != TREE_DECLARATION) statement_lower_listed(p, n);
        if (!before && p->diag->errors == errors) report_before(p, n);
    }
}

/* ---- templates ---- */

/* The location whose pointer among the parameters is of this type, `const T *data`; NULL: there is none. */
static const struct location *find_parameter(const struct parser *p, const struct tree *head,
                                             const char *type) {
    for (const struct tree *n = head->c; n; n = n->next) {
        bool points = token_is_word(n->a->at, type) && n->b->flags & DECLARES_POINTER;
        int loc = points && n->b->at->kind == TOK_NAME ? find_location(p->test, n->b->at->text) : -1;
        if (loc >= 0) return &p->test->locs[loc];
    }
    return NULL;
}

/* typename T, which is what its locations are; or typename T = int */
static void lower_typename(struct parser *p, const struct tree *head, const struct tree *n) {
    const struct token *name = n->b->at;
    const struct location *l = find_parameter(p, head, name->text);
    struct type type = n->b->b ? lower_type(p, n->b->b) : type_int;
    if (!l && !n->b->b)
        parse_complain(
            p, name->pos,
            "not supported yet: a type that no pointer to a location has; say which, as in typename "
            "%s = int",
            name->text);
    if (!p->panic) name_type(p, name, l ? l->type : type);
}

static struct expr *lower_known(struct parser *p, const struct tree *n) {
    bool truth = n->kind == TREE_NAME && (token_is_word(n->at, "true") || token_is_word(n->at, "false"));
    if (n->kind == TREE_BAD) parse_fault(p, n->fault);
    if (n->kind != TREE_NUMBER && !truth) parse_error(p, n->first[-1].after, "expected a number");
    return lower_value(p, n);
}

/* A number with its value, "int N = 4". */
static void lower_number(struct parser *p, const struct tree *n) {
    const struct token *name = n->b->at;
    struct type type = lower_type(p, n->a);
    struct expr *value = expr_int(p, name->pos, 0);
    if (!n->b->b)
        parse_complain(p, name->pos, "'%s' has no value here: write it, as in %s %s = 4", name->text,
                       type_name(type), name->text);
    else
        value = lower_known(p, n->b->b);
    if (!p->panic) declaration_set(p, body_declare(p, name, type), value, true, name->pos);
}

static void lower_template(struct parser *p, const struct tree *head) {
    for (const struct tree *n = head->a; n && !p->panic; n = n->next) {
        if (n->b->at->kind != TOK_NAME) parse_fault(p, n->fault);
        if (p->panic) return;
        if (n->kind == TREE_TYPENAME)
            lower_typename(p, head, n);
        else
            lower_number(p, n);
        if (n->fault && !p->panic) parse_fault(p, n->fault);
    }
}

/* ---- the head ---- */

/* __launch_bounds__(threads, blocks a multiprocessor): no block may be larger. The rest is for the compiler. */
static void check_bounds(struct parser *p, const struct tree *head) {
    if (!head->b) return;
    struct expr *bound = expr_scalar(p, lower_value(p, head->b), "a bound");
    for (const struct tree *n = head->b->next; n; n = n->next)
        lower_value(p, n);
    if (p->panic || !expr_is_known(bound)) return;
    long long most = expr_number(bound, &(struct expr_env){.block = 1});
    if (p->body->block > most)
        parse_complain(p, bound->pos, "a block of '%s' has %d threads, and this bound is %lld", p->body->name,
                       p->body->block, most);
}

/* A pointer to the location of its name. */
static void lower_pointer(struct parser *p, const struct tree *n) {
    const struct token *name = n->b->at;
    struct pointer_type type = pointer_type(p, n->a, n->b);
    int loc = find_location(p->test, name->text);
    if (loc < 0)
        parse_error(p, name->pos,
                    "a parameter is a pointer to the location of that name, and there is no '%s'",
                    name->text);
    if (p->panic) return;
    struct place place = {.loc = loc, .pos = name->pos};
    if (p->test->locs[loc].array) place.index = expr_int(p, name->pos, 0);
    struct reference ref = {.name = name->text, .pos = name->pos, .is_pointer = true};
    bool integers = !type.type.real && !p->test->locs[loc].type.real;
    ref.place = integers ? pointer_cast_place(p, place, &type, name->pos)
                         : pointer_seen_as(p, place, &type, name->pos);
    pointer_restrict(p, &type, loc, name->pos);
    if (!p->panic && ref.place.loc >= 0 && !type.is_fixed) moving_begin(p, &ref, name);
    reference_add(p, &ref);
}

void kernel_lower(struct parser *p, const struct tree *head) {
    lower_template(p, head);
    check_bounds(p, head);
    for (const struct tree *n = head->c; n && !p->panic; n = n->next) {
        if (n->a->at->kind != TOK_NAME || n->b->at->kind != TOK_NAME) parse_fault(p, n->fault);
        if (p->panic) return;
        if (n->b->flags & DECLARES_POINTER)
            lower_pointer(p, n);
        else
            lower_number(p, n);
        if (n->fault && !p->panic) parse_fault(p, n->fault);
    }
    if (head->fault && !p->panic) parse_fault(p, head->fault);
}
