/* Events of operations where threads meet. */
#include "paths/exchange.h"
#include "paths/meet.h"
#include "paths/unfold_run.h"

static void run_barrier(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt, uint32_t lanes) {
    if (meet_is_wait(stmt->op)) {
        unfold_event(u, r, EVENT_WAIT, stmt);
        return;
    }
    unfold_event(u, r, EVENT_ARRIVE, stmt)->lanes = lanes;
    r->step++;
    if (!stmt->op->arrive_only) unfold_event(u, r, EVENT_WAIT, stmt)->lanes = lanes;
}

/* Adds a TAKE of what another thread gave. Returns its value. */
static const struct sym *take(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                              struct type type, int from) {
    if (r->path.nreads == MAX_READS) unfold_give_up(u, "a thread has too many reads");
    struct event *e = unfold_event(u, r, EVENT_TAKE, stmt);
    e->from = from;
    e->read = u->out->why ? 0 : r->path.nreads++;
    return sym_read(u->arena, type, e->read);
}

/* Leaves those members of a group whose lanes are in the mask. */
static void restrict_group(struct exchange_group *g, uint32_t lanes) {
    int n = 0;
    for (int k = 0; k < g->n; k++) {
        if (!(lanes >> g->lane[k] & 1)) continue;
        if (k == g->mine) g->mine = n;
        g->threads[n] = g->threads[k];
        g->lane[n++] = g->lane[k];
    }
    g->n = n;
}

static void run_exchange(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                         struct exchange_group *g, uint32_t lanes) {
    const struct op *op = stmt->op;
    const struct sym *given = exchange_give(op, unfold_value(u, r, op->value), u->arena);
    const struct sym *lane = op->lane ? unfold_value(u, r, op->lane) : NULL;
    const struct sym **values = arena_array(u->arena, (size_t)g->n, sizeof *values);
    run_barrier(u, r, stmt, lanes);
    int arrived = r->path.nevents - 2;
    struct event *arrival = &r->path.events[arrived];
    arrival->value = given;
    arrival->data = unfold_needs(u, r, given);
    if (lanes) restrict_group(g, lanes);
    r->step++;
    for (int k = 0; k < g->n && !u->out->why; k++)
        if (k == g->mine)
            values[k] = given;
        else if (exchange_needs(g, op, lane, k))
            values[k] = take(u, r, stmt, given->type, g->threads[k]);
    if (u->out->why) return;
    const struct sym *result = sym_cast(u->arena, exchange_result(g, op, lane, values, u->arena), op->result);
    r->path.events[arrived].result = result;
    unfold_set_result(r, op, result);
}

/* The events of an operation whose mask is known. A mask of all lanes becomes 0, which stands for all. */
static void run_meeting(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt, uint32_t lanes) {
    struct exchange_group g = exchange_find(u->test, u->cell, u->number, stmt->op, u->arena);
    if (g.n) lanes |= 1u << g.lane[g.mine];
    if ((lanes & g.lanes) == g.lanes || !stmt->op->mask) lanes = 0;
    if (stmt->op->kind == OP_EXCHANGE)
        run_exchange(u, r, stmt, &g, lanes & g.lanes);
    else
        run_barrier(u, r, stmt, lanes & g.lanes);
}

/* The mask is computed from reads: goes a way for each value that it may have, of the lanes that there are. */
static void run_masked(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt,
                       const struct sym *mask) {
    struct exchange_group g = exchange_find(u->test, u->cell, u->number, stmt->op, u->arena);
    uint32_t own = g.n ? 1u << g.lane[g.mine] : 1;
    const struct sym *all = sym_value(u->arena, type_unsigned, (struct value){g.lanes, 0});
    const struct sym *there = sym_apply(u->arena, EXPR_AND, mask, all);
    for (uint32_t lanes = g.lanes; lanes && !u->out->why; lanes = (lanes - 1) & g.lanes) {
        if (!(lanes & own)) continue;
        struct unfold_run *way = unfold_fork(u, r);
        const struct sym *value = sym_value(u->arena, type_unsigned, (struct value){lanes, 0});
        if (!unfold_assume(u, way, sym_apply(u->arena, EXPR_EQ, there, value), true)) continue;
        run_meeting(u, way, stmt, lanes);
        way->from = way->pc++;
        unfold_later(u, way);
    }
}

/* The lanes whose threads have an operation in their text, and so may run it together. */
static uint32_t find_comrades(const struct unfolder *u, const struct op *op, const struct exchange_group *g) {
    uint32_t lanes = 0;
    for (int k = 0; k < g->n; k++)
        if (u->test->threads[g->threads[k]].body == op->body) lanes |= 1u << g->lane[k];
    return lanes;
}

/* Which lanes run an instruction together is the GPU's choice: goes a way for each set of lanes that has the
 * thread's own. All lanes of the set must come to the instruction, and all get the same set. That orders no
 * memory. */
static void run_active(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt) {
    struct exchange_group g = exchange_find(u->test, u->cell, u->number, stmt->op, u->arena);
    uint32_t own = 1u << g.lane[g.mine], others = find_comrades(u, stmt->op, &g) & ~own;
    for (uint32_t more = others, last = 1; last && !u->out->why; last = more, more = (more - 1) & others) {
        uint32_t lanes = own | more;
        struct unfold_run *way = unfold_fork(u, r);
        if (more) run_barrier(u, way, stmt, lanes);
        unfold_set_result(way, stmt->op, sym_value(u->arena, type_unsigned, (struct value){lanes, 0}));
        way->from = way->pc++;
        unfold_later(u, way);
    }
}

bool unfold_meet(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt) {
    if (meet_is_active(stmt->op)) {
        run_active(u, r, stmt);
        return false;
    }
    const struct sym *mask = stmt->op->mask ? unfold_value(u, r, stmt->op->mask) : NULL;
    if (mask && mask->kind != SYM_INT) {
        run_masked(u, r, stmt, mask);
        return false;
    }
    run_meeting(u, r, stmt, mask ? (uint32_t)mask->value.lo : 0);
    return true;
}
