/* nvcc's __nv_atomic functions. */
#include <string.h>

#include "lower/atomic.h"
#include "lower/calls.h"

/* ---- registers, which atomic.c has as well ---- */

int atomic_register(struct parser *p, const struct atomic *a, const struct tree *n, const char *what,
                    bool written) {
    const struct token *t = n->first;
    struct type type = atomic_type(p, a);
    int reg = assign_is_register(p, n) ? assign_register(p, n) : -1;
    if (reg < 0) {
        parse_error(p, t->pos, "%s %s", a->name, what);
        return -1;
    }
    if (!type_same(p->body->regs[reg].type, type))
        parse_complain(p, t->pos, "'%s' is of type %s, and '%s' of type %s", t->text,
                       type_name(p->body->regs[reg].type), p->test->locs[a->place.loc].name, type_name(type));
    if (written) body_check_constant(p, reg, t->pos);
    return reg;
}

/* t = compare-exchange; ok = t == expected; expected = t. Where the exchange succeeds, t is what was expected. */
struct expr *atomic_compare(struct parser *p, const struct atomic *a, int expected) {
    struct atomic exchange = *a;
    if (p->panic || expected < 0) return expr_int(p, a->pos, 0);
    exchange.expected = body_read(p, expected, a->pos);
    struct expr *old = atomic_add(p, &exchange);
    int ok = body_temporary(p, a->pos, type_int);
    body_set(p, ok, expr_new(p, EXPR_EQ, a->pos, old, exchange.expected), a->pos);
    body_set(p, expected, old, a->pos);
    return body_value(p, ok, a->pos);
}

/* ---- calls ---- */

static const char nvcc_prefix[] = "__nv_atomic_";

static const struct nvcc_row {
    const char *usage;
    enum op_name op;
} functions[] = {
#define NVCC_ATOMIC(usage, op) {usage, op},
#include "lower/names.def"
};

bool atomic_is_nvcc(struct parser *p, const struct tree *n) {
    (void)p;
    return n->kind == TREE_CALL && tree_is_word(n->a) &&
           strncmp(n->first->text, nvcc_prefix, strlen(nvcc_prefix)) == 0;
}

static const struct nvcc_row *find_function(struct parser *p, const struct token *t) {
    const struct nvcc_row *row = names_find(NAMES(functions), t->text);
    if (!row)
        parse_error(p, t->pos,
                    "'%s' is not supported yet; supported are __nv_atomic_load, store, exchange and "
                    "compare_exchange, with and without _n, fetch_add and its like, and thread_fence",
                    t->text);
    return row;
}

static bool has(const char *usage, const char *argument) {
    return strstr(usage, argument) != NULL;
}

/* "&r" */
static int read_register(struct parser *p, struct arguments *left, const struct atomic *a, bool written) {
    const struct tree *n = arguments_take(p, left, "'&' and a register");
    if (!n) return -1;
    if (n->kind != TREE_ADDRESS) {
        parse_error(p, n->first[-1].after, "expected '&' and a register");
        return -1;
    }
    return atomic_register(p, a, n->a,
                           written ? "expects a register, which gets what was there" : "expects a register",
                           written);
}

/* What is stored: "value", or "&value" of a register that has it. */
static void read_value(struct parser *p, struct arguments *left, struct atomic *a) {
    if (!has(left->usage, "&value") && !has(left->usage, "&desired")) {
        a->value = atomic_argument(p, left, a);
        return;
    }
    int reg = read_register(p, left, a, false);
    struct pos pos = left->before->pos;
    a->value = reg < 0 ? expr_int(p, pos, 0) : body_read(p, reg, pos);
}

/* "weak": a GPU's compare-exchange never fails for no reason, so it says nothing. */
static void read_weak(struct parser *p, struct arguments *left) {
    const struct tree *n = arguments_take(p, left, "'weak'");
    struct expr *weak = n ? lower_value(p, n) : NULL;
    if (weak && !expr_is_known(weak)) parse_complain(p, weak->pos, "'weak' is true or false");
}

/* The arguments behind the place, up to the orders; the register that gets what was there, or -1. */
static int read_operands(struct parser *p, struct arguments *left, struct atomic *a) {
    const char *usage = left->usage;
    int reg = -1;
    if (has(usage, "&expected")) reg = read_register(p, left, a, true);
    if (has(usage, "value") || has(usage, "desired")) read_value(p, left, a);
    if (has(usage, "&result")) reg = read_register(p, left, a, true);
    if (has(usage, "weak")) read_weak(p, left);
    return reg;
}

static void read_strength(struct parser *p, struct arguments *left, struct atomic *a) {
    a->order = atomic_order(p, left, a, NVCC);
    if (a->op == RMW_CAS) a->order = atomic_failure(p, left, a->order, NVCC);
    if (left->next) a->scope = atomic_scope(p, left, NVCC);
    arguments_end(p, left);
}

struct expr *atomic_nvcc(struct parser *p, const struct tree *call) {
    const struct token *t = call->first;
    struct atomic a = {.name = t->text, .pos = t->pos, .scope = SCOPE_SYS};
    const struct nvcc_row *row = find_function(p, t);
    int reg = -1;
    if (!row) return NULL;
    struct arguments left = arguments_of(call, row->usage);
    a.op = row->op;
    bool fence = a.op == FENCE_THREAD;
    if (!fence) {
        const struct tree *n = arguments_take(p, &left, "a location");
        if (n) a.place = place_argument(p, n, left.usage);
        reg = p->panic ? -1 : read_operands(p, &left, &a);
    }
    read_strength(p, &left, &a);
    if (fence) atomic_fence(p, a.order, a.scope, a.pos);
    if (p->panic || fence) return NULL;
    if (a.op == RMW_CAS) return atomic_compare(p, &a, reg);
    struct expr *value = atomic_add(p, &a);
    if (reg < 0) return value;
    body_set(p, reg, value, a.pos);
    return NULL;
}
