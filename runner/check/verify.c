#include "check/verify.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "check/flow.h"
#include "check/ptx.h"

struct check {
    struct arena *arena;
    const struct test *t;
    const struct cell *v;
    struct flow flow;
    const char **meant; /* the instruction of each operation */
    struct ptx_kernel kernel;
    struct sass_kernel machine;
    int *machine_op;     /* of each machine instruction: the operation whose line it has, 0: none */
    struct text problem; /* empty: none so far */
};

/* ---- what the test means ---- */

static const char *space_of(const struct check *c, const struct op *op) {
    const struct placement *p = c->v->placement;
    if (c->t->locs[op->loc].space != SPACE_SHARED) return ".global";
    if (c->t->locs[op->loc].instances > 1) return ".shared";
    return p->nblocks > 1 && p->nclusters == 1 ? ".shared::cluster" : ".shared";
}

/* A part of the row's pattern: "$o" and the like. */
static const char *part_of(const struct check *c, int k, char part) {
    const struct op *op = &c->flow.op[k];
    struct strength s = c->flow.strength[k];
    bool scoped = s.order != ORDER_WEAK && s.order != ORDER_VOLATILE;
    if (part == 's') return space_of(c, op);
    if (part == 'k') return op_cache(op);
    if (part == 'x') return op->red ? "red" : "atom";
    if (part == 't') return arena_printf(c->arena, ".%s", op_ptx_type(op));
    return arena_printf(c->arena, ".%s%s%s", order_name(s.order), scoped ? "." : "",
                        scoped ? scope_ptx(s.scope) : "");
}

/* Adds the name of one instruction, without its operands; what declares a register, and braces, are none. */
static void add_meaning(const struct check *c, int k, const char *s, struct text *out) {
    if (strchr("{}.", *s)) return;
    if (out->len) text_add(out, " ");
    for (; *s && !strchr(" ;\n", *s); s++)
        if (*s == '$')
            text_add(out, part_of(c, k, *++s));
        else
            text_add_n(out, s, 1);
}

/* The instructions that operation k has to be (PTX ISA, "ld", "st", "atom", "fence", "barrier"). */
static const char *meaning(const struct check *c, int k) {
    struct text out = {0};
    for (const char *s = op_rows[c->flow.op[k].name].ptx; s; s = strchr(s, '\n')) {
        s += strspn(s, "\n\t");
        add_meaning(c, k, s, &out);
    }
    const char *all = arena_strdup(c->arena, out.s);
    text_free(&out);
    return all;
}

/* ---- what was compiled ---- */

static const char *describe(const struct check *c, int k) {
    if (k == 0) return "the end of the thread";
    return arena_printf(c->arena, "op %d (%s)", k, c->meant[k]);
}

static bool problem(struct check *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool problem(struct check *c, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    text_vprintf(&c->problem, fmt, ap);
    va_end(ap);
    return false;
}

/* Every numbered instruction is what its operation names. */
static bool check_instructions(struct check *c) {
    for (int i = 0; i < c->kernel.n; i++) {
        const struct ptx_instruction *code = &c->kernel.code[i];
        if (code->op == 0) continue;
        if (code->op < 0 || code->op > c->flow.n || !flow_has(&c->flow, code->op))
            return problem(c, "line %d is %s for op %d, which this cell does not have", code->line,
                           code->name, code->op);
        if (strcmp(code->name, c->meant[code->op]) != 0)
            return problem(c, "line %d is %s where op %d is %s", code->line, code->name, code->op,
                           c->meant[code->op]);
    }
    return true;
}

static bool check_presence(struct check *c) {
    bool *there = arena_array(c->arena, (size_t)c->flow.n + 1, sizeof *there);
    for (int i = 0; i < c->kernel.n; i++)
        there[c->kernel.code[i].op] = true;
    for (int k = 1; k <= c->flow.n; k++)
        if (c->flow.must[k] && !there[k]) return problem(c, "%s is missing", describe(c, k));
    return true;
}

/* May b be the next operation after a, in the same run of a body or in the thread's next one? */
static bool may_follow(const struct flow *f, int a, int b) {
    return flow_follows(f, a, b) || (flow_follows(f, a, 0) && (b == 0 || flow_follows(f, 0, b)));
}

/* Control came from instruction `from` to `to` (the kernel's end: its number of instructions) without another
 * operation between, but with another access where `extra` >= 0. */
static bool check_step(struct check *c, int from, int to, int extra) {
    int a = from < 0 ? 0 : c->kernel.code[from].op, b = to < c->kernel.n ? c->kernel.code[to].op : 0;
    const struct flow *f = &c->flow;
    if (a == 0)
        return b == 0 || flow_follows(f, 0, b) || problem(c, "a thread begins with %s", describe(c, b));
    if (!may_follow(f, a, b))
        return problem(c, "%s (line %d) is followed by %s, which the program does not allow", describe(c, a),
                       c->kernel.code[from].line, describe(c, b));
    bool same_run = !(flow_follows(f, a, 0) && (b == 0 || flow_follows(f, 0, b)));
    if (same_run && extra >= 0)
        return problem(c, "%s (line %d) stands between %s and %s", c->kernel.code[extra].name,
                       c->kernel.code[extra].line, describe(c, a), describe(c, b));
    return true;
}

/* Follows control from an operation (-1: the kernel's begin) to the next ones. An instruction is looked at
 * twice at most: as reached without another access since, and with one. */
static bool check_successors(struct check *c, int from) {
    int n = c->kernel.n, depth = 0;
    struct arena *scratch = arena_open();
    bool *seen = arena_array(scratch, 2 * (size_t)n + 2, sizeof *seen), fine = true;
    struct visit {
        int at, extra;
    } *stack = arena_array(scratch, 2 * (size_t)n + 2, sizeof *stack);
    const int begin = 0, *next = from < 0 ? &begin : c->kernel.code[from].next;
    int nnext = from < 0 ? 1 : c->kernel.code[from].nnext, extra = -1;
    for (;;) {
        for (int k = 0; k < nnext; k++) {
            bool *mark = &seen[2 * next[k] + (extra >= 0)];
            if (!*mark) stack[depth++] = (struct visit){next[k], extra};
            *mark = true;
        }
        if (depth == 0 || !fine) break;
        struct visit v = stack[--depth];
        bool stops = v.at == n || c->kernel.code[v.at].op != 0;
        if (stops) fine = check_step(c, from, v.at, v.extra);
        next = stops ? NULL : c->kernel.code[v.at].next;
        nnext = stops ? 0 : c->kernel.code[v.at].nnext;
        extra = v.extra >= 0 || stops || !c->kernel.code[v.at].memory ? v.extra : v.at;
    }
    arena_close(scratch);
    return fine;
}

static bool check_order(struct check *c) {
    bool fine = check_successors(c, -1);
    for (int i = 0; i < c->kernel.n && fine; i++)
        if (c->kernel.code[i].op) fine = check_successors(c, i);
    return fine;
}

/* ---- machine code ---- */

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
    return is_kind(name, OP_LOAD) || is_kind(name, OP_STORE) || is_kind(name, OP_RMW) ||
           is_kind(name, OP_COPY);
}

/* A block's scope is called CTA or SM; there is none for a cluster, which gets the device's. */
static bool has_scope(const char *name, enum scope scope) {
    if (scope == SCOPE_CTA) return has_part(name, "CTA") || has_part(name, "SM");
    return has_part(name, scope == SCOPE_SYS ? "SYS" : "GPU");
}

/* Is an access as wide as the operation's type? One of 32 bits has no part for that. */
static bool has_width(const char *name, const struct op *op) {
    static const char *const widths[] = {"U8", "S8", "U16", "S16", "64", "128"};
    static const int bytes[] = {1, 1, 2, 2, 8, 16};
    int want = type_bytes(op->type), found = 4;
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
    PART_MET = 4, /* nothing is to be done, for all lanes have come */
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
static bool is_right(const struct check *c, int k, const struct sass_instruction *code) {
    const struct op *op = &c->flow.op[k];
    const char *name = code->name;
    struct strength s = c->flow.strength[k];
    if (part_of_operation(op, name) != PART_FIRST) return true;
    if (op->kind == OP_FENCE)
        return has_part(name, s.order == ORDER_SC ? "SC" : "ALL") && has_scope(name, s.scope) &&
               !is_silent(&c->flow, k);
    const char *word = op_rows[op->name].machine_word;
    bool loops = has_part(name, "ATOMS") && has_part(name, "CAST"); /* shared memory adds no 64 bits itself */
    bool counts = has_part(name, "ATOMS") && has_part(name, "POPC"); /* lanes add 1 and want no result */
    if (counts && word && strcmp(word, "ADD") == 0) word = "INC";
    if (word && !has_part(name, word) && !loops) return false;
    if (op->kind == OP_HINT) return true;
    if (op->kind == OP_BARRIER || op->kind == OP_EXCHANGE) return is_right_barrier(op, code->operands);
    if (op->loc >= 0 && !has_width(name, op)) return false;
    if (has_part(name, "LDS") || has_part(name, "STS") || has_part(name, "ATOMS")) return true;
    enum scope strong = s.order == ORDER_WEAK ? op_rows[op->name].machine_scope : s.scope;
    if (strong == SCOPE_NONE) return !has_part(name, "STRONG");
    return has_part(name, "STRONG") && has_scope(name, strong);
}

/* Does instruction i, of operation k, release what comes before it by a fence? A barrier of a block does it alone. */
static bool releases(const struct check *c, int i, int k) {
    const struct op *op = &c->flow.op[k];
    enum order order = c->flow.strength[k].order;
    if (op->kind == OP_FENCE || part_of_operation(op, c->machine.code[i].name) != PART_FIRST) return false;
    if (op->kind == OP_BARRIER || op->kind == OP_EXCHANGE)
        order = op->barrier == BARRIER_CLUSTER ? op_rows[op->name].calls[0].order : ORDER_RELAXED;
    return order == ORDER_RELEASE || order == ORDER_ACQ_REL;
}

/* A release is a fence before the access, which may be a loop: is there one of the scope, or a wider one? */
static bool is_released(const struct check *c, int i, enum scope scope) {
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
static const char *shown(const struct check *c, const struct sass_instruction *code) {
    bool barrier = is_kind(code->name, OP_BARRIER);
    return barrier && *code->operands ? arena_printf(c->arena, "%s %s", code->name, code->operands)
                                      : code->name;
}

/* Whether an instruction in operation k's line is right. */
static bool check_machine_instruction(struct check *c, int i, int k) {
    const struct sass_instruction *code = &c->machine.code[i];
    if (!is_right(c, k, code))
        return problem(c, "%s is %s at %s", describe(c, k), shown(c, code), code->address);
    if (releases(c, i, k) && !is_released(c, i, c->flow.strength[k].scope))
        return problem(c, "%s is %s at %s without a fence before it", describe(c, k), shown(c, code),
                       code->address);
    return true;
}

/* Every operation that is looked for has all its parts. */
static bool check_machine_presence(struct check *c, const unsigned *there) {
    for (int k = 1; k <= c->flow.n; k++) {
        unsigned wanted = PART_FIRST | (op_rows[c->flow.op[k].name].machine_end ? PART_LAST : 0);
        if (c->flow.must[k] && !is_silent(&c->flow, k) && (there[k] & wanted) != wanted)
            return problem(c, "%s is missing in the machine code", describe(c, k));
    }
    return true;
}

/* Every instruction of an operation's line is right, and every operation has one. */
static bool check_machine_instructions(struct check *c) {
    unsigned *there = arena_array(c->arena, (size_t)c->flow.n + 1, sizeof *there);
    for (int i = 0; i < c->machine.n; i++) {
        int k = c->machine_op[i];
        unsigned part = k ? part_of_operation(&c->flow.op[k], c->machine.code[i].name) : PART_NONE;
        if (part == PART_NONE) continue;
        if (c->flow.op[k].kind == OP_FENCE && !is_right(c, k, &c->machine.code[i]))
            continue; /* for sm_75 and sm_80 a release's fence may stand in another one's line */
        if (!check_machine_instruction(c, i, k)) return false;
        there[k] |= part;
    }
    return check_machine_presence(c, there);
}

/* May b come after a with nothing between but what is not looked for in machine code? */
static bool may_come_after(const struct check *c, int a, int b) {
    const struct flow *f = &c->flow;
    struct arena *scratch = arena_open();
    int *stack = arena_array(scratch, (size_t)f->n + 1, sizeof *stack), depth = 0;
    bool *seen = arena_array(scratch, (size_t)f->n + 1, sizeof *seen), may = false;
    stack[depth++] = a;
    while (depth > 0 && !may) {
        int from = stack[--depth];
        may = may_follow(f, from, b);
        for (int k = 1; k <= f->n; k++) {
            if (seen[k] || !is_silent(f, k) || !may_follow(f, from, k)) continue;
            seen[k] = true;
            stack[depth++] = k;
        }
    }
    arena_close(scratch);
    return may;
}

/* Is instruction i an operation, and not only in the line of one? */
static bool is_operation(const struct check *c, int i) {
    int k = c->machine_op[i];
    const struct sass_instruction *code = &c->machine.code[i];
    return k && part_of_operation(&c->flow.op[k], code->name) != PART_NONE && is_right(c, k, code);
}

/* May operation b, at instruction i, come after a? What ends an operation comes after its begin. */
static bool may_stand_behind(const struct check *c, int a, int b, int i) {
    const struct op *op = &c->flow.op[b];
    enum machine_part part = part_of_operation(op, c->machine.code[i].name);
    if (a == b && (part == PART_MET || op->kind == OP_FENCE)) return true; /* of fences see above */
    return part == PART_LAST ? a == b : may_come_after(c, a, b);
}

/* The instruction of an operation of the same body that control comes from to instruction i, in the same run
 * of instructions; -1: none. One under another condition may be the other branch's. */
static int machine_predecessor(const struct check *c, int i) {
    const struct sass_instruction *code = c->machine.code;
    const struct body *body = c->flow.op[c->machine_op[i]].body;
    for (int j = i; !code[j].first && --j >= 0;) {
        int k = c->machine_op[j];
        bool same_way = !*code[i].guard || !*code[j].guard || strcmp(code[i].guard, code[j].guard) == 0;
        if (k && c->flow.op[k].body == body && is_operation(c, j) && same_way) return j;
    }
    return -1;
}

/* Within a run of instructions those of one body are in an order that the program allows. */
static bool check_machine_order(struct check *c) {
    for (int i = 0; i < c->machine.n; i++) {
        int k = c->machine_op[i];
        if (!is_operation(c, i)) continue;
        int j = machine_predecessor(c, i);
        if (j >= 0 && !may_stand_behind(c, c->machine_op[j], k, i))
            return problem(c, "%s at %s comes after %s, which the program does not allow", describe(c, k),
                           c->machine.code[i].address, describe(c, c->machine_op[j]));
    }
    return true;
}

/* The operations by the lines of the unit that define them, which end in their PTX and its comment "op 4". */
static void find_lines(struct check *c, const char *unit) {
    int *line_of = arena_array(c->arena, (size_t)c->flow.n + 1, sizeof *line_of), line = 1;
    for (const char *s = unit, *mark; (mark = strstr(s, "; // op ")) != NULL; s = mark + 8) {
        int k = atoi(mark + 8);
        for (const char *newline = s; (newline = memchr(newline, '\n', (size_t)(mark - newline))); newline++)
            line++;
        if (k > 0 && k <= c->flow.n) line_of[k] = line;
    }
    c->machine_op = arena_array(c->arena, (size_t)c->machine.n, sizeof *c->machine_op);
    for (int i = 0; i < c->machine.n; i++)
        for (int k = 1; k <= c->flow.n; k++)
            if (line_of[k] && line_of[k] == c->machine.code[i].line) c->machine_op[i] = k;
}

/* An operation may be a call of a function that the assembler adds: the call stands for the instruction there. */
static void resolve_calls(struct check *c) {
    struct sass_instruction *code = arena_array(c->arena, (size_t)c->machine.n, sizeof *code);
    for (int i = 0; i < c->machine.n; i++) {
        const struct op *op = &c->flow.op[c->machine_op[i]];
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

/* ---- both listings ---- */

static void list_meant(const struct check *c, struct text *out) {
    const struct body *body = NULL;
    text_add(out, "what the test means:\n");
    for (int k = 1; k <= c->flow.n; k++) {
        if (c->flow.op[k].body != body) text_printf(out, "  %s\n", c->flow.op[k].body->name);
        body = c->flow.op[k].body;
        if (flow_has(&c->flow, k)) text_printf(out, "    op %-3d %s\n", k, c->meant[k]);
    }
}

static void list_machine_code(const struct check *c, struct text *out) {
    for (int i = 0; i < c->machine.n; i++) {
        const struct sass_instruction *code = &c->machine.code[i];
        int k = c->machine_op[i];
        bool part = k && part_of_operation(&c->flow.op[k], code->name) != PART_NONE;
        if (!part && !is_access(code->name) && !is_kind(code->name, OP_FENCE)) continue;
        text_printf(out, "  %s  %s", code->address, shown(c, code));
        if (k) text_printf(out, "  op %d", k);
        text_add(out, "\n");
    }
}

static void list_ptx(const struct check *c, struct text *out) {
    for (int i = 0; i < c->kernel.n; i++) {
        const struct ptx_instruction *code = &c->kernel.code[i];
        if (!code->memory && code->op == 0) continue;
        text_printf(out, "  line %-5d %s", code->line, code->name);
        if (code->op) text_printf(out, "  op %d", code->op);
        text_add(out, "\n");
    }
}

static void report(const struct check *c, struct diag *d) {
    struct text listings = {0};
    list_meant(c, &listings);
    text_add(&listings, "what was compiled:\n");
    if (c->machine.n)
        list_machine_code(c, &listings);
    else
        list_ptx(c, &listings);
    diag_fail(d, "%s (%s, %s, %s): the compiled code is not the test: %s\n%s", c->t->name,
              c->v->placement->name, access_name(c->v->access), c->v->fence->name, c->problem.s, listings.s);
    text_free(&listings);
}

static struct check begin(const struct test *t, const struct cell *v) {
    struct check c = {.arena = arena_open(), .t = t, .v = v};
    c.flow = flow_of(c.arena, t, v);
    c.meant = arena_array(c.arena, (size_t)c.flow.n + 1, sizeof *c.meant);
    for (int k = 1; k <= c.flow.n; k++)
        c.meant[k] = meaning(&c, k);
    return c;
}

static bool finish(struct check *c, bool fine, struct diag *d) {
    if (!fine) report(c, d);
    text_free(&c->problem);
    arena_close(c->arena);
    return fine;
}

bool verify_ptx(const struct test *t, const struct cell *v, const char *ptx, struct diag *d) {
    struct check c = begin(t, v);
    c.kernel = ptx_read(c.arena, ptx, "litmus");
    bool fine = c.kernel.n > 0 || problem(&c, "there is no kernel 'litmus'");
    fine = fine && check_instructions(&c) && check_presence(&c) && check_order(&c);
    return finish(&c, fine, d);
}

bool verify_sass(const struct test *t, const struct cell *v, const char *unit,
                 const struct sass_kernel *machine, struct diag *d) {
    struct check c = begin(t, v);
    c.machine = *machine;
    find_lines(&c, unit);
    resolve_calls(&c);
    return finish(&c, check_machine_instructions(&c) && check_machine_order(&c), d);
}
