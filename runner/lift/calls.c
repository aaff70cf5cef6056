/* Calls of functions that the compiler did not inline: the statements of a function stand where it is called.
 *
 *   { .param .b32 param0; st.param.b32 [param0], %r1; .param .b32 retval0;
 *     call.uni (retval0), f, (param0);
 *     ld.param.b32 %r2, [retval0]; }
 *
 * The parameters of a call are variables in .local memory, a call's own, which the function knows by the names of its own
 * parameters. Its registers and labels belong to braces, and what returns is a branch behind them. */
#include <string.h>

#include "lift/reader.h"

enum { MAX_DEPTH = 64, MAX_TAKEN = 65536 };

/* What a name of a parameter stands for; NULL: for itself, which is none of a followed call. */
struct named {
    const char *from, *to;
};

/* A kernel whose calls are being followed. */
struct caller {
    struct lift_reader *reader;
    struct ptx_code out;
    struct named *names; /* of the braces that are open */
    int nnames, nmade;
    const struct ptx_function *open[MAX_DEPTH]; /* the functions whose statements are being taken */
    int depth;
    const char *end; /* the label behind the innermost one; NULL: it is the kernel itself */
    bool failed;
};

static void fail(struct caller *c, struct pos pos, const char *text) {
    if (!c->failed) diag_error(c->reader->diag, c->reader->launch->ptx, pos, "%s", text);
    c->failed = true;
}

static void add(struct caller *c, struct ptx_statement s) {
    if (c->out.n == MAX_TAKEN)
        fail(c, s.pos, "with the functions that it calls the kernel is too long to be read");
    if (c->failed) return;
    c->out.statements =
        arena_more(c->reader->arena, c->out.statements, (size_t)c->out.n, sizeof *c->out.statements);
    c->out.statements[c->out.n++] = s;
}

static void add_instruction(struct caller *c, struct pos pos, struct ptx_instruction in) {
    struct ptx_instruction *kept = arena_alloc(c->reader->arena, sizeof *kept);
    *kept = in;
    add(c, (struct ptx_statement){.kind = PTX_INSTRUCTION, .pos = pos, .instruction = kept});
}

/* ---- names ---- */

static const char *find_name(const struct caller *c, const char *from) {
    for (int k = c->nnames - 1; k >= 0; k--)
        if (strcmp(c->names[k].from, from) == 0) return c->names[k].to;
    return NULL;
}

static void add_name(struct caller *c, const char *from, const char *to) {
    c->names = arena_more(c->reader->arena, c->names, (size_t)c->nnames, sizeof *c->names);
    c->names[c->nnames++] = (struct named){from, to};
}

/* ---- functions ---- */

const struct ptx_statement *lift_find_function(const struct ptx_code *code, const char *name) {
    for (int k = 0; k < code->n; k++) {
        const struct ptx_statement *s = &code->statements[k];
        if (s->kind == PTX_FUNCTION && !s->function->prototype && strcmp(s->function->name, name) == 0)
            return s;
    }
    return NULL;
}

/* The operand of a call that is the function; NULL: there is none. */
static const struct ptx_operand *callee_of(const struct ptx_instruction *in) {
    for (int k = 0; ptx_is(in, "call") && k < in->noperands; k++)
        if (in->operands[k].kind == PTX_NAME) return &in->operands[k];
    return NULL;
}

/* The head of the function that an instruction calls, if it is one that can be followed. */
static const struct ptx_statement *followed(const struct caller *c, const struct ptx_instruction *in) {
    const struct ptx_operand *o = callee_of(in);
    return o ? lift_find_function(c->reader->code, o->text) : NULL;
}

/* What a call gives, or gets: the list before the function's name, or behind it. */
static const struct ptx_operand *list_of(const struct ptx_instruction *in, bool gets) {
    static const struct ptx_operand none = {.kind = PTX_LIST};
    const struct ptx_operand *name = callee_of(in);
    for (const struct ptx_operand *o = in->operands; o < in->operands + in->noperands; o++)
        if (o->kind == PTX_LIST && (o < name) == gets) return o;
    return &none;
}

/* Whether a followed call in the braces of a declaration, which stands at `at`, names a variable. */
static bool is_passed(const struct caller *c, const struct ptx_code *code, int at, const char *name) {
    int depth = 0;
    for (int k = at + 1; k < code->n && depth >= 0; k++) {
        const struct ptx_statement *s = &code->statements[k];
        depth += (s->kind == PTX_OPEN) - (s->kind == PTX_CLOSE);
        if (s->kind != PTX_INSTRUCTION || !followed(c, s->instruction)) continue;
        for (int gets = 0; gets < 2; gets++) {
            const struct ptx_operand *list = list_of(s->instruction, gets);
            for (int i = 0; i < list->nparts; i++)
                if (strcmp(list->parts[i].text, name) == 0) return true;
        }
    }
    return false;
}

/* ---- statements ---- */

/* .param .b32 x; as .local .b32 x%1; where a followed call passes x. */
static void take_variable(struct caller *c, const struct ptx_code *code, int at) {
    const struct ptx_statement *s = &code->statements[at];
    const struct ptx_variable *v = s->variable;
    struct arena *a = c->reader->arena;
    bool passed = false;
    for (int k = 0; k < v->nnames && ptx_is_word(&v->words[0], "param"); k++)
        passed = passed || is_passed(c, code, at, v->names[k].text);
    if (!passed) {
        for (int k = 0; k < v->nnames; k++)
            add_name(c, v->names[k].text, NULL);
        add(c, *s);
        return;
    }
    struct ptx_variable *local = arena_alloc(a, sizeof *local);
    *local = *v;
    local->words = arena_array(a, (size_t)v->nwords, sizeof *local->words);
    local->names = arena_array(a, (size_t)v->nnames, sizeof *local->names);
    memcpy(local->words, v->words, (size_t)v->nwords * sizeof *local->words);
    memcpy(local->names, v->names, (size_t)v->nnames * sizeof *local->names);
    local->words[0].text = "local";
    for (int k = 0; k < v->nnames; k++) {
        local->names[k].text = arena_printf(a, "%s%%%d", v->names[k].text, ++c->nmade);
        add_name(c, v->names[k].text, local->names[k].text);
    }
    struct ptx_statement made = *s;
    made.variable = local;
    add(c, made);
}

/* ld.param and st.param of a followed call's parameter; false: it is of another one. */
static bool take_access(struct caller *c, const struct ptx_statement *s) {
    const struct ptx_instruction *in = s->instruction;
    bool loads = ptx_is(in, "ld");
    int word = -1, place = loads ? 1 : 0;
    for (int k = 1; k < in->nwords && (loads || ptx_is(in, "st")); k++)
        if (strcmp(in->words[k].text, "param") == 0 || strcmp(in->words[k].text, "param::func") == 0)
            word = k;
    if (word < 0 || in->noperands != 2 || in->operands[place].nparts != 1) return false;
    const char *to = find_name(c, in->operands[place].parts[0].text);
    if (!to) return false;
    struct arena *a = c->reader->arena;
    struct ptx_instruction made = *in;
    made.words = arena_array(a, (size_t)in->nwords, sizeof *made.words);
    made.operands = arena_array(a, 2, sizeof *made.operands);
    memcpy(made.words, in->words, (size_t)in->nwords * sizeof *made.words);
    memcpy(made.operands, in->operands, 2 * sizeof *made.operands);
    made.words[word].text = "local";
    made.operands[place].parts = arena_alloc(a, sizeof *made.operands[place].parts);
    *made.operands[place].parts = in->operands[place].parts[0];
    made.operands[place].parts->text = to;
    add_instruction(c, s->pos, made);
    return true;
}

/* ret; as a branch behind the function. */
static void add_return(struct caller *c, const struct ptx_statement *s) {
    struct ptx_instruction made = *s->instruction;
    made.words = arena_alloc(c->reader->arena, sizeof *made.words);
    made.operands = arena_alloc(c->reader->arena, sizeof *made.operands);
    *made.words = s->instruction->words[0];
    made.words->text = "bra";
    made.nwords = made.noperands = 1;
    *made.operands = (struct ptx_operand){.kind = PTX_NAME, .pos = s->pos, .text = c->end};
    add_instruction(c, s->pos, made);
}

static void take_list(struct caller *c, const struct ptx_code *code);

/* Lets the function's names of parameters stand for those of the call. */
static void bind(struct caller *c, const struct ptx_instruction *in, const struct ptx_operand *given,
                 const struct ptx_variable *taken, int ntaken) {
    struct arena *a = c->reader->arena;
    const char *name = callee_of(in)->text;
    if (given->nparts != ntaken)
        fail(c, in->pos,
             arena_printf(a, "'%s' has %d parameter%s or result%s, and this call names %d", name, ntaken,
                          ntaken == 1 ? "" : "s", ntaken == 1 ? "" : "s", given->nparts));
    for (int k = 0; k < ntaken && !c->failed; k++) {
        const struct ptx_operand *o = &given->parts[k];
        const char *to = o->kind == PTX_NAME ? find_name(c, o->text) : NULL;
        if (to)
            add_name(c, taken[k].names[0].text, to);
        else
            fail(c, o->pos, "not supported yet: an argument of a call that is no variable in .param");
    }
}

/* The statements of the function that is called. */
static void take_call(struct caller *c, const struct ptx_statement *s, const struct ptx_statement *head) {
    const struct ptx_function *f = head->function;
    struct arena *a = c->reader->arena;
    const char *end = c->end;
    int names = c->nnames;
    for (int k = 0; k < c->depth; k++)
        if (c->open[k] == f)
            fail(c, s->instruction->pos,
                 arena_printf(a, "not supported: a call of '%s', which calls itself", f->name));
    if (c->depth == MAX_DEPTH) fail(c, s->instruction->pos, "calls are nested too deeply");
    bind(c, s->instruction, list_of(s->instruction, true), f->returns, f->nreturns);
    bind(c, s->instruction, list_of(s->instruction, false), f->parameters, f->nparameters);
    if (c->failed) return;
    c->end = arena_printf(a, "RETURN%d", ++c->nmade);
    c->open[c->depth++] = f;
    struct ptx_code inner = lift_inside(c->reader->code, (int)(head - c->reader->code->statements));
    add(c, (struct ptx_statement){.kind = PTX_OPEN, .pos = s->pos});
    take_list(c, &inner);
    add(c, (struct ptx_statement){.kind = PTX_LABEL, .pos = s->pos, .text = c->end});
    add(c, (struct ptx_statement){.kind = PTX_CLOSE, .pos = s->pos});
    c->depth--;
    c->end = end;
    c->nnames = names;
}

static void take_instruction(struct caller *c, const struct ptx_statement *s) {
    const struct ptx_statement *head = followed(c, s->instruction);
    if (head && s->instruction->guard)
        fail(c, s->instruction->pos, "not supported yet: a call with a predicate");
    else if (head)
        take_call(c, s, head);
    else if (c->end && ptx_is(s->instruction, "ret"))
        add_return(c, s);
    else if (!take_access(c, s))
        add(c, *s);
}

static void take_list(struct caller *c, const struct ptx_code *code) {
    int marks[MAX_DEPTH], depth = 0;
    for (int k = 0; k < code->n && !c->failed; k++) {
        const struct ptx_statement *s = &code->statements[k];
        if (s->kind == PTX_OPEN && depth < MAX_DEPTH) marks[depth++] = c->nnames;
        if (s->kind == PTX_CLOSE && depth > 0) c->nnames = marks[--depth];
        if (s->kind == PTX_VARIABLE)
            take_variable(c, code, k);
        else if (s->kind == PTX_INSTRUCTION)
            take_instruction(c, s);
        else
            add(c, *s);
    }
}

bool lift_follow_calls(struct lift_reader *r, struct ptx_code *body) {
    struct caller c = {.reader = r};
    bool calls = false;
    for (int k = 0; k < body->n; k++)
        calls = calls || (body->statements[k].kind == PTX_INSTRUCTION &&
                          followed(&c, body->statements[k].instruction));
    if (!calls) return true;
    take_list(&c, body);
    *body = c.out;
    return !c.failed;
}
