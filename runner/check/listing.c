#include "check/listing.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/ptx.h"

/* A label. If it names the targets of an indirect branch, its directive: `name: .branchtargets a, b;` */
struct listing_label {
    const char *name;
    int at;
    const struct ptx_directive *targets;
};

struct listing_reader {
    struct arena *arena;
    struct ptx_code text;
    int begin, end; /* the statements of the kernel's body */
    int *at;        /* of each statement: the number of instructions before it */
    struct listed *code;
    int *statement; /* of each instruction: its statement */
    int n;
    bool in_asm; /* between the comments that NVRTC puts around inline asm */
    bool joined; /* the next instruction is of the same asm statement as the last one */
};

/* Whether an instruction accesses memory that threads share, or is a fence or a barrier. */
static bool is_memory(const struct ptx_instruction *in) {
    static const char *const kinds[] = {"ld",  "st",      "atom",     "red", "fence",    "membar",
                                        "bar", "barrier", "mbarrier", "cp",  "multimem", "call"};
    static const char *const own[] = {"param", "param::entry", "param::func", "local", "const", "nc"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (ptx_find_word(in, own[i]) > 0) return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (ptx_is(in, kinds[i])) return true;
    return false;
}

static const char *opcode_of(struct arena *a, const struct ptx_instruction *in) {
    struct text text = {0};
    ptx_write_opcode(&text, in);
    const char *opcode = arena_strdup(a, text.s);
    text_free(&text);
    return opcode;
}

static void add_instruction(struct listing_reader *r, int k) {
    const struct ptx_statement *s = &r->text.statements[k];
    const char *name = opcode_of(r->arena, s->instruction);
    bool memory = is_memory(s->instruction);
    if (r->joined) {
        struct listed *last = &r->code[r->n - 1];
        last->name = arena_printf(r->arena, "%s %s", last->name, name);
        last->memory = last->memory || memory;
        return;
    }
    r->code = arena_more(r->arena, r->code, (size_t)r->n, sizeof *r->code);
    r->statement = arena_more(r->arena, r->statement, (size_t)r->n, sizeof *r->statement);
    r->statement[r->n] = k;
    r->code[r->n++] = (struct listed){.name = name, .line = s->pos.line, .memory = memory};
    r->joined = r->in_asm;
}

/* Reads a comment: "// op 3" behind an instruction, or what NVRTC puts around inline asm. */
static void read_comment(struct listing_reader *r, int k) {
    const struct ptx_statement *s = &r->text.statements[k];
    bool of_instruction = k > r->begin && s[-1].kind == PTX_INSTRUCTION;
    if (strncmp(s->text, "// begin inline asm", 19) == 0) r->in_asm = true, r->joined = false;
    if (strncmp(s->text, "// end inline asm", 17) == 0) r->in_asm = r->joined = false;
    if (of_instruction && strncmp(s->text, "// op ", 6) == 0) r->code[r->n - 1].op = atoi(s->text + 6);
}

/* ---- where control goes ---- */

/* Adds the instruction behind a label to `next`, or the kernel's end if there is no such label. */
static void add_target(const struct listing_reader *r, int k, int *next, const char *name) {
    int label = ptx_find_label(&r->text, r->statement[k], name);
    next[r->code[k].nnext++] = label >= r->begin && label < r->end ? r->at[label] : r->n;
}

/* Returns the `name: .branchtargets a, b;` of an indirect branch; NULL: there is none. */
static const struct ptx_directive *find_table(const struct listing_reader *r, int k, const char *name) {
    const struct ptx_instruction *in = r->text.statements[r->statement[k]].instruction;
    int label = ptx_is(in, "brx") ? ptx_find_label(&r->text, r->statement[k], name) : -1;
    const struct ptx_statement *s = &r->text.statements[label + 1];
    bool table = label >= 0 && label + 1 < r->text.n && s->kind == PTX_DIRECTIVE;
    return table && strcmp(s->directive->tokens[0], "branchtargets") == 0 ? s->directive : NULL;
}

/* Finds which instructions may run next after instruction k. */
static void connect(const struct listing_reader *r, int k) {
    const struct ptx_instruction *in = r->text.statements[r->statement[k]].instruction;
    const struct ptx_operand *last = in->noperands ? &in->operands[in->noperands - 1] : NULL;
    const char *name = last && last->kind == PTX_NAME ? last->text : "";
    const struct ptx_directive *table = find_table(r, k, name);
    int *next = arena_array(r->arena, (size_t)(table ? table->n : 1) + 1, sizeof *next);
    bool ends = ptx_is(in, "ret") || ptx_is(in, "exit") || ptx_is(in, "trap"), branches = ptx_is(in, "bra");
    if (ends) next[r->code[k].nnext++] = r->n;
    if (branches) add_target(r, k, next, name);
    for (int t = 1; table && t < table->n; t++)
        if (strcmp(table->tokens[t], ",") != 0) add_target(r, k, next, table->tokens[t]);
    if (in->guard || !(ends || branches || table)) next[r->code[k].nnext++] = k + 1;
    r->code[k].next = next;
}

/* Finds the statements between the braces of a kernel. */
static bool find_body(struct listing_reader *r, const char *entry) {
    const struct ptx_statement *s = r->text.statements;
    int k = 0, n = r->text.n, depth = 1;
    while (k < n && !(s[k].kind == PTX_FUNCTION && strcmp(s[k].function->name, entry) == 0))
        k++;
    while (k < n && s[k].kind != PTX_OPEN)
        k++;
    if (k == n) return false;
    r->begin = k + 1;
    for (r->end = r->begin; r->end < n; r->end++) {
        depth += (s[r->end].kind == PTX_OPEN) - (s[r->end].kind == PTX_CLOSE);
        if (depth == 0) return true;
    }
    return true;
}

struct listed_kernel listing_read(struct arena *a, const char *ptx, const char *entry) {
    struct listing_reader r = {.arena = a, .text = ptx_read_text(a, ptx)};
    if (r.text.nbad || !find_body(&r, entry)) return (struct listed_kernel){0};
    r.at = arena_array(a, (size_t)r.text.n, sizeof *r.at);
    for (int k = r.begin; k < r.end; k++) {
        r.at[k] = r.n;
        if (r.text.statements[k].kind == PTX_INSTRUCTION) add_instruction(&r, k);
        if (r.text.statements[k].kind == PTX_COMMENT) read_comment(&r, k);
    }
    for (int k = 0; k < r.n; k++)
        connect(&r, k);
    return (struct listed_kernel){r.code, r.n};
}
