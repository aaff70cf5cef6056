#include <string.h>

#include "litmus/name.h"
#include "litmus/parse.h"
#include "litmus/tree.h"

/* ---- simple statements ---- */

/* (void)r; computes a value and drops it. */
static bool parse_dropped(struct parser *p) {
    bool drops = parse_peek(p) == '(' && token_is_word(&p->tok[1], "void") && p->tok[2].kind == ')';
    for (int k = 0; drops && k < 3; k++)
        parse_next(p);
    if (drops) access_drop(p, parse_expression(p));
    return drops;
}

/* A statement that fits into the head of a `for`. */
void statement_simple(struct parser *p) {
    if (arrival_declared(p)) {
        arrival_declare(p);
        return;
    }
    if (groups_declared(p)) {
        groups_declare(p);
        return;
    }
    if (atomic_declared(p)) {
        atomic_declare(p);
        return;
    }
    if (declaration_begins(p)) {
        declaration_parse(p);
        return;
    }
    do
        if (!parse_dropped(p)) assign_statement(p);
    while (parse_accept(p, ','));
}

/* ---- control flow ---- */

/* A statement with a list and a scope of its own. */
static struct stmts parse_branch(struct parser *p) {
    struct stmts old = stmts_capture(p);
    int around = body_open_scope(p);
    statement_parse(p);
    body_close_scope(p, around);
    return stmts_restore(p, old);
}

static bool at_declaration(const struct parser *p) {
    return parse_at_word(p, "auto") ||
           (!p->panic && parse_type_begins(p, p->tok) && p->tok[1].kind == TOK_NAME);
}

/* int v = X, or int v = X; v > 1 */
static struct expr *parse_declared(struct parser *p) {
    const struct token *t = p->tok;
    int before = p->nscope;
    declaration_parse(p);
    p->terms = 0;
    if (parse_accept(p, ';')) return parse_expression(p);
    int reg = p->nscope == before + 1 ? p->scope[before].reg : -1;
    bool valued = false;
    for (const struct token *v = t; v < p->tok; v++)
        valued = valued || v->kind == '=' || v->kind == '{';
    if (!p->panic && (reg < 0 || !valued))
        parse_error(p, t->pos, "expected one number with its value as condition");
    return p->panic ? expr_int(p, t->pos, 0) : body_read(p, reg, t->pos);
}

/* The scope around it is that of its statement. */
static struct expr *parse_condition(struct parser *p) {
    p->terms = 0;
    parse_expect(p, '(', "'('");
    struct expr *e = at_declaration(p) ? parse_declared(p) : parse_expression(p);
    if (parse_peek(p) == '=') parse_error(p, p->tok->pos, "'=' is an assignment; a comparison is '=='");
    parse_expect(p, ')', "')'");
    return expr_scalar(p, e, "a condition");
}

static void parse_if(struct parser *p) {
    const struct token *t = parse_next(p);
    if (parse_at_word(p, "constexpr")) parse_next(p);
    int around = body_open_scope(p);
    struct expr *value = parse_condition(p);
    guard_begin(p, value, true);
    struct stmts then = parse_branch(p), orelse = {0};
    guard_end(p);
    if (parse_at_word(p, "else")) {
        parse_next(p);
        guard_begin(p, value, false);
        orelse = parse_branch(p);
        guard_end(p);
    }
    body_close_scope(p, around);
    struct stmt *s = stmt_add(p, STMT_IF, t->pos);
    s->value = value;
    s->body = then.first;
    s->orelse = orelse.first;
}

/* if (!value) break; nothing when the value is always true. */
static void add_exit(struct parser *p, struct expr *value, struct pos pos) {
    if (expr_is_nonzero(value)) return;
    struct stmts old = stmts_capture(p);
    stmt_add(p, STMT_BREAK, pos);
    struct stmts leave = stmts_restore(p, old);
    struct stmt *s = stmt_add(p, STMT_IF, pos);
    s->value = value->kind == EXPR_NOT ? value->a : expr_new(p, EXPR_NOT, value->pos, value, NULL);
    s->body = leave.first;
}

struct stmts statement_turn(struct parser *p) {
    p->loops++;
    struct stmts body = parse_branch(p);
    p->loops--;
    return body;
}

/* Whether a list leaves its loop: a `break` of an inner loop does not, but a `return` does. */
static bool leaves(const struct stmt *s, bool inner) {
    for (; s; s = s->next) {
        if (s->kind == STMT_BREAK && (s->returns || !inner)) return true;
        if (leaves(s->body, inner || s->kind == STMT_LOOP) || leaves(s->orelse, inner)) return true;
    }
    return false;
}

static struct stmt *add_loop(struct parser *p, struct pos pos, struct stmts body, struct stmts step) {
    bool always = p->nguards == 0; /* else the model finds out whether it is reached */
    if (!p->panic && always && !leaves(body.first, false) && !leaves(step.first, false))
        parse_complain(p, pos, "this loop never ends: its condition is always true and it has no 'break'");
    struct stmt *s = stmt_add(p, STMT_LOOP, pos);
    s->body = body.first;
    s->step = step.first;
    return s;
}

/* while (c) body: for (;;) { accesses of c; if (!c) break; body } */
static void parse_while(struct parser *p) {
    const struct token *t = parse_next(p);
    struct stmts old = stmts_capture(p);
    int around = body_open_scope(p);
    struct expr *value = parse_condition(p);
    add_exit(p, value, t->pos);
    guard_begin(p, value, true);
    stmts_append(p, statement_turn(p));
    guard_end(p);
    body_close_scope(p, around);
    add_loop(p, t->pos, stmts_restore(p, old), (struct stmts){0});
}

/* do body while (c): for (;;) { body; step: accesses of c; if (!c) break; }; `continue` goes to the test. */
static void parse_do(struct parser *p) {
    const struct token *t = parse_next(p);
    struct stmts body = statement_turn(p);
    if (!parse_at_word(p, "while")) {
        parse_expect(p, TOK_END, "'while'");
        return;
    }
    parse_next(p);
    struct stmts old = stmts_capture(p);
    struct expr *value = parse_condition(p);
    add_exit(p, value, t->pos);
    struct stmts step = stmts_restore(p, old);
    parse_expect(p, ';', "';'");
    add_loop(p, t->pos, body, step);
}

static struct for_head parse_for_head(struct parser *p) {
    struct for_head head = {.value = NULL};
    struct stmts before = stmts_capture(p);
    p->terms = 0;
    if (parse_peek(p) != ';') head.value = expr_scalar(p, parse_expression(p), "a condition");
    head.reads = stmts_restore(p, before);
    parse_expect(p, ';', "';'");
    before = stmts_capture(p);
    head.step_text = p->tok;
    if (parse_peek(p) != ')') statement_simple(p);
    head.step = stmts_restore(p, before);
    parse_expect(p, ')', "')'");
    return head;
}

/* for (init; c; step) body: init; for (;;) { accesses of c; if (!c) break; body; step }; the number of its turns may be
 * known now. */
static void parse_for(struct parser *p) {
    const struct token *t = parse_next(p);
    int around = body_open_scope(p);
    struct stmts old = stmts_capture(p);
    parse_expect(p, '(', "'('");
    if (parse_peek(p) != ';') statement_simple(p);
    parse_expect(p, ';', "';'");
    struct stmts init = p->out;
    struct for_head head = parse_for_head(p);
    if (turns_read(p, init.first, &head, t->pos)) {
        body_close_scope(p, around);
        stmts_append(p, stmts_restore(p, old));
        return;
    }

    struct stmts before = stmts_capture(p);
    stmts_append(p, head.reads);
    if (head.value) add_exit(p, head.value, t->pos);
    struct stmts turn = statement_turn(p);
    bool counts = head.value && !head.reads.first && !p->panic;
    int trips =
        counts ? for_count_trips(p, init.first, head.value, turn.first, head.step.first) : FOR_UNKNOWN;
    stmts_append(p, turn);
    struct stmts body = stmts_restore(p, before);
    if (trips == FOR_TOO_MANY)
        parse_complain(p, t->pos, "this 'for' takes more than %d turns", FOR_MAX_TRIPS);
    body_close_scope(p, around);
    stmts_append(p, stmts_restore(p, old));
    if (trips == FOR_UNKNOWN) {
        add_loop(p, t->pos, body, head.step);
        return;
    }
    struct stmt *s = stmt_add(p, STMT_LOOP, t->pos);
    s->body = body.first;
    s->step = head.step.first;
    s->bounded = true;
    s->trips = trips;
    s->turns = trips < 0 ? 0 : trips * (1 + stmt_count_turns(body.first));
}

/* ---- statements ---- */

static void parse_block(struct parser *p) {
    int around = body_open_scope(p);
    parse_next(p);
    while (parse_peek(p) != '}' && p->tok->kind != TOK_END) {
        statement_parse(p);
        parse_recover(p);
    }
    parse_expect(p, '}', "'}'");
    body_close_scope(p, around);
}

static void parse_jump(struct parser *p, enum stmt_kind kind) {
    const struct token *t = parse_next(p);
    struct parse_switch *within = p->within && p->within->loops == p->loops ? p->within : NULL;
    bool of_switch = within && kind == STMT_BREAK;
    if (of_switch) within->breaks = true;
    if (p->loops == 0 && !of_switch) parse_complain(p, t->pos, "'%s' outside of a loop", t->text);
    stmt_add(p, kind, t->pos);
    parse_expect(p, ';', "';'");
}

/* `return` leaves all loops, and the one turn of the body. */
static void parse_return(struct parser *p) {
    if (p->call) {
        inlined_return(p);
        return;
    }
    const struct token *t = parse_next(p);
    if (parse_peek(p) != ';') parse_error(p, p->tok->pos, "a kernel returns no value");
    stmt_add(p, STMT_BREAK, t->pos)->returns = true;
    p->returns = true;
    parse_expect(p, ';', "';'");
}

/* static_assert(N == 4, "text"); */
static void parse_assertion(struct parser *p) {
    struct value number;
    parse_next(p);
    parse_expect(p, '(', "'('");
    p->terms = 0;
    struct expr *value = expr_scalar(p, parse_expression(p), "static_assert");
    if (parse_accept(p, ',')) parse_expect(p, TOK_TEXT, "a text in quotes");
    parse_expect(p, ')', "')'");
    parse_expect(p, ';', "';'");
    if (p->panic) return;
    if (!body_number(p, value, &number))
        parse_complain(p, value->pos, "a static_assert asks for what is known before the test runs");
    else if (!value_is_true(value->type, number))
        parse_complain(p, value->pos, "this static_assert is false");
}

/* retry: */
static bool report_label(struct parser *p) {
    const struct token *t = p->tok;
    bool label = parse_peek(p) == TOK_NAME && t[1].kind == ':' && t[2].kind != ':';
    if (!label || token_is_word(t, "case") || token_is_word(t, "default")) return false;
    parse_complain(p, t->pos, "'%s' is a label: 'goto' is %s", t->text, name_refusal("goto"));
    p->tok += 2;
    return true;
}

/* Skips what stands in the braces of a refused struct. */
static void skip_definition(struct parser *p) {
    const struct token *t = p->tok;
    int depth = 0;
    while (t->kind == TOK_NAME)
        t++;
    for (; t->kind == '{' || (depth > 0 && t->kind != TOK_END); t++) {
        depth += (t->kind == '{') - (t->kind == '}');
        if (depth == 0) p->tok = t + 1;
        if (depth == 0) return;
    }
}

/* [[likely]] and its like say nothing to a test. */
static void skip_attributes(struct parser *p) {
    while (parse_peek(p) == '[' && p->tok[1].kind == '[') {
        while (parse_peek(p) != ']' && p->tok->kind != TOK_END)
            parse_next(p);
        parse_expect(p, ']', "']'");
        parse_expect(p, ']', "']'");
    }
}

static void parse_other(struct parser *p) {
    if (shared_begins(p) && !arrival_declared(p)) {
        shared_declare(p);
        parse_expect(p, ';', "';'");
        return;
    }
    parse_skip_global(p);
    const struct token *next = p->tok + 1;
    if (parse_at_word(p, "static") && (token_is_word(next, "constexpr") || token_is_word(next, "const")))
        parse_next(p); /* what never changes may be each thread's own */
    const char *refusal = parse_peek(p) == TOK_NAME ? name_refusal(p->tok->text) : NULL;
    if (refusal && !grid_knows(p, p->tok->text) && !declaration_begins(p) && !groups_declared(p) &&
        !arrival_declared(p)) {
        parse_error(p, p->tok->pos, "'%s' is %s", p->tok->text, refusal);
        skip_definition(p);
    }
    statement_simple(p);
    parse_expect(p, ';', "';'");
}

void statement_parse(struct parser *p) {
    static const struct {
        const char *word;
        void (*parse)(struct parser *p);
    } words[] = {{"if", parse_if},
                 {"while", parse_while},
                 {"do", parse_do},
                 {"for", parse_for},
                 {"switch", switch_parse}};
    if (!parse_enter(p)) return;
    skip_attributes(p);
    size_t i = 0, n = sizeof words / sizeof *words;
    while (i < n && !parse_at_word(p, words[i].word))
        i++;
    if (i < n)
        words[i].parse(p);
    else if (parse_peek(p) == '{')
        parse_block(p);
    else if (parse_peek(p) == ';')
        parse_next(p);
    else if (asm_begins(p))
        asm_statement(p);
    else if (naming_begins(p))
        naming_statement(p);
    else if (parse_at_word(p, "static_assert"))
        parse_assertion(p);
    else if (parse_at_word(p, "break"))
        parse_jump(p, STMT_BREAK);
    else if (parse_at_word(p, "continue"))
        parse_jump(p, STMT_CONTINUE);
    else if (parse_at_word(p, "return"))
        parse_return(p);
    else if (!report_label(p))
        parse_other(p);
    parse_leave(p);
}
