/* Pure expressions: over a thread's registers and its numbers in a body; over observables in a condition.
 * Nothing here touches memory: the body parser hoists every memory access into a statement of its own.
 *
 * Every node has a type. The operands of an operator have one type, but the count of a shift and the parts of a
 * choice: where C would convert one, there is an EXPR_CAST. && || and ?: have pure operands, so whether they
 * short-circuit cannot be seen. */
#ifndef CULITMUS_EXPR_H
#define CULITMUS_EXPR_H

#include "base/diag.h"
#include "base/text.h"
#include "litmus/value.h"

struct expr {
    enum expr_kind kind;
    struct type type; /* of the result */
    struct pos pos;
    int index;          /* REG, OBS */
    struct value value; /* INT */
    struct expr *a, *b, *c;
};

/* The values of the leaves. An array that is not used may be NULL. */
struct expr_env {
    const struct value *regs;
    const struct value *obs;
    int tid, count;
    int block; /* of a grid: the threads of a block */
};

struct value expr_eval(const struct expr *e, const struct expr_env *env);
/* Whether the value of a scalar is true; and its value as an integer. */
bool expr_is_true(const struct expr *e, const struct expr_env *env);
long long expr_number(const struct expr *e, const struct expr_env *env);
/* Whether an expression is a constant that is not 0; and whether it is the constant 0. */
bool expr_is_nonzero(const struct expr *e);
bool expr_is_zero(const struct expr *e);
/* Whether a leaf has a value in a cell only: it depends on the placement. */
bool expr_is_of_cell(const struct expr *e);
/* Whether an expression reads no register and is of no cell, so that its value is known for each copy of a thread before that runs. True
 * of NULL. */
bool expr_is_known(const struct expr *e);

/* Whether an expression, which may be NULL, reads a register. */
bool expr_reads(const struct expr *e, int reg);

/* What ends the name of a function of kernels/values.h on a real type: "_f64", "_b16"; "" of a float. */
const char *expr_real_suffix(struct type real);

/* C text with the fewest parentheses. `leaf` prints REG, TID, COUNT, BLOCK, THREAD, RANK, RANKS and OBS. DIV, MOD, SHL, SHR, and signed NEG, ADD, SUB, MUL, print as calls
 * idiv(a, b), imod, ishl, ishr when `safe`, with _u32, _s64, _u64 where the operands are no int (generated code: the
 * prelude defines them with the semantics of value.h). */
void expr_print(struct text *out, const struct expr *e, bool safe,
                void (*leaf)(struct text *out, const struct expr *e, void *ctx), void *ctx);

#endif
