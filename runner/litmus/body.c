#include <string.h>

#include "litmus/name.h"
#include "litmus/parse.h"

/* ---- registers ---- */

static int add_register(struct parser *p, const char *name, struct pos pos, struct type type,
                        bool temporary) {
    struct body *b = p->body;
    if (b->nregs == p->reg_cap) {
        size_t n = (size_t)b->nregs, cap = n ? 2 * n : 16;
        b->regs = arena_grow(p->arena, b->regs, n, cap, sizeof *b->regs);
        p->locals = arena_grow(p->arena, p->locals, n, cap, sizeof *p->locals);
        p->reg_cap = (int)cap;
    }
    b->regs[b->nregs] = (struct reg){name, pos, type, temporary};
    p->locals[b->nregs] = (struct local){0};
    return b->nregs++;
}

int body_temporary(struct parser *p, struct pos pos, struct type type) {
    return add_register(p, arena_printf(p->arena, "t$%d", p->body->nregs), pos, type, true);
}

static int find_named(const struct parser *p, const char *name) {
    for (int i = 0; i < p->nnamed; i++)
        if (strcmp(p->body->regs[p->named[i]].name, name) == 0) return p->named[i];
    return -1;
}

/* The register that a name means here, as its place in the open scopes; -1: there is none. */
static int find_open(const struct parser *p, const char *name) {
    for (int k = p->nscope; --k >= 0;) {
        if (k < p->floor && k >= p->globals) k = p->globals - 1;
        if (k >= 0 && p->scope[k].reg >= 0 && strcmp(p->scope[k].name, name) == 0) return k;
    }
    return -1;
}

int body_find(const struct parser *p, const char *name) {
    int open = find_open(p, name);
    return open >= 0 ? p->scope[open].reg : -1;
}

/* The numbers of a copy; a thread of a grid has threadIdx instead, and `int tid = threadIdx.x;` is common there. */
static bool is_number_of_copy(const char *name) {
    return strcmp(name, "tid") == 0 || strcmp(name, "count") == 0;
}

/* Complains about a name that cannot be a register's, or that means something else already. */
static void check_declared(struct parser *p, const struct token *name) {
    const char *problem = is_number_of_copy(name->text) && p->body->grid ? NULL : name_problem(name->text);
    int loc = find_location(p->test, name->text);
    const struct reference *ref = reference_find(p, name->text);
    if (ref)
        parse_complain(p, name->pos, "register '%s' hides the %s of that name", name->text,
                       ref->is_pointer ? "pointer"
                       : ref->array    ? "array"
                       : ref->group    ? "group"
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
    int open = find_open(p, name->text);
    check_declared(p, name);
    if (open >= p->block) {
        int reg = p->scope[open].reg;
        parse_complain(p, name->pos, "register '%s' is declared twice", name->text);
        diag_note(p->diag, p->source, p->body->regs[reg].pos, "it is declared here already");
        return reg;
    }
    int reg = open < 0 ? find_ended(p, name, type) : -1;
    reg = name_register(p, reg, name, type, open >= 0);
    if (!p->panic) p->scope[p->nscope++] = (struct scope_entry){name->text, reg, false};
    return reg;
}

void body_alias(struct parser *p, const struct token *name, int reg, bool constant) {
    int open = find_open(p, name->text);
    check_declared(p, name);
    if (open >= p->block) parse_complain(p, name->pos, "register '%s' is declared twice", name->text);
    if (p->nscope == MAX_SCOPE)
        parse_error(p, name->pos, "a thread has at most %d registers", MAX_LOCALS);
    else
        p->scope[p->nscope++] = (struct scope_entry){name->text, reg, constant};
}

void body_check_alias(struct parser *p, const struct token *name) {
    int open = name->kind == TOK_NAME ? find_open(p, name->text) : -1;
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
    bool of_thread =
        e->kind == EXPR_TID || e->kind == EXPR_COUNT || e->kind == EXPR_BLOCK || e->kind == EXPR_THREAD;
    return !of_thread && is_number(p, e->a) && is_number(p, e->b) && is_number(p, e->c);
}

/* An expression over numbers, with these in place of the registers. */
static struct expr *fill_in(const struct parser *p, const struct expr *e) {
    if (!e) return NULL;
    struct expr *copy = arena_alloc(p->arena, sizeof *copy);
    *copy = *e;
    if (e->kind == EXPR_REG) {
        copy->kind = EXPR_INT;
        copy->value = p->locals[e->index].number;
    }
    copy->a = fill_in(p, e->a);
    copy->b = fill_in(p, e->b);
    copy->c = fill_in(p, e->c);
    return copy;
}

bool body_number(const struct parser *p, const struct expr *e, struct value *out) {
    if (!is_number(p, e)) return false;
    *out = expr_eval(fill_in(p, e), &(struct expr_env){.block = 1});
    return true;
}

struct expr *body_fold(struct parser *p, struct expr *e) {
    struct value number;
    if (p->panic || e->kind == EXPR_INT || type_is_vector(e->type) || !body_number(p, e, &number)) return e;
    struct expr *folded = expr_new(p, EXPR_INT, e->pos, NULL, NULL);
    folded->type = e->type;
    folded->value = number;
    return folded;
}

void body_keep_number(struct parser *p, int reg, const struct expr *value) {
    struct local *l = &p->locals[reg];
    struct value number;
    l->has_number = body_number(p, value, &number);
    if (l->has_number) l->number = value_convert(number, value->type, p->body->regs[reg].type);
}

void body_set(struct parser *p, int reg, struct expr *value, struct pos pos) {
    struct stmt *last = p->out.last;
    int newest = p->body->nregs - 1;
    value = expr_convert(p, value, p->body->regs[reg].type);
    if (last && last->kind == STMT_OP && value->kind == EXPR_REG && value->index == last->op->dst &&
        last->op->dst == newest && p->body->regs[newest].temporary && !p->locals[newest].declared &&
        reg != newest) {
        last->op->dst = reg;
        p->body->nregs--;
        return;
    }
    struct stmt *s = stmt_add(p, STMT_SET, pos);
    s->reg = reg;
    s->value = value;
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

void body_report_undeclared(struct parser *p, const struct token *name, const char *hint) {
    const struct test *test = p->test;
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
    if (p->tok->kind == '.' && name_is_ptx(name->text)) {
        parse_error(p, name->pos, "'%s' is an instruction of PTX, which a body has as asm volatile(\"...\")",
                    name->text);
    } else if (p->tok->kind == ':' && p->tok[1].kind == ':') {
        parse_error(p, name->pos,
                    "'%s' is no namespace that a body knows: these are cuda, std and cooperative_groups",
                    name->text);
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
    } else {
        const char *suggestion = name_suggest(p->arena, name->text, names, n);
        parse_complain(p, name->pos, "'%s' is neither a register nor a location%s", name->text,
                       *suggestion ? suggestion : hint);
    }
}

/* make_int4(x, y, z, w) */
static struct expr *parse_vector(struct parser *p, struct type type) {
    const struct token *t = parse_next(p);
    struct expr *lanes[4];
    parse_next(p);
    for (int k = 0; k < type.lanes; k++) {
        if (k > 0 && !p->panic && p->tok->kind != ',')
            parse_error(p, p->tok->pos, "%s takes %d values", t->text, type.lanes);
        if (k > 0) parse_accept(p, ',');
        lanes[k] = expr_convert(p, parse_expression(p), type_lane(type));
    }
    if (p->tok->kind == ',') parse_error(p, p->tok->pos, "%s takes %d values", t->text, type.lanes);
    parse_expect(p, ')', "')'");
    return expr_vector(p, t->pos, type, lanes);
}

void body_report_members(struct parser *p) {
    parse_error(
        p, p->tok->pos,
        "a location has no members, unless the body says that it is atomic: cuda::atomic<type, scope> X;");
}

static struct expr *read_location(struct parser *p) {
    struct place place = access_place(p);
    if (parse_peek(p) == '.') body_report_members(p);
    return access_load(p, place);
}

/* An operand that begins with a name: tid, count, true, false, a register, a location (which is loaded) or a
 * call. */
/* static_cast<type>(e) */
static struct expr *parse_static_cast(struct parser *p) {
    bool constant;
    parse_next(p);
    parse_next(p);
    if (!parse_type_begins(p, p->tok)) parse_error(p, p->tok->pos, "expected a type of a register");
    struct type type = p->panic ? type_int : parse_type(p, &constant);
    parse_expect(p, '>', "'>'");
    parse_expect(p, '(', "'('");
    struct expr *e = parse_expression(p);
    parse_expect(p, ')', "')'");
    return p->panic ? e : expr_cast(p, e, type);
}

/* type(e): a cast */
static struct expr *parse_type_call(struct parser *p) {
    bool constant;
    struct type type = parse_type(p, &constant);
    parse_expect(p, '(', "'('");
    struct expr *e = parse_expression(p);
    parse_expect(p, ')', "')'");
    return p->panic ? e : expr_cast(p, e, type);
}

/* The bytes of a location, an element of it, or a register. */
static int size_of_name(struct parser *p) {
    const struct token *t = p->tok;
    int loc = parse_peek(p) == TOK_NAME ? find_location(p->test, t->text) : -1;
    int reg = parse_peek(p) == TOK_NAME && loc < 0 ? body_find(p, t->text) : -1;
    if (registers_find(p, t)) return registers_bytes(p);
    if (loc < 0 && reg < 0) {
        parse_error(p, t->pos, "expected a type, a location or a register whose size it is");
        return 4;
    }
    struct type type = loc >= 0 ? p->test->locs[loc].type : p->body->regs[reg].type;
    int count = loc >= 0 ? p->test->locs[loc].count : 1;
    parse_next(p);
    if (!parse_accept(p, '[')) return type_bytes(type) * count;
    struct stmts out = stmts_capture(p); /* nothing is accessed */
    parse_expression(p);
    stmts_restore(p, out);
    parse_expect(p, ']', "']'");
    return type_bytes(type);
}

/* sizeof(type), sizeof(X), sizeof(a[0]) */
static struct expr *parse_size(struct parser *p) {
    const struct token *t = parse_next(p);
    bool constant;
    int bytes = 4;
    parse_expect(p, '(', "'('");
    if (!p->panic && parse_type_begins(p, p->tok))
        bytes = type_bytes(parse_type(p, &constant));
    else if (!p->panic)
        bytes = size_of_name(p);
    if (parse_peek(p) == '*') parse_error(p, p->tok->pos, "the size of a pointer is not supported yet");
    parse_expect(p, ')', "')'");
    return expr_cast(p, expr_int(p, t->pos, bytes), type_uint64);
}

/* A value between a '(' or a '{' and its end; of none, 0. */
static struct expr *parse_enclosed(struct parser *p, struct type type) {
    const struct token *open = parse_next(p);
    int close = open->kind == '(' ? ')' : '}';
    struct expr *e = expr_int(p, open->pos, 0);
    if (parse_peek(p) != close) e = parse_expression(p);
    parse_expect(p, close, close == ')' ? "')'" : "'}'");
    return p->panic ? expr_cast(p, expr_int(p, open->pos, 0), type) : expr_cast(p, e, type);
}

struct expr *parse_initializer(struct parser *p, struct type type) {
    struct expr *lanes[4];
    const struct token *t = p->tok;
    if (!type_is_vector(type)) return parse_enclosed(p, type);
    parse_expect(p, '{', "'{'");
    for (int k = 0; k < type.lanes; k++) {
        bool given = !p->panic && p->tok->kind != '}' && (k == 0 || parse_accept(p, ','));
        lanes[k] = expr_convert(p, given ? parse_expression(p) : expr_int(p, t->pos, 0), type_lane(type));
    }
    if (parse_peek(p) == ',') parse_error(p, p->tok->pos, "%s has %d elements", type_name(type), type.lanes);
    parse_expect(p, '}', "'}'");
    return expr_vector(p, t->pos, type, lanes);
}

/* uint64_t(1), float(X), int4{1, 2, 3, 4} */
static bool at_construction(const struct parser *p, struct type *type) {
    const struct token *next = p->tok + 1;
    return parse_type_begins(p, p->tok) && type_of_name(p, p->tok->text, type) &&
           (next->kind == '{' || (next->kind == '(' && !type_is_vector(*type)));
}

/* The numbers of limits.h and stdint.h. */
static const struct {
    const char *name;
    struct type type;
    uint64_t value;
} limits[] = {{"INT_MAX", {32, 1, true, false}, INT32_MAX},
              {"INT_MIN", {32, 1, true, false}, 0x80000000},
              {"UINT_MAX", {32, 1, false, false}, UINT32_MAX},
              {"LLONG_MAX", {64, 1, true, false}, INT64_MAX},
              {"LLONG_MIN", {64, 1, true, false}, 0x8000000000000000},
              {"ULLONG_MAX", {64, 1, false, false}, UINT64_MAX},
              {"INT32_MAX", {32, 1, true, false}, INT32_MAX},
              {"INT32_MIN", {32, 1, true, false}, 0x80000000},
              {"UINT32_MAX", {32, 1, false, false}, UINT32_MAX},
              {"INT64_MAX", {64, 1, true, false}, INT64_MAX},
              {"INT64_MIN", {64, 1, true, false}, 0x8000000000000000},
              {"UINT64_MAX", {64, 1, false, false}, UINT64_MAX}};

/* The number of that name; NULL: it has none. */
static struct expr *find_limit(struct parser *p, const struct token *t) {
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++)
        if (strcmp(limits[k].name, t->text) == 0) {
            struct expr *e = expr_new(p, EXPR_INT, t->pos, NULL, NULL);
            e->type = limits[k].type;
            e->value = (struct value){limits[k].value, 0};
            return e;
        }
    return NULL;
}

/* The value of a call, which some have not. */
static struct expr *need_value(struct parser *p, struct expr *value, const struct token *call) {
    if (!value) parse_error(p, call->pos, "'%s' has no value", call->text);
    return value ? value : expr_int(p, call->pos, 0);
}

static struct expr *read_element(struct parser *p) {
    const struct token *t = p->tok;
    int reg = registers_read(p);
    return reg < 0 ? expr_int(p, t->pos, 0) : body_read(p, reg, t->pos);
}

static struct expr *parse_operand(struct parser *p) {
    const struct token *t = p->tok;
    struct type type;
    if (at_construction(p, &type)) {
        parse_next(p);
        return parse_initializer(p, type);
    }
    if (t[1].kind == '(' && inlined_find(p, t)) return need_value(p, inlined_value(p), t);
    bool makes = strncmp(t->text, "make_", 5) == 0 && type_find(t->text + 5, &type) && type_is_vector(type);
    if (t[1].kind == '(' && makes) return parse_vector(p, type);
    const struct reference *ref = atomic_find(p, t->text);
    if (ref) return atomic_operand(p, ref);
    if (atomic_begins(p)) return atomic_value(p);
    if (groups_begin(p)) return groups_value(p);
    if (arrival_begins(p)) return arrival_value(p);
    if (strcmp(t->text, "sizeof") == 0) return parse_size(p);
    if (t[1].kind == '(' && strcmp(t->text, "const") != 0 && parse_type_begins(p, t))
        return parse_type_call(p);
    if (t[1].kind == '<' && strcmp(t->text, "static_cast") == 0) return parse_static_cast(p);
    if (t[1].kind == '(' && function_is(t->text)) return function_value(p);
    if (t[1].kind == '(') return need_value(p, access_call(p), t);
    int reg = body_find(p, t->text);
    if (asm_window_find(p, t->text)) {
        parse_error(
            p, t->pos,
            "'%s' is an address in shared memory, which has no value in a test but as an operand of an asm",
            t->text);
        return expr_int(p, t->pos, 0);
    }
    if (pointer_find(p, t->text)) {
        parse_next(p);
        pointer_report_value(p, t);
        return expr_int(p, t->pos, 0);
    }
    if (reg < 0 && find_location(p->test, t->text) >= 0) return read_location(p);
    if (registers_find(p, t)) return read_element(p);
    if (reg < 0 && grid_knows(p, t->text)) return grid_value(p);
    parse_next(p);
    if (reg < 0 && !p->body->grid && strcmp(t->text, "tid") == 0)
        return expr_new(p, EXPR_TID, t->pos, NULL, NULL);
    if (reg < 0 && !p->body->grid && strcmp(t->text, "count") == 0)
        return expr_new(p, EXPR_COUNT, t->pos, NULL, NULL);
    if (strcmp(t->text, "true") == 0) return expr_int(p, t->pos, 1);
    if (strcmp(t->text, "false") == 0) return expr_int(p, t->pos, 0);
    struct expr *limit = reg < 0 ? find_limit(p, t) : NULL;
    if (limit) return limit;
    if (reg < 0) {
        body_report_undeclared(p, t, "");
        return expr_int(p, t->pos, 1);
    }
    return body_read(p, reg, t->pos);
}

/* ---- the whole ---- */

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

static bool count_op(const struct stmt *s, void *ctx) {
    int *n = ctx;
    *n += s->kind == STMT_OP;
    return true;
}

/* Moves the operations of a list into the test's array. */
static void number_ops(struct test *t, struct stmt *s) {
    for (; s; s = s->next) {
        if (s->kind == STMT_OP) {
            struct op *op = &t->ops[++t->nops];
            *op = *s->op;
            op->number = t->nops;
            s->op = op;
        }
        number_ops(t, s->body);
        number_ops(t, s->orelse);
        number_ops(t, s->step);
    }
}

void body_number_ops(struct arena *a, struct test *t) {
    int n = 0;
    for (int b = 0; b < t->nbodies; b++)
        stmt_walk(t->bodies[b].first, count_op, &n);
    t->ops = arena_array(a, (size_t)n + 1, sizeof *t->ops);
    t->nops = 0;
    for (int b = 0; b < t->nbodies; b++)
        number_ops(t, t->bodies[b].first);
}

void body_parse(struct arena *a, struct test *t, struct body *body, const struct snippet *text,
                struct diag *d) {
    struct parser parser = {
        .arena = a, .source = &t->source, .diag = d, .test = t, .body = body, .operand = parse_operand};
    struct parser *p = &parser;
    size_t errors = d->errors;
    parse_start(p, text);
    while (groups_aliases(p) || naming_before(p) || kernel_keeps_function(p)) {
    }
    p->globals = p->nscope;
    if (kernel_begins(p)) kernel_head(p);
    parse_recover(p);
    while (p->tok->kind != TOK_END) {
        if (p->tok->kind != '}') {
            statement_parse(p);
            parse_recover(p);
        } else {
            if (d->errors == errors) parse_complain(p, p->tok->pos, "'}' without '{'");
            p->tok++;
        }
    }
    leave_loops(p);
    body->first = p->out.first;
    if (d->errors == errors) body_check_written(p, false);
}
