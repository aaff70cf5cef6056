/* Pointers that move within their array: what moves is an index, which is a register. */
#include "lower/lower.h"

static bool is_move(const struct token *t) {
    return t->kind == '=' || t->kind == TOK_ADD_SET || t->kind == TOK_SUB_SET;
}

static bool is_step(const struct token *t) {
    return t->kind == TOK_INC || t->kind == TOK_DEC;
}

bool moving_is(const struct token *t) {
    return is_move(t) || is_step(t);
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

struct place moving_step(struct parser *p, const struct reference *ref, const struct tree *n) {
    const struct token *t = n->at;
    struct place place = ref->place;
    place.pos = n->first->pos;
    if (n->kind == TREE_BEHIND) {
        int before = body_temporary(p, t->pos, place.index->type);
        body_set(p, before, place.index, t->pos);
        place.index = body_value(p, before, t->pos);
    }
    move_by(p, ref, sign_of(t), expr_int(p, t->pos, 1), t->pos);
    return place;
}

void moving_report(struct parser *p, const struct token *at, const char *name) {
    parse_error(
        p, at->pos,
        "'%s' cannot move here: a pointer that is not const moves within its array, by a statement of its "
        "own or as in *%s++",
        name, name);
}

/* p = another place of the same array */
static void move_to(struct parser *p, const struct reference *ref, const struct tree *n) {
    const struct place *from = &ref->place;
    struct place to = place_address(p, n, "&a[i], a + i or a pointer");
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

bool moving_statement(struct parser *p, const struct tree *n) {
    bool steps = n->kind == TREE_STEP || n->kind == TREE_BEHIND;
    bool moves = steps || (n->kind == TREE_ASSIGN && is_move(n->at));
    const struct reference *ref = moves && tree_is_word(n->a) ? pointer_find(p, n->a->first->text) : NULL;
    if (!ref || !ref->moves) return false;
    if (steps)
        move_by(p, ref, sign_of(n->at), expr_int(p, n->at->pos, 1), n->at->pos);
    else if (n->at->kind == '=')
        move_to(p, ref, n->b);
    else
        move_by(p, ref, sign_of(n->at), lower_value(p, n->b), n->at->pos);
    return true;
}
