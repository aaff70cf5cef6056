#include <limits.h>
#include <string.h>

#include "litmus/name.h"
#include "litmus/view.h"
#include "lower/calls.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

int find_location(const struct test *t, const char *name) {
    for (int i = 0; i < t->nlocs; i++)
        if (strcmp(t->locs[i].name, name) == 0) return i;
    return -1;
}

/* The type of what is in a location; int where an error said that there is none. */
static struct type place_type(const struct parser *p, int loc) {
    return loc < 0 ? type_int : p->test->locs[loc].type;
}

/* An index that every copy knows must be inside of the array for every copy. */
void access_check_index(struct parser *p, const struct location *loc, const struct expr *index,
                        struct pos pos) {
    if (p->panic || loc->count == 0 || !expr_is_known(index)) return;
    for (int tid = 0; tid < p->body->count; tid++) {
        struct expr_env env = body_env(p->body, tid);
        long long k = guard_lets(p, tid) ? expr_number(index, &env) : 0;
        if (k >= 0 && k < loc->count) continue;
        const char *copy = p->body->grid
                               ? arena_printf(p->arena, " for %s", body_copy_name(p->arena, p->body, tid))
                           : p->body->indexed ? arena_printf(p->arena, " for tid %d", tid)
                                              : "";
        parse_complain(p, pos, "index %lld of '%s' is out of bounds%s: it has %d element%s", k, loc->name,
                       copy, loc->count, loc->count == 1 ? "" : "s");
        return;
    }
}

struct expr *access_index(struct parser *p, struct expr *index) {
    index = expr_scalar(p, index, "an index");
    struct pos pos = index->pos;
    if (index->type.real) {
        parse_complain(p, pos, "an index is an integer, not a float");
        index = expr_int(p, pos, 0);
    }
    return expr_convert(p, index, type_promote(index->type));
}

void access_lane(struct parser *p, struct place *place, const struct token *name) {
    const struct location *l = &p->test->locs[place->loc];
    int lane = type_find_lane(l->type, name->text);
    if (lane < 0)
        parse_error(p, name[-1].pos, "%s has no such element: it has .x%s", type_name(l->type),
                    l->type.lanes == 2 ? " and .y" : ", .y, .z and .w");
    else if (l->view && l->array)
        parse_error(p, name[-1].pos,
                    "an element of a vector in a view that is an array is not supported yet");
    else
        place->loc = view_of_lane(p->arena, p->test, place->loc, lane);
}

struct expr *access_result(struct parser *p, struct op *op) {
    op->dst = body_temporary(p, op->pos, place_type(p, op->place[0].loc));
    return body_value(p, op->dst, op->pos);
}

struct expr *access_load(struct parser *p, struct place place) {
    struct op op = op_make(LOAD_PLAIN, place.pos);
    op.type = place_type(p, place.loc);
    op.place[0].loc = place.loc;
    op.place[0].index = place.index;
    op.order = place.order;
    return access_result(p, stmt_add_op(p, op));
}

/* Complains about a write by a pointer to const. */
static void check_constant(struct parser *p, struct place place) {
    if (place.constant) parse_complain(p, place.pos, "this is const here: it cannot be written");
}

void access_store(struct parser *p, struct place place, struct expr *value, struct pos pos) {
    struct op op = op_make(STORE_PLAIN, pos);
    check_constant(p, place);
    op.type = place_type(p, place.loc);
    op.place[0].loc = place.loc;
    op.place[0].index = place.index;
    op.order = place.order;
    op.value = expr_convert(p, value, place_type(p, place.loc));
    stmt_add_op(p, op);
}

/* ---- names and arguments ---- */

struct full_name full_name_of(struct parser *p, const struct tree *n) {
    const struct token *t = n->first;
    struct full_name w = {t->text, t->pos};
    while (t != n->at) {
        t += 3;
        w.text = arena_printf(p->arena, "%s::%s", w.text, t->text);
        if (t->pos.line == w.pos.line) w.pos.len = t->pos.col + t->pos.len - w.pos.col;
    }
    return w;
}

struct arguments arguments_of(const struct tree *call, const char *usage) {
    return (struct arguments){.next = call->b, .before = call->at, .usage = usage, .pos = call->a->at->pos};
}

const struct tree *arguments_take(struct parser *p, struct arguments *a, const char *what) {
    const struct tree *n = a->next;
    bool first = a->before->kind == '(';
    if (!n) parse_error(p, a->before->after, "expected %s%s: %s", first ? "" : "',' and ", what, a->usage);
    if (!n || p->panic) return NULL;
    a->next = n->next;
    a->before = n->end - 1;
    return n;
}

const struct token *arguments_word(struct parser *p, struct arguments *a, const char *what) {
    struct pos pos = a->next ? a->next->first[-1].after : a->before->after;
    const struct tree *n = arguments_take(p, a, what);
    if (n && !tree_is_word(n)) parse_error(p, pos, "expected %s: %s", what, a->usage);
    return n && !p->panic ? n->first : NULL;
}

void arguments_end(struct parser *p, const struct arguments *a) {
    if (a->next) parse_error(p, a->before->after, "expected ')': %s", a->usage);
}

/* ---- calls ---- */

/* A call of an operation. */
struct call {
    const struct op_row *row;
    const struct op_call *as; /* how it is written */
    struct arguments arguments;
};

void access_report_missing(struct parser *p, const struct tree *n, const char *usage) {
    const struct token *t = n->first;
    if (body_is_refused(p, t)) return;
    const char **names = arena_array(p->arena, (size_t)p->test->nlocs, sizeof *names);
    for (int i = 0; i < p->test->nlocs; i++)
        names[i] = p->test->locs[i].name;
    if (registers_find(p, t))
        parse_error(p, t->pos, "'%s' is an array of registers, which have no addresses", t->text);
    else if (t->kind == TOK_NAME && find_location(p->test, t->text) < 0)
        parse_error(p, t->pos, "'%s' is not a location%s", t->text,
                    name_suggest(p->arena, t->text, names, (size_t)p->test->nlocs));
    else
        parse_error(p, t->pos, "expected a location: %s", usage);
}

/* The value of the next argument; 0 where there is none. */
static struct expr *any_argument(struct parser *p, struct call *c, const char *what) {
    const struct tree *n = arguments_take(p, &c->arguments, what);
    return n ? lower_value(p, n) : expr_int(p, c->arguments.before->pos, 0);
}

static struct expr *value_argument(struct parser *p, struct call *c, int loc) {
    return expr_convert(p, any_argument(p, c, "a value"), place_type(p, loc));
}

static struct place place_of_call(struct parser *p, struct call *c) {
    const struct tree *n = arguments_take(p, &c->arguments, "a location");
    return n ? place_argument(p, n, c->as->usage) : (struct place){.loc = -1};
}

/* Complains where the GPU has no such atomic operation. */
static void check_atomic(struct parser *p, const struct call *c, struct place place) {
    struct type t = place_type(p, place.loc);
    const char *needs = op_needs(c->row->types, t);
    if (needs && !p->panic)
        parse_complain(p, place.pos, "%.*s needs a location of %s, and '%s' is of type %s",
                       op_call_length(c->as), c->as->usage, needs, p->test->locs[place.loc].name,
                       type_name(t));
}

/* Complains about a cache operator on what has no such cache. */
static void check_cached(struct parser *p, const struct call *c, struct place place) {
    if (p->panic || !c->row->cache || p->test->locs[place.loc].space != SPACE_SHARED) return;
    parse_complain(p, place.pos, "%.*s is an access to global memory, and '%s' is in shared memory",
                   op_call_length(c->as), c->as->usage, p->test->locs[place.loc].name);
}

static bool order_fits(const struct call *c, enum order order) {
    return c->row->orders >> order & 1;
}

/* "'weak', 'volatile' or 'relaxed'": the orders that a call can have. */
static const char *fitting_orders(struct parser *p, const struct call *c) {
    const char *list = "";
    enum order last = ORDER_BARE;
    for (enum order o = ORDER_WEAK; o <= ORDER_SC; o++)
        if (order_fits(c, o)) last = o;
    for (enum order o = ORDER_WEAK; o <= ORDER_SC; o++)
        if (order_fits(c, o))
            list = arena_printf(p->arena, "%s%s'%s'", list,
                                !*list      ? ""
                                : o == last ? " or "
                                            : ", ",
                                order_name(o));
    return list;
}

static enum order order_argument(struct parser *p, struct call *c) {
    const struct token *t = arguments_word(p, &c->arguments, "an order");
    const char *names[ORDER_SC], *sc = order_name(ORDER_SC);
    size_t n = 0;
    if (!t) return ORDER_RELAXED;
    for (enum order o = ORDER_WEAK; o <= ORDER_SC; o++) {
        if (strcmp(order_name(o), t->text) == 0) {
            if (order_fits(c, o)) return o;
            parse_error(p, t->pos, "%s cannot be '%s'; it can be %s", op_kinds[c->row->kind].name, t->text,
                        fitting_orders(p, c));
            return o;
        }
        if (order_fits(c, o)) names[n++] = order_name(o);
    }
    const char *suggestion = name_suggest(p->arena, t->text, names, n);
    if (!*suggestion && *name_suggest(p->arena, t->text, &sc, 1)) {
        parse_error(p, t->pos, "'%s' is an order of fences; %s can be %s", t->text,
                    op_kinds[c->row->kind].name, fitting_orders(p, c));
        return ORDER_RELAXED;
    }
    parse_error(p, t->pos, "unknown order '%s'%s", t->text,
                *suggestion ? suggestion : arena_printf(p->arena, "; it can be %s", fitting_orders(p, c)));
    return ORDER_RELAXED;
}

static enum scope scope_argument(struct parser *p, struct call *c) {
    const struct token *t = arguments_word(p, &c->arguments, "a scope");
    if (!t) return SCOPE_GPU;
    enum scope scope = scope_find(t->text);
    if (scope != SCOPE_NONE) return scope;
    const char *suggestion = name_suggest(p->arena, t->text, scope_names + SCOPE_CTA, SCOPE_SYS);
    parse_error(p, t->pos, "unknown scope '%s'%s", t->text,
                *suggestion ? suggestion : "; it can be block, cluster, device or system");
    return SCOPE_GPU;
}

/* "order, scope" of a load or a store; weak and volatile have no scope. */
static void strength_arguments(struct parser *p, struct call *c, struct op *op) {
    op->order = order_argument(p, c);
    const struct token *order = c->arguments.before;
    bool scoped = op->order != ORDER_WEAK && op->order != ORDER_VOLATILE;
    if (c->arguments.next) {
        if (!scoped)
            parse_error(p, c->arguments.next->first[-1].pos, "'%s' has no scope: write nothing behind it",
                        order->text);
        op->scope = scope_argument(p, c);
    } else if (scoped && !p->panic) {
        parse_error(p, order->after, "'%s' needs a scope: block, cluster, device or system", order->text);
    }
}

/* The slot that fence(name) stands for; name NULL: fence(). */
static int find_slot(struct parser *p, const char *name, struct pos pos) {
    struct test *t = p->test;
    for (int i = 0; i < t->nslots; i++) {
        const char *known = t->slots[i].name;
        if (known == name || (known && name && strcmp(known, name) == 0)) return i;
    }
    if (t->nslots == TEST_MAX_SLOTS) {
        parse_complain(p, pos, "a test has at most %d different fence slots", TEST_MAX_SLOTS);
        return 0;
    }
    t->slots[t->nslots] = (struct slot){.name = name, .pos = pos};
    return t->nslots++;
}

static void slot_arguments(struct parser *p, struct call *c, struct op *op, struct pos pos) {
    const char *name = NULL;
    const struct token *t = c->arguments.next ? arguments_word(p, &c->arguments, "a name") : NULL;
    if (t) {
        const char *problem = name_problem(t->text);
        if (scope_find(t->text) != SCOPE_NONE || strcmp(t->text, "none") == 0)
            parse_complain(p, t->pos,
                           "'%s' is a scope, not the name of a slot; a fence of one scope is written "
                           "atomic_thread_fence(sc, %s)",
                           t->text, t->text);
        else if (problem)
            parse_complain(p, t->pos, "'%s' %s", t->text, problem);
        name = t->text;
        pos = t->pos;
    }
    if (!p->panic) op->slot = find_slot(p, name, pos);
}

static bool takes(const struct call *c, const char *argument) {
    return op_call_has(c->as, argument);
}

/* "order, scope" of a fence. */
static void fence_arguments(struct parser *p, struct call *c, struct op *op) {
    op->order = order_argument(p, c);
    op->scope = scope_argument(p, c);
}

/* A size in bytes, such as 16 or sizeof(int4). */
static int size_argument(struct parser *p, struct call *c) {
    struct expr *e = body_fold(p, any_argument(p, c, "a size"));
    if (p->panic) return 4;
    if (e->kind != EXPR_INT) parse_error(p, e->pos, "expected a number of bytes");
    long long bytes = e->kind == EXPR_INT ? expr_number(e, NULL) : 4;
    return bytes < 0 || bytes > INT_MAX ? 0 : (int)bytes;
}

static int groups_argument(struct parser *p, struct call *c) {
    struct expr *e = body_fold(p, any_argument(p, c, "a number of groups"));
    if (e->kind != EXPR_INT)
        parse_error(p, e->pos, "expected a number of groups that is known: %s", c->as->usage);
    if (p->panic) return 0;
    long long n = expr_number(e, NULL);
    bool fits = n >= 0 && n <= OP_MAX_GROUPS;
    if (!fits) parse_complain(p, e->pos, "a wait leaves 0 to %d groups", OP_MAX_GROUPS);
    return fits ? (int)n : 0;
}

/* What the copy's place `loc` must be that it is not, or NULL. */
static const char *copy_problem(const struct parser *p, const struct op *op, int loc,
                                const struct expr *index) {
    const struct location *l = &p->test->locs[loc];
    int size = type_bytes(l->type);
    if (op->bytes == 0) return NULL; /* which is reported */
    if (l->grain && l->grain < type_bytes(type_lane(l->type)))
        return "a copy of bytes that locations of several sizes share is not supported yet";
    if (op->bytes % size) return "a copy is of whole elements";
    if (op->bytes / size > l->count) return "a copy is no longer than the array";
    if (!index || !expr_is_known(index)) return NULL;
    for (int tid = 0; tid < p->body->count; tid++) {
        struct expr_env env = body_env(p->body, tid);
        long long k = expr_number(index, &env);
        if (k * size % op->bytes) return "a copy begins at a multiple of its size";
    }
    return NULL;
}

void copy_check(struct parser *p, const struct op *op, struct pos pos) {
    const struct location *to = &p->test->locs[op->place[0].loc], *from = &p->test->locs[op->place[1].loc];
    const char *why = copy_problem(p, op, op->place[0].loc, op->place[0].index);
    if (!why) why = copy_problem(p, op, op->place[1].loc, op->place[1].index);
    if (op->bytes != 4 && op->bytes != 8 && op->bytes != 16)
        parse_complain(p, pos, "an asynchronous copy is of 4, 8 or 16 bytes, not of %d", op->bytes);
    else if (!type_same(to->type, from->type))
        parse_complain(p, pos, "'%s' and '%s' are not of the same type", to->name, from->name);
    else if (to->space != SPACE_SHARED || from->space == SPACE_SHARED)
        parse_complain(p, pos,
                       "an asynchronous copy is from global to shared memory (space: shared): '%s' is %s",
                       to->space != SPACE_SHARED ? to->name : from->name,
                       space_name(to->space != SPACE_SHARED ? to->space : from->space));
    else if (why)
        parse_complain(p, pos, "%s", why);
}

/* "&Y, size" of a copy. */
static void copy_arguments(struct parser *p, struct call *c, struct op *op) {
    struct place source = place_of_call(p, c);
    op->place[1].loc = source.loc;
    op->place[1].index = source.index;
    op->bytes = size_argument(p, c);
    if (!p->panic && op->place[0].loc >= 0 && op->place[1].loc >= 0) copy_check(p, op, op->pos);
}

/* Adds the operation when its arguments are known: what they read comes before it. */
static struct expr *lower_call(struct parser *p, struct call *c, struct pos pos) {
    struct op op = op_make(c->row->name, pos);
    op.order = c->as->order;
    op.scope = c->as->scope;
    if (takes(c, "X")) {
        struct place place = place_of_call(p, c);
        op.place[0].loc = place.loc;
        op.place[0].index = place.index;
        op.type = place_type(p, op.place[0].loc);
        if (op.kind == OP_RMW) check_atomic(p, c, place);
        check_cached(p, c, place);
        if (op_kinds[op.kind].touches[0] & TOUCH_WRITES) check_constant(p, place);
    }
    if (takes(c, "expected")) op.expected = value_argument(p, c, op.place[0].loc);
    if (takes(c, "value") || takes(c, "desired")) op.value = value_argument(p, c, op.place[0].loc);
    if (takes(c, "order")) (takes(c, "X") ? strength_arguments : fence_arguments)(p, c, &op);
    if (takes(c, "Y")) copy_arguments(p, c, &op);
    if (takes(c, "mask") && c->arguments.next) op.mask = exchange_mask(p, &c->arguments);
    if (takes(c, "time")) {
        op.type = type_unsigned;
        op.value = expr_convert(p, any_argument(p, c, "a number of nanoseconds"), op.type);
    }
    if (takes(c, "groups")) op.pending = groups_argument(p, c);
    if (takes(c, "name")) slot_arguments(p, c, &op, pos);
    arguments_end(p, &c->arguments);
    struct op *added = stmt_add_op(p, op);
    return op_kinds[op.kind].returns ? access_result(p, added) : NULL;
}

const char *access_usage(const char *name) {
    const struct op_call *call;
    return op_find_call(name, &call) ? call->usage : NULL;
}

/* The name that is meant; or "". */
static const char *suggest_call(struct parser *p, const char *name) {
    const char *names[OP_COUNT * OP_MAX_CALLS];
    size_t n = 0;
    for (int k = 0; k < OP_COUNT; k++)
        for (const struct op_call *c = op_rows[k].calls; c->usage; c++)
            names[n++] = arena_strndup(p->arena, c->usage, (size_t)op_call_length(c));
    return name_suggest(p->arena, name, names, n);
}

struct expr *access_call(struct parser *p, const struct tree *n) {
    const struct token *name = n->first;
    struct call c;
    if (body_is_refused(p, name)) return NULL;
    if (atomic_is_nvcc(name->text)) return atomic_nvcc(p, n);
    const char *refusal = name_refusal(name->text);
    if (!refusal) refusal = name_foreign_call(name->text);
    c.row = op_find_call(name->text, &c.as);
    if (!c.row && refusal)
        parse_error(p, name->pos, "'%s' is %s", name->text, refusal);
    else if (!c.row)
        parse_error(p, name->pos, "unknown call '%s'%s", name->text, suggest_call(p, name->text));
    if (!c.row || p->panic) return NULL;
    c.arguments = arguments_of(n, c.as->usage);
    if (c.row->kind == OP_EXCHANGE) return exchange_call(p, c.row, c.as, &c.arguments, name->pos);
    return lower_call(p, &c, name->pos);
}

void access_drop(struct parser *p, const struct expr *value) {
    struct stmt *last = p->out.last;
    if (!last || last->kind != STMT_OP || value->kind != EXPR_REG || last->op->dst != value->index) return;
    last->op->dst = -1;
    p->body->nregs--; /* it was the newest */
}
