/* Calls: their arguments, and those that are operations on memory. */
#include <string.h>

#include "litmus/copy.h"
#include "litmus/name.h"
#include "lower/calls.h"

/* ---- names and arguments ---- */

static const char *usage_of(struct names names, size_t k) {
    return *(const char *const *)((const char *)names.rows + k * names.size);
}

bool names_is(const char *usage, const char *name) {
    size_t n = strlen(name);
    return strcspn(usage, "(") == n && strncmp(usage, name, n) == 0;
}

const void *names_find(struct names names, const char *name) {
    for (size_t k = 0; k < names.n; k++)
        if (names_is(usage_of(names, k), name)) return (const char *)names.rows + k * names.size;
    return NULL;
}

/* Adds them to a list of n. */
static size_t list_names(struct parser *p, struct names names, const char **list, size_t n) {
    for (size_t k = 0; k < names.n; k++)
        list[n++] = arena_strndup(p->arena, usage_of(names, k), strcspn(usage_of(names, k), "("));
    return n;
}

const char *names_suggest(struct parser *p, struct names names, const char *name) {
    const char **list = arena_array(p->arena, names.n, sizeof *list);
    return name_suggest(p->arena, name, list, list_names(p, names, list, 0));
}

const char *names_list(struct parser *p, const char *const *names, size_t n, const char *quote) {
    const char *list = "";
    for (size_t k = 0; k < n; k++) {
        const char *sign = k == 0 ? "" : k + 1 < n ? ", " : " or ";
        list = arena_printf(p->arena, "%s%s%s%s%s", list, sign, quote, names[k], quote);
    }
    return list;
}

static const char *without_namespaces(const char *text) {
    static const char *const namespaces[] = {"cuda::", "std::"};
    for (size_t k = 0; k < sizeof namespaces / sizeof *namespaces; k++)
        if (strncmp(text, namespaces[k], strlen(namespaces[k])) == 0)
            return without_namespaces(text + strlen(namespaces[k]));
    return text;
}

struct full_name full_name_of(struct parser *p, const struct tree *n) {
    const struct token *t = n->first;
    struct full_name w = {.text = t->text, .pos = t->pos};
    while (t != n->at) {
        t += 3;
        w.text = arena_printf(p->arena, "%s::%s", w.text, t->text);
        if (t->pos.line == w.pos.line) w.pos.len = t->pos.col + t->pos.len - w.pos.col;
    }
    w.bare = without_namespaces(w.text);
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

/* Takes the next one, which must be a name alone. */
static const struct token *take_word(struct parser *p, struct arguments *a, const char *what) {
    struct pos pos = a->next ? a->next->first[-1].after : a->before->after;
    const struct tree *n = arguments_take(p, a, what);
    if (n && !tree_is_word(n)) parse_error(p, pos, "expected %s: %s", what, a->usage);
    return n && !p->panic ? n->first : NULL;
}

struct expr *arguments_value(struct parser *p, struct arguments *a, const char *what) {
    const struct tree *n = arguments_take(p, a, what);
    return n ? lower_value(p, n) : expr_int(p, a->before->pos, 0);
}

struct place arguments_place(struct parser *p, struct arguments *a, const char *what) {
    const struct tree *n = arguments_take(p, a, what);
    return n ? place_argument(p, n, a->usage) : (struct place){.loc = -1};
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

static bool takes(const struct call *c, const char *argument) {
    return op_call_has(c->as, argument);
}

static struct expr *value_argument(struct parser *p, struct call *c, struct type type) {
    return expr_convert(p, arguments_value(p, &c->arguments, "a value"), type);
}

/* What is sent: a value; or an array of as many registers as a vector has elements, to a vector or to elements of an array. */
static struct expr *sent_argument(struct parser *p, struct call *c, struct op *op) {
    const struct tree *n = c->arguments.next;
    struct expr *lanes[4];
    const int *regs;
    if (!n || !tree_is_word(n) || !registers_find(p, n->first))
        return expr_convert(p, arguments_value(p, &c->arguments, "a value"), op->type);
    arguments_take(p, &c->arguments, "a value");
    int given = registers_all(p, n, &regs), want = op->type.lanes;
    if (want == 1 && (given == 2 || given == 4)) want = op->type.lanes = (uint8_t)given;
    if (given != want) {
        parse_error(p, n->first->pos, "'%s' has %d elements: what is sent has 2 or 4, or those of a vector",
                    n->first->text, given);
        return expr_int(p, n->first->pos, 0);
    }
    for (int k = 0; k < given; k++)
        lanes[k] = expr_convert(p, body_read(p, regs[k], n->first->pos), type_lane(op->type));
    return expr_vector(p, n->first->pos, op->type, lanes);
}

static struct place place_of_call(struct parser *p, struct call *c) {
    const struct tree *n = arguments_take(p, &c->arguments, "a location");
    enum op_kind kind = op_rows[c->row->name].kind;
    if (!n) return (struct place){.loc = -1};
    return (kind == OP_LOAD || kind == OP_STORE ? place_accessed : place_argument)(p, n, c->as->usage);
}

/* Complains where the GPU has no such atomic operation. */
static void check_atomic(struct parser *p, const struct call *c, struct place place) {
    struct type t = access_type(p, place.loc);
    const char *needs = c->row->tensor ? NULL : op_needs(c->row->types, t);
    if (needs && !p->panic)
        parse_complain(p, place.pos, "%.*s needs a location of %s, and '%s' is of type %s",
                       op_call_length(c->as), c->as->usage, needs, p->test->locs[place.loc].name,
                       type_name(t));
}

/* Complains about a cache operator on what has no such cache. */
static void check_cached(struct parser *p, const struct call *c, struct place place) {
    if (p->panic || !c->row->cache || space_rows[p->test->locs[place.loc].space].cached) return;
    parse_complain(p, place.pos, "%.*s is an access to global memory, and '%s' is in shared memory",
                   op_call_length(c->as), c->as->usage, p->test->locs[place.loc].name);
}

static enum order order_argument(struct parser *p, struct call *c) {
    const struct token *t = take_word(p, &c->arguments, "an order");
    const char *names[ORDER_SC], *sc = order_name(ORDER_SC), *kind = op_kinds[c->row->kind].name;
    enum order found = ORDER_BARE;
    size_t n = 0;
    if (!t) return ORDER_RELAXED;
    for (enum order o = ORDER_WEAK; o <= ORDER_SC; o++) {
        if (strcmp(order_name(o), t->text) == 0) found = o;
        if (c->row->orders >> o & 1) names[n++] = order_name(o);
    }
    if (found && c->row->orders >> found & 1) return found;
    const char *fitting = names_list(p, names, n, "'"), *near = name_suggest(p->arena, t->text, names, n);
    if (found)
        parse_error(p, t->pos, "%s cannot be '%s'; it can be %s", kind, t->text, fitting);
    else if (*near)
        parse_error(p, t->pos, "unknown order '%s'%s", t->text, near);
    else if (*name_suggest(p->arena, t->text, &sc, 1))
        parse_error(p, t->pos, "'%s' is an order of fences; %s can be %s", t->text, kind, fitting);
    else
        parse_error(p, t->pos, "unknown order '%s'; it can be %s", t->text, fitting);
    return found ? found : ORDER_RELAXED;
}

static enum scope scope_argument(struct parser *p, struct call *c) {
    const struct token *t = take_word(p, &c->arguments, "a scope");
    if (!t) return SCOPE_GPU;
    enum scope scope = scope_find(t->text);
    if (scope != SCOPE_NONE) return scope;
    const char *suggestion = name_suggest(p->arena, t->text, scope_names + SCOPE_CTA, SCOPE_SYS);
    parse_error(p, t->pos, "unknown scope '%s'%s", t->text,
                *suggestion ? suggestion : "; it can be block, cluster, device or system");
    return SCOPE_GPU;
}

/* "order, scope" of a load, a store or a fence; weak and volatile have no scope. */
static void strength_arguments(struct parser *p, struct call *c, struct op *op) {
    op->order = order_argument(p, c);
    const struct token *order = c->arguments.before;
    bool scoped = op->order != ORDER_WEAK && op->order != ORDER_VOLATILE;
    if (c->arguments.next || !takes(c, "X")) {
        if (!scoped && takes(c, "X"))
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

int call_slot(struct parser *p, const char *name, struct pos pos) {
    const char *problem = name ? name_problem(name) : NULL;
    if (name && (scope_find(name) != SCOPE_NONE || strcmp(name, "none") == 0))
        parse_complain(p, pos,
                       "'%s' is a scope, not the name of a slot; a fence of one scope is written "
                       "atomic_thread_fence(sc, %s)",
                       name, name);
    else if (problem)
        parse_complain(p, pos, "'%s' %s", name, problem);
    return p->panic ? -1 : find_slot(p, name, pos);
}

static void slot_arguments(struct parser *p, struct call *c, struct op *op, struct pos pos) {
    const struct token *t = c->arguments.next ? take_word(p, &c->arguments, "a name") : NULL;
    if (!p->panic) op->slot = call_slot(p, t ? t->text : NULL, t ? t->pos : pos);
}

/* The number in a type that stands for it, as in cuda::ptx::n32_t<0>{}; NULL: there is none. */
static const struct tree *number_in_type(const struct tree *n) {
    bool made = n && (n->kind == TREE_CALL || n->kind == TREE_BRACES) && n->a;
    const struct tree *name = !made ? NULL : n->a->kind == TREE_TYPE ? n->a->a : n->a;
    return name && name->kind == TREE_NAME && token_is_word(name->at, "n32_t") && !n->b ? name->b : NULL;
}

bool call_is_aligned(const struct tree *n) {
    return n && n->kind == TREE_CALL && n->a->kind == TREE_NAME && token_is_word(n->a->at, "aligned_size_t");
}

/* The size in cuda::aligned_size_t<16>(size), whose copy is a bulk copy, which needs 16 bytes; or the tree itself. */
static const struct tree *size_inside(struct parser *p, const struct tree *n) {
    if (!call_is_aligned(n)) return n;
    struct expr *bytes = n->a->b ? body_fold(p, lower_value(p, n->a->b)) : NULL;
    bool fits = bytes && bytes->kind == EXPR_INT && expr_number(bytes, NULL) >= 16;
    if (!fits || !n->b || n->b->next)
        parse_error(p, n->first->pos, "a bulk copy is of cuda::aligned_size_t<16>(size)");
    return p->panic ? n : n->b;
}

/* The number of an argument, which is known; or -1, and an error. */
static long long known_argument(struct parser *p, struct call *c, const char *what) {
    const struct tree *inside = number_in_type(c->arguments.next);
    const struct tree *n = arguments_take(p, &c->arguments, what);
    if (n && !inside) inside = size_inside(p, n);
    struct expr *e = inside && !p->panic ? lower_value(p, inside) : expr_int(p, c->arguments.before->pos, 0);
    e = body_fold(p, e);
    if (p->panic) return -1;
    if (e->kind != EXPR_INT) parse_error(p, e->pos, "expected %s that is known: %s", what, c->as->usage);
    return e->kind == EXPR_INT ? expr_number(e, NULL) : -1;
}

static void size_argument(struct parser *p, struct call *c, struct op *op) {
    long long bytes = known_argument(p, c, "a number of bytes");
    if (!p->panic && (bytes <= 0 || bytes > OP_MAX_BYTES))
        parse_complain(p, op->pos, "a copy is of 1 to %d bytes, not of %lld", OP_MAX_BYTES, bytes);
    op->bytes = bytes <= 0 || bytes > OP_MAX_BYTES ? 0 : (int)bytes;
}

/* Where in its array a copy by a tensor map begins: an array of one register, or {x}. */
static struct expr *coordinate_argument(struct parser *p, struct call *c) {
    const struct tree *n = arguments_take(p, &c->arguments, "coordinates");
    const int *regs;
    int dimensions = n && registers_find(p, n->first) && tree_is_word(n) ? registers_all(p, n, &regs) : 0;
    bool list = n && n->kind == TREE_BRACES && !n->a;
    if (list) dimensions = !n->b->b ? 0 : n->b->b->next ? 2 : 1;
    if (n && dimensions > 1)
        parse_error(p, n->first->pos, "not modelled: tensor copies of more than one dimension");
    else if (n && dimensions == 0)
        parse_error(p, n->first->pos, "expected coordinates, as in {0} or an array of one register: %s",
                    c->as->usage);
    if (!n || p->panic) return expr_int(p, c->arguments.before->pos, 0);
    return access_index(p, list ? lower_value(p, n->b->b) : body_read(p, regs[0], n->first->pos));
}

static void coordinates_of(struct parser *p, struct call *c, struct op *op, int place) {
    if (takes(c, "coords") && copy_map(op) == place) op->place[place].index = coordinate_argument(p, c);
}

/* "&Y, size" of a copy, or "&Y" of a copy by a tensor map. */
static void copy_arguments(struct parser *p, struct call *c, struct op *op) {
    coordinates_of(p, c, op, 0);
    struct place source = place_of_call(p, c);
    op->place[1] = access_place(&source);
    coordinates_of(p, c, op, 1);
    if (takes(c, "size"))
        size_argument(p, c, op);
    else
        op->bytes = MAP_BOX;
    bool filled = op->name == COPY_ASYNC && c->arguments.next;
    if (!p->panic && !filled) copy_check(p, op);
    if (!p->panic && op->place[1].loc >= 0 && c->row->tensor) op->type = copy_data(p->test, op, 0)->type;
}

/* "&B", the mbarrier that is told. What sends a value tells the bytes of that. */
static void told_argument(struct parser *p, struct call *c, struct op *op) {
    struct place told = place_of_call(p, c);
    op->place[2] = access_place(&told);
    access_check_mbarrier(p, told.loc, told.pos);
    if (!op->bytes) op->bytes = type_bytes(op->type);
}

/* The ranks of the blocks to which a copy goes. */
static struct expr *blocks_argument(struct parser *p, struct call *c) {
    struct expr *e = expr_scalar(p, arguments_value(p, &c->arguments, "a mask of ranks"), "a mask of ranks");
    struct type bits;
    type_find("uint16_t", &bits);
    if (e->type.real && !p->panic) parse_error(p, e->pos, "a mask of ranks is an integer");
    return p->panic ? expr_int(p, e->pos, 0) : expr_cast(p, expr_cast(p, e, bits), type_unsigned);
}

static void groups_argument(struct parser *p, struct call *c, struct op *op) {
    struct pos pos = c->arguments.next ? c->arguments.next->first->pos : op->pos;
    long long n = known_argument(p, c, "a number of groups");
    bool fits = n >= 0 && n <= OP_MAX_GROUPS;
    if (!fits && !p->panic) parse_complain(p, pos, "a wait leaves 0 to %d groups", OP_MAX_GROUPS);
    op->pending = fits ? (int)n : 0;
}

struct expr *call_add(struct parser *p, struct op op) {
    struct op *added = stmt_add_op(p, op);
    return op_kinds[op.kind].returns && !op.red ? access_result(p, added) : NULL;
}

/* __pipeline_memcpy_async(&X, &Y, size, zfill) */
static struct expr *filled_copy(struct parser *p, struct call *c, struct op op) {
    c->arguments.usage = "__pipeline_memcpy_async(&X, &Y, size, zfill)";
    struct expr *zeros =
        expr_scalar(p, arguments_value(p, &c->arguments, "a number of bytes"), "a number of bytes");
    arguments_end(p, &c->arguments);
    bool whole = op.place[0].loc >= 0 && op.place[1].loc >= 0;
    if (!p->panic && whole) copy_fill(p, op, expr_cast(p, zeros, type_int));
    return NULL;
}

/* Adds the operation when its arguments are known: what they read comes before it. */
static struct expr *lower_call(struct parser *p, struct call *c, struct pos pos) {
    struct op op = op_make(c->row->name, pos);
    op.order = c->as->order;
    op.scope = c->as->scope;
    if (takes(c, "X")) {
        struct place place = place_of_call(p, c);
        op.place[0] = access_place(&place);
        op.type = access_type_at(p, &place);
        access_check_vector(p, &place);
        if (op_kinds[op.kind].touches[0] == TOUCH_CHANGES || op.kind == OP_SEND) check_atomic(p, c, place);
        check_cached(p, c, place);
        if (op_kinds[op.kind].touches[0] & TOUCH_WRITES) access_check_constant(p, place);
    }
    if (takes(c, "expected")) op.expected = value_argument(p, c, op.type);
    if (takes(c, "value") || takes(c, "desired"))
        op.value = op.kind == OP_SEND ? sent_argument(p, c, &op) : value_argument(p, c, op.type);
    if (takes(c, "order")) strength_arguments(p, c, &op);
    if (takes(c, "array")) op.value = map_array(p, arguments_place(p, &c->arguments, "an array"));
    if (takes(c, "Y"))
        copy_arguments(p, c, &op);
    else if (takes(c, "coords"))
        coordinates_of(p, c, &op, 0);
    else if (takes(c, "size"))
        size_argument(p, c, &op);
    if (takes(c, "zero") && known_argument(p, c, "0") != 0 && !p->panic)
        parse_complain(p, pos, "st.bulk writes zeros: its last argument is 0");
    if (op.kind == OP_CLEAR && !p->panic) copy_check(p, &op);
    if (op.kind == OP_FENCE && op.bytes) op.bytes = map_bytes(p, op.pos, op.bytes);
    if (takes(c, "B")) told_argument(p, c, &op);
    if (op.kind == OP_SEND && !p->panic) copy_check(p, &op);
    if (takes(c, "blocks")) op.blocks = blocks_argument(p, c);
    if (takes(c, "mask") && c->arguments.next) op.mask = exchange_mask(p, &c->arguments);
    if (takes(c, "time")) {
        op.type = type_unsigned;
        op.value = expr_convert(p, arguments_value(p, &c->arguments, "a number of nanoseconds"), op.type);
    }
    if (takes(c, "groups")) groups_argument(p, c, &op);
    if (takes(c, "name")) slot_arguments(p, c, &op, pos);
    if (op.name == COPY_ASYNC && c->arguments.next) return filled_copy(p, c, op);
    arguments_end(p, &c->arguments);
    return call_add(p, op);
}

/* The name that is meant, of an operation or of what a library has; or "". */
static const char *suggest_call(struct parser *p, const char *name) {
    size_t n = 0, most = OP_COUNT * OP_MAX_CALLS;
    for (const struct library *l = p->libraries; l->name; l++)
        most += l->names ? l->names->n : 0;
    const char **list = arena_array(p->arena, most, sizeof *list);
    for (int k = 0; k < OP_COUNT; k++)
        for (const struct op_call *c = op_rows[k].calls; c->usage; c++)
            list[n++] = arena_strndup(p->arena, c->usage, (size_t)op_call_length(c));
    for (const struct library *l = p->libraries; l->name; l++)
        if (l->names) n = list_names(p, *l->names, list, n);
    return name_suggest(p->arena, name, list, n);
}

static bool is_tag(const struct tree *n) {
    return n && n->kind == TREE_NAME && op_is_tag(n->at->text);
}

/* A call's name, and the tags behind it. */
static const char *key_of(struct parser *p, const struct tree *n, const char *name) {
    const char *key = name;
    for (const struct tree *tag = n->b; is_tag(tag); tag = tag->next)
        key = arena_printf(p->arena, "%s%s%s", key, tag == n->b ? "(" : ", ", tag->at->text);
    return key;
}

int call_arguments(const struct tree *n) {
    int all = 0;
    for (const struct tree *a = n->b; a; a = a->next)
        all += !is_tag(a);
    return all;
}

/* The row of a call: of one whose tags are written, or that has none. */
static const struct op_row *find_row(struct parser *p, const struct tree *n, const char *name,
                                     const struct op_call **as) {
    const char *key = key_of(p, n, name);
    const struct op_row *row = op_find_call(key, call_arguments(n), as);
    if (row && op_call_key(*as) == (int)strlen(key)) return row;
    row = op_find_call(name, call_arguments(n), as);
    return row && op_call_key(*as) == (int)strlen(name) ? row : NULL;
}

/* The ways to call a name, where none has the tags that are written. */
static const char *list_usages(struct parser *p, const char *name) {
    const char *list = NULL;
    for (int k = 0; k < OP_COUNT; k++)
        for (const struct op_call *c = op_rows[k].calls; c->usage; c++)
            if (strncmp(c->usage, name, strlen(name)) == 0 && c->usage[strlen(name)] == '(')
                list = arena_printf(p->arena, "%s%s%s", list ? list : "", list ? ", " : "", c->usage);
    return list;
}

bool call_is_any(struct parser *p, const struct tree *n) {
    (void)p;
    return n->kind == TREE_CALL;
}

static void report_unknown(struct parser *p, const struct token *name) {
    const char *problem = name_problem(name->text), *near = suggest_call(p, name->text);
    if (*near)
        parse_error(p, name->pos, "unknown call '%s'%s", name->text, near);
    else if (problem)
        parse_error(p, name->pos, "unknown call '%s', which %s", name->text, problem);
    else
        parse_error(
            p, name->pos,
            "unknown call '%s': a function of your own stands before it, as in __device__ void %s() {...}",
            name->text, name->text);
}

struct expr *call_of_name(struct parser *p, const struct tree *n, const char *text) {
    struct token named = *n->a->at, *name = &named;
    struct call c;
    named.text = text;
    if (p->panic || body_is_refused(p, name)) return NULL;
    c.row = find_row(p, n, text, &c.as);
    const char *usages = c.row ? NULL : list_usages(p, name->text);
    const char *refusal = c.row ? NULL : name_call_refusal(name->text);
    if (!c.row && usages)
        parse_error(p, name->pos, "'%s' is not called so: %s", name->text, usages);
    else if (!c.row && refusal)
        parse_error(p, name->pos, "'%s' is %s", name->text, refusal);
    else if (!c.row)
        report_unknown(p, name);
    if (!c.row || p->panic) return NULL;
    c.arguments = arguments_of(n, c.as->usage);
    while (op_call_key(c.as) > op_call_length(c.as) && is_tag(c.arguments.next))
        arguments_take(p, &c.arguments, "a tag");
    if (c.row->kind == OP_EXCHANGE) return exchange_call(p, c.row, c.as, &c.arguments);
    return lower_call(p, &c, name->pos);
}

struct expr *call_value(struct parser *p, const struct tree *n) {
    if (!tree_is_word(n->a)) operand_report_callee(p, n->a);
    return call_of_name(p, n, n->a->at->text);
}
