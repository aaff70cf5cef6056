#include "source/table_column.h"

#include <string.h>

#include "lower/lower.h"

void column_refuse(struct table_writer *w, const char *reason) {
    if (!w->reason) w->reason = reason;
}

void column_put(struct table_writer *w, const char *cell) {
    struct table_cells *c = w->cells;
    c->text = arena_more(w->arena, c->text, (size_t)c->n, sizeof *c->text);
    c->text[c->n++] = cell;
    if ((int)strlen(cell) > c->width) c->width = (int)strlen(cell);
}

/* ---- names ---- */

const char *column_new_name(struct table_writer *w, const char *name) {
    const struct body *b = w->thread->body;
    bool taken = find_location(w->test, name) >= 0;
    for (int i = 0; i < b->nregs && !taken; i++)
        taken = strcmp(b->regs[i].name, name) == 0;
    return taken ? column_new_name(w, FORMAT(w, "%s_", name)) : name;
}

static const char *temporary_name(struct table_writer *w, int k) {
    return column_new_name(w, FORMAT(w, "t%d", k));
}

const char *column_temporary(struct table_writer *w) {
    return temporary_name(w, w->thread->body->nregs + w->ntemporaries++);
}

const char *column_register(struct table_writer *w, int reg) {
    const struct reg *r = &w->thread->body->regs[reg];
    bool member = strpbrk(r->name, ".$["); /* tables have no structs and no arrays of registers */
    return r->temporary || member ? temporary_name(w, reg) : r->name;
}

static const char *target_name(struct table_writer *w, struct table_target *target) {
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

static void put_goto(struct table_writer *w, struct table_target *target) {
    PUT(w, "goto %s", target_name(w, target));
}

/* Writes a label if something jumps to it. */
static void put_target(struct table_writer *w, const struct table_target *target) {
    if (target->name) PUT(w, "%s:", target->name);
}

/* ---- values ---- */

static int known_value(const struct table_writer *w, const struct expr *e) {
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

bool column_is_comparison(enum expr_kind kind) {
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

static void write_jump(struct table_writer *w, const struct expr *e, bool sense, struct table_target *target);
static void write_set(struct table_writer *w, const char *reg, const struct expr *e);

bool column_can_write(struct type type) {
    return !type.real;
}

const char *column_type(struct table_writer *w, struct type type) {
    if (column_is_word(type) || type.bits == 1) return "";
    if (!column_can_write(type)) column_refuse(w, FORMAT(w, "some values are of type %s", type_name(type)));
    return FORMAT(w, ".%s", type_ptx(type));
}

/* Whether an operator on 32-bit numbers must be written with its type, since these are signed otherwise. */
static const char *write_sign(struct table_writer *w, enum expr_kind kind, struct type type) {
    return column_is_word(type) && column_minds_sign(kind, type) ? ".u32" : column_type(w, type);
}

/* Whether a 32-bit number changes between signed and unsigned, which a table does not show. */
static bool is_renamed(const struct expr *e) {
    return e->kind == EXPR_CAST && column_is_word(e->type) && column_is_word(e->a->type);
}

/* Returns an operand with the value of e: a number, a register, or a temporary that is computed first. */
const char *column_value(struct table_writer *w, const struct expr *e) {
    struct expr_env env = body_env(w->thread->body, w->thread->tid);
    if (expr_is_known(e)) return column_number(w, e->type, expr_eval(e, &env));
    if (e->kind == EXPR_LANE) return column_lane_value(w, e->a, (int)e->b->value.lo);
    if (e->kind == EXPR_REG) return column_register(w, e->index);
    if (is_renamed(e)) return column_value(w, e->a);
    const char *reg = column_temporary(w);
    write_set(w, reg, e);
    return reg;
}

/* Writes reg = a && b, or reg = a || b, with branches. */
static void write_logic(struct table_writer *w, const char *reg, const struct expr *e) {
    struct table_target end = {0};
    const char *value = column_temporary(w);
    PUT(w, "mov %s, 0", value);
    write_jump(w, e, false, &end);
    PUT(w, "mov %s, 1", value);
    put_target(w, &end);
    PUT(w, "mov %s, %s", reg, value);
}

/* Writes reg = a ? b : c. */
static void write_choice(struct table_writer *w, const char *reg, const struct expr *e) {
    struct table_target other = {0}, end = {0};
    write_jump(w, e->a, false, &other);
    write_set(w, reg, e->b);
    put_goto(w, &end);
    put_target(w, &other);
    write_set(w, reg, e->c);
    put_target(w, &end);
}

/* Returns the shift in an expression that was read from a table, n < 32 ? a op n : beyond; else NULL. Only
 * there both n are the same node. */
static const struct expr *clamped_shift(const struct expr *e) {
    bool clamps = e->kind == EXPR_COND && e->a->kind == EXPR_LT && e->b->b == e->a->a;
    return clamps && (e->b->kind == EXPR_SHL || e->b->kind == EXPR_SHR) ? e->b : NULL;
}

/* Returns the amount of a shift with only its low five or six bits: PTX would clamp it. */
static const char *write_amount(struct table_writer *w, const struct expr *n, int bits) {
    if (expr_is_known(n)) return FORMAT(w, "%d", known_value(w, n) & (bits - 1));
    const char *amount = column_temporary(w), *all = column_value(w, n);
    PUT(w, "and%s %s, %s, %d", column_type(w, n->type), amount, all, bits - 1);
    return amount;
}

static void write_operator(struct table_writer *w, const char *reg, const struct expr *e) {
    bool shifts = e->kind == EXPR_SHL || e->kind == EXPR_SHR;
    const char *a = column_value(w, e->a),
               *b = shifts ? write_amount(w, e->b, e->type.bits) : column_value(w, e->b);
    if (column_is_comparison(e->kind))
        PUT(w, "setp.%s%s %s, %s, %s", comparisons[e->kind], write_sign(w, e->kind, e->a->type), reg, a, b);
    else
        PUT(w, "%s%s %s, %s, %s", arithmetic[e->kind], write_sign(w, e->kind, e->type), reg, a, b);
}

static void write_cast(struct table_writer *w, const char *reg, const struct expr *e) {
    const char *to = column_type(w, e->type), *from = column_type(w, e->a->type);
    if (e->type.bits == 1) {
        PUT(w, "setp.ne%s %s, %s, 0", from, reg, column_value(w, e->a));
        return;
    }
    if (type_same(e->a->type, type_unsigned)) from = ".u32";
    PUT(w, "cvt%s%s %s, %s", *to ? to : ".s32", *from ? from : ".s32", reg, column_value(w, e->a));
}

static void write_set(struct table_writer *w, const char *reg, const struct expr *e) {
    const struct expr *shift = clamped_shift(e);
    if (e->kind == EXPR_LANE) {
        PUT(w, "mov%s %s, %s", column_type(w, e->type), reg, column_value(w, e));
    } else if (shift) {
        PUT(w, "%s%s %s, %s, %s", arithmetic[shift->kind], write_sign(w, shift->kind, shift->type), reg,
            column_value(w, shift->a), column_value(w, shift->b));
    } else if (expr_is_known(e) || e->kind == EXPR_REG) {
        PUT(w, "mov%s %s, %s", column_type(w, e->type), reg, column_value(w, e));
    } else if (is_renamed(e)) {
        write_set(w, reg, e->a);
    } else if (e->kind == EXPR_CAST) {
        write_cast(w, reg, e);
    } else if (e->kind == EXPR_COND) {
        write_choice(w, reg, e);
    } else if (e->kind == EXPR_LAND || e->kind == EXPR_LOR) {
        write_logic(w, reg, e);
    } else if (e->kind == EXPR_NOT) {
        PUT(w, "setp.eq%s %s, %s, 0", column_type(w, e->a->type), reg, column_value(w, e->a));
    } else if (e->kind >= EXPR_POPC && e->kind <= EXPR_BREV) {
        column_refuse(w, "a table has no __popc(), __clz() or __brev()");
    } else if (e->kind == EXPR_NEG || e->kind == EXPR_COMPL) {
        PUT(w, "%s%s %s, %s", e->kind == EXPR_NEG ? "neg" : "not", column_type(w, e->type), reg,
            column_value(w, e->a));
    } else {
        write_operator(w, reg, e);
    }
}

/* Writes a jump that is taken when the truth of e is `sense`. */
static void write_jump(struct table_writer *w, const struct expr *e, bool sense,
                       struct table_target *target) {
    if (expr_is_known(e)) {
        if ((known_value(w, e) != 0) == sense) put_goto(w, target);
    } else if (e->kind == EXPR_NOT) {
        write_jump(w, e->a, !sense, target);
    } else if (e->kind == EXPR_LAND || e->kind == EXPR_LOR) {
        bool both = (e->kind == EXPR_LAND) == sense; /* it jumps only if both operands say so */
        struct table_target skip = {0};
        write_jump(w, e->a, both ? !sense : sense, both ? &skip : target);
        write_jump(w, e->b, sense, target);
        put_target(w, &skip);
    } else {
        bool compares = column_is_comparison(e->kind);
        const char *a = column_value(w, compares ? e->a : e), *b = compares ? column_value(w, e->b) : "0";
        enum expr_kind kind = compares ? e->kind : EXPR_NE;
        const char *type = write_sign(w, kind, compares ? e->a->type : e->type);
        PUT(w, "b%s%s %s, %s, %s", comparisons[sense ? kind : negated(kind)], type, a, b,
            target_name(w, target));
    }
}

/* ---- operations ---- */

/* Returns the address of an element that a register chooses: the array's address plus so many bytes. */
static const char *write_address(struct table_writer *w, int loc, const struct expr *index) {
    const char *bytes = column_temporary(w), *address = column_temporary(w), *number = column_value(w, index);
    const char *type = column_type(w, index->type);
    PUT(w, "mul%s %s, %s, %d", type, bytes, number, type_bytes(w->test->locs[loc].type));
    PUT(w, "add%s %s, %s, %s", type, address, column_pointer(w, loc), bytes);
    return FORMAT(w, "[%s]", address);
}

static const char *write_place(struct table_writer *w, int loc, const struct expr *index) {
    if (index && !expr_is_known(index)) return write_address(w, loc, index);
    return column_element(w, loc, index ? known_value(w, index) : 0);
}

/* Returns such as ".relaxed.gpu", ".weak" or ".weak.cg". */
static const char *write_strength(struct table_writer *w, const struct op *op) {
    struct strength s = op_strength(w->test, w->cell, op);
    bool scoped = s.order != ORDER_WEAK && s.order != ORDER_VOLATILE;
    const char *more = scoped ? scope_ptx(s.scope) : op_rows[op->name].cache;
    return FORMAT(w, ".%s%s%s", order_name(s.order), more ? "." : "", more ? more : "");
}

static const char *write_result(struct table_writer *w, const struct op *op) {
    if (type_is_vector(op->type) && op->dst >= 0)
        return column_operand(w, &(struct expr){.kind = EXPR_REG, .type = op->type, .index = op->dst});
    if (type_is_vector(op->type)) column_refuse(w, "a vector is read, and not used");
    return op->dst >= 0 ? column_register(w, op->dst) : column_temporary(w);
}

/* Returns the opcode of an access through the operation's proxy, such as "ld" or "tld". */
static const char *opcode_of(struct table_writer *w, const struct op *op, const char *generic) {
    switch (op->proxy) {
    case PROXY_TEXTURE: return "tld";
    case PROXY_SURFACE: return FORMAT(w, "su%s", generic);
    case PROXY_CONSTANT: return "cold";
    default: return generic;
    }
}

static void write_rmw(struct table_writer *w, const struct op *op) {
    const char *place = write_place(w, op->place[0].loc, op->place[0].index), *result = "", *expected = "";
    if (!op->red) result = FORMAT(w, "%s, ", write_result(w, op));
    if (op->expected) expected = FORMAT(w, "%s, ", column_value(w, op->expected));
    const char *value = column_value(w, op->value);
    if (type_same(op->type, type_unsigned) && strstr("min max inc dec", op_rows[op->name].word))
        column_refuse(w, "the atomic minimum or maximum of a word is one of numbers with a sign");
    PUT(w, "%s%s.%s%s %s%s, %s%s", opcode_of(w, op, op->red ? "red" : "atom"), write_strength(w, op),
        op_rows[op->name].word, column_type(w, op->type), result, place, expected, value);
}

/* Whether another thread of the body is in the same warp. */
static bool shares_warp(const struct table_writer *w) {
    const struct seat *seats = w->cell->placement->seats;
    for (int i = 0; i < w->test->nthreads; i++)
        if (&w->test->threads[i] != w->thread && w->test->threads[i].body == w->thread->body &&
            seats[i].warp == seats[w->thread - w->test->threads].warp)
            return true;
    return false;
}

static void write_barrier(struct table_writer *w, const struct op *op) {
    if (op->barrier == BARRIER_WARP) {
        PUT(w, "bar.warp.sync %s", op->mask ? column_value(w, op->mask) : "0xffffffff");
        return;
    }
    if (op->barrier == BARRIER_CLUSTER) {
        bool relaxed = op->order == ORDER_RELAXED;
        if (!op_rows[op->name].wait_only) PUT(w, "barrier.cluster.arrive%s", relaxed ? ".relaxed" : "");
        if (!op->arrive_only) PUT(w, "barrier.cluster.wait");
        return;
    }
    /* The count of a barrier is of threads, and each thread of a table is a warp; but the threads of a grid
     * are not. */
    if (op->barrier_threads && op->body->grid && shares_warp(w))
        column_refuse(w, "a barrier counts the warps of a grid, and in a table it counts each thread as one");
    const char *threads = op->barrier_threads ? FORMAT(w, ", %d", 32 * op->barrier_threads) : "";
    PUT(w, "bar.cta.%s %d%s", op->arrive_only ? "arrive" : "sync", op->barrier_id, threads);
}

static const char *write_part(struct table_writer *w, const struct op *op, char part) {
    const struct op_place *place = &op->place[part == 'y' ? 2 : part == 'b'];
    switch (part) {
    case 'a':
    case 'b':
    case 'y': return write_place(w, place->loc, place->index);
    case 't': return column_type(w, op->type);
    case 'k': return op_cache(op);
    case 'z': return FORMAT(w, "%d", op->bytes);
    case 'Z': return op->zeros ? FORMAT(w, ", %d", op->bytes - op->zeros) : "";
    case 'g': return FORMAT(w, "%d", op->pending);
    }
    return "";
}

/* Writes an operation that has only places and numbers, by its row's own pattern. */
static void write_pattern(struct table_writer *w, const struct op *op) {
    const char *text = "";
    if (op_elements(w->test, op) > 1) column_refuse(w, "a copy takes several elements of an array");
    for (const char *s = op_rows[op->name].ptx; *s; s++) {
        if (*s == '$')
            text = FORMAT(w, "%s%s", text, write_part(w, op, *++s));
        else if (*s != '[' && *s != ']')
            text = FORMAT(w, "%s%c", text, *s);
    }
    PUT(w, "%s", text);
}

static void write_op(struct table_writer *w, const struct op *op) {
    const char *place;
    if ((op->kind == OP_LOAD || op->kind == OP_STORE) && op_elements(w->test, op) > 1)
        column_refuse(w, "a vector lies over several elements of an array");
    switch (op->kind) {
    case OP_LOAD:
        place = write_place(w, op->place[0].loc, op->place[0].index);
        PUT(w, "%s%s%s %s, %s", opcode_of(w, op, "ld"), write_strength(w, op), column_type(w, op->type),
            write_result(w, op), place);
        break;
    case OP_STORE:
        place = write_place(w, op->place[0].loc, op->place[0].index);
        PUT(w, "%s%s%s %s, %s", opcode_of(w, op, "st"), write_strength(w, op), column_type(w, op->type),
            place, column_operand(w, op->value));
        break;
    case OP_RMW: write_rmw(w, op); break;
    case OP_FENCE:
        if (!op_is_there(w->cell, op)) break;
        PUT(w, "%s",
            op_rows[op->name].orders ? arena_printf(w->arena, "fence%s", write_strength(w, op))
                                     : op_rows[op->name].ptx);
        break;
    case OP_BARRIER: write_barrier(w, op); break;
    case OP_COPY:
    case OP_FETCH:
    case OP_SEND:
    case OP_SEND_CHANGE:
    case OP_REDUCE:
    case OP_FETCH_CHANGE:
    case OP_CLEAR:
    case OP_COMMIT:
    case OP_WAIT:
    case OP_DEPEND:
    case OP_TRIGGER:
    case OP_TRAP: write_pattern(w, op); break;
    case OP_MBARRIER:
    case OP_ARRIVE:
    case OP_TRY:
    case OP_PENDING: column_refuse(w, "threads use an mbarrier, which is not written yet"); break;
    case OP_CLOCK: column_refuse(w, "threads look at a clock, which is not written yet"); break;
    case OP_EXCHANGE: column_refuse(w, "threads exchange values, which is not written yet"); break;
    case OP_HINT:
        if (op->place[0].loc >= 0)
            PUT(w, "prefetch.global.%s [%s]", op_rows[op->name].cache,
                write_place(w, op->place[0].loc, op->place[0].index));
        else
            PUT(w, "nanosleep.u32 %s", column_value(w, op->value));
        break;
    }
}

/* ---- statements ---- */

static void write_list(struct table_writer *w, const struct stmt *s, const struct stmt *end);

/* Returns the target if the statement leaves a loop or goes to its next turn, else NULL. */
static struct table_target *jump_target(const struct table_writer *w, const struct stmt *s) {
    return !s ? NULL : s->kind == STMT_BREAK ? w->leave : s->kind == STMT_CONTINUE ? w->next : NULL;
}

static void write_if(struct table_writer *w, const struct stmt *s) {
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

/* Returns the last statement of a loop if it is `if (c) break`: then !c jumps back to the top. */
static const struct stmt *last_exit(const struct stmt *s) {
    while (s && s->next)
        s = s->next;
    bool leaves = s && s->kind == STMT_IF && !s->orelse && s->body && s->body->kind == STMT_BREAK;
    return leaves ? s : NULL;
}

static void write_loop(struct table_writer *w, const struct stmt *s) {
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

static void write_branch(struct table_writer *w, const struct stmt *s) {
    struct table_target target = {w->thread->body->labels[s->label]};
    if (s->value)
        write_jump(w, s->value, true, &target);
    else
        put_goto(w, &target);
}

/* Writes the statements before `end`; NULL: all of them. */
static void write_list(struct table_writer *w, const struct stmt *s, const struct stmt *end) {
    for (; s && s != end; s = s->next) {
        switch (s->kind) {
        case STMT_SET:
            if (!column_set_vector(w, s->reg, s->value)) write_set(w, column_register(w, s->reg), s->value);
            break;
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

/* Warps and clusters are written only if threads or blocks share them. */
static const char *write_seat(struct table_writer *w, const struct seat *seat) {
    const struct placement *p = w->cell->placement;
    const char *warp = p->nwarps < w->test->nthreads ? FORMAT(w, "warp %d,", seat->warp) : "";
    const char *cluster = p->nclusters < p->nblocks ? FORMAT(w, "cluster %d,", seat->cluster) : "";
    return FORMAT(w, "%scta %d,%sgpu %d", warp, seat->block, cluster, seat->gpu);
}

void column_write(struct table_writer *w, int i) {
    w->thread = &w->test->threads[i];
    w->cells = &w->columns[i];
    w->ntemporaries = w->nlabels = 0;
    PUT(w, "P%d@%s", i, write_seat(w, &w->cell->placement->seats[i]));
    write_list(w, w->thread->body->first, NULL);
}
