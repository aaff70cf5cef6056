/* Functions of the device that a text has before its kernel. A call is read as the lines of the function, at each place
 * where it is called: a pointer among the parameters is a place, a number a register. */
#include <ctype.h>
#include <string.h>

#include "bodies/bodies.h"
#include "litmus/name.h"
#include "lower/calls.h"

enum { MAX_PARAMETERS = 16, MAX_WITH_MEMBERS = 128, MAX_FUNCTIONS = 64, MAX_CALLS = 2048 };

struct inlined_call {
    struct function_text *function;
    struct inlined_call *around;
    struct type type;
    int result;  /* a register; -1: none */
    int returns; /* how many were read */
};

/* ---- definitions ---- */

/* The word before a function or a variable of the device. */
static const struct token *device_of(const struct tree *n) {
    const struct token *t = n->first;
    while (!token_is_word(t, "__device__"))
        t++;
    return t;
}

/* Whether nvcc has the name before any text. Names of libraries stand in namespaces, and those of this format are unknown to
 * nvcc: a function of such a name is what its calls mean. */
static bool is_builtin(const char *name) {
    bool atomic = strncmp(name, "atomic", 6) == 0 && isupper((unsigned char)name[6]);
    return function_is(name) || atomic || strncmp(name, "__", 2) == 0 || strncmp(name, "cuda", 4) == 0;
}

void inlined_define(struct parser *p, const struct tree *n) {
    const struct token *name = n->at;
    const struct op_call *call;
    bool known = name && (function_is(name->text) || op_find_call(name->text, ANY_ARGUMENTS, &call));
    if (!name)
        parse_complain(p, device_of(n)->pos,
                       "a variable in the memory of the device is a location: declare it in "
                       "'memory'");
    else if (token_is_word(n->first, "template"))
        parse_complain(
            p, device_of(n)->pos,
            "a template of a function is not supported: write its types; a kernel of `source:` may have any");
    else if (!n->b)
        return;
    else if (!(n->flags & FUNCTION_NAMED))
        parse_complain(p, name[1].pos, "expected the name of a function before '('");
    else if (known && is_builtin(name->text))
        parse_complain(p, name->pos, "'%s' is a function of CUDA: give this one another name", name->text);
    else if (function_find(p, name))
        parse_complain(p, name->pos, "not supported yet: two functions of one name, '%s'", name->text);
    else if (p->nfunctions == MAX_FUNCTIONS)
        parse_complain(p, name->pos, "a thread has at most %d functions", MAX_FUNCTIONS);
    else {
        p->functions = arena_more(p->arena, p->functions, (size_t)p->nfunctions, sizeof *p->functions);
        p->functions[p->nfunctions++] = (struct function_text){.name = name->text, .tree = n};
    }
}

/* ---- arguments ---- */

/* What a parameter stands for in a call. */
struct argument {
    const struct token *name;
    struct reference ref; /* of a pointer or a reference to a place */
    int reg;              /* of a reference to a register; or that has the value; else -1 */
    bool is_value, constant;
    bool kept; /* the function does not write its value */
};

/* A value, which is computed where the call is. */
static void take_value(struct parser *p, struct argument *a, const struct tree *type,
                       const struct tree *given) {
    struct type wanted = lower_type(p, type);
    a->constant = type->flags & TYPE_CONST;
    if (p->panic) return;
    a->reg = body_temporary(p, given->first->pos, wanted);
    p->locals[a->reg].declared = true;
    struct expr *value = expr_convert(p, lower_value(p, given), wanted);
    body_keep_number(p, a->reg, value);
    body_set(p, a->reg, value, given->first->pos);
}

static void take_argument(struct parser *p, const struct tree *parameter, const struct tree *given,
                          struct argument *a) {
    const struct tree *type = parameter->a, *n = parameter->b;
    *a = (struct argument){.name = n->at, .reg = -1};
    if (parameter->fault) parse_fault(p, parameter->fault);
    if (p->panic) return;
    bool plain = !(n->flags & (DECLARES_REFERENCE | DECLARES_POINTER));
    if (plain && asm_window_find(p, n->at, given, &a->ref)) return;
    /* A reference to what is const may be one to a value. */
    bool refers = n->flags & DECLARES_REFERENCE && (!(type->flags & TYPE_CONST) || place_is(p, given));
    a->is_value = !refers && !(n->flags & DECLARES_POINTER);
    if (a->is_value)
        take_value(p, a, type, given);
    else
        a->ref = pointer_argument(p, parameter, given, &a->reg, &a->constant);
}

/* What a call leaves out: NULL where a parameter has no default argument. It is a number, as the names around the call are
 * not those of the function. */
static const struct tree *find_default(struct parser *p, const struct tree *parameter) {
    const struct tree *n = parameter->fault ? NULL : parameter->b->b, *number = n;
    if (n && n->kind == TREE_UNARY) number = n->a;
    bool truth = n && n->kind == TREE_NAME && (token_is_word(n->at, "true") || token_is_word(n->at, "false"));
    if (n && number->kind != TREE_NUMBER && !truth)
        parse_error(p, n->first->pos,
                    "not supported yet: a default argument that is no number; write it in the call");
    return n;
}

/* "(&X, 1)": how many. */
static int take_arguments(struct parser *p, const struct function_text *f, const struct tree *call,
                          struct argument *list) {
    struct arguments left = arguments_of(call, f->name);
    int n = 0, own = 0;
    for (const struct tree *k = f->tree->c; k && !p->panic; k = k->next, n++) {
        own += !strchr(k->b->at->text, '.'); /* others are members of structs */
        if (own > MAX_PARAMETERS || n == MAX_WITH_MEMBERS)
            parse_error(p, k->first->pos, "a function has at most %d parameters", MAX_PARAMETERS);
        const struct tree *given = left.next ? arguments_take(p, &left, "") : find_default(p, k);
        if (!given && n > 0)
            parse_error(p, left.before->after, "expected ',': '%s' has more parameters", f->name);
        if (!given && n == 0) parse_error(p, call->end[-1].pos, "expected a value, not ')'");
        if (p->panic) return 0;
        take_argument(p, k, given, &list[n]);
        list[n].kept = list[n].constant || !function_may_write(p, f->tree->b, list[n].name->text);
    }
    if (left.next)
        parse_error(p, left.before->after, "expected ')': '%s' has %d parameter%s", f->name, n,
                    n == 1 ? "" : "s");
    return n;
}

static void declare_arguments(struct parser *p, struct argument *list, int n) {
    for (int k = 0; k < n && !p->panic; k++) {
        struct argument *a = &list[k];
        struct pos pos = a->name->pos;
        if (a->is_value) {
            int reg = body_declare(p, a->name, p->body->regs[a->reg].type);
            struct expr *value = body_value(p, a->reg, pos);
            declaration_set(p, reg, value, a->constant, pos);
            if (a->kept && !p->panic) body_keep_number(p, reg, value); /* known where it is in the call */
        } else if (a->reg >= 0)
            body_alias(p, a->name, a->reg, a->constant);
        else
            reference_declare(p, &a->ref);
    }
}

/* ---- what a call becomes ---- */

/* The type of what a function returns; `void` has none. */
static void find_result(struct parser *p, struct inlined_call *call) {
    const struct tree *f = call->function->tree, *type = f->a;
    bool alone = f->flags & FUNCTION_PLAIN;
    call->result = -1;
    if (token_is_word(type->at, "void") && alone) return;
    bool plain = type->at->kind == TOK_NAME && !type->a && !(type->flags & TYPE_AUTO);
    if (!plain || !alone)
        parse_error(p, plain ? type->end->pos : type->first->pos,
                    "not supported yet: a function that returns this");
    if (!p->panic) call->type = lower_type(p, type);
    call->result = body_temporary(p, type->first->pos, call->type);
    p->locals[call->result].declared = true;
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

/* Lowers a function, in which the names of its caller mean nothing. */
static void lower_body(struct parser *p, struct inlined_call *call, struct argument *list, int n,
                       struct pos pos) {
    struct parse_jumps jumps = p->jumps;
    int floor = body_enter_function(p), around = body_open_scope(p);
    p->jumps = (struct parse_jumps){0};
    p->call = call;
    declare_arguments(p, list, n);
    struct stmts before = stmts_capture(p);
    if (!p->panic) statement_lower_list(p, call->function->tree->b);
    struct stmts body = stmts_restore(p, before);
    p->call = call->around;
    p->jumps = jumps;
    body_close_scope(p, around);
    p->floor = floor;
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

bool inlined_is_call(struct parser *p, const struct tree *n) {
    return n->kind == TREE_CALL && tree_is_word(n->a) && function_find(p, n->first);
}

struct expr *inlined_value(struct parser *p, const struct tree *n) {
    const struct token *name = n->first;
    struct function_text *f = function_find(p, name);
    struct argument list[MAX_WITH_MEMBERS];
    struct inlined_call call = {.function = f, .around = p->call, .type = type_int};
    if (f->open) parse_error(p, name->pos, "not supported yet: '%s' calls itself", name->text);
    if (++p->calls > MAX_CALLS)
        parse_error(p, name->pos, "a thread has at most %d calls of functions", MAX_CALLS);
    if (!parse_enter(p, name->pos)) return expr_int(p, name->pos, 0);
    int given = take_arguments(p, f, n, list);
    if (!p->panic && !f->bad) {
        find_result(p, &call);
        f->bad = p->panic;
    }
    if (!p->panic && !f->bad) lower_once(p, f, &call, list, given, name->pos);
    parse_leave(p);
    if (p->panic || f->bad) return expr_int(p, name->pos, 0);
    return call.result >= 0 ? body_value(p, call.result, name->pos) : NULL;
}
