#include "litmus/program.h"

#include <limits.h>
#include <string.h>

struct op op_make(enum op_name name, struct pos pos) {
    const struct op_row *row = &op_rows[name];
    const struct op_call *as = &row->calls[0];
    return (struct op){.name = name,
                       .kind = row->kind,
                       .proxy = row->proxy,
                       .pos = pos,
                       .type = type_int,
                       .result = type_int,
                       .order = as->usage ? as->order : ORDER_WEAK,
                       .scope = as->scope,
                       .dst = -1,
                       .place = {{.loc = -1}, {.loc = -1}, {.loc = -1}},
                       .slot = -1,
                       .barrier = row->barrier,
                       .arrive_only = row->arrive_only,
                       .width = WARP_LANES};
}

struct op op_astray(struct pos pos) {
    struct op op = op_make(TRAP_HERE, pos);
    op.astray = true;
    return op;
}

void op_operands(const struct op *op, const struct expr *out[OP_OPERANDS]) {
    const struct expr *others[] = {op->value, op->expected, op->mask, op->blocks, op->lane};
    for (int k = 0; k < OP_PLACES; k++) {
        out[k] = op->place[k].index;
        out[OP_PLACES + k] = op->place[k].rank;
    }
    for (int k = 2 * OP_PLACES; k < OP_OPERANDS; k++)
        out[k] = others[k - 2 * OP_PLACES];
}

bool op_reads(const struct op *op, int reg) {
    const struct expr *operands[OP_OPERANDS];
    op_operands(op, operands);
    for (int k = 0; k < OP_OPERANDS; k++)
        if (expr_reads(operands[k], reg)) return true;
    return false;
}

struct expr_env body_env(const struct body *b, int tid) {
    return (struct expr_env){.tid = tid, .count = b->count, .block = b->block};
}

const char *body_copy_name(struct arena *a, const struct body *b, int tid) {
    if (b->grid) return arena_printf(a, "%s[%d][%d]", b->name, tid / b->block, tid % b->block);
    return b->indexed ? arena_printf(a, "%s[%d]", b->name, tid) : b->name;
}

bool stmt_walk(const struct stmt *s, bool (*f)(const struct stmt *s, void *ctx), void *ctx) {
    for (; s; s = s->next) {
        if (!f(s, ctx)) return false;
        if (!stmt_walk(s->body, f, ctx) || !stmt_walk(s->orelse, f, ctx) || !stmt_walk(s->step, f, ctx))
            return false;
    }
    return true;
}

static bool leaves_register(const struct stmt *s, void *ctx) {
    int reg = *(const int *)ctx;
    return !(s->kind == STMT_SET && s->reg == reg) && !(s->kind == STMT_OP && s->op->dst == reg);
}

enum {
    MANY_TURNS = 10000
}; /* a thread does so many in a moment, and thousands of instances of it in a second */

bool loop_waits(const struct stmt *loop) {
    return !loop->bounded || loop->turns > MANY_TURNS;
}

long long stmt_count_turns(const struct stmt *s) {
    long long n = 0;
    for (; s && n < INT_MAX; s = s->next) {
        if (s->kind == STMT_LOOP)
            n += s->turns;
        else
            n += stmt_count_turns(s->body) + stmt_count_turns(s->orelse);
    }
    return n < INT_MAX ? n : INT_MAX;
}

bool stmt_sets(const struct stmt *s, int reg) {
    return !stmt_walk(s, leaves_register, &reg);
}

/* Whether a register is set where a list of statements has run. */
struct program_path {
    const struct expr_env *thread;
    int reg;
    bool set;  /* it has a value on every path to here */
    bool left; /* no path comes here */
    /* it has a value wherever the loop around was left; wherever it went on to its step */
    bool at_break, at_continue;
};

static void follow(const struct stmt *s, struct program_path *p);

static void follow_if(const struct stmt *s, struct program_path *p) {
    struct program_path then = *p, otherwise = *p;
    if (expr_is_known(s->value)) {
        follow(expr_is_true(s->value, p->thread) ? s->body : s->orelse, p);
        return;
    }
    follow(s->body, &then);
    follow(s->orelse, &otherwise);
    p->set = (then.set || then.left) && (otherwise.set || otherwise.left);
    p->left = then.left && otherwise.left;
    p->at_break = then.at_break && otherwise.at_break;
    p->at_continue = then.at_continue && otherwise.at_continue;
}

/* A `for` with at least one turn runs its body, so breaks before the end of the first turn do not count. */
static void follow_loop(const struct stmt *s, struct program_path *p) {
    struct program_path turn = *p;
    turn.at_break = turn.at_continue = true;
    follow(s->body, &turn);
    turn.set = (turn.set || turn.left) && turn.at_continue;
    turn.left = false;
    follow(s->step, &turn);
    p->set = p->set || (s->bounded ? s->trips > 0 && turn.set : turn.at_break);
}

static void follow(const struct stmt *s, struct program_path *p) {
    for (; s && !p->left; s = s->next) {
        switch (s->kind) {
        case STMT_SET: p->set = p->set || s->reg == p->reg; break;
        case STMT_OP: p->set = p->set || s->op->dst == p->reg; break;
        case STMT_IF: follow_if(s, p); break;
        case STMT_LOOP: follow_loop(s, p); break;
        case STMT_BREAK:
            p->at_break = p->at_break && p->set;
            p->left = true;
            break;
        case STMT_CONTINUE:
            p->at_continue = p->at_continue && p->set;
            p->left = true;
            break;
        case STMT_LABEL:
        case STMT_GOTO: p->set = true; break; /* only in tables, whose registers have values from the start */
        }
    }
}

bool stmt_always_sets(const struct stmt *s, int reg, const struct expr_env *thread) {
    struct program_path p = {.thread = thread, .reg = reg};
    follow(s, &p);
    return p.set;
}

static void add_reads(const struct expr *e, int *reads) {
    if (!e) return;
    if (e->kind == EXPR_REG) reads[e->index]++;
    add_reads(e->a, reads);
    add_reads(e->b, reads);
    add_reads(e->c, reads);
}

static bool count_reads(const struct stmt *s, void *ctx) {
    int *reads = ctx;
    const struct expr *operands[OP_OPERANDS];
    add_reads(s->value, reads);
    if (s->kind != STMT_OP) return true;
    op_operands(s->op, operands);
    for (int k = 0; k < OP_OPERANDS; k++)
        add_reads(operands[k], reads);
    return true;
}

void stmt_count_reads(const struct stmt *s, int *reads) {
    stmt_walk(s, count_reads, reads);
}
