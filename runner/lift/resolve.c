/* Gives each access its location: the one into which its address leads in every thread, or one of several by what the address
 * is. An access of another type than the location is one of a view. */
#include <stdlib.h>
#include <string.h>

#include "lift/reader.h"
#include "litmus/view.h"

enum { MAX_CANDIDATES = 64 };

/* Where an access may lead: to byte `at` of an element of a location. */
struct lift_way {
    int loc, at;
};

/* An access, and what is known of its address over all threads. */
struct found {
    const struct op *op;
    struct lift_way candidates[MAX_CANDIDATES];
    int n;
    bool unknown;     /* it can be anywhere */
    bool unaligned;   /* it may be no multiple of the access's size */
    uint64_t nowhere; /* an address that is in no location; 0: there is none */
};

struct resolver {
    struct lift *lift;
    struct found *found;
    int n;
    struct parser *p; /* of the kernel at hand */
};

/* What is accessed: an mbarrier, or a value of the operation's type. */
static struct type accessed_type(const struct op *op) {
    return op_kinds[op->kind].mbarrier ? type_uint64 : op->type;
}

static int access_bytes(const struct op *op) {
    return type_bytes(accessed_type(op));
}

/* ---- what addresses can be ---- */

static struct found *find(struct resolver *r, const struct op *op) {
    for (int k = 0; k < r->n; k++)
        if (r->found[k].op == op) return &r->found[k];
    r->found = arena_more(r->lift->arena, r->found, (size_t)r->n, sizeof *r->found);
    r->found[r->n] = (struct found){.op = op};
    return &r->found[r->n++];
}

static void add_candidate(struct found *f, int loc, int at) {
    for (int k = 0; k < f->n; k++)
        if (f->candidates[k].loc == loc && f->candidates[k].at == at) return;
    if (f->n == MAX_CANDIDATES)
        f->unknown = true;
    else
        f->candidates[f->n++] = (struct lift_way){loc, at};
}

/* The places in the elements of a location where an access can be. */
static void add_places(const struct test *t, struct found *f, int loc, int low, uint64_t rest) {
    int element = type_bytes(t->locs[loc].type), size = access_bytes(f->op);
    int step = low < 12 ? 1 << low : element;
    if (step < size) step = size;
    if (size >= element) {
        add_candidate(f, loc, 0);
        return;
    }
    for (int at = (int)(rest % (uint64_t)(step < element ? step : element)); at < element; at += step)
        add_candidate(f, loc, at);
}

static void note_value(const struct test *t, struct found *f, uint64_t address) {
    int loc = lift_location_at(t, address), size = access_bytes(f->op);
    if (address % (uint64_t)size) f->unaligned = true;
    if (loc < 0 || address - t->locs[loc].address >= lift_bytes(&t->locs[loc]))
        f->nowhere = address;
    else
        add_places(t, f, loc, 12, address - t->locs[loc].address);
}

static void note(void *ctx, const struct op *op, const struct lift_set *address) {
    struct resolver *r = ctx;
    const struct test *t = r->lift->test;
    struct found *f = find(r, op);
    for (int k = 0; k < address->n; k++)
        note_value(t, f, address->values[k]);
    if (!address->any) return;
    if (!address->locations) f->unknown = true;
    if (1 << address->low < access_bytes(op) || address->rest % (uint64_t)access_bytes(op))
        f->unaligned = true;
    for (int k = 0; k < t->nlocs; k++)
        if (address->locations >> k & 1) add_places(t, f, k, address->low, address->rest);
}

/* ---- the types of variables ---- */

/* A variable of the PTX has elements of the largest access to it. */
static void shape_variable(struct resolver *r, struct lift_variable *v) {
    struct type type = {.bits = 8, .lanes = 1};
    for (int k = 0; k < r->n; k++)
        for (int i = 0; i < r->found[k].n; i++)
            if (r->found[k].candidates[i].loc == v->loc && access_bytes(r->found[k].op) > type_bytes(type))
                type = accessed_type(r->found[k].op);
    lift_shape(r->lift, v, type);
}

/* ---- accesses ---- */

static void fail(struct resolver *r, struct pos pos, const char *text) {
    diag_error(r->lift->diag, r->p->source, pos, "%s", text);
    r->lift->failed = true;
}

/* "; 'out' begins 16 bytes further": the nearest location. */
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

static struct expr *number(struct resolver *r, struct pos pos, uint64_t n) {
    return lift_number(r->p, pos, type_uint64, n);
}

/* The address of an access, less that of a location. */
static struct expr *distance(struct resolver *r, const struct expr *address, int loc, int at) {
    struct parser *p = r->p;
    struct expr *e = expr_new(p, EXPR_CAST, address->pos, NULL, NULL);
    *e = *address;
    uint64_t base = r->lift->test->locs[loc].address + (uint64_t)at;
    if (e->kind == EXPR_INT) return number(r, e->pos, e->value.lo - base);
    return expr_new(p, EXPR_SUB, e->pos, e, number(r, e->pos, base));
}

static int log_of(int size) {
    int n = 0;
    while (1 << n < size)
        n++;
    return n;
}

/* The element of a location at an address. */
static struct expr *element_of(struct resolver *r, const struct expr *address, const struct lift_way *c) {
    struct parser *p = r->p;
    int shift = log_of(type_bytes(r->lift->test->locs[c->loc].type));
    struct expr *bytes = distance(r, address, c->loc, c->at);
    if (bytes->kind == EXPR_INT) return number(r, bytes->pos, bytes->value.lo >> shift);
    return shift ? expr_new(p, EXPR_SHR, bytes->pos, bytes, expr_int(p, bytes->pos, shift)) : bytes;
}

/* Whether an address is in a location, at a byte of its elements. */
static struct expr *is_there(struct resolver *r, const struct expr *address, const struct lift_way *c,
                             int size) {
    struct parser *p = r->p;
    const struct location *l = &r->lift->test->locs[c->loc];
    struct pos pos = address->pos;
    struct expr *within =
        expr_new(p, EXPR_LT, pos, distance(r, address, c->loc, 0), number(r, pos, lift_bytes(l)));
    int element = type_bytes(l->type);
    if (size >= element) return within;
    struct expr *mask = number(r, pos, (uint64_t)element - 1);
    struct expr *at = expr_new(p, EXPR_AND, pos, distance(r, address, c->loc, 0), mask);
    struct expr *same = expr_new(p, EXPR_EQ, pos, at, number(r, pos, (uint64_t)c->at));
    return expr_new(p, EXPR_LAND, pos, within, same);
}

/* The location of an access as one of its type; -1 where its elements are too small. */
static int view_for(struct resolver *r, const struct op *op, const struct lift_way *c) {
    struct test *t = r->lift->test;
    const struct location *l = &t->locs[c->loc];
    struct type type = accessed_type(op);
    int size = type_bytes(type), element = type_bytes(l->type);
    bool same = size == element && type.lanes == l->type.lanes && type.real == l->type.real;
    if (size > element) return -1;
    return same ? c->loc : view_of_bytes(r->lift->arena, t, c->loc, type, c->at);
}

static struct expr *as_type(struct resolver *r, struct expr *e, struct type type) {
    return e && !type_is_vector(type) ? expr_cast(r->p, e, type) : e;
}

static struct expr *copy_of(struct resolver *r, const struct expr *e) {
    if (!e) return NULL;
    struct expr *copy = arena_alloc(r->lift->arena, sizeof *copy);
    *copy = *e;
    return copy;
}

/* Adds an access to a location; its register, of the access's type, or -1. What an mbarrier is given stays as it is. */
static void add_access(struct resolver *r, struct op op, const struct expr *address,
                       const struct lift_way *c) {
    struct parser *p = r->p;
    int loc = view_for(r, &op, c), dst = op.dst;
    struct type type = op_kinds[op.kind].mbarrier ? op.type : r->lift->test->locs[loc].type;
    bool converts = !type_same(type, op.type);
    op.place[0].loc = loc;
    op.place[0].index = r->lift->test->locs[loc].array ? element_of(r, address, c) : NULL;
    op.value = as_type(r, copy_of(r, op.value), type);
    op.expected = as_type(r, copy_of(r, op.expected), type);
    op.type = type;
    if (dst >= 0 && converts) op.dst = body_temporary(p, op.pos, type);
    stmt_add_op(p, op);
    if (dst < 0 || !converts) return;
    struct stmt *s = stmt_add(p, STMT_SET, op.pos);
    s->reg = dst;
    s->value = expr_cast(p, body_value(p, op.dst, op.pos), p->body->regs[dst].type);
}

/* A vector whose lanes are elements of the location: an access each (PTX ISA, "Vector Data-types"). */
static void add_lanes(struct resolver *r, const struct op *op, const struct expr *address,
                      const struct lift_way *c) {
    struct parser *p = r->p;
    struct expr *lanes[4];
    struct type lane = type_lane(op->type);
    for (int k = 0; k < op->type.lanes; k++) {
        struct op part = *op;
        part.type = lane;
        part.value = op->value ? expr_lane(p, op->pos, op->value, k) : NULL;
        if (op->dst >= 0) part.dst = body_temporary(p, op->pos, lane);
        uint64_t further = (uint64_t)(k * type_bytes(lane));
        struct expr *at = copy_of(r, address);
        at = at->kind == EXPR_INT ? number(r, at->pos, at->value.lo + further)
                                  : expr_new(p, EXPR_ADD, at->pos, at, number(r, at->pos, further));
        add_access(r, part, at, c);
        if (op->dst >= 0) lanes[k] = body_value(p, part.dst, op->pos);
    }
    if (op->dst < 0) return;
    struct stmt *s = stmt_add(p, STMT_SET, op->pos);
    s->reg = op->dst;
    s->value = expr_vector(p, op->pos, op->type, lanes);
}

static void add_candidate_access(struct resolver *r, const struct op *op, const struct lift_way *c) {
    const struct location *l = &r->lift->test->locs[c->loc];
    int element = type_bytes(l->type);
    bool ordered = op->order == ORDER_ACQUIRE || op->order == ORDER_RELEASE;
    if (access_bytes(op) <= element)
        add_access(r, *op, op->place[0].index, c);
    else if (op->type.lanes > 1 && type_bytes(type_lane(op->type)) <= element && !ordered)
        add_lanes(r, op, op->place[0].index, c);
    else
        fail(
            r, op->pos,
            arena_printf(r->lift->arena,
                         "this accesses %d bytes of '%s', whose elements have %d: give it a type of %d bytes",
                         access_bytes(op), l->name, element, access_bytes(op)));
}

/* if (it is in the first) ... else if ... else the last */
static void add_candidates(struct resolver *r, const struct op *op, const struct found *f, int k) {
    struct parser *p = r->p;
    if (k == f->n - 1) {
        add_candidate_access(r, op, &f->candidates[k]);
        return;
    }
    struct stmts old = stmts_capture(p);
    add_candidate_access(r, op, &f->candidates[k]);
    struct stmts then = stmts_restore(p, old);
    old = stmts_capture(p);
    add_candidates(r, op, f, k + 1);
    struct stmts orelse = stmts_restore(p, old);
    stmt_add_if(p, op->pos, is_there(r, op->place[0].index, &f->candidates[k], access_bytes(op)), then,
                orelse);
}

/* An access to an address that is no multiple of its size is a fault. */
static void add_check(struct resolver *r, const struct op *op) {
    struct parser *p = r->p;
    const struct expr *address = op->place[0].index;
    struct expr *mask = number(r, op->pos, (uint64_t)access_bytes(op) - 1);
    struct stmts old = stmts_capture(p);
    stmt_add_op(p, op_make(TRAP_HERE, op->pos));
    struct stmts then = stmts_restore(p, old);
    stmt_add_if(p, op->pos,
                expr_new(p, EXPR_NE, op->pos, expr_new(p, EXPR_AND, op->pos, copy_of(r, address), mask),
                         number(r, op->pos, 0)),
                then, (struct stmts){0});
}

/* Puts statements where one stands. */
static void replace(struct stmt *s, struct stmts by) {
    struct stmt *next = s->next;
    *s = *by.first;
    if (by.first == by.last)
        s->next = next;
    else
        by.last->next = next;
}

static void resolve_access(struct resolver *r, struct stmt *s) {
    struct parser *p = r->p;
    const struct op *op = s->op;
    struct found *f = find(r, op);
    if (f->unknown) {
        fail(r, op->pos,
             "the address of this access cannot be followed: it is computed from what has no address");
        return;
    }
    if (f->n == 0) {
        fail(r, op->pos,
             arena_printf(r->lift->arena, "this leads to address 0x%llx, where no location is%s",
                          (unsigned long long)f->nowhere, nearest(r, f->nowhere)));
        return;
    }
    struct stmts old = stmts_capture(p);
    if (f->unaligned) add_check(r, op);
    add_candidates(r, op, f, 0);
    struct stmts made = stmts_restore(p, old);
    if (made.first) replace(s, made);
}

static void resolve_list(struct resolver *r, struct stmt *s) {
    while (s) {
        struct stmt *next = s->next;
        bool access = s->kind == STMT_OP && op_kinds[s->op->kind].touches[0] && s->op->place[0].loc < 0;
        resolve_list(r, s->body);
        if (access) resolve_access(r, s);
        s = next;
    }
}

static bool refuse_engine(const struct stmt *s, void *ctx) {
    if (s->kind == STMT_OP && op_kinds[s->op->kind].engine)
        fail(ctx, s->pos, "not supported yet: asynchronous copies in whole kernels");
    return true;
}

static void refuse_engines(struct resolver *r) {
    for (int k = 0; k < r->lift->nkernels; k++) {
        r->p = &r->lift->kernels[k]->p;
        stmt_walk(r->p->body->first, refuse_engine, r);
    }
}

void lift_resolve(struct lift *l) {
    struct resolver r = {.lift = l};
    refuse_engines(&r);
    if (l->failed) return;
    lift_find_values(l, note, &r);
    for (int k = 0; k < l->nvariables; k++)
        shape_variable(&r, &l->variables[k]);
    r.n = 0;
    lift_find_values(l, note, &r);
    for (int k = 0; k < l->nkernels; k++) {
        r.p = &l->kernels[k]->p;
        r.p->panic = false;
        resolve_list(&r, r.p->body->first);
    }
}
