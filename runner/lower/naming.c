/* Names that a body gives to types, numbers and namespaces:
 *
 *   using T = int;  typedef int T;  enum { EMPTY, FULL = 5 };  using namespace cooperative_groups; */
#include <string.h>

#include "litmus/name.h"
#include "lower/lower.h"
#include "syntax/spaces.h"

/* ---- types ---- */

void naming_type(struct parser *p, const struct token *name, struct type type) {
    struct type known;
    const char *problem = name_problem(name->text);
    if (p->panic) return;
    if (type_of_name(p, name->text, &known)) {
        if (!type_same(known, type))
            parse_complain(p, name->pos, "'%s' is a name of type %s already", name->text, type_name(known));
        return;
    }
    if (problem)
        parse_complain(p, name->pos, "'%s' %s", name->text, problem);
    else if (find_location(p->test, name->text) >= 0)
        parse_complain(p, name->pos, "type '%s' hides the location of that name", name->text);
    else if (p->naliases == MAX_ALIASES)
        parse_error(p, name->pos, "a thread names at most %d types", MAX_ALIASES);
    else
        p->aliases[p->naliases++] = (struct type_alias){name->text, type};
}

/* using T = int; typedef int T; */
static void lower_alias(struct parser *p, const struct tree *n) {
    const struct tree *type = n->a;
    if (n->fault) parse_fault(p, n->fault);
    if (p->panic) return;
    if (arrival_is_type(p, type))
        arrival_name_type(p, type, n->at);
    else if (type->a || type->at->kind != TOK_NAME)
        parse_error(p, type->at->pos, "expected the type of a register");
    else
        naming_type(p, n->at, lower_type(p, type));
}

/* ---- numbers ---- */

int naming_number(struct parser *p, const struct token *name, struct type type, struct expr *value) {
    int reg = body_declare(p, name, type);
    body_set(p, reg, expr_convert(p, value, type), name->pos);
    body_keep_number(p, reg, value);
    p->locals[reg].constant = true;
    return reg;
}

/* EMPTY, or FULL = 5; each without a number is one more than that before it. */
static struct expr *lower_constant(struct parser *p, const struct tree *n, struct type type,
                                   struct expr *before) {
    struct pos pos = n->at->pos;
    if (n->at->kind != TOK_NAME) parse_fault(p, n->fault);
    if (p->panic) return before;
    struct expr *one = expr_int(p, pos, 1),
                *value = before ? expr_new(p, EXPR_ADD, pos, before, one) : expr_int(p, pos, 0);
    if (n->b) value = lower_value(p, n->b);
    if (p->panic) body_refuse(p, n->at);
    return p->panic ? before : body_value(p, naming_number(p, n->at, type, value), pos);
}

/* enum State : unsigned { ... } */
static void lower_enum(struct parser *p, const struct tree *n) {
    struct type type = n->a && !n->a->fault ? lower_type(p, n->a) : type_int;
    struct expr *last = NULL;
    if (n->at->kind == TOK_NAME && !p->panic && (n->b || !n->fault)) naming_type(p, n->at, type);
    for (const struct tree *k = n->b; k; k = k->next)
        if (p->panic)
            body_refuse(p, k->at);
        else
            last = lower_constant(p, k, type, last);
}

/* ---- namespaces ---- */

static void lower_using(struct parser *p, const struct tree *n) {
    const struct tree *path = n->a;
    if (n->fault) parse_fault(p, n->fault);
    if (p->panic) return;
    const struct token *last = path->at;
    bool whole = n->flags, single = last == path->first;
    const char *name = single || token_is_word(last, "std") ? last->text : "";
    if (whole && !spaces_find(name))
        parse_error(p, path->first->pos,
                    "'using namespace' is not supported yet of any but cooperative_groups, cuda and std");
    if (whole || single) return;
    const struct name_space *space = spaces_find(last[-3].text);
    if (!space || !spaces_has(space, last))
        parse_error(p, last->pos, "'using' of this name is not supported yet: '%s::%s'", last[-3].text,
                    last->text);
}

void naming_lower(struct parser *p, const struct tree *n) {
    if (n->kind == TREE_ALIAS)
        lower_alias(p, n);
    else if (n->kind == TREE_ENUM)
        lower_enum(p, n);
    else if (n->kind == TREE_SPACE)
        groups_name_space(p, n);
    else
        lower_using(p, n);
}
