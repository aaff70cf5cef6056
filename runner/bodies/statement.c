/* What the statements of a tree become. */
#include <string.h>

#include "bodies/bodies.h"
#include "litmus/name.h"
#include "lower/calls.h"

/* ---- simple statements ---- */

static bool ends_declared(const struct token *t) {
    return t->kind == ';' || t->kind == '=' || t->kind == '(' || t->kind == '}' || t->kind == TOK_END;
}

/* Reports nothing more of what a refused statement declares: struct S s; struct { int a; } s, *t; void *p = &X;
 * decltype(X) a = 1; */
static void refuse_declared(struct parser *p, const struct tree *n) {
    const struct token *k = n->first + 1;
    int depth = 0;
    if (k->kind == '(') k = syntax_skip_pair(k, '(', ')');
    for (; k && (depth > 0 || !ends_declared(k)); k++) {
        if (k->kind == TOK_END) return;
        depth += (k->kind == '{') - (k->kind == '}');
        if (depth == 0 && k->kind == TOK_NAME && !parse_type_begins(p, k)) body_refuse(p, k);
    }
}

static void lower_run(struct parser *p, const struct tree *n) {
    const struct token *t = n->first;
    if (t->kind == TOK_NAME && body_is_refused(p, t))
        return; /* which was told: of `try`, say, before this `catch` */
    bool known = t->kind != TOK_NAME || grid_knows(p, t->text) || body_find(p, t->text) >= 0 ||
                 find_location(p->test, t->text) >= 0;
    const char *refusal = known ? NULL : name_refusal(t->text);
    if (refusal) parse_error(p, t->pos, "'%s' is %s", t->text, refusal);
    if (refusal) refuse_declared(p, n);
    if (token_is_word(t, "try")) body_refuse(p, &(struct token){.text = "catch"});
    for (const struct tree *k = n->a; k && !p->panic; k = k->next) {
        if (k->kind == TREE_DROP)
            access_drop(p, lower_value(p, k->a));
        else
            assign_lower(p, k);
    }
}

/* ---- control flow ---- */

/* A statement with a list and a scope of its own. */
static struct stmts lower_branch(struct parser *p, const struct tree *n) {
    struct stmts old = stmts_capture(p);
    int around = body_open_scope(p);
    if (n) statement_lower(p, n);
    body_close_scope(p, around);
    return stmts_restore(p, old);
}

/* int v = X, or int v = X; v > 1 */
static struct expr *lower_declared(struct parser *p, const struct tree *n) {
    const struct token *t = n->first;
    const struct tree *declared = n->a->b;
    int before = p->nscope;
    declaration_lower(p, n->a);
    if (n->b) return lower_value(p, n->b);
    int reg = p->nscope == before + 1 ? p->scope[before].reg : -1;
    if (!p->panic && (reg < 0 || declared->next || !declared->b))
        parse_error(p, t->pos, "expected one number with its value as condition");
    return p->panic ? expr_int(p, t->pos, 0) : body_read(p, reg, t->pos);
}

/* The scope around it is that of its statement. */
static struct expr *lower_condition(struct parser *p, const struct tree *n) {
    return expr_scalar(p, (n->kind == TREE_WITH ? lower_declared : lower_truth)(p, n), "a condition");
}

static void lower_if(struct parser *p, const struct tree *n) {
    int around = body_open_scope(p);
    struct expr *value = lower_condition(p, n->a);
    guard_begin(p, value, true);
    struct stmts then = lower_branch(p, n->b), orelse = {0};
    guard_end(p);
    if (n->c) {
        guard_begin(p, value, false);
        orelse = lower_branch(p, n->c);
        guard_end(p);
    }
    body_close_scope(p, around);
    stmt_add_if(p, n->first->pos, value, then, orelse);
}

/* if (!value) break; nothing when the value is always true. */
static void add_exit(struct parser *p, struct expr *value, struct pos pos) {
    if (expr_is_nonzero(value)) return;
    struct stmts old = stmts_capture(p);
    stmt_add(p, STMT_BREAK, pos);
    struct stmts leave = stmts_restore(p, old);
    value = value->kind == EXPR_NOT ? value->a : expr_new(p, EXPR_NOT, value->pos, value, NULL);
    stmt_add_if(p, pos, value, leave, (struct stmts){0});
}

struct stmts statement_turn(struct parser *p, const struct tree *n) {
    struct parse_jumps around = p->jumps;
    int number = ++p->numbers;
    p->jumps.loops++;
    p->jumps.loop = p->jumps.inner = number;
    struct stmts body = lower_branch(p, n);
    p->jumps = around;
    return leave_numbered(p, body, number);
}

/* Whether a list leaves its loop: a `break` of an inner loop does not, but a `return` does, or what means a loop around. */
static bool leaves(const struct stmt *s, bool inner) {
    for (; s; s = s->next) {
        if (s->leaves || (s->kind == STMT_BREAK && (s->returns || !inner))) return true;
        if (leaves(s->body, inner || s->kind == STMT_LOOP) || leaves(s->orelse, inner)) return true;
    }
    return false;
}

struct stmt *statement_add_loop(struct parser *p, struct pos pos, struct stmts body, struct stmts step,
                                int trips) {
    struct stmt *s = stmt_add(p, STMT_LOOP, pos);
    s->body = body.first;
    s->step = step.first;
    s->bounded = trips != FOR_UNKNOWN;
    s->trips = s->bounded ? trips : 0;
    s->turns = trips < 0 ? 0 : trips * (1 + stmt_count_turns(body.first));
    return s;
}

struct stmt *statement_add_once(struct parser *p, struct stmts before, struct pos pos) {
    stmt_add(p, STMT_BREAK, pos);
    return statement_add_loop(p, pos, stmts_restore(p, before), (struct stmts){0}, 1);
}

/* A loop of which nobody knows how often it turns. */
static void add_loop(struct parser *p, struct pos pos, struct stmts body, struct stmts step,
                     const char *endless) {
    bool always = p->nguards == 0; /* else the model finds out whether it is reached */
    if (always && !leaves(body.first, false) && !leaves(step.first, false))
        parse_complain(p, pos, "this loop never ends: %s", endless);
    statement_add_loop(p, pos, body, step, FOR_UNKNOWN);
}

static const char always_true[] = "its condition is always true and it has no 'break'";

/* while (c) body: for (;;) { accesses of c; if (!c) break; body } */
static void lower_while(struct parser *p, const struct tree *n) {
    struct pos pos = n->first->pos;
    struct stmts old = stmts_capture(p);
    int around = body_open_scope(p);
    struct expr *value = lower_condition(p, n->a);
    add_exit(p, value, pos);
    guard_begin(p, value, true);
    stmts_append(p, statement_turn(p, n->b));
    guard_end(p);
    body_close_scope(p, around);
    add_loop(p, pos, stmts_restore(p, old), (struct stmts){0}, always_true);
}

/* do body while (c): for (;;) { body; step: accesses of c; if (!c) break; }; `continue` goes to the test. */
static void lower_do(struct parser *p, const struct tree *n) {
    struct pos pos = n->first->pos;
    struct stmts body = statement_turn(p, n->b);
    struct stmts old = stmts_capture(p);
    add_exit(p, lower_condition(p, n->a), pos);
    add_loop(p, pos, body, stmts_restore(p, old), always_true);
}

static struct for_head lower_for_head(struct parser *p, const struct tree *n) {
    struct for_head head = {.tree = n};
    struct stmts before = stmts_capture(p);
    if (n->a) head.value = expr_scalar(p, lower_truth(p, n->a), "a condition");
    head.reads = stmts_restore(p, before);
    before = stmts_capture(p);
    if (n->d) statement_lower(p, n->d);
    head.step = stmts_restore(p, before);
    return head;
}

/* for (init; c; step) body: init; for (;;) { accesses of c; if (!c) break; body; step }; the number of its turns may be
 * known now. */
static void lower_turns(struct parser *p, const struct tree *n) {
    struct pos pos = n->first->pos;
    for (const struct tree *k = n->c; k; k = k->next)
        statement_lower(p, k);
    struct stmt *init = p->out.first;
    struct for_head head = lower_for_head(p, n);
    if (turns_lower(p, init, &head, pos)) return;
    struct stmts before = stmts_capture(p);
    stmts_append(p, head.reads);
    if (head.value) add_exit(p, head.value, pos);
    struct stmts turn = statement_turn(p, n->b);
    bool counts = head.value && !head.reads.first && !p->panic;
    int trips = counts ? for_count_trips(p, init, head.value, turn.first, head.step.first) : FOR_UNKNOWN;
    stmts_append(p, turn);
    struct stmts body = stmts_restore(p, before);
    if (trips == FOR_TOO_MANY) parse_complain(p, pos, "this 'for' takes more than %d turns", FOR_MAX_TRIPS);
    if (trips == FOR_UNKNOWN)
        add_loop(p, pos, body, head.step, always_true);
    else
        statement_add_loop(p, pos, body, head.step, trips);
}

static void lower_for(struct parser *p, const struct tree *n) {
    int around = body_open_scope(p);
    struct stmts old = stmts_capture(p);
    lower_turns(p, n);
    body_close_scope(p, around);
    stmts_append(p, stmts_restore(p, old));
}

/* ---- statements ---- */

/* Whether a statement ends as one without a word of its own. */
static bool ends_simply(const struct tree *n) {
    while (n && (n->kind == TREE_IF || n->kind == TREE_WHILE || n->kind == TREE_FOR))
        n = n->kind == TREE_IF && n->c ? n->c : n->b;
    return n && n->kind == TREE_RUN;
}

void statement_lower_listed(struct parser *p, const struct tree *n) {
    size_t errors = p->diag->errors;
    statement_lower(p, n);
    bool known = p->diag->errors > errors && ends_simply(n); /* why nothing fits behind it */
    if (n->fault && !p->panic && !known) parse_fault(p, n->fault);
    p->panic = false;
}

void statement_lower_list(struct parser *p, const struct tree *n) {
    for (; n; n = n->next)
        statement_lower_listed(p, n);
}

bool after_is(struct parser *p, const struct tree *n) {
    (void)p;
    return n->kind == TREE_AFTER;
}

struct expr *after_value(struct parser *p, const struct tree *n) {
    for (const struct tree *k = n->a; k && !p->panic; k = k->next)
        statement_lower(p, k);
    return lower_value(p, n->b);
}

static void lower_sequence(struct parser *p, const struct tree *n) {
    int around = body_open_scope(p);
    statement_lower_list(p, n->a);
    body_close_scope(p, around);
}

/* Adds a jump out of a loop or region of this number, or to its step. */
static void add_jump(struct parser *p, enum stmt_kind kind, int number, struct pos pos) {
    stmt_add(p, kind, pos)->leaves = number == p->jumps.inner ? 0 : number;
}

static void lower_jump(struct parser *p, const struct tree *n) {
    struct parse_switch *within =
        p->jumps.within && p->jumps.within->loops == p->jumps.loops ? p->jumps.within : NULL;
    bool breaks = n->kind == TREE_BREAK, of_switch = within && breaks;
    if (of_switch) within->breaks = true;
    if (p->jumps.loops == 0 && !of_switch)
        parse_complain(p, n->first->pos, "'%s' outside of a loop", n->first->text);
    if (of_switch && within->inner != p->jumps.inner)
        parse_complain(
            p, n->first->pos,
            "not supported yet: a 'break' of a switch between a label of it and the 'goto' that leads there");
    add_jump(p, breaks ? STMT_BREAK : STMT_CONTINUE, of_switch ? p->jumps.inner : p->jumps.loop,
             n->first->pos);
}

/* ---- goto ---- */

static struct stmts lower_region(struct parser *p, const struct tree *n) {
    struct parse_jumps around = p->jumps;
    struct parse_region region = {around.regions, n->at->text, n->kind == TREE_AGAIN, ++p->numbers};
    struct stmts old = stmts_capture(p);
    p->jumps.regions = &region;
    p->jumps.inner = region.number;
    statement_lower_list(p, n->a);
    p->jumps = around;
    return leave_numbered(p, stmts_restore(p, old), region.number);
}

/* body; out: becomes for (;;) { body; break; }, in which a goto is a `break`; and so does again: body; in which it is a
 * `continue`. */
static void lower_labelled(struct parser *p, const struct tree *n) {
    struct stmts body = lower_region(p, n), old = stmts_capture(p);
    stmts_append(p, body);
    if (n->kind == TREE_LEFT) {
        statement_add_once(p, old, n->first->pos);
        return;
    }
    if (body.last && body.last->kind != STMT_CONTINUE) stmt_add(p, STMT_BREAK, n->at->pos);
    add_loop(p, n->at->pos, stmts_restore(p, old), (struct stmts){0}, "no jump leads out of it");
}

static void lower_goto(struct parser *p, const struct tree *n) {
    for (const struct parse_region *r = p->jumps.regions; r; r = r->around)
        if (token_is_word(n->at, r->label)) {
            add_jump(p, r->repeats ? STMT_CONTINUE : STMT_BREAK, r->number, n->first->pos);
            return;
        }
}

/* Which jumps lead to a label is known. One of none may be meant for something else: case1: */
static void lower_target(struct parser *p, const struct tree *n) {
    if (n->flags & TARGET_UNUSED)
        diag_warning(p->diag, p->source, n->at->pos, "no 'goto' leads to the label '%s'", n->at->text);
}

/* `return` leaves all loops, and the one turn of the body. */
static void lower_return(struct parser *p, const struct tree *n) {
    if (p->call) {
        inlined_return(p, n);
        return;
    }
    if (n->a) parse_error(p, n->a->first->pos, "a kernel returns no value");
    stmt_add(p, STMT_BREAK, n->first->pos)->returns = true;
    p->returns = true;
}

/* static_assert(N == 4, "text"); */
static void lower_assertion(struct parser *p, const struct tree *n) {
    struct value number;
    struct expr *value = expr_scalar(p, lower_value(p, n->a), "static_assert");
    if (p->panic || n->fault) return;
    if (!body_number(p, value, &number))
        parse_complain(p, value->pos, "a static_assert asks for what is known before the test runs");
    else if (!value_is_true(value->type, number))
        parse_complain(p, value->pos, "this static_assert is false");
}

static void report_stray(struct parser *p, const struct tree *n) {
    if (p->diag->errors == p->errors) parse_complain(p, n->first->pos, "'}' without '{'");
}

static void lower_bad(struct parser *p, const struct tree *n) {
    parse_fault(p, n->fault);
}

static void (*const lowerings[])(struct parser *p, const struct tree *n) = {
    [TREE_BAD] = lower_bad,
    [TREE_ASM] = asm_lower,
    [TREE_RUN] = lower_run,
    [TREE_IF] = lower_if,
    [TREE_SEQUENCE] = lower_sequence,
    [TREE_WHILE] = lower_while,
    [TREE_DO] = lower_do,
    [TREE_FOR] = lower_for,
    [TREE_SWITCH] = switch_lower,
    [TREE_BREAK] = lower_jump,
    [TREE_CONTINUE] = lower_jump,
    [TREE_RETURN] = lower_return,
    [TREE_TARGET] = lower_target,
    [TREE_GOTO] = lower_goto,
    [TREE_AGAIN] = lower_labelled,
    [TREE_LEFT] = lower_labelled,
    [TREE_ASSERTION] = lower_assertion,
    [TREE_FUNCTION] = inlined_define,
    [TREE_STRAY] = report_stray,
    [TREE_DECLARATION] = declaration_lower,
    [TREE_ALIAS] = naming_lower,
    [TREE_ENUM] = naming_lower,
    [TREE_USING] = naming_lower,
    [TREE_SPACE] = naming_lower,
};

void statement_lower(struct parser *p, const struct tree *n) {
    if (p->panic || !parse_enter(p, n->first->pos)) return;
    lowerings[n->kind](p, n);
    parse_leave(p);
}
