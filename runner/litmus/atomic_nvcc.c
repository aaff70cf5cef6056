/* nvcc's __nv_atomic functions. */
#include <string.h>

#include "litmus/atomic.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const char nvcc_prefix[] = "__nv_atomic_";

static const struct {
    const char *usage;
    enum op_name op;
} functions[] = {
    {"load_n(&X, order, scope)", LOAD_PLAIN},
    {"store_n(&X, value, order, scope)", STORE_PLAIN},
    {"exchange_n(&X, value, order, scope)", RMW_EXCH},
    {"load(&X, &result, order, scope)", LOAD_PLAIN},
    {"store(&X, &value, order, scope)", STORE_PLAIN},
    {"exchange(&X, &value, &result, order, scope)", RMW_EXCH},
    {"compare_exchange(&X, &expected, &desired, weak, order, order, scope)", RMW_CAS},
    {"compare_exchange_n(&X, &expected, desired, weak, order, order, scope)", RMW_CAS},
    {"fetch_add(&X, value, order, scope)", RMW_ADD},
    {"fetch_sub(&X, value, order, scope)", RMW_SUB},
    {"fetch_and(&X, value, order, scope)", RMW_AND},
    {"fetch_or(&X, value, order, scope)", RMW_OR},
    {"fetch_xor(&X, value, order, scope)", RMW_XOR},
    {"fetch_min(&X, value, order, scope)", RMW_MIN},
    {"fetch_max(&X, value, order, scope)", RMW_MAX},
    {"add(&X, value, order, scope)", RMW_ADD},
    {"sub(&X, value, order, scope)", RMW_SUB},
    {"and(&X, value, order, scope)", RMW_AND},
    {"or(&X, value, order, scope)", RMW_OR},
    {"xor(&X, value, order, scope)", RMW_XOR},
    {"min(&X, value, order, scope)", RMW_MIN},
    {"max(&X, value, order, scope)", RMW_MAX},
    {"thread_fence(order, scope)", FENCE_THREAD},
};

bool atomic_is_nvcc(const char *name) {
    return strncmp(name, nvcc_prefix, strlen(nvcc_prefix)) == 0;
}

/* The index of the function in `functions`; -1, and an error: there is none. */
static int find_function(struct parser *p, const struct token *t) {
    const char *names[COUNT_OF(functions)];
    for (size_t k = 0; k < COUNT_OF(functions); k++) {
        size_t n = strcspn(functions[k].usage, "(");
        names[k] = arena_printf(p->arena, "%s%.*s", nvcc_prefix, (int)n, functions[k].usage);
        if (strcmp(names[k], t->text) == 0) return (int)k;
    }
    parse_error(
        p, t->pos,
        "'%s' is not supported yet; supported are __nv_atomic_load, store, exchange and compare_exchange, "
        "with and without _n, fetch_add and its like, and thread_fence",
        t->text);
    return -1;
}

/* ", " before the next argument. */
static void comma(struct parser *p, const char *usage) {
    parse_expect(p, ',', arena_printf(p->arena, "',': %s%s", nvcc_prefix, usage));
}

static bool has(const char *usage, const char *argument) {
    return strstr(usage, argument) != NULL;
}

/* "&r" */
static int read_register(struct parser *p, const struct atomic *a, bool written) {
    parse_expect(p, '&', "'&' and a register");
    return atomic_register(
        p, a, written ? "expects a register, which gets what was there" : "expects a register", written);
}

/* What is stored: "value", or "&value" of a register that has it. */
static void read_value(struct parser *p, struct atomic *a, const char *usage) {
    comma(p, usage);
    if (!has(usage, "&value") && !has(usage, "&desired")) {
        a->value = atomic_argument(p, a);
        return;
    }
    struct pos pos = p->tok->pos;
    int reg = read_register(p, a, false);
    a->value = reg < 0 ? expr_int(p, pos, 0) : body_read(p, reg, pos);
}

/* "weak": a GPU's compare-exchange never fails for no reason, so it says nothing. */
static void read_weak(struct parser *p, const char *usage) {
    comma(p, usage);
    struct expr *weak = parse_expression(p);
    if (!p->panic && !expr_is_known(weak)) parse_complain(p, weak->pos, "'weak' is true or false");
}

/* The arguments behind the place, up to the orders; the register that gets what was there, or -1. */
static int read_operands(struct parser *p, struct atomic *a, const char *usage) {
    int reg = -1;
    if (has(usage, "&expected")) {
        comma(p, usage);
        reg = read_register(p, a, true);
    }
    if (has(usage, "value") || has(usage, "desired")) read_value(p, a, usage);
    if (has(usage, "&result")) {
        comma(p, usage);
        reg = read_register(p, a, true);
    }
    if (has(usage, "weak")) read_weak(p, usage);
    return reg;
}

static void read_strength(struct parser *p, struct atomic *a, const char *usage) {
    a->order = atomic_order(p, a, NVCC);
    if (a->op == RMW_CAS) {
        comma(p, usage);
        a->order = atomic_failure(p, a->order, NVCC);
    }
    if (parse_accept(p, ',')) a->scope = atomic_scope(p, NVCC);
    parse_expect(p, ')', arena_printf(p->arena, "')': %s%s", nvcc_prefix, usage));
}

struct expr *atomic_nvcc(struct parser *p) {
    const struct token *t = parse_next(p);
    struct atomic a = {.name = t->text, .pos = t->pos, .scope = SCOPE_SYS};
    int k = find_function(p, t), reg = -1;
    if (k < 0) return NULL;
    const char *usage = functions[k].usage;
    a.op = functions[k].op;
    bool fence = a.op == FENCE_THREAD;
    parse_expect(p, '(', arena_printf(p->arena, "'(': %s%s", nvcc_prefix, usage));
    if (!fence) {
        a.place = access_argument(p, arena_printf(p->arena, "%s%s", nvcc_prefix, usage));
        reg = read_operands(p, &a, usage);
        comma(p, usage);
    }
    read_strength(p, &a, usage);
    if (fence) atomic_fence(p, a.order, a.scope, a.pos);
    if (p->panic || fence) return NULL;
    if (a.op == RMW_CAS) return atomic_compare(p, &a, reg);
    struct expr *value = atomic_add(p, &a);
    if (reg < 0) return value;
    body_set(p, reg, value, a.pos);
    return NULL;
}
