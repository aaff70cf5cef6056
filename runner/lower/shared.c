/* __shared__ variables: locations in the shared memory of the block. */
#include <string.h>

#include "litmus/name.h"
#include "lower/lower.h"

/* "[n]": the elements; 0 for "[]". */
static int size_of(struct parser *p, const struct tree *n) {
    if (n->kind == TREE_NONE) return 0;
    struct expr *size = expr_scalar(p, lower_value(p, n), "a size");
    if (p->panic) return 1;
    struct value number;
    long long count = !size->type.real && body_number(p, size, &number) ? value_int(size->type, number) : 0;
    if (count < 1 || count > TEST_MAX_ELEMENTS)
        parse_complain(p, size->pos, "the size of an array is a constant from 1 to %d", TEST_MAX_ELEMENTS);
    return count < 1 || count > TEST_MAX_ELEMENTS ? 1 : (int)count;
}

static void add_location(struct parser *p, struct location loc) {
    struct test *t = p->test;
    size_t n = (size_t)t->nlocs;
    const char *problem = name_problem_declared(loc.name);
    if (problem) parse_complain(p, loc.pos, "location name '%s' %s", loc.name, problem);
    if (body_find(p, loc.name) >= 0) parse_complain(p, loc.pos, "'%s' is a register already", loc.name);
    t->locs = arena_grow(p->arena, t->locs, n, n + 1, sizeof *t->locs);
    t->locs[t->nlocs++] = loc;
}

/* A location that is there already: of another body, or of `memory`. */
static void check_same(struct parser *p, const struct location *known, const struct location *loc) {
    const char *why =
        !space_rows[known->space].of_block   ? "not in shared memory"
        : !type_same(known->type, loc->type) ? arena_printf(p->arena, "of type %s", type_name(known->type))
        : loc->count && (known->count != loc->count || known->array != loc->array ||
                         memcmp(known->inner, loc->inner, sizeof loc->inner) != 0)
            ? arena_printf(p->arena, "of %d element%s", known->count, known->count == 1 ? "" : "s")
            : NULL;
    if (!why) return;
    parse_complain(p, loc->pos, "'%s' is declared already, and is %s", loc->name, why);
    diag_note(p->diag, p->source, known->pos, "it is declared here");
}

static struct location location_named(const struct token *name, struct type type) {
    return (struct location){.name = name->text,
                             .pos = name->pos,
                             .type = type,
                             .space = SPACE_SHARED,
                             .count = 1,
                             .instances = 1,
                             .declared = true};
}

/* One without a size is there all the same, so that what follows can be read. */
static void declare_location(struct parser *p, struct location loc) {
    int known = find_location(p->test, loc.name);
    if (known >= 0) {
        check_same(p, &p->test->locs[known], &loc);
        return;
    }
    if (loc.count == 0)
        parse_complain(p, loc.pos,
                       "'%s' has no size: give it one in 'memory', as in %s: {space: shared, count: 32}",
                       loc.name, loc.name);
    if (loc.count == 0) loc.count = TEST_MAX_ELEMENTS;
    add_location(p, loc);
}

void shared_add(struct parser *p, const struct token *name, struct type type) {
    declare_location(p, location_named(name, type));
}

/* "[2][3]" behind the first dimension. */
static void add_dimensions(struct parser *p, struct location *loc, const struct tree *n) {
    enum { MOST = sizeof loc->inner / sizeof *loc->inner };
    for (int k = 0; n && !p->panic; n = n->next, k++) {
        const struct token *bracket = n->kind == TREE_NONE ? n->first : n->first - 1;
        if (k == MOST) parse_error(p, bracket->pos, "an array has at most %d dimensions", MOST + 1);
        if (n->kind == TREE_NONE) parse_error(p, bracket->pos, "only the first dimension may be left out");
        if (p->panic) return;
        int size = size_of(p, n);
        if (loc->count > TEST_MAX_ELEMENTS / size)
            parse_error(p, bracket->pos, "an array has at most %d elements", TEST_MAX_ELEMENTS);
        loc->inner[k] = size;
        loc->count *= p->panic ? 1 : size;
    }
}

static void declare(struct parser *p, const struct tree *type, const struct tree *n) {
    const struct token *name = n->at;
    if (name->kind != TOK_NAME) parse_fault(p, n->fault);
    struct location loc = location_named(name, p->panic ? type_int : lower_type(p, type));
    loc.has_access = type->flags & TYPE_VOLATILE;
    loc.access = ACCESS_VOLATILE;
    loc.array = n->c;
    if (n->c) loc.count = size_of(p, n->c);
    if (n->c) add_dimensions(p, &loc, n->c->next);
    if (n->flags & DECLARES_EQUAL)
        parse_error(p, n->b->first[-1].pos,
                    "a __shared__ variable has no initial value: 'memory' can give it one, as in %s: "
                    "{space: shared, init: 1}",
                    name->text);
    else if (n->b || n->flags)
        parse_error(p, name->after, "expected ';'");
    if (!p->panic) declare_location(p, loc);
}

/* What stands where a type is due: "cuda::latch". */
static void report_type(struct parser *p, const struct tree *type) {
    const struct token *t = type->at;
    const char *name = t->text, *refusal = t->kind == TOK_NAME ? name_refusal(t->text) : NULL;
    for (; type->a && t != type->a->at && t[1].kind == ':'; t += 3)
        name = arena_printf(p->arena, "%s::%s", name, t[3].text);
    if (refusal)
        parse_error(p, type->at->pos, "'%s' is %s", name, refusal);
    else if (t != type->at)
        parse_error(p, type->at->pos, "'%s' is not supported yet", name);
    else
        parse_error(p, type->at->pos, "expected a type behind '__shared__'");
}

void shared_declare(struct parser *p, const struct tree *n) {
    if (n->a->a || n->a->at->kind != TOK_NAME || n->a->flags & TYPE_AUTO) report_type(p, n->a);
    for (const struct tree *k = n->b; k && !p->panic; k = k->next) {
        declare(p, n->a, k);
        if (k->fault && !p->panic) parse_fault(p, k->fault);
    }
}
