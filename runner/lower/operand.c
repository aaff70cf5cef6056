/* What the names and calls of a tree are that no operator makes. */
#include <string.h>

#include "litmus/name.h"
#include "lower/calls.h"

/* make_int4(x, y, z, w) */
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
    for (int k = 0; k < type.lanes; k++, n = n ? n->next : NULL)
        lanes[k] = expr_convert(p, n ? lower_value(p, n) : expr_int(p, pos, 0), type_lane(type));
    if (n) parse_error(p, n->first[-1].pos, "%s has %d elements", type_name(type), type.lanes);
    return expr_vector(p, pos, type, lanes);
}

/* The numbers of limits.h and stdint.h. */
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
              {"UINT64_MAX", {64, 1, false, false}, UINT64_MAX}};

/* The number of that name; NULL: it has none. */
static struct expr *find_limit(struct parser *p, const struct token *t) {
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++)
        if (strcmp(limits[k].name, t->text) == 0) {
            struct expr *e = expr_new(p, EXPR_INT, t->pos, NULL, NULL);
            e->type = limits[k].type;
            e->value = (struct value){limits[k].value, 0};
            return e;
        }
    return NULL;
}

/* ---- operands ---- */

/* Whether a library knows the name with which a tree begins. */
bool operand_is_library(struct parser *p, const struct tree *n) {
    const struct tree *root = tree_root(n);
    if (!root || p->panic) return false;
    const char *name = root->first->text;
    return atomic_is_name(root) || groups_know(p, root) || arrival_knows(p, n) ||
           (tree_is_word(root) && atomic_find(p, name)) ||
           (n->kind != TREE_ASSIGN && grid_knows(p, name) && body_find(p, name) < 0);
}

/* What a library makes of it; NULL: it has no value. */
static struct expr *use_library(struct parser *p, const struct tree *n) {
    const struct tree *root = tree_root(n);
    const struct reference *ref = tree_is_word(root) ? atomic_find(p, root->first->text) : NULL;
    if (ref) return atomic_use(p, ref, n);
    if (atomic_is_name(root)) return atomic_named(p, n);
    if (arrival_knows(p, n)) return arrival_use(p, n);
    return groups_know(p, root) ? groups_use(p, n) : grid_value(p, n);
}

static bool is_type_call(const struct parser *p, const struct tree *n) {
    return n->kind == TREE_CALL && tree_is_word(n->a) && !token_is_word(n->first, "const") &&
           parse_type_begins(p, n->first);
}

/* type(e): a cast; of nothing, 0 */
static struct expr *call_type(struct parser *p, const struct tree *n) {
    struct type type = lower_type(p, &(struct tree){.kind = TREE_TYPE, .at = n->first, .end = n->a->end});
    if (p->panic) return expr_int(p, n->first->pos, 0);
    if (n->b && n->b->next) parse_error(p, n->b->next->first[-1].pos, "expected ')'");
    struct expr *e = n->b ? lower_value(p, n->b) : expr_int(p, n->first->pos, 0);
    return p->panic ? e : expr_cast(p, e, type);
}

void operand_report_callee(struct parser *p, const struct tree *n) {
    const struct token *t = n->first;
    bool known = find_location(p->test, t->text) >= 0 || body_find(p, t->text) >= 0;
    if (n->kind == TREE_MEMBER && known) {
        operand_report_members(p, n->at[-1].pos);
        return;
    }
    p->tok = t + 1;
    body_report_undeclared(
        p, t, arena_printf(p->arena, "; declare it in 'memory', or as a register: int %s", t->text));
    p->panic = true;
}

/* A call of what has a name alone; NULL: it has no value. */
static struct expr *lower_call(struct parser *p, const struct tree *n) {
    if (tree_is_word(n->a) && inlined_find(p, n->first)) return inlined_value(p, n);
    if (tree_is_word(n->a)) return access_call(p, n);
    operand_report_callee(p, n->a);
    return NULL;
}

bool operand_runs(struct parser *p, const struct tree *n, struct expr **value) {
    if (n->kind == TREE_CALL && function_is_called(n) && !inlined_find(p, n->first))
        *value = function_value(p, n);
    else if (operand_is_library(p, n))
        *value = use_library(p, n);
    else if (n->kind == TREE_CALL)
        *value = lower_call(p, n);
    else
        return false;
    return true;
}

static struct expr *report_unknown(struct parser *p, const struct token *t) {
    p->tok = t + 1;
    body_report_undeclared(p, t, "");
    return expr_int(p, t->pos, 1);
}

/* tid, count, true, false, a number or a register */
static struct expr *word_value(struct parser *p, const struct token *t) {
    int reg = body_find(p, t->text);
    if (asm_window_find(p, t->text)) {
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

static struct expr *report_indexed(struct parser *p, const struct tree *n) {
    const struct token *t = n->first;
    int reg = tree_is_word(n->a) ? body_find(p, t->text) : -1;
    if (tree_is_word(n->a) && reg < 0) return report_unknown(p, t);
    parse_error(p, n->at->pos, "an index is for an array, and this is none");
    return expr_int(p, t->pos, 0);
}

static struct expr *lower_braces(struct parser *p, const struct tree *n) {
    struct type type = lower_type(p, n->a);
    return p->panic ? expr_int(p, n->first->pos, 0) : lower_initial(p, n->b, type);
}

static struct expr *lower_element(struct parser *p, const struct tree *n) {
    int reg = registers_element(p, n);
    return reg < 0 ? expr_int(p, n->first->pos, 0) : body_read(p, reg, n->first->pos);
}

/* Reports what has no value. */
static struct expr *report_void(struct parser *p, const struct tree *n) {
    const struct tree *root = tree_root(n);
    const struct token *t = n->first;
    if (atomic_is_name(root) || atomic_find(p, t->text))
        parse_error(p, t->pos, "this has no value");
    else if (arrival_knows(p, n))
        parse_error(p, t->pos, "of a barrier, only arrive() has a value");
    else if (groups_know(p, root))
        parse_error(p, t->pos, "a group's barrier has no value");
    else
        parse_error(p, t->pos, "'%s' has no value", t->text);
    return expr_int(p, t->pos, 0);
}

struct expr *operand_value(struct parser *p, const struct tree *n) {
    const struct token *t = n->first;
    struct expr *value = NULL;
    struct type type;
    bool calls = n->kind == TREE_CALL && tree_is_word(n->a) && !inlined_find(p, t);
    bool makes = calls && strncmp(t->text, "make_", 5) == 0 && type_find(t->text + 5, &type);
    if (makes && type_is_vector(type)) return make_vector(p, n, type);
    if (calls && is_type_call(p, n)) return call_type(p, n);
    if (operand_runs(p, n, &value)) return value ? value : report_void(p, n);
    if (n->kind == TREE_SIZE) return lower_size(p, n);
    if (n->kind == TREE_BRACES) return lower_braces(p, n);
    if (tree_root(n) && registers_find(p, t)) return lower_element(p, n);
    return n->kind == TREE_INDEX ? report_indexed(p, n) : word_value(p, t);
}
