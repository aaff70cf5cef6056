#include "lower/column.h"

#include <string.h>

#include "litmus/name.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* ---- instructions ---- */

/* Those that are no operations of ops.def, or not by their pattern alone. */
static const struct {
    const char *name;
    void (*read)(struct column *c);
    bool table_only;
} opcodes[] = {
    {"setmaxnreg", ptx_nothing, false}, {"bar", ptx_barrier, false},  {"barrier", ptx_barrier, false},
    {"mov", ptx_move, false},           {"not", ptx_compute, false},  {"neg", ptx_compute, false},
    {"setp", ptx_setp, false},          {"selp", ptx_compute, false}, {"add", ptx_add, false},
    {"sub", ptx_compute, false},        {"mul", ptx_compute, false},  {"div", ptx_compute, false},
    {"rem", ptx_compute, false},        {"and", ptx_compute, false},  {"or", ptx_compute, false},
    {"xor", ptx_compute, false},        {"min", ptx_compute, false},  {"max", ptx_compute, false},
    {"shl", ptx_compute, false},        {"mad", ptx_compute, false},  {"popc", ptx_compute, false},
    {"clz", ptx_compute, false},        {"brev", ptx_compute, false}, {"bfind", ptx_find_bit, false},
    {"bfe", ptx_extract, false},        {"bfi", ptx_compute, false},  {"prmt", ptx_permute, false},
    {"lop3", ptx_logic, false},         {"shf", ptx_funnel, false},   {"abs", ptx_compute, false},
    {"shr", ptx_compute, false},        {"cvt", ptx_convert, false},  {"goto", ptx_goto, true},
    {"bra", ptx_goto, false},           {"exit", ptx_exit, true},     {"ret", ptx_exit, true},
    {"beq", ptx_branch, true},          {"bne", ptx_branch, true},    {"blt", ptx_branch, true},
    {"ble", ptx_branch, true},          {"bgt", ptx_branch, true},    {"bge", ptx_branch, true},
    {"mapa", ptx_map, false},
};

/* What tables call accesses through other proxies: the word says which, and what they are else. */
static const struct {
    const char *name, *generic;
    enum proxy proxy;
} proxied[] = {
    {"tld", "ld", PROXY_TEXTURE},      {"suld", "ld", PROXY_SURFACE},   {"sust", "st", PROXY_SURFACE},
    {"suatom", "atom", PROXY_SURFACE}, {"sured", "red", PROXY_SURFACE}, {"cold", "ld", PROXY_CONSTANT},
};

/* Reads the opcode of such an access as that of the generic one. The instructions of PTX have operands of another kind, and
 * a word for the shape of what they access. */
static const struct ptx_instruction *take_proxy(struct column *c, const struct ptx_instruction *in) {
    c->proxy = PROXY_GENERIC;
    for (size_t i = 0; i < COUNT_OF(proxied) && !c->block; i++) {
        if (!ptx_is(in, proxied[i].name) || ptx_find_word(in, "b") > 0 || ptx_find_word(in, "p") > 0)
            continue;
        c->proxy = proxied[i].proxy;
        struct ptx_instruction *copy = arena_alloc(c->p.arena, sizeof *copy);
        *copy = *in;
        copy->words = arena_array(c->p.arena, (size_t)in->nwords, sizeof *copy->words);
        memcpy(copy->words, in->words, (size_t)in->nwords * sizeof *in->words);
        copy->words[0].text = proxied[i].generic;
        return copy;
    }
    return in;
}

/* fence.proxy.generic, which some tables have. */
static bool is_generic_fence(const struct ptx_instruction *in) {
    return ptx_is(in, "fence") && in->nwords == 3 && ptx_find_word(in, "proxy") == 1 &&
           ptx_find_word(in, "generic") == 2 && in->noperands == 0;
}

static void report_unknown(struct column *c) {
    const char *names[COUNT_OF(opcodes) + OP_COUNT], *name = c->in->words[0].text;
    size_t n = op_ptx_opcodes(c->p.arena, names);
    for (size_t i = 0; i < COUNT_OF(opcodes); i++)
        if (!c->block || !opcodes[i].table_only) names[n++] = opcodes[i].name;
    parse_error(&c->p, c->in->words[0].pos, "unknown instruction '%s'%s", name,
                name_suggest(c->p.arena, name, names, n));
}

/* What reads the instruction at hand, or NULL. */
static void (*find_opcode(const struct column *c))(struct column *) {
    for (size_t i = 0; i < COUNT_OF(opcodes); i++)
        if (ptx_is(c->in, opcodes[i].name)) return c->block && opcodes[i].table_only ? NULL : opcodes[i].read;
    return op_ptx_knows(c->in) ? ptx_operation : NULL;
}

/* A type may follow any opcode. In a table, integers of 32 bits are signed whatever it says. */
static void take_type(struct column *c) {
    const struct ptx_words *w = &c->words;
    bool plain = w->type.bits == 32 && w->lanes == 1;
    c->type = !c->block && w->type.bits == 32 ? type_int : w->type;
    c->memory = false;
    c->typed = c->block || !plain;
    if (!c->block) c->type.lanes = (uint8_t)w->lanes;
    if (!c->block && w->type.real)
        parse_error(&c->p, w->type_word->pos, "not supported yet: '.%s' in a table", w->type_word->text);
}

static void check_rest(struct column *c) {
    ptx_words_check(&c->words, c->in, c->p.arena);
    if (c->words.problem) parse_error(&c->p, c->words.at, "%s", c->words.problem);
    if (ptx_peek(c)) parse_error(&c->p, ptx_at(c), "unexpected operand");
}

static void read_instruction(struct column *c, const struct ptx_instruction *in) {
    in = take_proxy(c, in);
    c->in = in;
    c->next = 0;
    if (!c->block && is_generic_fence(in)) {
        column_say(c, in->pos, "a fence of the generic proxy orders nothing that other fences do not");
        return;
    }
    c->words = ptx_words_of(in);
    bool kernel = c->block && c->block->kernel;
    if (kernel) take_type(c);
    if (kernel && c->block->kernel->instruction(c)) return;
    void (*read)(struct column *) = find_opcode(c);
    if (!read && !ptx_refuse_opcode(&c->p, in)) report_unknown(c);
    if (!c->p.panic) ptx_refuse_words(&c->p, in);
    if (c->p.panic) return;
    take_type(c);
    if (c->p.panic) return;
    read(c);
    check_rest(c);
}

/* @p instruction, @!p instruction: an if, or the condition of a branch. */
static void read_guarded(struct column *c, const struct ptx_instruction *in) {
    struct parser *p = &c->p;
    struct pos pos = in->guard->pos;
    struct expr *value = ptx_predicate_value(c, in->guard);
    if (p->panic) return;
    if (in->guard->negated) value = expr_new(p, EXPR_NOT, pos, value, NULL);
    struct stmts old = stmts_capture(p);
    read_instruction(c, in);
    struct stmts guarded = stmts_restore(p, old);
    if (p->panic || !guarded.first) return;
    if (guarded.first->kind == STMT_GOTO && !guarded.first->value) {
        guarded.first->value = value;
        stmts_append(p, guarded);
    } else if (guarded.first->kind == STMT_GOTO) {
        parse_error(p, pos, "a branch that compares cannot have a predicate, too");
    } else {
        stmt_add_if(p, pos, value, guarded, (struct stmts){0});
    }
}

void column_instruction(struct column *c, const struct ptx_instruction *in) {
    c->p.panic = false;
    if (in->guard)
        read_guarded(c, in);
    else
        read_instruction(c, in);
    c->p.panic = false;
}

/* ---- cells ---- */

void column_cell(struct column *c, const struct snippet *cell) {
    struct ptx_code code = ptx_read(c->p.arena, c->p.source, cell, c->p.diag);
    column_statements(c, &code);
}

/* ---- the column as a whole ---- */

void column_start(struct column *c, struct arena *a, struct test *t, struct body *body, struct diag *d) {
    c->p = (struct parser){.arena = a, .source = &t->source, .diag = d, .test = t, .body = body};
}

/* Whether a register has no initial value yet; complains when it has. */
static bool check_initial(struct column *c, const struct token *reg) {
    struct parser *p = &c->p;
    bool twice = ptx_alias_of(c, reg->text) != NULL;
    for (int i = 0; i < c->ninitials; i++)
        twice = twice || strcmp(p->body->regs[c->initials[i].reg].name, reg->text) == 0;
    if (twice) parse_complain(p, reg->pos, "register '%s' has two initial values", reg->text);
    return !twice;
}

void column_initial(struct column *c, const struct token *reg, struct type type, bool typed,
                    struct value value) {
    if (!check_initial(c, reg)) return;
    c->type = type;
    int r = ptx_find_register(c, reg->text, reg->pos);
    if (c->p.panic) return;
    c->initials = arena_more(c->p.arena, c->initials, (size_t)c->ninitials, sizeof *c->initials);
    c->initials[c->ninitials++] = (struct initial){r, type, value, typed, reg->pos};
}

void column_alias(struct column *c, const struct token *reg, int loc) {
    if (!check_initial(c, reg)) return;
    if (find_location(c->p.test, reg->text) >= 0)
        parse_complain(&c->p, reg->pos, "expected a register: '%s' is a location", reg->text);
    else
        ptx_set_alias(c, reg->text, reg->pos, (struct alias){.reg = reg->text, .loc = loc});
}

/* Puts initial values before the first statement. Registers are 0 anyway: only one that nothing else writes
 * needs a statement for that. */
static void set_initials(struct column *c) {
    struct parser *p = &c->p;
    for (int i = c->ninitials - 1; i >= 0; i--) {
        struct initial *initial = &c->initials[i];
        struct type type = p->body->regs[initial->reg].type;
        if (value_is_zero(initial->value) && stmt_sets(p->out.first, initial->reg)) continue;
        if (initial->type.bits > type.bits)
            parse_complain(p, initial->pos, "the initial value of '%s' does not fit into %d bits",
                           p->body->regs[initial->reg].name, type.bits);
        struct stmts rest = stmts_capture(p);
        struct expr *value = expr_of_value(p, initial->pos, initial->type, initial->value);
        stmt_add_set(p, initial->reg, expr_cast(p, value, type), initial->pos);
        stmts_append(p, rest);
    }
}

void column_finish(struct column *c, bool good) {
    struct parser *p = &c->p;
    size_t errors = p->diag->errors;
    p->panic = false;
    column_finish_labels(c, p->body->name);
    set_initials(c);
    p->body->first = p->out.first;
    if (p->diag->errors != errors) return;
    if (good) body_check_written(p, true);
    column_check_ends(c, p->body->name);
}

/* ---- the text of an asm statement ---- */

static void declare(struct column *c, const char *name, struct pos pos, struct type type, bool predicate) {
    struct asm_block *b = c->block;
    if (b->nregisters == ASM_MAX_REGISTERS) {
        parse_error(&c->p, pos, "an asm declares at most %d registers", ASM_MAX_REGISTERS);
        return;
    }
    int reg = body_temporary(&c->p, pos, type);
    b->registers = arena_more(c->p.arena, b->registers, (size_t)b->nregisters, sizeof *b->registers);
    b->registers[b->nregisters++] = (struct asm_register){name + (*name == '%'), reg, predicate, NULL};
}

/* %r<5> declares %r0 to %r4. */
static void declare_name(struct column *c, const struct ptx_name *name, struct type type, bool predicate) {
    if (name->range < 0) declare(c, name->text, name->pos, type, predicate);
    for (int k = 0; k < name->range && !c->p.panic; k++)
        declare(c, arena_printf(c->p.arena, "%s%d", name->text, k), name->pos, type, predicate);
}

/* .reg .u32 a, b; */
static void read_declaration(struct column *c, const struct ptx_statement *s) {
    struct parser *p = &c->p;
    const struct ptx_variable *v = s->variable;
    const struct ptx_word *word = &v->words[v->nwords - 1];
    struct type type = type_int;
    bool predicate = ptx_is_word(word, "pred");
    if (!ptx_is_word(&v->words[0], "reg") && c->block->kernel) {
        c->block->kernel->statement(c, s);
        return;
    }
    if (!ptx_is_word(&v->words[0], "reg"))
        parse_error(p, v->words[0].pos, "'.%s' is not supported yet", v->words[0].text);
    else if (v->nwords < 2)
        parse_error(p, ptx_behind(word), "expected '.' and a type");
    else if (!predicate && !type_find_ptx(word->text, &type))
        parse_error(p, word->pos, "'.%s' is no type", word->text);
    for (int k = 0; k < v->nnames && !p->panic; k++)
        declare_name(c, &v->names[k], type, predicate);
}

/* Braces that are open: the registers that are known before each. */
struct asm_scopes {
    int nregisters[MAX_NESTING];
    struct pos pos[MAX_NESTING];
    int n;
};

static void read_brace(struct column *c, struct asm_scopes *scopes, const struct ptx_statement *s) {
    struct parser *p = &c->p;
    if (s->kind == PTX_CLOSE && scopes->n == 0) {
        parse_complain(p, s->pos, "'}' without '{'");
    } else if (s->kind == PTX_CLOSE) {
        c->block->nregisters = scopes->nregisters[--scopes->n];
    } else if (scopes->n == MAX_NESTING) {
        parse_complain(p, s->pos, "this is nested too deeply");
    } else {
        scopes->pos[scopes->n] = s->pos;
        scopes->nregisters[scopes->n++] = c->block->nregisters;
    }
}

static void read_statement(struct column *c, struct asm_scopes *scopes, const struct ptx_statement *s) {
    bool kernel = c->block && c->block->kernel;
    if (s->kind == PTX_INSTRUCTION)
        column_instruction(c, s->instruction);
    else if (s->kind == PTX_LABEL)
        column_label(c, s);
    else if (!c->block)
        parse_error(&c->p, s->pos, "expected an instruction");
    else if (s->kind == PTX_OPEN || s->kind == PTX_CLOSE)
        read_brace(c, scopes, s);
    else if (s->kind == PTX_VARIABLE)
        read_declaration(c, s);
    else if (s->kind == PTX_FUNCTION)
        parse_error(&c->p, s->pos, "a function cannot stand in an asm");
    else if (kernel)
        c->block->kernel->statement(c, s);
    else if (s->kind == PTX_DIRECTIVE)
        parse_error(&c->p, s->pos, "'.%s' is not supported yet", s->directive->tokens[0]);
}

void column_statements(struct column *c, const struct ptx_code *code) {
    struct asm_scopes *scopes = arena_alloc(c->p.arena, sizeof *scopes);
    const struct ptx_code *around = c->code;
    int at = c->at, nregisters = c->block ? c->block->nregisters : 0;
    c->code = code;
    for (c->at = 0; c->at < code->n; c->at++) {
        c->p.panic = false;
        read_statement(c, scopes, &code->statements[c->at]);
    }
    if (scopes->n) parse_complain(&c->p, scopes->pos[scopes->n - 1], "this '{' has no '}'");
    if (c->block) c->block->nregisters = nregisters;
    c->code = around;
    c->at = at;
}

void asm_read_text(struct parser *p, struct asm_block *block, const struct ptx_code *code) {
    struct column *c = arena_alloc(p->arena, sizeof *c);
    size_t errors = p->diag->errors;
    c->p = *p;
    c->block = block;
    struct stmts before = stmts_capture(&c->p);
    column_statements(c, code);
    c->p.panic = false;
    column_finish_labels(c, "this asm");
    if (c->nlabels && p->diag->errors == errors) column_check_ends(c, "this asm");
    stmts_append(&c->p, stmts_restore(&c->p, before));
    *p = c->p;
    p->panic = false;
}
