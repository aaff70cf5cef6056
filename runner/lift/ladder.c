/* Ladders of polls. Libraries unroll a wait into reads of the same place, each of which leaves when it finds
 * what it waits for:
 *
 *   a = ld [x]; if (a) goto out; b = ld [x]; if (b) goto out; ...
 *
 * A poll that is followed by the same poll is dropped, if nothing reads later what it computed. This keeps
 * the set of outcomes. An execution in which the poll does not leave is also one without it, because dropping
 * a read removes orders and adds none. An execution in which it leaves corresponds to one in which the next
 * poll leaves, since that can read the same write. And nothing is added, since the dropped poll could read
 * what the next one reads. */
#include <string.h>

#include "lift/reader.h"

/* A poll: a load, assignments, and the branch by which it leaves. */
struct rung {
    const struct stmt *load, *leave;
};

static bool find_poll(const struct stmt *s, struct rung *out) {
    if (!s || s->kind != STMT_OP || s->op->kind != OP_LOAD) return false;
    out->load = s;
    do
        s = s->next;
    while (s && s->kind == STMT_SET);
    out->leave = s;
    return s && s->kind == STMT_GOTO && s->value;
}

static int set_by(const struct stmt *s) {
    return s->kind == STMT_OP ? s->op->dst : s->kind == STMT_SET ? s->reg : -1;
}

/* ---- whether two polls are the same ---- */

/* Compares two polls, up to the current statement of each. */
struct twins {
    const struct rung *a, *b;
    const struct stmt *at, *other;
};

/* Returns the second poll's register for a register of the first; -1: there is none. */
static int counterpart(const struct twins *t, int reg) {
    int to = reg;
    for (const struct stmt *s = t->a->load, *o = t->b->load; s != t->at; s = s->next, o = o->next)
        if (set_by(s) == reg)
            to = set_by(o);
        else if (set_by(o) == to)
            to = -1;
    return to;
}

static bool is_same(const struct twins *t, const struct expr *e, const struct expr *o) {
    if (!e || !o) return e == o;
    if (e->kind != o->kind || !type_same(e->type, o->type)) return false;
    if (e->kind == EXPR_REG) return counterpart(t, e->index) == o->index;
    return e->index == o->index && memcmp(&e->value, &o->value, sizeof e->value) == 0 &&
           is_same(t, e->a, o->a) && is_same(t, e->b, o->b) && is_same(t, e->c, o->c);
}

static bool is_same_load(const struct twins *t, const struct op *op, const struct op *o) {
    return op->name == o->name && op->order == o->order && op->scope == o->scope && op->proxy == o->proxy &&
           type_same(op->type, o->type) && op->place[0].loc == o->place[0].loc &&
           is_same(t, op->place[0].index, o->place[0].index);
}

/* Whether the poll itself sets a register of its address, so that the next poll reads elsewhere. */
static bool moves(const struct rung *a, const struct expr *address) {
    if (!address) return false;
    for (const struct stmt *s = a->load; s != a->leave && address->kind == EXPR_REG; s = s->next)
        if (set_by(s) == address->index) return true;
    return moves(a, address->a) || moves(a, address->b) || moves(a, address->c);
}

static bool are_same(const struct rung *a, const struct rung *b) {
    struct twins t = {a, b, a->load, b->load};
    if (!is_same_load(&t, a->load->op, b->load->op) || moves(a, a->load->op->place[0].index)) return false;
    for (t.at = t.at->next, t.other = t.other->next; t.at != a->leave && t.other != b->leave;
         t.at = t.at->next, t.other = t.other->next)
        if (!is_same(&t, t.at->value, t.other->value)) return false;
    return t.at == a->leave && t.other == b->leave && a->leave->label == b->leave->label &&
           is_same(&t, a->leave->value, b->leave->value);
}

/* ---- whether a register is read later ---- */

/* A walk over the statements that may run later, and the labels that it has passed. */
struct later {
    const struct stmt *first;
    bool *passed;
    int reg;
};

static bool uses(const struct later *l, const struct stmt *s) {
    return expr_reads(s->value, l->reg) || (s->kind == STMT_OP && op_reads(s->op, l->reg));
}

static const struct stmt *find_label(const struct later *l, int label) {
    const struct stmt *s = l->first;
    while (s && (s->kind != STMT_LABEL || s->label != label))
        s = s->next;
    return s;
}

/* Searches from a statement on. An instruction under a guard may leave its register unset. */
static bool is_read_from(struct later *l, const struct stmt *s) {
    for (; s; s = s->next) {
        if (uses(l, s) || is_read_from(l, s->body) || is_read_from(l, s->orelse)) return true;
        if (set_by(s) == l->reg) return false;
        if (s->kind == STMT_LABEL) {
            if (l->passed[s->label]) return false;
            l->passed[s->label] = true;
        }
        if (s->kind != STMT_GOTO) continue;
        if (!l->passed[s->label] && is_read_from(l, find_label(l, s->label))) return true;
        if (!s->value) return false;
    }
    return false;
}

/* Whether something behind a poll reads what it computed. */
static bool is_used(struct arena *a, const struct body *body, const struct rung *poll) {
    for (const struct stmt *s = poll->load; s != poll->leave; s = s->next) {
        struct later l = {body->first, arena_array(a, (size_t)body->nlabels + 1, sizeof(bool)), set_by(s)};
        if (is_read_from(&l, find_label(&l, poll->leave->label)) || is_read_from(&l, poll->leave->next))
            return true;
    }
    return false;
}

void lift_climb(struct arena *a, struct body *body) {
    struct rung poll, next;
    for (struct stmt **s = &body->first; *s;) {
        bool again = find_poll(*s, &poll) && find_poll(poll.leave->next, &next) && are_same(&poll, &next) &&
                     !is_used(a, body, &poll);
        if (again)
            *s = poll.leave->next;
        else
            s = &(*s)->next;
    }
}
