/* What leaves more than one loop: a `return`, a `goto`, what means a loop around the lines between a label and a `goto`, and
 * a `continue` in a switch that became a loop of one turn. A flag is set, the innermost loop is left, and behind it the flag says to go on leaving. */
#include "bodies/bodies.h"

/* What is lowered: the jumps to the loop or region of a number, whose body the list is; or, where that is 0, those of a whole
 * body: what returns, and what goes on with the loop around a switch. */
struct leaving {
    struct parser *p;
    int number;
    int gone, again; /* the flags: registers, or -1 */
};

/* What a list leaves, from within the loop that it stands in: what is gone, or a turn of what goes on. */
struct leaves {
    bool out, on;
};

static struct leaves lower(struct leaving *l, struct stmt *first, const struct stmt *within);

static struct stmt *insert_behind(struct leaving *l, struct stmt *s, enum stmt_kind kind) {
    struct stmts old = stmts_capture(l->p);
    struct stmt *made = stmt_add(l->p, kind, s->pos);
    stmts_restore(l->p, old);
    made->next = s->next;
    s->next = made;
    return made;
}

static void become_set(struct leaving *l, struct stmt *s, int reg, int value) {
    s->kind = STMT_SET;
    s->reg = reg;
    s->value = expr_int(l->p, s->pos, value);
}

/* flag = 1; break; */
static struct stmt *raise(struct leaving *l, struct stmt *s, int *flag) {
    if (*flag < 0) *flag = body_temporary(l->p, s->pos, type_int);
    become_set(l, s, *flag, 1);
    return insert_behind(l, s, STMT_BREAK);
}

/* if (flag) jump; behind a loop */
static struct stmt *ask(struct leaving *l, struct stmt *loop, int flag, enum stmt_kind jump) {
    struct stmts old = stmts_capture(l->p);
    stmt_add(l->p, jump, loop->pos);
    struct stmts then = stmts_restore(l->p, old);
    struct stmt *s = insert_behind(l, loop, STMT_IF);
    s->value = body_value(l->p, flag, loop->pos);
    s->body = then.first;
    return s;
}

/* A flag is down when its loop begins: the loop moves behind that. */
static struct stmt *lower_flag(struct leaving *l, struct stmt *s, int flag) {
    struct stmt *loop = insert_behind(l, s, STMT_LOOP), *next = loop->next;
    *loop = *s;
    loop->next = next;
    become_set(l, s, flag, 0);
    return loop;
}

/* A loop, and what that leaves of what is around it; the last statement of what it becomes. */
static struct stmt *lower_loop(struct leaving *l, struct stmt *s, const struct stmt *within,
                               struct leaves *out) {
    struct leaves in = lower(l, s->body, s);
    bool further = within && (l->number || within->of_switch);
    if (in.out && l->number) s = lower_flag(l, s, l->gone);
    if (in.on) s = lower_flag(l, s, l->again);
    if (in.out) s = ask(l, s, l->gone, STMT_BREAK);
    if (in.on) s = ask(l, s, l->again, further ? STMT_BREAK : STMT_CONTINUE);
    *out = (struct leaves){in.out, in.on && further};
    return s;
}

/* Whether a statement is a jump that is lowered. */
static bool is_jump(const struct leaving *l, const struct stmt *s, const struct stmt *within) {
    if (l->number) return s->leaves == l->number;
    if (s->kind == STMT_BREAK) return within && s->returns;
    return s->kind == STMT_CONTINUE && within && within->of_switch;
}

static struct leaves lower(struct leaving *l, struct stmt *first, const struct stmt *within) {
    struct leaves all = {false, false};
    for (struct stmt *s = first; s; s = s->next) {
        struct leaves one = {false, false}, orelse = one;
        if (s->kind == STMT_IF) {
            one = lower(l, s->body, within);
            orelse = lower(l, s->orelse, within);
        } else if (s->kind == STMT_LOOP) {
            s = lower_loop(l, s, within, &one);
        } else if (is_jump(l, s, within)) {
            one = (struct leaves){s->kind == STMT_BREAK, s->kind == STMT_CONTINUE};
            s->leaves = 0;
            if (within) s = raise(l, s, one.out ? &l->gone : &l->again);
        }
        all = (struct leaves){all.out || one.out || orelse.out, all.on || one.on || orelse.on};
    }
    return all;
}

/* In a function they are no jumps out of the whole body any more. */
static void forget_returns(struct stmt *s) {
    for (; s; s = s->next) {
        s->returns = false;
        forget_returns(s->body);
        forget_returns(s->orelse);
        forget_returns(s->step);
    }
}

struct stmts leave_numbered(struct parser *p, struct stmts body, int number) {
    struct leaving l = {p, number, -1, -1};
    if (!p->syntax.jumps || p->panic) return body;
    lower(&l, body.first, NULL);
    while (body.last && body.last->next)
        body.last = body.last->next;
    return body;
}

void leave_call(struct parser *p, struct stmts body, struct pos pos) {
    struct leaving l = {p, 0, -1, -1};
    lower(&l, body.first, NULL);
    forget_returns(body.first);
    while (body.last->next)
        body.last = body.last->next;
    if (l.gone >= 0) body_set(p, l.gone, expr_int(p, pos, 0), pos);
    struct stmts before = stmts_capture(p);
    stmts_append(p, body);
    if (body.last->kind != STMT_BREAK) stmt_add(p, STMT_BREAK, pos);
    statement_add_loop(p, pos, stmts_restore(p, before), (struct stmts){0}, 1);
}

void leave_loops(struct parser *p) {
    struct leaving l = {p, 0, -1, -1};
    struct stmts all = p->out;
    lower(&l, all.first, NULL);
    if (l.gone >= 0) {
        p->out = (struct stmts){0};
        body_set(p, l.gone, expr_int(p, p->syntax.first->pos, 0), p->syntax.first->pos);
        stmts_append(p, all);
    }
    while (p->out.last && p->out.last->next)
        p->out.last = p->out.last->next;
    if (p->returns) statement_add_once(p, (struct stmts){0}, p->syntax.first->pos);
}
