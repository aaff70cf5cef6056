#include <stdlib.h>
#include <string.h>

#include "check/meant.h"
#include "check/verify.h"

struct sass_check {
    struct meant m;
    struct sass_kernel machine;
    const bool *has; /* of each operation: the PTX has it */
    int *machine_op; /* of each machine instruction: the operation whose line it has, 0: none */
    int fence;       /* the fence of some state spaces whose place in the order is looked at, 0: none's */
};

/* Is `part` one of the name's parts, which dots separate? */
static bool has_part(const char *name, const char *part) {
    size_t len = strlen(part);
    for (const char *s = name; s; s = strchr(s, '.') ? strchr(s, '.') + 1 : NULL)
        if (strncmp(s, part, len) == 0 && (s[len] == '.' || s[len] == '\0')) return true;
    return false;
}

/* Is the instruction of one of the kinds? Those in the rows were learnt from ptxas 13.0 for sm_75 to sm_120. */
static bool is_one_of(const char *kinds, const char *name) {
    size_t len = strcspn(name, ".");
    for (const char *s = kinds; s && *s; s += strcspn(s, " "), s += strspn(s, " "))
        if (strcspn(s, " ") == len && strncmp(name, s, len) == 0) return true;
    return false;
}

/* Is this what ptxas makes of some operation of the kind? */
static bool is_kind(const char *name, enum op_kind kind) {
    for (int k = 0; k < OP_COUNT; k++)
        if (op_rows[k].kind == kind && is_one_of(op_rows[k].machine, name)) return true;
    return false;
}

static bool is_access(const char *name) {
    for (int k = 0; k < OP_COUNT; k++)
        if (op_kinds[op_rows[k].kind].touches[0] && is_one_of(op_rows[k].machine, name)) return true;
    return false;
}

/* A block's scope is called CTA or SM; there is none for a cluster, which gets the device's. */
static bool has_scope(const char *name, enum scope scope) {
    if (scope == SCOPE_CTA) return has_part(name, "CTA") || has_part(name, "SM");
    return has_part(name, scope == SCOPE_SYS ? "SYS" : "GPU");
}

/* Is an access as wide as the operation's type, or as the bytes that it copies? One of 32 bits has no part for that. */
static bool has_width(const char *name, const struct op *op) {
    static const char *const widths[] = {"U8", "S8", "U16", "S16", "64", "128"};
    static const int bytes[] = {1, 1, 2, 2, 8, 16};
    int want = op->kind == OP_COPY ? op->bytes : type_bytes(op->type), found = 4;
    for (int k = 0; k < 6; k++)
        if (has_part(name, widths[k])) found = bytes[k];
    return found == want;
}

/* Exchanges of a warp, and what an acquire adds, are checked in the PTX alone: the assembler makes several
 * instructions of an exchange, in places of their own. */
static bool is_silent(const struct flow *f, int k) {
    const struct op *op = &f->op[k];
    return (op->kind == OP_EXCHANGE && op->barrier == BARRIER_WARP) ||
           (op->kind == OP_FENCE && f->strength[k].order == ORDER_ACQUIRE);
}

/* What an instruction is of the operation in whose line it stands. */
enum machine_part {
    PART_NONE = 0,
    PART_FIRST = 1, /* all of it, where it is one instruction */
    PART_LAST = 2,
    PART_MET = 4, /* nothing is to be done, for all lanes have come, or there is no cluster */
};

static enum machine_part part_of_operation(const struct op *op, const char *name) {
    const struct op_row *row = &op_rows[op->name];
    if (is_one_of(row->machine, name)) return PART_FIRST;
    if (is_one_of(row->machine_end, name)) return PART_LAST;
    return is_one_of(row->machine_met, name) ? PART_MET : PART_NONE;
}

/* Is an operand the number, or not known? It is known where it stands in the code: "0x1". */
static bool may_be(const char *operand, int number) {
    operand += strspn(operand, ", ");
    return strncmp(operand, "0x", 2) != 0 || strtoul(operand, NULL, 16) == (unsigned long)number;
}

/* A barrier of a block: "BAR.ARV 0x1, 0x40". The GPU counts threads, and each of the test's counts for a warp. */
static bool is_right_barrier(const struct op *op, const char *operands) {
    if (op->barrier != BARRIER_CTA) return true;
    const char *count = operands + strcspn(operands, ",");
    return may_be(operands, op->barrier_id) &&
           (!op->barrier_threads || may_be(count, WARP_LANES * op->barrier_threads));
}

/* Is this the instruction that operation k has to become? Shared memory has neither strengths nor scopes. */
static bool is_right(const struct sass_check *c, int k, const struct sass_instruction *code) {
    const struct op *op = &c->m.flow.op[k];
    const char *name = code->name;
    struct strength s = c->m.flow.strength[k];
    if (part_of_operation(op, name) != PART_FIRST) return true;
    if (op->kind == OP_FENCE && op_rows[op->name].orders)
        return has_part(name, s.order == ORDER_SC ? "SC" : "ALL") && has_scope(name, s.scope) &&
               !is_silent(&c->m.flow, k);
    const char *word = op_rows[op->name].machine_word;
    bool loops = has_part(name, "ATOMS") && has_part(name, "CAST"); /* shared memory adds no 64 bits itself */
    bool counts = has_part(name, "ATOMS") && has_part(name, "POPC"); /* lanes add 1 and want no result */
    if (counts && word && strcmp(word, "ADD") == 0) word = "INC";
    if (word && !has_part(name, word) && !loops) return false;
    if (op_kinds[op->kind].meets) return is_right_barrier(op, code->operands);
    bool bulk = op_rows[op->name].engine == ENGINE_BULK; /* whose size is in a register */
    if (!op_kinds[op->kind].touches[0] || op_kinds[op->kind].mbarrier || bulk) return true;
    if (!has_width(name, op)) return false;
    if (has_part(name, "LDS") || has_part(name, "STS") || has_part(name, "ATOMS")) return true;
    enum scope strong = s.order == ORDER_WEAK ? op_rows[op->name].machine_scope : s.scope;
    if (strong == SCOPE_NONE) return !has_part(name, "STRONG");
    return has_part(name, "STRONG") && has_scope(name, strong);
}

/* Does instruction i, of operation k, release what comes before it by a fence? A barrier of a block does it alone. */
static bool releases(const struct sass_check *c, int i, int k) {
    const struct op *op = &c->m.flow.op[k];
    enum order order = c->m.flow.strength[k].order;
    if (op->kind == OP_FENCE || part_of_operation(op, c->machine.code[i].name) != PART_FIRST) return false;
    if (op_kinds[op->kind].meets)
        order = op->barrier == BARRIER_CLUSTER ? op_rows[op->name].calls[0].order : ORDER_RELAXED;
    if (op_kinds[op->kind].mbarrier && c->m.flow.strength[k].scope == SCOPE_CTA) return false;
    return order == ORDER_RELEASE || order == ORDER_ACQ_REL;
}

/* A release is a fence before the access, which may be a loop: is there one of the scope, or a wider one? */
static bool is_released(const struct sass_check *c, int i, enum scope scope) {
    int op = c->machine_op[i];
    while (--i >= 0 && (!is_access(c->machine.code[i].name) || c->machine_op[i] == op)) {
        const char *name = c->machine.code[i].name;
        if (!is_kind(name, OP_FENCE)) continue;
        for (enum scope wide = scope; wide <= SCOPE_SYS; wide++)
            if (has_scope(name, wide)) return true;
    }
    return false;
}

/* An instruction as it is shown: a barrier with its number. */
static const char *shown(const struct sass_check *c, const struct sass_instruction *code) {
    bool barrier = is_kind(code->name, OP_BARRIER);
    return barrier && *code->operands ? arena_printf(c->m.arena, "%s %s", code->name, code->operands)
                                      : code->name;
}

/* Whether an instruction in operation k's line is right. */
static bool check_machine_instruction(struct sass_check *c, int i, int k) {
    const struct sass_instruction *code = &c->machine.code[i];
    if (!is_right(c, k, code))
        return meant_problem(&c->m, "%s is %s at %s", meant_describe(&c->m, k), shown(c, code),
                             code->address);
    if (releases(c, i, k) && !is_released(c, i, c->m.flow.strength[k].scope))
        return meant_problem(&c->m, "%s is %s at %s without a fence before it", meant_describe(&c->m, k),
                             shown(c, code), code->address);
    return true;
}

/* Every operation of the PTX that is looked for has all its parts. */
static bool check_machine_presence(struct sass_check *c, const unsigned *there) {
    for (int k = 1; k <= c->m.flow.n; k++) {
        unsigned wanted = PART_FIRST | (op_rows[c->m.flow.op[k].name].machine_end ? PART_LAST : 0);
        if (c->has[k] && !is_silent(&c->m.flow, k) && (there[k] & wanted) != wanted)
            return meant_problem(&c->m, "%s is missing in the machine code", meant_describe(&c->m, k));
    }
    return true;
}

/* Every instruction of an operation's line is right, and every operation has one. */
static bool check_machine_instructions(struct sass_check *c) {
    unsigned *there = arena_array(c->m.arena, (size_t)c->m.flow.n + 1, sizeof *there);
    for (int i = 0; i < c->machine.n; i++) {
        int k = c->machine_op[i];
        unsigned part = k ? part_of_operation(&c->m.flow.op[k], c->machine.code[i].name) : PART_NONE;
        if (part == PART_NONE) continue;
        if (c->m.flow.op[k].kind == OP_FENCE && !is_right(c, k, &c->machine.code[i]))
            continue; /* for sm_75 and sm_80 a release's fence may stand in another one's line */
        if (!check_machine_instruction(c, i, k)) return false;
        there[k] |= part;
    }
    return check_machine_presence(c, there);
}

/* Is the operation a fence of some state spaces alone? */
static bool is_of_spaces(const struct op *op) {
    return op->kind == OP_FENCE && op_rows[op->name].spaces;
}

/* The assembler may move an access over a fence of other state spaces. So the order of all but such fences is looked at, and
 * then for each of them the order of what it is about. */
static bool is_out_of_view(const struct sass_check *c, const struct op *op) {
    if (is_of_spaces(op)) return op->number != c->fence;
    if (!c->fence || !op_kinds[op->kind].touches[0]) return false;
    unsigned spaces = op_rows[c->m.flow.op[c->fence].name].spaces;
    for (int p = 0; p < OP_PLACES; p++)
        if (op_kinds[op->kind].touches[p] && spaces >> c->m.t->locs[op->place[p].loc].space & 1) return false;
    return true;
}

/* The assembler takes what a load through the read-only proxy reads for a constant, and moves the load as it likes. It
 * makes several instructions of a fence of the alias proxy, which control may pass on one of several ways. An atomic operation
 * of 64 bits in shared memory may be a loop, which is left where nothing is to be changed. */
static bool is_loose(const struct sass_check *c, int k) {
    const struct op *op = &c->m.flow.op[k];
    if (is_out_of_view(c, op)) return true;
    bool alias = op->kind == OP_FENCE && op_rows[op->name].proxy == PROXY_ALIAS;
    if (!op_kinds[op->kind].touches[0]) return alias || is_silent(&c->m.flow, k);
    bool shared = c->m.t->locs[op->place[0].loc].space == SPACE_SHARED;
    return op_rows[op->name].proxy != PROXY_GENERIC || (op->kind == OP_RMW && shared && op->type.bits == 64);
}

/* May b come after a with nothing between but what is loose in machine code? */
static bool may_come_after(const struct sass_check *c, int a, int b) {
    const struct flow *f = &c->m.flow;
    struct arena *scratch = arena_open();
    int *stack = arena_array(scratch, (size_t)f->n + 1, sizeof *stack), depth = 0;
    bool *seen = arena_array(scratch, (size_t)f->n + 1, sizeof *seen), may = false;
    stack[depth++] = a;
    while (depth > 0 && !may) {
        int from = stack[--depth];
        may = flow_may_follow(f, from, b);
        for (int k = 1; k <= f->n; k++) {
            if (seen[k] || !is_loose(c, k) || !flow_may_follow(f, from, k)) continue;
            seen[k] = true;
            stack[depth++] = k;
        }
    }
    arena_close(scratch);
    return may;
}

/* Is instruction i an operation, and not only in the line of one? */
static bool is_operation(const struct sass_check *c, int i) {
    int k = c->machine_op[i];
    const struct sass_instruction *code = &c->machine.code[i];
    return k && part_of_operation(&c->m.flow.op[k], code->name) != PART_NONE && is_right(c, k, code);
}

/* May operation b, at instruction j, come after a, at instruction i? What ends an operation comes after its begin. */
static bool may_stand_behind(const struct sass_check *c, int i, int j) {
    int a = c->machine_op[i], b = c->machine_op[j];
    const struct op *op = &c->m.flow.op[b];
    enum machine_part part = part_of_operation(op, c->machine.code[j].name);
    if (a == b && (part == PART_MET || op->kind == OP_FENCE)) return true; /* of fences see above */
    bool begun = part_of_operation(&c->m.flow.op[a], c->machine.code[i].name) == PART_FIRST;
    if (part == PART_LAST || (begun && op_rows[c->m.flow.op[a].name].machine_end)) return a == b;
    return may_come_after(c, a, b);
}

/* Whether two instructions are not under the same condition, so that they may be of two branches. */
static bool differ_in_guard(const struct sass_instruction *x, const struct sass_instruction *y) {
    return *x->guard && *y->guard && strcmp(x->guard, y->guard) != 0;
}

/* Whether control may take a jump, or pass it, where instruction x ran: not if their conditions say otherwise. */
static bool may_jump(const struct sass_instruction *x, const struct sass_instruction *jump) {
    return !differ_in_guard(x, jump);
}
static bool may_pass(const struct sass_instruction *x, const struct sass_instruction *jump) {
    return !*x->guard || strcmp(x->guard, jump->guard) != 0;
}

/* A search for the operations of a body that come next. */
struct sass_walk {
    struct sass_check *c;
    const struct sass_instruction *from; /* the instruction where it begins */
    int a;                               /* its operation */
    int *stack, depth;
    bool *seen, *left; /* left: where control comes from its line */
};

static void walk_to(struct sass_walk *w, int i) {
    if (i >= w->c->machine.n || w->seen[i]) return;
    w->seen[i] = true;
    w->stack[w->depth++] = i;
}

/* Goes wherever control may go from an instruction. */
static void walk_on(struct sass_walk *w, int i) {
    const struct sass_instruction *code = &w->c->machine.code[i];
    if (code->jumps >= 0 && may_jump(w->from, code)) walk_to(w, code->jumps);
    if (code->goes_on && (code->jumps < 0 || may_pass(w->from, code))) walk_to(w, i + 1);
    for (int j = 0; code->by_table && j < w->c->machine.n; j++)
        if (w->c->machine.code[j].in_table) walk_to(w, j);
}

/* Whether instruction j is a next operation of the body. */
static bool is_next(const struct sass_walk *w, int j) {
    const struct op *op = w->c->m.flow.op;
    int b = w->c->machine_op[j];
    return is_operation(w->c, j) && !is_loose(w->c, b) && op[b].body == op[w->a].body;
}

/* Whether instruction j belongs to instruction i's turn of the operation, where control comes to it within the line: the
 * assembler makes a loop of an atomic operation, and several instructions of one on an mbarrier, with a turn for each lane. */
static bool is_same_turn(const struct sass_check *c, int i, int j) {
    int k = c->machine_op[i];
    enum op_kind kind = c->m.flow.op[k].kind;
    if (c->machine_op[j] != k) return false;
    return !is_operation(c, j) || op_kinds[kind].mbarrier || (kind == OP_RMW && j == i);
}

/* Goes to wherever control may leave instruction i's turn of its operation. */
static void walk_out(struct sass_walk *w, int i) {
    size_t n = (size_t)w->c->machine.n;
    w->from = &w->c->machine.code[i];
    w->a = w->c->machine_op[i];
    w->depth = 0;
    memset(w->seen, 0, n * sizeof *w->seen);
    memset(w->left, 0, n * sizeof *w->left);
    for (walk_on(w, i); w->depth > 0;) {
        int j = w->stack[--w->depth];
        w->left[j] = !is_same_turn(w->c, i, j);
        if (!w->left[j]) walk_on(w, j);
    }
    memset(w->seen, 0, n * sizeof *w->seen);
    for (int j = 0; j < w->c->machine.n; j++)
        if (w->left[j]) walk_to(w, j);
}

/* Whether control comes on each way from instruction i, of an operation, to such as the program allows. What stands under
 * another condition may be the other branch's. */
static bool check_ways(struct sass_walk *w, int i) {
    struct sass_check *c = w->c;
    for (walk_out(w, i); w->depth > 0;) {
        int j = w->stack[--w->depth], b = c->machine_op[j];
        if (!is_next(w, j))
            walk_on(w, j);
        else if (!differ_in_guard(w->from, &c->machine.code[j]) && !may_stand_behind(c, i, j))
            return meant_problem(&c->m, "%s at %s comes after %s, which the program does not allow",
                                 meant_describe(&c->m, b), c->machine.code[j].address,
                                 meant_describe(&c->m, w->a));
    }
    return true;
}

/* From each instruction of an operation the next operations of the body are such as the program allows, on every way: so
 * nothing is missing in one of several copies of its code. */
static bool check_order_in_view(struct sass_check *c) {
    size_t n = (size_t)c->machine.n;
    struct sass_walk w = {.c = c,
                          .stack = arena_array(c->m.arena, n, sizeof *w.stack),
                          .seen = arena_array(c->m.arena, n, sizeof *w.seen),
                          .left = arena_array(c->m.arena, n, sizeof *w.left)};
    bool fine = true;
    for (int i = 0; i < c->machine.n && fine; i++)
        if (is_operation(c, i) && !is_loose(c, c->machine_op[i])) fine = check_ways(&w, i);
    return fine;
}

static bool check_machine_order(struct sass_check *c) {
    bool fine = check_order_in_view(c);
    for (int k = 1; k <= c->m.flow.n && fine; k++) {
        if (!flow_has(&c->m.flow, k) || !is_of_spaces(&c->m.flow.op[k])) continue;
        c->fence = k;
        fine = check_order_in_view(c);
    }
    return fine;
}

/* The operations by the lines of the unit that define them, which end in their PTX and its comment "op 4". */
static void find_lines(struct sass_check *c, const char *unit) {
    int *line_of = arena_array(c->m.arena, (size_t)c->m.flow.n + 1, sizeof *line_of), line = 1;
    for (const char *s = unit, *mark; (mark = strstr(s, "; // op ")) != NULL; s = mark + 8) {
        int k = atoi(mark + 8);
        for (const char *newline = s; (newline = memchr(newline, '\n', (size_t)(mark - newline))); newline++)
            line++;
        if (k > 0 && k <= c->m.flow.n) line_of[k] = line;
    }
    c->machine_op = arena_array(c->m.arena, (size_t)c->machine.n, sizeof *c->machine_op);
    for (int i = 0; i < c->machine.n; i++)
        for (int k = 1; k <= c->m.flow.n; k++)
            if (line_of[k] && line_of[k] == c->machine.code[i].line) c->machine_op[i] = k;
}

/* An operation may be a call of a function that the assembler adds: the call stands for the instruction there. */
static void resolve_calls(struct sass_check *c) {
    struct sass_instruction *code = arena_array(c->m.arena, (size_t)c->machine.n, sizeof *code);
    for (int i = 0; i < c->machine.n; i++) {
        const struct op *op = &c->m.flow.op[c->machine_op[i]];
        code[i] = c->machine.code[i];
        for (int j = code[i].calls; c->machine_op[i] && j >= 0 && j < c->machine.n; j++) {
            const struct sass_instruction *there = &c->machine.code[j];
            bool found = part_of_operation(op, there->name) == PART_FIRST;
            if (found) code[i].name = there->name, code[i].operands = there->operands;
            if (found || has_part(there->name, "RET")) break;
        }
    }
    c->machine.code = code;
}

static void list(struct sass_check *c) {
    struct text *out = &c->m.compiled;
    for (int i = 0; i < c->machine.n; i++) {
        const struct sass_instruction *code = &c->machine.code[i];
        int k = c->machine_op[i];
        bool part = k && part_of_operation(&c->m.flow.op[k], code->name) != PART_NONE;
        if (!part && !is_access(code->name) && !is_kind(code->name, OP_FENCE)) continue;
        text_printf(out, "  %s  %s", code->address, shown(c, code));
        if (k) text_printf(out, "  op %d", k);
        text_add(out, "\n");
    }
}

bool verify_sass(const struct test *t, const struct cell *cell, const char *unit,
                 const struct sass_kernel *machine, const bool *has, struct diag *d) {
    struct sass_check c = {.m = meant_of(t, cell), .machine = *machine, .has = has};
    find_lines(&c, unit);
    resolve_calls(&c);
    bool fine = check_machine_instructions(&c) && check_machine_order(&c);
    if (!fine) {
        list(&c);
        meant_report(&c.m, d);
    }
    meant_close(&c.m);
    return fine;
}
