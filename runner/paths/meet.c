#include "paths/meet.h"

int meet_group(const struct op *op, const struct seat *s) {
    switch (op->barrier) {
    case BARRIER_WARP: return s->warp;
    case BARRIER_CTA: return s->block;
    case BARRIER_CLUSTER: return s->cluster;
    }
    return -1;
}

bool meet_joins(const struct op *op, const struct seat *x, const struct seat *y) {
    return meet_group(op, x) >= 0 && meet_group(op, x) == meet_group(op, y);
}

bool meet_is_active(const struct op *op) {
    return op->kind == OP_EXCHANGE && op_exchanges[op_rows[op->name].exchange].active;
}

/* Lanes are active together in one instruction; other exchanges meet wherever they stand. */
static int name_of(const struct op *op) {
    if (meet_is_active(op)) return OP_COUNT + op->number;
    return op->kind == OP_EXCHANGE ? (int)op->name : -1;
}

bool meet_is_same(const struct op *x, const struct op *y) {
    return x->barrier == y->barrier && x->barrier_id == y->barrier_id && name_of(x) == name_of(y);
}

bool meet_is_wait(const struct op *op) {
    return op_rows[op->name].wait_only;
}

/* What the lanes of a warp exchange orders no memory (PTX ISA, "shfl.sync", "vote.sync"); a block's barrier does, and an
 * arrival unless it is relaxed ("barrier.cluster"). */
bool meet_orders_memory(const struct op *op) {
    if (op->order == ORDER_RELAXED) return false;
    return op->kind == OP_BARRIER || op->barrier == BARRIER_CTA;
}

bool meet_passes_on(const struct op *op) {
    return op->barrier == BARRIER_CLUSTER && op->order == ORDER_RELAXED;
}
