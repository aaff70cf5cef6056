/* Pointers, and what else has the place of a location by a name: a pointer is the address of one place throughout, and an access through it is an access to that place. */
#include <string.h>

#include "litmus/name.h"
#include "litmus/view.h"
#include "lower/lower.h"
#include "lower/pointer.h"

/* ---- types ---- */

struct pointer_type pointer_type(struct parser *p, const struct tree *type, const struct tree *n) {
    struct pointer_type t = {.untyped = token_is_word(type->at, "void"), .type = type_int};
    t.automatic = t.untyped || type->flags & TYPE_AUTO;
    if (!t.automatic) t.type = lower_type(p, type);
    t.is_volatile = type->flags & TYPE_VOLATILE;
    t.is_const = type->flags & TYPE_CONST;
    t.is_restrict = type->flags & TYPE_RESTRICT || n->flags & DECLARES_RESTRICT;
    t.is_fixed = n->flags & DECLARES_FIXED;
    return t;
}

/* ---- places ---- */

/* A location whose parts make a wider one. */
static const char *suggest_wider(struct parser *p, const struct location *l, struct type type) {
    int parts = type_bytes(type) / type_bytes(l->type), n = l->count / parts;
    if (l->view || l->count % parts > (l->array ? 0 : 1)) return "";
    if (n > 1)
        return arena_printf(p->arena, "; 'memory' may have it as {type: %s, count: %d}", type_name(type), n);
    return arena_printf(
        p->arena,
        "; 'memory' may have it as {type: %s}, and its parts as a view: {of: %s, count: %d, type: %s}",
        type_name(type), l->name, parts, type_name(l->type));
}

const char *pointer_suggest_view(struct parser *p, const struct location *l, struct type type) {
    if (type_bytes(type) > type_bytes(l->type)) return suggest_wider(p, l, type);
    bool fits = !l->array && !l->view && type_bytes(type) < type_bytes(l->type);
    if (!fits) return "";
    return arena_printf(p->arena, "; 'memory' may have a view of its bytes: {of: %s, type: %s}", l->name,
                        type_name(type));
}

/* The place as a pointer of this type has it. */
struct place pointer_seen_as(struct parser *p, struct place place, const struct pointer_type *t,
                             struct pos pos) {
    if (p->panic || (place.loc < 0 && !place.choice)) return place;
    const struct location *l = place.loc < 0 ? NULL : place_location(p, &place);
    if (l && !t->automatic && !type_same(t->type, access_type_at(p, &place)))
        parse_complain(
            p, pos,
            "a pointer to %s, and '%s' is of type %s: accesses of another type are not supported yet%s",
            type_name(t->type), l->name, type_name(l->type), pointer_suggest_view(p, l, t->type));
    place.untyped = t->untyped || (t->automatic && place.untyped);
    if (t->is_volatile) place.order = ORDER_VOLATILE;
    place.constant = place.constant || t->is_const;
    return place;
}

/* ---- casts ---- */

static const struct location *root_of(const struct test *t, int loc) {
    return &t->locs[location_root(t, loc)];
}

bool pointer_is_part(const struct test *t, int loc) {
    const struct location *l = &t->locs[loc];
    return l->view && l->in_each && type_bytes(l->type) < type_bytes(root_of(t, loc)->type);
}

/* The view of a part of each element. */
static int find_part(struct parser *p, int root, struct type type, int at) {
    const struct location *l = &p->test->locs[root];
    if (type_is_vector(l->type) && type_same(type, type_lane(l->type)))
        return view_of_lane(p->arena, p->test, root, at / type_bytes(type));
    return view_of_bytes(p->arena, p->test, root, type, at);
}

struct place pointer_move_part(struct parser *p, struct place place, struct expr *offset, struct pos pos) {
    enum { MOST = 1 << 20 };
    struct value number;
    int root = location_root(p->test, place.loc);
    struct location part = *place_location(p, &place), whole = p->test->locs[root];
    int bytes = type_bytes(whole.type);
    bool known = body_number(p, offset, &number);
    long long by = known ? value_int(offset->type, number) : 0;
    if (!known || by < -MOST || by > MOST) {
        parse_error(p, pos, "which bytes of '%s' these are must be known when the text is read", whole.name);
        return place;
    }
    long long at = part.at + by * type_bytes(part.type), elements = at / bytes - (at % bytes < 0);
    if (elements && !whole.array) {
        parse_complain(p, pos, "'%s' is not an array: it has %d bytes, and this is byte %lld", whole.name,
                       bytes, at);
        return place;
    }
    place.loc = find_part(p, root, part.type, (int)(at - elements * bytes));
    if (!elements) return place;
    place.index = expr_new(p, EXPR_ADD, pos, place.index, expr_int(p, pos, (int)elements));
    access_check_index(p, &whole, place.index, pos);
    return place;
}

/* Makes a place one of another type: of the same element, of bytes of it, or of a vector of elements. */
static void cast_place(struct parser *p, struct place *place, struct type type) {
    const struct location *l = place_location(p, place), *root = root_of(p->test, place->loc);
    int size = type_bytes(type), at = l->view ? l->at : 0;
    bool whole = !pointer_is_part(p->test, place->loc) && !type_is_vector(l->type);
    place->vector = (struct type){0};
    if (type_same(type, l->type) || (l->view && !l->in_each) || root->map) return;
    int loc = view_as(p->arena, p->test, place->loc, type);
    bool within = at % size == 0 && at + size <= type_bytes(root->type),
         bits = type.bits > 1 && l->type.bits > 1;
    if (loc < 0 && within && bits) loc = find_part(p, location_root(p->test, place->loc), type, at);
    if (loc >= 0) {
        place->loc = loc;
        return;
    }
    struct type lane = type_lane(type);
    if (!whole || !l->array || !type_is_vector(type) || lane.bits != l->type.bits) return;
    loc = type_same(lane, l->type) ? place->loc : view_as(p->arena, p->test, place->loc, lane);
    if (loc < 0) return;
    place->loc = loc;
    place->vector = type;
    view_share(p->test, location_root(p->test, loc));
}

/* The place behind a cast, which may give the bits another meaning. */
struct place pointer_cast_place(struct parser *p, struct place place, const struct pointer_type *t,
                                struct pos pos) {
    if (p->panic || place.loc < 0) return place;
    if (!t->automatic && !place.choice) cast_place(p, &place, t->type);
    return pointer_seen_as(p, place, t, pos);
}

/* An index, or a rank, is that of the declaration, whatever happens to its registers later. */
static void keep(struct parser *p, struct expr **value, struct pos pos) {
    if (*value && !expr_is_known(*value)) *value = body_hold(p, *value, pos);
}

void pointer_keep(struct parser *p, struct place *place) {
    keep(p, &place->index, place->pos);
    if (place->choice) place->choice = choice_keep(p, place->choice, place->pos);
    keep(p, &place->rank, place->pos);
}

void reference_declare(struct parser *p, struct reference *ref) {
    const char *problem = name_problem_declared(ref->name);
    if (problem) parse_complain(p, ref->pos, "'%s' %s", ref->name, problem);
    if (find_location(p->test, ref->name) >= 0 && !ref->of_location)
        parse_complain(p, ref->pos, "'%s' hides the location of that name", ref->name);
    if (body_find(p, ref->name) >= 0 || reference_find(p, ref->name))
        parse_complain(p, ref->pos, "'%s' is declared twice", ref->name);
    if (ref->moves)
        keep(p, &ref->place.rank, ref->place.pos);
    else
        pointer_keep(p, &ref->place);
    reference_add(p, ref);
}

const struct reference *pointer_find(const struct parser *p, const char *name) {
    const struct reference *ref = reference_find(p, name);
    return ref && ref->is_pointer && !ref->is_window ? ref : NULL;
}

const struct reference *window_find(const struct parser *p, const char *name) {
    const struct reference *ref = reference_find(p, name);
    return ref && ref->is_window ? ref : NULL;
}

/* ---- declarations ---- */

/* A reference to a whole array: it is used as a pointer to the first element is. */
void pointer_declare_whole(struct parser *p, const struct tree *type, const struct tree *n) {
    struct pointer_type whole = pointer_type(p, type, n);
    const struct token *name = n->at;
    long long count = registers_count(p, n->c, 0);
    if (!(n->flags & DECLARES_EQUAL)) parse_error(p, n->end[-1].after, "expected '=' and an array");
    int loc = !p->panic && tree_is_word(n->b) ? find_location(p->test, n->b->at->text) : -1;
    if (loc < 0 && !p->panic) place_report_missing(p, n->b, "int (&name)[4] = a");
    if (p->panic) return;
    const struct location *l = &p->test->locs[loc];
    if (!l->array || count != l->count)
        parse_complain(p, n->c->first[n->c->kind == TREE_NONE ? 0 : -1].pos,
                       "'%s' is no array of so many elements: it has %d", l->name, l->count);
    struct reference ref = {.name = name->text, .pos = name->pos, .is_pointer = true};
    ref.place = (struct place){.loc = loc, .index = expr_int(p, name->pos, 0), .pos = n->b->first->pos};
    ref.place = pointer_seen_as(p, ref.place, &whole, name->pos);
    reference_declare(p, &ref);
}

/* The register that a reference of this type is of; -1: there is none, or an error. */
static int find_register(struct parser *p, const struct pointer_type *type, const struct tree *n) {
    const struct token *t = n->first;
    int reg = assign_is_register(p, n) ? assign_register(p, n) : -1;
    if (reg < 0) return -1;
    if (!type->automatic && !type_same(type->type, p->body->regs[reg].type))
        parse_complain(p, t->pos, "a reference to %s, and '%s' is of type %s", type_name(type->type), t->text,
                       type_name(p->body->regs[reg].type));
    else if (p->locals[reg].constant && !type->is_const && !type->automatic)
        body_check_constant(p, reg, t->pos);
    return reg;
}

void pointer_declare_alias(struct parser *p, const struct tree *type, const struct tree *n) {
    static const char usage[] = "int &name = X, or an element a[i]";
    if (n->b && n->b->kind == TREE_BAD) parse_fault(p, n->b->fault);
    if (p->panic) return;
    struct pointer_type whole = pointer_type(p, type, n);
    const struct token *name = n->at;
    struct reference ref = {.name = name->text, .pos = name->pos, .is_pointer = true, .is_alias = true};
    int reg = find_register(p, &whole, n->b);
    if (reg >= 0) body_alias(p, name, reg, whole.is_const);
    if (reg >= 0 || p->panic) return;
    ref.place = pointer_seen_as(p, place_argument(p, n->b, usage), &whole, name->pos);
    if (!p->panic && ref.place.loc >= 0) reference_declare(p, &ref);
}

/* Of a location that is const and __restrict__, nvcc may read it by ld.global.nc. */
void pointer_restrict(struct parser *p, const struct pointer_type *t, int loc, struct pos pos) {
    struct location *l = loc < 0 ? NULL : &p->test->locs[location_root(p->test, loc)];
    if (!l || !t->is_restrict || !t->is_const || l->restricted) return;
    l->restricted = true;
    l->restricted_pos = pos;
}

static bool moves_later(const struct token *name);

/* Where a pointer leads that is declared; one that is assigned later may lead nowhere yet. */
static struct place declared_place(struct parser *p, const struct tree *n) {
    const struct tree *given = n->b;
    if (given && given->kind == TREE_LIST && given->b && !given->b->next) given = given->b; /* {&X} */
    bool null = given && choice_is_null(given);
    if (given && !null) return place_address(p, given, place_usage);
    struct place place = choice_new(p, n->at->pos);
    if (null) choice_clear(p, &place, n->at->pos);
    return place;
}

void pointer_declare(struct parser *p, const struct tree *type, const struct tree *n) {
    struct pointer_type whole = pointer_type(p, type, n);
    const struct token *name = n->at;
    struct reference ref = {.name = name->text, .pos = name->pos, .is_pointer = true};
    if (!n->b && !moves_later(name))
        parse_error(p, name->pos,
                    "a pointer is given its place where it is declared, or later, as in %s%s *%s = &X;",
                    whole.is_volatile ? "volatile " : "", type_name(whole.type), name->text);
    if (p->panic) return;
    ref.place = pointer_seen_as(p, declared_place(p, n), &whole, name->pos);
    if (p->panic || (ref.place.loc < 0 && !ref.place.choice)) return;
    ref.points = &whole;
    pointer_restrict(p, &whole, ref.place.loc, name->pos);
    if (!whole.is_fixed) moving_begin(p, &ref, name);
    reference_declare(p, &ref);
}

struct reference pointer_argument(struct parser *p, const struct tree *parameter, const struct tree *given,
                                  int *reg, bool *constant) {
    const struct tree *n = parameter->b;
    struct pointer_type type = pointer_type(p, parameter->a, n);
    bool refers = !(n->flags & DECLARES_POINTER);
    struct reference ref = {.name = n->at->text, .pos = n->at->pos, .is_pointer = true, .is_alias = refers};
    *constant = type.is_const;
    *reg = refers && !p->panic ? find_register(p, &type, given) : -1;
    if (*reg >= 0 || p->panic) return ref;
    ref.place = refers ? place_argument(p, given, "X or a[i]") : place_address(p, given, place_usage);
    ref.place = pointer_seen_as(p, ref.place, &type, given->first->pos);
    if (p->panic || ref.place.loc < 0) return ref;
    ref.of_location = find_location(p->test, ref.name) == ref.place.loc;
    ref.points = &type;
    pointer_restrict(p, &type, ref.place.loc, given->first->pos);
    if (!refers && !type.is_fixed) moving_begin(p, &ref, n->at);
    return ref;
}

/* ---- pointers that move within their array: what moves is an index, which is a register ---- */

static bool is_move(const struct token *t) {
    return t->kind == '=' || t->kind == TOK_ADD_SET || t->kind == TOK_SUB_SET;
}

static bool is_step(const struct token *t) {
    return t->kind == TOK_INC || t->kind == TOK_DEC;
}

bool moving_is(const struct token *t) {
    return is_move(t) || is_step(t);
}

/* p++, ++p, p += 2 or p = q; but *p = 2 moves nothing, nor does ++p[0]. */
static bool moves_at(const struct token *t) {
    bool element = t[1].kind == '[' || t[1].kind == '-';
    return is_step(t + 1) || (is_step(t - 1) && !element) || (is_move(t + 1) && t[-1].kind != '*');
}

static bool moves_later(const struct token *name) {
    for (const struct token *t = name + 1; t->kind != TOK_END; t++)
        if (token_is_word(t, name->text) && moves_at(t)) return true;
    return false;
}

/* The first name of what is assigned, behind casts and the like; NULL: another pointer, or none of these. */
static const struct token *find_assigned(const struct token *t) {
    for (; t->kind != ';' && t->kind != TOK_END; t++) {
        struct type type;
        if (t->kind == TOK_NAME && !type_is_word(t->text) && !type_find(t->text, &type) &&
            !syntax_is_qualifier(t))
            return t;
    }
    return NULL;
}

/* Where a pointer that is declared further on leads at first, *name = ...: the name there; else NULL. */
static const struct token *find_declared(const struct token *t, const char *name) {
    for (; t->kind != TOK_END; t++)
        if (t->kind == '*' && token_is_word(t + 1, name) && t[2].kind == '=') return find_assigned(t + 3);
    return NULL;
}

/* Whether p = ... makes a pointer lead to another location than it does, by the words of what is assigned. */
static bool leads_elsewhere(const struct parser *p, const struct token *name, int loc) {
    for (const struct token *t = name + 1; t->kind != TOK_END; t++) {
        bool steps = is_step(t - 1) || t[-1].kind == '*';
        if (!token_is_word(t, name->text) || t[1].kind != '=' || steps) continue;
        const struct token *to = find_assigned(t + 2);
        bool unknown = to && find_location(p->test, to->text) < 0 && !pointer_find(p, to->text);
        const struct token *first = unknown ? find_declared(name, to->text) : NULL;
        if (first) to = first;
        bool null = to && (token_is_word(to, "nullptr") || token_is_word(to, "NULL"));
        int other = to ? find_location(p->test, to->text) : -1;
        const struct reference *ref = to ? pointer_find(p, to->text) : NULL;
        if (null || (other >= 0 && other != loc) || (ref && (ref->place.choice || ref->place.loc != loc)))
            return true;
        for (const struct token *k = t; k->kind != ';' && k->kind != TOK_END; k++)
            if (k->kind == '?') return true;
    }
    return false;
}

void moving_begin(struct parser *p, struct reference *ref, const struct token *name) {
    struct place *place = &ref->place;
    bool later = moves_later(name), part = place->loc >= 0 && pointer_is_part(p->test, place->loc);
    bool chosen = later && ref->points && (place->choice || leads_elsewhere(p, name, place->loc));
    ref->moves = (place->index && !part && later) || chosen;
    if (!ref->moves) return;
    if (chosen) {
        struct pointer_type *points = arena_alloc(p->arena, sizeof *points);
        *points = *ref->points;
        ref->points = points;
        if (place->loc >= 0) *place = choice_copy(p, place, ref->pos);
        return;
    }
    int reg = body_temporary(p, ref->pos, type_promote(place->index->type));
    p->locals[reg].declared = true;
    body_set(p, reg, place->index, ref->pos);
    place->index = body_value(p, reg, ref->pos);
}

/* p = p + step or p - step */
static void move_by(struct parser *p, const struct reference *ref, enum expr_kind sign, struct expr *step,
                    struct pos pos) {
    struct expr *index = ref->place.index;
    step = access_index(p, step);
    if (ref->place.choice) choice_step(&ref->place);
    if (ref->place.vector.lanes)
        step = expr_new(p, EXPR_MUL, pos, step, expr_int(p, pos, ref->place.vector.lanes));
    body_set(p, index->index, expr_new(p, sign, pos, index, step), pos);
}

static enum expr_kind sign_of(const struct token *t) {
    return t->kind == TOK_INC || t->kind == TOK_ADD_SET ? EXPR_ADD : EXPR_SUB;
}

struct place moving_step(struct parser *p, const struct reference *ref, const struct tree *n) {
    const struct token *t = n->at;
    struct place place = ref->place;
    place.pos = n->first->pos;
    if (n->kind == TREE_BEHIND) place.index = body_hold(p, place.index, t->pos);
    move_by(p, ref, sign_of(t), expr_int(p, t->pos, 1), t->pos);
    return place;
}

void moving_report(struct parser *p, const struct token *at, const char *name) {
    parse_error(
        p, at->pos,
        "'%s' cannot move here: a pointer that is not const moves within its array, by a statement of its "
        "own or as in *%s++",
        name, name);
}

/* p = another place of the same array */
static void lead_to(struct parser *p, struct reference *ref, const struct tree *n) {
    struct pos pos = n->first->pos;
    if (choice_is_null(n)) {
        choice_clear(p, &ref->place, pos);
        return;
    }
    struct place to = place_address(p, n, place_usage);
    to = pointer_seen_as(p, to, ref->points, pos);
    if (p->panic || to.loc < 0) return;
    if (ref->place.order != to.order || (to.constant && !ref->place.constant))
        parse_complain(p, pos, "'%s' leads to what is %s here", ref->name,
                       ref->place.order != to.order ? "volatile" : "const");
    choice_assign(p, &ref->place, &to, pos);
}

static void move_to(struct parser *p, struct reference *ref, const struct tree *n) {
    const struct place *from = &ref->place;
    if (from->choice) {
        lead_to(p, ref, n);
        return;
    }
    struct place to = place_address(p, n, "&a[i], a + i or a pointer");
    if (p->panic || to.loc < 0) return;
    if (to.loc != from->loc || to.rank != from->rank || to.vector.lanes != from->vector.lanes ||
        (to.order != from->order && to.order == ORDER_VOLATILE) || (to.constant && !from->constant)) {
        parse_complain(
            p, to.pos,
            "'%s' moves within '%s', which it pointed to when it was declared: another place, or one "
            "that is volatile or const, is not supported yet",
            ref->name, p->test->locs[from->loc].name);
        return;
    }
    body_set(p, from->index->index, to.index, to.pos);
}

bool moving_statement(struct parser *p, const struct tree *n) {
    bool steps = n->kind == TREE_STEP || n->kind == TREE_BEHIND;
    bool moves = steps || (n->kind == TREE_ASSIGN && is_move(n->at));
    if (moves && pointers_are_named(p, n->a)) {
        parse_error(p, n->at->pos, "not supported yet: an array of pointers stays as it is declared");
        return true;
    }
    const struct reference *found = moves && tree_is_word(n->a) ? pointer_find(p, n->a->first->text) : NULL;
    if (!found || !found->moves) return false;
    struct reference *ref = &p->refs[found - p->refs];
    if (steps)
        move_by(p, ref, sign_of(n->at), expr_int(p, n->at->pos, 1), n->at->pos);
    else if (n->at->kind == '=')
        move_to(p, ref, n->b);
    else
        move_by(p, ref, sign_of(n->at), lower_value(p, n->b), n->at->pos);
    return true;
}

/* ---- locations that are const and __restrict__ ---- */

/* Reports the first write to a restricted location in a list. */
struct restricted_check {
    struct test *test;
    struct diag *diag;
};

static bool check_restricted(const struct stmt *s, void *ctx) {
    struct restricted_check *c = ctx;
    struct test *t = c->test;
    bool writes =
        s->kind == STMT_OP && s->op->place[0].loc >= 0 && op_kinds[s->op->kind].touches[0] & TOUCH_WRITES;
    struct location *l = writes ? &t->locs[location_root(t, s->op->place[0].loc)] : NULL;
    if (!l || !l->restricted) return true;
    l->restricted = false; /* reported once */
    diag_error(c->diag, &t->source, l->restricted_pos,
               "const and __restrict__ together are not modelled: nvcc may read it by `ld.global.nc`, which "
               "promises nothing for data that is written meanwhile");
    diag_note(c->diag, &t->source, s->op->pos, "'%s' is written here", l->name);
    return true;
}

void pointer_check_restricted(struct test *t, struct diag *d) {
    struct restricted_check check = {t, d};
    for (int b = 0; b < t->nbodies; b++)
        stmt_walk(t->bodies[b].first, check_restricted, &check);
}
