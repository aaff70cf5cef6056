/* Assignments, and what else a statement does without a word of its own: calls, steps, loads for their own sake. */
#include <string.h>

#include "lower/lower.h"

/* ---- targets ---- */

static const struct {
    int token;
    enum expr_kind kind;
} compounds[] = {
    {TOK_ADD_SET, EXPR_ADD}, {TOK_SUB_SET, EXPR_SUB}, {TOK_MUL_SET, EXPR_MUL}, {TOK_DIV_SET, EXPR_DIV},
    {TOK_MOD_SET, EXPR_MOD}, {TOK_AND_SET, EXPR_AND}, {TOK_OR_SET, EXPR_OR},   {TOK_XOR_SET, EXPR_XOR},
    {TOK_SHL_SET, EXPR_SHL}, {TOK_SHR_SET, EXPR_SHR}, {TOK_INC, EXPR_ADD},     {TOK_DEC, EXPR_SUB},
};

const enum expr_kind *target_find_compound(int token) {
    for (size_t i = 0; i < sizeof compounds / sizeof *compounds; i++)
        if (compounds[i].token == token) return &compounds[i].kind;
    return NULL;
}

/* .x of a register that is a vector */
static bool find_target_lane(struct parser *p, const struct tree *n, struct assignment_target *target) {
    struct type type = p->body->regs[target->reg].type;
    target->lane = type_find_lane(type, n->at->text);
    if (target->lane >= 0) return true;
    if (!type_is_vector(type))
        parse_error(p, n->at[-1].pos, "only vectors have elements, and '%s' is of type %s", n->first->text,
                    type_name(type));
    else
        parse_error(p, n->at->pos, "%s has no '%s': its elements are %s", type_name(type), n->at->text,
                    type.lanes == 2 ? "x and y" : "x, y, z and w");
    return false;
}

/* A register, or an element of an array of them; -1, and an error: there is none. */
bool assign_is_register(const struct parser *p, const struct tree *n) {
    const struct token *t = n->first;
    return (tree_is_word(n) && body_find(p, t->text) >= 0) || (tree_root(n) && registers_find(p, t));
}

int assign_register(struct parser *p, const struct tree *n) {
    const struct token *t = n->first;
    bool word = tree_is_word(n);
    int reg = word ? body_find(p, t->text) : -1;
    if (tree_root(n) && registers_find(p, t)) return registers_element(p, n);
    if (reg >= 0) {
        body_check_alias(p, t);
        return reg;
    }
    bool number = word && (strcmp(t->text, "tid") == 0 || strcmp(t->text, "count") == 0);
    if ((number && !p->body->grid) || (tree_root(n) && grid_knows(p, t->text))) {
        parse_error(p, t->pos, "'%s' cannot be assigned", t->text);
    } else if (word && pointer_find(p, t->text)) {
        if (moving_is(n->end))
            moving_report(p, n->end, t->text);
        else
            lower_value(p, n); /* which it has not */
    } else if (tree_root(n) && n->kind != TREE_CALL) {
        p->tok = t + 1;
        body_report_undeclared(
            p, t, arena_printf(p->arena, "; declare it in 'memory', or as a register: int %s", t->text));
    } else {
        p->tok = t;
        parse_error(p, t->pos, "expected a register or a location to assign to%s", parse_hint(p));
    }
    return -1;
}

bool target_find(struct parser *p, const struct tree *n, struct assignment_target *target) {
    *target = (struct assignment_target){.reg = -1, .lane = -1, .place = {.loc = -1}};
    if (p->panic) return false;
    if (place_is(p, n)) {
        struct stmts old = stmts_capture(p);
        target->place = place_of(p, n);
        target->index = stmts_restore(p, old);
        return target->place.loc >= 0;
    }
    bool member = n->kind == TREE_MEMBER && !operand_is_library(p, n);
    target->reg = assign_register(p, member ? n->a : n);
    if (target->reg < 0) return false;
    body_check_constant(p, target->reg, n->first->pos);
    return !member || find_target_lane(p, n, target);
}

bool target_read(struct parser *p, struct assignment_target *target) {
    return target_find(p, parse_tree_operand(p), target);
}

struct type target_type(const struct parser *p, const struct assignment_target *target) {
    struct type type =
        target->reg >= 0 ? p->body->regs[target->reg].type : p->test->locs[target->place.loc].type;
    return target->lane >= 0 ? type_lane(type) : type;
}

struct expr *target_value(struct parser *p, const struct assignment_target *target, struct pos pos) {
    if (target->reg < 0) return access_load(p, target->place);
    struct expr *value = body_value(p, target->reg, pos);
    return target->lane >= 0 ? expr_lane(p, pos, value, target->lane) : value;
}

void target_set(struct parser *p, const struct assignment_target *target, struct expr *value,
                struct pos pos) {
    if (target->lane >= 0)
        value = expr_set_lane(p, pos, body_value(p, target->reg, pos), target->lane, value);
    if (target->reg < 0)
        access_store(p, target->place, value, target->place.pos);
    else
        body_set(p, target->reg, value, pos);
}

/* As in C++17 the right side comes first. */
void target_assign(struct parser *p, const struct assignment_target *target, const enum expr_kind *compound,
                   struct expr *value, struct pos pos) {
    if (target->reg < 0) stmts_append(p, target->index);
    if (compound) {
        struct expr *old = target_value(p, target, pos);
        bool divides = *compound == EXPR_DIV || *compound == EXPR_MOD;
        if (divides && expr_is_zero(value) && !value->type.real) parse_complain(p, pos, "division by zero");
        value = expr_new(p, *compound, pos, old, value);
    }
    target_set(p, target, value, pos);
}

/* ---- effects ---- */

/* x = e, x += e */
static void lower_set(struct parser *p, const struct tree *n) {
    struct assignment_target target;
    bool known = target_find(p, n->a, &target);
    struct expr *value = lower_value(p, n->b);
    if (known) target_assign(p, &target, target_find_compound(n->at->kind), value, n->first->pos);
}

/* x++, --x */
static void lower_step(struct parser *p, const struct tree *n) {
    struct assignment_target target;
    if (target_find(p, n->a, &target))
        target_assign(p, &target, target_find_compound(n->at->kind), expr_int(p, n->at->pos, 1), n->at->pos);
}

void assign_lower(struct parser *p, const struct tree *n) {
    struct expr *value = NULL;
    struct tree step = *n; /* which does the same before and behind */
    if (n->kind == TREE_STEP) step.kind = TREE_BEHIND;
    if (n->kind == TREE_BAD) parse_fault(p, n->fault);
    if (p->panic || moving_statement(p, n)) return;
    if (operand_runs(p, &step, &value)) {
        if (value) access_drop(p, value);
        return;
    }
    switch (n->kind) {
    case TREE_ASSIGN: lower_set(p, n); return;
    case TREE_STEP:
    case TREE_BEHIND: lower_step(p, n); return;
    default: break;
    }
    if (place_is(p, n)) { /* a load for its own sake */
        access_drop(p, access_load(p, place_of(p, n)));
        return;
    }
    struct assignment_target target;
    while (n->kind == TREE_BINARY || n->kind == TREE_CHOICE)
        n = n->a;
    if (place_is(p, n) || target_find(p, n, &target))
        parse_error(p, n->end[-1].after, "expected '=' and a value");
}
