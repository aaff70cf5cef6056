/* The declarations at the top of a body. */
#include "gen/names.h"

struct first_use {
    bool *late; /* registers that must be declared before the first statement */
    bool *seen;
};

/* Marks the registers that an expression reads before they were assigned. */
static void mark_reads(const struct first_use *u, const struct expr *e) {
    if (!e) return;
    if (e->kind == EXPR_REG) u->late[e->index] |= !u->seen[e->index];
    mark_reads(u, e->a);
    mark_reads(u, e->b);
    mark_reads(u, e->c);
}

static void mark_operands(const struct first_use *u, const struct stmt *s) {
    mark_reads(u, s->value);
    if (s->kind != STMT_OP) return;
    const struct expr *operands[OP_OPERANDS];
    op_operands(s->op, operands);
    for (int k = 0; k < OP_OPERANDS; k++)
        mark_reads(u, operands[k]);
}

/* Marks every register that a nested statement mentions and that was not assigned before. */
static bool mark_all(const struct stmt *s, void *ctx) {
    const struct first_use *u = ctx;
    mark_operands(u, s);
    if (s->kind == STMT_SET) u->late[s->reg] |= !u->seen[s->reg];
    if (s->kind == STMT_OP && s->op->dst >= 0) u->late[s->op->dst] |= !u->seen[s->op->dst];
    return true;
}

/* Declares at the top the registers that cannot be declared at their first assignment: it is nested, or a
 * read comes before it, or there is none. In a body with labels these are all registers, because no jump may
 * pass a declaration. */
void gen_declare(const struct body *b, bool all, bool *declared, struct arena *scratch, struct text *out) {
    size_t n = (size_t)b->nregs;
    bool *late = arena_array(scratch, n, 1), *seen = arena_array(scratch, n, 1);
    struct first_use use = {late, seen};
    for (const struct stmt *s = b->first; s; s = s->next) {
        mark_operands(&use, s);
        stmt_walk(s->body, mark_all, &use);
        stmt_walk(s->orelse, mark_all, &use);
        stmt_walk(s->step, mark_all, &use);
        if (s->kind == STMT_SET) seen[s->reg] = true;
        if (s->kind == STMT_OP && s->op->dst >= 0) seen[s->op->dst] = true;
    }
    int last = -1;
    for (int r = 0; r < b->nregs; r++) {
        if (seen[r] && !late[r] && b->nlabels == 0 && !all) continue;
        bool same = last >= 0 && type_same(b->regs[last].type, b->regs[r].type);
        if (last >= 0) text_add(out, same ? ", " : ";\n");
        if (!same) text_printf(out, "    %s ", type_name(b->regs[r].type));
        gen_reg_name(out, b, r);
        text_add(out, type_is_vector(b->regs[r].type) ? " = {0}" : " = 0");
        declared[r] = true;
        last = r;
    }
    if (last >= 0) text_add(out, ";\n");
}
