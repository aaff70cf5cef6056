/* Pure expressions: in a body over a thread's registers and its tid, count, block and rank; in a condition
 * over observables. Nothing here accesses memory: the body parser makes each access a statement of its own.
 *
 * Every node has a type. The operands of an operator have the same type, except the count of a shift and the
 * parts of ?:. Where C would convert an operand, there is an EXPR_CAST. Since the operands of
 * &&, || and ?: are pure, it makes no difference whether they short-circuit. */
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
    int block; /* in a grid: the number of threads in a block */
};

struct value expr_eval(const struct expr *e, const struct expr_env *env);
/* Whether the value of a scalar is not 0; and its value as an integer. */
bool expr_is_true(const struct expr *e, const struct expr_env *env);
long long expr_number(const struct expr *e, const struct expr_env *env);
/* Whether an expression is a constant that is not 0; and whether it is the constant 0. */
bool expr_is_nonzero(const struct expr *e);
bool expr_is_zero(const struct expr *e);
/* Whether the value of a leaf depends on the placement, and so is known only in a cell. */
bool expr_is_of_cell(const struct expr *e);
/* Whether an expression reads no register and has no such leaf, so that each copy of a thread knows its value
 * before it runs. True for NULL. */
bool expr_is_known(const struct expr *e);

/* Whether an expression, which may be NULL, reads a register. */
bool expr_reads(const struct expr *e, int reg);

/* Returns the suffix that functions of kernels/values.h have for a real type: "_f64", "_b16"; "" for a
 * float. */
const char *expr_real_suffix(struct type real);

/* Writes the expression as C with the fewest parentheses. `leaf` writes REG, TID, COUNT, BLOCK, THREAD, RANK,
 * RANKS and OBS. If `safe`, which is for generated code, operators that C leaves undefined for some operands
 * become calls idiv(a, b), imod, ishl, ishr and the like: DIV, MOD, SHL, SHR, and NEG, ADD, SUB, MUL of
 * signed types, with _u32, _s64 or _u64 for types other than int. The prelude defines them as value.h
 * does. */
void expr_print(struct text *out, const struct expr *e, bool safe,
                void (*leaf)(struct text *out, const struct expr *e, void *ctx), void *ctx);

#endif
