/* What leaves more than one loop: a `return`, a `goto`, what means a loop around the lines between a label and a `goto`, and
 * a `continue` in a switch that became a loop of one turn. A flag is set, the innermost loop is left, and behind it the flag says to go on leaving. */
#include "bodies/bodies.h"

struct leaving {
    struct parser *p;
    int gone, again; /* the flags: registers, or -1 */
};

/* What a list leaves, from within the loop that it stands in. */
struct leaves {
    bool body, turn; /* by a `return`; by a `continue` of the loop around a switch */
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

static int flag_register(struct leaving *l, int *flag, struct pos pos) {
    if (*flag < 0) *flag = body_temporary(l->p, pos, type_int);
    return *flag;
}

static void become_set(struct leaving *l, struct stmt *s, int reg, int value) {
    s->kind = STMT_SET;
    s->reg = reg;
    s->value = expr_int(l->p, s->pos, value);
}

/* flag = 1; break; */
static struct stmt *raise(struct leaving *l, struct stmt *s, int *flag) {
    become_set(l, s, flag_register(l, flag, s->pos), 1);
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

/* A loop; the last statement of what it becomes. */
static struct stmt *lower_loop(struct leaving *l, struct stmt *s, const struct stmt *within,
                               struct leaves *out) {
    struct leaves in = lower(l, s->body, s);
    if (in.turn) s = lower_flag(l, s, l->again);
    if (in.body) s = ask(l, s, l->gone, STMT_BREAK);
    if (in.turn) {
        s = ask(l, s, l->again, STMT_CONTINUE);
        struct leaves around = lower(l, s->body, within);
        out->turn = out->turn || around.turn;
    }
    out->body = out->body || in.body;
    return s;
}

static struct leaves lower(struct leaving *l, struct stmt *first, const struct stmt *within) {
    struct leaves out = {false, false};
    for (struct stmt *s = first; s; s = s->next) {
        if (s->kind == STMT_IF) {
            struct leaves then = lower(l, s->body, within), orelse = lower(l, s->orelse, within);
            out.body = out.body || then.body || orelse.body;
            out.turn = out.turn || then.turn || orelse.turn;
        } else if (s->kind == STMT_LOOP) {
            s = lower_loop(l, s, within, &out);
        } else if (s->kind == STMT_BREAK && s->returns && within) {
            s = raise(l, s, &l->gone);
            out.body = true;
        } else if (s->kind == STMT_CONTINUE && within && within->of_switch) {
            s = raise(l, s, &l->again);
            out.turn = true;
        }
    }
    return out;
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

/* What a list has of jumps to the loop of a number, which is around it: out of that, and to its step. */
struct numbered {
    bool out, on;
};

static struct numbered lower_numbered(struct leaving *l, struct stmt *first, int number, bool inner);

static struct stmt *lower_inner(struct leaving *l, struct stmt *s, int number, bool inner,
                                struct numbered *all) {
    struct numbered in = lower_numbered(l, s->body, number, true);
    if (in.out) s = lower_flag(l, s, l->gone);
    if (in.on) s = lower_flag(l, s, l->again);
    if (in.out) s = ask(l, s, l->gone, STMT_BREAK);
    if (in.on) s = ask(l, s, l->again, inner ? STMT_BREAK : STMT_CONTINUE);
    all->out = all->out || in.out;
    all->on = all->on || in.on;
    return s;
}

static struct numbered lower_numbered(struct leaving *l, struct stmt *first, int number, bool inner) {
    struct numbered all = {false, false};
    for (struct stmt *s = first; s; s = s->next) {
        if (s->kind == STMT_LOOP) {
            s = lower_inner(l, s, number, inner, &all);
        } else if (s->kind == STMT_IF) {
            struct numbered then = lower_numbered(l, s->body, number, inner),
                            orelse = lower_numbered(l, s->orelse, number, inner);
            all.out = all.out || then.out || orelse.out;
            all.on = all.on || then.on || orelse.on;
        } else if (s->leaves == number) {
            bool out = s->kind == STMT_BREAK;
            s->leaves = 0;
            all.out = all.out || out;
            all.on = all.on || !out;
            if (inner) s = raise(l, s, out ? &l->gone : &l->again);
        }
    }
    return all;
}

struct stmts leave_numbered(struct parser *p, struct stmts body, int number) {
    struct leaving l = {p, -1, -1};
    if (!p->syntax.jumps || p->panic) return body;
    lower_numbered(&l, body.first, number, false);
    while (body.last && body.last->next)
        body.last = body.last->next;
    return body;
}

void leave_call(struct parser *p, struct stmts body, struct pos pos) {
    struct leaving l = {p, -1, -1};
    lower(&l, body.first, NULL);
    forget_returns(body.first);
    while (body.last->next)
        body.last = body.last->next;
    if (l.gone >= 0) body_set(p, l.gone, expr_int(p, pos, 0), pos);
    struct stmts before = stmts_capture(p);
    stmts_append(p, body);
    if (body.last->kind != STMT_BREAK) stmt_add(p, STMT_BREAK, pos);
    body = stmts_restore(p, before);
    struct stmt *loop = stmt_add(p, STMT_LOOP, pos);
    loop->body = body.first;
    loop->bounded = true;
    loop->trips = 1;
    loop->turns = 1 + stmt_count_turns(body.first);
}

/* A `return` leaves a loop of one turn, which is the whole body. */
static void wrap_in_turn(struct parser *p) {
    struct stmts all = p->out;
    p->out = (struct stmts){0};
    struct stmt *s = stmt_add(p, STMT_LOOP, p->syntax.first->pos);
    s->body = all.first;
    s->bounded = true;
    s->trips = 1;
    s->turns = 1 + stmt_count_turns(all.first);
    p->out = all;
    stmt_add(p, STMT_BREAK, s->pos);
    p->out = (struct stmts){s, s};
}

void leave_loops(struct parser *p) {
    struct leaving l = {p, -1, -1};
    struct stmts all = p->out;
    lower(&l, all.first, NULL);
    if (l.gone >= 0) {
        p->out = (struct stmts){0};
        body_set(p, l.gone, expr_int(p, p->syntax.first->pos, 0), p->syntax.first->pos);
        stmts_append(p, all);
    }
    while (p->out.last && p->out.last->next)
        p->out.last = p->out.last->next;
    if (p->returns) wrap_in_turn(p);
}
