/* What of a tree is in memory: places, X, a[i], *p, v.x; and addresses, which lead to places: &X, a, p, a + i. */
#include <string.h>

#include "litmus/name.h"
#include "litmus/view.h"
#include "lower/pointer.h"

/* ---- what it is ---- */

static const struct reference *named_pointer(const struct parser *p, const struct tree *n) {
    return tree_is_word(n) ? pointer_find(p, n->at->text) : NULL;
}

/* The location that a word names; -1: none, or a register or a pointer hides it. */
static int find_named(const struct parser *p, const struct tree *n) {
    if (!tree_is_word(n) || body_find(p, n->at->text) >= 0 || named_pointer(p, n)) return -1;
    return find_location(p->test, n->at->text);
}

/* The same, unless the body says that it is a cuda::atomic or a cuda::barrier, which is used by their members. */
static int named_location(const struct parser *p, const struct tree *n) {
    const struct reference *ref = tree_is_word(n) ? reference_find(p, n->at->text) : NULL;
    return ref ? -1 : find_named(p, n);
}

/* An array without an index, which is the address of its first element. */
static bool is_array(const struct parser *p, const struct tree *n) {
    int loc = named_location(p, n);
    return loc >= 0 && p->test->locs[loc].array;
}

/* The location that an index is of, with all indices behind its name, a[i][j]; how many they are, 0: of none. */
static int indices_of(const struct parser *p, const struct tree *n, int *loc) {
    int k = 0;
    for (; n->kind == TREE_INDEX; n = n->a)
        k++;
    *loc = k ? named_location(p, n) : -1;
    return *loc >= 0 ? k : 0;
}

static int dimensions_of(const struct location *l) {
    return 1 + (l->inner[0] > 0) + (l->inner[1] > 0);
}

/* A row of an array with several dimensions, a[i], which is the address of its first element. */
static bool is_row(const struct parser *p, const struct tree *n) {
    int loc, k = indices_of(p, n, &loc);
    return k && k < dimensions_of(&p->test->locs[loc]);
}

/* The library whose call gives the address of a place, or NULL. */
static const struct library *find_leading(const struct parser *p, const struct tree *n) {
    const struct library *l = n->kind == TREE_CALL ? p->libraries : NULL;
    while (l && l->name && !(l->leads && l->leads(p, n)))
        l++;
    return l && l->name ? l : NULL;
}

bool place_leads(const struct parser *p, const struct tree *n) {
    return place_is_address(p, n) || is_array(p, tree_inside(n));
}

bool place_is_address(const struct parser *p, const struct tree *n) {
    const struct reference *ref = named_pointer(p, n);
    bool adds = n->kind == TREE_BINARY && (n->at->kind == '+' || n->at->kind == '-');
    if (ref) return !ref->is_alias;
    if (n->kind == TREE_GROUPED || n->kind == TREE_STEP || n->kind == TREE_BEHIND)
        return place_is_address(p, n->a);
    if (n->kind == TREE_CHOICE) return place_leads(p, n->b) && place_leads(p, n->c);
    if (pointers_are_indexed(p, n)) return true;
    return n->kind == TREE_ADDRESS || n->kind == TREE_POINTER || find_leading(p, n) || is_row(p, n) ||
           (adds && (place_is_address(p, n->a) || is_array(p, tree_inside(n->a))));
}

bool place_is(const struct parser *p, const struct tree *n) {
    const struct reference *ref = named_pointer(p, n);
    if (ref) return ref->is_alias;
    switch (n->kind) {
    case TREE_NAME: return named_location(p, n) >= 0;
    case TREE_ARROW: return true;
    case TREE_DEREF:
    case TREE_REFERENCE: return !pun_is(p, n);
    case TREE_INDEX: return !pun_is(p, n) && (place_is(p, n->a) || place_is_address(p, n->a));
    case TREE_MEMBER:
    case TREE_GROUPED: return place_is(p, n->a);
    default: return false;
    }
}

/* ---- places ---- */

const struct location *place_location(const struct parser *p, const struct place *place) {
    return &p->test->locs[place->loc];
}

static struct place no_place(const struct tree *n) {
    return (struct place){.loc = -1, .pos = n->first->pos};
}

void place_report_missing(struct parser *p, const struct tree *n, const char *usage) {
    const struct token *t = n->first;
    if (body_is_refused(p, t)) return;
    const char **names = arena_array(p->arena, (size_t)p->test->nlocs, sizeof *names);
    for (int i = 0; i < p->test->nlocs; i++)
        names[i] = p->test->locs[i].name;
    const char *refusal = t->kind != TOK_NAME    ? NULL
                          : n->kind == TREE_CALL ? name_call_refusal(t->text)
                                                 : name_refusal(t->text);
    if (refusal)
        parse_error(p, t->pos, "'%s' is %s", t->text, refusal);
    else if (registers_find(p, t))
        parse_error(p, t->pos, "'%s' is an array of registers, which have no addresses", t->text);
    else if (t->kind == TOK_NAME && find_location(p->test, t->text) < 0)
        parse_error(p, t->pos, "'%s' is not a location%s", t->text,
                    name_suggest(p->arena, t->text, names, (size_t)p->test->nlocs));
    else
        parse_error(p, t->pos, "expected a location: %s", usage);
}

/* Reports that something else stands where a place or an address is due. */
static struct place report_other(struct parser *p, const struct tree *n, const char *usage) {
    const struct tree *within = n;
    while (within->kind == TREE_DEREF)
        within = within->a;
    if (within->kind == TREE_NAME && body_is_refused(p, within->at)) return no_place(n);
    if (tree_root(n) && n->kind != TREE_BEHIND && n->kind != TREE_STEP)
        place_report_missing(p, n, usage);
    else
        parse_error(p, n->first->pos, "expected a location: %s", usage);
    return no_place(n);
}

/* A row where a place is due. */
static struct place report_row(struct parser *p, int loc, struct pos pos) {
    const struct location *l = &p->test->locs[loc];
    parse_complain(p, pos, "'%s' has %d dimensions: write %s[i][j]%s", l->name, dimensions_of(l), l->name,
                   l->inner[1] ? "[k]" : "");
    return (struct place){.loc = loc, .index = expr_int(p, pos, 0), .pos = pos};
}

/* a[i], a[i][j] of an array that its declaration names, or a row of one */
static struct place index_location(struct parser *p, int loc, const struct tree *n) {
    const struct location *l = &p->test->locs[loc];
    struct place place = {.loc = loc, .pos = n->first->pos};
    int outer, k = indices_of(p, n, &outer), below = 1;
    if (!l->array) parse_complain(p, n->at->pos, "'%s' is not an array", l->name);
    if (k > dimensions_of(l)) parse_error(p, n->at->pos, "'%s' has %d dimensions", l->name, dimensions_of(l));
    if (p->panic) return place;
    if (k > 1) place = index_location(p, loc, n->a);
    for (int m = k - 1; m < 2 && l->inner[m]; m++)
        below *= l->inner[m];
    struct location dimension = *l;
    dimension.count = k > 1 ? l->inner[k - 2] : l->count / below;
    struct expr *index = access_index(p, lower_value(p, n->b));
    if (!l->array) return place;
    if (l->count) access_check_index(p, &dimension, index, index->pos);
    if (below > 1) index = expr_new(p, EXPR_MUL, n->at->pos, index, expr_int(p, n->at->pos, below));
    place.index = place.index ? expr_new(p, EXPR_ADD, n->at->pos, place.index, index) : index;
    return place;
}

static struct place name_location(struct parser *p, int loc, const struct tree *n) {
    const struct location *l = &p->test->locs[loc];
    struct place place = {.loc = loc, .pos = n->first->pos};
    if (l->count > 1) parse_complain(p, n->first->pos, "'%s' is an array: write %s[index]", l->name, l->name);
    if (l->array) place.index = expr_int(p, n->first->pos, 0);
    return place;
}

/* .x behind a vector of elements: one of them. False: it is no such vector. */
static bool take_element(struct parser *p, struct place *place, const struct token *name) {
    int lane = type_find_lane(place->vector, name->text);
    if (!place->vector.lanes) return false;
    if (lane < 0)
        parse_error(p, name->pos, "%s has no '%s': its elements are %s", type_name(place->vector), name->text,
                    place->vector.lanes == 2 ? "x and y" : "x, y, z and w");
    place->vector = (struct type){0};
    *place = place_moved(p, *place, expr_int(p, name->pos, lane), name->pos);
    return true;
}

/* The place that a pointer leads to: p[i], *p, p->x. */
static struct place led_place(struct parser *p, const struct tree *n) {
    struct place place = place_address(p, n->a, place_usage);
    if (!p->panic && place.untyped)
        parse_error(p, n->first->pos, "a pointer to void is cast before it is used, as in *(int *)p");
    return place;
}

/* .x, or ->x behind a pointer */
static struct place member_place(struct parser *p, const struct tree *n) {
    bool arrow = n->kind == TREE_ARROW;
    struct place place = arrow ? led_place(p, n) : place_of(p, n->a);
    if (p->panic || place.loc < 0 || take_element(p, &place, n->at)) return place;
    const struct reference *ref = named_pointer(p, n->a);
    struct type type = place_location(p, &place)->type;
    if (type_is_vector(type))
        access_lane(p, &place, n->at);
    else if (arrow)
        parse_error(p, n->at[-2].pos, "%s points to type %s, which has no elements",
                    ref ? arena_printf(p->arena, "'%s'", ref->name) : "this", type_name(type));
    else
        operand_report_members(p, n->at[-1].pos);
    return place;
}

struct place place_of(struct parser *p, const struct tree *n) {
    int loc, named = named_location(p, n), indices = indices_of(p, n, &loc);
    const struct reference *ref = named_pointer(p, n);
    struct place place = no_place(n);
    if (n->kind == TREE_BAD) parse_fault(p, n->fault);
    if (p->panic) return place;
    if (ref && ref->is_alias) {
        place = ref->place;
    } else if (named >= 0) {
        return name_location(p, named, n);
    } else if (indices == 1 || (indices && p->test->locs[loc].inner[0])) {
        return is_row(p, n) ? report_row(p, loc, n->first->pos) : index_location(p, loc, n);
    } else if (n->kind == TREE_INDEX) {
        place = led_place(p, n);
        place = place_moved(p, place, lower_value(p, n->b), n->at->pos);
    } else if (n->kind == TREE_DEREF) {
        place = led_place(p, n);
    } else if (n->kind == TREE_ARROW || n->kind == TREE_MEMBER) {
        place = member_place(p, n);
    } else if (n->kind == TREE_REFERENCE) {
        struct pointer_type type = pointer_type(p, n->b, n);
        place = place_argument(p, n->a, "(volatile int &)X");
        place = pointer_cast_place(p, place, &type, n->first->pos);
    } else if (n->kind == TREE_GROUPED) {
        place = place_of(p, n->a);
    } else {
        return report_other(p, n, place_usage);
    }
    place.pos = n->first->pos;
    return place;
}

/* ---- addresses ---- */

const char place_usage[] = "&X, &a[i] or a + i";

struct place place_moved(struct parser *p, struct place place, struct expr *offset, struct pos pos) {
    if (p->panic || place.loc < 0) return place;
    const struct location *l = place_location(p, &place);
    offset = access_index(p, offset);
    if (place.choice) {
        if (place.vector.lanes)
            offset = expr_new(p, EXPR_MUL, pos, offset, expr_int(p, pos, place.vector.lanes));
        if (!expr_is_zero(offset)) place.index = expr_new(p, EXPR_ADD, pos, place.index, offset);
        return place;
    }
    if (pointer_is_part(p->test, place.loc)) return pointer_move_part(p, place, offset, pos);
    if (place.vector.lanes) offset = expr_new(p, EXPR_MUL, pos, offset, expr_int(p, pos, place.vector.lanes));
    if (!l->array) {
        if (!expr_is_zero(offset))
            parse_complain(p, pos, "'%s' is not an array: no element lies beside it", l->name);
        return place;
    }
    if (expr_is_zero(offset) && place.index) return place;
    bool first = !place.index || expr_is_zero(place.index);
    place.index = first ? offset : expr_new(p, EXPR_ADD, pos, place.index, offset);
    access_check_index(p, l, place.index, pos);
    return place;
}

/* &a */
static struct place addressed(struct parser *p, const struct tree *n, const char *usage) {
    const struct token *t = n->first;
    bool word = tree_is_word(n);
    if (place_is(p, n)) return place_of(p, n);
    if (find_named(p, n) >= 0) return name_location(p, find_named(p, n), n);
    if (word && body_find(p, t->text) >= 0)
        parse_error(p, t->pos, "'%s' is a register: a pointer is the address of a location", t->text);
    else if (word && pointer_find(p, t->text))
        parse_error(p, t->pos, "a pointer to a pointer is not supported: '%s' is an address already",
                    t->text);
    else
        return report_other(p, n, usage);
    return no_place(n);
}

/* p, or an array's name */
static struct place named_address(struct parser *p, const struct tree *n, const char *usage) {
    const struct token *t = n->first;
    const struct reference *ref = named_pointer(p, n);
    int loc = named_location(p, n);
    struct place place = no_place(n);
    if (ref) {
        if (ref->place.loc >= 0)
            place = ref->place;
        else
            parse_error(p, t->pos, "'%s' leads nowhere yet: it is assigned later in the text", ref->name);
        place.pos = t->pos;
    } else if (is_array(p, n)) {
        place = (struct place){.loc = loc, .index = expr_int(p, t->pos, 0), .pos = t->pos};
    } else if (loc >= 0) {
        parse_error(p, t->pos, "this is no pointer: the address of '%s' is written &%s", t->text, t->text);
    } else if (tree_is_word(n) && body_find(p, t->text) >= 0) {
        parse_error(p, t->pos, "'%s' is a register, not a pointer", t->text);
    } else {
        return report_other(p, n, usage);
    }
    return place;
}

/* a + i, a - i, i + a */
static struct place added(struct parser *p, const struct tree *n, const char *usage) {
    struct place place = place_address(p, n->a, usage);
    struct expr *offset = lower_value(p, n->b);
    if (n->at->kind == '-') offset = expr_new(p, EXPR_NEG, n->at->pos, expr_scalar(p, offset, "'-'"), NULL);
    return place_moved(p, place, offset, n->at->pos);
}

/* ++p or p++ */
static struct place stepped(struct parser *p, const struct tree *n, const char *usage) {
    const struct reference *ref = named_pointer(p, n->a);
    if (!ref) return report_other(p, n->a, usage);
    if (ref->moves) return moving_step(p, ref, n);
    moving_report(p, n->at, ref->name);
    return no_place(n);
}

/* ---- c ? &X : &Y ---- */

static struct stmts lower_side(struct parser *p, const struct tree *n, const struct expr *guard, bool holds,
                               struct place *of, struct place *side) {
    struct stmts old = stmts_capture(p);
    guard_begin(p, guard, holds);
    if (!choice_is_null(n)) *side = place_address(p, n, place_usage);
    if (!p->panic) choice_assign(p, of, side, n->first->pos);
    guard_end(p);
    return stmts_restore(p, old);
}

static struct place chosen_place(struct parser *p, const struct tree *n) {
    struct value known;
    struct pos pos = n->at->pos;
    struct expr *which = expr_scalar(p, lower_value(p, n->a), "'?'");
    struct place then = {.loc = -1, .pos = pos}, orelse = then, place;
    if (p->panic) return then;
    if (body_number(p, which, &known)) {
        const struct tree *side = value_is_true(which->type, known) ? n->b : n->c;
        if (!choice_is_null(side)) return place_address(p, side, place_usage);
    }
    place = choice_new(p, pos);
    struct stmts yes = lower_side(p, n->b, which, true, &place, &then),
                 no = lower_side(p, n->c, which, false, &place, &orelse);
    if (p->panic) return place;
    stmt_add_if(p, pos, which, yes, no);
    if (then.loc >= 0 && orelse.loc >= 0) choice_agree(p, &then, &orelse, pos);
    place.order = then.loc >= 0 ? then.order : orelse.order;
    place.constant = then.constant || orelse.constant;
    return place;
}

struct place place_address(struct parser *p, const struct tree *n, const char *usage) {
    struct place place;
    int loc;
    if (n->kind == TREE_BAD) parse_fault(p, n->fault);
    if (p->panic) return no_place(n);
    switch (n->kind) {
    case TREE_ADDRESS: return addressed(p, n->a, usage);
    case TREE_GROUPED: return place_address(p, n->a, usage);
    case TREE_STEP:
    case TREE_BEHIND: return stepped(p, n, usage);
    case TREE_POINTER: {
        struct pointer_type type = pointer_type(p, n->b, n);
        place = place_address(p, n->a, usage);
        return pointer_cast_place(p, place, &type, n->first->pos);
    }
    case TREE_BINARY:
        if (n->at->kind == '+' || n->at->kind == '-') return added(p, n, usage);
        return report_other(p, n, usage);
    case TREE_CHOICE: return chosen_place(p, n);
    case TREE_INDEX:
        if (pointers_are_indexed(p, n)) return pointers_element(p, n);
        if (is_row(p, n)) return index_location(p, (indices_of(p, n, &loc), loc), n);
        break;
    default: break;
    }
    const struct library *l = find_leading(p, n);
    return l ? l->address(p, n) : named_address(p, n, usage);
}

struct place place_argument(struct parser *p, const struct tree *n, const char *usage) {
    struct place place = place_accessed(p, n, usage);
    if (!p->panic && place.loc >= 0 && place.vector.lanes)
        parse_error(p, n->first->pos, "this takes one element of '%s': %s is for loads and stores",
                    place_location(p, &place)->name, type_name(place.vector));
    return place;
}

struct place place_accessed(struct parser *p, const struct tree *n, const char *usage) {
    bool decays = is_array(p, tree_inside(n)) && strstr(usage, "&X");
    if (n->kind == TREE_BAD) parse_fault(p, n->fault);
    if (p->panic) return no_place(n);
    if (decays || place_is_address(p, n)) return place_address(p, n, usage);
    if (place_is(p, n)) return place_of(p, n);
    if (find_named(p, n) >= 0) return name_location(p, find_named(p, n), n);
    return report_other(p, n, usage);
}
