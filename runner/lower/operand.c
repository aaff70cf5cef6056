/* What the names and calls of a tree are that no operator makes. */
#include <string.h>

#include "litmus/name.h"
#include "lower/lower.h"

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
static int size_of_name(struct parser *p) {
    const struct token *t = p->tok;
    int loc = parse_peek(p) == TOK_NAME ? find_location(p->test, t->text) : -1;
    int reg = parse_peek(p) == TOK_NAME && loc < 0 ? body_find(p, t->text) : -1;
    if (registers_find(p, t)) return registers_bytes(p);
    if (loc < 0 && reg < 0) {
        parse_error(p, t->pos, "expected a type, a location or a register whose size it is");
        return 4;
    }
    struct type type = loc >= 0 ? p->test->locs[loc].type : p->body->regs[reg].type;
    int count = loc >= 0 ? p->test->locs[loc].count : 1;
    parse_next(p);
    if (!parse_accept(p, '[')) return type_bytes(type) * count;
    struct stmts out = stmts_capture(p); /* nothing is accessed */
    parse_expression(p);
    stmts_restore(p, out);
    parse_expect(p, ']', "']'");
    return type_bytes(type);
}

/* sizeof(type), sizeof(X), sizeof(a[0]) */
static struct expr *parse_size(struct parser *p) {
    const struct token *t = parse_next(p);
    bool constant;
    int bytes = 4;
    parse_expect(p, '(', "'('");
    if (!p->panic && parse_type_begins(p, p->tok))
        bytes = type_bytes(parse_type(p, &constant));
    else if (!p->panic)
        bytes = size_of_name(p);
    if (parse_peek(p) == '*') parse_error(p, p->tok->pos, "the size of a pointer is not supported yet");
    parse_expect(p, ')', "')'");
    return expr_cast(p, expr_int(p, t->pos, bytes), type_uint64);
}

/* A value between a '(' or a '{' and its end; of none, 0. */
static struct expr *parse_enclosed(struct parser *p, struct type type) {
    const struct token *open = parse_next(p);
    int close = open->kind == '(' ? ')' : '}';
    struct expr *e = expr_int(p, open->pos, 0);
    if (parse_peek(p) != close) e = parse_expression(p);
    parse_expect(p, close, close == ')' ? "')'" : "'}'");
    return p->panic ? expr_cast(p, expr_int(p, open->pos, 0), type) : expr_cast(p, e, type);
}

struct expr *parse_initializer(struct parser *p, struct type type) {
    struct expr *lanes[4];
    const struct token *t = p->tok;
    if (!type_is_vector(type)) return parse_enclosed(p, type);
    parse_expect(p, '{', "'{'");
    for (int k = 0; k < type.lanes; k++) {
        bool given = !p->panic && p->tok->kind != '}' && (k == 0 || parse_accept(p, ','));
        lanes[k] = expr_convert(p, given ? parse_expression(p) : expr_int(p, t->pos, 0), type_lane(type));
    }
    if (parse_peek(p) == ',') parse_error(p, p->tok->pos, "%s has %d elements", type_name(type), type.lanes);
    parse_expect(p, '}', "'}'");
    return expr_vector(p, t->pos, type, lanes);
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
    const struct token *at = p->tok;
    bool constant;
    p->tok = n->first;
    struct type type = parse_type(p, &constant);
    if (p->panic) return expr_int(p, n->first->pos, 0);
    p->tok = at;
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

static struct expr *read_braces(struct parser *p) {
    struct type type;
    const struct token *t = parse_next(p);
    if (!type_of_name(p, t->text, &type)) parse_error(p, t->pos, "expected the type of a register");
    return p->panic ? expr_int(p, t->pos, 0) : parse_initializer(p, type);
}

static struct expr *read_element(struct parser *p) {
    const struct token *t = p->tok;
    int reg = registers_read(p);
    return reg < 0 ? expr_int(p, t->pos, 0) : body_read(p, reg, t->pos);
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

/* What a tree is whose text is read word by word. */
static struct expr *read_words(struct parser *p, const struct tree *n) {
    p->tok = n->first;
    struct expr *e = n->kind == TREE_SIZE     ? parse_size(p)
                     : n->kind == TREE_BRACES ? read_braces(p)
                                              : read_element(p);
    if (!p->panic && p->tok != n->end) parse_error(p, p->tok->pos, "unexpected '%s'", p->tok->text);
    return e;
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
    if (tree_is_word(n) && !registers_find(p, t)) return word_value(p, t);
    if (n->kind == TREE_INDEX && !(tree_root(n) && registers_find(p, t))) return report_indexed(p, n);
    return read_words(p, n);
}
