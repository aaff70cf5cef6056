#include "paths/faint.h"

#include "logic/rel.h"

/* A register counts if something other than a faint register, or a time, is computed from it. Whatever does is found
 * again and again, until nothing new is. */
struct faint {
    uint64_t *counts;
    bool grown;
};

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

/* Whether a statement does anything but set faint registers and pass time. */
static bool is_faint(const struct stmt *s, void *ctx) {
    const struct faint *f = ctx;
    if (s->kind == STMT_SET) return !set_has(f->counts, s->reg);
    return s->kind == STMT_IF || (s->kind == STMT_OP && s->op->kind == OP_HINT && s->op->place[0].loc < 0);
}

static void add_op(struct faint *f, const struct op *op) {
    const struct expr *operands[OP_OPERANDS];
    op_operands(op, operands);
    for (int k = 0; k < OP_OPERANDS; k++)
        if (op->kind != OP_HINT || operands[k] != op->value) add_used(f, operands[k]);
}

static bool add_uses(const struct stmt *s, void *ctx) {
    struct faint *f = ctx;
    switch (s->kind) {
    case STMT_SET:
        if (set_has(f->counts, s->reg)) add_used(f, s->value);
        break;
    case STMT_OP: add_op(f, s->op); break;
    case STMT_IF:
        if (!stmt_walk(s->body, is_faint, f) || !stmt_walk(s->orelse, is_faint, f)) add_used(f, s->value);
        break;
    case STMT_GOTO: add_used(f, s->value); break;
    case STMT_LOOP:
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_LABEL: break;
    }
    return true;
}

uint64_t *faint_find(const struct body *body, const uint64_t *observed, struct arena *a) {
    size_t words = (size_t)(body->nregs + 63) / 64;
    struct faint f = {arena_array(a, words, sizeof *f.counts), true};
    bits_or(f.counts, observed, words);
    while (f.grown) {
        f.grown = false;
        stmt_walk(body->first, add_uses, &f);
    }
    for (int k = 0; k < body->nregs; k++)
        if (set_has(f.counts, k))
            set_remove(f.counts, k);
        else
            set_add(f.counts, k);
    return f.counts;
}
