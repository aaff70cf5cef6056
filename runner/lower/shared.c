/* __shared__ variables that a body declares: locations in the shared memory of its block. */
#include <string.h>

#include "litmus/name.h"
#include "lower/lower.h"

/* The words that may stand before a declaration. */
struct qualifiers {
    bool is_extern, is_shared, is_volatile;
};

static bool take_qualifier(struct qualifiers *q, const struct token *t) {
    if (t->kind != TOK_NAME) return false;
    bool known = strcmp(t->text, "static") == 0 || strcmp(t->text, "extern") == 0 ||
                 strcmp(t->text, "volatile") == 0 || strcmp(t->text, "__shared__") == 0;
    q->is_extern = q->is_extern || strcmp(t->text, "extern") == 0;
    q->is_volatile = q->is_volatile || strcmp(t->text, "volatile") == 0;
    q->is_shared = q->is_shared || strcmp(t->text, "__shared__") == 0;
    return known;
}

/* Behind alignas(16) or __align__(16), which no test needs: its locations lie as their types ask for. */
static const struct token *skip_alignment(const struct token *t) {
    bool aligns = token_is_word(t, "alignas") || token_is_word(t, "__align__");
    return aligns && t[1].kind == '(' && t[2].kind == TOK_INT && t[3].kind == ')' ? t + 4 : t;
}

bool shared_begins(const struct parser *p) {
    struct qualifiers q = {0};
    if (p->panic) return false;
    for (const struct token *t = skip_alignment(p->tok); take_qualifier(&q, t); t = skip_alignment(t + 1)) {
    }
    return q.is_shared;
}

/* "[n]": the elements; 1 and `array` unset where there is none, 0 for "[]". */
static int parse_size(struct parser *p, bool *array) {
    *array = parse_accept(p, '[');
    if (!*array) return 1;
    if (parse_accept(p, ']')) return 0;
    struct expr *size = expr_scalar(p, parse_expression(p), "a size");
    parse_expect(p, ']', "']'");
    if (p->panic) return 1;
    struct value number;
    long long n = !size->type.real && body_number(p, size, &number) ? value_int(size->type, number) : 0;
    if (n < 1 || n > TEST_MAX_ELEMENTS)
        parse_complain(p, size->pos, "the size of an array is a constant from 1 to %d", TEST_MAX_ELEMENTS);
    return n < 1 || n > TEST_MAX_ELEMENTS ? 1 : (int)n;
}

static void add_location(struct parser *p, struct location loc) {
    struct test *t = p->test;
    size_t n = (size_t)t->nlocs;
    const char *problem = name_problem(loc.name);
    if (problem) parse_complain(p, loc.pos, "location name '%s' %s", loc.name, problem);
    if (body_find(p, loc.name) >= 0) parse_complain(p, loc.pos, "'%s' is a register already", loc.name);
    t->locs = arena_grow(p->arena, t->locs, n, n + 1, sizeof *t->locs);
    t->locs[t->nlocs++] = loc;
}

/* A location that is there already: of another body, or of `memory`. */
static void check_same(struct parser *p, const struct location *known, const struct location *loc) {
    const char *why =
        known->space != SPACE_SHARED         ? "not in shared memory"
        : !type_same(known->type, loc->type) ? arena_printf(p->arena, "of type %s", type_name(known->type))
        : loc->count && (known->count != loc->count || known->array != loc->array)
            ? arena_printf(p->arena, "of %d element%s", known->count, known->count == 1 ? "" : "s")
            : NULL;
    if (!why) return;
    parse_complain(p, loc->pos, "'%s' is declared already, and is %s", loc->name, why);
    diag_note(p->diag, p->source, known->pos, "it is declared here");
}

void shared_add(struct parser *p, const struct token *name, struct type type) {
    struct location loc = {.name = name->text,
                           .pos = name->pos,
                           .type = type,
                           .space = SPACE_SHARED,
                           .count = 1,
                           .instances = 1};
    loc.declared = true;
    int known = find_location(p->test, name->text);
    if (known >= 0)
        check_same(p, &p->test->locs[known], &loc);
    else
        add_location(p, loc);
}

/* The location is there all the same, so that what follows can be read. */
static void report_no_size(struct parser *p, struct location loc) {
    parse_complain(p, loc.pos,
                   "'%s' has no size: give it one in 'memory', as in %s: {space: shared, count: 32}",
                   loc.name, loc.name);
    loc.count = TEST_MAX_ELEMENTS;
    add_location(p, loc);
}

static void parse_variable(struct parser *p, struct type type, const struct qualifiers *q) {
    const struct token *name = p->tok;
    if (!parse_expect(p, TOK_NAME, "the name of a location")) return;
    struct location loc = {
        .name = name->text, .pos = name->pos, .type = type, .space = SPACE_SHARED, .instances = 1};
    loc.declared = true;
    loc.has_access = q->is_volatile;
    loc.access = ACCESS_VOLATILE;
    loc.count = parse_size(p, &loc.array);
    if (parse_peek(p) == '[') parse_error(p, p->tok->pos, "an array has one dimension");
    if (parse_peek(p) == '=')
        parse_error(p, p->tok->pos,
                    "a __shared__ variable has no initial value: 'memory' can give it one, as in %s: "
                    "{space: shared, init: 1}",
                    name->text);
    if (p->panic) return;
    int known = find_location(p->test, name->text);
    if (known >= 0)
        check_same(p, &p->test->locs[known], &loc);
    else if (loc.count == 0)
        report_no_size(p, loc);
    else
        add_location(p, loc);
}

/* What stands where a type is due: "cuda::latch". */
static void report_type(struct parser *p) {
    const struct token *t = p->tok;
    const char *name = t->text;
    if (t->kind == TOK_NAME)
        for (; t[1].kind == ':' && t[2].kind == ':' && t[3].kind == TOK_NAME; t += 3)
            name = arena_printf(p->arena, "%s::%s", name, t[3].text);
    struct pos pos = p->tok->pos;
    if (strcmp(name, "struct") == 0 || strcmp(name, "union") == 0)
        parse_error(p, pos, "'%s' is %s", name, name_refusal(name));
    else if (t != p->tok)
        parse_error(p, pos, "'%s' is not supported yet", name);
    else
        parse_error(p, pos, "expected a type behind '__shared__'");
}

void shared_declare(struct parser *p) {
    struct qualifiers q = {0};
    bool constant;
    p->tok = skip_alignment(p->tok);
    while (take_qualifier(&q, p->tok))
        p->tok = skip_alignment(p->tok + 1);
    if (!parse_type_begins(p, p->tok)) report_type(p);
    if (p->panic) return;
    struct type type = parse_type(p, &constant);
    do
        parse_variable(p, type, &q);
    while (parse_accept(p, ','));
}
