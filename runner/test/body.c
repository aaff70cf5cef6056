#include <string.h>

#include "test/name.h"
#include "test/parse.h"

/* ---- registers ---- */

static int add_register(struct parser *p, const char *name, struct pos pos, bool temporary) {
    struct body *b = p->body;
    if (b->nregs == p->reg_cap) {
        size_t n = (size_t)b->nregs, cap = n ? 2 * n : 16;
        b->regs = arena_grow(p->arena, b->regs, n, cap, sizeof *b->regs);
        p->locals = arena_grow(p->arena, p->locals, n, cap, sizeof *p->locals);
        p->reg_cap = (int)cap;
    }
    b->regs[b->nregs] = (struct reg){name, pos, temporary};
    p->locals[b->nregs] = (struct local){0};
    return b->nregs++;
}

int body_temporary(struct parser *p, struct pos pos) {
    return add_register(p, arena_printf(p->arena, "t$%d", p->body->nregs), pos, true);
}

static int find_named(const struct parser *p, const char *name) {
    for (int i = 0; i < p->nnamed; i++)
        if (strcmp(p->body->regs[p->named[i]].name, name) == 0) return p->named[i];
    return -1;
}

static int find_visible(const struct parser *p, const char *name) {
    int reg = find_named(p, name);
    return reg >= 0 && p->locals[reg].visible ? reg : -1;
}

/* Declares a register. A name that an earlier scope used is the same register again. */
static int declare(struct parser *p, const struct token *t) {
    const char *problem = name_problem(t->text);
    int loc = find_location(p->test, t->text), reg = find_named(p, t->text);
    bool twice = reg >= 0 && p->locals[reg].visible;
    if (problem) parse_complain(p, t->pos, "'%s' %s", t->text, problem);
    if (loc >= 0) {
        parse_complain(p, t->pos, "register '%s' hides the location of that name", t->text);
        diag_note(p->diag, p->source, p->test->locs[loc].pos, "the location is declared here");
    }
    if (twice) {
        parse_complain(p, t->pos, "register '%s' is declared twice", t->text);
        diag_note(p->diag, p->source, p->body->regs[reg].pos, "it is declared here already");
    }
    if (reg < 0 && p->nnamed == MAX_LOCALS) {
        parse_error(p, t->pos, "a thread has at most %d registers", MAX_LOCALS);
        return 0;
    }
    if (reg < 0) {
        reg = add_register(p, t->text, t->pos, false);
        p->named[p->nnamed++] = reg;
    }
    if (!twice) {
        p->locals[reg].visible = true;
        p->scope[p->nscope++] = reg;
    }
    return reg;
}

/* Closes the scopes that were opened since `nscope` was the number of visible registers. */
static void close_scope(struct parser *p, int nscope) {
    while (p->nscope > nscope)
        p->locals[p->scope[--p->nscope]].visible = false;
}

void body_set(struct parser *p, int reg, struct expr *value, struct pos pos) {
    struct stmt *last = p->out.last;
    int newest = p->body->nregs - 1;
    if (last && last->kind == STMT_OP && value->kind == EXPR_REG && value->value == last->op.dst &&
        last->op.dst == newest && p->body->regs[newest].temporary && reg != newest) {
        last->op.dst = reg;
        p->body->nregs--;
        return;
    }
    struct stmt *s = stmt_add(p, STMT_SET, pos);
    s->reg = reg;
    s->value = value;
}

/* ---- operands ---- */

static void report_undeclared(struct parser *p, const struct token *t) {
    const struct test *test = p->test;
    const char **names = arena_array(p->arena, (size_t)(p->nscope + test->nlocs), sizeof *names);
    size_t n = 0;
    for (int i = 0; i < p->nscope; i++)
        names[n++] = p->body->regs[p->scope[i]].name;
    for (int i = 0; i < test->nlocs; i++)
        names[n++] = test->locs[i].name;
    const char *problem = name_problem(t->text);
    int reg = find_named(p, t->text);
    if (problem) {
        parse_error(p, t->pos, "'%s' %s", t->text, problem);
    } else if (reg >= 0) {
        parse_complain(p, t->pos, "'%s' is not declared here", t->text);
        diag_note(p->diag, p->source, p->body->regs[reg].pos, "this one ended with its block");
    } else {
        parse_complain(p, t->pos, "'%s' is neither a register nor a location%s", t->text,
                       name_suggest(p->arena, t->text, names, n));
    }
}

/* An operand that begins with a name: tid, count, a register, a location (which is loaded) or a call. */
static struct expr *parse_operand(struct parser *p) {
    const struct token *t = p->tok;
    if (t[1].kind == '(') {
        struct expr *value = access_call(p);
        if (!value) parse_error(p, t->pos, "'%s' has no value", t->text);
        return value ? value : expr_int(p, t->pos, 0);
    }
    int reg = find_visible(p, t->text);
    if (reg < 0 && find_location(p->test, t->text) >= 0) return access_load(p, access_place(p));
    parse_next(p);
    if (strcmp(t->text, "tid") == 0) return expr_new(p, EXPR_TID, t->pos, NULL, NULL);
    if (strcmp(t->text, "count") == 0) return expr_new(p, EXPR_COUNT, t->pos, NULL, NULL);
    if (reg < 0) {
        report_undeclared(p, t);
        return expr_int(p, t->pos, 1);
    }
    struct local *local = &p->locals[reg];
    if (!local->is_read) local->first_read = t->pos;
    local->is_read = true;
    struct expr *e = expr_new(p, EXPR_REG, t->pos, NULL, NULL);
    e->value = reg;
    return e;
}

/* ---- simple statements ---- */

static const struct {
    int token;
    enum expr_kind kind;
} compounds[] = {
    {TOK_ADD_SET, EXPR_ADD}, {TOK_SUB_SET, EXPR_SUB}, {TOK_MUL_SET, EXPR_MUL}, {TOK_DIV_SET, EXPR_DIV},
    {TOK_MOD_SET, EXPR_MOD}, {TOK_AND_SET, EXPR_AND}, {TOK_OR_SET, EXPR_OR},   {TOK_XOR_SET, EXPR_XOR},
    {TOK_SHL_SET, EXPR_SHL}, {TOK_SHR_SET, EXPR_SHR}, {TOK_INC, EXPR_ADD},     {TOK_DEC, EXPR_SUB},
};

static const enum expr_kind *find_compound(int token) {
    for (size_t i = 0; i < sizeof compounds / sizeof *compounds; i++)
        if (compounds[i].token == token) return &compounds[i].kind;
    return NULL;
}

/* What an assignment writes: a register, or a location. */
struct target {
    int reg;
    struct place place;
    struct stmts index; /* the accesses of the place's index */
};

static bool parse_target(struct parser *p, struct target *target) {
    const struct token *t = p->tok;
    *target = (struct target){.reg = -1, .place = {.loc = -1}};
    if (parse_peek(p) != TOK_NAME) {
        parse_error(p, t->pos, "expected a register or a location to assign to");
        return false;
    }
    target->reg = find_visible(p, t->text);
    if (target->reg < 0 && find_location(p->test, t->text) >= 0) {
        struct stmts old = stmts_capture(p);
        target->place = access_place(p);
        target->index = stmts_restore(p, old);
        return true;
    }
    parse_next(p);
    if (target->reg >= 0) return true;
    if (strcmp(t->text, "tid") == 0 || strcmp(t->text, "count") == 0)
        parse_complain(p, t->pos, "'%s' cannot be assigned", t->text);
    else
        report_undeclared(p, t);
    return false;
}

/* target = value, or with `compound` target op= value. As in C++17 the right side comes first. */
static void assign(struct parser *p, const struct target *target, const enum expr_kind *compound,
                   struct expr *value, struct pos pos) {
    bool in_memory = target->reg < 0;
    if (in_memory) stmts_append(p, target->index);
    if (compound) {
        struct expr *old;
        if (in_memory) {
            old = access_load(p, target->place);
        } else {
            old = expr_new(p, EXPR_REG, pos, NULL, NULL);
            old->value = target->reg;
        }
        bool divides = *compound == EXPR_DIV || *compound == EXPR_MOD;
        if (divides && value->kind == EXPR_INT && value->value == 0)
            parse_complain(p, pos, "division by zero");
        value = expr_new(p, *compound, pos, old, value);
    }
    if (in_memory)
        access_store(p, target->place, value, target->place.pos);
    else
        body_set(p, target->reg, value, pos);
}

/* ++x, --x */
static void parse_prefix_step(struct parser *p) {
    const struct token *step = parse_next(p);
    struct target target;
    if (parse_target(p, &target))
        assign(p, &target, find_compound(step->kind), expr_int(p, step->pos, 1), step->pos);
}

/* x = e, x += e, x++, X (a load for its own sake), or a call. */
static void parse_assignment(struct parser *p) {
    const struct token *t = p->tok;
    struct target target;
    p->terms = 0;
    if (t->kind == TOK_INC || t->kind == TOK_DEC) {
        parse_prefix_step(p);
        return;
    }
    if (t->kind == TOK_NAME && t[1].kind == '(') {
        struct expr *value = access_call(p);
        if (value) access_drop(p, value);
        return;
    }
    bool known = parse_target(p, &target);
    const struct token *op = p->tok;
    const enum expr_kind *compound = find_compound(parse_peek(p));
    if (op->kind == TOK_INC || op->kind == TOK_DEC) {
        parse_next(p);
        if (known) assign(p, &target, compound, expr_int(p, op->pos, 1), op->pos);
    } else if (compound || parse_peek(p) == '=') {
        parse_next(p);
        struct expr *value = parse_expression(p);
        if (known) assign(p, &target, compound, value, t->pos);
    } else if (known && target.reg < 0 && parse_peek(p) == ';') {
        stmts_append(p, target.index);
        access_drop(p, access_load(p, target.place));
    } else {
        parse_error(p, op > p->first ? op[-1].after : op->pos, "expected '=' and a value");
    }
}

static bool is_word(const struct parser *p, const char *word) {
    return parse_peek(p) == TOK_NAME && strcmp(p->tok->text, word) == 0;
}

/* int a = 1, b; */
static void parse_declaration(struct parser *p) {
    parse_next(p);
    do {
        const struct token *t = p->tok;
        p->terms = 0;
        if (!parse_expect(p, TOK_NAME, "the name of a register")) return;
        const struct token *next = p->tok;
        if (next->kind == '[')
            parse_error(p, next->pos, "a register cannot be an array; declare arrays in 'memory'");
        int reg = declare(p, t);
        if (parse_accept(p, '=')) body_set(p, reg, parse_expression(p), t->pos);
    } while (parse_accept(p, ','));
}

/* A statement that fits into the head of a `for`. */
static void parse_simple(struct parser *p) {
    if (is_word(p, "int")) {
        parse_declaration(p);
        return;
    }
    do
        parse_assignment(p);
    while (parse_accept(p, ','));
}

/* ---- control flow ---- */

static void parse_statement(struct parser *p);

/* A statement with a list and a scope of its own. */
static struct stmts parse_branch(struct parser *p) {
    struct stmts old = stmts_capture(p);
    int nscope = p->nscope;
    parse_statement(p);
    close_scope(p, nscope);
    return stmts_restore(p, old);
}

static struct expr *parse_condition(struct parser *p) {
    p->terms = 0;
    parse_expect(p, '(', "'('");
    struct expr *e = parse_expression(p);
    if (parse_peek(p) == '=') parse_error(p, p->tok->pos, "'=' is an assignment; a comparison is '=='");
    parse_expect(p, ')', "')'");
    return e;
}

static void parse_if(struct parser *p) {
    const struct token *t = parse_next(p);
    struct expr *value = parse_condition(p);
    struct stmts then = parse_branch(p), orelse = {0};
    if (is_word(p, "else")) {
        parse_next(p);
        orelse = parse_branch(p);
    }
    struct stmt *s = stmt_add(p, STMT_IF, t->pos);
    s->value = value;
    s->body = then.first;
    s->orelse = orelse.first;
}

/* if (!value) break; nothing when the value is always true. */
static void add_exit(struct parser *p, struct expr *value, struct pos pos) {
    if (value->kind == EXPR_INT && value->value != 0) return;
    struct stmts old = stmts_capture(p);
    stmt_add(p, STMT_BREAK, pos);
    struct stmts leave = stmts_restore(p, old);
    struct stmt *s = stmt_add(p, STMT_IF, pos);
    s->value = value->kind == EXPR_NOT ? value->a : expr_new(p, EXPR_NOT, value->pos, value, NULL);
    s->body = leave.first;
}

static struct stmts parse_loop_body(struct parser *p) {
    p->loops++;
    struct stmts body = parse_branch(p);
    p->loops--;
    return body;
}

/* Whether a list leaves its loop; breaks of inner loops do not count. */
static bool has_break(const struct stmt *s) {
    for (; s; s = s->next) {
        if (s->kind == STMT_BREAK) return true;
        if (s->kind == STMT_IF && (has_break(s->body) || has_break(s->orelse))) return true;
    }
    return false;
}

static struct stmt *add_loop(struct parser *p, struct pos pos, struct stmts body, struct stmts step) {
    if (!p->panic && !has_break(body.first) && !has_break(step.first))
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
    struct expr *value = parse_condition(p);
    add_exit(p, value, t->pos);
    stmts_append(p, parse_loop_body(p));
    add_loop(p, t->pos, stmts_restore(p, old), (struct stmts){0});
}

/* do body while (c): for (;;) { body; step: accesses of c; if (!c) break; }, as `continue` goes to the test.
 */
static void parse_do(struct parser *p) {
    const struct token *t = parse_next(p);
    struct stmts body = parse_loop_body(p);
    if (!is_word(p, "while")) {
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

/* ---- for: proved to end by running its head ---- */

enum { MAX_TRIPS = 10000 };

/* The registers of a `for` head: which have a value that is known before the test runs. */
struct head {
    bool *known;
    int32_t *values;
};

static bool is_known(const struct head *h, const struct expr *e) {
    if (!e) return true;
    if (e->kind == EXPR_REG) return h->known[e->value];
    return is_known(h, e->a) && is_known(h, e->b) && is_known(h, e->c);
}

static void run_sets(struct head *h, const struct stmt *s, const struct expr_env *env) {
    for (; s; s = s->next)
        if (s->kind == STMT_SET && h->known[s->reg]) h->values[s->reg] = expr_eval(s->value, env);
}

/* Marks the registers that the head sets from known values, and only there. */
static void find_known(struct head *h, const struct stmt *init) {
    for (const struct stmt *s = init; s; s = s->next)
        if (s->kind == STMT_SET) h->known[s->reg] = is_known(h, s->value);
}

/* Takes back what is written elsewhere: by the body, or by the step from something unknown. */
static bool forget_written(const struct stmt *s, void *ctx) {
    struct head *h = ctx;
    if (s->kind == STMT_SET) h->known[s->reg] = false;
    if (s->kind == STMT_OP && s->op.dst >= 0) h->known[s->op.dst] = false;
    return true;
}

static void forget_unknown_steps(struct head *h, const struct stmt *step) {
    for (bool changed = true; changed;) {
        changed = false;
        for (const struct stmt *s = step; s; s = s->next)
            if (s->kind == STMT_SET && h->known[s->reg] && !is_known(h, s->value)) {
                h->known[s->reg] = false;
                changed = true;
            }
    }
}

/* How often the loop turns at most, over all copies of the thread; -1: no bound was found. */
static int count_trips(struct parser *p, const struct stmt *init, const struct expr *value,
                       const struct stmt *body, const struct stmt *step) {
    size_t n = (size_t)p->body->nregs;
    struct head h = {arena_array(p->arena, n, sizeof(bool)), arena_array(p->arena, n, sizeof(int32_t))};
    find_known(&h, init);
    stmt_walk(body, forget_written, &h);
    for (const struct stmt *s = step; s; s = s->next)
        if (s->kind != STMT_SET) forget_written(s, &h);
    forget_unknown_steps(&h, step);
    if (!is_known(&h, value)) return -1;
    int most = 0;
    for (int tid = 0; tid < p->body->count; tid++) {
        struct expr_env env = {.regs = h.values, .tid = tid, .count = p->body->count};
        int trips = 0;
        for (run_sets(&h, init, &env); expr_eval(value, &env); run_sets(&h, step, &env))
            if (++trips > MAX_TRIPS) return -1;
        if (trips > most) most = trips;
    }
    return most;
}

/* for (init; c; step) body: init; for (;;) { if (!c) break; body; step }, with a bound that is known now. */
static void parse_for(struct parser *p) {
    const struct token *t = parse_next(p);
    int nscope = p->nscope;
    struct stmts old = stmts_capture(p);
    parse_expect(p, '(', "'('");
    if (parse_peek(p) != ';') parse_simple(p);
    parse_expect(p, ';', "';'");
    struct stmts init = p->out;

    struct stmts before = stmts_capture(p);
    p->terms = 0;
    bool bare = parse_peek(p) == ';';
    struct expr *value = bare ? expr_int(p, t->pos, 1) : parse_expression(p);
    struct stmts reads = stmts_restore(p, before);
    parse_expect(p, ';', "';'");
    before = stmts_capture(p);
    if (parse_peek(p) != ')') parse_simple(p);
    struct stmts step = stmts_restore(p, before);
    parse_expect(p, ')', "')'");

    before = stmts_capture(p);
    add_exit(p, value, t->pos);
    struct stmts turn = parse_loop_body(p);
    int trips = p->panic || reads.first ? -1 : count_trips(p, init.first, value, turn.first, step.first);
    stmts_append(p, turn);
    struct stmts body = stmts_restore(p, before);
    if (trips < 0)
        parse_complain(p, t->pos,
                       "this 'for' has no constant bound of at most %d turns; a loop that waits is a 'while'",
                       MAX_TRIPS);
    close_scope(p, nscope);
    struct stmts head = stmts_restore(p, old);
    stmts_append(p, head);
    struct stmt *s = stmt_add(p, STMT_LOOP, t->pos);
    s->body = body.first;
    s->step = step.first;
    s->bounded = true;
    s->trips = trips;
}

/* ---- statements ---- */

static void parse_block(struct parser *p) {
    int nscope = p->nscope;
    parse_next(p);
    while (parse_peek(p) != '}' && p->tok->kind != TOK_END) {
        parse_statement(p);
        parse_recover(p);
    }
    parse_expect(p, '}', "'}'");
    close_scope(p, nscope);
}

static void parse_jump(struct parser *p, enum stmt_kind kind) {
    const struct token *t = parse_next(p);
    if (p->loops == 0) parse_complain(p, t->pos, "'%s' outside of a loop", t->text);
    stmt_add(p, kind, t->pos);
    parse_expect(p, ';', "';'");
}

/* Words of C that a body cannot have, and what to write instead. */
static const char *find_advice(const char *word) {
    static const char *const advice[][2] = {
        {"goto", "use 'while', 'break' and 'continue'"},
        {"switch", "use 'if'"},
        {"return", "use 'if' around the rest"},
        {"unsigned", "registers are 'int'"},
        {"long", "registers are 'int'"},
        {"short", "registers are 'int'"},
        {"char", "registers are 'int'"},
        {"bool", "registers are 'int'"},
        {"float", "registers are 'int'"},
        {"double", "registers are 'int'"},
        {"volatile", "use 'access: volatile'"},
        {"const", "registers are 'int'"},
        {"auto", "registers are 'int'"},
        {"asm", "a body is understood, never passed on"},
        {"uint32_t", "registers are 'int'"},
        {"int32_t", "registers are 'int'"},
    };
    for (size_t i = 0; i < sizeof advice / sizeof *advice; i++)
        if (strcmp(advice[i][0], word) == 0) return advice[i][1];
    return NULL;
}

static void parse_other(struct parser *p) {
    const char *advice = parse_peek(p) == TOK_NAME ? find_advice(p->tok->text) : NULL;
    if (advice) parse_error(p, p->tok->pos, "'%s' is not possible in a body: %s", p->tok->text, advice);
    parse_simple(p);
    parse_expect(p, ';', "';'");
}

static void parse_statement(struct parser *p) {
    static const struct {
        const char *word;
        void (*parse)(struct parser *p);
    } words[] = {{"if", parse_if}, {"while", parse_while}, {"do", parse_do}, {"for", parse_for}};
    if (!parse_enter(p)) return;
    size_t i = 0, n = sizeof words / sizeof *words;
    while (i < n && !is_word(p, words[i].word))
        i++;
    if (i < n)
        words[i].parse(p);
    else if (parse_peek(p) == '{')
        parse_block(p);
    else if (parse_peek(p) == ';')
        parse_next(p);
    else if (is_word(p, "break"))
        parse_jump(p, STMT_BREAK);
    else if (is_word(p, "continue"))
        parse_jump(p, STMT_CONTINUE);
    else
        parse_other(p);
    parse_leave(p);
}

/* ---- the whole ---- */

static bool mark_written(const struct stmt *s, void *ctx) {
    bool *written = ctx;
    if (s->kind == STMT_SET) written[s->reg] = true;
    if (s->kind == STMT_OP && s->op.dst >= 0) written[s->op.dst] = true;
    return true;
}

/* A register that is read must be written somewhere. */
static void check_written(struct parser *p) {
    bool *written = arena_array(p->arena, (size_t)p->body->nregs, sizeof *written);
    stmt_walk(p->body->first, mark_written, written);
    for (int i = 0; i < p->nnamed; i++) {
        int reg = p->named[i];
        if (!p->locals[reg].is_read || written[reg]) continue;
        parse_complain(p, p->locals[reg].first_read, "register '%s' is never assigned",
                       p->body->regs[reg].name);
        diag_note(p->diag, p->source, p->body->regs[reg].pos, "it is declared here");
    }
}

void body_parse(struct arena *a, struct test *t, struct body *body, const struct snippet *text,
                struct diag *d) {
    struct parser *p = arena_alloc(a, sizeof *p);
    *p = (struct parser){
        .arena = a, .source = &t->source, .diag = d, .test = t, .body = body, .operand = parse_operand};
    size_t errors = d->errors;
    parse_start(p, text);
    while (p->tok->kind != TOK_END) {
        if (p->tok->kind != '}') {
            parse_statement(p);
            parse_recover(p);
        } else {
            if (d->errors == errors) parse_complain(p, p->tok->pos, "'}' without '{'");
            p->tok++;
        }
    }
    body->first = p->out.first;
    if (d->errors == errors) check_written(p);
}
