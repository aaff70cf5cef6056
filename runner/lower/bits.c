/* The bits of a value as one of another type, __builtin_bit_cast(unsigned, f); and registers that are read and written as
 * such, *(unsigned *)&f. As in memory, the low bits come first. */
#include <string.h>

#include "lower/lower.h"

enum { MAX_PARTS = 16 };

/* Integers without a sign, all of one size, whose bits make a value. */
struct parts {
    struct expr *of[MAX_PARTS];
    int size; /* of each, in bits */
};

static int lane_bits(struct type t) {
    return 8 * type_bytes(type_lane(t));
}

static int all_bits(struct type t) {
    return 8 * type_bytes(t);
}

/* A value of which several parts are taken is computed once. */
static struct expr *keep(struct parser *p, struct expr *e) {
    if (p->panic || e->kind == EXPR_INT || e->kind == EXPR_REG) return e;
    return body_hold(p, e, e->pos);
}

static struct expr *as_scalar(struct parser *p, struct expr *e, struct type type) {
    return e->type.real != type.real ? expr_bits(p, e, type) : expr_cast(p, e, type);
}

/* The lanes of a value. */
static struct parts split(struct parser *p, struct expr *e) {
    struct parts parts = {.size = lane_bits(e->type)};
    struct type integer = {(uint8_t)parts.size, 1, false, false};
    e = keep(p, e);
    for (int k = 0; k < e->type.lanes; k++)
        parts.of[k] = as_scalar(p, type_is_vector(e->type) ? expr_lane(p, e->pos, e, k) : e, integer);
    return parts;
}

/* The integer of the bits from `at` on. */
static struct expr *gather(struct parser *p, const struct parts *parts, int at, int size) {
    struct type type = {(uint8_t)size, 1, false, false};
    struct expr *all = parts->of[at / parts->size];
    int within = at % parts->size;
    if (within) all = expr_new(p, EXPR_SHR, all->pos, all, expr_int(p, all->pos, within));
    all = expr_cast(p, all, type);
    for (int have = parts->size; have < size; have += parts->size) {
        struct expr *more = expr_cast(p, parts->of[(at + have) / parts->size], type);
        more = expr_new(p, EXPR_SHL, more->pos, more, expr_int(p, more->pos, have));
        all = expr_cast(p, expr_new(p, EXPR_OR, more->pos, all, more), type);
    }
    return all;
}

/* The value of a type whose bits are those from `at` on. */
static struct expr *join(struct parser *p, struct pos pos, const struct parts *parts, int at,
                         struct type type) {
    struct expr *lanes[4];
    int size = lane_bits(type);
    for (int k = 0; k < type.lanes; k++)
        lanes[k] = as_scalar(p, gather(p, parts, at + k * size, size), type_lane(type));
    return type_is_vector(type) ? expr_vector(p, pos, type, lanes) : lanes[0];
}

struct expr *bits_as(struct parser *p, struct pos pos, struct expr *e, struct type type) {
    if (p->panic || type_same(e->type, type)) return e;
    if (type_bytes(e->type) == type_bytes(type) && !type_is_vector(type) && !type_is_vector(e->type))
        return as_scalar(p, e, type);
    if (type_bytes(e->type) == type_bytes(type)) {
        struct parts parts = split(p, e);
        return join(p, pos, &parts, 0, type);
    }
    parse_error(p, pos, "type %s has %d bytes, and this is of type %s, which has %d", type_name(type),
                type_bytes(type), type_name(e->type), type_bytes(e->type));
    return expr_int(p, pos, 0);
}

/* ---- registers ---- */

/* What stands for a register behind (type *)& or (type &), or NULL. */
static const struct tree *find_register(const struct parser *p, const struct tree *n) {
    const struct tree *of = n->kind == TREE_MEMBER ? n->a : n;
    return p->body && (assign_is_register(p, of) || registers_are_row(p, of)) ? n : NULL;
}

/* The same of a whole tree, and the type, with the tree that has its stars. An array is its own address. */
static const struct tree *find_seen(const struct parser *p, const struct tree *n, const struct tree **cast) {
    n = tree_inside(n);
    bool led = n->kind == TREE_DEREF || n->kind == TREE_INDEX;
    *cast = led ? tree_inside(n->a) : n;
    if ((*cast)->kind != (led ? TREE_POINTER : TREE_REFERENCE)) return NULL;
    const struct tree *of = tree_inside((*cast)->a);
    if (led && of->kind != TREE_ADDRESS) return p->body && registers_are_row(p, of) ? of : NULL;
    return find_register(p, led ? tree_inside(of->a) : of);
}

bool pun_is(const struct parser *p, const struct tree *n) {
    const struct tree *cast;
    return find_seen(p, n, &cast);
}

/* How many bytes behind the first the index leads. */
static long long lower_distance(struct parser *p, const struct tree *n, struct type type) {
    struct value number;
    n = tree_inside(n);
    if (n->kind != TREE_INDEX || p->panic) return 0;
    struct expr *index = access_index(p, lower_value(p, n->b));
    if (!p->panic && !body_number(p, index, &number))
        parse_error(p, index->pos,
                    "which part of a register this is must be known when the text is read: its index is a "
                    "number, or the counter of a 'for' whose head has numbers alone");
    return p->panic ? 0 : value_int(index->type, number) * type_bytes(type);
}

/* The registers of which it may be a part, and where it begins among them, in bytes; false, and an error: none. */
static bool find_registers(struct parser *p, const struct tree *of, struct pun *pun, long long *at) {
    bool member = of->kind == TREE_MEMBER;
    const struct tree *reg = member ? of->a : of;
    int begin = 0;
    if (registers_find(p, reg->first)) {
        begin = registers_begin(p, reg);
        pun->nregs = registers_all(p, reg, &pun->regs);
    } else {
        pun->reg = assign_register(p, reg);
        pun->nregs = pun->reg < 0 ? 0 : 1;
        pun->regs = &pun->reg;
    }
    if (p->panic || pun->nregs == 0) return false;
    struct type type = p->body->regs[pun->regs[0]].type;
    int lane = member ? type_find_lane(type, of->at->text) : 0;
    if (lane < 0) lower_value(p, of); /* which says what is wrong */
    *at = begin * type_bytes(type) + lane * type_bytes(type_lane(type));
    return !p->panic;
}

static void report_beyond(struct parser *p, struct pos pos, const struct pun *pun, long long at) {
    struct type type = p->body->regs[pun->regs[0]].type;
    const char *what =
        pun->nregs > 1 ? arena_printf(p->arena, "array is of %d registers of", pun->nregs) : "register is of";
    parse_error(p, pos, "the %s type %s, and ends at byte %d; this %s at byte %lld", what, type_name(type),
                pun->nregs * type_bytes(type), at < 0 ? "begins" : "ends",
                at < 0 ? at : at + type_bytes(pun->type));
}

bool pun_find(struct parser *p, const struct tree *n, struct pun *pun) {
    const struct tree *cast, *of = find_seen(p, n, &cast);
    long long at = 0;
    *pun = (struct pun){.reg = -1, .type = lower_type(p, cast->b), .constant = cast->b->flags & TYPE_CONST};
    if (p->panic || !find_registers(p, of, pun, &at)) return false;
    int size = type_bytes(pun->type), each = type_bytes(p->body->regs[pun->regs[0]].type);
    at += lower_distance(p, n, pun->type);
    if (!p->panic && (at < 0 || at + size > pun->nregs * each))
        report_beyond(p, n->first->pos, pun, at);
    else if (!p->panic && at % size)
        parse_error(p, n->first->pos, "this is at byte %lld, where no value of type %s begins", at,
                    type_name(pun->type));
    if (p->panic) return false;
    pun->reg = pun->regs[at / each];
    pun->regs = pun->nregs == 1 ? &pun->reg : pun->regs + at / each;
    pun->nregs = size > each ? size / each : 1;
    pun->at = 8 * (int)(at % each);
    return true;
}

/* The lanes of several registers. */
static struct parts split_all(struct parser *p, const struct pun *pun, struct pos pos) {
    struct parts all = {0};
    int n = 0;
    for (int k = 0; k < pun->nregs; k++) {
        struct expr *e = body_value(p, pun->regs[k], pos);
        struct parts parts = split(p, e);
        all.size = parts.size;
        for (int lane = 0; lane < e->type.lanes; lane++)
            all.of[n++] = parts.of[lane];
    }
    return all;
}

struct expr *pun_value(struct parser *p, const struct pun *pun, struct pos pos) {
    struct expr *e = body_value(p, pun->reg, pos);
    if (type_bytes(e->type) == type_bytes(pun->type)) return bits_as(p, pos, e, pun->type);
    struct parts parts = split_all(p, pun, pos);
    return join(p, pos, &parts, pun->at, pun->type);
}

/* A part of one register. */
static void set_part(struct parser *p, const struct pun *pun, const struct parts *new, struct pos pos) {
    struct type whole = p->body->regs[pun->reg].type;
    struct parts old = split(p, body_value(p, pun->reg, pos)), all;
    all.size = old.size < new->size ? old.size : new->size;
    for (int at = 0, k = 0; at < all_bits(whole); at += all.size, k++) {
        bool given = at >= pun->at && at < pun->at + all_bits(pun->type);
        all.of[k] = given ? gather(p, new, at - pun->at, all.size) : gather(p, &old, at, all.size);
    }
    if (!p->panic) body_set(p, pun->reg, join(p, pos, &all, 0, whole), pos);
}

void pun_set(struct parser *p, const struct pun *pun, struct expr *value, struct pos pos) {
    struct type type = p->body->regs[pun->reg].type;
    value = expr_convert(p, value, pun->type);
    if (pun->constant) parse_complain(p, pos, "this is const here: it cannot be written");
    struct parts new = split(p, value);
    if (pun->nregs == 1) set_part(p, pun, &new, pos);
    for (int k = 0; pun->nregs > 1 && k < pun->nregs && !p->panic; k++)
        body_set(p, pun->regs[k], join(p, pos, &new, k * all_bits(type), type), pos);
}
