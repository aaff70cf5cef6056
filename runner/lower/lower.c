#include "lower/lower.h"

#include <string.h>

#include "litmus/cluster.h"
#include "litmus/copy.h"

void parse_start(struct parser *p, const struct snippet *text) {
    p->text = text;
    p->syntax.arena = p->arena;
    p->syntax.tok = p->syntax.first = lex(p->arena, p->source, text, p->diag);
}

bool parse_expect(struct parser *p, int kind, const char *what) {
    if (syntax_expect(&p->syntax, kind, what)) return true;
    parse_fault(p, p->syntax.fault);
    return false;
}

int find_location(const struct test *t, const char *name) {
    for (int i = 0; i < t->nlocs; i++)
        if (strcmp(t->locs[i].name, name) == 0) return i;
    return -1;
}

const char *access_usage(const char *name) {
    const struct op_call *call;
    return op_find_call(name, ANY_ARGUMENTS, &call) ? call->usage : NULL;
}

int parse_bits(struct parser *p, const struct token *t, bool negative) {
    uint32_t n = (uint32_t)t->value.lo;
    if (t->type.real)
        parse_complain(p, t->pos, "'%s' is no integer: the values of a table are 32-bit integers", t->text);
    else if (t->value.lo > UINT32_MAX || t->value.hi)
        parse_complain(p, t->pos, "%s does not fit into 32 bits", t->text);
    return (int)(negative ? -n : n);
}

void parse_recover(struct parser *p) {
    if (!p->panic) return;
    p->panic = false;
    p->syntax.fault = NULL;
    while (p->syntax.tok->kind != TOK_END && p->syntax.tok->kind != '}')
        if (p->syntax.tok++->kind == ';') break;
}

bool parse_enter(struct parser *p, struct pos pos) {
    if (p->nesting == MAX_NESTING) {
        parse_error(p, pos, "nested too deeply: more than %d levels", MAX_NESTING);
        return false;
    }
    p->nesting++;
    return true;
}

void parse_leave(struct parser *p) {
    p->nesting--;
}

/* Whether what is read word by word is wrong here because of something that was reported already. */
static bool is_reported(const struct parser *p) {
    const struct syntax *s = &p->syntax;
    return !p->body && (s->tok->kind == TOK_BAD || (s->tok != s->first && s->tok[-1].kind == TOK_BAD));
}

/* Stops lowering, and reading words of a table. */
static void panic(struct parser *p) {
    static const struct fault reported;
    p->panic = true;
    p->syntax.fault = &reported;
}

void parse_error(struct parser *p, struct pos pos, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    if (!p->panic && !is_reported(p))
        diag_error(p->diag, p->source, pos, "%s", arena_vprintf(p->arena, fmt, ap));
    va_end(ap);
    panic(p);
}

void parse_complain(struct parser *p, struct pos pos, const char *fmt, ...) {
    if (p->panic) return;
    va_list ap;
    va_start(ap, fmt);
    diag_error(p->diag, p->source, pos, "%s", arena_vprintf(p->arena, fmt, ap));
    va_end(ap);
}

void parse_fault(struct parser *p, const struct fault *f) {
    const struct tree *callee = f->call ? f->call->a : NULL;
    const char *usage = callee && tree_is_word(callee) ? access_usage(callee->at->text) : NULL;
    if (f->text) parse_error(p, f->pos, "%s%s%s", f->text, usage ? ": " : "", usage ? usage : "");
    panic(p);
}

/* Reads a tree, behind which the text goes on. */
static const struct tree *read_tree(struct parser *p, struct tree *(*read)(struct syntax *s)) {
    p->syntax.fault = NULL;
    const struct tree *n = read(&p->syntax);
    if (!p->panic && n->kind == TREE_BAD) parse_fault(p, n->fault);
    return n;
}

const struct tree *parse_tree(struct parser *p) {
    return read_tree(p, syntax_value);
}

const struct tree *parse_tree_operand(struct parser *p) {
    return read_tree(p, syntax_operand);
}

void guard_begin(struct parser *p, const struct expr *value, bool holds) {
    p->guards = arena_more(p->arena, p->guards, (size_t)p->nguards, sizeof *p->guards);
    p->guards[p->nguards++] = (struct parse_guard){value, holds, false};
}

void guard_begin_cases(struct parser *p, const struct expr *value) {
    guard_begin(p, value, true);
    p->guards[p->nguards - 1].vague = true;
}

void guard_end(struct parser *p) {
    p->nguards--;
}

bool guard_excludes(const struct parser *p) {
    struct value number;
    for (int k = 0; k < p->nguards; k++) {
        const struct parse_guard *g = &p->guards[k];
        if (!g->vague && body_number(p, g->value, &number) &&
            value_is_true(g->value->type, number) != g->holds)
            return true;
    }
    return false;
}

bool guard_lets(const struct parser *p, int tid) {
    struct expr_env env = body_env(p->body, tid);
    for (int k = 0; k < p->nguards; k++) {
        const struct parse_guard *g = &p->guards[k];
        if (!expr_is_known(g->value) || expr_is_true(g->value, &env) != g->holds) return false;
    }
    return true;
}

struct stmts stmts_capture(struct parser *p) {
    struct stmts old = p->out;
    p->out = (struct stmts){0};
    return old;
}

struct stmts stmts_restore(struct parser *p, struct stmts old) {
    struct stmts captured = p->out;
    p->out = old;
    return captured;
}

void stmts_append(struct parser *p, struct stmts more) {
    if (!more.first) return;
    if (p->out.last)
        p->out.last->next = more.first;
    else
        p->out.first = more.first;
    p->out.last = more.last;
}

struct stmt *stmt_add(struct parser *p, enum stmt_kind kind, struct pos pos) {
    struct stmt *s = arena_alloc(p->arena, sizeof *s);
    s->kind = kind;
    s->pos = pos;
    s->reg = s->label = -1;
    stmts_append(p, (struct stmts){s, s});
    if (++p->nstmts > MAX_STATEMENTS) parse_error(p, pos, "a body has at most %d statements", MAX_STATEMENTS);
    return s;
}

void stmt_add_set(struct parser *p, int reg, struct expr *value, struct pos pos) {
    struct stmt *s = stmt_add(p, STMT_SET, pos);
    s->reg = reg;
    s->value = value;
}

void stmt_add_if(struct parser *p, struct pos pos, struct expr *value, struct stmts then,
                 struct stmts orelse) {
    struct stmt *s = stmt_add(p, STMT_IF, pos);
    s->value = value;
    s->body = then.first;
    s->orelse = orelse.first;
}

/* Complains where an operation cannot be done in the shared memory of another block; and where a place is a tensor map, and
 * should be none, or is none: of tensor copies, copy_problem() does. */
static void check_places(struct parser *p, const struct op *op) {
    bool maps = !op_rows[op->name].tensor || op->kind == OP_HINT;
    for (int k = 0; k < OP_PLACES; k++) {
        const struct op_place *place = &op->place[k];
        const char *afar = place->rank ? cluster_problem(op, k) : NULL;
        const char *map = maps && place->loc >= 0 ? copy_map_misuse(p->arena, p->test, op, k) : NULL;
        if (afar) parse_complain(p, op->pos, "%s %s", op_kinds[op->kind].name, afar);
        if (map) parse_complain(p, op->pos, "%s", map);
    }
}

struct op *stmt_add_op(struct parser *p, struct op op) {
    struct stmt *s = stmt_add(p, STMT_OP, op.pos);
    s->op = arena_alloc(p->arena, sizeof *s->op);
    *s->op = op;
    s->op->body = p->body;
    if (!p->panic) check_places(p, s->op);
    return s->op;
}

struct stmts stmts_if(struct parser *p, struct pos pos, struct expr *value, struct stmts then,
                      struct stmts orelse) {
    struct stmts old = stmts_capture(p);
    stmt_add_if(p, pos, value, then, orelse);
    return stmts_restore(p, old);
}

struct stmts stmts_op(struct parser *p, struct op op) {
    struct stmts old = stmts_capture(p);
    stmt_add_op(p, op);
    return stmts_restore(p, old);
}
