/* libcu++'s atomics: each becomes the operations that NVIDIA's headers make of it (cuda/std/__atomic: seq_cst is a
 * fence.sc before an acquire, or before a relaxed store). */
#include <string.h>

#include "litmus/name.h"
#include "lower/atomic.h"
#include "lower/calls.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* A name with its namespaces, "cuda::std::memory_order_acquire". */
struct word {
    const char *text;
    const char *bare; /* without cuda:: and std:: */
    struct pos pos;
};

static const char *const namespaces[] = {"cuda::", "std::"};

static const char *without_namespaces(const char *text) {
    for (size_t k = 0; k < COUNT_OF(namespaces); k++)
        if (strncmp(text, namespaces[k], strlen(namespaces[k])) == 0)
            return without_namespaces(text + strlen(namespaces[k]));
    return text;
}

/* Whether a name is one of cuda:: or std::. */
static bool is_qualified(const struct tree *n) {
    const struct token *t = n->first;
    return n->kind == TREE_NAME && t != n->at && (token_is_word(t, "cuda") || token_is_word(t, "std"));
}

static struct word word_of(struct parser *p, const struct tree *n) {
    struct full_name path = full_name_of(p, n);
    return (struct word){path.text, without_namespaces(path.text), path.pos};
}

/* The name that is the next argument. */
static bool take_word(struct parser *p, struct arguments *a, const char *what, struct word *w) {
    struct pos pos = a->next ? a->next->first[-1].after : a->before->after;
    const struct tree *n = a->next;
    if (!n || n->kind != TREE_NAME) parse_error(p, pos, "expected %s", what);
    if (p->panic) return false;
    *w = word_of(p, arguments_take(p, a, what));
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
static enum order take_order(struct parser *p, struct arguments *a, unsigned set, const char *what,
                             enum dialect_of by) {
    struct word w;
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

static enum scope find_scope(struct parser *p, const struct word *w, enum dialect_of by) {
    for (size_t k = 0; k < COUNT_OF(scopes); k++)
        if (strcmp(w->bare, scopes[k].names[by]) == 0) return scopes[k].scope;
    if (strcmp(w->bare, by == NVCC ? "__NV_THREAD_SCOPE_THREAD" : "thread_scope_thread") == 0)
        parse_error(p, w->pos, "'%s' is not supported yet", w->text);
    else
        parse_error(p, w->pos, "unknown scope '%s'; it can be %s", w->text, scope_lists[by]);
    return SCOPE_SYS;
}

enum scope atomic_scope(struct parser *p, struct arguments *a, enum dialect_of by) {
    struct word w;
    bool given = take_word(p, a, arena_printf(p->arena, "a scope: %s", scope_lists[by]), &w);
    return given ? find_scope(p, &w, by) : SCOPE_SYS;
}

enum scope atomic_scope_of(struct parser *p, const struct tree *n) {
    struct arguments a = {.next = n, .before = n->first - 1};
    return atomic_scope(p, &a, LIBCUXX);
}

/* ---- operations ---- */

struct type atomic_type(const struct parser *p, const struct atomic *a) {
    return a->place.loc < 0 ? type_int : p->test->locs[a->place.loc].type;
}

void atomic_fence(struct parser *p, enum order order, enum scope scope, struct pos pos) {
    if (p->panic || order == ORDER_RELAXED) return;
    struct op op = op_make(FENCE_THREAD, pos);
    op.order = order == ORDER_SC ? ORDER_SC : ORDER_ACQ_REL;
    op.scope = scope;
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
    struct op op = op_make(a->op, a->pos);
    op.type = type;
    op.place[0] = access_place(&a->place);
    op.order = a->order;
    op.scope = a->scope;
    op.value = a->value;
    op.expected = a->expected;
    if (op.order == ORDER_SC) {
        atomic_fence(p, ORDER_SC, op.scope, op.pos);
        op.order = op.kind == OP_STORE ? ORDER_RELAXED : ORDER_ACQUIRE;
    }
    struct op *added = stmt_add_op(p, op);
    return op_kinds[op.kind].returns ? access_result(p, added) : NULL;
}

/* The order of a compare-exchange that has one for its failure, too. */
static enum order stronger(enum order success, enum order failure) {
    if (success == ORDER_SC || failure == ORDER_SC) return ORDER_SC;
    if (failure != ORDER_ACQUIRE) return success;
    return success == ORDER_RELEASE || success == ORDER_ACQ_REL ? ORDER_ACQ_REL : ORDER_ACQUIRE;
}

static const char *kind_of(const struct atomic *a) {
    return op_kinds[op_rows[a->op].kind].name;
}

static unsigned orders_of(const struct atomic *a) {
    enum op_kind kind = op_rows[a->op].kind;
    return kind == OP_LOAD ? LOAD_ORDERS : kind == OP_STORE ? STORE_ORDERS : ALL_ORDERS;
}

enum order atomic_order(struct parser *p, struct arguments *left, const struct atomic *a,
                        enum dialect_of by) {
    return take_order(p, left, orders_of(a), kind_of(a), by);
}

enum order atomic_failure(struct parser *p, struct arguments *left, enum order success, enum dialect_of by) {
    return stronger(success, take_order(p, left, LOAD_ORDERS, "the order of a failure", by));
}

/* ---- cuda::atomic_ref ---- */

struct expr *atomic_argument(struct parser *p, struct arguments *left, const struct atomic *a) {
    const struct tree *n = arguments_take(p, left, "a value");
    return expr_convert(p, n ? lower_value(p, n) : expr_int(p, a->pos, 0), atomic_type(p, a));
}

/* wait(old, order): on a GPU, libcu++ loads in that order until the value is another. */
static struct expr *lower_wait(struct parser *p, struct arguments *left, struct atomic *a) {
    struct expr *old = atomic_argument(p, left, a);
    if (left->next) a->order = atomic_order(p, left, a, LIBCUXX);
    arguments_end(p, left);
    struct stmts before = stmts_capture(p);
    struct expr *seen = atomic_add(p, a);
    protocol_poll(p, before, expr_new(p, EXPR_NE, a->pos, seen, old), a->pos);
    return NULL;
}

/* A notification does nothing. */
static struct expr *lower_notice(struct parser *p, struct arguments *left, struct atomic *a) {
    (void)a;
    arguments_end(p, left);
    return NULL;
}

/* load(order), store(value, order), fetch_add(value, order) and the like */
static struct expr *lower_access(struct parser *p, struct arguments *left, struct atomic *a) {
    if (a->op != LOAD_PLAIN) a->value = atomic_argument(p, left, a);
    if (left->next) a->order = atomic_order(p, left, a, LIBCUXX);
    arguments_end(p, left);
    return atomic_add(p, a);
}

/* compare_exchange_strong(expected, desired, order), and perhaps an order of its failure */
static struct expr *lower_compare(struct parser *p, struct arguments *left, struct atomic *a) {
    const struct tree *n = arguments_take(p, left, "a register");
    int expected = n ? atomic_register(p, a, n, "expects a register, which gets what was there", true) : -1;
    a->value = atomic_argument(p, left, a);
    if (left->next) a->order = atomic_order(p, left, a, LIBCUXX);
    if (left->next) a->order = atomic_failure(p, left, a->order, LIBCUXX);
    arguments_end(p, left);
    return atomic_compare(p, a, expected);
}

static const struct atomic_member {
    const char *usage;
    struct expr *(*lower)(struct parser *p, struct arguments *left, struct atomic *a);
    enum op_name op;
} members[] = {
#define ATOMIC_MEMBER(usage, lower, op) {usage, lower, op},
#include "lower/names.def"
};

/* f.member(arguments) */
static struct expr *lower_member(struct parser *p, const struct reference *ref, const struct tree *call) {
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
    return m->lower(p, &left, &a);
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

static const struct reference *find_ref(const struct parser *p, const char *name) {
    const struct reference *ref = reference_find(p, name);
    return ref && !ref->is_pointer && !ref->group.kind && !ref->is_barrier && !ref->array && !ref->pointers
               ? ref
               : NULL;
}

/* f = e, f += e and the like */
static struct expr *lower_operator(struct parser *p, const struct reference *ref, const struct tree *n) {
    static const struct {
        int token;
        enum op_name op;
    } operators[] = {
        {'=', STORE_PLAIN},     {TOK_ADD_SET, RMW_ADD}, {TOK_SUB_SET, RMW_SUB},
        {TOK_AND_SET, RMW_AND}, {TOK_OR_SET, RMW_OR},   {TOK_XOR_SET, RMW_XOR},
    };
    for (size_t k = 0; k < COUNT_OF(operators); k++)
        if (operators[k].token == n->at->kind)
            return add_plain(p, ref, operators[k].op, lower_value(p, n->b), n->at->pos);
    parse_error(p, n->at->pos, "expected a member, or one of = += -= &= |= ^= ++ -- of the atomic_ref '%s'",
                ref->name);
    return NULL;
}

/* ++f and f++: the value is that behind the step or before it. */
static struct expr *lower_step(struct parser *p, const struct reference *ref, const struct tree *n) {
    bool up = n->at->kind == TOK_INC;
    struct pos pos = n->at->pos;
    struct expr *one = expr_int(p, pos, 1), *old = add_plain(p, ref, up ? RMW_ADD : RMW_SUB, one, pos);
    if (n->kind == TREE_BEHIND) return old;
    return expr_convert(p, expr_new(p, up ? EXPR_ADD : EXPR_SUB, pos, old, one), old->type);
}

/* Reports a member that is not called, and what else an atomic_ref cannot be part of. */
static struct expr *report_use(struct parser *p, const struct reference *ref, const struct tree *n) {
    if (n->kind == TREE_MEMBER)
        parse_error(p, n->end[-1].after, "expected '('");
    else
        parse_error(p, n->at->pos,
                    "expected a member, or one of = += -= &= |= ^= ++ -- of the atomic_ref '%s'", ref->name);
    return NULL;
}

bool atomic_is_used(struct parser *p, const struct tree *n) {
    const struct tree *root = tree_root(n);
    return root && tree_is_word(root) && find_ref(p, root->first->text);
}

struct expr *atomic_use(struct parser *p, const struct tree *n) {
    const struct reference *ref = find_ref(p, tree_root(n)->first->text);
    switch (n->kind) {
    case TREE_NAME: return add_plain(p, ref, LOAD_PLAIN, NULL, n->first->pos);
    case TREE_STEP:
    case TREE_BEHIND: return lower_step(p, ref, n);
    case TREE_ASSIGN: return lower_operator(p, ref, n);
    case TREE_CALL:
        if (n->a->kind == TREE_MEMBER && n->a->a->kind == TREE_NAME) return lower_member(p, ref, n);
        break;
    default: break;
    }
    return report_use(p, ref, n);
}

/* An atomic_ref without its place: "<type, scope>", which may be missing. */
struct kind {
    const struct token *type_token; /* NULL: of any type */
    struct type type;
    enum scope scope;
};

static struct kind kind_of_name(struct parser *p, const struct tree *name) {
    struct kind k = {NULL, type_int, SCOPE_SYS};
    const struct tree *type = name->b, *scope = type ? type->next : NULL;
    if (!type) return k;
    k.type_token = type->first;
    if (type->kind == TREE_TYPE)
        k.type = lower_type(p, type);
    else
        parse_error(p, type->first->pos, "'%s' is no type%s", type->first->text,
                    type_hint(p->arena, type->first->text));
    if (scope) k.scope = atomic_scope_of(p, scope);
    if (scope && scope->next) parse_error(p, scope->end[-1].after, "expected '>'");
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

/* The place in "(X)" or "{X}", behind a token. */
static bool take_place(struct parser *p, const struct kind *k, const struct tree *list,
                       const struct token *before, struct reference *ref) {
    ref->scope = k->scope;
    if (!list) parse_error(p, before->after, "expected '(' and a location");
    if (p->panic) return false;
    ref->place = place_argument(p, list, "cuda::atomic_ref<type, scope> f(X)");
    if (list->next) parse_error(p, list->end[-1].after, "expected ')'");
    return check_place(p, k, ref);
}

/* cuda::atomic<type, scope> X; whose storage is the location X. */
static void declare_atomic(struct parser *p, const struct kind *k, const struct tree *n) {
    const struct token *name = n->at;
    struct reference ref = {.name = name->text, .pos = name->pos, .scope = k->scope, .of_location = true};
    ref.place = (struct place){.loc = find_location(p->test, name->text), .pos = name->pos};
    if (ref.place.loc < 0)
        parse_error(p, name->pos, "a cuda::atomic is a location: declare '%s' in 'memory'", name->text);
    else if (p->test->locs[ref.place.loc].array)
        parse_error(p, name->pos, "not supported yet: arrays of cuda::atomic");
    else if (n->b)
        parse_error(p, name[1].pos, "the initial value of '%s' stands in 'memory'", name->text);
    if (!p->panic && check_place(p, k, &ref)) reference_declare(p, &ref);
}

/* cuda::atomic_ref<type, scope> f(X); */
static void declare_ref(struct parser *p, const struct kind *k, const struct tree *n) {
    struct reference ref = {.name = n->at->text, .pos = n->at->pos};
    bool listed = n->b && n->b->kind == TREE_LIST && !(n->flags & DECLARES_EQUAL);
    if (n->c || (n->b && !listed)) parse_error(p, n->at->after, "expected '(' and a location");
    if (listed && !n->b->b)
        parse_error(p, n->b->end[-1].pos, "expected a location: cuda::atomic_ref<type, scope> f(X)");
    if (take_place(p, k, listed ? n->b->b : NULL, n->at, &ref)) reference_declare(p, &ref);
}

/* The atomic_ref that a name with its place is: cuda::atomic_ref<type, scope>(X). False: it is none, or an error. */
static bool make_temporary(struct parser *p, const struct tree *n, struct reference *ref) {
    if (n->kind != TREE_CALL || !is_qualified(n->a)) return false;
    struct word w = word_of(p, n->a);
    if (strcmp(w.bare, "atomic_ref") != 0) return false;
    struct kind k = kind_of_name(p, n->a);
    return take_place(p, &k, n->b, n->at, ref);
}

/* auto f = cuda::atomic_ref<type, scope>(X); */
bool atomic_declare_auto(struct parser *p, const struct tree *n) {
    struct reference ref = {.name = n->at->text, .pos = n->at->pos};
    if (!make_temporary(p, n->b, &ref)) return false;
    reference_declare(p, &ref);
    return true;
}

bool atomic_is_type(const struct tree *name) {
    return is_qualified(name) && (token_is_word(name->at, "atomic") || token_is_word(name->at, "atomic_ref"));
}

void atomic_declare(struct parser *p, const struct tree *type, const struct tree *n) {
    struct kind k = kind_of_name(p, type->a);
    if (!p->panic) (token_is_word(type->a->at, "atomic_ref") ? declare_ref : declare_atomic)(p, &k, n);
}

/* ---- fences ---- */

static void lower_fence(struct parser *p, const struct tree *call, const struct word *w) {
    bool scoped = strncmp(w->text, "cuda::std::", 11) != 0 && strncmp(w->text, "std::", 5) != 0;
    struct arguments left =
        arguments_of(call, scoped ? "atomic_thread_fence(order, scope)" : "atomic_thread_fence(order)");
    enum order order = take_order(p, &left, ALL_ORDERS, "a fence", LIBCUXX);
    enum scope scope = scoped && left.next ? atomic_scope(p, &left, LIBCUXX) : SCOPE_SYS;
    arguments_end(p, &left);
    atomic_fence(p, order, scope, w->pos);
}

static struct expr *refuse(struct parser *p, const struct word *w) {
    parse_error(p, w->pos, "'%s' is not supported yet", w->text);
    return NULL;
}

bool atomic_is_named(struct parser *p, const struct tree *n) {
    const struct tree *root = tree_root(n);
    (void)p;
    return root && is_qualified(root);
}

struct expr *atomic_named(struct parser *p, const struct tree *n) {
    const struct tree *root = tree_root(n);
    struct word w = word_of(p, root);
    struct reference ref = {0};
    if (n->kind == TREE_CALL && n->a == root && strcmp(w.bare, "atomic_thread_fence") == 0) {
        lower_fence(p, n, &w);
        return NULL;
    }
    bool named = strncmp(w.bare, "ptx::", 5) == 0 || strcmp(w.bare, "device::memcpy_async_tx") == 0;
    if (n->kind == TREE_CALL && n->a == root && named) return call_named(p, n);
    if (strcmp(w.bare, "atomic_ref") != 0) return refuse(p, &w);
    bool calls = n->kind == TREE_CALL && n->a->kind == TREE_MEMBER;
    if (!calls) parse_error(p, n->end[-1].after, "expected '.' and a member of the atomic_ref");
    return calls && make_temporary(p, n->a->a, &ref) ? lower_member(p, &ref, n) : NULL;
}
