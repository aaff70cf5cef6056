/* Atomic operations as libcu++ and nvcc spell them. Those of libcu++ become the operations that NVIDIA's headers make of them
 * (cuda/std/__atomic: seq_cst is a fence.sc before an acquire, or before a relaxed store). */
#include <string.h>

#include "lower/calls.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Who wrote the operation: their words differ. */
enum dialect_of { LIBCUXX, NVCC };

/* An operation that is being read. */
struct atomic {
    const char *name; /* "fetch_add" */
    enum op_name op;
    enum dialect_of by;
    struct pos pos;
    struct place place;
    enum scope scope;
    enum order order; /* ORDER_BARE: it must be written */
    struct expr *value, *expected;
    int reg; /* which gets what was there; -1: none */
};

/* ---- orders and scopes ---- */

#define BIT(order) (1u << ORDER_##order)
enum {
    LOAD_ORDERS = BIT(RELAXED) | BIT(ACQUIRE) | BIT(SC),
    STORE_ORDERS = BIT(RELAXED) | BIT(RELEASE) | BIT(SC),
    ALL_ORDERS = LOAD_ORDERS | STORE_ORDERS | BIT(ACQ_REL),
};

/* To the headers consume is acquire. */
static const struct {
    const char *names[2];
    enum order order;
} orders[] = {
    {{"memory_order_relaxed", "__NV_ATOMIC_RELAXED"}, ORDER_RELAXED},
    {{"memory_order_acquire", "__NV_ATOMIC_ACQUIRE"}, ORDER_ACQUIRE},
    {{"memory_order_release", "__NV_ATOMIC_RELEASE"}, ORDER_RELEASE},
    {{"memory_order_acq_rel", "__NV_ATOMIC_ACQ_REL"}, ORDER_ACQ_REL},
    {{"memory_order_seq_cst", "__NV_ATOMIC_SEQ_CST"}, ORDER_SC},
    {{"memory_order_consume", "__NV_ATOMIC_CONSUME"}, ORDER_ACQUIRE},
};
enum { WITHOUT_CONSUME = COUNT_OF(orders) - 1 };

static const struct {
    const char *names[2];
    enum scope scope;
} scopes[] = {
    {{"thread_scope_block", "__NV_THREAD_SCOPE_BLOCK"}, SCOPE_CTA},
    {{"thread_scope_device", "__NV_THREAD_SCOPE_DEVICE"}, SCOPE_GPU},
    {{"thread_scope_system", "__NV_THREAD_SCOPE_SYSTEM"}, SCOPE_SYS},
    {{"", "__NV_THREAD_SCOPE_CLUSTER"}, SCOPE_CLUSTER}, /* libcu++ has none */
};

/* "a, b or c": the orders of a set. */
static const char *list_orders(struct parser *p, unsigned set, enum dialect_of by) {
    const char *names[WITHOUT_CONSUME];
    size_t n = 0;
    for (int k = 0; k < WITHOUT_CONSUME; k++)
        if (set >> orders[k].order & 1) names[n++] = orders[k].names[by];
    return names_list(p, names, n, "");
}

/* The name that is the next argument. */
static bool take_word(struct parser *p, struct arguments *a, const char *what, struct full_name *w) {
    struct pos pos = a->next ? a->next->first[-1].after : a->before->after;
    const struct tree *n = a->next;
    if (!n || n->kind != TREE_NAME) parse_error(p, pos, "expected %s", what);
    if (p->panic) return false;
    *w = full_name_of(p, arguments_take(p, a, what));
    return true;
}

/* "memory_order_acquire", also written memory_order::acquire. */
static bool is_order(struct parser *p, const struct full_name *w, const char *name) {
    const char *scoped = "memory_order::";
    size_t n = strlen(scoped);
    if (strncmp(w->bare, scoped, n) != 0) return strcmp(w->bare, name) == 0;
    return strcmp(arena_printf(p->arena, "memory_order_%s", w->bare + n), name) == 0;
}

/* An order of those that `what` can have. */
static enum order take_order(struct parser *p, struct arguments *a, unsigned set, const char *what,
                             enum dialect_of by) {
    struct full_name w;
    if (!take_word(p, a, arena_printf(p->arena, "an order: %s", list_orders(p, set, by)), &w))
        return ORDER_RELAXED;
    for (size_t k = 0; k < COUNT_OF(orders); k++) {
        if (!is_order(p, &w, orders[k].names[by])) continue;
        if (!(set >> orders[k].order & 1))
            parse_error(p, w.pos, "%s cannot be '%s'; it can be %s", what, w.text, list_orders(p, set, by));
        return orders[k].order;
    }
    parse_error(p, w.pos, "unknown order '%s'; it can be %s", w.text, list_orders(p, set, by));
    return ORDER_RELAXED;
}

static const char *const scope_lists[] = {"thread_scope_block, thread_scope_device or thread_scope_system",
                                          "__NV_THREAD_SCOPE_BLOCK, __NV_THREAD_SCOPE_CLUSTER, "
                                          "__NV_THREAD_SCOPE_DEVICE or __NV_THREAD_SCOPE_SYSTEM"};

/* "thread_scope_block", which may stand behind the name of its enumeration. */
static enum scope find_scope(struct parser *p, const struct full_name *w, enum dialect_of by) {
    const char *of = "thread_scope::", *name = w->bare;
    if (by != NVCC && strncmp(name, of, strlen(of)) == 0) name += strlen(of);
    for (size_t k = 0; k < COUNT_OF(scopes); k++)
        if (strcmp(name, scopes[k].names[by]) == 0) return scopes[k].scope;
    if (strcmp(w->bare, by == NVCC ? "__NV_THREAD_SCOPE_THREAD" : "thread_scope_thread") == 0)
        parse_error(p, w->pos, "'%s' is not supported yet", w->text);
    else
        parse_error(p, w->pos, "unknown scope '%s'; it can be %s", w->text, scope_lists[by]);
    return SCOPE_SYS;
}

static enum scope take_scope(struct parser *p, struct arguments *a, enum dialect_of by) {
    struct full_name w;
    bool given = take_word(p, a, arena_printf(p->arena, "a scope: %s", scope_lists[by]), &w);
    return given ? find_scope(p, &w, by) : SCOPE_SYS;
}

enum scope atomic_scope_of(struct parser *p, const struct tree *n) {
    struct arguments a = {.next = n, .before = n->first - 1};
    return take_scope(p, &a, LIBCUXX);
}

/* ---- operations ---- */

static struct type type_of(const struct parser *p, const struct atomic *a) {
    return a->place.loc < 0 ? type_int : p->test->locs[a->place.loc].type;
}

static void add_fence(struct parser *p, enum order order, enum scope scope, struct pos pos) {
    if (p->panic || order == ORDER_RELAXED) return;
    struct op op = op_make(FENCE_THREAD, pos);
    op.order = order == ORDER_SC ? ORDER_SC : ORDER_ACQ_REL;
    op.scope = scope;
    stmt_add_op(p, op);
}

/* Adds it; its value, or NULL of a store. */
static struct expr *add(struct parser *p, const struct atomic *a) {
    const struct op_row *row = &op_rows[a->op];
    struct type type = type_of(p, a);
    const char *needs = op_needs(row->types, type);
    if (needs && !p->panic)
        parse_complain(p, a->pos, "%s needs a location of %s, and '%s' is of type %s", a->name, needs,
                       p->test->locs[a->place.loc].name, type_name(type));
    struct op op = op_make(a->op, a->pos);
    op.type = type;
    op.place[0] = access_place(&a->place);
    op.order = a->order;
    op.scope = a->scope;
    op.value = a->value;
    op.expected = a->expected;
    if (op.order == ORDER_SC) {
        add_fence(p, ORDER_SC, op.scope, op.pos);
        op.order = op.kind == OP_STORE ? ORDER_RELAXED : ORDER_ACQUIRE;
    }
    return call_add(p, op);
}

struct expr *atomic_access(struct parser *p, enum op_name op, const struct place *at, enum order order,
                           enum scope scope, struct expr *value) {
    struct atomic a = {.name = op_rows[op].word, .op = op, .pos = at->pos, .place = *at, .scope = scope};
    a.order = order;
    a.value = value ? expr_convert(p, value, type_of(p, &a)) : NULL;
    return add(p, &a);
}

/* t = compare-exchange; ok = t == expected; expected = t. Where the exchange succeeds, t is what was expected. */
static struct expr *compare(struct parser *p, struct atomic *a) {
    if (p->panic || a->reg < 0) return expr_int(p, a->pos, 0);
    a->expected = body_read(p, a->reg, a->pos);
    struct expr *old = add(p, a);
    int ok = body_temporary(p, a->pos, type_int);
    body_set(p, ok, expr_new(p, EXPR_EQ, a->pos, old, a->expected), a->pos);
    body_set(p, a->reg, old, a->pos);
    return body_value(p, ok, a->pos);
}

/* ---- arguments ---- */

/* The order of a compare-exchange that has one for its failure, too. */
static enum order stronger(enum order success, enum order failure) {
    if (success == ORDER_SC || failure == ORDER_SC) return ORDER_SC;
    if (failure != ORDER_ACQUIRE) return success;
    return success == ORDER_RELEASE || success == ORDER_ACQ_REL ? ORDER_ACQ_REL : ORDER_ACQUIRE;
}

/* A register of the type of what is at the place, or the address of one; -1, and an error: it is none. */
static int take_register(struct parser *p, struct arguments *left, const struct atomic *a, bool address,
                         bool written) {
    const struct tree *n = arguments_take(p, left, address ? "'&' and a register" : "a register");
    if (n && address && n->kind != TREE_ADDRESS)
        parse_error(p, n->first[-1].after, "expected '&' and a register");
    if (!n || p->panic) return -1;
    if (address) n = n->a;
    const struct token *t = n->first;
    struct type type = type_of(p, a);
    int reg = assign_is_register(p, n) ? assign_register(p, n) : -1;
    if (reg < 0)
        parse_error(p, t->pos, "%s expects a register%s", a->name,
                    written ? ", which gets what was there" : "");
    else if (!type_same(p->body->regs[reg].type, type))
        parse_complain(p, t->pos, "'%s' is of type %s, and '%s' of type %s", t->text,
                       type_name(p->body->regs[reg].type), p->test->locs[a->place.loc].name, type_name(type));
    if (reg >= 0 && written) body_check_constant(p, reg, t->pos);
    return reg;
}

static bool has(const struct arguments *left, const char *argument) {
    return strstr(left->usage, argument) != NULL;
}

/* What is stored or expected: "value", or "&value" of a register that has it. */
static struct expr *take_value(struct parser *p, struct arguments *left, const struct atomic *a) {
    if (has(left, "&value") || has(left, "&desired")) {
        int reg = take_register(p, left, a, true, false);
        return reg < 0 ? expr_int(p, left->before->pos, 0) : body_read(p, reg, left->before->pos);
    }
    const struct tree *n = arguments_take(p, left, "a value");
    return expr_convert(p, n ? lower_value(p, n) : expr_int(p, a->pos, 0), type_of(p, a));
}

/* "weak": a GPU's compare-exchange never fails for no reason, so it says nothing. */
static void take_weak(struct parser *p, struct arguments *left) {
    const struct tree *n = arguments_take(p, left, "'weak'");
    struct expr *weak = n ? lower_value(p, n) : NULL;
    if (weak && !expr_is_known(weak)) parse_complain(p, weak->pos, "'weak' is true or false");
}

/* The order, of a compare-exchange also that of its failure; and the scope, which may be missing. */
static void take_strength(struct parser *p, struct arguments *left, struct atomic *a) {
    enum op_kind kind = op_rows[a->op].kind;
    bool must = a->order == ORDER_BARE;
    unsigned set = kind == OP_LOAD ? LOAD_ORDERS : kind == OP_STORE ? STORE_ORDERS : ALL_ORDERS;
    if (must || left->next) a->order = take_order(p, left, set, op_kinds[kind].name, a->by);
    if (a->op == RMW_CAS && (must || left->next))
        a->order = stronger(a->order, take_order(p, left, LOAD_ORDERS, "the order of a failure", a->by));
    if (has(left, "scope") && left->next) a->scope = take_scope(p, left, a->by);
}

/* The arguments behind the place. */
static void take_arguments(struct parser *p, struct arguments *left, struct atomic *a) {
    a->reg = -1;
    if (has(left, "expected")) a->reg = take_register(p, left, a, has(left, "&expected"), true);
    if (has(left, "value") || has(left, "desired") || has(left, "old")) a->value = take_value(p, left, a);
    if (has(left, "&result")) a->reg = take_register(p, left, a, true, true);
    if (has(left, "weak,")) take_weak(p, left);
    if (has(left, "order")) take_strength(p, left, a);
    arguments_end(p, left);
}

/* ---- members of cuda::atomic_ref ---- */

/* wait(old, order): on a GPU, libcu++ loads in that order until the value is another. */
static struct expr *lower_wait(struct parser *p, struct atomic *a) {
    struct expr *old = a->value;
    struct stmts before = stmts_capture(p);
    a->value = NULL;
    struct expr *seen = add(p, a);
    protocol_poll(p, before, expr_new(p, EXPR_NE, a->pos, seen, old), a->pos);
    return NULL;
}

/* A notification does nothing. */
static struct expr *lower_notice(struct parser *p, struct atomic *a) {
    (void)p, (void)a;
    return NULL;
}

/* load(order), store(value, order), fetch_add(value, order), compare_exchange_strong(expected, desired, order) and the like */
static struct expr *lower_access(struct parser *p, struct atomic *a) {
    if (a->op == RMW_CAS) return compare(p, a);
    struct expr *value = add(p, a);
    if (a->reg < 0) return value;
    body_set(p, a->reg, value, a->pos);
    return NULL;
}

static const struct atomic_member {
    const char *usage;
    struct expr *(*lower)(struct parser *p, struct atomic *a);
    enum op_name op;
} members[] = {
    {"load(order)", lower_access, LOAD_PLAIN},
    {"store(value, order)", lower_access, STORE_PLAIN},
    {"exchange(value, order)", lower_access, RMW_EXCH},
    {"fetch_add(value, order)", lower_access, RMW_ADD},
    {"fetch_sub(value, order)", lower_access, RMW_SUB},
    {"fetch_and(value, order)", lower_access, RMW_AND},
    {"fetch_or(value, order)", lower_access, RMW_OR},
    {"fetch_xor(value, order)", lower_access, RMW_XOR},
    {"fetch_min(value, order)", lower_access, RMW_MIN},
    {"fetch_max(value, order)", lower_access, RMW_MAX},
    {"compare_exchange_strong(expected, desired, order)", lower_access, RMW_CAS},
    {"compare_exchange_weak(expected, desired, order)", lower_access, RMW_CAS},
    {"wait(old, order)", lower_wait, LOAD_PLAIN},
    {"notify_one()", lower_notice, LOAD_PLAIN},
    {"notify_all()", lower_notice, LOAD_PLAIN},
};

struct expr *atomic_member(struct parser *p, const struct reference *ref, const struct tree *call) {
    const struct token *t = call->a->at;
    const struct atomic_member *m = names_find(NAMES(members), t->text);
    if (!m && strcmp(t->text, "is_lock_free") == 0)
        parse_error(p, t->pos, "'%s' is not supported yet", t->text);
    if (!m)
        parse_error(p, t->pos, "an atomic_ref has no member '%s'%s", t->text,
                    names_suggest(p, NAMES(members), t->text));
    if (!m) return NULL;
    struct atomic a = {.name = t->text, .pos = t->pos, .op = m->op, .place = ref->place};
    struct arguments left = arguments_of(call, m->usage);
    a.scope = ref->scope;
    a.order = ORDER_SC;
    take_arguments(p, &left, &a);
    return m->lower(p, &a);
}

/* ---- nvcc's __nv_atomic functions ---- */

static const char nvcc_prefix[] = "__nv_atomic_";

static const struct nvcc_row {
    const char *usage;
    enum op_name op;
} functions[] = {
    {"__nv_atomic_load_n(&X, order, scope)", LOAD_PLAIN},
    {"__nv_atomic_store_n(&X, value, order, scope)", STORE_PLAIN},
    {"__nv_atomic_exchange_n(&X, value, order, scope)", RMW_EXCH},
    {"__nv_atomic_load(&X, &result, order, scope)", LOAD_PLAIN},
    {"__nv_atomic_store(&X, &value, order, scope)", STORE_PLAIN},
    {"__nv_atomic_exchange(&X, &value, &result, order, scope)", RMW_EXCH},
    {"__nv_atomic_compare_exchange(&X, &expected, &desired, weak, order, order, scope)", RMW_CAS},
    {"__nv_atomic_compare_exchange_n(&X, &expected, desired, weak, order, order, scope)", RMW_CAS},
    {"__nv_atomic_thread_fence(order, scope)", FENCE_THREAD},
};

bool atomic_is_nvcc(struct parser *p, const struct tree *n) {
    (void)p;
    return n->kind == TREE_CALL && tree_is_word(n->a) &&
           strncmp(n->first->text, nvcc_prefix, strlen(nvcc_prefix)) == 0;
}

/* How a function is called, and its operation. Those that change what is there have the names of an atomic_ref's members,
 * also without "fetch_". */
static struct nvcc_row find_function(struct parser *p, const struct token *t) {
    const struct nvcc_row *row = names_find(NAMES(functions), t->text);
    const char *word = t->text + strlen(nvcc_prefix), *fetch = "fetch_";
    if (row) return *row;
    if (strncmp(word, fetch, strlen(fetch)) != 0) word = arena_printf(p->arena, "%s%s", fetch, word);
    const struct atomic_member *m = names_find(NAMES(members), word);
    if (m) return (struct nvcc_row){arena_printf(p->arena, "%s(&X, value, order, scope)", t->text), m->op};
    parse_error(p, t->pos,
                "'%s' is not supported yet; supported are __nv_atomic_load, store, exchange and "
                "compare_exchange, with and without _n, fetch_add and its like, and thread_fence",
                t->text);
    return (struct nvcc_row){.usage = ""};
}

/* A call of an operation, or of a fence, that is written like `usage`. A fence that is relaxed is none. */
static struct expr *lower_call(struct parser *p, const struct tree *call, const char *usage,
                               struct atomic *a) {
    struct arguments left = arguments_of(call, usage);
    if (has(&left, "&X")) a->place = arguments_place(p, &left, "a location");
    if (!p->panic) take_arguments(p, &left, a);
    if (p->panic) return NULL;
    if (a->op != FENCE_THREAD) return lower_access(p, a);
    add_fence(p, a->order, a->scope, a->pos);
    return NULL;
}

struct expr *atomic_nvcc(struct parser *p, const struct tree *call) {
    const struct token *t = call->first;
    struct nvcc_row row = find_function(p, t);
    struct atomic a = {.name = t->text, .op = row.op, .by = NVCC, .pos = t->pos, .scope = SCOPE_SYS};
    return lower_call(p, call, row.usage, &a);
}

void atomic_fence(struct parser *p, const struct tree *call, const struct full_name *w) {
    bool scoped = strncmp(w->text, "cuda::std::", 11) != 0 && strncmp(w->text, "std::", 5) != 0;
    struct atomic a = {.op = FENCE_THREAD, .pos = w->pos, .scope = SCOPE_SYS};
    lower_call(p, call, scoped ? "atomic_thread_fence(order, scope)" : "atomic_thread_fence(order)", &a);
}
