/* What the names and calls of a tree are that no operator makes. */
#include <string.h>

#include "litmus/name.h"
#include "lower/lower.h"

void operand_report_members(struct parser *p, struct pos pos) {
    parse_error(
        p, pos,
        "a location has no members, unless the body says that it is atomic: cuda::atomic<type, scope> X;");
}

/* The bytes of a location, an element of it, or a register. */
static int size_of_name(struct parser *p, const struct tree *n) {
    const struct token *t = n->first;
    bool word = tree_is_word(n) || (n->kind == TREE_INDEX && tree_is_word(n->a));
    int loc = word ? find_location(p->test, t->text) : -1;
    int reg = tree_is_word(n) && loc < 0 ? body_find(p, t->text) : -1;
    if (tree_root(n) && registers_find(p, t)) return registers_bytes(p, n);
    if (loc < 0 && reg < 0) {
        parse_error(p, t->pos, "expected a type, a location or a register whose size it is");
        return 4;
    }
    if (reg >= 0) return type_bytes(p->body->regs[reg].type);
    const struct location *l = &p->test->locs[loc];
    return type_bytes(l->type) * (n->kind == TREE_INDEX ? 1 : l->count);
}

/* sizeof(type), sizeof(X), sizeof(a[0]) */
static struct expr *lower_size(struct parser *p, const struct tree *n) {
    int bytes = n->a->kind == TREE_TYPE ? type_bytes(lower_type(p, n->a)) : size_of_name(p, n->a);
    return expr_cast(p, expr_int(p, n->first->pos, bytes), type_uint64);
}

/* A value between a '(' or a '{' and its end; of none, 0. */
static struct expr *lower_enclosed(struct parser *p, const struct tree *list, struct type type) {
    struct pos pos = list->first->pos;
    struct expr *e = list->b ? lower_value(p, list->b) : expr_int(p, pos, 0);
    if (list->b && list->b->next)
        parse_error(p, list->b->end[-1].after, "expected '%s'", list->at->kind == '(' ? ")" : "}");
    return expr_cast(p, p->panic ? expr_int(p, pos, 0) : e, type);
}

struct expr *lower_initial(struct parser *p, const struct tree *list, struct type type) {
    struct expr *lanes[4];
    struct pos pos = list->first->pos;
    if (list->kind == TREE_BAD) parse_fault(p, list->fault);
    if (list->kind == TREE_BAD || !type_is_vector(type)) return lower_enclosed(p, list, type);
    if (list->at->kind != '{') parse_error(p, list->first[-1].after, "expected '{'");
    const struct tree *n = list->b;
    for (int k = 0; k < type.lanes; k++) {
        bool named = n && n->kind == TREE_NAMED,
             here = n && (!named || type_find_lane(type, n->at->text) == k);
        lanes[k] =
            expr_convert(p, here ? lower_value(p, named ? n->a : n) : expr_int(p, pos, 0), type_lane(type));
        if (here) n = n->next;
    }
    if (n && n->kind == TREE_NAMED)
        parse_error(p, n->first->pos, "%s has no '%s' here: elements by name stand in their order",
                    type_name(type), n->at->text);
    else if (n)
        parse_error(p, n->first[-1].pos, "%s has %d elements", type_name(type), type.lanes);
    return expr_vector(p, pos, type, lanes);
}

/* The numbers of limits.h and stdint.h, and that of math.h. */
static const struct {
    const char *name;
    struct type type;
    uint64_t value;
} limits[] = {{"INT_MAX", {32, 1, true, false}, INT32_MAX},
              {"INT_MIN", {32, 1, true, false}, 0x80000000},
              {"UINT_MAX", {32, 1, false, false}, UINT32_MAX},
              {"LLONG_MAX", {64, 1, true, false}, INT64_MAX},
              {"LLONG_MIN", {64, 1, true, false}, 0x8000000000000000},
              {"ULLONG_MAX", {64, 1, false, false}, UINT64_MAX},
              {"INT32_MAX", {32, 1, true, false}, INT32_MAX},
              {"INT32_MIN", {32, 1, true, false}, 0x80000000},
              {"UINT32_MAX", {32, 1, false, false}, UINT32_MAX},
              {"INT64_MAX", {64, 1, true, false}, INT64_MAX},
              {"INT64_MIN", {64, 1, true, false}, 0x8000000000000000},
              {"UINT64_MAX", {64, 1, false, false}, UINT64_MAX},
              {"INFINITY", {32, 1, true, true}, 0x7f800000}};

/* The number of that name; NULL: it has none. */
static struct expr *find_limit(struct parser *p, const struct token *t) {
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++)
        if (strcmp(limits[k].name, t->text) == 0)
            return expr_of_value(p, t->pos, limits[k].type, (struct value){limits[k].value, 0});
    return NULL;
}

/* ---- operands ---- */

static const struct library *find_library(struct parser *p, const struct tree *n) {
    const struct library *l = p->libraries;
    while (l->name && !l->knows(p, n))
        l++;
    return l->name && !p->panic ? l : NULL;
}

bool operand_is_library(struct parser *p, const struct tree *n) {
    return find_library(p, n) != NULL;
}

bool operand_runs(struct parser *p, const struct tree *n, struct expr **value) {
    const struct library *l = find_library(p, n);
    if (l) *value = l->use(p, n);
    return l;
}

void operand_report_callee(struct parser *p, const struct tree *n) {
    const struct token *t = n->first;
    bool known = find_location(p->test, t->text) >= 0 || body_find(p, t->text) >= 0;
    if (n->kind == TREE_MEMBER && known) {
        operand_report_members(p, n->at[-1].pos);
        return;
    }
    body_report_undeclared(p, t);
    p->panic = true;
}

static struct expr *report_unknown(struct parser *p, const struct token *t) {
    body_report_undeclared(p, t);
    return expr_int(p, t->pos, 1);
}

/* tid, count, true, false, a number or a register */
static struct expr *word_value(struct parser *p, const struct token *t) {
    int reg = body_find(p, t->text);
    if (window_find(p, t->text)) {
        parse_error(
            p, t->pos,
            "'%s' is an address in shared memory, which has no value in a test but as an operand of an asm",
            t->text);
        return expr_int(p, t->pos, 0);
    }
    if (reg >= 0) return body_read(p, reg, t->pos);
    if (!p->body->grid && strcmp(t->text, "tid") == 0) return expr_new(p, EXPR_TID, t->pos, NULL, NULL);
    if (!p->body->grid && strcmp(t->text, "count") == 0) return expr_new(p, EXPR_COUNT, t->pos, NULL, NULL);
    if (strcmp(t->text, "true") == 0) return expr_int(p, t->pos, 1);
    if (strcmp(t->text, "false") == 0) return expr_int(p, t->pos, 0);
    struct expr *limit = find_limit(p, t);
    return limit ? limit : report_unknown(p, t);
}

/* State::FULL; -1: it is no such name. */
static int find_within(struct parser *p, const struct tree *n) {
    bool two = n->kind == TREE_NAME && !n->b && n->at == n->first + 3;
    return two ? body_find(p, arena_printf(p->arena, "%s::%s", n->first->text, n->at->text)) : -1;
}

static struct expr *report_indexed(struct parser *p, const struct tree *n) {
    const struct token *t = n->first;
    int reg = tree_is_word(n->a) ? body_find(p, t->text) : -1;
    if (tree_is_word(n->a) && reg < 0) return report_unknown(p, t);
    parse_error(p, n->at->pos, "an index is for an array, and this is none");
    return expr_int(p, t->pos, 0);
}

static struct expr *lower_braces(struct parser *p, const struct tree *n) {
    if (!n->a) parse_error(p, n->first->pos, "expected a value, not '{'");
    if (p->panic) return expr_int(p, n->first->pos, 0);
    struct type type = lower_type(p, n->a);
    return p->panic ? expr_int(p, n->first->pos, 0) : lower_initial(p, n->b, type);
}

static struct expr *lower_element(struct parser *p, const struct tree *n) {
    int reg = registers_element(p, n);
    return reg < 0 ? expr_int(p, n->first->pos, 0) : body_read(p, reg, n->first->pos);
}

struct expr *operand_value(struct parser *p, const struct tree *n) {
    const struct token *t = n->first;
    const struct library *l = find_library(p, n);
    struct expr *value = l ? l->use(p, n) : NULL;
    if (value) return value;
    if (l) {
        parse_error(p, t->pos, l->no_value ? l->no_value : "'%s' has no value", t->text);
        return expr_int(p, t->pos, 0);
    }
    if (n->kind == TREE_SIZE) return lower_size(p, n);
    if (n->kind == TREE_BRACES) return lower_braces(p, n);
    if (tree_root(n) && registers_find(p, t)) return lower_element(p, n);
    int within = find_within(p, n);
    if (within >= 0) return body_read(p, within, t->pos);
    return n->kind == TREE_INDEX ? report_indexed(p, n) : word_value(p, t);
}
