/* Finds what a loop waits for: the registers that may decide whether it has another turn. */
#include "litmus/program.h"

/* A register in question, and those that depend on it and were asked about before it. */
struct decider {
    const struct stmt *loop;
    int reg;
    const struct decider *before;
};

/* Whether a list of statements may leave the loop that it is in. */
static bool leaves(const struct stmt *s) {
    for (; s; s = s->next) {
        if (s->kind == STMT_BREAK || s->kind == STMT_GOTO) return true;
        if (s->kind == STMT_IF && (leaves(s->body) || leaves(s->orelse))) return true;
    }
    return false;
}

static bool decides(const struct decider *d);

/* Whether a register decides that depends on the one in question. */
static bool passes_on(const struct decider *d, int reg) {
    for (const struct decider *k = d; k; k = k->before)
        if (k->reg == reg) return false;
    return reg >= 0 && decides(&(struct decider){d->loop, reg, d});
}

static bool sets_no_decider(const struct stmt *s, void *ctx) {
    if (s->kind == STMT_SET) return !passes_on(ctx, s->reg);
    return s->kind != STMT_OP || !passes_on(ctx, s->op->dst);
}

/* Whether a statement does not let the register decide: it reads it neither to leave the loop nor to set a
 * register that decides. */
static bool is_no_use(const struct stmt *s, void *ctx) {
    const struct decider *d = ctx;
    if (s->kind == STMT_SET) return !expr_reads(s->value, d->reg) || !passes_on(d, s->reg);
    if (s->kind == STMT_OP) return !op_reads(s->op, d->reg) || !passes_on(d, s->op->dst);
    if ((s->kind != STMT_IF && s->kind != STMT_GOTO) || !expr_reads(s->value, d->reg)) return true;
    return s->kind == STMT_IF && !leaves(s->body) && !leaves(s->orelse) &&
           stmt_walk(s->body, sets_no_decider, ctx) && stmt_walk(s->orelse, sets_no_decider, ctx);
}

static bool decides(const struct decider *d) {
    struct decider mine = *d;
    return !stmt_walk(d->loop->body, is_no_use, &mine) || !stmt_walk(d->loop->step, is_no_use, &mine);
}

bool loop_waits_for(const struct stmt *loop, int reg) {
    return loop_waits(loop) && reg >= 0 && decides(&(struct decider){loop, reg, NULL});
}
