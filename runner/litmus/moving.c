/* Pointers that move within their array: what moves is an index, which is a register. */
#include "litmus/parse.h"

static bool is_move(const struct token *t) {
    return t->kind == '=' || t->kind == TOK_ADD_SET || t->kind == TOK_SUB_SET;
}

static bool is_step(const struct token *t) {
    return t->kind == TOK_INC || t->kind == TOK_DEC;
}

/* p++, ++p, p += 2 or p = q; but *p = 2 moves nothing, nor does ++p[0]. */
static bool moves_at(const struct token *t) {
    bool element = t[1].kind == '[' || t[1].kind == '-';
    return is_step(t + 1) || (is_step(t - 1) && !element) || (is_move(t + 1) && t[-1].kind != '*');
}

static bool moves_later(const struct token *name) {
    for (const struct token *t = name + 1; t->kind != TOK_END; t++)
        if (token_is_word(t, name->text) && moves_at(t)) return true;
    return false;
}

void moving_begin(struct parser *p, struct reference *ref, const struct token *name) {
    struct place *place = &ref->place;
    ref->moves = place->index && moves_later(name);
    if (!ref->moves) return;
    int reg = body_temporary(p, ref->pos, type_promote(place->index->type));
    p->locals[reg].declared = true;
    body_set(p, reg, place->index, ref->pos);
    place->index = body_value(p, reg, ref->pos);
}

/* p = p + step or p - step */
static void move_by(struct parser *p, const struct reference *ref, enum expr_kind sign, struct expr *step,
                    struct pos pos) {
    struct expr *index = ref->place.index;
    step = access_index(p, step);
    body_set(p, index->index, expr_new(p, sign, pos, index, step), pos);
}

static enum expr_kind sign_of(const struct token *t) {
    return t->kind == TOK_INC || t->kind == TOK_ADD_SET ? EXPR_ADD : EXPR_SUB;
}

struct place moving_step_behind(struct parser *p, const struct reference *ref) {
    const struct token *t = p->tok;
    struct place place = ref->place;
    if (!is_step(t) || !ref->moves) return place;
    parse_next(p);
    int before = body_temporary(p, t->pos, place.index->type);
    body_set(p, before, place.index, t->pos);
    place.index = body_value(p, before, t->pos);
    move_by(p, ref, sign_of(t), expr_int(p, t->pos, 1), t->pos);
    return place;
}

static const struct reference *find(const struct parser *p, const struct token *name) {
    const struct reference *ref = name->kind == TOK_NAME ? pointer_find(p, name->text) : NULL;
    return ref && ref->moves ? ref : NULL;
}

bool moving_steps(const struct parser *p) {
    return !p->panic && is_step(p->tok) && find(p, p->tok + 1) && moves_at(p->tok + 1);
}

struct place moving_step(struct parser *p) {
    const struct token *t = parse_next(p), *name = parse_next(p);
    const struct reference *ref = find(p, name);
    move_by(p, ref, sign_of(t), expr_int(p, t->pos, 1), t->pos);
    return ref->place;
}

bool moving_begins(const struct parser *p) {
    const struct token *t = p->tok;
    return !p->panic && (moving_steps(p) || (find(p, t) && (is_step(t + 1) || is_move(t + 1))));
}

/* Behind "p =": another place of the same array. */
static void read_target(struct parser *p, const struct reference *ref) {
    const struct place *from = &ref->place;
    struct place to = pointer_address(p, "&a[i], a + i or a pointer");
    if (p->panic || to.loc < 0) return;
    if (to.loc != from->loc || (to.order != from->order && to.order == ORDER_VOLATILE) ||
        (to.constant && !from->constant)) {
        parse_complain(
            p, to.pos,
            "'%s' moves within '%s', which it pointed to when it was declared: another place, or one "
            "that is volatile or const, is not supported yet",
            ref->name, p->test->locs[from->loc].name);
        return;
    }
    body_set(p, from->index->index, to.index, to.pos);
}

void moving_statement(struct parser *p) {
    if (moving_steps(p)) {
        moving_step(p);
        return;
    }
    const struct reference *ref = find(p, parse_next(p));
    const struct token *t = parse_next(p);
    if (t->kind == '=')
        read_target(p, ref);
    else
        move_by(p, ref, sign_of(t), is_step(t) ? expr_int(p, t->pos, 1) : parse_expression(p), t->pos);
}
