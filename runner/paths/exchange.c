#include "paths/exchange.h"

#include "paths/meet.h"

static bool has_op(const struct test *t, const struct body *b, enum op_name name) {
    for (int k = 1; k <= t->nops; k++)
        if (t->ops[k].body == b && t->ops[k].name == name) return true;
    return false;
}

struct exchange_group exchange_find(const struct test *t, const struct cell *cell, int thread,
                                    const struct op *op, struct arena *a) {
    const struct seat *seats = cell->placement->seats;
    struct exchange_group g = {.threads = arena_array(a, (size_t)t->nthreads, sizeof(int)),
                               .lane = arena_array(a, (size_t)t->nthreads, sizeof(int))};
    for (int k = 0, lane = 0; k < t->nthreads; k++) {
        bool same_warp = k == thread || (seats[k].warp >= 0 && seats[k].warp == seats[thread].warp);
        bool member = k == thread || meet_joins(op, &seats[k], &seats[thread]);
        if (same_warp) g.lanes |= 1u << lane;
        if (member && has_op(t, t->threads[k].body, op->name)) {
            if (k == thread) g.mine = g.n;
            g.lane[g.n] = lane;
            g.threads[g.n++] = k;
        }
        lane += same_warp;
    }
    return g;
}

static const struct op_exchange_row *row_of(const struct op *op) {
    return &op_exchanges[op_rows[op->name].exchange];
}

bool exchange_has_one_result(const struct op *op) {
    return op->kind == OP_EXCHANGE && row_of(op)->common;
}

/* ---- shuffles ---- */

/* Whether a shuffle takes the value of lane `from`, as a term. */
static const struct sym *takes_lane(const struct op *op, const struct sym *lane, int mine, int from,
                                    struct arena *a) {
    int width = op->width, first = mine / width * width;
    const struct sym *never = sym_int(a, type_int, 0), *at = NULL;
    bool inside = from >= first && from < first + width;
    switch (row_of(op)->lane) {
    case LANE_AT:
        at = sym_int(a, type_int, from - first);
        lane = sym_apply(a, EXPR_AND, lane, sym_int(a, type_int, width - 1));
        break;
    case LANE_BELOW:
        at = sym_int(a, type_int, mine - from);
        inside = inside && from <= mine;
        break;
    case LANE_ABOVE:
        at = sym_int(a, type_int, from - mine);
        inside = inside && from >= mine;
        break;
    case LANE_CROSSED:
        at = sym_int(a, type_int, mine ^ from);
        inside = from < first + width; /* an earlier group's may be taken */
        break;
    case LANE_NONE: break;
    }
    return inside && at ? sym_apply(a, EXPR_EQ, lane, at) : never;
}

bool exchange_needs(const struct exchange_group *g, const struct op *op, const struct sym *lane, int k) {
    if (!row_of(op)->lane) return true;
    struct arena *scratch = arena_open();
    const struct sym *takes = takes_lane(op, lane, g->lane[g->mine], g->lane[k], scratch);
    bool needs = takes->kind != SYM_INT || sym_is_true(takes, NULL);
    arena_close(scratch);
    return needs;
}

static const struct sym *choose(struct arena *a, const struct sym *which, const struct sym *x,
                                const struct sym *y) {
    if (which->kind == SYM_INT) return sym_is_true(which, NULL) ? x : y;
    return sym_make(
        a, (struct sym){.kind = SYM_OP, .op = EXPR_COND, .type = x->type, .a = which, .b = x, .c = y});
}

/* The result of a shuffle. If nobody is at the lane that it names, a thread gets its own value. */
static const struct sym *shuffle(const struct exchange_group *g, const struct op *op, const struct sym *lane,
                                 const struct sym *const *values, struct arena *a) {
    const struct sym *result = values[g->mine];
    for (int k = 0; k < g->n; k++)
        if (k != g->mine && values[k])
            result = choose(a, takes_lane(op, lane, g->lane[g->mine], g->lane[k], a), values[k], result);
    return result;
}

/* ---- votes, matches and reductions ---- */

/* What is matched has 32 bits. It is given in 64, so that this stands for none of these values. */
static const struct value nothing_to_match = {1ull << 32, 0};

const struct sym *exchange_give(const struct op *op, const struct sym *value, struct arena *a) {
    if (!row_of(op)->matches) return value;
    return sym_cast(a, sym_cast(a, value, type_unsigned), type_uint64);
}

bool exchange_absent(const struct op *op, struct value *value) {
    bool sign = op->type.sign;
    long long number = 0;
    switch (row_of(op)->absent) {
    case ABSENT_UNDEFINED: return false;
    case ABSENT_UNLIKE: *value = nothing_to_match; return true;
    case ABSENT_ZERO: break;
    case ABSENT_ONE: number = 1; break;
    case ABSENT_ALL_BITS: number = -1; break;
    case ABSENT_LEAST: number = sign ? INT32_MIN : 0; break;
    case ABSENT_GREATEST: number = sign ? INT32_MAX : UINT32_MAX; break;
    }
    *value = value_from(op->type, number);
    return true;
}

static const struct sym *fold_two(enum op_fold how, const struct sym *x, const struct sym *y,
                                  struct arena *a) {
    switch (how) {
    case FOLD_AND: return sym_apply(a, EXPR_AND, x, y);
    case FOLD_OR: return sym_apply(a, EXPR_OR, x, y);
    case FOLD_XOR: return sym_apply(a, EXPR_XOR, x, y);
    case FOLD_ADD: return sym_apply(a, EXPR_ADD, x, y);
    case FOLD_MIN: return choose(a, sym_apply(a, EXPR_LT, x, y), x, y);
    case FOLD_MAX: return choose(a, sym_apply(a, EXPR_GT, x, y), x, y);
    case FOLD_NONE: break;
    }
    return x;
}

/* The bit of member k, if that is set. */
static const struct sym *bit_of(const struct exchange_group *g, int k, const struct sym *set,
                                struct arena *a) {
    const struct sym *bit = sym_value(a, type_unsigned, (struct value){1u << g->lane[k], 0});
    return choose(a, set, bit, sym_int(a, type_unsigned, 0));
}

/* What member k adds to the result: the bit of its lane, if it votes for it or matches; or its value. */
static const struct sym *part(const struct exchange_group *g, const struct op *op,
                              const struct sym *const *values, int k, struct arena *a) {
    const struct sym *value = values[k];
    if (row_of(op)->lanes && !row_of(op)->matches)
        return bit_of(g, k, sym_apply(a, EXPR_NE, value, sym_int(a, value->type, 0)), a);
    if (!row_of(op)->matches) return value;
    if (k == g->mine) return bit_of(g, k, sym_int(a, type_int, 1), a);
    return bit_of(g, k, sym_apply(a, EXPR_EQ, value, values[g->mine]), a);
}

/* The set of the lanes that have given a value to match: those that have not exited. */
static const struct sym *find_matched(const struct exchange_group *g, const struct sym *const *values,
                                      struct arena *a) {
    const struct sym *lanes = sym_int(a, type_unsigned, 0),
                     *nothing = sym_value(a, type_uint64, nothing_to_match);
    for (int k = 0; k < g->n; k++) {
        const struct sym *came =
            k == g->mine ? sym_int(a, type_int, 1) : sym_apply(a, EXPR_NE, values[k], nothing);
        lanes = sym_apply(a, EXPR_OR, lanes, bit_of(g, k, came, a));
    }
    return lanes;
}

const struct sym *exchange_result(const struct exchange_group *g, const struct op *op, const struct sym *lane,
                                  const struct sym *const *values, struct arena *a) {
    if (row_of(op)->lane) return shuffle(g, op, lane, values, a);
    const struct sym *result = NULL;
    for (int k = 0; k < g->n; k++) {
        const struct sym *more = part(g, op, values, k, a);
        result = result ? fold_two(row_of(op)->fold, result, more, a) : more;
    }
    if (!row_of(op)->whole) return result;
    const struct sym *same = sym_apply(a, EXPR_EQ, result, find_matched(g, values, a));
    return row_of(op)->lanes ? choose(a, same, result, sym_int(a, type_unsigned, 0)) : same;
}
