/* Pure expressions: over a thread's registers, `tid` and `count` in a body; over observables in a condition.
 * Nothing here touches memory: the body parser hoists every memory access into a statement of its own.
 *
 * Values are 32-bit two's complement; + - * wrap, shifts use the low five bits of their right side,
 * x / 0 and x % 0 are 0 (so that no backend can trap), INT_MIN / -1 is INT_MIN. && || and ?: have pure
 * operands, so whether they short-circuit cannot be seen. */
#ifndef CULITMUS_EXPR_H
#define CULITMUS_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/text.h"
#include "litmus/operator.h"

struct expr {
    enum expr_kind kind;
    struct pos pos;
    int32_t value;
    struct expr *a, *b, *c;
};

/* What the leaves stand for. Unused arrays may be NULL. */
struct expr_env {
    const int32_t *regs;
    const int32_t *obs;
    int32_t tid, count;
};

int32_t expr_eval(const struct expr *e, const struct expr_env *env);
/* The result of one operator on values: shared by expr_eval, constant folding and the model. */
int32_t expr_apply(enum expr_kind kind, int32_t a, int32_t b);
/* Whether it reads no register, and so has a value for each copy of a thread before that runs; NULL has. */
bool expr_is_known(const struct expr *e);

/* C text with the fewest parentheses. `leaf` prints REG, TID, COUNT and OBS. DIV, MOD, SHL, SHR print as calls
 * idiv(a, b), imod, ishl, ishr when `safe` (generated code: the prelude defines them with the semantics above). */
void expr_print(struct text *out, const struct expr *e, bool safe,
                void (*leaf)(struct text *out, const struct expr *e, void *ctx), void *ctx);

#endif
