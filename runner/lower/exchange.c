/* Calls by which the threads of a warp, or of a block, exchange values: __shfl_sync, __ballot_sync, __reduce_add_sync,
 * __syncthreads_count and their like. */
#include "lower/calls.h"

static bool takes(const struct op_call *as, const char *argument) {
    return op_call_has(as, argument);
}

/* The value of the next argument; 0 where there is none. */
static struct expr *scalar(struct parser *p, struct arguments *a) {
    return expr_scalar(p, arguments_value(p, a, "a value"), a->usage);
}

static struct expr *integer(struct parser *p, struct arguments *a, struct type type) {
    struct expr *e = scalar(p, a);
    if (!e->type.real) return expr_cast(p, e, type);
    parse_complain(p, e->pos, "expected an integer: %s", a->usage);
    return expr_int(p, e->pos, 0);
}

struct expr *exchange_mask(struct parser *p, struct arguments *a) {
    return integer(p, a, type_unsigned);
}

/* The type in which a value is given away. */
static struct type given_type(const struct op_exchange_row *what, struct type t) {
    bool bits = what->fold == FOLD_AND || what->fold == FOLD_OR || what->fold == FOLD_XOR;
    if (what->lane || what->matches) return t.real ? t : type_promote(t);
    return !bits ? type_promote(t) : t.bits > 32 ? t : type_unsigned;
}

static struct expr *take_given(struct parser *p, struct arguments *a, const struct op_call *as,
                               const struct op_row *row) {
    bool vote = takes(as, "predicate");
    struct expr *e = scalar(p, a);
    if (vote && !p->panic) return expr_new(p, EXPR_NE, e->pos, e, expr_int(p, e->pos, 0));
    const struct op_exchange_row *what = &op_exchanges[row->exchange];
    if (what->common && !what->matches && e->type.real) {
        parse_complain(p, e->pos, "expected an integer: %s", as->usage);
        return expr_int(p, e->pos, 0);
    }
    return expr_cast(p, e, given_type(what, e->type));
}

/* The width of a shuffle, which may be missing. */
static int take_width(struct parser *p, struct arguments *a) {
    if (!a->next) return WARP_LANES;
    struct expr *e = body_fold(p, integer(p, a, type_int));
    long long n = e->kind == EXPR_INT ? expr_number(e, NULL) : 0;
    if (!p->panic && (n < 1 || n > WARP_LANES || (n & (n - 1)) != 0))
        parse_complain(p, e->pos, "a width is the number 1, 2, 4, 8, 16 or 32");
    return n < 1 || n > WARP_LANES ? WARP_LANES : (int)n;
}

/* &all, of a tile all: the register that gets whether all lanes have the same value. */
static int take_all(struct parser *p, struct arguments *a, const struct group *of) {
    const struct tree *n = arguments_take(p, a, of ? "a register" : "'&' and a register");
    if (n && !of && n->kind != TREE_ADDRESS)
        parse_error(p, n->first[-1].after, "expected '&' and a register: %s", a->usage);
    if (p->panic) return -1;
    if (!of) n = n->a;
    const struct token *t = n->first;
    int reg = assign_is_register(p, n) ? assign_register(p, n) : -1;
    if (reg < 0) {
        parse_error(p, t->pos, "expected a register, which is set to whether all are the same: %s", a->usage);
        return -1;
    }
    body_check_constant(p, reg, t->pos);
    if (!p->panic && p->body->regs[reg].type.bits != 32)
        parse_complain(p, t->pos, "'%s' is of type %s: this sets an int", t->text,
                       type_name(p->body->regs[reg].type));
    return reg;
}

struct expr *exchange_add(struct parser *p, struct op op) {
    struct op *added = stmt_add_op(p, op);
    added->dst = body_temporary(p, op.pos, op.result);
    return body_value(p, added->dst, op.pos);
}

/* A value of 64 bits is shuffled in two halves, as CUDA's headers do it. */
static struct expr *shuffle_halves(struct parser *p, struct op op) {
    struct type type = op.type;
    int reg = body_temporary(p, op.pos, type_uint64);
    body_set(p, reg, bits_as(p, op.pos, op.value, type_uint64), op.pos);
    struct expr *all = body_value(p, reg, op.pos), *half[2];
    op.type = op.result = type_unsigned;
    for (int k = 0; k < 2; k++) {
        op.value =
            expr_cast(p, expr_new(p, EXPR_SHR, op.pos, all, expr_int(p, op.pos, 32 * k)), type_unsigned);
        half[k] = expr_cast(p, exchange_add(p, op), type_uint64);
    }
    struct expr *high = expr_new(p, EXPR_SHL, op.pos, half[1], expr_int(p, op.pos, 32));
    return bits_as(p, op.pos, expr_new(p, EXPR_OR, op.pos, high, half[0]), type);
}

static struct op make_exchange(const struct op_row *row, const struct op_call *as, struct pos pos) {
    struct op op = op_make(row->name, pos);
    op.order = as->order;
    op.scope = as->scope;
    return op;
}

/* An exchange, whose arguments behind its mask are given; that of a group has its width, and its ranks for lanes. */
static struct expr *lower_exchange(struct parser *p, const struct op_row *row, const struct op_call *as,
                                   struct arguments *a, struct op op, const struct group *of) {
    struct pos pos = op.pos;
    op.value = op_exchanges[row->exchange].active ? expr_int(p, pos, 1) : take_given(p, a, as, row);
    op.type = op.value->type;
    op.result = op_exchanges[row->exchange].lanes ? type_unsigned : op.type;
    if (takes(as, "lane")) {
        op.lane = integer(p, a, type_int);
        if (of && of->kind == GROUP_COALESCED) op.lane = grid_lane_of(p, *of, op.lane, pos);
        if (!of) op.width = take_width(p, a);
    }
    int all = takes(as, "all") ? take_all(p, a, of) : -1;
    arguments_end(p, a);
    bool shuffles = op_exchanges[row->exchange].lane;
    if (p->panic) return expr_int(p, pos, 0);
    if (op.type.bits == 64 && shuffles) return shuffle_halves(p, op);
    if (op.type.bits != 32) {
        parse_error(p, op.value->pos, "%.*s is supported with values of 32 bits, and this is of type %s",
                    op_call_length(as), as->usage, type_name(op.type));
        return expr_int(p, pos, 0);
    }
    struct expr *result = exchange_add(p, op);
    if (all >= 0) body_set(p, all, expr_new(p, EXPR_NE, pos, result, expr_int(p, pos, 0)), pos);
    return result;
}

struct expr *exchange_call(struct parser *p, const struct op_row *row, const struct op_call *as,
                           struct arguments *a) {
    struct op op = make_exchange(row, as, a->pos);
    if (takes(as, "mask")) op.mask = exchange_mask(p, a);
    return lower_exchange(p, row, as, a, op, NULL);
}

struct expr *exchange_of_group(struct parser *p, struct group g, const char *name, const struct tree *call,
                               struct pos pos) {
    const struct op_call *as;
    const struct op_row *row = op_find_call(name, ANY_ARGUMENTS, &as);
    struct arguments a = arguments_of(call, as->usage);
    struct op op = make_exchange(row, as, pos);
    op.mask = grid_lanes(p, g, pos);
    op.width = g.size;
    struct expr *result = lower_exchange(p, row, as, &a, op, &g);
    if (!op_exchanges[row->exchange].lanes || g.size == WARP_LANES) return result;
    return expr_new(p, EXPR_SHR, pos, result,
                    grid_tile_begin(p, g, pos)); /* bit 0 is the tile's first lane */
}

struct expr *exchange_reduce(struct parser *p, struct group g, const char *name, struct expr *value,
                             struct pos pos) {
    const struct op_call *as;
    const struct op_row *row = op_find_call(name, ANY_ARGUMENTS, &as);
    struct op op = make_exchange(row, as, pos);
    op.mask = grid_lanes(p, g, pos);
    op.value = expr_cast(p, value, given_type(&op_exchanges[row->exchange], value->type));
    op.type = op.result = op.value->type;
    if (value->type.bits == 32 && !value->type.real) return expr_cast(p, exchange_add(p, op), value->type);
    parse_error(p, value->pos, "a reduction is supported of integers of 32 bits, and this is of type %s",
                type_name(value->type));
    return value;
}

int exchange_active(struct parser *p, struct pos pos) {
    struct op op = op_make(WARP_ACTIVE, pos);
    op.value = expr_int(p, pos, 1);
    op.type = type_int;
    op.result = type_unsigned;
    int lanes = body_temporary(p, pos, type_unsigned);
    body_set(p, lanes, exchange_add(p, op), pos);
    return lanes;
}
