#include "check/listing.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/ptx.h"

/* A label, and of one that names the targets of an indirect branch, the directive: `name: .branchtargets a, b;` */
struct listing_label {
    const char *name;
    int at;
    const struct ptx_directive *targets;
};

struct listing_reader {
    struct arena *arena;
    const struct ptx_statement *begin, *end; /* of the kernel's body */
    struct listed *code;
    const struct ptx_instruction **text; /* of each instruction */
    struct listing_label *labels;
    int n, nlabels;
    bool in_asm; /* between the comments that NVRTC puts around inline asm */
    bool joined; /* another instruction of the same asm statement */
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

static void add_instruction(struct listing_reader *r, const struct ptx_statement *s) {
    const char *name = opcode_of(r->arena, s->instruction);
    bool memory = is_memory(s->instruction);
    if (r->joined) {
        struct listed *last = &r->code[r->n - 1];
        last->name = arena_printf(r->arena, "%s %s", last->name, name);
        last->memory = last->memory || memory;
        return;
    }
    r->code = arena_more(r->arena, r->code, (size_t)r->n, sizeof *r->code);
    r->text = arena_more(r->arena, r->text, (size_t)r->n, sizeof *r->text);
    r->text[r->n] = s->instruction;
    r->code[r->n++] = (struct listed){.name = name, .line = s->pos.line, .memory = memory};
    r->joined = r->in_asm;
}

static void add_label(struct listing_reader *r, const struct ptx_statement *s) {
    bool targets = s + 1 < r->end && s[1].kind == PTX_DIRECTIVE &&
                   strcmp(s[1].directive->tokens[0], "branchtargets") == 0;
    r->labels = arena_more(r->arena, r->labels, (size_t)r->nlabels, sizeof *r->labels);
    r->labels[r->nlabels++] = (struct listing_label){s->text, r->n, targets ? s[1].directive : NULL};
}

/* "// op 3" behind an instruction, and what NVRTC says of inline asm. */
static void read_comment(struct listing_reader *r, const struct ptx_statement *s) {
    const struct ptx_statement *before = s > r->begin ? s - 1 : s;
    if (strncmp(s->text, "// begin inline asm", 19) == 0) r->in_asm = true, r->joined = false;
    if (strncmp(s->text, "// end inline asm", 17) == 0) r->in_asm = r->joined = false;
    bool of_instruction = before->kind == PTX_INSTRUCTION && strncmp(s->text, "// op ", 6) == 0;
    if (of_instruction) r->code[r->n - 1].op = atoi(s->text + 6);
}

static const struct listing_label *find_label(const struct listing_reader *r, const char *name) {
    for (int l = 0; l < r->nlabels; l++)
        if (strcmp(r->labels[l].name, name) == 0) return &r->labels[l];
    return NULL;
}

/* Adds where a label leads; the end, where there is none. */
static void add_target(const struct listing_reader *r, struct listed *i, int *next, const char *name) {
    const struct listing_label *label = find_label(r, name);
    next[i->nnext++] = label ? label->at : r->n;
}

/* Finds where control may go from an instruction. */
static void connect(const struct listing_reader *r, int k) {
    const struct ptx_instruction *in = r->text[k];
    struct listed *i = &r->code[k];
    const char *last = in->noperands ? in->operands[in->noperands - 1].text : "";
    const struct listing_label *table = ptx_is(in, "brx") && last ? find_label(r, last) : NULL;
    int ntargets = table && table->targets ? table->targets->n : 1;
    int *next = arena_array(r->arena, (size_t)ntargets + 1, sizeof *next);
    bool ends = ptx_is(in, "ret") || ptx_is(in, "exit") || ptx_is(in, "trap");
    bool branches = (ptx_is(in, "bra") && last) || (table && table->targets);
    if (ends) next[i->nnext++] = r->n;
    if (ptx_is(in, "bra") && last) add_target(r, i, next, last);
    for (int t = 1; table && table->targets && t < table->targets->n; t++)
        if (strcmp(table->targets->tokens[t], ",") != 0) add_target(r, i, next, table->targets->tokens[t]);
    if (in->guard || !(ends || branches)) next[i->nnext++] = k + 1;
    i->next = next;
}

/* Finds the body of a kernel: what stands between the braces behind its head. */
static bool find_body(struct listing_reader *r, const struct ptx_code *code, const char *entry) {
    const struct ptx_statement *s = code->statements, *end = s + code->n;
    while (s < end && !(s->kind == PTX_FUNCTION && strcmp(s->function->name, entry) == 0))
        s++;
    while (s < end && s->kind != PTX_OPEN)
        s++;
    if (s == end) return false;
    int depth = 1;
    r->begin = r->end = s + 1;
    for (; r->end < end; r->end++) {
        depth += (r->end->kind == PTX_OPEN) - (r->end->kind == PTX_CLOSE);
        if (depth == 0) return true;
    }
    return true;
}

struct listed_kernel listing_read(struct arena *a, const char *ptx, const char *entry) {
    struct listing_reader r = {.arena = a};
    struct ptx_code code = ptx_read_text(a, ptx);
    if (!find_body(&r, &code, entry)) return (struct listed_kernel){0};
    for (const struct ptx_statement *s = r.begin; s < r.end; s++) {
        if (s->kind == PTX_INSTRUCTION) add_instruction(&r, s);
        if (s->kind == PTX_LABEL) add_label(&r, s);
        if (s->kind == PTX_COMMENT) read_comment(&r, s);
    }
    for (int k = 0; k < r.n; k++)
        connect(&r, k);
    return (struct listed_kernel){r.code, r.n};
}
