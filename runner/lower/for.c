/* Finds how many turns a `for` takes, by running its head before the test runs. */
#include "lower/lower.h"

/* Which registers of a `for` head have a value that is known before the test runs. */
struct head {
    bool *known;
    struct value *values;
};

static bool is_known(const struct head *h, const struct expr *e) {
    if (!e) return true;
    if (e->kind == EXPR_REG) return h->known[e->index];
    return is_known(h, e->a) && is_known(h, e->b) && is_known(h, e->c);
}

static void run_sets(struct head *h, const struct stmt *s, const struct expr_env *env) {
    for (; s; s = s->next)
        if (s->kind == STMT_SET && h->known[s->reg]) h->values[s->reg] = expr_eval(s->value, env);
}

/* Marks the registers that the head sets from what is known. */
static void find_known(struct head *h, const struct stmt *init) {
    for (const struct stmt *s = init; s; s = s->next)
        if (s->kind == STMT_SET) h->known[s->reg] = is_known(h, s->value);
}

/* Forgets the value of a register that something else writes, too. */
static bool forget_written(const struct stmt *s, void *ctx) {
    struct head *h = ctx;
    if (s->kind == STMT_SET) h->known[s->reg] = false;
    if (s->kind == STMT_OP && s->op->dst >= 0) h->known[s->op->dst] = false;
    return true;
}

static void forget_unknown_steps(struct head *h, const struct stmt *step) {
    for (bool changed = true; changed;) {
        changed = false;
        for (const struct stmt *s = step; s; s = s->next)
            if (s->kind == STMT_SET && h->known[s->reg] && !is_known(h, s->value)) {
                h->known[s->reg] = false;
                changed = true;
            }
    }
}

int for_count_trips(struct parser *p, const struct stmt *init, const struct expr *value,
                    const struct stmt *body, const struct stmt *step) {
    size_t n = (size_t)p->body->nregs;
    struct head h = {arena_array(p->arena, n, sizeof(bool)), arena_array(p->arena, n, sizeof(struct value))};
    for (size_t k = 0; k < n; k++) {
        h.known[k] = p->locals[k].has_number;
        h.values[k] = p->locals[k].number;
    }
    find_known(&h, init);
    stmt_walk(body, forget_written, &h);
    for (const struct stmt *s = step; s; s = s->next)
        if (s->kind != STMT_SET) forget_written(s, &h);
    forget_unknown_steps(&h, step);
    if (!is_known(&h, value)) return FOR_UNKNOWN;
    int most = 0;
    for (int tid = 0; tid < p->body->count; tid++) {
        struct expr_env env = body_env(p->body, tid);
        env.regs = h.values;
        int trips = 0;
        for (run_sets(&h, init, &env); expr_is_true(value, &env); run_sets(&h, step, &env))
            if (++trips > FOR_MAX_TRIPS || ++p->turns > FOR_MAX_TURNS) return FOR_TOO_MANY;
        if (trips > most) most = trips;
    }
    return most;
}
