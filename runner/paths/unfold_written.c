/* Dependencies of the text, as herd has them: a register depends on the reads from which it was computed, even if `r ^ r` is 0
 * whatever was read; and all that a thread does behind a branch on the reads that its condition was computed from, even if
 * both ways do the same. An event keeps these beside its own dependencies (depend.h), which are some of them. */
#include "logic/rel.h"
#include "paths/unfold_run.h"

struct reads unfold_written(const struct unfold_run *r, const struct expr *e) {
    struct reads found = {{0}};
    if (!e) return found;
    if (e->kind == EXPR_REG) return r->written[e->index];
    const struct expr *parts[] = {e->a, e->b, e->c};
    for (int k = 0; k < 3; k++) {
        struct reads of_part = unfold_written(r, parts[k]);
        reads_add(&found, &of_part);
    }
    return found;
}

static void add(const struct unfold_run *r, const struct expr *e, struct reads *to) {
    struct reads more = unfold_written(r, e);
    reads_add(to, &more);
}

const struct written *unfold_written_event(struct unfolder *u, const struct unfold_run *r,
                                           enum event_kind kind, const struct op *op) {
    if (!r->written) return NULL;
    struct written *w = arena_alloc(u->arena, sizeof *w);
    w->ctrl = r->branched;
    for (int k = 0; (kind == EVENT_READ || kind == EVENT_WRITE) && k < OP_PLACES; k++) {
        add(r, op->place[k].index, &w->addr);
        add(r, op->place[k].rank, &w->addr);
    }
    if (kind == EVENT_WRITE || kind == EVENT_ARRIVE) {
        add(r, op->value, &w->data);
        add(r, op->expected, &w->data);
    }
    return w;
}

/* The lane of a vector that is written as its lanes; else the whole. */
static const struct expr *lane_of(const struct expr *e, int lane, int lanes) {
    while (lanes > 1 && e->kind == EXPR_JOIN) {
        lanes /= 2;
        e = lane < lanes ? e->a : e->b;
        lane %= lanes;
    }
    return e;
}

void unfold_written_lane(struct unfolder *u, const struct unfold_run *r, struct event *store,
                         const struct expr *value, int lane, int lanes) {
    if (!store->written) return;
    struct written *w = arena_alloc(u->arena, sizeof *w);
    *w = *store->written;
    w->data = unfold_written(r, lane_of(value, lane, lanes));
    store->written = w;
}

void unfold_written_result(struct unfold_run *r, const struct op *op, const struct sym *value) {
    if (!r->written) return;
    struct reads from = value->reads;
    if (op->kind == OP_EXCHANGE) add(r, op->value, &from);
    r->written[op->dst] = from;
}

void unfold_written_branch(struct unfold_run *r, const struct expr *e) {
    if (r->written) add(r, e, &r->branched);
}

bool unfold_written_since(const struct code *code, const struct unfold_run *r, const struct passage *then) {
    const uint64_t *live = code->ins[r->pc].live;
    if (!r->written) return true;
    for (int k = set_first(live, code->reg_words); k >= 0; k = set_next(live, code->reg_words, k))
        for (int w = 0; w < MAX_READS / 64; w++)
            if (then->written[k].bits[w] & ~r->written[k].bits[w]) return false;
    return true;
}
