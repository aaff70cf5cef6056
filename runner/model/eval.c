#include "model/eval.h"

static size_t value_words(const struct eval *ev, const struct plan_node *n) {
    return n->rel ? dim_rel(ev->dim) : (size_t)ev->dim.words;
}

static struct level *top(const struct eval *ev) {
    return &ev->levels[ev->depth];
}

const uint64_t *eval_value(const struct eval *ev, int node) {
    return top(ev)->value[ev->at[node]];
}

/* The same for a node that stands for itself. */
static const uint64_t *value_of(const struct eval *ev, int node) {
    return top(ev)->value[node];
}

static uint64_t *own_buffer(struct eval *ev, int node) {
    struct level *l = top(ev);
    if (!l->own[node]) {
        size_t bytes = value_words(ev, &ev->plan->nodes[node]) * sizeof **l->own;
        l->own[node] = arena_alloc(ev->arena, bytes);
        ev->bytes += bytes;
    }
    return l->own[node];
}

/* Nodes. Each function writes a node's new value to `out`, which is none of the inputs. */

static void compute_rf(struct eval *ev, const struct plan_node *n, const uint64_t *old, struct decision d,
                       uint64_t *out) {
    struct dim dim = ev->dim;
    memcpy(out, old, dim_rel(dim) * sizeof *out);
    if (d.kind != DECIDE_RF) return;
    if (!n->may) {
        rel_add(dim, out, d.from, d.to);
        return;
    }
    for (int e = 0; e < dim.n; e++)
        if (e != d.from) set_remove(rel_row(dim, out, e), d.to);
}

/* What an order may still be: nothing that goes against what it must be. */
static void compute_order_may(struct eval *ev, const uint64_t *must, uint64_t *out) {
    struct dim dim = ev->dim;
    if (ev->complete) {
        memcpy(out, must, dim_rel(dim) * sizeof *out);
        return;
    }
    rel_inverse(dim, ev->scratch + dim_rel(dim), must);
    rel_complement(dim, out, ev->scratch + dim_rel(dim));
    for (int e = 0; e < dim.n; e++)
        set_remove(rel_row(dim, out, e), e);
}

static void compute_order(struct eval *ev, const struct plan_node *n, const uint64_t *old, struct decision d,
                          uint64_t *out) {
    struct dim dim = ev->dim;
    const uint64_t *must = value_of(ev, n->a);
    if (n->may) {
        compute_order_may(ev, must, out);
        return;
    }
    memcpy(out, old, dim_rel(dim) * sizeof *out);
    if (d.kind == DECIDE_ORDER && d.order == n->index && !rel_has(dim, out, d.from, d.to))
        rel_close_edge(dim, out, d.from, d.to);
    if (d.kind == DECIDE_NOTHING || top(ev)->changed[n->a]) rel_close_edges(dim, out, must);
}

/* A closure that grows with its argument starts from what it was. */
static void compute_closure(struct eval *ev, const struct plan_node *n, const uint64_t *old, uint64_t *out) {
    struct dim dim = ev->dim;
    const uint64_t *a = value_of(ev, n->a);
    size_t bytes = dim_rel(dim) * sizeof *out;
    if (n->guesses && !n->may) {
        memcpy(out, old, bytes);
        rel_close_edges(dim, out, a);
    } else {
        memcpy(out, a, bytes);
        rel_close(dim, out);
    }
    if (n->op == NODE_STAR) rel_reflexive(dim, out);
}

static void compute(struct eval *ev, int i, const uint64_t *old, struct decision d, uint64_t *out) {
    const struct plan_node *n = &ev->nodes[i];
    struct dim dim = ev->dim;
    size_t words = value_words(ev, n);
    const uint64_t *a = n->a >= 0 ? value_of(ev, n->a) : NULL;
    const uint64_t *b = n->b >= 0 ? value_of(ev, n->b) : NULL;
    switch (n->op) {
    case NODE_GIVEN: memcpy(out, ev->graph->given[n->index], words * sizeof *out); break;
    case NODE_RF: compute_rf(ev, n, old, d, out); break;
    case NODE_ORDER: compute_order(ev, n, old, d, out); break;
    case NODE_VAR: memcpy(out, a, words * sizeof *out); break;
    case NODE_EMPTY: memset(out, 0, words * sizeof *out); break;
    case NODE_ALL: set_fill(dim, out); break;
    case NODE_UNION:
        for (size_t k = 0; k < words; k++)
            out[k] = a[k] | b[k];
        break;
    case NODE_INTER:
        for (size_t k = 0; k < words; k++)
            out[k] = a[k] & b[k];
        break;
    case NODE_DIFF:
        for (size_t k = 0; k < words; k++)
            out[k] = a[k] & ~b[k];
        break;
    case NODE_COMPL:
        if (n->rel) {
            rel_complement(dim, out, a);
        } else {
            set_fill(dim, out);
            for (size_t k = 0; k < words; k++)
                out[k] &= ~a[k];
        }
        break;
    case NODE_PRODUCT: rel_product(dim, out, a, b); break;
    case NODE_DIAG: rel_diagonal(dim, out, a); break;
    case NODE_DOMAIN: set_domain(dim, out, a); break;
    case NODE_RANGE: set_range(dim, out, a); break;
    case NODE_SEQ: rel_compose(dim, out, a, b); break;
    case NODE_SEQ_INVERSE: rel_compose_inverse(dim, out, a, b); break;
    case NODE_FROM: rel_from(dim, out, a, b); break;
    case NODE_TO: rel_to(dim, out, a, b); break;
    case NODE_INVERSE: rel_inverse(dim, out, a); break;
    case NODE_PLUS:
    case NODE_STAR: compute_closure(ev, n, old, out); break;
    case NODE_OPT:
        memcpy(out, a, words * sizeof *out);
        rel_reflexive(dim, out);
        break;
    }
}

/* Evaluates a node again. True when its value is another one. */
static bool refresh(struct eval *ev, int i, struct decision d) {
    struct level *l = top(ev);
    size_t words = value_words(ev, &ev->plan->nodes[i]);
    uint64_t *old = l->value[i], *mine = own_buffer(ev, i);
    uint64_t *out = old == mine ? ev->scratch : mine;
    compute(ev, i, old, d, out);
    if (bits_equal(out, old, words)) return false;
    if (out != mine) memcpy(mine, out, words * sizeof *mine);
    l->value[i] = mine;
    l->changed[i] = true;
    return true;
}

static bool needs_refresh(const struct eval *ev, int i, struct decision d) {
    const struct plan_node *n = &ev->nodes[i];
    const struct level *l = top(ev);
    if (ev->needed && !ev->needed[i]) return false;
    if (d.kind == DECIDE_NOTHING) return true;
    if (n->op == NODE_RF) return d.kind == DECIDE_RF;
    if (n->op == NODE_ORDER && ((d.kind == DECIDE_ORDER && d.order == n->index) || ev->complete)) return true;
    return (n->a >= 0 && l->changed[n->a]) || (n->b >= 0 && l->changed[n->b]);
}

/* Whether something that a loop depends on has changed. */
static bool is_touched(const struct eval *ev, const struct loop *loop, struct decision d) {
    for (int i = loop->first; i <= loop->last; i++)
        if (needs_refresh(ev, i, d)) return true;
    return false;
}

/* A least fixpoint: the must bound goes on from what it was, the may bound starts again from nothing. */
static void run_loop(struct eval *ev, const struct loop *loop, struct decision d) {
    const struct model_plan *p = ev->plan;
    if (!is_touched(ev, loop, d)) return;
    for (int i = loop->first; loop->may && p->nodes[i].op == NODE_VAR; i++) {
        top(ev)->value[i] = own_buffer(ev, i);
        memset(top(ev)->value[i], 0, value_words(ev, &p->nodes[i]) * sizeof(uint64_t));
        top(ev)->changed[i] = true;
    }
    bool again;
    do {
        again = false;
        for (int i = loop->first; i <= loop->last; i++) {
            if (i > loop->first && p->loop_at[i] >= 0) {
                run_loop(ev, &p->loops[p->loop_at[i]], d);
                i = p->loops[p->loop_at[i]].last;
            } else if ((!ev->needed || ev->needed[i]) && refresh(ev, i, d)) {
                again = true;
            }
        }
    } while (again);
}

static void run_schedule(struct eval *ev, const struct schedule *s, struct decision d) {
    const struct model_plan *p = ev->plan;
    for (int k = 0; k < s->n; k++) {
        int i = s->nodes[k];
        if (p->loop_at[i] >= 0) {
            const struct loop *loop = &p->loops[p->loop_at[i]];
            run_loop(ev, loop, d);
            while (k + 1 < s->n && s->nodes[k + 1] <= loop->last)
                k++;
        } else if (needs_refresh(ev, i, d)) {
            refresh(ev, i, d);
        }
    }
}

/* Axioms */

static bool is_broken(const struct eval *ev, const struct axiom *axiom) {
    const struct plan_node *n = &ev->plan->nodes[axiom->node];
    const uint64_t *value = eval_value(ev, axiom->node);
    bool good = axiom->check == CHECK_EMPTY ? !bits_any(value, value_words(ev, n))
                                            : rel_is_irreflexive(ev->dim, value);
    return good == axiom->negated;
}

bool eval_breaks_axiom(const struct eval *ev, int axiom) {
    return is_broken(ev, &ev->plan->axioms[axiom]);
}

bool eval_breaks_order(const struct eval *ev, int k) {
    return !rel_is_irreflexive(ev->dim, eval_value(ev, ev->plan->orders[k].node));
}

static bool judge(const struct eval *ev, bool all) {
    const struct level *l = top(ev);
    if (ev->tolerant) return true;
    for (int k = 0; k < ev->plan->norders; k++)
        if ((all || l->changed[ev->at[ev->plan->orders[k].node]]) && eval_breaks_order(ev, k)) return false;
    for (int k = 0; k < ev->plan->naxioms; k++)
        if ((all || l->changed[ev->at[ev->plan->axioms[k].node]]) && eval_breaks_axiom(ev, k)) return false;
    return true;
}

static bool in_mask(const struct eval *ev, int mask, int from, int to) {
    return mask < 0 || rel_has(ev->dim, eval_value(ev, mask), from, to);
}

/* Whether the edge that a decision is, or an edge that `via` makes of it, runs against `back`. With via^-1;
 * guess the edges go from what via relates d.from to, to d.to; for rf as the inverted side, from d.to to what
 * via relates d.from to. */
static bool closes_cycle(const struct eval *ev, const struct consequence *c, struct decision d) {
    struct dim dim = ev->dim;
    const uint64_t *back = eval_value(ev, c->back);
    if (c->via < 0) return rel_has(dim, back, d.to, d.from) && in_mask(ev, c->mask, d.from, d.to);
    const uint64_t *via = rel_crow(dim, eval_value(ev, c->via), d.from);
    for (int e = set_first(via, dim.words); e >= 0; e = set_next(via, dim.words, e)) {
        int from = c->inverted ? d.to : e, to = c->inverted ? e : d.to;
        if (rel_has(dim, back, to, from) && in_mask(ev, c->mask, from, to)) return true;
    }
    return false;
}

/* Levels */

static void add_level(struct eval *ev) {
    size_t n = (size_t)ev->plan->nnodes;
    if (ev->depth + 1 == ev->cap) {
        int cap = 2 * ev->cap;
        ev->levels = arena_grow(ev->arena, ev->levels, (size_t)ev->cap, (size_t)cap, sizeof *ev->levels);
        ev->cap = cap;
    }
    const struct level *below = top(ev);
    struct level *l = &ev->levels[++ev->depth];
    if (!l->value) {
        l->value = arena_array(ev->arena, n, sizeof *l->value);
        l->own = arena_array(ev->arena, n, sizeof *l->own);
        l->changed = arena_array(ev->arena, n, sizeof *l->changed);
    }
    memcpy(l->value, below->value, n * sizeof *l->value);
    memset(l->changed, 0, n * sizeof *l->changed);
}

static void fill_sources(struct eval *ev, const uint64_t *const *sources) {
    for (int i = 0; i < ev->plan->nnodes; i++) {
        const struct plan_node *n = &ev->plan->nodes[i];
        if (n->op != NODE_RF || !n->may) continue;
        for (int r = 0; r < ev->dim.n; r++) {
            if (!sources[r]) continue;
            for (int w = set_first(sources[r], ev->dim.words); w >= 0;
                 w = set_next(sources[r], ev->dim.words, w))
                rel_add(ev->dim, ev->levels[0].value[i], w, r);
        }
    }
}

bool eval_open(struct eval *ev, const struct model_plan *plan, const struct graph *g,
               const uint64_t *const *sources, struct arena *a) {
    size_t n = (size_t)plan->nnodes;
    *ev = (struct eval){
        .plan = plan, .graph = g, .arena = a, .dim = g->dim, .cap = 16, .tolerant = ev->tolerant};
    ev->levels = arena_array(a, (size_t)ev->cap, sizeof *ev->levels);
    ev->nodes = arena_array(a, n, sizeof *ev->nodes);
    memcpy(ev->nodes, plan->nodes, n * sizeof *ev->nodes);
    ev->at = arena_array(a, n, sizeof *ev->at);
    for (int i = 0; i < plan->nnodes; i++)
        ev->at[i] = i;
    ev->changing = plan->changing;
    ev->by_rf = plan->by_rf;
    memcpy(ev->by_order, plan->by_order, sizeof ev->by_order);
    ev->scratch = arena_array(a, 2 * dim_rel(g->dim), sizeof *ev->scratch);
    struct level *l = &ev->levels[0];
    l->value = arena_array(a, n, sizeof *l->value);
    l->own = arena_array(a, n, sizeof *l->own);
    l->changed = arena_array(a, n, sizeof *l->changed);
    for (int i = 0; i < plan->nnodes; i++)
        l->value[i] = own_buffer(ev, i);
    fill_sources(ev, sources);
    run_schedule(ev, &plan->everything, (struct decision){DECIDE_NOTHING, 0, 0, 0});
    if (!judge(ev, true)) return false;
    if (!ev->tolerant) eval_specialize(ev);
    return true;
}

bool eval_push(struct eval *ev, struct decision d) {
    add_level(ev);
    run_schedule(ev, d.kind == DECIDE_RF ? &ev->by_rf : &ev->by_order[d.order], d);
    return judge(ev, false);
}

bool eval_push_complete(struct eval *ev) {
    add_level(ev);
    ev->complete = true;
    run_schedule(ev, &ev->changing, (struct decision){DECIDE_ORDER, -1, 0, 0});
    ev->complete = false;
    return judge(ev, false);
}

bool eval_refuses(const struct eval *ev, struct decision d) {
    const struct model_plan *p = ev->plan;
    unsigned guess = d.kind == DECIDE_RF ? GUESS_RF : GUESS_ORDER(d.order);
    for (int k = 0; k < p->nconsequences && !ev->tolerant; k++)
        if (p->consequences[k].guess == guess && closes_cycle(ev, &p->consequences[k], d)) return true;
    return false;
}

void eval_pop(struct eval *ev) {
    ev->depth--;
}
