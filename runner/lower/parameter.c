/* Parameters that are pointers or references: of a kernel, and of a function before it. */
#include "lower/pointer.h"

void pointer_parameter(struct parser *p) {
    struct pointer_type type = pointer_read_type(p);
    pointer_read_star(p, &type);
    const struct token *name = p->tok;
    if (!parse_expect(p, TOK_NAME, "the name of a location")) return;
    int loc = find_location(p->test, name->text);
    if (loc < 0)
        parse_error(p, name->pos,
                    "a parameter is a pointer to the location of that name, and there is no '%s'",
                    name->text);
    if (p->panic) return;
    struct place place = {.loc = loc, .pos = name->pos};
    if (p->test->locs[loc].array) place.index = expr_int(p, name->pos, 0);
    struct reference ref = {.name = name->text, .pos = name->pos, .is_pointer = true};
    bool integers = !type.type.real && !p->test->locs[loc].type.real;
    ref.place = integers ? pointer_cast_place(p, place, &type, name->pos)
                         : pointer_seen_as(p, place, &type, name->pos);
    pointer_restrict(p, &type, loc, name->pos);
    if (!p->panic && ref.place.loc >= 0 && !type.is_fixed) moving_begin(p, &ref, name);
    reference_add(p, &ref);
}

/* Whether the argument at `at` is a place. */
static bool is_place(struct parser *p, const struct token *at) {
    const struct token *parameter = p->tok;
    p->tok = at;
    bool place = place_is(p, parse_tree(p));
    p->tok = parameter;
    return place;
}

bool pointer_begins_parameter(struct parser *p, const struct token *at) {
    const struct token *t = p->tok;
    if (p->panic || pointer_skip_type(p, t)) return !p->panic;
    bool constant = false;
    for (; pointer_is_qualifier(t); t++)
        constant = constant || token_is_word(t, "const");
    if (!parse_type_begins(p, t)) return false;
    for (t++; t->kind == TOK_NAME && (pointer_is_qualifier(t) || type_is_word(t->text)); t++)
        constant = constant || token_is_word(t, "const");
    return t->kind == '&' && (!constant || is_place(p, at));
}

struct reference pointer_argument(struct parser *p, const struct token *at, const struct token **name,
                                  int *reg, bool *constant) {
    struct pointer_type type = pointer_read_type(p);
    bool refers = parse_accept(p, '&');
    if (!refers) pointer_read_star(p, &type);
    *name = p->tok;
    struct reference ref = {.name = p->tok->text, .pos = p->tok->pos, .is_pointer = true, .is_alias = refers};
    bool named = parse_expect(p, TOK_NAME, "the name of a parameter");
    p->tok = at;
    *constant = type.is_const;
    *reg = named && refers ? pointer_register(p, &type) : -1;
    if (!named || *reg >= 0 || p->panic) return ref;
    ref.place = refers ? place_read(p, "X or a[i]") : place_read_address(p, place_usage);
    ref.place = pointer_seen_as(p, ref.place, &type, at->pos);
    if (p->panic || ref.place.loc < 0) return ref;
    ref.of_location = find_location(p->test, ref.name) == ref.place.loc;
    pointer_restrict(p, &type, ref.place.loc, at->pos);
    if (!refers && !type.is_fixed) moving_begin(p, &ref, *name);
    return ref;
}
