/* Values: what the operators of a tree compute. What an operand reads of memory becomes statements, left to right. */
#include <string.h>

#include "lower/calls.h"
#include "lower/pointer.h"

/* ---- operators ---- */

static struct expr *address_truth(struct parser *p, const struct tree *n) {
    struct pos pos = n->first->pos;
    const struct reference *ref = tree_is_word(n) ? pointer_find(p, n->at->text) : NULL;
    bool chosen = ref && ref->place.choice; /* it may lead nowhere yet */
    struct place place = chosen ? ref->place : place_address(p, n, place_usage);
    return p->panic ? expr_int(p, pos, 1) : choice_is_some(p, &place, pos);
}

struct expr *lower_truth(struct parser *p, const struct tree *n) {
    bool address = p->body && n->kind != TREE_BAD && !p->panic && place_is_address(p, n);
    return address ? address_truth(p, n) : expr_truth(p, lower_value(p, n));
}

/* The statements of a value that is needed only where another is true, or false. */
static struct stmts lower_guarded(struct parser *p, const struct tree *n, const struct expr *guard,
                                  bool holds, bool truth, struct expr **value) {
    struct stmts old = stmts_capture(p);
    guard_begin(p, guard, holds);
    *value = truth ? lower_truth(p, n) : lower_value(p, n);
    guard_end(p);
    return stmts_restore(p, old);
}

/* The same statements, behind which a register is set. */
static struct stmts set_behind(struct parser *p, struct stmts before, int reg, struct expr *value,
                               struct pos pos) {
    struct stmts old = stmts_capture(p);
    stmts_append(p, before);
    body_set(p, reg, value, pos);
    return stmts_restore(p, old);
}

/* a && b or a || b. When b touches memory: t = a != 0; if (t) { accesses of b; t = b != 0; } */
static struct expr *lower_logic(struct parser *p, const struct tree *n) {
    enum expr_kind kind = tree_operator(n->at->kind)->kind;
    struct pos pos = n->at->pos;
    struct expr *a = lower_truth(p, n->a), *b;
    struct stmts side = lower_guarded(p, n->b, a, kind == EXPR_LAND, true, &b);
    if (!side.first) return expr_new(p, kind, pos, a, b);

    int t = body_temporary(p, pos, type_int);
    struct expr *zero = expr_int(p, pos, 0);
    body_set(p, t, expr_new(p, EXPR_NE, pos, a, zero), pos);
    struct stmts then = set_behind(p, side, t, expr_new(p, EXPR_NE, pos, b, zero), pos);
    struct expr *value = body_value(p, t, pos);
    if (kind == EXPR_LOR) value = expr_new(p, EXPR_NOT, pos, value, NULL);
    stmt_add_if(p, pos, value, then, (struct stmts){0});
    return body_value(p, t, pos);
}

/* a ? b : c. When b or c touch memory: if (a) { t = b; } else { t = c; } */
static struct expr *lower_choice(struct parser *p, const struct tree *n) {
    struct pos pos = n->at->pos;
    struct expr *a = lower_truth(p, n->a), *b, *c;
    struct stmts then = lower_guarded(p, n->b, a, true, false, &b),
                 orelse = lower_guarded(p, n->c, a, false, false, &c);
    struct expr *e = expr_choice(p, pos, a, b, c);
    if (!then.first && !orelse.first) return e;
    int t = body_temporary(p, pos, e->type);
    then = set_behind(p, then, t, b, pos);
    orelse = set_behind(p, orelse, t, c, pos);
    stmt_add_if(p, pos, e->a, then, orelse);
    return body_value(p, t, pos);
}

/* p == q, p != nullptr */
static bool compares_addresses(const struct parser *p, const struct tree *n, enum expr_kind kind) {
    if (!p->body || (kind != EXPR_EQ && kind != EXPR_NE)) return false;
    bool a = place_leads(p, n->a), b = place_leads(p, n->b);
    return (a && b) || (a && choice_is_null(n->b)) || (b && choice_is_null(n->a));
}

/* Whether two places are of locations whose bytes others have, too: then an address has several names. */
static bool is_shared(const struct parser *p, const struct place *place) {
    const struct location *l = &p->test->locs[place->loc];
    return l->view || place->rank || place->vector.lanes;
}

static struct expr *compare_addresses(struct parser *p, const struct tree *n) {
    struct pos pos = n->at->pos;
    bool equal = n->at->kind == TOK_EQ;
    const struct tree *null = choice_is_null(n->a) ? n->a : choice_is_null(n->b) ? n->b : NULL;
    if (null) {
        struct expr *truth = address_truth(p, null == n->a ? n->b : n->a);
        return equal ? expr_new(p, EXPR_NOT, pos, truth, NULL) : truth;
    }
    struct place x = place_address(p, n->a, place_usage), y = place_address(p, n->b, place_usage);
    if (p->panic || x.loc < 0 || y.loc < 0) return expr_int(p, pos, 0);
    if (is_shared(p, &x) || is_shared(p, &y))
        parse_error(p, pos,
                    "not supported yet: a comparison of addresses of views, of vectors or of another block");
    struct expr *same = choice_is_same(p, &x, &y, pos);
    return equal ? same : expr_new(p, EXPR_NOT, pos, same, NULL);
}

static struct expr *lower_binary(struct parser *p, const struct tree *n) {
    enum expr_kind kind = tree_operator(n->at->kind)->kind;
    if (kind == EXPR_LAND || kind == EXPR_LOR) return lower_logic(p, n);
    if (compares_addresses(p, n, kind)) return compare_addresses(p, n);
    struct expr *a = lower_value(p, n->a), *b = lower_value(p, n->b);
    bool divides = kind == EXPR_DIV || kind == EXPR_MOD;
    if (divides && expr_is_zero(b) && !b->type.real) parse_complain(p, n->at->pos, "division by zero");
    return expr_new(p, kind, n->at->pos, a, b);
}

static struct expr *lower_unary(struct parser *p, const struct tree *n) {
    struct expr *e = n->at->kind == '!' ? lower_truth(p, n->a) : lower_value(p, n->a);
    switch (n->at->kind) {
    case '-': return expr_new(p, EXPR_NEG, n->at->pos, e, NULL);
    case '!': return expr_new(p, EXPR_NOT, n->at->pos, e, NULL);
    case '~': return expr_new(p, EXPR_COMPL, n->at->pos, e, NULL);
    }
    return expr_scalar(p, e, "'+'");
}

/* (type)a */
static struct expr *lower_cast(struct parser *p, const struct tree *n) {
    struct type type = lower_type(p, n->b);
    if (p->panic) return expr_int(p, n->first->pos, 0);
    struct expr *e = expr_cast(p, lower_value(p, n->a), type);
    if (n->first->kind == '(') e->pos = n->first->pos;
    return e;
}

/* __builtin_bit_cast(type, a) */
static struct expr *lower_bits(struct parser *p, const struct tree *n) {
    struct type type = lower_type(p, n->b);
    return bits_as(p, n->first->pos, lower_value(p, n->a), type);
}

/* *(type *)&r */
static struct expr *lower_pun(struct parser *p, const struct tree *n) {
    struct pun pun;
    struct pos pos = n->first->pos;
    if (!pun_find(p, n, &pun)) return expr_int(p, pos, 0);
    for (int k = 0; k < pun.nregs; k++)
        body_read(p, pun.regs[k], pos);
    return pun_value(p, &pun, pos);
}

/* .x behind a vector that is no place */
static struct expr *lower_lane(struct parser *p, const struct tree *n) {
    struct expr *e = lower_value(p, n->a);
    const struct token *name = n->at;
    int lane = type_find_lane(e->type, name->text);
    if (lane >= 0) return expr_lane(p, name->pos, e, lane);
    if (p->panic) return e;
    if (!type_is_vector(e->type))
        parse_complain(p, name[-1].pos, "'.%s' is for vectors: this is of type %s", name->text,
                       type_name(e->type));
    else
        parse_complain(p, name->pos, "%s has no '%s': its elements are %s", type_name(e->type), name->text,
                       e->type.lanes == 2 ? "x and y" : "x, y, z and w");
    p->panic = p->body;
    return expr_int(p, name->pos, 0);
}

static struct expr *lower_number(struct parser *p, const struct tree *n) {
    const struct token *t = n->at;
    if (!p->body || t->type.bits <= 64) return expr_of_value(p, t->pos, t->type, t->value);
    parse_complain(p, t->pos, "%s does not fit into 64 bits", t->text);
    return expr_int(p, t->pos, 0);
}

/* ---- assignments ---- */

/* ++r, ++X; r++, X++: the value is that behind the step or before it. */
static struct expr *lower_step(struct parser *p, const struct tree *n) {
    struct assignment_target target;
    const struct token *sign = n->at;
    bool before = n->kind == TREE_BEHIND;
    if (!p->body)
        parse_error(p, sign->pos, "'%s' is for a register, a location or an atomic_ref", sign->text);
    if (p->panic || !target_find(p, n->a, &target)) return expr_int(p, sign->pos, 0);
    if (target.reg < 0) stmts_append(p, target.index);
    struct expr *old = target_value(p, &target, n->a->first->pos);
    if (target.reg >= 0) body_read(p, target.reg, sign->pos);
    struct expr *next =
        expr_new(p, tree_operator(sign->kind)->kind, sign->pos, old, expr_int(p, sign->pos, 1));
    if (target.reg < 0) {
        access_store(p, target.place, next, sign->pos);
        return before ? old : expr_cast(p, next, old->type);
    }
    if (before) old = body_hold(p, old, n->a->first->pos);
    target_set(p, &target, next, sign->pos);
    return before ? old : target_value(p, &target, n->a->first->pos);
}

/* target = value, or with `compound` target op= value. As in C++17 the right side comes first. */
static void assign_target(struct parser *p, const struct assignment_target *target,
                          const struct tree_operator *compound, struct expr *value, struct pos pos) {
    if (target->reg < 0) stmts_append(p, target->index);
    if (compound) {
        struct expr *old = target_value(p, target, pos);
        bool divides = compound->kind == EXPR_DIV || compound->kind == EXPR_MOD;
        if (divides && expr_is_zero(value) && !value->type.real) parse_complain(p, pos, "division by zero");
        value = expr_new(p, compound->kind, pos, old, value);
    }
    target_set(p, target, value, pos);
}

/* x = a, x += a; and the new value where that is wanted, of a register. Of {1, 2}, a value of the target's type is assigned. */
static struct expr *lower_assignment(struct parser *p, const struct tree *n, bool wanted) {
    struct assignment_target target;
    struct pos pos = n->first->pos;
    bool known = target_find(p, n->a, &target), bare = n->b->kind == TREE_BRACES && !n->b->a;
    struct expr *value =
        bare && known ? lower_initial(p, n->b->b, target_type(p, &target)) : lower_value(p, n->b);
    if (known && wanted && target.reg < 0)
        parse_error(p, n->at->pos, "only a register can be assigned inside an expression");
    if (!known || p->panic) return value;
    assign_target(p, &target, tree_operator(n->at->kind), value, pos);
    if (!wanted) return value;
    body_read(p, target.reg, pos);
    return target_value(p, &target, pos);
}

/* ---- values ---- */

/* Reports an address where a value is due. */
static struct expr *report_address(struct parser *p, const struct tree *n) {
    const struct token *t = n->first;
    const struct tree *name = n->kind == TREE_BEHIND ? n->a : n;
    if (tree_is_word(name) && n != name)
        moving_report(p, n->at, t->text);
    else if (tree_is_word(name))
        parse_error(p, t->pos, "'%s' is a pointer, which has no value in a test: what it points to is *%s",
                    t->text, t->text);
    else if (n->kind == TREE_POINTER)
        parse_error(p, t->pos, "a pointer has no value in a test: what it points to is *(...)");
    else if (n->kind == TREE_ADDRESS)
        parse_error(p, t->pos, "expected a value, not '&'; a pointer has no value in a test");
    else
        parse_error(p, t->pos, "a pointer has no value in a test: write * before it");
    return expr_int(p, t->pos, 0);
}

struct expr *lower_value(struct parser *p, const struct tree *n) {
    if (n->kind == TREE_BAD) parse_fault(p, n->fault);
    if (p->panic) return expr_int(p, n->first->pos, 0);
    struct expr *operand = !p->body && tree_is_place(n) ? p->operand(p, n) : NULL;
    if (operand) return operand;
    if (p->body && pun_is(p, n)) return lower_pun(p, n);
    if (p->body && place_is(p, n)) return access_load(p, place_of(p, n));
    if (p->body && place_is_address(p, n)) return report_address(p, n);
    switch (n->kind) {
    case TREE_NUMBER: return lower_number(p, n);
    case TREE_NAMED:
        parse_error(p, n->first->pos, "'.%s' gives a member of a struct or of a vector its value",
                    n->at->text);
        return expr_int(p, n->first->pos, 0);
    case TREE_TEXT:
        parse_error(p, n->first->pos, "expected a value, not '%s': text in quotes has no meaning here",
                    n->first->text);
        return expr_int(p, n->first->pos, 0);
    case TREE_GROUPED: return lower_value(p, n->a);
    case TREE_UNARY: return lower_unary(p, n);
    case TREE_BINARY: return lower_binary(p, n);
    case TREE_CHOICE: return lower_choice(p, n);
    case TREE_CAST: return lower_cast(p, n);
    case TREE_BITS: return lower_bits(p, n);
    case TREE_ASSIGN: return lower_assignment(p, n, true);
    case TREE_STEP:
    case TREE_BEHIND: return p->body && operand_is_library(p, n) ? operand_value(p, n) : lower_step(p, n);
    case TREE_MEMBER: return p->body && operand_is_library(p, n) ? operand_value(p, n) : lower_lane(p, n);
    default: return operand_value(p, n);
    }
}

struct expr *parse_expression(struct parser *p) {
    return lower_value(p, parse_tree(p));
}

/* ---- targets ---- */

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
    if ((number && !p->body->grid) || operand_is_library(p, n)) {
        parse_error(p, t->pos, "'%s' cannot be assigned", t->text);
    } else if (word && pointer_find(p, t->text)) {
        if (moving_is(n->end))
            moving_report(p, n->end, t->text);
        else
            lower_value(p, n); /* which it has not */
    } else if (tree_root(n) && n->kind != TREE_CALL) {
        body_report_undeclared(p, t);
    } else {
        const char *found =
            n->kind == TREE_NUMBER ? arena_printf(p->arena, ", not the number %s", t->text) : "";
        parse_error(p, t->pos, "expected a register or a location to assign to%s%s", found, syntax_hint(t));
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
    bool bits = pun_is(p, n), member = !bits && n->kind == TREE_MEMBER && !operand_is_library(p, n);
    if (bits) target->pun = arena_alloc(p->arena, sizeof *target->pun);
    if (bits && !pun_find(p, n, target->pun)) return false;
    target->reg = bits ? target->pun->reg : assign_register(p, member ? n->a : n);
    if (target->reg < 0) return false;
    body_check_constant(p, target->reg, n->first->pos);
    return !member || find_target_lane(p, n, target);
}

struct type target_type(const struct parser *p, const struct assignment_target *target) {
    struct type type = target->reg >= 0 ? p->body->regs[target->reg].type : access_type_at(p, &target->place);
    if (target->pun) return target->pun->type;
    return target->lane >= 0 ? type_lane(type) : type;
}

struct expr *target_value(struct parser *p, const struct assignment_target *target, struct pos pos) {
    if (target->reg < 0) return access_load(p, target->place);
    if (target->pun) return pun_value(p, target->pun, pos);
    struct expr *value = body_value(p, target->reg, pos);
    return target->lane >= 0 ? expr_lane(p, pos, value, target->lane) : value;
}

void target_set(struct parser *p, const struct assignment_target *target, struct expr *value,
                struct pos pos) {
    if (target->lane >= 0)
        value = expr_set_lane(p, pos, body_value(p, target->reg, pos), target->lane, value);
    if (target->reg < 0)
        access_store(p, target->place, value, target->place.pos);
    else if (target->pun)
        pun_set(p, target->pun, value, pos);
    else
        body_set(p, target->reg, value, pos);
}

/* ---- effects ---- */

void assign_lower(struct parser *p, const struct tree *n) {
    struct expr *value = NULL;
    struct assignment_target target;
    struct tree step = *n; /* which does the same before and behind */
    if (n->kind == TREE_STEP) step.kind = TREE_BEHIND;
    if (n->kind == TREE_BAD) parse_fault(p, n->fault);
    if (p->panic || moving_statement(p, n)) return;
    if (operand_runs(p, &step, &value)) {
        if (value) access_drop(p, value);
        return;
    }
    switch (n->kind) {
    case TREE_ASSIGN: lower_assignment(p, n, false); return;
    case TREE_STEP:
    case TREE_BEHIND:
        if (target_find(p, n->a, &target))
            assign_target(p, &target, tree_operator(n->at->kind), expr_int(p, n->at->pos, 1), n->at->pos);
        return;
    default: break;
    }
    if (place_is(p, n)) { /* a load for its own sake */
        access_drop(p, access_load(p, place_of(p, n)));
        return;
    }
    while (n->kind == TREE_BINARY || n->kind == TREE_CHOICE)
        n = n->a;
    if (place_is(p, n) || target_find(p, n, &target))
        parse_error(p, n->end[-1].after, "%s",
                    n->end->kind == TOK_EQ ? "'==' is a comparison; an assignment is '='"
                                           : "expected '=' and a value");
}
