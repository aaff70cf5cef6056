/* libcu++'s atomics: each becomes the operations that NVIDIA's headers make of it (cuda/std/__atomic: seq_cst is a
 * fence.sc before an acquire, or before a relaxed store). */
#include <string.h>

#include "litmus/atomic.h"
#include "litmus/name.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* A name with its namespaces, "cuda::std::memory_order_acquire". */
struct word {
    const char *text;
    const char *bare; /* without cuda:: and std:: */
    struct pos pos;
};

static const char *const namespaces[] = {"cuda::", "std::"};

bool atomic_begins(const struct parser *p) {
    const struct token *t = p->tok;
    if (parse_peek(p) != TOK_NAME || t[1].kind != ':' || t[2].kind != ':') return false;
    const char *begin = arena_printf(p->arena, "%s::", t->text);
    return strcmp(begin, namespaces[0]) == 0 || strcmp(begin, namespaces[1]) == 0;
}

static const char *without_namespaces(const char *text) {
    for (size_t k = 0; k < COUNT_OF(namespaces); k++)
        if (strncmp(text, namespaces[k], strlen(namespaces[k])) == 0)
            return without_namespaces(text + strlen(namespaces[k]));
    return text;
}

static bool read_word(struct parser *p, const char *what, struct word *w) {
    const struct token *t = p->tok;
    *w = (struct word){"", "", t->pos};
    if (!parse_expect(p, TOK_NAME, what)) return false;
    w->text = t->text;
    while (parse_peek(p) == ':' && p->tok[1].kind == ':' && p->tok[2].kind == TOK_NAME) {
        parse_next(p);
        parse_next(p);
        const struct token *part = parse_next(p);
        w->text = arena_printf(p->arena, "%s::%s", w->text, part->text);
        if (part->pos.line == w->pos.line) w->pos.len = part->pos.col + part->pos.len - w->pos.col;
    }
    w->bare = without_namespaces(w->text);
    return true;
}

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
    const char *list = "";
    for (int k = 0, left = __builtin_popcount(set); k < WITHOUT_CONSUME; k++) {
        if (!(set >> orders[k].order & 1)) continue;
        left--;
        list = arena_printf(p->arena, "%s%s%s", list,
                            !*list ? ""
                            : left ? ", "
                                   : " or ",
                            orders[k].names[by]);
    }
    return list;
}

/* "memory_order_acquire", also written memory_order::acquire. */
static bool is_order(struct parser *p, const struct word *w, const char *name) {
    const char *scoped = "memory_order::";
    size_t n = strlen(scoped);
    if (strncmp(w->bare, scoped, n) != 0) return strcmp(w->bare, name) == 0;
    return strcmp(arena_printf(p->arena, "memory_order_%s", w->bare + n), name) == 0;
}

/* An order of those that `what` can have. */
static enum order read_order(struct parser *p, unsigned set, const char *what, enum dialect_of by) {
    struct word w;
    if (!read_word(p, arena_printf(p->arena, "an order: %s", list_orders(p, set, by)), &w))
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

enum scope atomic_scope(struct parser *p, enum dialect_of by) {
    struct word w;
    static const char *const lists[] = {"thread_scope_block, thread_scope_device or thread_scope_system",
                                        "__NV_THREAD_SCOPE_BLOCK, __NV_THREAD_SCOPE_CLUSTER, "
                                        "__NV_THREAD_SCOPE_DEVICE or __NV_THREAD_SCOPE_SYSTEM"};
    if (!read_word(p, arena_printf(p->arena, "a scope: %s", lists[by]), &w)) return SCOPE_SYS;
    for (size_t k = 0; k < COUNT_OF(scopes); k++)
        if (strcmp(w.bare, scopes[k].names[by]) == 0) return scopes[k].scope;
    if (strcmp(w.bare, by == NVCC ? "__NV_THREAD_SCOPE_THREAD" : "thread_scope_thread") == 0)
        parse_error(p, w.pos, "'%s' is not supported yet", w.text);
    else
        parse_error(p, w.pos, "unknown scope '%s'; it can be %s", w.text, lists[by]);
    return SCOPE_SYS;
}

/* ---- operations ---- */

struct type atomic_type(const struct parser *p, const struct atomic *a) {
    return a->place.loc < 0 ? type_int : p->test->locs[a->place.loc].type;
}

void atomic_fence(struct parser *p, enum order order, enum scope scope, struct pos pos) {
    if (p->panic || order == ORDER_RELAXED) return;
    struct op op = {.name = FENCE_THREAD, .kind = OP_FENCE, .type = type_int, .pos = pos};
    op.order = order == ORDER_SC ? ORDER_SC : ORDER_ACQ_REL;
    op.scope = scope;
    op.dst = op.loc = op.slot = -1;
    stmt_add_op(p, op);
}

/* Adds it; its value, or NULL of a store. */
struct expr *atomic_add(struct parser *p, const struct atomic *a) {
    const struct op_row *row = &op_rows[a->op];
    struct type type = atomic_type(p, a);
    const char *needs = op_needs(row->types, type);
    if (needs && !p->panic)
        parse_complain(p, a->pos, "%s needs a location of %s, and '%s' is of type %s", a->name, needs,
                       p->test->locs[a->place.loc].name, type_name(type));
    struct op op = {.name = a->op, .kind = row->kind, .type = type, .pos = a->pos, .dst = -1, .slot = -1};
    op.loc = a->place.loc;
    op.index = a->place.index;
    op.order = a->order;
    op.scope = a->scope;
    op.value = a->value;
    op.expected = a->expected;
    if (op.order == ORDER_SC) {
        atomic_fence(p, ORDER_SC, op.scope, op.pos);
        op.order = op.kind == OP_STORE ? ORDER_RELAXED : ORDER_ACQUIRE;
    }
    struct op *added = stmt_add_op(p, op);
    return op.kind == OP_STORE ? NULL : access_result(p, added);
}

/* The order of a compare-exchange that has one for its failure, too. */
static enum order stronger(enum order success, enum order failure) {
    if (success == ORDER_SC || failure == ORDER_SC) return ORDER_SC;
    if (failure != ORDER_ACQUIRE) return success;
    return success == ORDER_RELEASE || success == ORDER_ACQ_REL ? ORDER_ACQ_REL : ORDER_ACQUIRE;
}

static const char *kind_of(const struct atomic *a) {
    return op_kind_name(op_rows[a->op].kind);
}

static unsigned orders_of(const struct atomic *a) {
    enum op_kind kind = op_rows[a->op].kind;
    return kind == OP_LOAD ? LOAD_ORDERS : kind == OP_STORE ? STORE_ORDERS : ALL_ORDERS;
}

enum order atomic_order(struct parser *p, const struct atomic *a, enum dialect_of by) {
    return read_order(p, orders_of(a), kind_of(a), by);
}

enum order atomic_failure(struct parser *p, enum order success, enum dialect_of by) {
    return stronger(success, read_order(p, LOAD_ORDERS, "the order of a failure", by));
}

int atomic_register(struct parser *p, const struct atomic *a, const char *what, bool written) {
    const struct token *t = p->tok;
    struct type type = atomic_type(p, a);
    int reg = registers_read(p);
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

/* ---- cuda::atomic_ref ---- */

static const struct {
    const char *name;
    enum op_name op;
} members[] = {
    {"load", LOAD_PLAIN},
    {"store", STORE_PLAIN},
    {"exchange", RMW_EXCH},
    {"fetch_add", RMW_ADD},
    {"fetch_sub", RMW_SUB},
    {"fetch_and", RMW_AND},
    {"fetch_or", RMW_OR},
    {"fetch_xor", RMW_XOR},
    {"fetch_min", RMW_MIN},
    {"fetch_max", RMW_MAX},
    {"compare_exchange_strong", RMW_CAS},
    {"compare_exchange_weak", RMW_CAS},
};

static bool find_member(const char *name, enum op_name *op) {
    for (size_t k = 0; k < COUNT_OF(members); k++)
        if (strcmp(members[k].name, name) == 0) {
            *op = members[k].op;
            return true;
        }
    return false;
}

static void report_member(struct parser *p, const struct token *t) {
    const char *names[COUNT_OF(members)];
    if (strcmp(t->text, "is_lock_free") == 0) parse_error(p, t->pos, "'%s' is not supported yet", t->text);
    for (size_t k = 0; k < COUNT_OF(members); k++)
        names[k] = members[k].name;
    parse_error(p, t->pos, "an atomic_ref has no member '%s'%s", t->text,
                name_suggest(p->arena, t->text, names, COUNT_OF(members)));
}

struct expr *atomic_argument(struct parser *p, const struct atomic *a) {
    return expr_convert(p, parse_expression(p), atomic_type(p, a));
}

/* wait(old, order): on a GPU, libcu++ loads in that order until the value is another, and a notification does nothing. */
static bool read_wait(struct parser *p, struct atomic *a) {
    bool waits = strcmp(a->name, "wait") == 0;
    if (!waits && strcmp(a->name, "notify_one") != 0 && strcmp(a->name, "notify_all") != 0) return false;
    parse_expect(p, '(', "'('");
    if (waits) {
        a->op = LOAD_PLAIN;
        struct expr *old = atomic_argument(p, a);
        if (parse_accept(p, ',')) a->order = atomic_order(p, a, LIBCUXX);
        struct stmts before = stmts_capture(p);
        struct expr *seen = atomic_add(p, a);
        protocol_poll(p, before, expr_new(p, EXPR_NE, a->pos, seen, old), a->pos);
    }
    parse_expect(p, ')', "')'");
    return true;
}

/* ".member(arguments)" */
static struct expr *read_member(struct parser *p, const struct reference *ref) {
    struct atomic a = {.place = ref->place, .scope = ref->scope, .order = ORDER_SC};
    int expected = -1;
    parse_expect(p, '.', "'.' and a member of the atomic_ref");
    const struct token *t = p->tok;
    if (!parse_expect(p, TOK_NAME, "a member of the atomic_ref")) return NULL;
    a.name = t->text;
    a.pos = t->pos;
    if (read_wait(p, &a)) return NULL;
    if (!find_member(t->text, &a.op)) {
        report_member(p, t);
        return NULL;
    }
    parse_expect(p, '(', "'('");
    if (a.op == RMW_CAS) {
        expected = atomic_register(p, &a, "expects a register, which gets what was there", true);
        parse_expect(p, ',', "',' and the desired value");
    }
    if (a.op != LOAD_PLAIN) a.value = atomic_argument(p, &a);
    if (a.op == LOAD_PLAIN ? parse_peek(p) != ')' : parse_accept(p, ','))
        a.order = atomic_order(p, &a, LIBCUXX);
    if (a.op == RMW_CAS && parse_accept(p, ',')) a.order = atomic_failure(p, a.order, LIBCUXX);
    parse_expect(p, ')', "')'");
    return expected >= 0 ? atomic_compare(p, &a, expected) : atomic_add(p, &a);
}

/* A plain read, or a store or an atomic operation that is written as an operator: seq_cst. */
static struct expr *add_plain(struct parser *p, const struct reference *ref, enum op_name op,
                              struct expr *value, struct pos pos) {
    struct atomic a = {.op = op, .place = ref->place, .scope = ref->scope, .order = ORDER_SC};
    a.name = op_rows[op].word;
    a.pos = pos;
    if (value) a.value = expr_convert(p, value, atomic_type(p, &a));
    return atomic_add(p, &a);
}

const struct reference *atomic_find(const struct parser *p, const char *name) {
    const struct reference *ref = reference_find(p, name);
    return ref && !ref->is_pointer && !ref->group && !ref->is_barrier && !ref->array ? ref : NULL;
}

/* f = e, f += e and the like, f++ */
static void read_operator(struct parser *p, const struct reference *ref) {
    static const struct {
        int token;
        enum op_name op;
    } operators[] = {
        {'=', STORE_PLAIN},   {TOK_ADD_SET, RMW_ADD}, {TOK_SUB_SET, RMW_SUB}, {TOK_AND_SET, RMW_AND},
        {TOK_OR_SET, RMW_OR}, {TOK_XOR_SET, RMW_XOR}, {TOK_INC, RMW_ADD},     {TOK_DEC, RMW_SUB},
    };
    const struct token *t = p->tok;
    for (size_t k = 0; k < COUNT_OF(operators); k++) {
        if (!parse_accept(p, operators[k].token)) continue;
        bool steps = t->kind == TOK_INC || t->kind == TOK_DEC;
        struct expr *value = steps ? expr_int(p, t->pos, 1) : parse_expression(p);
        struct expr *old = add_plain(p, ref, operators[k].op, value, t->pos);
        if (old) access_drop(p, old);
        return;
    }
    parse_error(p, t->pos, "expected a member, or one of = += -= &= |= ^= ++ -- of the atomic_ref '%s'",
                ref->name);
}

void atomic_assign(struct parser *p, const struct reference *ref) {
    const struct token *step = parse_peek(p) == TOK_NAME ? NULL : parse_next(p); /* ++f */
    const struct token *name = parse_next(p);
    struct expr *value = NULL;
    if (step)
        value = add_plain(p, ref, step->kind == TOK_INC ? RMW_ADD : RMW_SUB, expr_int(p, step->pos, 1),
                          step->pos);
    else if (parse_peek(p) == '.')
        value = read_member(p, ref);
    else if (parse_peek(p) == ';')
        value = add_plain(p, ref, LOAD_PLAIN, NULL, name->pos);
    else
        read_operator(p, ref);
    if (value) access_drop(p, value);
}

/* An atomic_ref without its place: "<type, scope>", which may be missing. */
struct kind {
    const struct token *type_token; /* NULL: of any type */
    struct type type;
    enum scope scope;
};

static struct kind read_kind(struct parser *p) {
    struct kind k = {NULL, type_int, SCOPE_SYS};
    bool constant;
    if (!parse_accept(p, '<')) return k;
    k.type_token = p->tok;
    k.type = parse_type(p, &constant);
    if (parse_accept(p, ',')) k.scope = atomic_scope(p, LIBCUXX);
    parse_expect(p, '>', "'>'");
    return k;
}

/* Whether the place can be atomic, of that type. */
static bool check_place(struct parser *p, const struct kind *k, const struct reference *ref) {
    if (p->panic || ref->place.loc < 0) return false;
    const struct location *l = &p->test->locs[ref->place.loc];
    if (type_is_vector(l->type) || l->type.bits > 64)
        parse_complain(p, ref->place.pos, "an atomic_ref of type %s is not supported yet",
                       type_name(l->type));
    else if (k->type_token && !type_same(l->type, k->type))
        parse_complain(p, k->type_token->pos, "this atomic_ref is of type %s, and '%s' of type %s",
                       type_name(k->type), l->name, type_name(l->type));
    return true;
}

/* "(X)" or "{X}" */
static bool read_place(struct parser *p, const struct kind *k, struct reference *ref) {
    bool braces = parse_accept(p, '{');
    if (!braces) parse_expect(p, '(', "'(' and a location");
    ref->scope = k->scope;
    ref->place = access_argument(p, "cuda::atomic_ref<type, scope> f(X)");
    parse_expect(p, braces ? '}' : ')', braces ? "'}'" : "')'");
    return check_place(p, k, ref);
}

/* cuda::atomic<type, scope> X; whose storage is the location X. */
static void read_atomics(struct parser *p, const struct kind *k) {
    do {
        const struct token *name = p->tok;
        struct reference ref = {.name = name->text, .pos = name->pos, .scope = k->scope, .of_location = true};
        parse_accept(p, '&');
        name = p->tok;
        ref.name = name->text;
        ref.pos = name->pos;
        if (!parse_expect(p, TOK_NAME, "the name of a location")) return;
        ref.place = (struct place){.loc = find_location(p->test, name->text), .pos = name->pos};
        if (ref.place.loc < 0)
            parse_error(p, name->pos, "a cuda::atomic is a location: declare '%s' in 'memory'", name->text);
        else if (p->test->locs[ref.place.loc].array)
            parse_error(p, name->pos, "not supported yet: arrays of cuda::atomic");
        else if (parse_peek(p) == '(' || parse_peek(p) == '{' || parse_peek(p) == '=')
            parse_error(p, p->tok->pos, "the initial value of '%s' stands in 'memory'", name->text);
        if (p->panic || !check_place(p, k, &ref)) return;
        reference_declare(p, &ref);
    } while (parse_accept(p, ','));
}

/* Behind a pair of brackets, which may hold others; t is the first. */
static const struct token *skip_brackets(const struct token *t) {
    int depth = 0;
    do {
        if (strchr("(<{", t->kind) && t->kind < 128) depth++;
        if (strchr(")>}", t->kind) && t->kind < 128) depth--;
        t++;
    } while (depth > 0 && t->kind != TOK_END && t->kind != ';');
    return t;
}

/* auto f = cuda::atomic_ref<type, scope>(X); */
bool atomic_declared(const struct parser *p) {
    const struct token *t = p->tok;
    if (p->panic) return false;
    if (token_is_word(t, "const")) t++;
    if (!token_is_word(t, "auto")) return false;
    t++;
    while (t->kind == '&' || t->kind == TOK_LAND)
        t++;
    if (t->kind != TOK_NAME || t[1].kind != '=' ||
        (!token_is_word(t + 2, "cuda") && !token_is_word(t + 2, "std")))
        return false;
    for (t += 2; t->kind == TOK_NAME && t[1].kind == ':' && t[2].kind == ':'; t += 3)
        continue;
    if (!token_is_word(t, "atomic_ref")) return false;
    t++;
    if (t->kind == '<') t = skip_brackets(t);
    return (t->kind == '(' || t->kind == '{') && skip_brackets(t)->kind == ';';
}

void atomic_declare(struct parser *p) {
    struct word w;
    while (parse_peek(p) != TOK_NAME || p->tok[1].kind != '=')
        parse_next(p);
    const struct token *name = parse_next(p);
    struct reference ref = {.name = name->text, .pos = name->pos};
    parse_next(p);
    read_word(p, "cuda::atomic_ref", &w);
    struct kind k = read_kind(p);
    if (read_place(p, &k, &ref)) reference_declare(p, &ref);
}

/* f(X), g(Y) */
static void read_declarations(struct parser *p, const struct kind *k) {
    do {
        const struct token *name = p->tok;
        struct reference ref = {.name = name->text, .pos = name->pos};
        if (!parse_expect(p, TOK_NAME, "the name of an atomic_ref") || !read_place(p, k, &ref)) return;
        reference_declare(p, &ref);
    } while (parse_accept(p, ','));
}

/* (X).member(arguments) */
static struct expr *read_temporary(struct parser *p, const struct kind *k) {
    struct reference ref = {0};
    return read_place(p, k, &ref) ? read_member(p, &ref) : NULL;
}

/* ---- fences ---- */

static void read_fence(struct parser *p, const struct word *w) {
    bool scoped = strncmp(w->text, "cuda::std::", 11) != 0 && strncmp(w->text, "std::", 5) != 0;
    enum scope scope = SCOPE_SYS;
    parse_expect(p, '(', "'('");
    enum order order = read_order(p, ALL_ORDERS, "a fence", LIBCUXX);
    if (scoped && parse_accept(p, ',')) scope = atomic_scope(p, LIBCUXX);
    parse_expect(p, ')', "')'");
    atomic_fence(p, order, scope, w->pos);
}

static void refuse(struct parser *p, const struct word *w) {
    parse_error(p, w->pos, "'%s' is not supported yet", w->text);
}

void atomic_statement(struct parser *p) {
    struct word w;
    read_word(p, "a name", &w);
    if (strcmp(w.bare, "atomic_thread_fence") == 0) {
        read_fence(p, &w);
        return;
    }
    bool is_ref = strcmp(w.bare, "atomic_ref") == 0;
    if (!is_ref && strcmp(w.bare, "atomic") != 0) {
        refuse(p, &w);
        return;
    }
    struct kind k = read_kind(p);
    if (!is_ref) {
        read_atomics(p, &k);
        return;
    }
    if (parse_peek(p) == TOK_NAME) {
        read_declarations(p, &k);
        return;
    }
    struct expr *value = read_temporary(p, &k);
    if (value) access_drop(p, value);
}

/* The value of an operation, which a store and a wait have not. */
static struct expr *need_value(struct parser *p, struct expr *value, struct pos pos) {
    if (!value) parse_error(p, pos, "this has no value");
    return value ? value : expr_int(p, pos, 0);
}

struct expr *atomic_value(struct parser *p) {
    struct word w;
    read_word(p, "a name", &w);
    if (strcmp(w.bare, "atomic_ref") != 0) {
        refuse(p, &w);
        return expr_int(p, w.pos, 0);
    }
    struct kind k = read_kind(p);
    return need_value(p, read_temporary(p, &k), w.pos);
}

/* ++f and f++, whose name was read: the value is that behind the step or before it. */
static struct expr *read_step(struct parser *p, const struct reference *ref, const struct token *sign,
                              bool before) {
    bool up = sign->kind == TOK_INC;
    struct expr *one = expr_int(p, sign->pos, 1);
    struct expr *old = add_plain(p, ref, up ? RMW_ADD : RMW_SUB, one, sign->pos);
    if (!before) return old;
    return expr_convert(p, expr_new(p, up ? EXPR_ADD : EXPR_SUB, sign->pos, old, one), old->type);
}

struct expr *atomic_operand(struct parser *p, const struct reference *ref) {
    const struct token *step = parse_peek(p) == TOK_NAME ? NULL : parse_next(p);
    const struct token *name = parse_next(p);
    if (step) return read_step(p, ref, step, true);
    if (parse_peek(p) == TOK_INC || parse_peek(p) == TOK_DEC) return read_step(p, ref, parse_next(p), false);
    if (parse_peek(p) != '.') return add_plain(p, ref, LOAD_PLAIN, NULL, name->pos);
    return need_value(p, read_member(p, ref), name->pos);
}
