#include <string.h>

#include "litmus/name.h"
#include "lower/lower.h"

/* ---- registers ---- */

static int add_register(struct parser *p, const char *name, struct pos pos, struct type type,
                        bool temporary) {
    struct body *b = p->body;
    if (b->nregs == p->reg_cap) {
        size_t n = (size_t)b->nregs, cap = n ? 2 * n : 16;
        b->regs = arena_grow(p->arena, b->regs, n, cap, sizeof *b->regs);
        p->locals = arena_grow(p->arena, p->locals, n, cap, sizeof *p->locals);
        p->known = arena_grow(p->arena, p->known, n, cap, sizeof *p->known);
        p->reg_cap = (int)cap;
    }
    b->regs[b->nregs] = (struct reg){.name = name, .pos = pos, .type = type, .temporary = temporary};
    p->locals[b->nregs] = (struct local){0};
    return b->nregs++;
}

int body_temporary(struct parser *p, struct pos pos, struct type type) {
    return add_register(p, arena_printf(p->arena, "t$%d", p->body->nregs), pos, type, true);
}

struct expr *body_hold(struct parser *p, struct expr *value, struct pos pos) {
    int reg = body_temporary(p, pos, value->type);
    body_set(p, reg, value, pos);
    return body_value(p, reg, pos);
}

static int find_named(const struct parser *p, const char *name) {
    for (int i = 0; i < p->nnamed; i++)
        if (strcmp(p->body->regs[p->named[i]].name, name) == 0) return p->named[i];
    return -1;
}

enum meaning { A_REGISTER, A_REFERENCE };

/* What a name means here, as its place in the open scopes; -1: there is none. */
static int find_open(const struct parser *p, const char *name, enum meaning meaning) {
    for (int k = p->nscope; --k >= 0;) {
        if (k < p->floor && k >= p->globals) k = p->globals - 1;
        bool refers = k >= 0 && p->scope[k].reg < 0;
        if (k >= 0 && refers == (meaning == A_REFERENCE) && strcmp(p->scope[k].name, name) == 0) return k;
    }
    return -1;
}

int body_find(const struct parser *p, const char *name) {
    int open = find_open(p, name, A_REGISTER);
    return open >= 0 ? p->scope[open].reg : -1;
}

const struct reference *reference_find(const struct parser *p, const char *name) {
    int open = find_open(p, name, A_REFERENCE);
    return open >= 0 ? &p->refs[~p->scope[open].reg] : NULL;
}

void reference_add(struct parser *p, struct reference *ref) {
    if (p->nrefs == MAX_REFERENCES || p->nscope == MAX_SCOPE) {
        parse_error(p, ref->pos, "a thread has at most %d pointers, atomic_refs and groups", MAX_REFERENCES);
        return;
    }
    p->scope[p->nscope++] = (struct scope_entry){ref->name, ~p->nrefs, false};
    p->refs = arena_more(p->arena, p->refs, (size_t)p->nrefs, sizeof *p->refs);
    p->refs[p->nrefs++] = *ref;
}

/* The numbers of a copy; a thread of a grid has threadIdx instead, and `int tid = threadIdx.x;` is common there. */
static bool is_number_of_copy(const char *name) {
    return strcmp(name, "tid") == 0 || strcmp(name, "count") == 0;
}

/* The location that a register of this name hides; "p.a" also hides p. */
static int find_hidden(struct parser *p, const char *name) {
    size_t n = strcspn(name, ".");
    int loc = find_location(p->test, name);
    if (loc >= 0 || !name[n]) return loc;
    return find_location(p->test, arena_printf(p->arena, "%.*s", (int)n, name));
}

/* Makes a register visible by a name. */
static void add_to_scope(struct parser *p, struct pos pos, struct scope_entry entry) {
    if (p->nscope == MAX_SCOPE)
        parse_error(p, pos, "a thread has at most %d registers", MAX_LOCALS);
    else
        p->scope[p->nscope++] = entry;
}

/* Complains about a name that cannot be a register's, or that means something else already. */
static void check_declared(struct parser *p, const struct token *name) {
    const char *problem = name_problem_declared(name->text);
    int loc = find_hidden(p, name->text);
    const struct reference *ref = reference_find(p, name->text);
    if (ref)
        parse_complain(p, name->pos, "register '%s' hides the %s of that name", name->text,
                       ref->is_pointer   ? "pointer"
                       : ref->array      ? "array"
                       : ref->group.kind ? "group"
                                         : "atomic_ref");
    if (problem) parse_complain(p, name->pos, "'%s' %s", name->text, problem);
    if (loc >= 0) {
        parse_complain(p, name->pos, "register '%s' hides the location of that name", name->text);
        diag_note(p->diag, p->source, p->test->locs[loc].pos, "the location is declared here");
    }
}

/* A register of that name whose block has ended is used again. -1: there is none. */
static int find_ended(struct parser *p, const struct token *name, struct type type) {
    int reg = p->call ? -1 : find_named(p, name->text);
    if (reg >= 0 && !type_same(p->body->regs[reg].type, type)) {
        parse_complain(p, name->pos,
                       "register '%s' is of type %s elsewhere in this thread: give it another name",
                       name->text, type_name(p->body->regs[reg].type));
        diag_note(p->diag, p->source, p->body->regs[reg].pos, "it is declared here");
    }
    return reg;
}

/* A declared register: `reg`, or a new one where that is -1. */
static int name_register(struct parser *p, int reg, const struct token *name, struct type type, bool hidden) {
    if ((reg < 0 && p->nnamed == MAX_LOCALS) || p->nscope == MAX_SCOPE) {
        parse_error(p, name->pos, "a thread has at most %d registers", MAX_LOCALS);
        return 0;
    }
    if (reg < 0) {
        reg = add_register(p, name->text, name->pos, type, hidden || p->call);
        if (!p->call) p->named[p->nnamed++] = reg;
    }
    p->locals[reg].declared = true;
    p->locals[reg].constant = p->locals[reg].has_number = false;
    return reg;
}

int body_declare(struct parser *p, const struct token *name, struct type type) {
    int open = find_open(p, name->text, A_REGISTER);
    check_declared(p, name);
    if (open >= p->block) {
        int reg = p->scope[open].reg;
        parse_complain(p, name->pos, "register '%s' is declared twice", name->text);
        diag_note(p->diag, p->source, p->body->regs[reg].pos, "it is declared here already");
        return reg;
    }
    int reg = open < 0 ? find_ended(p, name, type) : -1;
    reg = name_register(p, reg, name, type, open >= 0);
    p->locals[reg].leads = NULL;
    if (!p->panic) p->scope[p->nscope++] = (struct scope_entry){name->text, reg, false};
    return reg;
}

void body_alias(struct parser *p, const struct token *name, int reg, bool constant) {
    int open = find_open(p, name->text, A_REGISTER);
    check_declared(p, name);
    if (open >= p->block) parse_complain(p, name->pos, "register '%s' is declared twice", name->text);
    add_to_scope(p, name->pos, (struct scope_entry){name->text, reg, constant});
}

void body_alias_within(struct parser *p, const struct token *name, const char *within, int reg) {
    const char *whole = arena_printf(p->arena, "%s::%s", within, name->text);
    if (find_open(p, whole, A_REGISTER) >= p->block)
        parse_complain(p, name->pos, "'%s' is declared twice", whole);
    else
        add_to_scope(p, name->pos, (struct scope_entry){whole, reg, false});
}

void body_check_alias(struct parser *p, const struct token *name) {
    int open = name->kind == TOK_NAME ? find_open(p, name->text, A_REGISTER) : -1;
    if (open >= 0 && p->scope[open].constant)
        parse_complain(p, name->pos, "'%s' is a reference to const: it cannot be assigned", name->text);
}

int body_declare_element(struct parser *p, const struct token *name, struct type type) {
    return name_register(p, find_ended(p, name, type), name, type, false);
}

int body_enter_function(struct parser *p) {
    int floor = p->floor;
    p->floor = p->nscope;
    return floor;
}

int body_open_scope(struct parser *p) {
    int around = p->block;
    p->block = p->nscope;
    return around;
}

void body_close_scope(struct parser *p, int around) {
    while (p->nscope > p->block) {
        int k = p->scope[--p->nscope].reg;
        if (k < 0 && ~k == p->nrefs - 1) p->nrefs--;
    }
    p->block = around;
}

void body_check_constant(struct parser *p, int reg, struct pos pos) {
    if (p->locals[reg].counts && !p->panic)
        parse_complain(
            p, pos,
            "'%s' counts the turns of a loop over an array of registers: assigning it there is not "
            "supported yet",
            p->body->regs[reg].name);
    if (!p->locals[reg].constant || p->panic) return;
    parse_complain(p, pos, "'%s' is const: it cannot be assigned", p->body->regs[reg].name);
    diag_note(p->diag, p->source, p->body->regs[reg].pos, "it is declared here");
}

static bool is_number(const struct parser *p, const struct expr *e) {
    if (!e) return true;
    if (e->kind == EXPR_REG) return p->locals[e->index].has_number;
    bool of_thread = e->kind == EXPR_TID || e->kind == EXPR_COUNT || e->kind == EXPR_BLOCK ||
                     e->kind == EXPR_THREAD || expr_is_of_cell(e);
    return !of_thread && is_number(p, e->a) && is_number(p, e->b) && is_number(p, e->c);
}

bool body_number(const struct parser *p, const struct expr *e, struct value *out) {
    if (!is_number(p, e)) return false;
    *out = expr_eval(e, &(struct expr_env){.regs = p->known, .block = 1});
    return true;
}

struct expr *body_fold(struct parser *p, struct expr *e) {
    struct value number;
    if (p->panic || e->kind == EXPR_INT || type_is_vector(e->type) || !body_number(p, e, &number)) return e;
    return expr_of_value(p, e->pos, e->type, number);
}

void body_keep_number(struct parser *p, int reg, const struct expr *value) {
    struct value number;
    p->locals[reg].has_number = body_number(p, value, &number);
    if (p->locals[reg].has_number)
        p->known[reg] = value_convert(number, value->type, p->body->regs[reg].type);
}

void body_set(struct parser *p, int reg, struct expr *value, struct pos pos) {
    struct stmt *last = p->out.last;
    int newest = p->body->nregs - 1;
    value = expr_convert(p, value, p->body->regs[reg].type);
    p->locals[reg].leads = NULL;
    if (last && last->kind == STMT_OP && value->kind == EXPR_REG && value->index == last->op->dst &&
        last->op->dst == newest && p->body->regs[newest].temporary && !p->locals[newest].declared &&
        reg != newest) {
        last->op->dst = reg;
        p->body->nregs--;
        return;
    }
    stmt_add_set(p, reg, value, pos);
}

/* ---- operands ---- */

struct expr *body_value(struct parser *p, int reg, struct pos pos) {
    struct expr *e = expr_new(p, EXPR_REG, pos, NULL, NULL);
    e->type = p->body->regs[reg].type;
    e->index = reg;
    return e;
}

struct expr *body_read(struct parser *p, int reg, struct pos pos) {
    struct local *local = &p->locals[reg];
    if (!local->is_read) local->first_read = pos;
    local->is_read = true;
    return body_value(p, reg, pos);
}

void body_refuse(struct parser *p, const struct token *name) {
    if (p->nrefused < MAX_REFUSED) p->refused[p->nrefused++] = name->text;
}

bool body_is_refused(struct parser *p, const struct token *name) {
    bool refused = false;
    for (int k = 0; k < p->nrefused; k++)
        refused = refused || strcmp(p->refused[k], name->text) == 0;
    p->panic = p->panic || refused;
    return refused;
}

static bool is_order(const char *word) {
    enum order o = ORDER_WEAK;
    while (o <= ORDER_SC && strcmp(order_name(o), word) != 0)
        o++;
    return o <= ORDER_SC;
}

void body_report_undeclared(struct parser *p, const struct token *name) {
    const struct test *test = p->test;
    if (body_is_refused(p, name)) return;
    const char **names = arena_array(p->arena, (size_t)(p->nscope + test->nlocs), sizeof *names);
    size_t n = 0;
    for (int i = 0; i < p->nscope; i++)
        names[n++] = p->scope[i].name;
    for (int i = 0; i < test->nlocs; i++)
        names[n++] = test->locs[i].name;
    const char *problem = name_problem(name->text);
    const char *refusal = name_refusal(name->text);
    const char *call = access_usage(name->text);
    int reg = find_named(p, name->text);
    if (name[1].kind == '.' && name_is_ptx(name->text)) {
        parse_error(p, name->pos, "'%s' is an instruction of PTX, which a body has as asm volatile(\"...\")",
                    name->text);
    } else if (name[1].kind == ':' && name[2].kind == ':' && type_find_alias(p, name->text)) {
        const char *whole = arena_printf(p->arena, "%s::%s", name->text, name[3].text);
        parse_complain(p, name->pos, "'%s' is no number of that enum%s", whole,
                       name_suggest(p->arena, whole, names, n));
    } else if (name[1].kind == ':' && name[2].kind == ':') {
        parse_error(p, name->pos,
                    "'%s' is no namespace that a body knows: these are cuda, std and cooperative_groups",
                    name->text);
        body_refuse(p, name);
    } else if (name[1].kind == '.' && token_is_word(&name[2], "sync")) {
        parse_error(p, name->pos,
                    "'%s' is no group that is declared here, as by auto %s = cooperative_groups::...",
                    name->text, name->text);
    } else if (call) {
        parse_error(p, name->pos, "'%s' is a call: %s", name->text, call);
    } else if (refusal) {
        parse_error(p, name->pos, "'%s' is %s", name->text, refusal);
    } else if (p->body->grid && is_number_of_copy(name->text)) {
        parse_error(p, name->pos, "'%s' is for a thread with 'count'; a thread of a grid has %s", name->text,
                    strcmp(name->text, "tid") == 0 ? "blockIdx.x and threadIdx.x"
                                                   : "gridDim.x and blockDim.x");
    } else if (problem) {
        parse_error(p, name->pos, "'%s' %s", name->text, problem);
    } else if (reg >= 0) {
        parse_complain(p, name->pos, "'%s' is not declared here", name->text);
        diag_note(p->diag, p->source, p->body->regs[reg].pos, "this one ended with its block");
    } else if (is_order(name->text)) {
        parse_error(p, name->pos, "'%s' is an order, and a value is wanted here", name->text);
    } else if (name[1].kind == TOK_NAME) {
        const char *near = type_hint(p->arena, name->text);
        bool listed = strncmp(near, "; it", 4) == 0;
        parse_complain(p, name->pos, "'%s' is no type of a register%s", name->text,
                       listed ? "; one is declared by its type, as in int r" : near);
        body_refuse(p, &name[1]);
    } else {
        const char *suggestion = name_suggest(p->arena, name->text, names, n);
        body_refuse(p, name); /* which is said once */
        const char *hint =
            arena_printf(p->arena, "; declare it in 'memory', or as a register: int %s", name->text);
        parse_complain(p, name->pos, "'%s' is neither a register nor a location%s", name->text,
                       *suggestion ? suggestion : hint);
    }
}

/* ---- registers that are never assigned ---- */

static bool mark_written(const struct stmt *s, void *ctx) {
    bool *written = ctx;
    if (s->kind == STMT_SET) written[s->reg] = true;
    if (s->kind == STMT_OP && s->op->dst >= 0) written[s->op->dst] = true;
    return true;
}

void body_check_written(struct parser *p, bool is_table) {
    bool *written = arena_array(p->arena, (size_t)p->body->nregs, sizeof *written);
    stmt_walk(p->body->first, mark_written, written);
    for (int i = 0; i < p->nnamed; i++) {
        int reg = p->named[i];
        if (!p->locals[reg].is_read || written[reg]) continue;
        const char *name = p->body->regs[reg].name;
        if (is_table) {
            diag_warning(p->diag, p->source, p->locals[reg].first_read,
                         "register '%s' is never assigned: it is 0", name);
            continue;
        }
        parse_complain(p, p->locals[reg].first_read, "register '%s' is never assigned", name);
        diag_note(p->diag, p->source, p->body->regs[reg].pos, "it is declared here");
    }
}
