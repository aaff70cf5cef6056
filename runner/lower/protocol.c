/* Barriers that libraries make of atomic operations: the operations that their headers make of them. */
#include "lower/lower.h"

static const unsigned flipped_bit = 1u << 31;

static struct expr *unsigned_number(struct parser *p, struct pos pos, unsigned n) {
    return expr_cast(p, expr_int(p, pos, (int)n), type_unsigned);
}

/* The value of a load or of an atomic operation, of the type of the place; NULL of a store. */
static struct expr *add_access(struct parser *p, enum op_name name, const struct place *at, enum order order,
                               enum scope scope, struct expr *value) {
    struct op op = op_make(name, at->pos);
    op.place[0].loc = at->loc;
    op.place[0].index = at->index;
    op.type = p->test->locs[at->loc].type;
    op.order = order;
    op.scope = scope;
    op.value = value;
    struct op *added = stmt_add_op(p, op);
    return op_kinds[op.kind].returns ? access_result(p, added) : NULL;
}

static void add_if(struct parser *p, struct expr *value, struct stmts body) {
    struct stmt *s = stmt_add(p, STMT_IF, value->pos);
    s->value = value;
    s->body = body.first;
}

/* ---- the barrier of a grid (cooperative_groups/details/sync.h) ---- */

/* The word of a grid, which no text can name. */
static struct place grid_word(struct parser *p, struct pos pos) {
    struct test *t = p->test;
    const char *name = arena_printf(p->arena, "_grid_%s", p->body->name);
    int loc = find_location(t, name);
    if (loc < 0) {
        size_t n = (size_t)t->nlocs;
        t->locs = arena_grow(p->arena, t->locs, n, n + 1, sizeof *t->locs);
        loc = t->nlocs++;
        t->locs[loc] = (struct location){.name = name,
                                         .pos = pos,
                                         .type = type_unsigned,
                                         .space = SPACE_GLOBAL,
                                         .count = 1,
                                         .instances = 1};
    }
    return (struct place){.loc = loc, .pos = pos};
}

/* Whether the thread is the first of its block, or of its grid. */
static struct expr *is_first(struct parser *p, enum group_kind of, struct pos pos) {
    return expr_new(p, EXPR_EQ, pos, grid_rank(p, of, pos), expr_int(p, pos, 0));
}

/* One thread of each block adds 1, but that of the first block as much as flips the highest bit when all have come. */
struct expr *protocol_grid_arrive(struct parser *p, struct pos pos) {
    struct place word = grid_word(p, pos);
    unsigned rest = flipped_bit - (unsigned)(p->body->grid - 1);
    int old = body_temporary(p, pos, type_unsigned);
    body_set(p, old, unsigned_number(p, pos, 0), pos);
    groups_add_barrier(p, MEET_CTA, pos);
    struct stmts before = stmts_capture(p);
    struct expr *more = expr_choice(p, pos, is_first(p, GROUP_GRID, pos), unsigned_number(p, pos, rest),
                                    unsigned_number(p, pos, 1));
    body_set(p, old, add_access(p, RMW_ADD, &word, ORDER_RELEASE, SCOPE_GPU, more), pos);
    struct stmts arrival = stmts_restore(p, before);
    add_if(p, is_first(p, GROUP_BLOCK, pos), arrival);
    return body_value(p, old, pos);
}

void protocol_poll(struct parser *p, struct stmts before, struct expr *over, struct pos pos) {
    struct stmts around = stmts_capture(p);
    stmt_add(p, STMT_BREAK, pos);
    struct stmts leave = stmts_restore(p, around);
    add_if(p, over, leave);
    struct stmts turn = stmts_restore(p, before);
    stmt_add(p, STMT_LOOP, pos)->body = turn.first;
}

/* Reads the place until f of what is there is true. */
static void add_poll(struct parser *p, const struct place *at, enum scope scope,
                     struct expr *(*f)(struct parser *p, struct expr *seen, struct expr *token),
                     struct expr *token) {
    struct stmts before = stmts_capture(p);
    struct expr *seen = add_access(p, LOAD_PLAIN, at, ORDER_ACQUIRE, scope, NULL);
    protocol_poll(p, before, f(p, seen, token), at->pos);
}

static struct expr *has_flipped(struct parser *p, struct expr *seen, struct expr *token) {
    struct expr *differ = expr_new(p, EXPR_XOR, seen->pos, token, seen);
    struct expr *bit = expr_new(p, EXPR_AND, seen->pos, differ, unsigned_number(p, seen->pos, flipped_bit));
    return expr_new(p, EXPR_NE, seen->pos, bit, expr_int(p, seen->pos, 0));
}

void protocol_grid_wait(struct parser *p, struct expr *token, struct pos pos) {
    struct place word = grid_word(p, pos);
    struct stmts before = stmts_capture(p);
    add_poll(p, &word, SCOPE_GPU, has_flipped, token);
    struct stmts wait = stmts_restore(p, before);
    add_if(p, is_first(p, GROUP_BLOCK, pos), wait);
    groups_add_barrier(p, MEET_CTA, pos);
}

/* ---- cuda::barrier (cuda/std/__barrier/barrier.h) ----
 *
 * In the high half stands how many are still to come in this phase, as what is missing to 1 << 15, so that the last one flips
 * the highest bit; in the low half how many come in each phase, written alike. libcu++ has two words of 32 bits, where
 * these are of 16: for sm_90 and later, ptxas 13.0 drops the fence of a release that adds 64 bits in shared memory. */

enum { HALF = 16 };

static struct place word_of(const struct reference *ref, struct pos pos) {
    struct place at = ref->place;
    at.pos = pos;
    return at;
}

static struct expr *shift_up(struct parser *p, struct expr *e) {
    return expr_new(p, EXPR_SHL, e->pos, e, expr_int(p, e->pos, HALF));
}

static struct expr *phase_of(struct parser *p, struct expr *e) {
    return expr_new(p, EXPR_AND, e->pos, e, unsigned_number(p, e->pos, flipped_bit));
}

void protocol_init(struct parser *p, const struct reference *ref, struct expr *count, struct pos pos) {
    struct place at = word_of(ref, pos);
    int reg = body_temporary(p, pos, type_unsigned);
    body_set(p, reg, expr_new(p, EXPR_SUB, pos, unsigned_number(p, pos, 1u << (HALF - 1)), count), pos);
    struct expr *n = body_value(p, reg, pos);
    add_access(p, STORE_PLAIN, &at, ORDER_WEAK, SCOPE_NONE, expr_new(p, EXPR_OR, pos, shift_up(p, n), n));
}

/* Who comes last begins the next phase. */
struct expr *protocol_arrive(struct parser *p, const struct reference *ref, struct expr *count,
                             struct pos pos) {
    struct place at = word_of(ref, pos);
    struct expr *step = shift_up(p, count ? count : unsigned_number(p, pos, 1));
    int reg = body_temporary(p, pos, type_unsigned);
    body_set(p, reg, add_access(p, RMW_ADD, &at, ORDER_RELEASE, ref->scope, step), pos);
    struct expr *old = body_value(p, reg, pos);
    struct expr *flips = phase_of(p, expr_new(p, EXPR_XOR, pos, old, expr_new(p, EXPR_ADD, pos, old, step)));
    struct stmts before = stmts_capture(p);
    struct expr *all = expr_new(p, EXPR_AND, pos, old, unsigned_number(p, pos, (1u << HALF) - 1));
    access_drop(p, add_access(p, RMW_ADD, &at, ORDER_RELAXED, ref->scope, shift_up(p, all)));
    struct stmts reset = stmts_restore(p, before);
    add_if(p, expr_new(p, EXPR_NE, pos, flips, unsigned_number(p, pos, 0)), reset);
    return phase_of(p, old);
}

void protocol_drop(struct parser *p, const struct reference *ref, struct pos pos) {
    struct place at = word_of(ref, pos);
    access_drop(p, add_access(p, RMW_ADD, &at, ORDER_RELAXED, ref->scope, unsigned_number(p, pos, 1)));
}

static struct expr *is_next_phase(struct parser *p, struct expr *seen, struct expr *token) {
    return expr_new(p, EXPR_NE, seen->pos, phase_of(p, seen), token);
}

void protocol_wait(struct parser *p, const struct reference *ref, struct expr *token, struct pos pos) {
    struct place at = word_of(ref, pos);
    int reg = body_temporary(p, pos, type_unsigned);
    body_set(p, reg, token, pos);
    add_poll(p, &at, ref->scope, is_next_phase, body_value(p, reg, pos));
}
