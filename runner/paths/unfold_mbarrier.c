/* Events of operations on mbarriers. What each finds there is decided when the paths of all threads are put together:
 * phases.h. */
#include "paths/unfold_run.h"

struct event *unfold_count(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt, int loc,
                           int element, unsigned counts, int amount) {
    struct event *e = unfold_event(u, r, EVENT_COUNT, stmt);
    e->mbarrier = loc;
    e->element = element;
    e->counts = counts;
    e->amount = amount;
    return e;
}

/* The number that an operation is given: a count, a parity or a token. Gives up where it depends on reads. */
static int find_amount(struct unfolder *u, const struct unfold_run *r, const struct op *op) {
    const struct sym *given = op->value ? unfold_value(u, r, op->value) : NULL;
    if (!given) return 1;
    if (given->kind != SYM_INT) {
        unfold_give_up(u, "what an mbarrier is given depends on what was read");
        return 1;
    }
    long long n = value_int(given->type, given->value);
    return n < -1 || n > 1 << 30 ? 1 << 30 : (int)n; /* far more than PTX takes */
}

/* A token is the number of its arrival in the path, from 1. */
static void set_token(struct unfold_run *r, const struct op *op, struct arena *a) {
    unfold_set_result(r, op, sym_int(a, type_uint64, r->path.nevents));
}

void unfold_pending(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt) {
    int token = find_amount(u, r, stmt->op);
    struct event *e = token < 1 || token > r->path.nevents ? NULL : &r->path.events[token - 1];
    if (!e || e->kind != EVENT_COUNT || !(e->counts & COUNT_ARRIVES)) {
        unfold_give_up(u, "a pending count is asked of a token that no arrival of its thread gave");
        return;
    }
    if (e->read < 0) e->counts |= COUNT_LOOKED;
    unfold_set_result(r, stmt->op,
                      e->read < 0 ? sym_int(u->arena, type_unsigned, 0)
                                  : sym_read(u->arena, type_unsigned, e->read));
}

static bool is_token(const struct unfold_run *r, const struct event *of, int token) {
    if (token < 1 || token >= r->path.nevents) return false;
    const struct event *e = &r->path.events[token - 1];
    return e->kind == EVENT_COUNT && e->counts & COUNT_ARRIVES && e->mbarrier == of->mbarrier &&
           e->element == of->element;
}

static void number_read(struct unfold_run *r, struct event *e) {
    if (r->path.nreads == MAX_READS) r->overflow = "a thread has too many reads";
    e->read = r->overflow ? 0 : r->path.nreads++;
}

static void run_try(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt, int loc, int element) {
    int given = find_amount(u, r, stmt->op);
    struct event *e = unfold_event(u, r, EVENT_TRY, stmt);
    e->mbarrier = loc;
    e->element = element;
    number_read(r, e);
    if (op_rows[stmt->op->name].parity)
        e->amount = given & 1;
    else if (is_token(r, e, given))
        e->token = given - 1;
    else
        unfold_give_up(u, "a wait on an mbarrier has a token that no arrival of its thread there gave");
    unfold_set_result(r, stmt->op, sym_read(u->arena, type_int, e->read));
}

/* The arrival of a cp.async.mbarrier.arrive: an engine arrives when the copies are done that its thread has
 * started before. It releases these copies and nothing else, to its block (PTX ISA,
 * "cp.async.mbarrier.arrive" and "Async operations"). */
static void run_tracking(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt, int loc,
                         int element) {
    int tracks = r->engines;
    if (op_rows[stmt->op->name].counts & COUNT_RAISES)
        unfold_count(u, r, stmt, loc, element, COUNT_RAISES, 1);
    unfold_event(u, r, EVENT_ISSUE, stmt)->engine = ++r->engines;
    struct event *e = unfold_count(u, r, stmt, loc, element, COUNT_ARRIVES, 1);
    e->strength = (struct strength){ORDER_RELEASE, SCOPE_CTA};
    e->agent = r->engines;
    e->tracks = tracks;
}

/* The term that says that a term of 32 bits is n. If it is another term plus or minus a number, that one is
 * compared: of x + 1 and n = 3 this is x == 2. */
static const struct sym *is_number(struct arena *a, const struct sym *s, uint32_t n) {
    for (;;) {
        bool takes = s->kind == SYM_OP && s->op == EXPR_SUB && s->type.bits == 32;
        if (s->kind == SYM_OP && s->op == EXPR_CAST && s->a->type.bits == 32 && !s->a->type.real)
            s = s->a;
        else if (takes && s->a->kind == SYM_INT)
            n = (uint32_t)s->a->value.lo - n, s = s->b;
        else if (takes && s->b->kind == SYM_INT)
            n += (uint32_t)s->b->value.lo, s = s->a;
        else
            return sym_apply(a, EXPR_EQ, s, sym_int(a, s->type, (int32_t)n));
    }
}

/* An mbarrier is initialised with a count that depends on reads: goes a way for each count up to `most`, one
 * for all larger counts that an mbarrier takes, and one for those that none takes. */
static void run_counted(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt, int loc,
                        int element, const struct sym *given) {
    struct arena *a = u->arena;
    given = sym_cast(a, given, type_unsigned);
    int most = 2 * u->test->nthreads + 2;
    const struct sym *more = sym_apply(a, EXPR_GT, given, sym_int(a, type_unsigned, most));
    const struct sym *none = sym_apply(a, EXPR_GT, given, sym_int(a, type_unsigned, MBARRIER_MOST));
    for (int n = 0; n <= most + 1 && !u->out->why; n++) {
        struct unfold_run *way = unfold_fork(u, r);
        bool may = n <= most ? unfold_assume(u, way, is_number(a, given, (uint32_t)n), true)
                             : unfold_assume(u, way, more, true) && unfold_assume(u, way, none, false);
        if (!may) continue;
        unfold_count(u, way, stmt, loc, element, COUNT_OPENS, n <= most ? n : -n);
        way->from = way->pc++;
        unfold_later(u, way);
    }
    unfold_assume(u, r, none, true);
    unfold_count(u, r, stmt, loc, element, COUNT_OPENS, MBARRIER_MOST + 1);
}

void unfold_mbarrier(struct unfolder *u, struct unfold_run *r, const struct stmt *stmt, int loc,
                     int element) {
    const struct op *op = stmt->op;
    if (op->kind == OP_TRY) {
        run_try(u, r, stmt, loc, element);
        return;
    }
    if (op_rows[op->name].counts & COUNT_TRACKS) {
        run_tracking(u, r, stmt, loc, element);
        return;
    }
    const struct sym *given = op->value ? unfold_value(u, r, op->value) : NULL;
    if (op_rows[op->name].counts == COUNT_OPENS && given->kind != SYM_INT) {
        run_counted(u, r, stmt, loc, element, given);
        return;
    }
    struct event *e = unfold_count(u, r, stmt, loc, element, op_rows[op->name].counts, find_amount(u, r, op));
    if (e->counts & COUNT_STAYS) number_read(r, e);
    if (op->kind == OP_ARRIVE) set_token(r, op, u->arena);
}
