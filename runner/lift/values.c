/* Finds what registers can hold, thread by thread, whatever the reads return. From this follows into which
 * locations an address can lead.
 *
 * A register can hold what any of its assignments gives it, in any order. A load returns any number; but if
 * that number is an address, it is one that some location holds at first or that some thread stores. A set of
 * numbers that grows too large becomes a set of any numbers, with the locations in which the numbers lie. So
 * an address stays in its location; or it leads out of it, which is an error when the address is used. */
#include <string.h>

#include "lift/reader.h"

/* What some bytes of .local memory can hold. */
struct lift_cell {
    struct lift_set set;
    int size; /* 0: nothing was written there */
};

/* The result of an operator for given operands in a thread. */
struct lift_known {
    const struct expr *e;
    struct lift_known *next;
    int run; /* the number of the thread; it does not hold for other threads */
    struct lift_set a, b, out;
};

/* A thread, and what its registers can hold. */
struct lift_flow {
    struct arena *arena;
    struct lift_known **known; /* lists of operators with known results */
    int run;                   /* how many threads have run, including this one */
    const struct test *test;
    const struct lift_kernel *kernel;
    struct expr_env env;
    struct lift_set *regs;
    const struct expr **
        /* of each register: the comparison that it holds, of a register that is unchanged since; or NULL */
        current;
    int *comparing; /* the registers that hold such a result */
    int ncomparing;
    uint64_t *held;           /* of each location: the locations whose address it can hold */
    bool *reached;            /* of each label */
    struct lift_cell **cells; /* of each variable in .local memory and byte */
    bool changed;
    lift_teller *tell; /* NULL: the sets are still growing */
    void *ctx;
};

enum { MAX_CELL = 8, KNOWN_BUCKETS = 256 };

/* ---- expressions ---- */

static struct lift_set eval(struct lift_flow *f, const struct expr *e);

/* Applies the operator to each value of some, from number `from` on, with each of the others. */
static void combine_from(const struct lift_flow *f, const struct expr *e, uint64_t a,
                         const struct lift_set *b, int from, struct lift_set *out) {
    for (int k = from; k < b->n; k++) {
        struct value x = {.lo = a}, y = {.lo = b->values[k]};
        lift_set_add(f->test, out, value_apply(e->kind, e->a->type, x, y).lo);
    }
}

/* Returns the entry of an operator; it may still be that of an earlier thread. */
static struct lift_known *known_of(struct lift_flow *f, const struct expr *e) {
    struct lift_known **bucket = &f->known[(uintptr_t)e / sizeof *e % KNOWN_BUCKETS], *k = *bucket;
    while (k && k->e != e)
        k = k->next;
    if (k) return k;
    k = arena_alloc(f->arena, sizeof *k);
    *k = (struct lift_known){.e = e, .next = *bucket};
    return *bucket = k;
}

static bool begins_with(const struct lift_set *s, const struct lift_set *first) {
    return first->n <= s->n && memcmp(first->values, s->values, (size_t)first->n * sizeof *s->values) == 0;
}

/* Applies an operator to each pair of values of two sets. The sets of a loop's registers grow with each pass,
 * so pairs that were applied before are skipped. */
static struct lift_set combine(struct lift_flow *f, const struct expr *e, const struct lift_set *a,
                               const struct lift_set *b) {
    struct lift_known *known = known_of(f, e);
    if (known->run != f->run || !begins_with(a, &known->a) || !begins_with(b, &known->b))
        *known = (struct lift_known){.e = e, .next = known->next, .run = f->run};
    for (int i = 0; i < a->n; i++)
        combine_from(f, e, a->values[i], b, i < known->a.n ? known->b.n : 0, &known->out);
    known->a = *a;
    known->b = *b;
    return known->out;
}

/* Lists what any number can become by a mask or a division by a number. False: that is too much. */
static bool leave_few(const struct lift_flow *f, const struct expr *e, uint64_t y, struct lift_set *out) {
    bool masks = e->kind == EXPR_AND, divides = e->kind == EXPR_MOD && !e->type.sign && y;
    uint64_t most = divides ? y - 1 : y, k = 0;
    *out = (struct lift_set){0};
    do {
        lift_set_add(f->test, out, k);
        k = masks ? (k - y) & y : k + 1; /* the next subset of the mask's bits */
    } while ((masks ? k != 0 : k <= most) && out->n < LIFT_MAX_VALUES && (masks || divides));
    return (masks && k == 0) || (divides && k > most);
}

/* Finds the low bits of a result as far as the operands determine them. */
static struct lift_set guess_bits(const struct lift_flow *f, const struct expr *e, const struct lift_set *a,
                                  const struct lift_set *b) {
    uint64_t x = 0, y = 0, locations = lift_locations_of(f->test, a) | lift_locations_of(f->test, b);
    int low_a = lift_set_shared_bits(a, &x), low_b = e->b ? lift_set_shared_bits(b, &y) : 0;
    int low = low_a < low_b ? low_a : low_b;
    bool by_number = !b->any && b->n == 1;
    struct lift_set few;
    if (by_number && e->type.bits <= 64 && !lift_locations_of(f->test, a) && !lift_locals_of(a) &&
        leave_few(f, e, y, &few))
        return few;
    switch (e->kind) {
    case EXPR_ADD: return lift_set_any(locations, low, x + y);
    case EXPR_SUB: return lift_set_any(locations, low, x - y);
    case EXPR_OR: return lift_set_any(locations, low, x | y);
    case EXPR_XOR: return lift_set_any(locations, low, x ^ y);
    case EXPR_AND: return lift_set_any(locations, low, x & y);
    case EXPR_SHL:
        if (by_number && y < 32) return lift_set_any(locations, (low_a < 12 ? low_a : 12) + (int)y, x << y);
        break;
    case EXPR_MUL: {
        int shift = 0;
        while (by_number && y && shift < 12 && !(y >> shift & 1))
            shift++;
        return lift_set_any(locations, shift, 0);
    }
    default: break;
    }
    return lift_set_any(locations, 0, 0);
}

static struct lift_set guess(const struct lift_flow *f, const struct expr *e, const struct lift_set *a,
                             const struct lift_set *b) {
    struct lift_set out = guess_bits(f, e, a, b);
    if (out.any) out.locals = lift_locals_of(a) | lift_locals_of(b);
    return out;
}

static const struct expr *without_casts(const struct expr *e) {
    while (e->kind == EXPR_CAST)
        e = e->a;
    return e;
}

/* Whether the expression compares a register with a number. */
static bool compares_register(const struct expr *e) {
    return e->kind >= EXPR_LT && e->kind <= EXPR_NE && e->b->kind == EXPR_INT &&
           without_casts(e->a)->kind == EXPR_REG;
}

static bool is_comparison(enum expr_kind kind) {
    return (kind >= EXPR_LT && kind <= EXPR_NE) || kind == EXPR_LAND || kind == EXPR_LOR || kind == EXPR_NOT;
}

static struct lift_set eval_operator(struct lift_flow *f, const struct expr *e) {
    struct lift_set a = eval(f, e->a), b = e->b ? eval(f, e->b) : lift_set_one(0);
    if (lift_set_is_empty(&a) || lift_set_is_empty(&b)) return (struct lift_set){0};
    bool wide =
        e->type.bits > 64 || e->a->type.bits > 64 || type_is_vector(e->type) || type_is_vector(e->a->type);
    if (is_comparison(e->kind) && (a.any || b.any)) return (struct lift_set){.n = 2, .values = {0, 1}};
    return a.any || b.any || wide ? guess(f, e, &a, &b) : combine(f, e, &a, &b);
}

static struct lift_set eval_cast(struct lift_flow *f, const struct expr *e) {
    struct lift_set a = eval(f, e->a), out = {0};
    if (a.any || e->type.bits > 64 || e->a->type.bits > 64) {
        int bits = e->type.bits < e->a->type.bits ? e->type.bits : e->a->type.bits;
        if (lift_set_is_empty(&a)) return a;
        if (!a.any) a = lift_set_widen(f->test, &a);
        struct lift_set wide = lift_set_any(a.locations, a.low < bits ? a.low : bits, a.rest);
        wide.locals = a.locals;
        return wide;
    }
    for (int k = 0; k < a.n; k++)
        lift_set_add(f->test, &out, value_convert((struct value){.lo = a.values[k]}, e->a->type, e->type).lo);
    return out;
}

/* Returns the comparison of a register with a number, unchanged since, on which a choice depends; or NULL. */
static const struct expr *comparison_of(const struct lift_flow *f, const struct expr *choice) {
    const struct expr *e = without_casts(choice->a);
    if (e->kind == EXPR_REG) e = f->current[e->index];
    return e && compares_register(e) ? e : NULL;
}

/* Returns the value of the compared register as the comparison sees it. */
static struct value seen_of(const struct expr *e, uint64_t value) {
    if (e->kind != EXPR_CAST) return (struct value){.lo = value};
    return value_convert(seen_of(e->a, value), e->a->type, e->type);
}

/* Evaluates one side of a choice. In "next == 2 ? 0 : next" the other side is never 2: values with which the
 * comparison would choose the other side are left out of the register's set. */
static struct lift_set eval_side(struct lift_flow *f, const struct expr *e, bool chosen) {
    const struct expr *side = chosen ? e->b : e->c, *c = comparison_of(f, e);
    if (!c) return eval(f, side);
    struct lift_set *reg = &f->regs[without_casts(c->a)->index], whole = *reg;
    int n = 0;
    for (int k = 0; k < whole.n && !whole.any; k++) {
        struct value v = seen_of(c->a, whole.values[k]);
        if ((value_apply(c->kind, c->a->type, v, c->b->value).lo != 0) == chosen)
            reg->values[n++] = whole.values[k];
    }
    if (!whole.any) reg->n = n;
    struct lift_set out = eval(f, side);
    *reg = whole;
    return out;
}

static struct lift_set eval_choice(struct lift_flow *f, const struct expr *e) {
    struct lift_set a = eval(f, e->a), out = {0};
    if (lift_set_is_empty(&a)) return out;
    struct lift_set b = eval_side(f, e, true), c = eval_side(f, e, false);
    if (a.any || a.n > 1 || a.values[0]) lift_set_join(f->test, &out, &b);
    if (a.any || lift_set_holds(&a, 0)) lift_set_join(f->test, &out, &c);
    return out;
}

/* Returns the ranks of blocks, or the numbers of blocks in clusters, that the placements give. */
static struct lift_set eval_rank(const struct lift_flow *f, bool size) {
    enum { MAX_BLOCKS = 16 };
    int blocks = 0;
    for (int k = 0; k < f->test->nbodies; k++)
        blocks += f->test->bodies[k].grid ? f->test->bodies[k].grid : 1;
    struct lift_set out = lift_set_one((uint64_t)size);
    for (int k = 1; k < blocks && k < MAX_BLOCKS; k++)
        out.values[out.n++] = (uint64_t)(k + size);
    return out;
}

static struct lift_set eval(struct lift_flow *f, const struct expr *e) {
    switch (e->kind) {
    case EXPR_INT:
        if (e->type.bits > 64 || type_is_vector(e->type)) return lift_set_any(0, 0, 0);
        return lift_set_one(e->value.lo);
    case EXPR_REG: return f->regs[e->index];
    case EXPR_TID:
    case EXPR_COUNT:
    case EXPR_BLOCK:
    case EXPR_THREAD: return lift_set_one(expr_eval(e, &f->env).lo);
    case EXPR_RANK:
    case EXPR_RANKS: return eval_rank(f, e->kind == EXPR_RANKS);
    case EXPR_CAST: return eval_cast(f, e);
    case EXPR_COND: return eval_choice(f, e);
    default: return eval_operator(f, e);
    }
}

/* ---- statements ---- */

static void set(struct lift_flow *f, int reg, const struct lift_set *value) {
    if (reg >= 0 && lift_set_join(f->test, &f->regs[reg], value)) f->changed = true;
}

/* Returns the locations whose addresses the locations of a set can hold. */
static uint64_t held_by(const struct lift_flow *f, uint64_t locations) {
    uint64_t all = 0;
    for (int k = 0; k < f->test->nlocs; k++)
        if (locations >> k & 1) all |= f->held[k];
    return all;
}

static void keep(struct lift_flow *f, uint64_t locations, uint64_t held) {
    for (int k = 0; k < f->test->nlocs; k++)
        if (locations >> k & 1 && held & ~f->held[k]) {
            f->held[k] |= held;
            f->changed = true;
        }
}

/* Runs an operation at one of its places. Returns the locations whose addresses can be found there, and adds
 * those of `given` to what it can hold. */
static uint64_t run_place(struct lift_flow *f, const struct op *op, int k, uint64_t given) {
    enum touch touch = op_kinds[op->kind].touches[k];
    if (!touch || !op->place[k].index) return given;
    struct lift_set address = eval(f, op->place[k].index);
    uint64_t there = op->place[k].loc >= 0 ? 0 : lift_locations_of(f->test, &address);
    if (f->tell && op->place[k].loc < 0 && !lift_set_is_empty(&address))
        f->tell(f->ctx, f->kernel, op, k, &address);
    if (touch & TOUCH_WRITES) keep(f, there, given);
    return held_by(f, there);
}

/* Returns the bytes at an address in .local memory; NULL: it is elsewhere. */
static struct lift_cell *cell_at(const struct lift_flow *f, uint64_t address, int *at, int *bytes) {
    const struct lift_local *l = lift_is_local(address) ? lift_local_at(f->kernel, address) : NULL;
    if (!l) return NULL;
    *at = (int)(address - l->address);
    *bytes = l->bytes;
    return f->cells[l - f->kernel->locals];
}

/* Adds what a read of these bytes can return. If they were written with other sizes, that is any number. */
static void read_cells(struct lift_flow *f, const struct lift_cell *cells, int at, int size, int bytes,
                       struct lift_set *out) {
    for (int k = at > MAX_CELL ? at - MAX_CELL : 0; k < at + size && k < bytes; k++) {
        if (!cells[k].size || k + cells[k].size <= at) continue;
        struct lift_set found = cells[k].set;
        if (k != at || cells[k].size != size) found = lift_set_any(lift_locations_of(f->test, &found), 0, 0);
        lift_set_join(f->test, out, &found);
    }
}

/* Runs a load or a store at an address in .local memory. */
static void run_cell(struct lift_flow *f, const struct op *op, struct lift_cell *cells, int at, int bytes,
                     const struct lift_set *given, struct lift_set *out) {
    if (op->kind == OP_LOAD) read_cells(f, cells, at, type_bytes(op->type), bytes, out);
    if (op->kind != OP_STORE) return;
    if (cells[at].size < type_bytes(op->type)) {
        cells[at].size = type_bytes(op->type);
        f->changed = true;
    }
    if (lift_set_join(f->test, &cells[at].set, given)) f->changed = true;
}

/* Runs an access at its addresses in .local memory. Returns whether it can be elsewhere, too. */
static bool run_local(struct lift_flow *f, const struct op *op, const struct lift_set *given,
                      struct lift_set *out) {
    struct lift_set address = eval(f, op->place[0].index);
    bool elsewhere = (address.any && (address.locations || !address.locals)) || op->place[0].loc >= 0;
    for (int k = 0; k < address.n && op->place[0].loc < 0; k++) {
        int at, bytes;
        struct lift_cell *cells = cell_at(f, address.values[k], &at, &bytes);
        if (cells)
            run_cell(f, op, cells, at, bytes, given, out);
        else
            elsewhere = true;
    }
    for (int k = 0; k < f->kernel->nlocals && address.any && op->place[0].loc < 0; k++) {
        int bytes = f->kernel->locals[k].bytes, size = type_bytes(op->type);
        for (int at = 0; at + size <= bytes && address.locals >> k & 1; at += size)
            run_cell(f, op, f->cells[k], at, bytes, given, out);
    }
    return elsewhere;
}

/* Runs the places of an operation; the source of a copy comes first. */
static void run_op(struct lift_flow *f, const struct op *op) {
    struct lift_set given = op->value ? eval(f, op->value) : (struct lift_set){0};
    uint64_t held = lift_locations_of(f->test, &given);
    if (f->tell && op->value && lift_counts_bytes(op) && !lift_set_is_empty(&given))
        f->tell(f->ctx, f->kernel, op, OP_PLACES, &given);
    run_place(f, op, 2, 0);
    struct lift_set result = lift_set_any(run_place(f, op, 0, run_place(f, op, 1, held)), 0, 0), local = {0};
    if (op->place[0].index && !run_local(f, op, &given, &local)) result = local;
    if (result.any) lift_set_join(f->test, &result, &local);
    set(f, op->dst, &result);
}

static void forget_comparisons(struct lift_flow *f) {
    while (f->ncomparing > 0)
        f->current[f->comparing[--f->ncomparing]] = NULL;
}

/* Records that a register is assigned: `value`, or NULL for a value that is no comparison. */
static void change(struct lift_flow *f, int reg, const struct expr *value) {
    if (reg < 0) return;
    bool compares = value && compares_register(value) && without_casts(value->a)->index != reg;
    int left = 0;
    for (int k = 0; k < f->ncomparing; k++) {
        int holder = f->comparing[k];
        if (holder == reg || without_casts(f->current[holder]->a)->index == reg)
            f->current[holder] = NULL;
        else
            f->comparing[left++] = holder;
    }
    if (compares) f->comparing[left++] = reg, f->current[reg] = value;
    f->ncomparing = left;
}

/* Whether a condition can be true (or false). A condition of which nothing is known yet can be both. */
static bool can_be(const struct lift_set *s, bool truth) {
    bool open = s->any || lift_set_is_empty(s);
    return open || (truth ? s->n > 1 || s->values[0] : lift_set_holds(s, 0));
}

/* Runs a branch. Returns whether the thread may go on behind it. */
static bool run_branch(struct lift_flow *f, const struct stmt *s) {
    struct lift_set value = s->value ? eval(f, s->value) : lift_set_one(1);
    if (can_be(&value, true) && !f->reached[s->label]) f->reached[s->label] = f->changed = true;
    return can_be(&value, false);
}

static void run_list(struct lift_flow *f, const struct stmt *s);

static void run_guarded(struct lift_flow *f, const struct stmt *s) {
    struct lift_set value = eval(f, s->value);
    forget_comparisons(f);
    if (can_be(&value, true)) run_list(f, s->body);
    forget_comparisons(f);
    if (can_be(&value, false)) run_list(f, s->orelse);
    forget_comparisons(f);
}

/* Runs a list of statements. Branches that cannot be taken are not followed, because an index may be valid
 * only behind a comparison. A place that is reached from several statements gets what any of them leaves. */
static void run_list(struct lift_flow *f, const struct stmt *s) {
    for (bool live = true; s; s = s->next) {
        if (s->kind == STMT_LABEL) {
            live = live || f->reached[s->label];
            forget_comparisons(f);
        }
        if (!live) continue;
        if (s->kind == STMT_SET) {
            struct lift_set value = eval(f, s->value);
            set(f, s->reg, &value);
            change(f, s->reg, without_casts(s->value));
        } else if (s->kind == STMT_OP) {
            run_op(f, s->op);
            change(f, s->op->dst, NULL);
        } else if (s->kind == STMT_GOTO) {
            live = run_branch(f, s);
        } else if (s->kind == STMT_IF) {
            run_guarded(f, s);
        }
    }
}

/* Runs a thread's statements until nothing changes. Returns whether what locations hold has changed. */
static bool run_thread(struct lift *l, struct lift_flow *f, const struct body *b, int tid) {
    bool more = false;
    f->env = body_env(b, tid);
    memset(f->regs, 0, (size_t)b->nregs * sizeof *f->regs);
    f->run++;
    memset(f->reached, 0, ((size_t)b->nlabels + 1) * sizeof *f->reached);
    for (int k = 0; k < f->kernel->nlocals; k++)
        memset(f->cells[k], 0, (size_t)f->kernel->locals[k].bytes * sizeof *f->cells[k]);
    uint64_t *before = arena_array(l->arena, LIFT_MAX_LOCATIONS, sizeof *before);
    memcpy(before, f->held, LIFT_MAX_LOCATIONS * sizeof *before);
    do {
        f->changed = false;
        forget_comparisons(f);
        run_list(f, b->first);
    } while (f->changed);
    more = memcmp(before, f->held, LIFT_MAX_LOCATIONS * sizeof *before) != 0;
    return more;
}

static uint64_t locations_of(const struct test *t, uint64_t address) {
    struct lift_set s = lift_set_one(address);
    return lift_locations_of(t, &s);
}

/* Fills in the addresses that locations hold at first. Until a variable has a type, any eight of its bytes
 * may be an address. */
static void hold_initial(const struct lift *lift, uint64_t *held) {
    const struct test *t = lift->test;
    for (int k = 0; k < t->nlocs && k < LIFT_MAX_LOCATIONS; k++) {
        const struct location *l = &t->locs[k];
        for (int i = 0; i < l->count && type_bytes(l->type) == 8; i++)
            held[k] |= locations_of(t, location_init(l, i).lo);
    }
    for (int k = 0; k < lift->nvariables; k++) {
        const struct lift_variable *v = &lift->variables[k];
        for (int at = 0; v->initial && !v->shaped && at + 8 <= v->bytes; at += 4) {
            uint64_t word;
            memcpy(&word, v->initial + at, sizeof word);
            held[v->loc] |= locations_of(t, word);
        }
    }
}

static struct lift_cell **make_cells(struct arena *a, const struct lift_kernel *k) {
    struct lift_cell **cells = arena_array(a, (size_t)k->nlocals + 1, sizeof *cells);
    for (int i = 0; i < k->nlocals; i++)
        cells[i] = arena_array(a, (size_t)k->locals[i].bytes + 1, sizeof **cells);
    return cells;
}

bool lift_counts_bytes(const struct op *op) {
    return op_kinds[op->kind].engine && op_kinds[op->kind].touches[1];
}

void lift_find_values(struct lift *l, lift_teller *f, void *ctx) {
    struct lift_flow flow = {.test = l->test, .arena = l->arena};
    flow.known = arena_array(l->arena, KNOWN_BUCKETS, sizeof *flow.known);
    flow.held = arena_array(l->arena, LIFT_MAX_LOCATIONS, sizeof *flow.held);
    hold_initial(l, flow.held);
    for (bool more = true, last = false; more || !last;) {
        last = !more;
        flow.tell = last ? f : NULL;
        flow.ctx = ctx;
        more = false;
        for (int k = 0; k < l->nkernels; k++) {
            const struct body *b = l->kernels[k]->p.body;
            flow.regs = arena_array(l->arena, (size_t)b->nregs, sizeof *flow.regs);
            flow.current = arena_array(l->arena, (size_t)b->nregs, sizeof *flow.current);
            flow.comparing = arena_array(l->arena, (size_t)b->nregs, sizeof *flow.comparing);
            flow.ncomparing = 0;
            flow.reached = arena_array(l->arena, (size_t)b->nlabels + 1, sizeof *flow.reached);
            flow.kernel = l->kernels[k];
            flow.cells = make_cells(l->arena, flow.kernel);
            for (int tid = 0; tid < b->count; tid++)
                more = run_thread(l, &flow, b, tid) || more;
        }
    }
}
