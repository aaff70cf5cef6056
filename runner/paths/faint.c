#include "paths/faint.h"

#include "logic/rel.h"

/* A register counts, and is not faint, if an operand of an operation (but the length of a pause), a branch
 * that does something, an observable or a register that counts is computed from it. The set of these grows
 * until it stays the same. */
struct faint {
    const struct code *code;
    uint64_t *counts;
    bool grown;
    int *next; /* place -> what find_next says of it; or UNSEEN */
};

enum { UNSEEN = -1, NOWHERE = -2 };

static void add_used(struct faint *f, const struct expr *e) {
    if (!e) return;
    if (e->kind == EXPR_REG && !set_has(f->counts, e->index)) {
        set_add(f->counts, e->index);
        f->grown = true;
    }
    add_used(f, e->a);
    add_used(f, e->b);
    add_used(f, e->c);
}

/* Whether an instruction only sets a faint register, or pauses. */
static bool is_faint(const struct faint *f, const struct ins *i) {
    if (i->kind == INS_SET) return !set_has(f->counts, i->stmt->reg);
    return i->kind == INS_OP && i->stmt->op->kind == OP_HINT && i->stmt->op->place[0].loc < 0;
}

/* The first instruction from a place on that does something; NOWHERE: none does. Jumps and faint instructions
 * do nothing, nor does a branch whose ways both lead to the same instruction. A way that comes back to the
 * branch leads to the branch. */
static int find_next(struct faint *f, int pc) {
    const struct ins *i = &f->code->ins[pc];
    if (f->next[pc] != UNSEEN) return f->next[pc];
    int next = pc;
    f->next[pc] = i->kind == INS_BRANCH ? pc : NOWHERE;
    if (i->kind == INS_JUMP) next = find_next(f, i->target);
    if (is_faint(f, i)) next = find_next(f, pc + 1);
    if (i->kind == INS_BRANCH) {
        int one = find_next(f, i->target), other = find_next(f, pc + 1);
        if (one == other) next = one;
    }
    return f->next[pc] = next;
}

static void add_op(struct faint *f, const struct op *op) {
    const struct expr *operands[OP_OPERANDS];
    op_operands(op, operands);
    for (int k = 0; k < OP_OPERANDS; k++)
        if (op->kind != OP_HINT || operands[k] != op->value) add_used(f, operands[k]);
}

static void add_uses(struct faint *f, int pc) {
    const struct ins *i = &f->code->ins[pc];
    if (i->kind == INS_SET && set_has(f->counts, i->stmt->reg)) add_used(f, i->stmt->value);
    if (i->kind == INS_OP) add_op(f, i->stmt->op);
    if (i->kind == INS_BRANCH && (find_next(f, pc) == pc || find_next(f, pc) == NOWHERE))
        add_used(f, i->stmt->value);
}

uint64_t *faint_find(const struct code *code, const uint64_t *observed, struct arena *a) {
    size_t words = (size_t)code->reg_words;
    struct faint f = {.code = code, .counts = arena_array(a, words, sizeof *f.counts), .grown = true};
    f.next = arena_array(a, (size_t)code->nins, sizeof *f.next);
    bits_or(f.counts, observed, words);
    while (f.grown) {
        f.grown = false;
        for (int pc = 0; pc < code->nins; pc++)
            f.next[pc] = UNSEEN;
        for (int pc = 0; pc < code->nins; pc++)
            add_uses(&f, pc);
    }
    for (int k = 0; k < code->body->nregs; k++)
        if (set_has(f.counts, k))
            set_remove(f.counts, k);
        else
            set_add(f.counts, k);
    return f.counts;
}
