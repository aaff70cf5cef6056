/* A switch: a chain of `if`. Where a case runs into the next one, or breaks early, it is a loop of one turn, in which
 * the cases from the first that is meant stand one after the other. */

#include "litmus/parse.h"

enum { MAX_CASES = 64 };

/* The statements behind one or several labels. */
struct switch_group {
    struct expr *meant; /* whether one of its `case` labels is; NULL: it has none */
    bool is_default;
    struct stmts body;
    bool ends; /* it does not run into the next one */
};

struct switch_text {
    struct expr *value; /* what is compared: a register, or known */
    struct switch_group groups[MAX_CASES];
    struct expr *labels[MAX_CASES];
    int ngroups, nlabels;
};

static bool at_label(const struct parser *p) {
    return parse_at_word(p, "case") || parse_at_word(p, "default");
}

static struct expr *read_value(struct parser *p) {
    parse_expect(p, '(', "'('");
    p->terms = 0;
    struct expr *e = expr_scalar(p, parse_expression(p), "a switch");
    if (e->type.real) parse_complain(p, e->pos, "a switch is over an integer, not a float");
    e = expr_convert(p, e, type_promote(e->type));
    parse_expect(p, ')', "')'");
    if (p->panic || expr_is_known(e)) return e;
    int reg = body_temporary(p, e->pos, e->type);
    body_set(p, reg, e, e->pos);
    return body_value(p, reg, e->pos);
}

static void check_twice(struct parser *p, const struct switch_text *s, const struct expr *label) {
    for (int k = 0; k < s->nlabels; k++) {
        const struct expr *other = s->labels[k];
        if (other->kind == EXPR_INT && label->kind == EXPR_INT && value_equal(other->value, label->value))
            parse_complain(p, label->pos, "this case stands twice");
    }
}

/* case 1: */
static void read_case(struct parser *p, struct switch_text *s, struct switch_group *g) {
    const struct token *t = parse_next(p);
    p->terms = 0;
    struct stmts old = stmts_capture(p);
    struct expr *label = expr_convert(p, expr_scalar(p, parse_expression(p), "a case"), s->value->type);
    bool reads = stmts_restore(p, old).first != NULL;
    if (!p->panic && (reads || body_fold(p, label)->kind != EXPR_INT))
        parse_complain(p, label->pos, "a case is a constant");
    parse_expect(p, ':', "':'");
    if (p->panic) g->meant = label;
    if (p->panic) return;
    check_twice(p, s, label);
    if (s->nlabels == MAX_CASES) {
        parse_error(p, t->pos, "a switch has at most %d cases", MAX_CASES);
        return;
    }
    s->labels[s->nlabels++] = label;
    struct expr *equal = expr_new(p, EXPR_EQ, label->pos, s->value, label);
    g->meant = g->meant ? expr_new(p, EXPR_LOR, label->pos, g->meant, equal) : equal;
}

static void read_default(struct parser *p, struct switch_text *s, struct switch_group *g) {
    const struct token *t = parse_next(p);
    for (int k = 0; k < s->ngroups; k++)
        if (s->groups[k].is_default) parse_complain(p, t->pos, "'default' stands twice");
    g->is_default = true;
    parse_expect(p, ':', "':'");
}

/* A `break` of the switch that ends the statements behind a label. */
static bool accept_break(struct parser *p) {
    if (!parse_at_word(p, "break")) return false;
    parse_next(p);
    parse_expect(p, ';', "';'");
    return true;
}

static void read_statement(struct parser *p, struct switch_group *g) {
    struct stmts old = stmts_capture(p);
    bool left = g->ends;
    if (accept_break(p))
        g->ends = true;
    else
        statement_parse(p);
    parse_recover(p);
    struct stmts read = stmts_restore(p, old);
    if (!left) stmts_append(p, read); /* what stands behind a break is never reached */
    const struct stmt *last = p->out.last;
    g->ends = g->ends || (last && (last->kind == STMT_BREAK || last->kind == STMT_CONTINUE));
}

/* Labels, and the statements behind them. */
static void read_group(struct parser *p, struct switch_text *s) {
    if (s->ngroups == MAX_CASES) {
        parse_error(p, p->tok->pos, "a switch has at most %d cases", MAX_CASES);
        return;
    }
    struct switch_group *g = &s->groups[s->ngroups++];
    *g = (struct switch_group){0};
    while (at_label(p)) {
        if (parse_at_word(p, "case"))
            read_case(p, s, g);
        else
            read_default(p, s, g);
    }
    struct stmts old = stmts_capture(p);
    guard_begin_cases(p, s->value);
    while (parse_peek(p) != '}' && p->tok->kind != TOK_END && !at_label(p))
        read_statement(p, g);
    guard_end(p);
    g->body = stmts_restore(p, old);
}

/* ---- as a chain of `if` ---- */

static struct stmts add_if(struct parser *p, struct expr *value, struct stmts then, struct stmts orelse) {
    struct stmts old = stmts_capture(p);
    struct stmt *s = stmt_add(p, STMT_IF, value->pos);
    s->value = value;
    s->body = then.first;
    s->orelse = orelse.first;
    return stmts_restore(p, old);
}

static void add_chain(struct parser *p, const struct switch_text *s) {
    struct stmts chain = {0};
    for (int k = 0; k < s->ngroups; k++)
        if (s->groups[k].is_default) chain = s->groups[k].body;
    for (int k = s->ngroups; --k >= 0;)
        if (!s->groups[k].is_default) chain = add_if(p, s->groups[k].meant, s->groups[k].body, chain);
    stmts_append(p, chain);
}

/* ---- as a loop of one turn ---- */

/* Whether some label but the default is meant. */
static struct expr *any_meant(struct parser *p, const struct switch_text *s, struct pos pos) {
    struct expr *any = expr_int(p, pos, 0);
    for (int k = 0; k < s->ngroups; k++)
        if (s->groups[k].meant)
            any = any->kind == EXPR_INT ? s->groups[k].meant
                                        : expr_new(p, EXPR_LOR, pos, any, s->groups[k].meant);
    return any;
}

static void add_turn(struct parser *p, const struct switch_text *s, struct pos pos) {
    int runs = body_temporary(p, pos, type_int);
    body_set(p, runs, expr_int(p, pos, 0), pos);
    struct stmts old = stmts_capture(p);
    for (int k = 0; k < s->ngroups; k++) {
        const struct switch_group *g = &s->groups[k];
        struct expr *meant =
            g->is_default ? expr_new(p, EXPR_NOT, pos, any_meant(p, s, pos), NULL) : g->meant;
        if (g->is_default && g->meant) meant = expr_new(p, EXPR_LOR, pos, meant, g->meant);
        meant = expr_new(p, EXPR_LOR, pos, body_value(p, runs, pos), meant);
        struct stmts outer = stmts_capture(p);
        body_set(p, runs, expr_int(p, pos, 1), pos);
        stmts_append(p, g->body);
        if (g->ends && (!g->body.last || g->body.last->kind != STMT_BREAK)) stmt_add(p, STMT_BREAK, pos);
        struct stmts then = stmts_restore(p, outer);
        stmts_append(p, add_if(p, meant, then, (struct stmts){0}));
    }
    stmt_add(p, STMT_BREAK, pos);
    struct stmts body = stmts_restore(p, old);
    struct stmt *loop = stmt_add(p, STMT_LOOP, pos);
    loop->body = body.first;
    loop->bounded = loop->of_switch = true;
    loop->trips = 1;
    loop->turns = 1 + stmt_count_turns(body.first);
}

static bool runs_on(const struct switch_text *s) {
    for (int k = 0; k + 1 < s->ngroups; k++)
        if (!s->groups[k].ends) return true;
    return false;
}

void switch_parse(struct parser *p) {
    const struct token *t = parse_next(p);
    struct switch_text *s = arena_alloc(p->arena, sizeof *s);
    struct parse_switch *outer = p->within, within = {outer, p->loops, false};
    int around = body_open_scope(p);
    s->value = read_value(p);
    parse_expect(p, '{', "'{'");
    p->within = &within;
    if (!p->panic && parse_peek(p) != '}' && !at_label(p))
        parse_error(p, p->tok->pos, "expected 'case' or 'default'");
    while (at_label(p))
        read_group(p, s);
    p->within = outer;
    parse_expect(p, '}', "'}'");
    body_close_scope(p, around);
    if (p->panic) return;
    if (within.breaks || runs_on(s))
        add_turn(p, s, t->pos);
    else
        add_chain(p, s);
}
