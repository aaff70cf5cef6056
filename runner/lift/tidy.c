/* Drops what nothing reads. Most of what a kernel computes are addresses, which are indices by now. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "lift/reader.h"

/* Drops assignments of registers that nothing reads. */
static struct stmt *without_unread(struct stmt *s, const int *reads, bool *changed) {
    struct stmt *first = NULL, **end = &first;
    for (; s; s = s->next) {
        s->body = without_unread(s->body, reads, changed);
        s->orelse = without_unread(s->orelse, reads, changed);
        bool empty = s->kind == STMT_IF && !s->body && !s->orelse;
        if (empty || (s->kind == STMT_SET && !reads[s->reg])) {
            *changed = true;
            continue;
        }
        *end = s;
        end = &s->next;
    }
    *end = NULL;
    return first;
}

/* ---- numbers ---- */

/* Tracks the number that each register holds, as far as it is known without following branches. */
static void follow_numbers(struct arena *a, struct stmt *s, const struct expr **held, size_t nregs) {
    for (; s; s = s->next) {
        bool copies = s->kind == STMT_SET && s->value->kind == EXPR_REG && held[s->value->index];
        if (copies && type_same(held[s->value->index]->type, s->value->type)) {
            struct expr *number = arena_alloc(a, sizeof *number);
            *number = *held[s->value->index];
            number->pos = s->value->pos;
            s->value = number;
        }
        if (s->kind == STMT_SET) held[s->reg] = s->value->kind == EXPR_INT ? s->value : NULL;
        if (s->kind == STMT_OP && s->op->dst >= 0) held[s->op->dst] = NULL;
        if (s->kind != STMT_SET && s->kind != STMT_OP) memset(held, 0, nregs * sizeof *held);
    }
}

void lift_follow_numbers(struct arena *a, struct body *body) {
    size_t nregs = (size_t)body->nregs;
    follow_numbers(a, body->first, arena_array(a, nregs + 1, sizeof(struct expr *)), nregs);
}

/* ---- registers ---- */

struct numbers {
    int *of; /* of each old number: the new one, from 1; 0: none */
    struct reg *regs;
    int n;
    const struct body *body;
};

static int renumber(struct numbers *n, int reg) {
    if (reg < 0) return reg;
    if (!n->of[reg]) {
        n->regs[n->n] = n->body->regs[reg];
        n->of[reg] = ++n->n;
    }
    return n->of[reg] - 1;
}

/* Copies an expression with new register numbers; the old one may be shared. */
static struct expr *renumbered(struct arena *a, struct numbers *n, const struct expr *e) {
    if (!e) return NULL;
    struct expr *copy = arena_alloc(a, sizeof *copy);
    *copy = *e;
    if (e->kind == EXPR_REG) copy->index = renumber(n, e->index);
    copy->a = renumbered(a, n, e->a);
    copy->b = renumbered(a, n, e->b);
    copy->c = renumbered(a, n, e->c);
    return copy;
}

static void renumber_op(struct arena *a, struct numbers *n, struct op *op) {
    struct expr **operands[] = {&op->value, &op->expected, &op->mask, &op->blocks, &op->lane};
    for (size_t k = 0; k < sizeof operands / sizeof *operands; k++)
        *operands[k] = renumbered(a, n, *operands[k]);
    for (int k = 0; k < OP_PLACES; k++) {
        op->place[k].index = renumbered(a, n, op->place[k].index);
        op->place[k].rank = renumbered(a, n, op->place[k].rank);
    }
    op->dst = renumber(n, op->dst);
}

static void renumber_list(struct arena *a, struct numbers *n, struct stmt *s) {
    for (; s; s = s->next) {
        s->value = renumbered(a, n, s->value);
        if (s->kind == STMT_SET) s->reg = renumber(n, s->reg);
        if (s->kind == STMT_OP) renumber_op(a, n, s->op);
        renumber_list(a, n, s->body);
        renumber_list(a, n, s->orelse);
    }
}

void lift_tidy(struct body *body) {
    int *reads = memory_check(calloc((size_t)body->nregs + 1, sizeof *reads));
    for (bool changed = true; changed;) {
        memset(reads, 0, (size_t)body->nregs * sizeof *reads);
        changed = false;
        stmt_count_reads(body->first, reads);
        body->first = without_unread(body->first, reads, &changed);
    }
    free(reads);
}

void lift_number_registers(struct arena *a, struct body *body) {
    size_t nregs = (size_t)body->nregs;
    struct numbers n = {.of = arena_array(a, nregs, sizeof(int)),
                        .regs = arena_array(a, nregs, sizeof(struct reg)),
                        .body = body};
    renumber_list(a, &n, body->first);
    body->regs = n.regs;
    body->nregs = n.n;
}
