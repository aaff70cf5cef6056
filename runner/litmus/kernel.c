/* The head of a kernel, where a body is pasted with it:
 *
 *   extern "C" __global__ void __launch_bounds__(128) sum(const int *data, volatile int *flag) { ... }
 *
 * A parameter is a pointer to the location of that name. */
#include <string.h>

#include "litmus/parse.h"

static bool is_word(const struct token *t, const char *word) {
    return t->kind == TOK_NAME && strcmp(t->text, word) == 0;
}

static bool is_specifier(const struct token *t) {
    return is_word(t, "static") || is_word(t, "extern") || is_word(t, "inline") || is_word(t, "__global__") ||
           t->kind == TOK_TEXT;
}

bool kernel_begins(const struct parser *p) {
    bool global = false;
    for (const struct token *t = p->tok; is_specifier(t); t++)
        global = global || is_word(t, "__global__");
    return global;
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
        if (pointer_begins(p))
            pointer_parameter(p);
        else
            parse_error(p, p->tok->pos,
                        "a parameter is a pointer to the location of that name; for a number, write the "
                        "number itself");
    } while (parse_accept(p, ','));
    parse_expect(p, ')', "')'");
}

void kernel_head(struct parser *p) {
    bool named = false;
    while (is_specifier(p->tok))
        parse_next(p);
    while (!p->panic && !named) {
        if (is_word(p->tok, "__launch_bounds__")) {
            read_bounds(p);
        } else if (is_word(p->tok, "void") && p->tok[1].kind == TOK_NAME) {
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
