/* Gives each access its location. If its address leads into one location in all threads it is that one; else
 * the address chooses among several. An access with another type than the location's becomes an access to a
 * view. */
#include <stdlib.h>
#include <string.h>

#include "lift/reader.h"
#include "litmus/copy.h"
#include "litmus/view.h"

/* The way that is taken at each place of an operation, and the number of bytes that are copied; NULL: there
 * is no such place. */
struct lift_chosen {
    const struct lift_way *way[OP_PLACES + 1];
};

struct resolver {
    struct lift *lift;
    struct lift_founds all;
    const struct lift_kernel *kernel; /* the current kernel */
    struct parser *p;                 /* builds its expressions */
};

static void fail(struct resolver *r, struct pos pos, const char *text) {
    diag_error(r->lift->diag, r->p->source, pos, "%s", text);
    r->lift->failed = true;
}

/* Returns a hint about the nearest location: "; 'out' begins 16 bytes further". */
static const char *nearest(struct resolver *r, uint64_t address) {
    const struct test *t = r->lift->test;
    const struct location *best = NULL;
    uint64_t least = UINT64_MAX;
    bool before = false;
    for (int k = 0; k < t->nlocs; k++) {
        const struct location *l = &t->locs[k];
        if (l->view || !l->address) continue;
        bool below = address < l->address;
        uint64_t far = below ? l->address - address : address - l->address - lift_bytes(l);
        if (far >= least) continue;
        least = far;
        best = l;
        before = below;
    }
    if (!best) return "";
    return arena_printf(r->lift->arena, "; the nearest is '%s', which %s %llu bytes %s", best->name,
                        before ? "begins" : "ends", (unsigned long long)least, before ? "further" : "before");
}

static struct expr *copy_of(struct resolver *r, const struct expr *e) {
    if (!e) return NULL;
    struct expr *copy = arena_alloc(r->lift->arena, sizeof *copy);
    *copy = *e;
    return copy;
}

static struct expr *number(struct resolver *r, struct pos pos, uint64_t n) {
    return lift_number(r->p, pos, type_uint64, n);
}

/* Returns the distance of an access from the begin of a location, within its own block. */
static struct expr *distance(struct resolver *r, const struct expr *address, const struct lift_way *c,
                             int at) {
    struct parser *p = r->p;
    struct expr *e = expr_new(p, EXPR_CAST, address->pos, NULL, NULL);
    *e = *address;
    if (c->afar) e = lift_home_of(p, e);
    uint64_t base = r->lift->test->locs[c->loc].address + (uint64_t)at;
    if (e->kind == EXPR_INT) return number(r, e->pos, e->value.lo - base);
    return expr_new(p, EXPR_SUB, e->pos, e, number(r, e->pos, base));
}

static int log_of(int size) {
    int n = 0;
    while (1 << n < size)
        n++;
    return n;
}

/* Returns the element of a location that an address has. */
static struct expr *element_of(struct resolver *r, const struct expr *address, const struct lift_way *c) {
    struct parser *p = r->p;
    int shift = log_of(type_bytes(r->lift->test->locs[c->loc].type));
    struct expr *bytes = distance(r, address, c, c->at);
    if (bytes->kind == EXPR_INT) return number(r, bytes->pos, bytes->value.lo >> shift);
    return shift ? expr_new(p, EXPR_SHR, bytes->pos, bytes, expr_int(p, bytes->pos, shift)) : bytes;
}

/* Returns the condition that an address lies in a location, at a given byte of one of its elements. */
static struct expr *is_there(struct resolver *r, const struct expr *address, const struct lift_way *c,
                             int size) {
    struct parser *p = r->p;
    const struct location *l = &r->lift->test->locs[c->loc];
    struct pos pos = address->pos;
    struct expr *within =
        expr_new(p, EXPR_LT, pos, distance(r, address, c, 0), number(r, pos, lift_bytes(l)));
    if (c->afar) within = expr_new(p, EXPR_LAND, pos, lift_is_afar(p, copy_of(r, address)), within);
    int element = type_bytes(l->type);
    if (size >= element) return within;
    struct expr *mask = number(r, pos, (uint64_t)element - 1);
    struct expr *at = expr_new(p, EXPR_AND, pos, distance(r, address, c, 0), mask);
    struct expr *same = expr_new(p, EXPR_EQ, pos, at, number(r, pos, (uint64_t)c->at));
    return expr_new(p, EXPR_LAND, pos, within, same);
}

/* Returns the location, or its view, with the access's type; -1: its elements are too small. If the result
 * depends on the sign of values (`ordered`), the type must have that sign. */
static int view_for(struct resolver *r, struct type type, bool ordered, const struct lift_way *c) {
    struct test *t = r->lift->test;
    const struct location *l = &t->locs[c->loc];
    int size = type_bytes(type), element = type_bytes(l->type);
    bool same = size == element && type.lanes == l->type.lanes && type.real == l->type.real &&
                (!ordered || type.sign == l->type.sign);
    if (size > element) return -1;
    return same ? c->loc : view_of_bytes(r->lift->arena, t, c->loc, type, c->at);
}

/* Sets a place for the location that its address has. */
static void set_place(struct resolver *r, struct op_place *place, int loc, const struct lift_way *c) {
    const struct expr *address = place->index;
    place->loc = loc;
    place->index = r->lift->test->locs[loc].array ? element_of(r, address, c) : NULL;
    place->rank = c->afar ? lift_rank_of(r->p, copy_of(r, address)) : NULL;
}

/* Converts a value; vectors that differ in sign only have the same bits. */
static struct expr *as_type(struct resolver *r, struct expr *e, struct type type) {
    if (!e || type_same(e->type, type)) return e;
    if (!type_is_vector(type) || e->type.lanes != type.lanes) return expr_cast(r->p, e, type);
    struct expr *lanes[4];
    for (int k = 0; k < type.lanes; k++)
        lanes[k] = expr_cast(r->p, expr_lane(r->p, e->pos, e, k), type_lane(type));
    return expr_vector(r->p, e->pos, type, lanes);
}

/* Sets the place of an mbarrier, or leaves an error that it is none. */
static void tell_mbarrier(struct resolver *r, struct op *op, const struct lift_way *c) {
    int loc = view_for(r, type_uint64, false, c);
    access_check_mbarrier(r->p, c->loc, op->pos);
    if (loc >= 0) set_place(r, &op->place[OP_DATA], loc, c);
}

/* Adds an access to a location. Its result becomes one of the access's own type. Operands of mbarrier
 * operations stay as they are. */
static void add_access(struct resolver *r, struct op op, const struct lift_chosen *c) {
    struct parser *p = r->p;
    bool ordered = op_rows[op.name].types == TYPES_ORDERED;
    int loc = view_for(r, lift_accessed(&op, 0), ordered, c->way[0]), dst = op.dst;
    struct type type = op_kinds[op.kind].mbarrier ? op.type : r->lift->test->locs[loc].type;
    bool converts = !type_same(type, op.type);
    set_place(r, &op.place[0], loc, c->way[0]);
    if (c->way[OP_DATA]) tell_mbarrier(r, &op, c->way[OP_DATA]);
    op.value = as_type(r, copy_of(r, op.value), type);
    op.expected = as_type(r, copy_of(r, op.expected), type);
    op.type = type;
    if (dst >= 0 && converts) op.dst = body_temporary(p, op.pos, type);
    stmt_add_op(p, op);
    if (dst < 0 || !converts) return;
    stmt_add_set(p, dst, as_type(r, body_value(p, op.dst, op.pos), p->body->regs[dst].type), op.pos);
}

/* Adds an access to a vector whose lanes are elements of the location: one access for each lane, in no order
 * (PTX ISA, "Vector Data-types"). */
static void add_lanes(struct resolver *r, const struct op *op, const struct lift_chosen *c) {
    struct parser *p = r->p;
    struct expr *lanes[4];
    struct type lane = type_lane(op->type);
    for (int k = 0; k < op->type.lanes; k++) {
        struct op part = *op;
        part.type = lane;
        part.joined = k > 0;
        part.value = op->value ? expr_lane(p, op->pos, op->value, k) : NULL;
        if (op->dst >= 0) part.dst = body_temporary(p, op->pos, lane);
        uint64_t further = (uint64_t)(k * type_bytes(lane));
        struct expr *at = copy_of(r, op->place[0].index);
        at = at->kind == EXPR_INT ? number(r, at->pos, at->value.lo + further)
                                  : expr_new(p, EXPR_ADD, at->pos, at, number(r, at->pos, further));
        part.place[0].index = at;
        /* if elements are larger, each lane begins elsewhere in its element */
        struct lift_way way = *c->way[0];
        way.at = (way.at + (int)further) % type_bytes(r->lift->test->locs[way.loc].type);
        struct lift_chosen of_lane = *c;
        of_lane.way[0] = &way;
        add_access(r, part, &of_lane);
        if (op->dst >= 0) lanes[k] = body_value(p, part.dst, op->pos);
    }
    if (op->dst >= 0) stmt_add_set(p, op->dst, expr_vector(p, op->pos, op->type, lanes), op->pos);
}

/* Gives both ends of a copy elements of the same type. */
static bool match_ends(struct resolver *r, struct op *op) {
    struct test *t = r->lift->test;
    int to = op->place[0].loc, from = op->place[1].loc;
    struct type type = op->kind == OP_REDUCE ? op->type : t->locs[to].type;
    if (!type_same(t->locs[to].type, type)) to = view_as(r->lift->arena, t, to, type);
    if (!type_same(t->locs[from].type, type)) from = view_as(r->lift->arena, t, from, type);
    if (to >= 0 && from >= 0) {
        op->place[0].loc = to;
        op->place[1].loc = from;
        op->type = type;
        return true;
    }
    const struct location *a = &t->locs[op->place[0].loc], *b = &t->locs[op->place[1].loc];
    fail(r, op->pos,
         arena_printf(r->lift->arena,
                      "a copy is between elements of one type: '%s' is of type %s, and '%s' of type %s",
                      a->name, type_name(a->type), b->name, type_name(b->type)));
    return false;
}

static void add_copy(struct resolver *r, struct op op, const struct lift_chosen *c) {
    for (int k = 0; k < OP_DATA; k++)
        set_place(r, &op.place[k], c->way[k]->loc, c->way[k]);
    if (c->way[OP_DATA]) tell_mbarrier(r, &op, c->way[OP_DATA]);
    if (c->way[OP_PLACES]) *(op.bytes ? &op.zeros : &op.bytes) = c->way[OP_PLACES]->at;
    op.value = NULL;
    if (!match_ends(r, &op)) return;
    const char *problem = copy_problem(r->lift->arena, r->lift->test, r->p->body, &op);
    if (problem)
        fail(r, op.pos, problem);
    else
        stmt_add_op(r->p, op);
}

static void add_operation(struct resolver *r, const struct op *op, const struct lift_chosen *c) {
    for (int k = 0; k < OP_PLACES; k++)
        if (c->way[k] && c->way[k]->local) {
            bool added = k == 0 && lift_add_local(r->p, r->kernel, op, c->way[k]->local);
            if (!added) fail(r, op->pos, "not supported yet: this access to .local memory");
            return;
        }
    if (lift_counts_bytes(op)) {
        add_copy(r, *op, c);
        return;
    }
    const struct location *l = &r->lift->test->locs[c->way[0]->loc];
    int element = type_bytes(l->type), size = lift_access_bytes(op, 0);
    bool ordered = op->order == ORDER_ACQUIRE || op->order == ORDER_RELEASE;
    bool one = !op_kinds[op->kind].engine && !ordered;
    if (size <= element)
        add_access(r, *op, c);
    else if (op->type.lanes > 1 && type_bytes(type_lane(op->type)) <= element && one)
        add_lanes(r, op, c);
    else
        fail(
            r, op->pos,
            arena_printf(r->lift->arena,
                         "this accesses %d bytes of '%s', whose elements have %d: give it a type of %d bytes",
                         size, l->name, element, size));
}

/* ---- the ways of all places ---- */

static void add_ways(struct resolver *r, const struct op *op, int place, struct lift_chosen c);

/* Returns the condition that a place is in this way. */
static struct expr *takes(struct resolver *r, const struct op *op, int place, const struct lift_way *c) {
    if (place < OP_PLACES && c->local)
        return expr_new(r->p, EXPR_EQ, op->pos, copy_of(r, op->place[place].index),
                        number(r, op->pos, c->local));
    if (place < OP_PLACES) return is_there(r, op->place[place].index, c, lift_access_bytes(op, place));
    struct expr *bytes = copy_of(r, op->value);
    return expr_new(r->p, EXPR_EQ, op->pos, bytes, lift_number(r->p, op->pos, bytes->type, (uint64_t)c->at));
}

/* Whether an address must be compared with its last way, too, because nothing else notices that it leads
 * elsewhere. (The index of an array is checked at run time.) A computed number of bytes is always compared,
 * since no other check would notice a wrong one. */
static bool can_lead_out(const struct resolver *r, const struct lift_found *f, const struct lift_way *way) {
    if (f->place == OP_PLACES) return f->op->value->kind != EXPR_INT;
    return f->open && f->place < OP_PLACES && (way->loc < 0 || !r->lift->test->locs[way->loc].array);
}

/* Adds "if (first way) ... else if ... else last way". */
static void add_each(struct resolver *r, const struct op *op, int place, int k, struct lift_chosen c) {
    struct parser *p = r->p;
    const struct lift_found *f = lift_find(&r->all, op, place);
    c.way[place] = &f->ways[k];
    bool last = k == f->n - 1;
    if (last && !can_lead_out(r, f, &f->ways[k])) {
        add_ways(r, op, place + 1, c);
        return;
    }
    struct stmts old = stmts_capture(p);
    add_ways(r, op, place + 1, c);
    struct stmts then = stmts_restore(p, old);
    old = stmts_capture(p);
    if (last)
        stmt_add_op(p, op_astray(op->pos));
    else
        add_each(r, op, place, k + 1, c);
    struct stmts orelse = stmts_restore(p, old);
    stmt_add_if(p, op->pos, takes(r, op, place, c.way[place]), then, orelse);
}

/* Whether the location of a place, or for OP_PLACES the number of bytes, is still to be found. */
static bool is_open(const struct op *op, int place) {
    if (place == OP_PLACES) return lift_counts_bytes(op) && op->value;
    return op_kinds[op->kind].touches[place] && op->place[place].loc < 0;
}

static void add_ways(struct resolver *r, const struct op *op, int place, struct lift_chosen c) {
    while (place <= OP_PLACES && !is_open(op, place))
        place++;
    if (place <= OP_PLACES)
        add_each(r, op, place, 0, c);
    else
        add_operation(r, op, &c);
}

/* If an address may not be a multiple of the access's size, puts the access behind a check; with such an
 * address it leads nowhere. */
static struct stmts check_alignment(struct resolver *r, const struct op *op, int place, struct stmts access) {
    struct parser *p = r->p;
    const struct expr *address = op->place[place].index;
    struct expr *mask = number(r, op->pos, (uint64_t)lift_access_bytes(op, place) - 1);
    struct expr *low = expr_new(p, EXPR_AND, op->pos, copy_of(r, address), mask);
    struct expr *is = expr_new(p, EXPR_EQ, op->pos, low, number(r, op->pos, 0));
    return stmts_if(p, op->pos, is, access, stmts_op(p, op_astray(op->pos)));
}

/* Replaces a statement by several. */
static void replace(struct stmt *s, struct stmts by) {
    struct stmt *next = s->next;
    *s = *by.first;
    if (by.first == by.last)
        s->next = next;
    else
        by.last->next = next;
}

/* Leaves an error about a place that cannot be found. */
static bool is_found(struct resolver *r, const struct op *op, int place) {
    const struct lift_found *f = lift_find(&r->all, op, place);
    if (place == OP_PLACES && (f->unknown || f->n == 0))
        fail(r, op->pos,
             "how many bytes this copies cannot be followed: it is computed from what memory holds");
    else if (f->unknown)
        fail(r, op->pos,
             "the address of this access cannot be followed: it is computed from what has no address");
    else if (f->n == 0)
        fail(r, op->pos,
             arena_printf(r->lift->arena, "this leads to address 0x%llx, where no location is%s",
                          (unsigned long long)f->nowhere, nearest(r, f->nowhere)));
    return f->n > 0 && !f->unknown;
}

static void resolve_access(struct resolver *r, struct stmt *s) {
    struct parser *p = r->p;
    const struct op *op = s->op;
    if (!lift_find(&r->all, op, 0)->kernel) { /* no thread reaches it */
        s->op = arena_alloc(r->lift->arena, sizeof *s->op);
        *s->op = op_astray(s->pos);
        return;
    }
    for (int k = 0; k <= OP_PLACES; k++)
        if (is_open(op, k) && !is_found(r, op, k)) return;
    struct stmts old = stmts_capture(p);
    add_ways(r, op, 0, (struct lift_chosen){0});
    struct stmts made = stmts_restore(p, old);
    for (int k = OP_PLACES - 1; k >= 0; k--)
        if (is_open(op, k) && lift_find(&r->all, op, k)->unaligned) made = check_alignment(r, op, k, made);
    if (made.first) replace(s, made);
}

static void resolve_list(struct resolver *r, struct stmt *s) {
    while (s) {
        struct stmt *next = s->next;
        resolve_list(r, s->body);
        resolve_list(r, s->orelse);
        if (s->kind == STMT_OP && is_open(s->op, 0)) resolve_access(r, s);
        s = next;
    }
}

/* Leaves an error if other accesses share the bytes of an mbarrier. */
static bool check_mbarriers(const struct stmt *s, void *ctx) {
    struct resolver *r = ctx;
    for (int k = 0; s->kind == STMT_OP && k < OP_PLACES; k++) {
        bool mbarrier =
            k == OP_DATA ? op_kinds[s->op->kind].touches[k] : op_kinds[s->op->kind].mbarrier && k == 0;
        if (!mbarrier || s->op->place[k].loc < 0) continue;
        const struct location *l = &r->lift->test->locs[s->op->place[k].loc];
        if (!l->grain && type_same(l->type, type_uint64) && space_rows[l->space].of_block) continue;
        fail(r, s->pos,
             arena_printf(r->lift->arena,
                          "not supported yet: an mbarrier in '%s', whose bytes are accessed otherwise, too",
                          l->name));
        return false;
    }
    return true;
}

void lift_resolve(struct lift *l) {
    struct resolver r = {.lift = l, .all = {.lift = l}};
    lift_shape_variables(&r.all);
    if (!lift_counts_locations(l)) return;
    for (int k = 0; k < l->nkernels; k++) {
        r.kernel = l->kernels[k];
        r.p = &l->kernels[k]->p;
        r.p->panic = false;
        resolve_list(&r, r.p->body->first);
    }
    for (int k = 0; k < l->nkernels && !l->failed; k++) {
        r.p = &l->kernels[k]->p;
        stmt_walk(r.p->body->first, check_mbarriers, &r);
    }
}
