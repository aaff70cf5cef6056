/* Declarations: registers, and other names of places and groups. What is declared follows from the value as well:
 *
 *   int a = 1, b[4];   int *p = &X;   int &r = X;   auto g = cg::this_thread_block();   auto f = cuda::atomic_ref<int>(X); */
#include "litmus/name.h"
#include "lower/pointer.h"

bool declaration_begins(const struct parser *p) {
    const struct token *t = p->tok;
    while (pointer_is_qualifier(t) || token_is_word(t, "constexpr"))
        t++;
    return !p->panic && (token_is_word(t, "auto") || parse_type_begins(p, t));
}

/* The type of all names of a declaration. */
struct declared {
    struct pointer_type type;
    const struct token *volatile_word; /* or NULL */
    bool constant;                     /* a register */
    bool pointers;                     /* the first name is a pointer's */
};

static struct declared read_type(struct parser *p) {
    struct declared d = {.constant = parse_at_word(p, "constexpr")};
    if (d.constant) parse_next(p);
    for (const struct token *t = p->tok; pointer_is_qualifier(t); t++)
        if (token_is_word(t, "volatile")) d.volatile_word = t;
    d.type = pointer_read_type(p);
    d.constant = d.constant || d.type.is_const;
    return d;
}

/* Whether `auto` makes a pointer, a group or an atomic_ref of a value, which then has that name. */
static bool declare_other(struct parser *p, const struct declared *d, const struct token *name,
                          const struct tree *value) {
    if (asm_window_declare(p, name, value)) return true;
    if (!d->type.automatic) return false;
    if (place_is_address(p, value)) {
        pointer_declare(p, d->type, name, value);
        return true;
    }
    return groups_declare_auto(p, name, value) || atomic_declare_auto(p, name, value);
}

static void set_value(struct parser *p, int reg, struct expr *value, bool constant, struct pos pos) {
    body_set(p, reg, value, pos);
    if (constant) body_keep_number(p, reg, value);
}

/* "= value" behind the name of a register, or of what the value is. */
static void read_value(struct parser *p, const struct declared *d, const struct token *name) {
    const struct tree *n = parse_tree_assigned(p);
    if (!p->panic && declare_other(p, d, name, n)) return;
    struct expr *value = d->type.automatic ? lower_value(p, n) : NULL;
    int reg = body_declare(p, name, value ? value->type : d->type.type);
    if (!value) value = lower_value(p, n);
    if (!p->panic) p->tok = n->end;
    set_value(p, reg, value, d->constant, name->pos);
    p->locals[reg].constant = d->constant;
}

/* A register, with its value in brackets or braces if it has any. */
static void read_plain(struct parser *p, const struct declared *d, const struct token *name) {
    const struct token *next = p->tok;
    if (d->type.automatic) parse_error(p, name->pos, "'auto' needs a value: auto %s = ...", name->text);
    int reg = body_declare(p, name, d->type.type);
    bool listed = next->kind == '{' || next->kind == '(' || next->kind == '=';
    parse_accept(p, '=');
    if (listed && !p->panic) set_value(p, reg, parse_initializer(p, d->type.type), d->constant, name->pos);
    p->locals[reg].constant = d->constant;
}

static void read_register(struct parser *p, const struct declared *d) {
    const struct token *name = p->tok;
    if (d->pointers) parse_error(p, name->pos, "a register is declared by itself, not beside pointers");
    if (!parse_expect(p, TOK_NAME, arena_printf(p->arena, "the name of a register%s", parse_hint(p)))) return;
    const struct token *next = p->tok;
    bool listed = next->kind == '=' && next[1].kind == '{';
    if (next->kind == '[' && !d->type.automatic) {
        registers_declare(p, name, d->type.type, d->constant);
    } else if (next->kind == '=' && (!listed || d->type.automatic)) {
        parse_next(p);
        read_value(p, d, name);
    } else {
        read_plain(p, d, name);
    }
}

/* *p = &X */
static void read_pointer(struct parser *p, struct declared *d) {
    struct pointer_type type = d->type;
    pointer_read_star(p, &type);
    d->pointers = true;
    const struct token *name = p->tok;
    if (!parse_expect(p, TOK_NAME, "the name of a pointer")) return;
    if (parse_peek(p) != '=')
        parse_error(
            p, name->pos, "a pointer is given its one place where it is declared, as in %s%s *%s = &X;",
            type.is_volatile ? "volatile " : "", type.automatic ? "auto" : type_name(type.type), name->text);
    parse_accept(p, '=');
    if (p->panic) return;
    const struct tree *n = parse_tree(p);
    pointer_declare(p, type, name, n);
}

/* &name = X, auto &&name = X; or a group, an atomic_ref */
static void read_reference(struct parser *p, const struct declared *d) {
    const struct token *sign = p->tok, *name = sign + 1;
    if (d->type.automatic && name[1].kind == '=') {
        p->tok = name + 2;
        const struct tree *n = parse_tree(p);
        if (p->panic || groups_declare_auto(p, name, n) || atomic_declare_auto(p, name, n)) return;
        p->tok = sign;
    }
    pointer_declare_alias(p, &d->type);
}

/* (&name)[4] */
static bool at_whole(const struct token *t) {
    return t->kind == '(' && t[1].kind == '&' && t[2].kind == TOK_NAME && t[3].kind == ')' &&
           t[4].kind == '[';
}

void declaration_parse(struct parser *p) {
    struct declared d = read_type(p);
    do {
        int next = parse_peek(p);
        if (d.volatile_word && next == TOK_NAME)
            parse_error(p, d.volatile_word->pos, "'volatile' is %s", name_refusal("volatile"));
        if (next == '*')
            read_pointer(p, &d);
        else if ((next == '&' || (next == TOK_LAND && d.type.automatic)) && p->tok[1].kind == TOK_NAME)
            read_reference(p, &d);
        else if (!p->panic && at_whole(p->tok))
            pointer_declare_whole(p, &d.type);
        else
            read_register(p, &d);
    } while (parse_accept(p, ','));
}
