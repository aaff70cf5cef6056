/* Accesses to places: loads, stores, their indices and results; and what is checked of copies and tensor maps. */
#include <string.h>

#include "litmus/copy.h"
#include "litmus/view.h"
#include "lower/calls.h"

struct type access_type(const struct parser *p, int loc) {
    return loc < 0 ? type_int : p->test->locs[loc].type;
}

struct type access_type_at(const struct parser *p, const struct place *place) {
    return place->vector.lanes ? place->vector : access_type(p, place->loc);
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

void access_check_vector(struct parser *p, const struct place *place) {
    if (p->panic || place->loc < 0 || !place->vector.lanes || !expr_is_known(place->index)) return;
    const struct location *l = &p->test->locs[place->loc];
    int lanes = place->vector.lanes;
    for (int tid = 0; tid < p->body->count; tid++) {
        struct expr_env env = body_env(p->body, tid);
        long long k = guard_lets(p, tid) ? expr_number(place->index, &env) : 0;
        bool inside = k >= 0 && k<l->count, beyond = k + lanes> l->count; /* else the index was reported */
        if (!inside || (!beyond && k % lanes == 0)) continue;
        parse_complain(p, place->pos,
                       beyond ? "%s at element %lld of '%s' does not lie within its %d elements"
                              : "%s at element %lld of '%s' is not aligned: it begins at a multiple of %d",
                       type_name(place->vector), k, l->name, beyond ? l->count : lanes);
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
    bool own = op_kinds[op->kind].mbarrier;
    bool several = !own && op_elements(p->test, op) > 1;
    op->dst = body_temporary(p, op->pos,
                             own       ? op->result
                             : several ? op->type
                                       : access_type(p, op->place[0].loc));
    return body_value(p, op->dst, op->pos);
}

struct op_place access_place(const struct place *place) {
    return (struct op_place){place->loc, place->index, place->rank, place->choice};
}

struct expr *access_load(struct parser *p, struct place place) {
    struct op op = op_make(LOAD_PLAIN, place.pos);
    access_check_vector(p, &place);
    op.type = access_type_at(p, &place);
    op.place[0] = access_place(&place);
    op.order = place.order;
    return access_result(p, stmt_add_op(p, op));
}

void access_check_constant(struct parser *p, struct place place) {
    if (place.constant) parse_complain(p, place.pos, "this is const here: it cannot be written");
}

void access_check_mbarrier(struct parser *p, int loc, struct pos pos) {
    const struct location *l = loc < 0 ? NULL : &p->test->locs[loc];
    if (!l || p->panic || (space_rows[l->space].of_block && !op_needs(TYPES_MBARRIER, l->type))) return;
    parse_complain(p, pos, "an mbarrier is 64 bits of shared memory: %s: {type: mbarrier, space: shared}",
                   l->name);
}

void access_store(struct parser *p, struct place place, struct expr *value, struct pos pos) {
    struct op op = op_make(STORE_PLAIN, pos);
    access_check_constant(p, place);
    access_check_vector(p, &place);
    op.type = access_type_at(p, &place);
    op.place[0] = access_place(&place);
    op.order = place.order;
    op.value = expr_convert(p, value, op.type);
    stmt_add_op(p, op);
}

void access_drop(struct parser *p, const struct expr *value) {
    struct stmt *last = p->out.last;
    if (!last || last->kind != STMT_OP || value->kind != EXPR_REG || last->op->dst != value->index) return;
    if (!p->body->regs[value->index].temporary) return; /* a register of the test may be looked at again */
    last->op->dst = -1;
    p->body->nregs--; /* it was the newest */
}

/* ---- copies ---- */

/* A map's number of bytes, which a fence says; no bytes are copied. */
int map_bytes(struct parser *p, struct pos pos, int bytes) {
    if (bytes != 128 && !p->panic) parse_complain(p, pos, "a tensor map has 128 bytes, not %d", bytes);
    return 0;
}

struct expr *map_array(struct parser *p, struct place array) {
    const char *problem = array.loc < 0 ? NULL : copy_map_problem(&p->test->locs[array.loc]);
    bool first = !array.index || (array.index->kind == EXPR_INT && expr_number(array.index, NULL) == 0);
    if (!p->panic && problem)
        parse_complain(p, array.pos, "%s", problem);
    else if (!p->panic && !first)
        parse_complain(p, array.pos, "a tensor map leads to the begin of an array");
    return expr_convert(p, expr_int(p, array.pos, array.loc < 0 ? 0 : array.loc), type_uint64);
}

void copy_check(struct parser *p, const struct op *op) {
    bool both = op->place[1].loc >= 0 || !op_kinds[op->kind].touches[1];
    bool known = op->place[0].loc >= 0 && both && op->bytes > 0; /* which is reported */
    const char *problem = known ? copy_problem(p->arena, p->test, p->body, op) : NULL;
    if (problem) parse_complain(p, op->pos, "%s", problem);
}

/* ---- copies that read fewer bytes than they write ---- */

static struct stmts with_zeros(struct parser *p, struct op op, int zeros) {
    struct stmts old = stmts_capture(p);
    op.zeros = zeros;
    copy_check(p, &op);
    if (!p->panic) stmt_add_op(p, op);
    return stmts_restore(p, old);
}

/* A number that only the thread knows when it runs: a copy for each that it can be, of which one is done. Another one is
 * beyond what PTX defines, or not of whole elements. */
static struct stmts with_any_zeros(struct parser *p, struct op op, struct expr *zeros) {
    int element = type_bytes(copy_data(p->test, &op, 0)->type);
    struct stmts rest = stmts_op(p, op_astray(op.pos));
    for (int k = op.bytes / element; k >= 0 && !p->panic; k--) {
        struct expr *is = expr_new(p, EXPR_EQ, op.pos, zeros, expr_int(p, op.pos, k * element));
        rest = stmts_if(p, op.pos, is, with_zeros(p, op, k * element), rest);
    }
    return rest;
}

void copy_fill(struct parser *p, struct op op, struct expr *zeros) {
    struct expr *known = body_fold(p, zeros);
    if (p->panic) return;
    if (known->kind != EXPR_INT) {
        stmts_append(p, with_any_zeros(p, op, known));
        return;
    }
    long long n = expr_number(known, NULL);
    stmts_append(p, with_zeros(p, op, n > -OP_MAX_BYTES && n <= OP_MAX_BYTES ? (int)n : -OP_MAX_BYTES));
}
