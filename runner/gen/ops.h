/* Inside runner/gen: a test's operations as functions of a dialect. */
#ifndef CULITMUS_GEN_OPS_H
#define CULITMUS_GEN_OPS_H

#include "gen/meeting.h"

/* Returns the order and scope of an operation in a cell. In C every scope is the whole machine, so cells that
 * differ only in the scopes of their fences have one text. */
struct strength gen_strength(const struct test *t, const struct cell *cell, const struct op *op,
                             enum dialect dialect);
/* Writes the name of an operation in generated code, such as "load_acquire_gpu_7". */
void gen_op_name(struct text *out, const struct op *op, struct strength s, enum dialect dialect);
/* Whether the operation is a fence that the cell does not have. In an outline no fence is absent, because
 * some sibling has it. */
bool gen_op_is_absent(const struct cell *cell, const struct op *op, enum dialect dialect);
/* Writes an order and scope as part of a PTX instruction, such as ".acquire.gpu". In an outline OUTLINE_ORDER
 * and the operation's number stand in its place. */
void gen_order(struct text *out, struct strength s);
#define OUTLINE_ORDER ".order_"
/* Stands before the operation's number in the comment behind its instruction. */
#define OP_MARK "// op "
/* Whether the function takes the state `run` of the thread that plays. */
bool gen_op_takes_run(const struct op *op);
/* Whether the function takes a barrier's number and thread count. */
bool gen_op_takes_barrier(const struct op *op);
/* Writes the definition of the function on a line of its own. */
void gen_op_define(struct text *out, const struct test *t, const struct cell *cell, const struct op *op,
                   const struct meeting *m, enum dialect dialect);
/* The same for a companion, which passes the barrier only: accompany_7. */
void gen_op_accompany(struct text *out, const struct op *op, enum dialect dialect);

/* Written at the end of a body: waits for all copies of its thread that no mbarrier is told of, because the
 * body may not have waited for them. */
void gen_ends(struct text *out, const struct test *t, const struct body *b);

#endif
