/* A switch: a chain of `if`. Where a case runs into the next one, or breaks early, it is a loop of one turn, in which
 * the cases from the first that is meant stand one after the other. */

#include "bodies/bodies.h"

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

static struct expr *lower_compared(struct parser *p, const struct tree *n) {
    struct expr *e = expr_scalar(p, lower_value(p, n), "a switch");
    if (e->type.real) parse_complain(p, e->pos, "a switch is over an integer, not a float");
    e = expr_convert(p, e, type_promote(e->type));
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
static void lower_case(struct parser *p, struct switch_text *s, struct switch_group *g,
                       const struct tree *n) {
    struct stmts old = stmts_capture(p);
    struct expr *label = expr_convert(p, expr_scalar(p, lower_value(p, n->a), "a case"), s->value->type);
    bool reads = stmts_restore(p, old).first != NULL;
    if (!p->panic && (reads || body_fold(p, label)->kind != EXPR_INT))
        parse_complain(p, label->pos, "a case is a constant");
    check_twice(p, s, label);
    if (s->nlabels == MAX_CASES) parse_error(p, n->first->pos, "a switch has at most %d cases", MAX_CASES);
    if (p->panic) return;
    s->labels[s->nlabels++] = label;
    struct expr *equal = expr_new(p, EXPR_EQ, label->pos, s->value, label);
    g->meant = g->meant ? expr_new(p, EXPR_LOR, label->pos, g->meant, equal) : equal;
}

static void lower_default(struct parser *p, struct switch_text *s, struct switch_group *g,
                          const struct tree *n) {
    for (int k = 0; k < s->ngroups; k++)
        if (s->groups[k].is_default) parse_complain(p, n->first->pos, "'default' stands twice");
    g->is_default = true;
}

/* The statements behind a label; what stands behind a break is never reached. */
static void lower_statements(struct parser *p, struct switch_group *g, const struct tree *n) {
    for (; n; n = n->next) {
        struct tree one = *n;
        one.next = NULL;
        bool left = g->ends, ends = n->kind == TREE_BREAK && !n->fault;
        struct stmts old = stmts_capture(p);
        if (!ends) statement_lower_list(p, &one);
        struct stmts lowered = stmts_restore(p, old);
        if (!left) stmts_append(p, lowered);
        const struct stmt *last = p->out.last;
        g->ends = ends || left || (last && (last->kind == STMT_BREAK || last->kind == STMT_CONTINUE));
    }
}

/* Labels, and the statements behind them. */
static void lower_group(struct parser *p, struct switch_text *s, const struct tree *n) {
    if (s->ngroups == MAX_CASES) parse_error(p, n->first->pos, "a switch has at most %d cases", MAX_CASES);
    if (p->panic) return;
    struct switch_group *g = &s->groups[s->ngroups++];
    *g = (struct switch_group){0};
    for (const struct tree *k = n->a; k; k = k->next)
        if (k->a)
            lower_case(p, s, g, k);
        else
            lower_default(p, s, g, k);
    if (p->panic) return;
    struct stmts old = stmts_capture(p);
    guard_begin_cases(p, s->value);
    lower_statements(p, g, n->b);
    guard_end(p);
    g->body = stmts_restore(p, old);
}

/* ---- as a chain of `if` ---- */

static void add_chain(struct parser *p, const struct switch_text *s) {
    struct stmts chain = {0};
    for (int k = 0; k < s->ngroups; k++)
        if (s->groups[k].is_default) chain = s->groups[k].body;
    for (int k = s->ngroups; --k >= 0;) {
        const struct switch_group *g = &s->groups[k];
        if (!g->is_default) chain = stmts_if(p, g->meant->pos, g->meant, g->body, chain);
    }
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
        stmt_add_if(p, meant->pos, meant, then, (struct stmts){0});
    }
    statement_add_once(p, old, pos)->of_switch = true;
}

static bool runs_on(const struct switch_text *s) {
    for (int k = 0; k + 1 < s->ngroups; k++)
        if (!s->groups[k].ends) return true;
    return false;
}

void switch_lower(struct parser *p, const struct tree *n) {
    struct switch_text *s = arena_alloc(p->arena, sizeof *s);
    struct parse_switch *outer = p->jumps.within, within = {outer, p->jumps.loops, p->jumps.inner, false};
    int around = body_open_scope(p);
    s->value = lower_compared(p, n->a);
    p->jumps.within = &within;
    for (const struct tree *k = n->b; k && !p->panic; k = k->next)
        lower_group(p, s, k);
    p->jumps.within = outer;
    body_close_scope(p, around);
    if (p->panic) return;
    if (within.breaks || runs_on(s))
        add_turn(p, s, n->first->pos);
    else
        add_chain(p, s);
}
