/* A body as a function that calls typed operations: the part of a unit that is the test itself. */
#include <string.h>

#include "gen/account.h"
#include "gen/gen.h"
#include "gen/names.h"
#include "gen/ops.h"
#include "litmus/company.h"

struct gen {
    const struct test *t;
    const struct cell *cell;
    struct text *out;
    struct arena *scratch;
    const struct meeting *meeting;
    const struct body *body;
    bool *declared; /* registers of `body` that are declared so far */
    bool *loaded;   /* registers that hold what a load returned, where the assembler may drop the load */
    enum order *accessed; /* how `body` has accessed each location so far: 0, VOLATILE only, or RELAXED */
    bool *used;           /* whether `body` has accessed it at all */
    enum dialect dialect;
    bool cuda;        /* CUDA code: the assembler must be kept from changing operations */
    bool shared_text; /* companions run `body`, too (litmus/company.h) */
    int loop;         /* the number of the last loop in `body` */
};

static void indent(struct gen *g, int depth) {
    for (int i = 0; i < depth; i++)
        text_add(g->out, "    ");
}

static void print_line(struct gen *g, int depth, const char *line) {
    indent(g, depth);
    text_printf(g->out, "%s\n", line);
}

/* Writes a call of `name` with the number of the body's block. */
static void print_of_block(struct gen *g, const char *name) {
    text_printf(g->out, "%s(", name);
    gen_block_number(g->t, g->body, g->dialect, g->out);
    text_add(g->out, ")");
}

static void print_leaf(struct text *out, const struct expr *e, void *ctx) {
    struct gen *g = ctx;
    switch (e->kind) {
    case EXPR_REG:
        if (g->dialect == DIALECT_C) text_add(out, "_use(");
        gen_reg_name(out, g->body, e->index);
        if (g->dialect == DIALECT_C) text_add(out, ")");
        break;
    case EXPR_TID: text_add(out, g->body->indexed ? "tid" : "0"); break;
    case EXPR_COUNT: text_add(out, g->body->indexed ? "count" : "1"); break;
    case EXPR_BLOCK: text_printf(out, "%s.x", gen_grid_word(g->dialect, e->kind)); break;
    case EXPR_THREAD: text_printf(out, "%s.x", gen_grid_word(g->dialect, e->kind)); break;
    case EXPR_RANK: print_of_block(g, "cluster_rank"); break;
    case EXPR_RANKS: print_of_block(g, "cluster_size"); break;
    default: break; /* observables are for conditions, which are judged on the host */
    }
}

static void print_expr(struct gen *g, const struct expr *e) {
    expr_print(g->out, e, true, print_leaf, g);
}

/* Writes the value that a thread gives to a reduction. A companion gives the neutral value: 1 to an `and`,
 * else 0. */
static void print_given(struct gen *g, const struct op *op, const struct expr *e) {
    bool chosen = g->shared_text && op->kind == OP_EXCHANGE && op->barrier == BARRIER_CTA;
    if (chosen) text_add(g->out, "_here ? ");
    print_expr(g, e);
    if (chosen) text_printf(g->out, " : %d", op_rows[op->name].exchange == VOTE_ALL);
}

/* Writes "X"; or, where an operation names the rank of another block, what X is in that block's shared
 * memory. */
static void print_location(struct gen *g, const struct op_place *at) {
    const struct location *l = &g->t->locs[at->loc];
    bool here = g->dialect == DIALECT_C; /* in C the shared memory of all blocks is one array */
    if (at->rank) text_add(g->out, here ? "own_of(" : "in_cluster(");
    gen_name(g->out, l->name);
    if (!at->rank) return;
    if (here) text_add(g->out, ", cluster_step(");
    if (here) gen_block_number(g->t, g->body, g->dialect, g->out);
    text_add(g->out, ", checked(_run, ");
    print_expr(g, at->rank);
    text_add(g->out, ", ");
    print_of_block(g, "cluster_size");
    text_add(g->out, "))");
    if (here) text_printf(g->out, ", %d)", gen_places(&g->t->locs[location_root(g->t, at->loc)]));
}

/* Writes "X", or "at(_run, a, i, 4)" for an element of an array. The operation may access further elements
 * behind it. If it accesses none of the array's elements, the index is 0. */
static void print_place(struct gen *g, const struct op *op, int place) {
    int loc = op->place[place].loc, several = op_elements_at(g->t, op, place);
    const struct expr *index = several ? op->place[place].index : NULL;
    const struct location *l = &g->t->locs[loc];
    if (!l->array) {
        print_location(g, &op->place[place]);
        return;
    }
    int bytes = gen_step(g->t, loc);
    text_add(g->out, bytes ? "byte_of(" : "at(_run, ");
    print_location(g, &op->place[place]);
    text_add(g->out, bytes ? ", checked(_run, " : ", ");
    bool narrowed = index && index->type.bits > 32;
    if (narrowed) text_add(g->out, "narrow(");
    if (index)
        print_expr(g, index);
    else
        text_add(g->out, "0");
    text_printf(g->out, "%s, %d)", narrowed ? ")" : "", l->count - (several - 1));
    if (bytes) text_printf(g->out, " * %d)", bytes);
}

/* The assembler merges two weak accesses if it knows that they are to the same address. Whether an access
 * needs an address that the assembler does not know: it is weak, and its location is accessed before it or
 * repeatedly. */
static bool needs_displacement(struct gen *g, const struct op *op, struct strength s, bool repeated) {
    if (op->place[0].loc < 0) return false;
    bool *used = &g->used[location_root(g->t, op->place[0].loc)], before = *used;
    *used = true;
    if (op->place[1].loc >= 0) g->used[location_root(g->t, op->place[1].loc)] = true;
    return g->cuda && op_rows[op->name].orders && s.order == ORDER_WEAK && (before || repeated);
}

/* Writes the mask of the ranks to which a copy goes. A mask that is empty or has a rank beyond the cluster is
 * a fault. */
static void print_blocks(struct gen *g, const struct expr *blocks) {
    text_add(g->out, "checked(_run, (int)(");
    print_expr(g, blocks);
    text_add(g->out, ") - 1, (1 << ");
    print_of_block(g, "cluster_size");
    text_add(g->out, ") - 1) + 1");
}

static void print_op(struct gen *g, const struct op *op, struct strength s, bool repeated) {
    const struct expr *operands[] = {op->expected, op->mask, op->value, op->lane};
    const char *comma = "";
    gen_op_name(g->out, op, s, g->dialect);
    text_add(g->out, "(");
    bool displaced = needs_displacement(g, op, s, repeated);
    if (displaced) text_add(g->out, "displaced(");
    if (op->place[0].loc >= 0) print_place(g, op, 0), comma = ", ";
    if (displaced) text_add(g->out, ", _run)");
    for (int k = 1; k < OP_PLACES; k++) {
        if (op->place[k].loc < 0) continue;
        text_add(g->out, comma);
        print_place(g, op, k);
    }
    for (int k = 0; k < 4; k++)
        if (operands[k]) {
            text_add(g->out, comma);
            print_given(g, op, operands[k]);
            comma = ", ";
        }
    if (op->blocks) {
        text_printf(g->out, "%s", comma);
        print_blocks(g, op->blocks);
        text_add(g->out, ", ");
        gen_block_number(g->t, g->body, g->dialect, g->out);
    }
    if (gen_op_takes_run(op)) text_printf(g->out, "%s_run", comma);
    if (gen_op_takes_barrier(op))
        text_printf(g->out, ", %d, %d", op->barrier_id,
                    g->cuda && g->meeting->allotted ? g->meeting->threads[op->number]
                    : op->body->grid                ? 0 /* all threads of the block */
                                                    : op->barrier_threads);
    text_add(g->out, ")");
}

/* Whether the assembler may move a strong access: it has block scope, or it is a load or store in shared
 * memory of more than 32 bits (ptxas 13.0 moves these for sm_121). */
static bool is_movable(const struct gen *g, const struct op *op, struct strength s) {
    if (!g->cuda || op->place[0].loc < 0 || s.order == ORDER_WEAK) return false;
    bool wide = space_rows[g->t->locs[op->place[0].loc].space].of_block && type_bytes(op->type) > 4;
    return s.scope == SCOPE_CTA || (wide && op->kind != OP_RMW);
}

/* Whether keep_order() must stand before an access. The assembler merges two accesses of the same address,
 * even relaxed and acquire ones, unless both are volatile; and it moves some (is_movable). Weak accesses have
 * their own keep_order(). */
static bool needs_order(struct gen *g, const struct op *op, struct strength s) {
    if (!g->cuda || op->place[0].loc < 0 || s.order == ORDER_WEAK) return false;
    int root = location_root(g->t, op->place[0].loc);
    enum order before = g->accessed[root], now = s.order == ORDER_VOLATILE ? ORDER_VOLATILE : ORDER_RELAXED;
    if (op->kind == OP_RMW) return is_movable(g, op, s);
    if (before != ORDER_RELAXED) g->accessed[root] = now;
    return is_movable(g, op, s) || (before && (before == ORDER_RELAXED || now == ORDER_RELAXED));
}

/* Writes a use of what a load returned, because the assembler drops a load whose value is not used, unless it
 * is volatile. */
static void print_value_sink(struct gen *g, struct type t, const char *name) {
    for (int word = 0; word < gen_words(t); word++) {
        text_add(g->out, word ? " _run->sink += " : "_run->sink += ");
        gen_word(g->out, t, name, word);
        text_add(g->out, ";");
    }
}

static const char *reg_name(struct gen *g, int reg) {
    struct text name = {0};
    gen_reg_name(&name, g->body, reg);
    const char *kept = arena_strdup(g->scratch, name.s);
    text_free(&name);
    return kept;
}

static void print_sink(struct gen *g, int reg) {
    print_value_sink(g, g->body->regs[reg].type, reg_name(g, reg));
}

/* Writes "r = ", or "int r = " where the register is mentioned first. */
static void print_target(struct gen *g, int reg) {
    if (reg < 0) return;
    if (g->loaded[reg]) {
        print_sink(g, reg);
        text_add(g->out, " ");
    }
    g->loaded[reg] = false;
    if (!g->declared[reg]) text_printf(g->out, "%s ", type_name(g->body->regs[reg].type));
    g->declared[reg] = true;
    gen_reg_name(g->out, g->body, reg);
    text_add(g->out, " = ");
}

/* Writes "cluster_rank(1) * 2 + ", the index of a rank's first account; nothing if there is one rank. */
static void print_first_account(struct gen *g, const struct op_place *at) {
    if (gen_account_ranks(g->t, g->cell, at->loc) == 1) return;
    text_add(g->out, "(int)");
    if (at->rank)
        print_expr(g, at->rank);
    else
        print_of_block(g, "cluster_rank");
    text_printf(g->out, " * %d + ", g->t->locs[at->loc].count);
}

/* If the operation changes an mbarrier that engines tell, writes what it does to its account
 * (kernels/cuda_drain.cuh). */
static void print_account(struct gen *g, const struct op *op) {
    const struct op_place *at = &op->place[op_kinds[op->kind].touches[2] ? 2 : 0];
    if (!g->cuda || !gen_is_told(g->t, at->loc) || op->kind == OP_TRY) return;
    if (op->blocks) {
        text_printf(g->out, "for (int _rank = 0; _rank < %d; _rank++) if (",
                    gen_account_ranks(g->t, g->cell, at->loc));
        print_expr(g, op->blocks);
        text_add(g->out, " >> _rank & 1) ");
    }
    text_add(g->out, "account(_account_");
    gen_name(g->out, g->t->locs[at->loc].name);
    text_add(g->out, ", ");
    if (op->blocks)
        text_printf(g->out, "_rank * %d + ", g->t->locs[at->loc].count);
    else
        print_first_account(g, at);
    if (at->index)
        print_expr(g, at->index);
    else
        text_add(g->out, "0");
    gen_account(g->out, op);
    bool told = op_kinds[op->kind].touches[2];
    if (op->value && !told)
        print_expr(g, op->value);
    else
        text_printf(g->out, "%d", told ? op->bytes : 1);
    text_add(g->out, "); ");
}

/* Writes one operation, with whatever keeps the assembler from changing it. */
static void print_access(struct gen *g, const struct op *op, struct strength s, bool repeated) {
    bool dropped = g->cuda && op->kind == OP_LOAD && s.order != ORDER_VOLATILE;
    print_account(g, op);
    if (needs_order(g, op, s)) text_add(g->out, "keep_order(); ");
    print_target(g, op->dst);
    if (dropped && op->dst < 0) text_printf(g->out, "{ %s _seen = ", type_name(op->type));
    print_op(g, op, s, repeated);
    text_add(g->out, ";");
    if (dropped && op->dst < 0) {
        text_add(g->out, " ");
        print_value_sink(g, op->type, "_seen");
        text_add(g->out, " }");
    }
    if (is_movable(g, op, s)) text_add(g->out, " keep_order();");
    if (dropped && op->dst >= 0 && repeated) {
        text_add(g->out, " ");
        print_sink(g, op->dst);
    } else if (dropped && op->dst >= 0) {
        g->loaded[op->dst] = true;
    }
    text_add(g->out, "\n");
}

static void print_stmts(struct gen *g, const struct stmt *s, int depth, int loop);

static void print_block(struct gen *g, const struct stmt *s, int depth, int loop) {
    text_add(g->out, "{\n");
    print_stmts(g, s, depth + 1, loop);
    indent(g, depth);
    text_add(g->out, "}");
}

static bool is_no_continue(const struct stmt *s, void *ctx) {
    (void)ctx;
    return s->kind != STMT_CONTINUE;
}

static bool *copy_loaded(struct gen *g) {
    size_t n = (size_t)g->body->nregs;
    return memcpy(arena_array(g->scratch, n, sizeof(bool)), g->loaded, n);
}

/* Where two paths meet, a register is loaded if it is on either of them. */
static void join_loaded(struct gen *g, const bool *other) {
    for (int r = 0; r < g->body->nregs; r++)
        g->loaded[r] = g->loaded[r] || other[r];
}

static void print_if(struct gen *g, const struct stmt *s, int depth, int loop) {
    bool *other = copy_loaded(g);
    text_add(g->out, "if (");
    print_expr(g, s->value);
    text_add(g->out, ") ");
    print_block(g, s->body, depth, loop);
    if (s->orelse) {
        bool *then = g->loaded;
        g->loaded = other;
        other = then;
        text_add(g->out, " else ");
        print_block(g, s->orelse, depth, loop);
    }
    join_loaded(g, other);
    text_add(g->out, "\n");
}

/* A loop's number in its body, from 1, is part of the label to which `continue` jumps. */
static void print_loop(struct gen *g, const struct stmt *s, int depth) {
    int number = ++g->loop;
    const bool *before = copy_loaded(g);
    text_add(g->out, loop_waits(s) ? "while (turn(_run)) " : "for (;;) ");
    text_add(g->out, "{\n");
    print_stmts(g, s->body, depth + 1, number);
    if (!stmt_walk(s->body, is_no_continue, NULL)) {
        indent(g, depth);
        text_printf(g->out, "_next%d:;\n", number);
    }
    print_stmts(g, s->step, depth + 1, number);
    indent(g, depth);
    text_add(g->out, "}\n");
    join_loaded(g, before);
}

static void print_fence_none(struct gen *g, const struct op *op) {
    const char *name = g->t->slots[op->slot].name;
    text_printf(g->out, "/* fence(%s): none */\n", name ? name : "");
}

static void print_stmt(struct gen *g, const struct stmt *s, int depth, int loop) {
    indent(g, depth);
    switch (s->kind) {
    case STMT_SET:
        print_target(g, s->reg);
        print_expr(g, s->value);
        text_add(g->out, ";\n");
        break;
    case STMT_OP: {
        if (gen_op_is_absent(g->cell, s->op, g->dialect)) {
            print_fence_none(g, s->op);
            break;
        }
        print_access(g, s->op, gen_strength(g->t, g->cell, s->op, g->dialect), loop || g->body->nlabels);
        break;
    }
    case STMT_IF: print_if(g, s, depth, loop); break;
    case STMT_LOOP: print_loop(g, s, depth); break;
    case STMT_BREAK: text_add(g->out, "break;\n"); break;
    case STMT_CONTINUE: text_printf(g->out, "goto _next%d;\n", loop); break;
    case STMT_LABEL: text_printf(g->out, "_label%d:;\n", s->label); break;
    case STMT_GOTO:
        /* A jump may go backwards, so each is a turn of a bounded wait. */
        text_add(g->out, "if (");
        if (s->value) {
            text_add(g->out, "(");
            print_expr(g, s->value);
            text_add(g->out, ") && ");
        }
        text_printf(g->out, "turn(_run)) goto _label%d;\n", s->label);
        break;
    }
}

/* Writes a list of statements. In text that companions run, those that they skip stand in "if (_here) { ...
 * }". */
static void print_stmts(struct gen *g, const struct stmt *s, int depth, int loop) {
    bool shared = g->shared_text, within = false;
    for (; s; s = s->next) {
        bool skips = shared && company_skips(s);
        if (skips && !within) print_line(g, depth, "if (_here) {");
        if (!skips && within) print_line(g, depth, "}");
        within = skips;
        g->shared_text = shared && !skips;
        print_stmt(g, s, depth + skips, loop);
    }
    if (within) print_line(g, depth, "}");
    g->shared_text = shared;
}

/* "static ROLE void thread_T0(loc X, struct run *_run, int *_regs)" */
static void print_head(struct gen *g) {
    const struct body *b = g->body;
    text_printf(g->out, "static ROLE void thread_%s(", b->name);
    for (int l = 0; l < g->t->nlocs; l++) {
        if (!gen_body_uses(g->t, b, l)) continue;
        text_printf(g->out, "%s ", space_rows[g->t->locs[l].space].place);
        gen_name(g->out, g->t->locs[l].name);
        text_add(g->out, ", ");
    }
    if (b->grid)
        text_printf(g->out, "struct grid_index %s, struct grid_index %s, ",
                    gen_grid_word(g->dialect, EXPR_BLOCK), gen_grid_word(g->dialect, EXPR_THREAD));
    else if (b->indexed)
        text_add(g->out, "int tid, int count, ");
    if (g->shared_text) text_add(g->out, "bool _here, ");
    text_printf(g->out, "%s *_run, int *_regs)", gen_player(g->dialect));
}

/* Writes the body's observed registers to _regs, in ascending order. */
static void print_results(struct gen *g) {
    const struct body *b = g->body;
    int k = 0;
    for (int r = 0; r < b->nregs; r++) {
        if (!gen_reg_observed(g->t, b, r)) continue;
        for (int word = 0; word < gen_words(b->regs[r].type); word++) {
            text_printf(g->out, "    _regs[%d] = ", k++);
            gen_word(g->out, b->regs[r].type, reg_name(g, r), word);
            text_add(g->out, ";\n");
        }
    }
}

static void print_unobserved(struct gen *g) {
    for (int r = 0; r < g->body->nregs; r++)
        if (g->loaded[r] && !gen_reg_observed(g->t, g->body, r)) {
            text_add(g->out, "    ");
            print_sink(g, r);
            text_add(g->out, "\n");
        }
}

void gen_body(struct text *out, const struct test *t, const struct cell *cell, const struct body *b,
              const struct meeting *m, enum dialect dialect) {
    struct gen g = {.t = t,
                    .cell = cell,
                    .out = out,
                    .scratch = arena_open(),
                    .meeting = m,
                    .body = b,
                    .dialect = dialect,
                    .cuda = dialect != DIALECT_C};
    g.shared_text = g.cuda && company_reduces(b);
    g.declared = arena_array(g.scratch, (size_t)b->nregs, sizeof(bool));
    g.loaded = arena_array(g.scratch, (size_t)b->nregs, sizeof(bool));
    g.accessed = arena_array(g.scratch, (size_t)t->nlocs, sizeof *g.accessed);
    g.used = arena_array(g.scratch, (size_t)t->nlocs, sizeof *g.used);
    print_head(&g);
    text_add(out, "\n{\n");
    gen_declare(b, g.shared_text, g.declared, g.scratch, out);
    if (g.cuda) gen_accounts_open(out, t, cell, b);
    print_stmts(&g, b->first, 1, 0);
    print_unobserved(&g);
    gen_ends(out, t, b);
    if (g.cuda) gen_accounts_close(out, t, b);
    print_results(&g);
    text_add(out, "}\n\n");
    arena_close(g.scratch);
}
