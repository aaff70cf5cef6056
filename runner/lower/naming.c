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

static struct type read_type(struct parser *p) {
    bool constant = false;
    if (!p->panic && !parse_type_begins(p, p->tok))
        parse_error(p, p->tok->pos, "expected the type of a register");
    return p->panic ? type_int : parse_type(p, &constant);
}

static bool read_name(struct parser *p);

/* T = int, or the name of something in a namespace */
static void read_using(struct parser *p) {
    const struct token *name = p->tok;
    if (!parse_expect(p, TOK_NAME, "a name, or 'namespace'")) return;
    if (read_name(p)) return;
    parse_expect(p, '=', "'=' and a type");
    if (p->panic) return;
    const struct tree *type = parse_tree_type(p);
    if (arrival_is_type(p, type))
        arrival_name_type(p, type, name);
    else if (type->a || type->at->kind != TOK_NAME)
        parse_error(p, type->at->pos, "expected the type of a register");
    else
        naming_type(p, name, lower_type(p, type));
}

static void read_typedef(struct parser *p) {
    struct type type = read_type(p);
    const struct token *name = p->tok;
    if (parse_expect(p, TOK_NAME, "a name")) naming_type(p, name, type);
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
static struct expr *read_constant(struct parser *p, struct type type, struct expr *before) {
    const struct token *name = p->tok;
    struct pos pos = name->pos;
    if (!parse_expect(p, TOK_NAME, "the name of a number")) return before;
    struct expr *one = expr_int(p, pos, 1),
                *value = before ? expr_new(p, EXPR_ADD, pos, before, one) : expr_int(p, pos, 0);
    if (parse_accept(p, '=')) value = parse_expression(p);
    if (p->panic) return before;
    return body_value(p, naming_number(p, name, type, value), pos);
}

/* enum State : unsigned { ... } */
static void read_enum(struct parser *p) {
    struct type type = type_int;
    struct expr *last = NULL;
    if (token_is_word(p->tok, "class") || token_is_word(p->tok, "struct"))
        parse_error(p, p->tok->pos, "'enum %s' is not supported yet; an enum without it is", p->tok->text);
    const struct token *name = p->tok;
    bool named = !p->panic && parse_accept(p, TOK_NAME);
    if (parse_accept(p, ':')) type = read_type(p);
    if (named) naming_type(p, name, type);
    parse_expect(p, '{', "'{' and names of numbers");
    while (!p->panic && p->tok->kind != '}') {
        last = read_constant(p, type, last);
        if (!parse_accept(p, ',')) break;
    }
    parse_expect(p, '}', "'}'");
}

/* ---- namespaces ---- */

/* cooperative_groups, from behind `using namespace` */
static void read_space(struct parser *p) {
    const struct token *name = p->tok;
    if (!parse_expect(p, TOK_NAME, "a namespace")) return;
    while (p->tok->kind == ':' && p->tok[1].kind == ':' && p->tok[2].kind == TOK_NAME)
        p->tok += 3;
    bool whole = p->tok == name + 1, std = !whole && strcmp(p->tok[-1].text, "std") == 0;
    const struct name_space *space = spaces_find(whole ? name->text : std ? "std" : "");
    if (!space)
        parse_error(p, name->pos,
                    "'using namespace' is not supported yet of any but cooperative_groups, cuda and std");
}

/* cuda::atomic_ref, from behind `using` and the first name, and std::uint32_t, which is a type's name without std:: as
 * well. False where no such name stands there. */
static bool read_name(struct parser *p) {
    const struct token *first = p->tok - 1, *name = first;
    while (name[1].kind == ':' && name[2].kind == ':' && name[3].kind == TOK_NAME)
        name += 3;
    struct type type;
    bool of_type = name == first && p->tok->kind == ';' && type_find(name->text, &type);
    if (of_type || name == first || p->panic) return of_type;
    const struct name_space *space = spaces_find(name[-3].text);
    p->tok = name + 1;
    if (!space || !spaces_has(space, name))
        parse_error(p, name->pos, "'using' of this name is not supported yet: '%s::%s'", name[-3].text,
                    name->text);
    return true;
}

/* ---- statements ---- */

void naming_statement(struct parser *p) {
    const struct token *t = parse_next(p);
    if (token_is_word(t, "namespace")) {
        groups_name_space(p);
        return;
    }
    if (token_is_word(t, "enum")) {
        read_enum(p);
    } else if (token_is_word(t, "typedef")) {
        read_typedef(p);
    } else if (token_is_word(p->tok, "namespace")) {
        parse_next(p);
        read_space(p);
    } else {
        read_using(p);
    }
    parse_expect(p, ';', "';'");
}
