#include <string.h>

#include "base/foreign.h"
#include "base/source.h"
#include "base/utf8.h"
#include "litmus/table.h"

/* The cells of one thread, from the top. */
struct table_cells {
    const char **text;
    int n, cap, width;
};

/* A place to jump to; it has a name once something jumps there. */
struct table_target {
    const char *name;
};

struct writer {
    struct arena *arena;
    const struct test *test;
    const struct cell *cell;
    struct table_cells *columns; /* one a thread */
    const char *reason;          /* why it cannot be expressed; the first one counts */
    /* of the thread that is being written: */
    const struct thread *thread;
    struct table_cells *cells;
    int ntemporaries, nlabels;
    struct table_target *leave, *next; /* where `break` and `continue` go */
};

#define FORMAT(w, ...) arena_printf((w)->arena, __VA_ARGS__)

static void refuse(struct writer *w, const char *reason) {
    if (!w->reason) w->reason = reason;
}

static void put(struct writer *w, const char *cell) {
    struct table_cells *c = w->cells;
    if (c->n == c->cap) {
        int cap = c->cap ? 2 * c->cap : 16;
        c->text = arena_grow(w->arena, c->text, (size_t)c->n, (size_t)cap, sizeof *c->text);
        c->cap = cap;
    }
    c->text[c->n++] = cell;
    if ((int)strlen(cell) > c->width) c->width = (int)strlen(cell);
}

#define PUT(w, ...) put(w, FORMAT(w, __VA_ARGS__))

/* ---- names ---- */

static bool has_register(const struct body *b, const char *name) {
    for (int i = 0; i < b->nregs; i++)
        if (strcmp(b->regs[i].name, name) == 0) return true;
    return false;
}

static bool has_location(const struct test *t, const char *name) {
    for (int i = 0; i < t->nlocs; i++)
        if (strcmp(t->locs[i].name, name) == 0) return true;
    return false;
}

/* t<k>, or where a register or a location has that name, t<k>_ and so on. */
static const char *temporary_name(struct writer *w, int k) {
    const char *name = FORMAT(w, "t%d", k);
    while (has_register(w->thread->body, name) || has_location(w->test, name))
        name = FORMAT(w, "%s_", name);
    return name;
}

static const char *new_temporary(struct writer *w) {
    return temporary_name(w, w->thread->body->nregs + w->ntemporaries++);
}

static const char *register_name(struct writer *w, int reg) {
    const struct reg *r = &w->thread->body->regs[reg];
    return r->temporary ? temporary_name(w, reg) : r->name;
}

static const char *target_name(struct writer *w, struct table_target *target) {
    const struct body *b = w->thread->body;
    while (!target->name) {
        const char *name = FORMAT(w, "L%d", w->nlabels++);
        bool taken = false;
        for (int i = 0; i < b->nlabels; i++)
            taken = taken || strcmp(b->labels[i], name) == 0;
        if (!taken) target->name = name;
    }
    return target->name;
}

static void put_goto(struct writer *w, struct table_target *target) {
    PUT(w, "goto %s", target_name(w, target));
}

/* The label itself, where something jumps to it. */
static void put_target(struct writer *w, const struct table_target *target) {
    if (target->name) PUT(w, "%s:", target->name);
}

/* An element of an array becomes a location of its own. */
static const char *element_name(struct writer *w, int loc, int index) {
    const struct location *l = &w->test->locs[loc];
    if (!l->array) return l->name;
    const char *name = FORMAT(w, "%s_%d", l->name, index);
    if (has_location(w->test, name)) refuse(w, "two locations would have one name");
    for (int i = 0; i < w->test->nbodies; i++)
        if (has_register(&w->test->bodies[i], name))
            refuse(w, "a location and a register would have one name");
    return name;
}

/* ---- values ---- */

static int known_value(const struct writer *w, const struct expr *e) {
    struct expr_env env = body_env(w->thread->body, w->thread->tid);
    return (int)expr_number(e, &env);
}

static const char *const arithmetic[] = {
    [EXPR_MUL] = "mul", [EXPR_DIV] = "div", [EXPR_MOD] = "rem", [EXPR_ADD] = "add", [EXPR_SUB] = "sub",
    [EXPR_SHL] = "shl", [EXPR_SHR] = "shr", [EXPR_AND] = "and", [EXPR_XOR] = "xor", [EXPR_OR] = "or",
};
static const char *const comparisons[] = {
    [EXPR_LT] = "lt", [EXPR_LE] = "le", [EXPR_GT] = "gt",
    [EXPR_GE] = "ge", [EXPR_EQ] = "eq", [EXPR_NE] = "ne",
};

static bool is_comparison(enum expr_kind kind) {
    return kind >= EXPR_LT && kind <= EXPR_NE;
}

static enum expr_kind negated(enum expr_kind comparison) {
    switch (comparison) {
    case EXPR_LT: return EXPR_GE;
    case EXPR_LE: return EXPR_GT;
    case EXPR_GT: return EXPR_LE;
    case EXPR_GE: return EXPR_LT;
    case EXPR_EQ: return EXPR_NE;
    default: return EXPR_EQ;
    }
}

static void write_jump(struct writer *w, const struct expr *e, bool sense, struct table_target *target);
static void write_set(struct writer *w, const char *reg, const struct expr *e);

/* A table has other types, too, but its integers of 32 bits are all signed. */
static bool can_write(struct type type) {
    return type_same(type, type_int) || type_same(type, type_int64) || type_same(type, type_uint64) ||
           type_same(type, type_bool);
}

/* What an instruction that computes a value of this type has behind its opcode: nothing of an int. */
static const char *write_type(struct writer *w, struct type type) {
    if (type_same(type, type_int) || type.bits == 1) return "";
    if (!can_write(type)) refuse(w, FORMAT(w, "some values are of type %s", type_name(type)));
    return FORMAT(w, ".%s", type_ptx(type));
}

static const char *write_number(struct writer *w, const struct expr *e) {
    struct expr_env env = body_env(w->thread->body, w->thread->tid);
    char buf[VALUE_MAX_TEXT];
    return arena_strdup(w->arena, value_text(buf, e->type, expr_eval(e, &env)));
}

/* An operand that has the value of e: a number, a register, or a temporary that was computed. */
static const char *write_value(struct writer *w, const struct expr *e) {
    if (expr_is_known(e)) return write_number(w, e);
    if (e->kind == EXPR_REG) return register_name(w, e->index);
    const char *reg = new_temporary(w);
    write_set(w, reg, e);
    return reg;
}

/* reg = a && b, a || b: by branches. */
static void write_logic(struct writer *w, const char *reg, const struct expr *e) {
    struct table_target end = {0};
    const char *value = new_temporary(w);
    PUT(w, "mov %s, 0", value);
    write_jump(w, e, false, &end);
    PUT(w, "mov %s, 1", value);
    put_target(w, &end);
    PUT(w, "mov %s, %s", reg, value);
}

/* reg = a ? b : c */
static void write_choice(struct writer *w, const char *reg, const struct expr *e) {
    struct table_target other = {0}, end = {0};
    write_jump(w, e->a, false, &other);
    write_set(w, reg, e->b);
    put_goto(w, &end);
    put_target(w, &other);
    write_set(w, reg, e->c);
    put_target(w, &end);
}

/* The opcode of a shift that was read from a table, `n & -32 ? beyond : a op n`; else NULL. Only there both n
 * are the same expression. */
static const char *clamped_shift(const struct expr *e, const struct expr **shift) {
    if (e->kind != EXPR_COND || e->a->kind != EXPR_AND) return NULL;
    bool logical = e->c->kind == EXPR_AND;
    *shift = logical ? e->c->a : e->c;
    if ((*shift)->b != e->a->a) return NULL;
    return logical ? "shr.u32" : arithmetic[(*shift)->kind];
}

/* The amount of a shift of so many bits, of which only the low five or six count: PTX would clamp it. */
static const char *write_amount(struct writer *w, const struct expr *n, int bits) {
    if (expr_is_known(n)) return FORMAT(w, "%d", known_value(w, n) & (bits - 1));
    const char *amount = new_temporary(w), *all = write_value(w, n);
    PUT(w, "and%s %s, %s, %d", write_type(w, n->type), amount, all, bits - 1);
    return amount;
}

static void write_operator(struct writer *w, const char *reg, const struct expr *e) {
    bool shifts = e->kind == EXPR_SHL || e->kind == EXPR_SHR;
    const char *a = write_value(w, e->a),
               *b = shifts ? write_amount(w, e->b, e->type.bits) : write_value(w, e->b);
    if (is_comparison(e->kind))
        PUT(w, "setp.%s%s %s, %s, %s", comparisons[e->kind], write_type(w, e->a->type), reg, a, b);
    else
        PUT(w, "%s%s %s, %s, %s", arithmetic[e->kind], write_type(w, e->type), reg, a, b);
}

/* A number of 32 bits is signed in a table. */
static void write_cast(struct writer *w, const char *reg, const struct expr *e) {
    const char *to = write_type(w, e->type), *from = write_type(w, e->a->type);
    if (e->type.bits == 1) {
        PUT(w, "setp.ne%s %s, %s, 0", from, reg, write_value(w, e->a));
        return;
    }
    PUT(w, "cvt%s%s %s, %s", *to ? to : ".s32", *from ? from : ".s32", reg, write_value(w, e->a));
}

static void write_set(struct writer *w, const char *reg, const struct expr *e) {
    const struct expr *shift;
    const char *opcode = clamped_shift(e, &shift);
    if (opcode) {
        PUT(w, "%s %s, %s, %s", opcode, reg, write_value(w, shift->a), write_value(w, shift->b));
    } else if (expr_is_known(e) || e->kind == EXPR_REG) {
        PUT(w, "mov%s %s, %s", write_type(w, e->type), reg, write_value(w, e));
    } else if (e->kind == EXPR_CAST) {
        write_cast(w, reg, e);
    } else if (e->kind == EXPR_COND) {
        write_choice(w, reg, e);
    } else if (e->kind == EXPR_LAND || e->kind == EXPR_LOR) {
        write_logic(w, reg, e);
    } else if (e->kind == EXPR_NOT) {
        PUT(w, "setp.eq%s %s, %s, 0", write_type(w, e->a->type), reg, write_value(w, e->a));
    } else if (e->kind >= EXPR_POPC && e->kind <= EXPR_BREV) {
        refuse(w, "a table has no __popc(), __clz() or __brev()");
    } else if (e->kind == EXPR_NEG || e->kind == EXPR_COMPL) {
        PUT(w, "%s%s %s, %s", e->kind == EXPR_NEG ? "neg" : "not", write_type(w, e->type), reg,
            write_value(w, e->a));
    } else {
        write_operator(w, reg, e);
    }
}

/* Jumps there when e, as a truth, is `sense`. */
static void write_jump(struct writer *w, const struct expr *e, bool sense, struct table_target *target) {
    if (expr_is_known(e)) {
        if ((known_value(w, e) != 0) == sense) put_goto(w, target);
    } else if (e->kind == EXPR_NOT) {
        write_jump(w, e->a, !sense, target);
    } else if (e->kind == EXPR_LAND || e->kind == EXPR_LOR) {
        bool both = (e->kind == EXPR_LAND) == sense; /* jumps only when both operands say so */
        struct table_target skip = {0};
        write_jump(w, e->a, both ? !sense : sense, both ? &skip : target);
        write_jump(w, e->b, sense, target);
        put_target(w, &skip);
    } else {
        bool compares = is_comparison(e->kind);
        const char *a = write_value(w, compares ? e->a : e), *b = compares ? write_value(w, e->b) : "0";
        enum expr_kind kind = compares ? e->kind : EXPR_NE;
        const char *type = write_type(w, compares ? e->a->type : e->type);
        PUT(w, "b%s%s %s, %s, %s", comparisons[sense ? kind : negated(kind)], type, a, b,
            target_name(w, target));
    }
}

/* ---- operations ---- */

static const char *write_place(struct writer *w, int loc, const struct expr *index) {
    int element = 0;
    if (index && expr_is_known(index))
        element = known_value(w, index);
    else if (index)
        refuse(w, "an array is indexed by a register");
    return element_name(w, loc, element);
}

/* ".relaxed.gpu", ".weak", ".weak.cg" */
static const char *write_strength(struct writer *w, const struct op *op) {
    struct strength s = op_strength(w->test, w->cell, op);
    bool scoped = s.order != ORDER_WEAK && s.order != ORDER_VOLATILE;
    const char *more = scoped ? scope_ptx(s.scope) : op_rows[op->name].cache;
    return FORMAT(w, ".%s%s%s", order_name(s.order), more ? "." : "", more ? more : "");
}

static const char *write_result(struct writer *w, const struct op *op) {
    return op->dst >= 0 ? register_name(w, op->dst) : new_temporary(w);
}

static void write_rmw(struct writer *w, const struct op *op) {
    const char *place = write_place(w, op->loc, op->index), *result = "", *expected = "";
    if (!op->red) result = FORMAT(w, "%s, ", write_result(w, op));
    if (op->expected) expected = FORMAT(w, "%s, ", write_value(w, op->expected));
    const char *value = write_value(w, op->value);
    PUT(w, "%s%s.%s%s %s%s, %s%s", op->red ? "red" : "atom", write_strength(w, op), op_rows[op->name].word,
        write_type(w, op->type), result, place, expected, value);
}

/* Whether another thread of the body sits in the same warp. */
static bool shares_warp(const struct writer *w) {
    const struct seat *seats = w->cell->placement->seats;
    for (int i = 0; i < w->test->nthreads; i++)
        if (&w->test->threads[i] != w->thread && w->test->threads[i].body == w->thread->body &&
            seats[i].warp == seats[w->thread - w->test->threads].warp)
            return true;
    return false;
}

static void write_barrier(struct writer *w, const struct op *op) {
    if (op->barrier == BARRIER_WARP) {
        PUT(w, "bar.warp.sync %s", op->mask ? write_value(w, op->mask) : "0xffffffff");
        return;
    }
    if (op->barrier == BARRIER_CLUSTER) {
        bool relaxed = op->order == ORDER_RELAXED;
        if (!op_rows[op->name].wait_only) PUT(w, "barrier.cluster.arrive%s", relaxed ? ".relaxed" : "");
        if (!op->arrive_only) PUT(w, "barrier.cluster.wait");
        return;
    }
    /* A count is of threads, and each thread of a table is a warp; those of a grid are not. */
    if (op->barrier_threads && op->body->grid && shares_warp(w))
        refuse(w, "a barrier counts the warps of a grid, and in a table it counts each thread as one");
    const char *threads = op->barrier_threads ? FORMAT(w, ", %d", 32 * op->barrier_threads) : "";
    PUT(w, "bar.cta.%s %d%s", op->arrive_only ? "arrive" : "sync", op->barrier_id, threads);
}

static void write_copy(struct writer *w, const struct op *op) {
    const char *place = write_place(w, op->loc, op->index),
               *source = write_place(w, op->source, op->source_index);
    PUT(w, "cp.async.%s.shared.global %s, %s, %d", op_cache(op), place, source, op->bytes);
}

static void write_op(struct writer *w, const struct op *op) {
    const char *place;
    switch (op->kind) {
    case OP_LOAD:
        place = write_place(w, op->loc, op->index);
        PUT(w, "ld%s%s %s, %s", write_strength(w, op), write_type(w, op->type), write_result(w, op), place);
        break;
    case OP_STORE:
        place = write_place(w, op->loc, op->index);
        PUT(w, "st%s%s %s, %s", write_strength(w, op), write_type(w, op->type), place,
            write_value(w, op->value));
        break;
    case OP_RMW: write_rmw(w, op); break;
    case OP_FENCE:
        if (op_strength(w->test, w->cell, op).scope != SCOPE_NONE) PUT(w, "fence%s", write_strength(w, op));
        break;
    case OP_BARRIER: write_barrier(w, op); break;
    case OP_COPY: write_copy(w, op); break;
    case OP_COMMIT: PUT(w, "cp.async.commit_group"); break;
    case OP_WAIT:
        if (op_rows[op->name].waits_for_all)
            PUT(w, "cp.async.wait_all");
        else
            PUT(w, "cp.async.wait_group %d", op->pending);
        break;
    case OP_DEPEND: PUT(w, "griddepcontrol.wait"); break;
    case OP_TRAP: PUT(w, "trap"); break;
    case OP_EXCHANGE: refuse(w, "threads exchange values, which is not written yet"); break;
    case OP_HINT:
        if (op->name == GRID_TRIGGER) {
            PUT(w, "griddepcontrol.launch_dependents");
            break;
        }
        if (op->loc >= 0)
            PUT(w, "prefetch.global.%s [%s]", op_rows[op->name].cache, write_place(w, op->loc, op->index));
        else
            PUT(w, "nanosleep.u32 %s", write_value(w, op->value));
        break;
    }
}

/* ---- statements ---- */

static void write_list(struct writer *w, const struct stmt *s, const struct stmt *end);

/* Where the statement goes when it is a jump out of a loop or to its next turn, else NULL. */
static struct table_target *jump_target(const struct writer *w, const struct stmt *s) {
    return !s ? NULL : s->kind == STMT_BREAK ? w->leave : s->kind == STMT_CONTINUE ? w->next : NULL;
}

static void write_if(struct writer *w, const struct stmt *s) {
    struct table_target other = {0}, end = {0}, *jump = jump_target(w, s->body);
    if (jump && !s->orelse) {
        write_jump(w, s->value, true, jump);
        return;
    }
    write_jump(w, s->value, false, &other);
    write_list(w, s->body, NULL);
    if (s->orelse) put_goto(w, &end);
    put_target(w, &other);
    write_list(w, s->orelse, NULL);
    put_target(w, &end);
}

/* The last statement of a loop when it is `if (c) break`: then !c goes back to the top. */
static const struct stmt *last_exit(const struct stmt *s) {
    while (s && s->next)
        s = s->next;
    bool leaves = s && s->kind == STMT_IF && !s->orelse && s->body && s->body->kind == STMT_BREAK;
    return leaves ? s : NULL;
}

static void write_loop(struct writer *w, const struct stmt *s) {
    struct table_target top = {0}, step = {0}, end = {0}, *leave = w->leave, *next = w->next;
    const struct stmt *exit = last_exit(s->step ? s->step : s->body);
    w->leave = &end;
    w->next = s->step ? &step : &top;
    PUT(w, "%s:", target_name(w, &top));
    write_list(w, s->body, s->step ? NULL : exit);
    put_target(w, &step);
    write_list(w, s->step, exit);
    if (exit)
        write_jump(w, exit->value, false, &top);
    else
        put_goto(w, &top);
    put_target(w, &end);
    w->leave = leave;
    w->next = next;
}

static void write_branch(struct writer *w, const struct stmt *s) {
    struct table_target target = {w->thread->body->labels[s->label]};
    if (s->value)
        write_jump(w, s->value, true, &target);
    else
        put_goto(w, &target);
}

/* Writes the statements up to `end`, which is not written; all where it is NULL. */
static void write_list(struct writer *w, const struct stmt *s, const struct stmt *end) {
    for (; s && s != end; s = s->next) {
        switch (s->kind) {
        case STMT_SET: write_set(w, register_name(w, s->reg), s->value); break;
        case STMT_OP: write_op(w, s->op); break;
        case STMT_IF: write_if(w, s); break;
        case STMT_LOOP: write_loop(w, s); break;
        case STMT_BREAK:
        case STMT_CONTINUE: put_goto(w, jump_target(w, s)); break;
        case STMT_LABEL: PUT(w, "%s:", w->thread->body->labels[s->label]); break;
        case STMT_GOTO: write_branch(w, s); break;
        }
    }
}

/* Warps and clusters are written only where threads or blocks share them. */
static const char *write_seat(struct writer *w, const struct seat *seat) {
    const struct placement *p = w->cell->placement;
    const char *warp = p->nwarps < w->test->nthreads ? FORMAT(w, "warp %d,", seat->warp) : "";
    const char *cluster = p->nclusters < p->nblocks ? FORMAT(w, "cluster %d,", seat->cluster) : "";
    return FORMAT(w, "%scta %d,%sgpu %d", warp, seat->block, cluster, seat->gpu);
}

static void write_thread(struct writer *w, int i) {
    w->thread = &w->test->threads[i];
    w->cells = &w->columns[i];
    w->ntemporaries = w->nlabels = 0;
    PUT(w, "P%d@%s", i, write_seat(w, &w->cell->placement->seats[i]));
    write_list(w, w->thread->body->first, NULL);
}

/* ---- the condition ---- */

static const char *observable_name(struct writer *w, int o) {
    const struct observable *obs = &w->test->obs[o];
    if (!obs->is_reg) return element_name(w, obs->loc, obs->index);
    w->thread = &w->test->threads[obs->thread];
    return FORMAT(w, "P%d:%s", obs->thread, register_name(w, obs->reg));
}

static const char *write_proposition(struct writer *w, const struct expr *e);

static const char *in_parentheses(struct writer *w, const struct expr *e) {
    const char *text = write_proposition(w, e);
    return e->kind == EXPR_OBS || e->kind == EXPR_INT ? text : FORMAT(w, "(%s)", text);
}

/* Does (a o b) p c need no parentheses? A long sum would be nested too deeply to be read again. */
static bool groups_left(enum expr_kind o, enum expr_kind p) {
    bool sum = (o == EXPR_ADD || o == EXPR_SUB) && (p == EXPR_ADD || p == EXPR_SUB);
    return sum || (o == p && !is_comparison(p));
}

static const char *write_proposition(struct writer *w, const struct expr *e) {
    static const char *const signs[] = {
        [EXPR_MUL] = "*",  [EXPR_DIV] = "/",    [EXPR_MOD] = "%",   [EXPR_ADD] = "+", [EXPR_SUB] = "-",
        [EXPR_SHL] = "<<", [EXPR_SHR] = ">>",   [EXPR_LT] = "<",    [EXPR_LE] = "<=", [EXPR_GT] = ">",
        [EXPR_GE] = ">=",  [EXPR_EQ] = "==",    [EXPR_NE] = "!=",   [EXPR_AND] = "&", [EXPR_XOR] = "^",
        [EXPR_OR] = "|",   [EXPR_LAND] = "/\\", [EXPR_LOR] = "\\/",
    };
    switch (e->kind) {
    case EXPR_INT: return arena_strdup(w->arena, value_text((char[VALUE_MAX_TEXT]){0}, e->type, e->value));
    case EXPR_OBS: return observable_name(w, e->index);
    case EXPR_NOT: return FORMAT(w, "~(%s)", write_proposition(w, e->a));
    case EXPR_NEG: return FORMAT(w, "-%s", in_parentheses(w, e->a));
    case EXPR_COMPL:
    case EXPR_COND: refuse(w, "the condition has '~' of a number or '?'"); return "";
    case EXPR_CAST: refuse(w, "the condition converts a value"); return "";
    default: break;
    }
    bool joins = e->kind == EXPR_LAND || e->kind == EXPR_LOR;
    bool bare = groups_left(e->a->kind, e->kind) || (joins && is_comparison(e->a->kind));
    const char *a = bare ? write_proposition(w, e->a) : in_parentheses(w, e->a);
    const char *b = joins && is_comparison(e->b->kind) ? write_proposition(w, e->b) : in_parentheses(w, e->b);
    return FORMAT(w, "%s %s %s", a, signs[e->kind], b);
}

static bool observes(const struct expr *e, int o) {
    if (!e) return false;
    return (e->kind == EXPR_OBS && e->index == o) || observes(e->a, o) || observes(e->b, o) ||
           observes(e->c, o);
}

static void write_condition(struct writer *w, struct text *out) {
    static const char *const words[] = {"exists", "~exists", "forall"};
    const char *more = "";
    for (int o = 0; o < w->test->nobs; o++)
        if (!observes(w->test->cond.prop, o)) more = FORMAT(w, "%s%s; ", more, observable_name(w, o));
    if (*more) text_printf(out, "locations [%.*s]\n", (int)strlen(more) - 1, more);
    text_printf(out, "%s (%s)\n", words[w->test->cond.kind], write_proposition(w, w->test->cond.prop));
}

/* ---- the whole ---- */

/* What a table has no words for. */
static void check_test(struct writer *w) {
    const struct test *t = w->test;
    for (int i = 0; i < t->nlocs; i++)
        if (*t->locs[i].name == '_')
            refuse(w, "the barrier of a grid counts in a number without a sign");
        else if (!can_write(t->locs[i].type) || t->locs[i].type.bits == 1)
            refuse(w, FORMAT(w, "'%s' is of type %s", t->locs[i].name, type_name(t->locs[i].type)));
    for (int i = 0; i < t->nbodies; i++)
        for (int k = 0; k < t->bodies[i].nregs; k++)
            if (!can_write(t->bodies[i].regs[k].type))
                refuse(w, FORMAT(w, "some values are of type %s", type_name(t->bodies[i].regs[k].type)));
    for (int i = 0; i < t->nlocs; i++) {
        if (t->locs[i].space == SPACE_HOST || t->locs[i].instances > 1)
            refuse(w, FORMAT(w, "'%s' is in %s memory", t->locs[i].name, space_name(t->locs[i].space)));
        if (t->locs[i].gpu > 0) refuse(w, FORMAT(w, "'%s' is in the memory of one GPU", t->locs[i].name));
    }
    if (w->cell->placement->nkernels > 1) refuse(w, "a table has one kernel");
    for (int i = 0; i < t->nthreads; i++)
        if (w->cell->placement->seats[i].host)
            refuse(w, FORMAT(w, "'%s' is a CPU thread", t->threads[i].name));
}

/* A title as herd has it, in quotes. */
static void write_title(const struct writer *w, struct text *out) {
    const char *title = w->test->title ? w->test->title : w->test->doc;
    if (!title) return;
    text_add(out, "\"");
    for (const char *s = title; *s && !(s[0] == '\n' && s[1] == '\0');) {
        uint32_t c = 0;
        size_t n = utf8_decode(s, strlen(s), &c);
        bool plain = n && foreign_is_plain(c) && c != '"';
        text_add_n(out, plain ? s : c == '"' ? "'" : " ", plain ? n : 1);
        s += n ? n : 1;
    }
    text_add(out, "\"\n");
}

/* " x=1;", " shared u64 x=1;" */
static void write_location(struct writer *w, struct text *out, const struct location *l, int loc,
                           int element) {
    bool shared = l->space == SPACE_SHARED, wide = !type_same(l->type, type_int);
    char buf[VALUE_MAX_TEXT];
    text_printf(out, " %s%s%s%s=%s;", shared ? "shared " : "", shared && !wide ? "int " : "",
                wide ? FORMAT(w, "%s ", type_ptx(l->type)) : "", element_name(w, loc, element),
                value_text(buf, l->type, location_init(l, element)));
}

static void write_memory(struct writer *w, struct text *out) {
    text_add(out, "{");
    for (int i = 0; i < w->test->nlocs; i++)
        for (int k = 0; k < w->test->locs[i].count; k++)
            write_location(w, out, &w->test->locs[i], i, k);
    text_add(out, " }\n");
}

static void write_rows(const struct writer *w, struct text *out) {
    int n = w->test->nthreads, rows = 0;
    for (int i = 0; i < n; i++)
        if (w->columns[i].n > rows) rows = w->columns[i].n;
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < n; i++) {
            const struct table_cells *c = &w->columns[i];
            text_printf(out, "%s%-*s%s", i ? " | " : " ", c->width, row < c->n ? c->text[row] : "",
                        i == n - 1 ? " ;\n" : "");
        }
}

const char *litmus_write(struct arena *a, const struct test *t, const struct cell *v, struct text *out) {
    struct writer w = {.arena = a, .test = t, .cell = v};
    struct text body = {0};
    w.columns = arena_array(a, (size_t)t->nthreads, sizeof *w.columns);
    check_test(&w);
    if (!w.reason) {
        for (int i = 0; i < t->nthreads; i++)
            write_thread(&w, i);
        text_printf(&body, "PTX %s\n", t->name);
        write_title(&w, &body);
        write_memory(&w, &body);
        write_rows(&w, &body);
        write_condition(&w, &body);
    }
    if (!w.reason) text_add_n(out, body.s, body.len);
    text_free(&body);
    return w.reason;
}
