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

struct reference pointer_argument(struct parser *p, const struct tree *parameter, const struct tree *given,
                                  int *reg, bool *constant) {
    const struct tree *n = parameter->b;
    struct pointer_type type = pointer_type(p, parameter->a, n);
    bool refers = !(n->flags & DECLARES_POINTER);
    struct reference ref = {.name = n->at->text, .pos = n->at->pos, .is_pointer = true, .is_alias = refers};
    *constant = type.is_const;
    *reg = refers && !p->panic ? pointer_register(p, &type, given) : -1;
    if (*reg >= 0 || p->panic) return ref;
    ref.place = refers ? place_argument(p, given, "X or a[i]") : place_address(p, given, place_usage);
    ref.place = pointer_seen_as(p, ref.place, &type, given->first->pos);
    if (p->panic || ref.place.loc < 0) return ref;
    ref.of_location = find_location(p->test, ref.name) == ref.place.loc;
    pointer_restrict(p, &type, ref.place.loc, given->first->pos);
    if (!refers && !type.is_fixed) moving_begin(p, &ref, n->at);
    return ref;
}
