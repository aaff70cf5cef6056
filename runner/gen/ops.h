/* Inside runner/gen: the definition of a test's operation in a dialect. */
#ifndef CULITMUS_GEN_OPS_H
#define CULITMUS_GEN_OPS_H

#include "gen/gen.h"

/* Order and scope of an operation in a cell. In C each scope is the whole machine, so cells that differ in the scope
 * of their fences have one text. */
struct strength gen_strength(const struct test *t, const struct cell *v, const struct op *op,
                             enum dialect dialect);
/* What the operation is called in generated code: "load_acquire_gpu_7". */
void gen_op_name(struct text *out, const struct op *op, struct strength s);
/* Whether it is given the `run` of the thread that plays. */
bool gen_op_takes_run(const struct op *op, struct strength s, enum dialect dialect);
/* Its definition, on a line of its own. */
void gen_op_define(struct text *out, const struct test *t, const struct cell *v, const struct op *op,
                   enum dialect dialect);

#endif
