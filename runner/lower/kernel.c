/* The head of a kernel, where a body is pasted with it:
 *
 *   template <typename T, int N = 4>
 *   extern "C" __global__ void __launch_bounds__(128) sum(const T *data, volatile int *flag, int n = 7) { ... }
 *
 * A parameter is a pointer to the location of that name, or a number whose value it says. */

#include "lower/pointer.h"

static bool is_specifier(const struct token *t) {
    return token_is_word(t, "static") || token_is_word(t, "extern") || token_is_word(t, "inline") ||
           token_is_word(t, "__global__") || t->kind == TOK_TEXT;
}

/* What is behind "template <...>". */
static const struct token *skip_template(const struct token *t) {
    if (!token_is_word(t, "template")) return t;
    while (t->kind != '>' && t->kind != TOK_END)
        t++;
    return t->kind == '>' ? t + 1 : t;
}

/* ---- templates ---- */

/* The location whose pointer among the parameters is of this type, `const T *data`; NULL: there is none. */
static const struct location *find_parameter(const struct parser *p, const char *type) {
    for (const struct token *t = skip_template(p->tok); t->kind != '{' && t->kind != TOK_END; t++) {
        if (!token_is_word(t, type)) continue;
        const struct token *name = t + 1;
        while (name->kind == '*' || (name->kind == TOK_NAME && name[1].kind != ',' && name[1].kind != ')'))
            name++;
        int loc = name->kind == TOK_NAME ? find_location(p->test, name->text) : -1;
        if (loc >= 0) return &p->test->locs[loc];
    }
    return NULL;
}

/* typename T, which is what its locations are; or typename T = int */
static void read_type_parameter(struct parser *p, const struct token *from) {
    const struct token *name = p->tok;
    bool constant = false;
    if (!parse_expect(p, TOK_NAME, "the name of a type")) return;
    struct parser whole = *p;
    whole.tok = from;
    const struct location *l = find_parameter(&whole, name->text);
    struct type type = l ? l->type : type_int;
    bool given = parse_accept(p, '=');
    if (given && !parse_type_begins(p, p->tok))
        parse_error(p, p->tok->pos, "expected the type of a register");
    if (!p->panic && given) type = parse_type(p, &constant);
    if (!l && !given)
        parse_complain(
            p, name->pos,
            "not supported yet: a type that no pointer to a location has; say which, as in typename "
            "%s = int",
            name->text);
    if (!p->panic) naming_type(p, name, l ? l->type : type);
}

static struct expr *read_value(struct parser *p) {
    const struct token *t = p->tok;
    bool truth = token_is_word(t, "true");
    struct expr *value = expr_int(p, t->pos, truth);
    if (truth || token_is_word(t, "false")) {
        parse_next(p);
    } else if (parse_expect(p, TOK_INT, "a number")) {
        value->type = t->type;
        value->value = t->value;
    }
    return value;
}

/* A number with its value, "int N = 4". */
static void read_number(struct parser *p) {
    bool constant = false;
    struct type type = parse_type(p, &constant);
    const struct token *name = p->tok;
    if (!parse_expect(p, TOK_NAME, "the name of a number")) return;
    struct expr *value = expr_int(p, name->pos, 0);
    if (!parse_accept(p, '='))
        parse_complain(p, name->pos, "'%s' has no value here: write it, as in %s %s = 4", name->text,
                       type_name(type), name->text);
    else
        value = read_value(p);
    if (!p->panic) naming_number(p, name, type, value);
}

static void read_template(struct parser *p) {
    const struct token *from = p->tok;
    if (!token_is_word(from, "template")) return;
    parse_next(p);
    parse_expect(p, '<', "'<'");
    do {
        if (token_is_word(p->tok, "typename") || token_is_word(p->tok, "class")) {
            parse_next(p);
            read_type_parameter(p, from);
        } else if (!p->panic && parse_type_begins(p, p->tok)) {
            read_number(p);
        } else {
            parse_error(p, p->tok->pos, "expected typename and a name, or a number");
        }
    } while (parse_accept(p, ','));
    parse_expect(p, '>', "'>'");
}

/* __launch_bounds__(threads, blocks a multiprocessor): no block may be larger. The rest is for the compiler. */
static void read_bounds(struct parser *p) {
    parse_next(p);
    parse_expect(p, '(', "'(' and the threads of a block");
    struct expr *bound = expr_scalar(p, parse_expression(p), "a bound");
    while (parse_accept(p, ','))
        parse_expression(p);
    parse_expect(p, ')', "')'");
    if (p->panic || !expr_is_known(bound)) return;
    long long most = expr_number(bound, &(struct expr_env){.block = 1});
    if (p->body->block > most)
        parse_complain(p, bound->pos, "a block of '%s' has %d threads, and this bound is %lld", p->body->name,
                       p->body->block, most);
}

static void read_parameters(struct parser *p) {
    if (parse_accept(p, ')')) return;
    do {
        if (!p->panic && pointer_skip_type(p, p->tok))
            pointer_parameter(p);
        else if (!p->panic && parse_type_begins(p, p->tok))
            read_number(p);
        else
            parse_error(
                p, p->tok->pos,
                "a parameter is a pointer to the location of that name, or a number with its value, as in "
                "int n = 4");
    } while (parse_accept(p, ','));
    parse_expect(p, ')', "')'");
}

void kernel_head(struct parser *p) {
    bool named = false;
    read_template(p);
    while (is_specifier(p->tok))
        parse_next(p);
    while (!p->panic && !named) {
        if (token_is_word(p->tok, "__launch_bounds__")) {
            read_bounds(p);
        } else if (token_is_word(p->tok, "void") && p->tok[1].kind == TOK_NAME) {
            parse_next(p);
        } else {
            parse_expect(p, TOK_NAME, "the name of the kernel");
            named = true;
        }
    }
    parse_expect(p, '(', "'(' and the parameters");
    read_parameters(p);
    if (!p->panic && p->tok->kind != '{') parse_error(p, p->tok->pos, "expected the kernel's body in braces");
}
