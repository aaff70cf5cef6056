#include <stdlib.h>
#include <string.h>

#include "check/machine.h"
#include "check/verify.h"

bool machine_has_part(const char *name, const char *part) {
    size_t len = strlen(part);
    for (const char *s = name; s; s = strchr(s, '.') ? strchr(s, '.') + 1 : NULL)
        if (strncmp(s, part, len) == 0 && (s[len] == '.' || s[len] == '\0')) return true;
    return false;
}

/* Whether ptxas uses the instruction for an operation of the kind. */
static bool is_kind(const char *name, enum op_kind kind) {
    for (int k = 0; k < OP_COUNT; k++)
        if (op_rows[k].kind == kind && sass_is_one_of(op_rows[k].machine, name)) return true;
    return false;
}

bool machine_is_access(const char *name) {
    for (int k = 0; k < OP_COUNT; k++)
        if (op_kinds[op_rows[k].kind].touches[0] && sass_is_one_of(op_rows[k].machine, name)) return true;
    return false;
}

bool machine_has_scope(const char *name, enum scope scope) {
    if (scope == SCOPE_CTA) return machine_has_part(name, "CTA") || machine_has_part(name, "SM");
    return machine_has_part(name, scope == SCOPE_SYS ? "SYS" : "GPU");
}

bool machine_has_wide_scope(const char *name, enum scope scope) {
    for (enum scope wide = scope; wide <= SCOPE_SYS; wide++)
        if (machine_has_scope(name, wide)) return true;
    return false;
}

/* Whether an access is as wide as the operation's type, or as the bytes that it copies. One of 32 bits has no
 * part for its width. */
static bool has_width(const char *name, const struct op *op) {
    static const char *const widths[] = {"U8", "S8", "U16", "S16", "64", "F64", "128"};
    static const int bytes[] = {1, 1, 2, 2, 8, 8, 16};
    int want = op->kind == OP_COPY ? op->bytes : type_bytes(op->type), found = 4;
    for (size_t k = 0; k < sizeof bytes / sizeof *bytes; k++)
        if (machine_has_part(name, widths[k])) found = bytes[k];
    return found == want;
}

/* Whether a copy writes zeros as the operation does. One that reads nothing has the guard that is never
 * true. */
static bool has_zeros(const struct sass_instruction *code, const struct op *op) {
    bool none = strstr(code->operands, ", !PT"), some = machine_has_part(code->name, "ZFILL");
    return op->zeros == 0 ? !none && !some : op->zeros == op->bytes ? none : some;
}

bool machine_is_silent(const struct flow *f, int k) {
    const struct op *op = &f->op[k];
    bool of_warp = op->kind == OP_EXCHANGE && op->barrier == BARRIER_WARP;
    bool acquires = op->kind == OP_FENCE && f->strength[k].order == ORDER_ACQUIRE;
    return of_warp || acquires || op->kind == OP_CLOCK || op->kind == OP_PENDING;
}

enum machine_part machine_part(const struct op *op, const char *name) {
    const struct op_row *row = &op_rows[op->name];
    if (sass_is_one_of(row->machine, name)) return PART_FIRST;
    if (sass_is_one_of(row->machine_end, name)) return PART_LAST;
    return sass_is_one_of(row->machine_met, name) ? PART_MET : PART_NONE;
}

/* Whether an operand may be the number. It is known only where it stands in the code: "0x1". */
static bool may_be(const char *operand, int number) {
    operand += strspn(operand, ", ");
    return strncmp(operand, "0x", 2) != 0 || strtoul(operand, NULL, 16) == (unsigned long)number;
}

/* Whether a barrier of a block has the right number and count, as "BAR.ARV 0x1, 0x40". The GPU counts
 * threads; each thread that the test counts is a warp of 32 on the GPU. */
static bool is_right_barrier(const struct op *op, const char *operands) {
    if (op->barrier != BARRIER_CTA) return true;
    const char *count = operands + strcspn(operands, ",");
    return may_be(operands, op->barrier_id) &&
           (!op->barrier_threads || may_be(count, WARP_LANES * op->barrier_threads));
}

/* Whether the instruction is right for operation k. Accesses of shared memory have neither strength nor
 * scope. */
static bool is_right(const struct machine *c, int k, const struct sass_instruction *code) {
    const struct op *op = &c->m.flow.op[k];
    const char *name = code->name;
    struct strength s = c->m.flow.strength[k];
    if (machine_part(op, name) != PART_FIRST) return true;
    if (op->kind == OP_FENCE && op_rows[op->name].orders)
        return machine_has_part(name, s.order == ORDER_SC ? "SC" : "ALL") &&
               machine_has_scope(name, s.scope) && !machine_is_silent(&c->m.flow, k);
    const char *word = op_rows[op->name].machine_word;
    bool loops = machine_has_part(name, "ATOMS") &&
                 /* shared memory has no 64-bit atomics, so this is a compare-exchange loop */
                 machine_has_part(name, "CAST");
    bool counts = machine_has_part(name, "ATOMS") &&
                  machine_has_part(name, "POPC"); /* lanes that add 1 and want no result */
    if (counts && word && strcmp(word, "ADD") == 0) word = "INC";
    if (word && !machine_has_part(name, word) && !loops) return false;
    if (op_kinds[op->kind].meets) return is_right_barrier(op, code->operands);
    bool bulk =
        op_rows[op->name].engine == ENGINE_BULK || op->kind == OP_CLEAR; /* its size is in a register */
    if (!op_kinds[op->kind].touches[0] || op_kinds[op->kind].mbarrier || bulk) return true;
    if (!has_width(name, op) || (op->kind == OP_COPY && !has_zeros(code, op))) return false;
    if (machine_has_part(name, "LDS") || machine_has_part(name, "STS") || machine_has_part(name, "ATOMS"))
        return true;
    enum scope strong = s.order == ORDER_WEAK ? op_rows[op->name].machine_scope : s.scope;
    if (strong == SCOPE_NONE) return !machine_has_part(name, "STRONG");
    return machine_has_part(name, "STRONG") && machine_has_scope(name, strong);
}

/* Whether instruction i of operation k must have a fence before it, because it releases. A barrier of a block
 * needs none. */
static bool releases(const struct machine *c, int i, int k) {
    const struct op *op = &c->m.flow.op[k];
    enum order order = c->m.flow.strength[k].order;
    if (op->kind == OP_FENCE || machine_part(op, c->kernel.code[i].name) != PART_FIRST) return false;
    if (op_kinds[op->kind].meets)
        order = op->barrier == BARRIER_CLUSTER ? op_rows[op->name].calls[0].order : ORDER_RELAXED;
    if (op_kinds[op->kind].mbarrier && c->m.flow.strength[k].scope == SCOPE_CTA) return false;
    return order == ORDER_RELEASE || order == ORDER_ACQ_REL;
}

/* Whether control cannot come to instruction i from `before` without passing an operation other than i's that
 * is no fence. */
static bool is_cut_off(const struct machine *c, int i, int before) {
    const struct sass_instruction *code = &c->kernel.code[before];
    if (!code->goes_on) return true;
    if (c->op[before] == c->op[i] || is_kind(code->name, OP_FENCE)) return false;
    return machine_is_access(code->name) || machine_is_operation(c, before);
}

/* Whether a fence of the scope or a wider one stands before the access, which may be a loop. */
static bool is_released(const struct machine *c, int i, enum scope scope) {
    for (int j = i - 1; j >= 0 && !is_cut_off(c, i, j); j--) {
        const char *name = c->kernel.code[j].name;
        if (is_kind(name, OP_FENCE) && machine_has_wide_scope(name, scope)) return true;
    }
    return false;
}

/* Returns an instruction as messages show it: a barrier with its number. */
static const char *shown(const struct machine *c, const struct sass_instruction *code) {
    bool barrier = is_kind(code->name, OP_BARRIER);
    return barrier && *code->operands ? arena_printf(c->m.arena, "%s %s", code->name, code->operands)
                                      : code->name;
}

/* Checks an instruction on the line of operation k. */
static bool check_machine_instruction(struct machine *c, int i, int k) {
    const struct sass_instruction *code = &c->kernel.code[i];
    if (!is_right(c, k, code))
        return meant_problem(&c->m, "%s is %s at %s", meant_describe(&c->m, k), shown(c, code),
                             code->address);
    bool of_cluster = c->m.flow.op[k].barrier == BARRIER_CLUSTER;
    if (releases(c, i, k) && !is_released(c, i, of_cluster ? SCOPE_CLUSTER : c->m.flow.strength[k].scope))
        return meant_problem(&c->m, "%s is %s at %s without a fence before it", meant_describe(&c->m, k),
                             shown(c, code), code->address);
    return true;
}

/* How many first and last parts of each operation the machine code has. */
struct presence {
    int *first, *last;
};

/* Checks that every operation of the PTX has all its parts, in at least as many copies. */
static bool check_machine_presence(struct machine *c, const struct presence *there) {
    int *wanted = arena_array(c->m.arena, (size_t)c->m.flow.n + 1, sizeof *wanted);
    for (int p = 1; p <= c->ways->n; p++) {
        int k = c->ways->op[p], found = there->first[k];
        if (machine_is_silent(&c->m.flow, k)) continue;
        if (op_rows[c->m.flow.op[k].name].machine_end && there->last[k] < found) found = there->last[k];
        if (++wanted[k] > found)
            return meant_problem(&c->m, "%s is missing in %sthe machine code", meant_describe(&c->m, k),
                                 found ? "a copy of " : "");
    }
    return true;
}

/* Checks that every instruction on an operation's line is right, and that every operation has one. */
static bool check_machine_instructions(struct machine *c) {
    size_t n = (size_t)c->m.flow.n + 1;
    struct presence there = {arena_array(c->m.arena, n, sizeof(int)),
                             arena_array(c->m.arena, n, sizeof(int))};
    for (int i = 0; i < c->kernel.n; i++) {
        int k = c->op[i];
        unsigned part = k ? machine_part(&c->m.flow.op[k], c->kernel.code[i].name) : PART_NONE;
        if (part == PART_NONE) continue;
        if (c->m.flow.op[k].kind == OP_FENCE && !is_right(c, k, &c->kernel.code[i]))
            continue; /* for sm_75 and sm_80 the fence of a release may stand on the line of another fence */
        if (!check_machine_instruction(c, i, k)) return false;
        there.first[k] += part == PART_FIRST;
        there.last[k] += part == PART_LAST;
    }
    return check_machine_presence(c, &there);
}

bool machine_is_operation(const struct machine *c, int i) {
    int k = c->op[i];
    const struct sass_instruction *code = &c->kernel.code[i];
    return k && machine_part(&c->m.flow.op[k], code->name) != PART_NONE && is_right(c, k, code);
}

/* Finds the operation of each instruction by its line. An operation is defined on the line of the unit that
 * ends in its PTX with the comment "op 4". */
static void find_lines(struct machine *c, const char *unit) {
    int *line_of = arena_array(c->m.arena, (size_t)c->m.flow.n + 1, sizeof *line_of), line = 1;
    for (const char *s = unit, *mark; (mark = strstr(s, "; // op ")) != NULL; s = mark + 8) {
        int k = atoi(mark + 8);
        for (const char *newline = s; (newline = memchr(newline, '\n', (size_t)(mark - newline))); newline++)
            line++;
        if (k > 0 && k <= c->m.flow.n) line_of[k] = line;
    }
    c->op = arena_array(c->m.arena, (size_t)c->kernel.n, sizeof *c->op);
    for (int i = 0; i < c->kernel.n; i++)
        for (int k = 1; k <= c->m.flow.n; k++)
            if (line_of[k] && line_of[k] == c->kernel.code[i].line) c->op[i] = k;
}

/* An operation may be a call of a function that the assembler adds. Puts the function's instruction in place
 * of the call. */
static void resolve_calls(struct machine *c) {
    struct sass_instruction *code = arena_array(c->m.arena, (size_t)c->kernel.n, sizeof *code);
    for (int i = 0; i < c->kernel.n; i++) {
        const struct op *op = &c->m.flow.op[c->op[i]];
        code[i] = c->kernel.code[i];
        for (int j = code[i].calls; c->op[i] && j >= 0 && j < c->kernel.n; j++) {
            const struct sass_instruction *there = &c->kernel.code[j];
            bool found = machine_part(op, there->name) == PART_FIRST;
            if (found) code[i].name = there->name, code[i].operands = there->operands;
            if (found || machine_has_part(there->name, "RET")) break;
        }
    }
    c->kernel.code = code;
}

static void list(struct machine *c) {
    struct text *out = &c->m.compiled;
    for (int i = 0; i < c->kernel.n; i++) {
        const struct sass_instruction *code = &c->kernel.code[i];
        int k = c->op[i];
        bool part = k && machine_part(&c->m.flow.op[k], code->name) != PART_NONE;
        if (!part && !machine_is_access(code->name) && !is_kind(code->name, OP_FENCE)) continue;
        text_printf(out, "  %s  %s", code->address, shown(c, code));
        if (k) text_printf(out, "  op %d", k);
        text_add(out, "\n");
    }
}

bool verify_sass(const struct test *t, const struct cell *cell, const char *unit,
                 const struct sass_kernel *kernel, const struct ways *ways, struct diag *d) {
    struct machine c = {.m = meant_of(t, cell), .kernel = *kernel, .ways = ways};
    find_lines(&c, unit);
    resolve_calls(&c);
    bool fine = check_machine_instructions(&c) && machine_check_order(&c);
    if (!fine) {
        list(&c);
        meant_report(&c.m, d);
    }
    meant_close(&c.m);
    return fine;
}

void verify_operations(const struct test *t, const struct cell *cell, const char *unit,
                       const struct sass_kernel *kernel, int *operation) {
    struct machine c = {.m = meant_of(t, cell), .kernel = *kernel};
    find_lines(&c, unit);
    resolve_calls(&c);
    for (int i = 0; i < kernel->n; i++)
        operation[i] = machine_is_operation(&c, i) ? c.op[i] : 0;
    meant_close(&c.m);
}
