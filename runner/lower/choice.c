/* Pointers that are chosen when the thread runs, c ? &X : &Y, or that are assigned: a register says to which location one
 * leads, another one to which element. Behind the last statement of a body it is known which locations these can be: then an
 * access through such a pointer becomes one of each, of which one runs. */
#include "lower/pointer.h"

enum { MAX_LED = 16, NOWHERE = -1 };

/* Where pointers may lead that were assigned to each other. */
struct choice_set {
    int loc[MAX_LED], n;     /* NOWHERE among them: no place */
    bool moves;              /* one of them moves within an array */
    struct choice_set *same; /* which it was joined with; or NULL */
};

struct place_choice {
    int reg; /* it holds the number of a location */
    struct choice_set *set;
};

static struct choice_set *set_of(const struct place_choice *c) {
    struct choice_set *s = c->set;
    while (s->same)
        s = s->same;
    return s;
}

static void add_location(struct parser *p, struct choice_set *s, int loc, struct pos pos) {
    for (int k = 0; k < s->n; k++)
        if (s->loc[k] == loc) return;
    if (s->n == MAX_LED)
        parse_error(p, pos, "not supported yet: a pointer that may lead to more than %d locations", MAX_LED);
    else
        s->loc[s->n++] = loc;
}

static void join_sets(struct parser *p, struct choice_set *to, struct choice_set *from, struct pos pos) {
    if (to == from) return;
    for (int k = 0; k < from->n; k++)
        add_location(p, to, from->loc[k], pos);
    to->moves = to->moves || from->moves;
    from->same = to;
}

/* The number of the location to which a place belongs, and the element. */
static struct expr *number_of(struct parser *p, const struct place *place, struct pos pos) {
    return place->choice ? body_value(p, place->choice->reg, pos) : expr_int(p, pos, place->loc);
}

static struct expr *element_of(struct parser *p, const struct place *place, struct pos pos) {
    return place->index ? place->index : expr_int(p, pos, 0);
}

struct place choice_new(struct parser *p, struct pos pos) {
    struct place_choice *c = arena_alloc(p->arena, sizeof *c);
    c->set = arena_alloc(p->arena, sizeof *c->set);
    *c->set = (struct choice_set){.n = 0};
    c->reg = body_temporary(p, pos, type_int);
    int index = body_temporary(p, pos, type_int64);
    p->locals[c->reg].declared = p->locals[index].declared = true;
    return (struct place){.loc = -1, .pos = pos, .choice = c, .index = body_value(p, index, pos)};
}

void choice_clear(struct parser *p, const struct place *of, struct pos pos) {
    add_location(p, set_of(of->choice), NOWHERE, pos);
    body_set(p, of->choice->reg, expr_int(p, pos, NOWHERE), pos);
    body_set(p, of->index->index, expr_convert(p, expr_int(p, pos, 0), type_int64), pos);
}

/* What two places of one pointer cannot be. */
static bool check_alike(struct parser *p, const struct place *of, const struct place *from, struct pos pos) {
    const struct location *x = &p->test->locs[of->loc < 0 ? from->loc : of->loc],
                          *y = &p->test->locs[from->loc];
    bool alike = type_same(x->type, y->type) && (of->loc < 0 || of->vector.lanes == from->vector.lanes);
    if (from->rank || (of->loc >= 0 && of->rank))
        parse_error(p, pos, "not supported yet: a pointer that is chosen, into the memory of another block");
    else if (!alike)
        parse_error(p, pos, "a pointer leads to places of one type: '%s' is of type %s, and '%s' of type %s",
                    x->name, type_name(x->type), y->name, type_name(y->type));
    return !p->panic;
}

void choice_assign(struct parser *p, struct place *of, const struct place *from, struct pos pos) {
    struct choice_set *set = set_of(of->choice);
    if (from->loc < 0) choice_clear(p, of, pos);
    if (p->panic || from->loc < 0 || !check_alike(p, of, from, pos)) return;
    if (of->loc < 0) {
        of->loc = from->loc;
        of->vector = from->vector;
    }
    if (from->choice)
        join_sets(p, set, set_of(from->choice), pos);
    else
        add_location(p, set, from->loc, pos);
    struct expr *number = number_of(p, from, pos), *element = element_of(p, from, pos);
    body_set(p, of->index->index, expr_convert(p, element, type_int64), pos);
    body_set(p, of->choice->reg, number, pos);
}

void choice_step(const struct place *of) {
    set_of(of->choice)->moves = true;
}

/* As it is now, whatever happens to the pointer later. */
struct place_choice *choice_keep(struct parser *p, const struct place_choice *c, struct pos pos) {
    struct place_choice *kept = arena_alloc(p->arena, sizeof *kept);
    *kept = (struct place_choice){body_temporary(p, pos, type_int), c->set};
    p->locals[kept->reg].declared = true;
    body_set(p, kept->reg, body_value(p, c->reg, pos), pos);
    return kept;
}

struct place choice_copy(struct parser *p, const struct place *from, struct pos pos) {
    struct place chosen = choice_new(p, pos), place = *from;
    choice_assign(p, &chosen, from, pos);
    place.index = chosen.index;
    place.choice = chosen.choice;
    return place;
}

/* ---- nullptr ---- */

static bool is_word(const struct tree *n, const char *word) {
    return tree_is_word(n) && token_is_word(n->at, word);
}

void choice_agree(struct parser *p, const struct place *x, const struct place *y, struct pos pos) {
    if (x->order != y->order)
        parse_error(p, pos,
                    "not supported yet: a pointer that is volatile at times; an access for each is, as in "
                    "if (c) *p = 1; else *q = 1;");
}

bool choice_is_null(const struct tree *n) {
    n = tree_inside(n);
    return is_word(n, "nullptr") || is_word(n, "NULL");
}

struct expr *choice_is_some(struct parser *p, const struct place *place, struct pos pos) {
    if (!place->choice) return expr_int(p, pos, 1);
    return expr_new(p, EXPR_NE, pos, number_of(p, place, pos), expr_int(p, pos, NOWHERE));
}

struct expr *choice_is_same(struct parser *p, const struct place *x, const struct place *y, struct pos pos) {
    struct expr *same = expr_new(p, EXPR_EQ, pos, number_of(p, x, pos), number_of(p, y, pos)),
                *beside = expr_new(p, EXPR_EQ, pos, element_of(p, x, pos), element_of(p, y, pos));
    return expr_new(p, EXPR_LAND, pos, same, beside);
}

/* ---- accesses ---- */

/* The number of the place that is chosen, or -1. */
static int find_chosen(const struct op *op) {
    for (int k = 0; k < OP_PLACES; k++)
        if (op->place[k].choice) return k;
    return -1;
}

static void settle_list(struct parser *p, struct stmt *s);

/* Adds the operation at one of the locations. */
static void settle_at(struct parser *p, const struct stmt *s, int k, int loc, bool moves) {
    struct stmts old = stmts_capture(p);
    struct op op = loc == NOWHERE ? op_astray(s->pos) : *s->op;
    struct expr *index = s->op->place[k].index;
    bool outside = loc != NOWHERE && !p->test->locs[loc].array;
    if (loc != NOWHERE) {
        op.place[k].loc = loc;
        op.place[k].choice = NULL;
        op.place[k].index = outside ? NULL : index;
        if (!type_same(p->test->locs[loc].type, p->test->locs[s->op->place[k].loc].type))
            parse_error(p, s->pos, "not supported yet: this by a pointer that is chosen");
    }
    struct op *made = stmt_add_op(p, op);
    made->dst = op.dst;
    struct stmts there = stmts_restore(p, old);
    if (!outside || (index->kind == EXPR_REG && !moves)) {
        stmts_append(p, there);
        return;
    }
    struct stmts beside = stmts_op(p, op_astray(s->pos)); /* no element lies there */
    stmt_add_if(p, s->pos, expr_new(p, EXPR_EQ, s->pos, index, expr_int(p, s->pos, 0)), there, beside);
}

static void settle(struct parser *p, struct stmt *s, int k) {
    const struct place_choice *c = s->op->place[k].choice;
    const struct choice_set *set = set_of(c);
    struct stmt *next = s->next;
    struct stmts rest = {0};
    for (int m = set->n - 1; m >= 0 && !p->panic; m--) {
        struct stmts old = stmts_capture(p);
        settle_at(p, s, k, set->loc[m], set->moves);
        if (m < set->n - 1) {
            struct stmts here = stmts_capture(p);
            struct expr *is = expr_int(p, s->pos, set->loc[m]);
            is = expr_new(p, EXPR_EQ, s->pos, body_value(p, c->reg, s->pos), is);
            stmt_add_if(p, s->pos, is, here, rest);
        }
        rest = stmts_restore(p, old);
    }
    if (p->panic || !rest.first) return;
    *s = *rest.first; /* it is one statement */
    s->next = next;
    settle_list(p, s->kind == STMT_OP ? NULL : s->body);
    settle_list(p, s->kind == STMT_OP ? NULL : s->orelse);
}

static void settle_list(struct parser *p, struct stmt *s) {
    for (; s && !p->panic; s = s->next) {
        int k = s->kind == STMT_OP ? find_chosen(s->op) : -1;
        if (k >= 0) {
            settle(p, s, k);
            continue;
        }
        settle_list(p, s->body);
        settle_list(p, s->orelse);
        settle_list(p, s->step);
    }
}

void choice_settle(struct parser *p) {
    settle_list(p, p->out.first);
}
