/* Functions of the device that a text has before its kernel. A call is read as the lines of the function, at each place
 * where it is called: a pointer among the parameters is a place, a number a register. */
#include <string.h>

#include "litmus/name.h"
#include "lower/lower.h"

enum { MAX_PARAMETERS = 16, MAX_FUNCTIONS = 64, MAX_CALLS = 2048 };

struct function_text {
    const char *name;
    const struct token *result, *parameters, *text; /* its type, "(" and "{" */
    const struct tree *body;                        /* NULL, as long as it is not called */
    bool open;                                      /* it is being read */
    bool bad;                                       /* an error in it was reported */
    bool read;
};

struct inlined_call {
    struct function_text *function;
    struct inlined_call *around;
    struct type type;
    int result;  /* a register; -1: none */
    int returns; /* how many were read */
};

/* ---- definitions ---- */

static bool is_specifier(const struct token *t) {
    static const char *const words[] = {"static",     "extern",       "inline",
                                        "constexpr",  "__device__",   "__host__",
                                        "__inline__", "__noinline__", "__forceinline__"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (token_is_word(t, words[k])) return true;
    return false;
}

void inlined_define(struct parser *p, const struct token *result, const struct token *parameters,
                    const struct token *body) {
    const struct token *name = parameters - 1;
    const struct op_call *call;
    while (is_specifier(result))
        result++;
    if (name->kind != TOK_NAME || name <= result)
        parse_complain(p, parameters->pos, "expected the name of a function before '('");
    else if (op_find_call(name->text, &call) || function_is(name->text))
        parse_complain(p, name->pos,
                       "'%s' has a meaning of its own in a test: give the function another name", name->text);
    else if (inlined_find(p, name))
        parse_complain(p, name->pos, "not supported yet: two functions of one name, '%s'", name->text);
    else if (p->nfunctions == MAX_FUNCTIONS)
        parse_complain(p, name->pos, "a thread has at most %d functions", MAX_FUNCTIONS);
    else {
        p->functions = arena_more(p->arena, p->functions, (size_t)p->nfunctions, sizeof *p->functions);
        p->functions[p->nfunctions++] = (struct function_text){
            .name = name->text, .result = result, .parameters = parameters, .text = body};
    }
}

struct function_text *inlined_find(const struct parser *p, const struct token *name) {
    for (int k = 0; k < p->nfunctions && !p->panic && name->kind == TOK_NAME; k++)
        if (strcmp(p->functions[k].name, name->text) == 0) return &p->functions[k];
    return NULL;
}

/* ---- arguments ---- */

/* What a parameter stands for in a call. */
struct argument {
    const struct token *name;
    struct reference ref; /* of a pointer or a reference; else a value: */
    int reg;              /* of a reference to a register; else -1 */
    bool is_value, constant;
    struct type type;
    struct expr *value;
    struct value number; /* which the value is, if it is known */
    bool known;
};

/* The type and the name of a parameter that is a value. */
static void read_parameter(struct parser *p, struct argument *a) {
    if (!p->panic && !parse_type_begins(p, p->tok))
        parse_error(p, p->tok->pos,
                    "not supported yet: a parameter that is no pointer, no reference and no number");
    if (p->panic) return;
    a->type = parse_type(p, &a->constant);
    if (a->constant) parse_accept(p, '&'); /* a reference to what is no location */
    a->name = p->tok;
    parse_expect(p, TOK_NAME, "the name of a parameter");
}

/* A parameter, of which the argument stands at p->tok. */
static void read_argument(struct parser *p, const struct token **parameter, struct argument *a) {
    const struct token *at = p->tok;
    p->tok = *parameter;
    *a = (struct argument){.reg = -1, .is_value = !pointer_begins_parameter(p, at)};
    if (!a->is_value) {
        a->ref = pointer_argument(p, at, &a->name, &a->reg, &a->constant);
        *parameter = a->name + 1;
        return;
    }
    read_parameter(p, a);
    *parameter = p->tok;
    p->tok = at;
    if (p->panic) return;
    int reg = body_temporary(p, at->pos, a->type);
    p->locals[reg].declared = true;
    struct expr *value = expr_convert(p, parse_assigned(p), a->type);
    a->known = body_number(p, value, &a->number);
    body_set(p, reg, value, at->pos);
    a->value = body_value(p, reg, at->pos);
}

/* "(&X, 1)": how many. */
static int read_arguments(struct parser *p, const struct function_text *f, struct argument *list) {
    const struct token *parameter = f->parameters + 1;
    int n = 0;
    parse_expect(p, '(', "'('");
    if (token_is_word(parameter, "void") && parameter[1].kind == ')') parameter++;
    while (!p->panic && parameter->kind != ')') {
        if (n == MAX_PARAMETERS) parse_error(p, parameter->pos, "a function has at most %d parameters", n);
        if (n > 0) parse_expect(p, ',', arena_printf(p->arena, "',': '%s' has more parameters", f->name));
        if (p->panic) return 0;
        read_argument(p, &parameter, &list[n++]);
        if (p->panic) return 0;
        if (parameter->kind != ',' && parameter->kind != ')')
            parse_error(p, parameter->pos, "expected ',' or ')' behind a parameter");
        if (parameter->kind == ',') parameter++;
    }
    parse_expect(p, ')',
                 arena_printf(p->arena, "')': '%s' has %d parameter%s", f->name, n, n == 1 ? "" : "s"));
    return n;
}

/* A number that is const is known in the function if it is in the call. */
static void declare_value(struct parser *p, const struct argument *a) {
    int reg = body_declare(p, a->name, a->type);
    body_set(p, reg, a->value, a->name->pos);
    p->locals[reg].constant = a->constant;
    p->locals[reg].has_number = a->constant && a->known;
    p->locals[reg].number = a->number;
}

static void declare_arguments(struct parser *p, struct argument *list, int n) {
    for (int k = 0; k < n && !p->panic; k++) {
        struct argument *a = &list[k];
        if (a->is_value)
            declare_value(p, a);
        else if (a->reg >= 0)
            body_alias(p, a->name, a->reg, a->constant);
        else
            reference_declare(p, &a->ref);
    }
}

/* ---- what a call becomes ---- */

/* The type of what a function returns; `void` has none. */
static void read_result(struct parser *p, struct inlined_call *call) {
    const struct token *at = p->tok, *t = call->function->result;
    bool constant;
    call->result = -1;
    if (token_is_word(t, "void") && t + 2 == call->function->parameters) return;
    p->tok = t;
    if (!parse_type_begins(p, t)) parse_error(p, t->pos, "not supported yet: a function that returns this");
    if (!p->panic) call->type = parse_type(p, &constant);
    if (!p->panic && p->tok + 1 != call->function->parameters)
        parse_error(p, p->tok->pos, "not supported yet: a function that returns this");
    call->result = body_temporary(p, t->pos, call->type);
    p->locals[call->result].declared = true;
    p->tok = at;
}

void inlined_return(struct parser *p, const struct tree *n) {
    struct inlined_call *call = p->call;
    struct pos pos = n->first->pos;
    bool empty = !n->a;
    if (empty != (call->result < 0))
        parse_error(p, pos, "'%s' returns %s", call->function->name, empty ? "a value" : "no value");
    struct expr *value = empty ? NULL : lower_value(p, n->a);
    if (value && call->result >= 0) body_set(p, call->result, value, pos);
    stmt_add(p, STMT_BREAK, pos)->returns = true;
    call->returns++;
}

/* Adds the function's statements: as they are where it returns at their end alone, else in a loop of one turn, which a
 * `return` leaves. */
static void add_body(struct parser *p, struct stmts body, const struct inlined_call *call, struct pos pos) {
    struct stmt *last = body.last;
    struct expr_env env = body_env(p->body, 0);
    if (call->result >= 0 && !p->panic && !stmt_always_sets(body.first, call->result, &env))
        parse_complain(p, pos, "'%s' returns a value, but not on every path", call->function->name);
    bool at_end = last && last->kind == STMT_BREAK && last->returns;
    if (call->returns > (at_end ? 1 : 0)) {
        leave_call(p, body, pos);
        return;
    }
    if (at_end && body.first == last) return;
    if (at_end) {
        struct stmt *s = body.first;
        while (s->next != last)
            s = s->next;
        s->next = NULL;
        body.last = s;
    }
    stmts_append(p, body);
}

static const struct tree *parse_body(struct parser *p, struct function_text *f) {
    if (f->body) return f->body;
    p->syntax.tok = p->syntax.first = f->text;
    p->syntax.fault = NULL;
    return f->body = syntax_statement(&p->syntax);
}

/* Lowers a function, in which the names of its caller mean nothing. */
static void lower_body(struct parser *p, struct inlined_call *call, struct argument *list, int n,
                       struct pos pos) {
    struct parse_switch *within = p->within;
    const struct token *at = p->tok;
    int loops = p->loops, floor = body_enter_function(p), around = body_open_scope(p);
    p->within = NULL;
    p->loops = 0;
    p->call = call;
    declare_arguments(p, list, n);
    struct stmts before = stmts_capture(p);
    if (!p->panic) statement_lower_list(p, parse_body(p, call->function));
    struct stmts body = stmts_restore(p, before);
    p->call = call->around;
    p->loops = loops;
    p->within = within;
    body_close_scope(p, around);
    p->floor = floor;
    p->tok = at;
    add_body(p, body, call, pos);
}

/* The same, where what it warns of was said when it was read first. */
static void lower_once(struct parser *p, struct function_text *f, struct inlined_call *call,
                       struct argument *list, int n, struct pos pos) {
    struct diag later = {0}, *diag = p->diag;
    if (f->read) p->diag = &later;
    size_t errors = p->diag->errors;
    f->open = f->read = true;
    lower_body(p, call, list, n, pos);
    f->open = false;
    f->bad = p->diag->errors > errors;
    p->diag = diag;
    if (later.errors > 0) diag_join(diag, &later);
    diag_free(&later);
}

struct expr *inlined_value(struct parser *p, const struct tree *n) {
    const struct token *name = n->first;
    struct function_text *f = inlined_find(p, name);
    struct argument list[MAX_PARAMETERS];
    struct inlined_call call = {.function = f, .around = p->call, .type = type_int};
    if (f->open) parse_error(p, name->pos, "not supported yet: '%s' calls itself", name->text);
    if (++p->calls > MAX_CALLS)
        parse_error(p, name->pos, "a thread has at most %d calls of functions", MAX_CALLS);
    if (!parse_enter(p)) return expr_int(p, name->pos, 0);
    p->tok = name + 1;
    int given = read_arguments(p, f, list);
    if (!p->panic && !f->bad) {
        read_result(p, &call);
        f->bad = p->panic;
    }
    if (!p->panic && !f->bad) lower_once(p, f, &call, list, given, name->pos);
    parse_leave(p);
    if (p->panic || f->bad) return expr_int(p, name->pos, 0);
    return call.result >= 0 ? body_value(p, call.result, name->pos) : NULL;
}
