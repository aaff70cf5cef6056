/* Calls of functions that the compiler did not inline: the statements of a function are read where it is called.
 *
 *   { .param .b32 param0; st.param.b32 [param0], %r1; .param .b32 retval0;
 *     call.uni (retval0), f, (param0);
 *     ld.param.b32 %r2, [retval0]; }
 *
 * The parameters of a call are variables in .local memory, a call's own, which the function knows by the names of its own
 * parameters. What returns is a branch behind the function's statements. */
#include <string.h>

#include "lift/reader.h"

enum { MAX_DEPTH = 64, MAX_TAKEN = 65536, MAX_INSTRUCTIONS = 4096 };

/* The statements between the braces behind a head. */
struct ptx_code lift_inside(const struct ptx_code *code, const struct ptx_statement *head) {
    int first = (int)(head - code->statements) + 1, depth = 0, k = first;
    for (; k < code->n; k++) {
        depth += code->statements[k].kind == PTX_OPEN;
        depth -= code->statements[k].kind == PTX_CLOSE;
        if (depth == 0) break;
    }
    struct ptx_code body = {.statements = code->statements + first + 1};
    body.n = k > first && k < code->n ? k - first - 1 : 0;
    return body;
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

/* Returns the operand of a call that is the function; NULL: there is none. */
static const struct ptx_operand *callee_of(const struct ptx_instruction *in) {
    for (int k = 0; ptx_is(in, "call") && k < in->noperands; k++)
        if (in->operands[k].kind == PTX_NAME) return &in->operands[k];
    return NULL;
}

/* Returns the head of the called function, if it is one that can be followed. */
static const struct ptx_statement *followed(const struct lift_reader *r, const struct ptx_instruction *in) {
    const struct ptx_operand *o = callee_of(in);
    return o ? lift_find_function(r->code, o->text) : NULL;
}

/* Returns the list of what a call gets (`gets`), before the function's name, or of what it gives, behind
 * it. */
static const struct ptx_operand *list_of(const struct ptx_instruction *in, bool gets) {
    static const struct ptx_operand none = {.kind = PTX_LIST};
    const struct ptx_operand *name = callee_of(in);
    for (const struct ptx_operand *o = in->operands; o < in->operands + in->noperands; o++)
        if (o->kind == PTX_LIST && (o < name) == gets) return o;
    return &none;
}

/* Whether a followed call in the same braces as a declaration at `at` passes the declared variable. */
static bool is_passed(const struct lift_reader *r, const struct ptx_code *code, int at, const char *name) {
    int depth = 0;
    for (int k = at + 1; k < code->n && depth >= 0; k++) {
        const struct ptx_statement *s = &code->statements[k];
        depth += (s->kind == PTX_OPEN) - (s->kind == PTX_CLOSE);
        if (s->kind != PTX_INSTRUCTION || !followed(r, s->instruction)) continue;
        for (int gets = 0; gets < 2; gets++) {
            const struct ptx_operand *list = list_of(s->instruction, gets);
            for (int i = 0; i < list->nparts; i++)
                if (strcmp(list->parts[i].text, name) == 0) return true;
        }
    }
    return false;
}

/* ---- how many instructions there are ---- */

struct count {
    const struct lift_reader *reader;
    const struct ptx_function *open[MAX_DEPTH]; /* the functions whose instructions are being counted */
    int depth, n;
    bool failed;
};

static void fail(struct count *c, struct pos pos, const char *text) {
    if (!c->failed) diag_error(c->reader->diag, c->reader->launch->ptx, pos, "%s", text);
    c->failed = true;
}

static void count(struct count *c, const struct ptx_code *code) {
    for (const struct ptx_statement *s = code->statements; s < code->statements + code->n; s++) {
        const struct ptx_statement *head =
            s->kind == PTX_INSTRUCTION ? followed(c->reader, s->instruction) : NULL;
        c->n += s->kind == PTX_INSTRUCTION && !head;
        if (c->n > MAX_TAKEN)
            fail(c, s->pos, "with the functions that it calls the kernel is too long to be read");
        for (int k = 0; head && k < c->depth; k++)
            if (c->open[k] == head->function)
                fail(c, s->instruction->pos,
                     arena_printf(c->reader->arena, "not supported: a call of '%s', which calls itself",
                                  head->function->name));
        if (head && c->depth == MAX_DEPTH) fail(c, s->instruction->pos, "calls are nested too deeply");
        if (c->failed) return;
        if (!head || s->instruction->guard) continue;
        c->open[c->depth++] = head->function;
        struct ptx_code inner = lift_inside(c->reader->code, head);
        count(c, &inner);
        c->depth--;
    }
}

bool lift_count_instructions(const struct lift_reader *r, const struct ptx_code *body) {
    struct count c = {.reader = r};
    count(&c, body);
    if (!c.failed && c.n > MAX_INSTRUCTIONS)
        diag_error(r->diag, &r->test->source, r->launch->pos,
                   "the kernel has %d instructions: at most %d are read", c.n, MAX_INSTRUCTIONS);
    return !c.failed && c.n <= MAX_INSTRUCTIONS;
}

/* ---- names ---- */

void lift_bind(struct lift_reader *r, const char *name, uint64_t address) {
    r->names = arena_more(r->arena, r->names, (size_t)r->nnames, sizeof *r->names);
    r->names[r->nnames++] = (struct lift_named){name, address};
}

uint64_t lift_find_local(struct column *c, const char *name) {
    const struct lift_reader *r = lift_reader_of(c);
    int at = ptx_find_declared(c->code, c->at, PTX_VARIABLE, name);
    if (at >= 0) {
        const struct ptx_variable *v = c->code->statements[at].variable;
        bool passed = lift_has_word(v, "param") && is_passed(r, c->code, at, name);
        return passed || lift_has_word(v, "local") ? lift_declared_local(c, v, name, passed) : 0;
    }
    for (int k = r->nnames - 1; k >= r->frame; k--)
        if (strcmp(r->names[k].name, name) == 0) return r->names[k].address;
    return 0;
}

/* Binds the function's parameter names to the variables of the call. */
static void bind(struct column *c, const struct ptx_operand *given, const struct ptx_variable *taken,
                 int ntaken) {
    struct parser *p = &c->p;
    const char *name = callee_of(c->in)->text, *s = ntaken == 1 ? "" : "s";
    if (given->nparts != ntaken)
        parse_error(p, c->in->pos, "'%s' has %d parameter%s or result%s, and this call names %d", name,
                    ntaken, s, s, given->nparts);
    for (int k = 0; k < ntaken && !p->panic; k++) {
        const struct ptx_operand *o = &given->parts[k];
        uint64_t address = o->kind == PTX_NAME ? lift_find_local(c, o->text) : 0;
        lift_bind(lift_reader_of(c), taken[k].names[0].text, address);
        if (!address)
            parse_error(p, o->pos, "not supported yet: an argument of a call that is no variable in .param");
    }
}

/* ---- the call ---- */

static void read_function(struct column *c, const struct ptx_statement *head) {
    struct lift_reader *r = lift_reader_of(c);
    const struct ptx_function *f = head->function;
    const char *end = r->end;
    struct pos pos = c->in->pos;
    int names = r->nnames, frame = r->frame, call = c->call;
    bind(c, list_of(c->in, true), f->returns, f->nreturns);
    bind(c, list_of(c->in, false), f->parameters, f->nparameters);
    if (!c->p.panic) {
        struct ptx_code inner = lift_inside(r->code, head);
        r->frame = names;
        c->call = ++r->ncalls;
        r->end = arena_printf(r->arena, "RETURN%d", c->call);
        column_statements(c, &inner);
        column_label(c, &(struct ptx_statement){.kind = PTX_LABEL, .pos = pos, .text = r->end});
    }
    r->nnames = names;
    r->frame = frame;
    r->end = end;
    c->call = call;
}

bool lift_follow_call(struct column *c) {
    const struct ptx_statement *head = followed(lift_reader_of(c), c->in);
    if (head && c->in->guard)
        parse_error(&c->p, c->in->pos, "not supported yet: a call with a predicate");
    else if (head)
        read_function(c, head);
    return head;
}

void lift_return(struct column *c) {
    const char *end = lift_reader_of(c)->end;
    if (end)
        column_branch(c, end, c->in->pos, NULL);
    else
        ptx_exit(c);
}
