#include "search/vote.h"

#include "paths/exchange.h"
#include "paths/meet.h"
#include "search/graph.h"

/* What a path assumes about the result of a vote. */
struct path_vote {
    const struct event *arrival;
    int use;               /* how often the path has arrived there before */
    const struct sym *sym; /* over the result, which is read 0; NULL: the result is `value` */
    struct value value;
    bool holds; /* the term is not zero */
};

/* Whether an event is an arrival at a vote, or a reduction, that has one result for all and waits for all (it
 * has no count). */
static bool is_vote(const struct event *e) {
    return e->kind == EVENT_ARRIVE && e->result && e->stmt->op->barrier_threads == 0 &&
           exchange_has_one_result(e->stmt->op);
}

static bool same_barrier(const struct event *x, const struct event *y) {
    return x->stmt->op == y->stmt->op && x->lanes == y->lanes;
}

static int count_uses(const struct path *p, const struct event *arrival) {
    int n = 0;
    for (const struct event *e = p->events; e < arrival; e++)
        n += e->kind == EVENT_ARRIVE && meet_is_same(e->stmt->op, arrival->stmt->op) &&
             e->lanes == arrival->lanes;
    return n;
}

/* The term `s` with read 0 in the place of `result`. NULL where it is computed from another read as well. */
static const struct sym *over_result(const struct sym *s, const struct sym *result, struct arena *a) {
    struct sym made = *s;
    const struct sym *const parts[] = {s->a, s->b, s->c};
    const struct sym **const to[] = {&made.a, &made.b, &made.c};
    if (s == result) return sym_read(a, s->type, 0);
    if (s->kind == SYM_INT) return s;
    if (s->kind == SYM_READ) return NULL;
    for (int k = 0; k < 3; k++) {
        if (!parts[k]) continue;
        *to[k] = over_result(parts[k], result, a);
        if (!*to[k]) return NULL;
    }
    made.reads = (struct reads){{0}};
    return sym_make(a, made);
}

static void add_vote(struct path *p, struct path_vote vote, struct arena *a) {
    struct path_vote *votes = arena_array(a, (size_t)p->nvotes + 1, sizeof *votes);
    if (p->nvotes) memcpy(votes, p->votes, (size_t)p->nvotes * sizeof *votes);
    votes[p->nvotes++] = vote;
    p->votes = votes;
}

static void note_vote(struct path *p, const struct event *arrival, struct arena *a) {
    struct path_vote vote = {.arrival = arrival, .use = count_uses(p, arrival)};
    if (arrival->result->kind == SYM_INT) {
        vote.value = arrival->result->value;
        add_vote(p, vote, a);
        return;
    }
    for (int k = 0; k < p->nguards; k++) {
        const struct guard *g = &p->guards[k];
        if (g->sym->weight > SYM_MAX_WEIGHT || g->events < arrival - p->events) continue;
        vote.sym = over_result(g->sym, arrival->result, a);
        vote.holds = g->holds;
        if (vote.sym && vote.sym->kind != SYM_INT) add_vote(p, vote, a);
    }
}

void votes_find(struct unfolding *u, struct search_budget *budget, struct arena *a) {
    for (int k = 0; k < u->npaths; k++) {
        struct path *p = &u->paths[k];
        for (int e = 0; e < p->nevents; e++)
            if (is_vote(&p->events[e]) && budget_pay(budget, 1)) note_vote(p, &p->events[e], a);
    }
}

static bool holds(const struct path_vote *v, struct value result) {
    return sym_is_true(v->sym, &result) == v->holds;
}

/* Whether what two paths assume about one result may be true at once. Of two terms it is seen only if they
 * are the same. */
static bool agree(const struct path_vote *x, const struct path_vote *y) {
    if (!x->sym && !y->sym) return value_equal(x->value, y->value);
    if (!x->sym) return holds(y, x->value);
    if (!y->sym) return holds(x, y->value);
    return x->holds == y->holds || !sym_same(x->sym, y->sym);
}

bool votes_agree(const struct cell *cell, int x, const struct path *of_x, int y, const struct path *of_y) {
    const struct seat *seats = cell->placement->seats;
    for (int k = 0; k < of_x->nvotes; k++)
        for (int m = 0; m < of_y->nvotes; m++) {
            const struct path_vote *one = &of_x->votes[k], *other = &of_y->votes[m];
            if (one->use == other->use && same_barrier(one->arrival, other->arrival) &&
                meet_joins(one->arrival->stmt->op, &seats[x], &seats[y]) && !agree(one, other))
                return false;
        }
    return true;
}
