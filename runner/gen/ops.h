/* Inside runner/gen: the definition of a test's operation in a dialect. */
#ifndef CULITMUS_GEN_OPS_H
#define CULITMUS_GEN_OPS_H

#include "gen/meeting.h"

/* Order and scope of an operation in a cell. In C each scope is the whole machine, so cells that differ in the scope
 * of their fences have one text. */
struct strength gen_strength(const struct test *t, const struct cell *cell, const struct op *op,
                             enum dialect dialect);
/* What the operation is called in generated code: "load_acquire_gpu_7". */
void gen_op_name(struct text *out, const struct op *op, struct strength s, enum dialect dialect);
/* Whether it is a fence that the cell does not have. An outline has it, for other cells. */
bool gen_op_is_absent(const struct cell *cell, const struct op *op, enum dialect dialect);
/* Order and scope in the name of a PTX instruction, ".acquire.gpu"; and what stands there in an outline, before the
 * operation's number. */
void gen_order(struct text *out, struct strength s);
#define OUTLINE_ORDER ".order_"
/* What stands before the operation's number in the comment behind its instruction. */
#define OP_MARK "// op "
/* Whether it is given the `run` of the thread that plays. */
bool gen_op_takes_run(const struct op *op);
/* Whether it is given the number of a barrier, and how many threads meet there. */
bool gen_op_takes_barrier(const struct op *op);
/* Its definition, on a line of its own. */
void gen_op_define(struct text *out, const struct test *t, const struct cell *cell, const struct op *op,
                   const struct meeting *m, enum dialect dialect);
/* The same for a companion, who passes a barrier: accompany_7. */
void gen_op_accompany(struct text *out, const struct op *op, enum dialect dialect);

/* Ends a body: leaves no copy under way, for which nobody may have waited. */
void gen_ends(struct text *out, const struct test *t, const struct body *b);

#endif
