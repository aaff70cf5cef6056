#include "cat/eval_node.h"

/* After so many steps, consequences that have refused nothing are dropped. */
enum { TRIAL = 40 };

const uint64_t *eval_value(const struct eval *ev, int node) {
    return ev->value[ev->at[node]];
}

bool eval_relates(const struct eval *ev, int node, int from, int to) {
    return rel_has(ev->dim, eval_value(ev, node), from, to);
}

/* Loops and schedules */

static bool needs_refresh(const struct eval *ev, int i) {
    const struct plan_node *n = &ev->nodes[i];
    if (ev->needed && !ev->needed[i]) return false;
    if (n->op == NODE_RF) return ev->guesses & GUESS_RF;
    if (n->op == NODE_ORDER && ((ev->guesses & GUESS_ORDER(n->index)) || ev->complete)) return true;
    if (ev->told[i]) return true;
    return (n->a >= 0 && ev->changed[n->a]) || (n->b >= 0 && ev->changed[n->b]);
}

/* Whether something that a loop depends on has changed. */
static bool is_touched(const struct eval *ev, const struct loop *loop) {
    for (int i = loop->first; i <= loop->last; i++)
        if (needs_refresh(ev, i)) return true;
    return false;
}

/* Computes a least fixpoint. The must bound goes on from what it was; the may bound starts again from nothing. At the
 * `start` nothing has been computed yet, so every node is computed as a whole. */
static void run_loop(struct eval *ev, const struct loop *loop, bool start) {
    const struct model_plan *p = ev->plan;
    if (!start && !is_touched(ev, loop)) return;
    memset(ev->scratch, 0, dim_rel(ev->dim) * sizeof *ev->scratch);
    for (int i = loop->first; loop->may && p->nodes[i].op == NODE_VAR; i++)
        eval_put_all(ev, i, ev->scratch);
    bool again;
    do {
        again = false;
        for (int i = loop->first; i <= loop->last; i++) {
            if (i > loop->first && p->loop_at[i] >= 0) {
                run_loop(ev, &p->loops[p->loop_at[i]], start);
                i = p->loops[p->loop_at[i]].last;
            } else if (!ev->needed || ev->needed[i]) {
                again |= start ? eval_compute(ev, i) : eval_refresh(ev, i);
            }
        }
    } while (again);
}

static void run_schedule(struct eval *ev, const struct schedule *s, bool start) {
    const struct model_plan *p = ev->plan;
    for (int k = 0; k < s->n; k++) {
        int i = s->nodes[k];
        if (p->loop_at[i] >= 0) {
            const struct loop *loop = &p->loops[p->loop_at[i]];
            run_loop(ev, loop, start);
            while (k + 1 < s->n && s->nodes[k + 1] <= loop->last)
                k++;
        } else if (start) {
            eval_fill(ev, i);
        } else if (needs_refresh(ev, i)) {
            eval_refresh(ev, i);
        }
    }
}

/* Axioms */

/* Whether a; b leads from x to y. */
static bool leads(const struct eval *ev, const uint64_t *a, const uint64_t *b, int x, int y) {
    const uint64_t *row = rel_crow(ev->dim, a, x);
    for (int m = set_first(row, ev->dim.words); m >= 0; m = set_next(row, ev->dim.words, m))
        if (rel_has(ev->dim, b, m, y)) return true;
    return false;
}

/* Whether a sequence is irreflexive, without computing the sequence. */
static bool is_sequence_irreflexive(const struct eval *ev, const struct plan_node *n) {
    const uint64_t *a = eval_value(ev, n->a), *b = eval_value(ev, n->b);
    for (int e = 0; e < ev->dim.n; e++)
        if (leads(ev, a, b, e, e)) return false;
    return true;
}

bool eval_is_sequence(const struct model_plan *p, const struct axiom *axiom) {
    return axiom->check == CHECK_IRREFLEXIVE && p->nodes[axiom->node].op == NODE_SEQ;
}

static bool is_broken(const struct eval *ev, const struct axiom *axiom) {
    const struct plan_node *n = &ev->plan->nodes[axiom->node];
    const uint64_t *value = eval_value(ev, axiom->node);
    bool good = eval_is_sequence(ev->plan, axiom) ? is_sequence_irreflexive(ev, n)
                : axiom->check == CHECK_EMPTY     ? !bits_any(value, eval_words(ev, n))
                                                  : rel_is_irreflexive(ev->dim, value);
    return good == axiom->negated;
}

bool eval_breaks_axiom(const struct eval *ev, int axiom) {
    return is_broken(ev, &ev->plan->axioms[axiom]);
}

bool eval_breaks_order(const struct eval *ev, int k) {
    return !rel_is_irreflexive(ev->dim, eval_value(ev, ev->plan->orders[k].node));
}

static bool is_axiom_touched(const struct eval *ev, const struct axiom *axiom) {
    const struct plan_node *n = &ev->plan->nodes[axiom->node];
    if (eval_is_sequence(ev->plan, axiom)) return ev->changed[ev->at[n->a]] || ev->changed[ev->at[n->b]];
    return ev->changed[ev->at[axiom->node]];
}

/* Whether no axiom is broken, of those that this step may have broken; `all`: of all. */
static bool judge(const struct eval *ev, bool all) {
    if (ev->tolerant || (ev->late && !ev->complete)) return true;
    all = all || ev->late;
    for (int k = 0; k < ev->plan->norders; k++)
        if ((all || ev->changed[ev->at[ev->plan->orders[k].node]]) && eval_breaks_order(ev, k)) return false;
    for (int k = 0; k < ev->plan->naxioms; k++)
        if ((all || is_axiom_touched(ev, &ev->plan->axioms[k])) && eval_breaks_axiom(ev, k)) return false;
    return true;
}

static bool in_mask(const struct eval *ev, int mask, int from, int to) {
    return mask < 0 || rel_has(ev->dim, eval_value(ev, mask), from, to);
}

/* Whether a consequence refuses a decision: whether an edge (x, y) that the decision makes (struct
 * consequence) is in the mask, and `back` has (y, x). */
static bool closes_cycle(const struct eval *ev, const struct consequence *c, struct decision d) {
    struct dim dim = ev->dim;
    const uint64_t *back = eval_value(ev, c->back);
    if (c->via < 0) return rel_has(dim, back, d.to, d.from) && in_mask(ev, c->mask, d.from, d.to);
    const uint64_t *via = rel_crow(dim, eval_value(ev, c->via), d.from), *side = back;
    if (c->inverted) side = c->mask < 0 ? NULL : eval_value(ev, c->mask);
    if (side) side = rel_crow(dim, side, d.to);
    for (int w = 0; w < dim.words; w++)
        for (uint64_t bits = side ? via[w] & side[w] : via[w]; bits; bits &= bits - 1) {
            int e = 64 * w + __builtin_ctzll(bits);
            if (c->inverted ? rel_has(dim, back, e, d.to) : in_mask(ev, c->mask, e, d.to)) return true;
        }
    return false;
}

/* Steps */

static void fill_sources(struct eval *ev, const uint64_t *const *sources) {
    for (int i = 0; i < ev->plan->nnodes; i++) {
        const struct plan_node *n = &ev->plan->nodes[i];
        if (n->op != NODE_RF || !n->may) continue;
        for (int r = 0; r < ev->dim.n; r++) {
            if (!sources[r]) continue;
            for (int w = set_first(sources[r], ev->dim.words); w >= 0;
                 w = set_next(sources[r], ev->dim.words, w))
                rel_add(ev->dim, ev->value[i], w, r);
        }
    }
}

static void take_memory(struct eval *ev) {
    size_t n = (size_t)ev->plan->nnodes, words = (size_t)ev->dim.words, all = 0;
    ev->value = arena_array(ev->arena, n, sizeof *ev->value);
    ev->dirty = arena_array(ev->arena, n, sizeof *ev->dirty);
    ev->changed = arena_array(ev->arena, 2 * n, sizeof *ev->changed);
    ev->told = ev->changed + n;
    ev->list = arena_array(ev->arena, n, sizeof *ev->list);
    for (size_t i = 0; i < n; i++)
        all += eval_words(ev, &ev->plan->nodes[i]);
    uint64_t *value = arena_array(ev->arena, all, sizeof *value);
    uint64_t *dirty = arena_array(ev->arena, n * words, sizeof *dirty);
    for (size_t i = 0; i < n; i++) {
        ev->value[i] = value;
        ev->dirty[i] = dirty + i * words;
        value += eval_words(ev, &ev->plan->nodes[i]);
    }
    ev->scratch = arena_array(ev->arena, 2 * dim_rel(ev->dim) + 1, sizeof *ev->scratch);
    ev->trail = arena_array(ev->arena, ev->trail_cap, sizeof *ev->trail);
    ev->steps = arena_array(ev->arena, (size_t)ev->cap, sizeof *ev->steps);
    ev->bytes = (all + n * words) * sizeof *value;
}

size_t eval_bytes(const struct model_plan *plan, struct dim dim) {
    return ((size_t)plan->nnodes + GIVEN_COUNT) * dim_rel(dim) * sizeof(uint64_t);
}

bool eval_open(struct eval *ev, const struct model_plan *plan, struct dim dim, uint64_t *const *given,
               const uint64_t *const *sources, struct arena *a) {
    size_t n = (size_t)plan->nnodes;
    *ev = (struct eval){.plan = plan,
                        .arena = a,
                        .dim = dim,
                        .given = given,
                        .cap = 16,
                        .trail_cap = 256,
                        .tolerant = ev->tolerant,
                        .late = !prunes(ev->without, PRUNE_EARLY),
                        .without = ev->without};
    ev->nodes = arena_grow(a, plan->nodes, n, n, sizeof *ev->nodes);
    ev->at = arena_array(a, n, sizeof *ev->at);
    for (int i = 0; i < plan->nnodes; i++)
        ev->at[i] = i;
    ev->changing = plan->changing;
    ev->by_rf = plan->by_rf;
    memcpy(ev->by_order, plan->by_order, sizeof ev->by_order);
    ev->consequences = plan->consequences;
    ev->nconsequences = plan->nconsequences;
    ev->refused = arena_array(a, (size_t)plan->nconsequences, sizeof *ev->refused);
    for (int e = 0; e < dim.n; e++)
        ev->reads = ev->reads || sources[e];
    bool whole = ev->tolerant || !prunes(ev->without, PRUNE_SPECIALIZE);
    take_memory(ev);
    fill_sources(ev, sources);
    run_schedule(ev, &plan->everything, true);
    if (!judge(ev, true)) return false;
    if (!whole) eval_specialize(ev);
    return true;
}

static unsigned guess_of(const struct decision *d) {
    switch (d->kind) {
    case DECIDE_RF: return GUESS_RF;
    case DECIDE_ORDER: return GUESS_ORDER(d->order);
    case DECIDE_ROW: return GUESS_ROW;
    }
    return 0;
}

static void begin_step(struct eval *ev, const struct decision *d, int n) {
    if (ev->depth == ev->cap) {
        ev->steps = arena_grow(ev->arena, ev->steps, (size_t)ev->cap, 2 * (size_t)ev->cap, sizeof *ev->steps);
        ev->cap *= 2;
    }
    ev->steps[ev->depth++] = ev->ntrail;
    ev->decisions = d;
    ev->ndecisions = n;
    ev->guesses = 0;
    memset(ev->told, 0, (size_t)ev->plan->nnodes * sizeof *ev->told);
    for (; ev->nlist > 0; ev->nlist--) {
        int i = ev->list[ev->nlist - 1];
        ev->changed[i] = false;
        memset(ev->dirty[i], 0, (size_t)ev->dim.words * sizeof *ev->dirty[i]);
    }
    for (int k = 0; k < n; k++) {
        ev->guesses |= guess_of(&d[k]);
        if (d[k].kind == DECIDE_ROW) ev->told[d[k].order] = true;
    }
}

static const struct schedule *find_schedule(const struct eval *ev) {
    if ((ev->guesses & ~GUESS_ROW) == GUESS_RF || ev->guesses == GUESS_ROW) return &ev->by_rf;
    for (int k = 0; k < ev->plan->norders; k++)
        if (ev->guesses == GUESS_ORDER(k)) return &ev->by_order[k];
    return &ev->changing;
}

bool eval_push(struct eval *ev, const struct decision *d, int n) {
    if (++ev->npushed == TRIAL && ev->needed) eval_drop_idle(ev);
    begin_step(ev, d, n);
    run_schedule(ev, find_schedule(ev), false);
    return judge(ev, false);
}

bool eval_push_complete(struct eval *ev) {
    begin_step(ev, NULL, 0);
    ev->complete = true;
    run_schedule(ev, &ev->changing, false);
    bool good = judge(ev, false);
    ev->complete = false;
    return good;
}

bool eval_refuses(const struct eval *ev, struct decision d) {
    unsigned guess = d.kind == DECIDE_RF ? GUESS_RF : GUESS_ORDER(d.order);
    if (ev->tolerant || !prunes(ev->without, PRUNE_CONSEQUENCES)) return false;
    for (int k = 0; k < ev->nconsequences; k++)
        if (ev->consequences[k].guess == guess && closes_cycle(ev, &ev->consequences[k], d))
            return ev->refused[k] = true;
    return false;
}

/* Of an inverted consequence: the events e such that via has (w, e) for a write w of `open`, and an edge
 * (read, e) breaks the axiom. Returns whether there are any. */
static bool find_ends(const struct eval *ev, const struct consequence *c, int read, const uint64_t *open,
                      uint64_t *ends) {
    const uint64_t *back = eval_value(ev, c->back), *via = eval_value(ev, c->via);
    struct dim dim = ev->dim;
    bool any = false;
    memset(ends, 0, (size_t)dim.words * sizeof *ends);
    for (int w = set_first(open, dim.words); w >= 0; w = set_next(open, dim.words, w))
        bits_or(ends, rel_crow(dim, via, w), (size_t)dim.words);
    for (int e = set_first(ends, dim.words); e >= 0; e = set_next(ends, dim.words, e)) {
        if (rel_has(dim, back, e, read) && in_mask(ev, c->mask, read, e))
            any = true;
        else
            set_remove(ends, e);
    }
    return any;
}

/* Drops from `open` the writes from which a consequence refuses that the read reads, as closes_cycle says;
 * but find_ends is done once for all of them. Returns whether any was dropped. */
static bool drop_sources(const struct eval *ev, const struct consequence *c, int read, uint64_t *open) {
    struct dim dim = ev->dim;
    uint64_t ends[EVAL_MAX_EVENTS / 64];
    const uint64_t *direct = c->via < 0 ? rel_crow(dim, eval_value(ev, c->back), read) : open;
    bool dropped = false;
    if (c->inverted && !find_ends(ev, c, read, open, ends)) return false;
    for (int w = set_first(open, dim.words); w >= 0; w = set_next(open, dim.words, w)) {
        bool refused =
            c->inverted ? bits_meet(ends, rel_crow(dim, eval_value(ev, c->via), w), (size_t)dim.words)
                        : set_has(direct, w) && closes_cycle(ev, c, (struct decision){DECIDE_RF, 0, w, read});
        if (!refused) continue;
        set_remove(open, w);
        dropped = true;
    }
    return dropped;
}

void eval_refuse_sources(const struct eval *ev, int read, uint64_t *open) {
    if (ev->tolerant || !prunes(ev->without, PRUNE_CONSEQUENCES)) return;
    for (int k = 0; k < ev->nconsequences; k++)
        if (ev->consequences[k].guess == GUESS_RF && drop_sources(ev, &ev->consequences[k], read, open))
            ev->refused[k] = true;
}

void eval_pop(struct eval *ev) {
    size_t start = ev->steps[--ev->depth];
    while (ev->ntrail > start) {
        const struct undo *u = &ev->trail[--ev->ntrail];
        *u->word = u->old;
    }
}
