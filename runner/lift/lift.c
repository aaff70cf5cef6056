#include "lift/lift.h"

#include <string.h>

#include "lift/reader.h"
#include "litmus/name.h"
#include "lower/calls.h"

enum { MAX_INSTRUCTIONS = 4096, MAX_KERNELS = 64 };

/* ---- the entry ---- */

static bool is_entry(const struct ptx_statement *s) {
    if (s->kind != PTX_FUNCTION || s->function->prototype) return false;
    for (int k = 0; k < s->function->nwords; k++)
        if (ptx_is_word(&s->function->words[k], "entry")) return true;
    return false;
}

static bool is_called(const struct ptx_statement *s, const char *name) {
    return !name || strcmp(s->function->name, name) == 0;
}

/* Says which kernels there are. */
static void report_entry(struct lift_reader *r) {
    const char *names[MAX_KERNELS], *list = "";
    size_t n = 0;
    for (int k = 0; k < r->code->n && n < MAX_KERNELS; k++)
        if (is_entry(&r->code->statements[k])) names[n++] = r->code->statements[k].function->name;
    for (size_t k = 0; k < n && k < 8; k++)
        list = arena_printf(r->arena, "%s%s'%s'", list, k ? ", " : "", names[k]);
    const char *kernel = r->launch->kernel, *path = r->launch->ptx->path;
    const struct source *test = &r->test->source;
    struct pos pos = r->launch->pos;
    if (n == 0)
        diag_error(r->diag, test, pos, "%s has no kernel: no '.entry'", path);
    else if (kernel)
        diag_error(r->diag, test, pos, "%s has no kernel '%s': it has %s", path, kernel, list);
    else
        diag_error(r->diag, test, pos, "%s has %zu kernels: 'kernel' says which one: %s", path, n, list);
}

/* The number of the statement that is the head of the kernel, or -1. */
static int find_entry(struct lift_reader *r) {
    int found = -1, n = 0;
    for (int k = 0; k < r->code->n; k++) {
        const struct ptx_statement *s = &r->code->statements[k];
        if (!is_entry(s) || !is_called(s, r->launch->kernel)) continue;
        found = k;
        n++;
    }
    if (n != 1) report_entry(r);
    return n == 1 ? found : -1;
}

/* The statements between the braces behind a head. */
static struct ptx_code inside(const struct ptx_code *code, int head) {
    int first = head + 1, depth = 0, k = first;
    for (; k < code->n; k++) {
        depth += code->statements[k].kind == PTX_OPEN;
        depth -= code->statements[k].kind == PTX_CLOSE;
        if (depth == 0) break;
    }
    struct ptx_code body = {.statements = code->statements + first + 1};
    body.n = k > first && k < code->n ? k - first - 1 : 0;
    return body;
}

/* ---- instructions ---- */

/* The argument of a call. */
static void skip(struct column *c) {
    (void)c;
}

static void read_break(struct column *c) {
    stmt_add_op(&c->p, op_make(TRAP_HERE, c->in->pos));
}

/* Printing does nothing here, and a failed assertion is a fault. What else is called was not inlined. */
static void read_call(struct column *c) {
    const struct ptx_instruction *in = c->in;
    const char *name = "";
    for (int k = 0; k < in->noperands && !*name; k++)
        if (in->operands[k].kind == PTX_NAME) name = in->operands[k].text;
    if (strcmp(name, "__assertfail") == 0)
        read_break(c);
    else if (strcmp(name, "vprintf") != 0)
        parse_error(&c->p, in->pos, "not supported yet: a call of '%s', which the compiler did not inline",
                    name);
}

/* elect.sync d|p, mask: p in the lowest lane of the mask, whose number all get. PTX leaves open which lane is elected, but for
 * that it is always the same (PTX ISA, "elect.sync"). */
static void read_elect(struct column *c) {
    struct parser *p = &c->p;
    const struct ptx_operand *to = ptx_next(c, "a register and a predicate");
    const struct ptx_operand *o = to ? ptx_next(c, "a mask of lanes") : NULL;
    if (!o) return;
    c->type = type_unsigned;
    struct expr *mask = o->kind == PTX_NAME ? asm_settled(c, o) : ptx_value(c, o);
    uint64_t lanes = mask && mask->kind == EXPR_INT ? mask->value.lo & UINT32_MAX : 0;
    if (!to->second || !lanes) {
        parse_error(p, o->pos, "elect.sync gives 'd|p', and its mask is a number that is known, but 0");
        return;
    }
    int lane = 0;
    while (!(lanes >> lane & 1))
        lane++;
    column_say(c, c->in->pos,
               "elect.sync is taken to elect the lowest lane of its mask: PTX leaves open which one it is");
    struct expr *own = grid_special(p, "%laneid", o->pos);
    body_set(p, ptx_predicate(c, to->second),
             expr_new(p, EXPR_EQ, o->pos, own, lift_number(p, o->pos, type_unsigned, (uint64_t)lane)),
             o->pos);
    if (strcmp(to->text, "_") != 0)
        ptx_set(c, ptx_register(c, to), lift_number(p, o->pos, type_unsigned, (uint64_t)lane));
}

/* What an asm has not, or reads another way. */
static const struct {
    const char *opcode, *word; /* NULL: any */
    void (*read)(struct column *c);
} instructions[] = {
    {"ld", "param", lift_load_parameter}, {"st", "param", skip},     {"st", "local", lift_read_local},
    {"ld", "local", lift_read_local},     {"call", NULL, read_call}, {"brkpt", NULL, read_break},
    {"cvta", NULL, lift_convert_address}, {"ret", NULL, ptx_exit},   {"exit", NULL, ptx_exit},
    {"elect", "sync", read_elect},
};

/* Those that mean nothing to the memory that the threads share. */
static bool means_nothing(const struct ptx_instruction *in) {
    static const char *const opcodes[] = {"prefetch", "prefetchu", "discard",   "applypriority",
                                          "pmevent",  "nanosleep", "setmaxnreg"};
    for (size_t k = 0; k < sizeof opcodes / sizeof *opcodes; k++)
        if (ptx_is(in, opcodes[k])) return true;
    return false;
}

static bool read_instruction(struct column *c) {
    if (means_nothing(c->in)) return true;
    for (size_t k = 0; k < sizeof instructions / sizeof *instructions; k++) {
        const char *word = instructions[k].word;
        if (!ptx_is(c->in, instructions[k].opcode) || (word && ptx_find_word(c->in, word) < 0)) continue;
        instructions[k].read(c);
        return true;
    }
    return false;
}

/* ---- the whole ---- */

static bool count_instructions(struct lift_reader *r, const struct ptx_code *body) {
    int n = 0;
    for (int k = 0; k < body->n; k++)
        n += body->statements[k].kind == PTX_INSTRUCTION;
    if (n <= MAX_INSTRUCTIONS) return true;
    diag_error(r->diag, &r->test->source, r->launch->pos,
               "the kernel has %d instructions: at most %d are read", n, MAX_INSTRUCTIONS);
    return false;
}

static void read_body(struct lift_reader *r, const struct ptx_code *code) {
    struct lift *l = r->lift;
    struct lift_kernel *made = arena_alloc(r->arena, sizeof *made);
    struct parser *p = &made->p;
    r->made = made;
    made->clock = -1;
    *p = (struct parser){
        .arena = r->arena, .source = r->launch->ptx, .diag = r->diag, .test = r->test, .body = r->body};
    struct asm_block *block = arena_alloc(r->arena, sizeof *block);
    block->kernel = &r->kernel;
    asm_read_text(p, block, code);
    r->body->first = p->out.first;
    l->kernels = arena_more(l->arena, l->kernels, (size_t)l->nkernels, sizeof(struct lift_kernel *));
    l->kernels[l->nkernels++] = made;
}

bool lift_read(struct lift *l, struct body *body, const struct lift_launch *launch) {
    size_t errors = l->diag->errors;
    struct snippet text = {.text = launch->ptx->text, .len = launch->ptx->len};
    struct lines lines = source_lines(l->arena, launch->ptx);
    text.lines = &lines;
    struct ptx_code code = ptx_read(l->arena, launch->ptx, &text, l->diag);
    struct lift_reader *r = arena_alloc(l->arena, sizeof *r);
    *r = (struct lift_reader){
        .kernel = {lift_statement, read_instruction, lift_name, lift_generic, lift_map},
        .lift = l,
        .arena = l->arena,
        .test = l->test,
        .diag = l->diag,
        .code = &code,
        .launch = launch,
        .body = body,
    };
    body->text = launch->ptx;
    int head = l->diag->errors == errors ? find_entry(r) : -1;
    if (head >= 0 && lift_lay_out(r, code.statements[head].function)) {
        struct ptx_code inner = inside(&code, head);
        if (count_instructions(r, &inner)) read_body(r, &inner);
    }
    l->failed = l->failed || l->diag->errors != errors;
    return l->diag->errors == errors;
}

/* Complains about locations that share addresses. */
static void check_places(struct lift *l) {
    struct test *t = l->test;
    for (int k = 0; k < t->nlocs; k++)
        for (int i = 0; i < k; i++) {
            const struct location *a = &t->locs[i], *b = &t->locs[k];
            bool apart = a->address + lift_bytes(a) <= b->address || b->address + lift_bytes(b) <= a->address;
            if (!apart && !a->view && !b->view)
                diag_error(l->diag, &t->source, b->pos,
                           "'%s' lies where '%s' lies: their addresses are 0x%llx and 0x%llx", b->name,
                           a->name, (unsigned long long)b->address, (unsigned long long)a->address);
        }
}

void lift_place_all(struct test *t) {
    for (int k = 0; k < t->nlocs; k++)
        lift_place(t, k);
}

struct lift *lift_open(struct arena *a, struct test *t, struct diag *d) {
    struct lift *l = arena_alloc(a, sizeof *l);
    *l = (struct lift){.arena = a, .test = t, .diag = d};
    lift_place_all(t);
    check_places(l);
    return l;
}

void lift_close(struct lift *l) {
    if (l->failed || !lift_counts_locations(l)) return;
    for (int k = 0; k < l->nkernels; k++)
        lift_follow_numbers(l->arena, l->kernels[k]->p.body);
    for (int k = 0; k < l->nkernels; k++)
        lift_climb(l->arena, l->kernels[k]->p.body);
    lift_resolve(l);
    for (int k = 0; k < l->nkernels && !l->failed; k++) {
        struct body *body = l->kernels[k]->p.body;
        lift_leave_out_timeouts(l, l->kernels[k]);
        lift_structure(l->arena, body);
        lift_leave_out_timeouts(l, l->kernels[k]);
        lift_tidy(body);
        lift_check_clocks(l, l->kernels[k]);
        lift_number_registers(l->arena, body);
    }
}
