#include "model/eval.h"

static size_t value_words(const struct eval *ev, const struct plan_node *n) {
    return n->rel ? dim_rel(ev->dim) : (size_t)ev->dim.words;
}

const uint64_t *eval_value(const struct eval *ev, int node) {
    return ev->value[ev->at[node]];
}

/* Writing */

static void remember(struct eval *ev, uint64_t *word) {
    if (ev->ntrail == ev->trail_cap) {
        size_t cap = 2 * ev->trail_cap;
        ev->trail = arena_grow(ev->arena, ev->trail, ev->trail_cap, cap, sizeof *ev->trail);
        ev->bytes += (cap - ev->trail_cap) * sizeof *ev->trail;
        ev->trail_cap = cap;
    }
    ev->trail[ev->ntrail++] = (struct undo){word, *word};
}

/* Gives a row of a node its new value. A set has only row 0. True when the row had another value. */
static bool put_row(struct eval *ev, int i, int row, const uint64_t *bits) {
    uint64_t *to = ev->value[i] + (size_t)row * (size_t)ev->dim.words;
    bool differs = false;
    for (int w = 0; w < ev->dim.words; w++) {
        if (to[w] == bits[w]) continue;
        remember(ev, &to[w]);
        to[w] = bits[w];
        differs = true;
    }
    if (!differs) return false;
    set_add(ev->dirty[i], row);
    return ev->changed[i] = true;
}

static bool put_bit(struct eval *ev, int i, int from, int to, bool on) {
    uint64_t *row = rel_row(ev->dim, ev->value[i], from);
    if (set_has(row, to) == on) return false;
    remember(ev, &row[to >> 6]);
    row[to >> 6] ^= (uint64_t)1 << (to & 63);
    set_add(ev->dirty[i], from);
    return ev->changed[i] = true;
}

/* Adds `bits` to a row. */
static bool add_to_row(struct eval *ev, int i, int row, const uint64_t *bits) {
    uint64_t *to = rel_row(ev->dim, ev->value[i], row);
    bool differs = false;
    for (int w = 0; w < ev->dim.words; w++) {
        if (!(bits[w] & ~to[w])) continue;
        remember(ev, &to[w]);
        to[w] |= bits[w];
        differs = true;
    }
    if (!differs) return false;
    set_add(ev->dirty[i], row);
    return ev->changed[i] = true;
}

/* Gives a node its new value as a whole. */
static bool put_all(struct eval *ev, int i, const uint64_t *bits) {
    bool differs = false;
    int rows = ev->nodes[i].rel ? ev->dim.n : 1;
    for (int e = 0; e < rows; e++)
        differs |= put_row(ev, i, e, bits + (size_t)e * (size_t)ev->dim.words);
    return differs;
}

/* Adds an edge to a closed relation: whatever leads to `from` now leads to all that `to` leads to. */
static bool close_edge(struct eval *ev, int i, int from, int to) {
    struct dim dim = ev->dim;
    uint64_t *closed = ev->value[i];
    if (rel_has(dim, closed, from, to)) return false;
    for (int e = 0; e < dim.n && dim.words == 1; e++) {
        if ((e != from && !(closed[e] >> from & 1)) || closed[e] >> to & 1) continue;
        uint64_t row = closed[e] | closed[to] | (uint64_t)1 << to;
        put_row(ev, i, e, &row);
    }
    for (int e = 0; e < dim.n && dim.words > 1; e++) {
        if ((e != from && !rel_has(dim, closed, e, from)) || rel_has(dim, closed, e, to)) continue;
        add_to_row(ev, i, e, rel_crow(dim, closed, to));
        put_bit(ev, i, e, to, true);
    }
    return true;
}

/* Adds the edges in the new rows of `a` in the same way. */
static bool close_rows(struct eval *ev, int i, int a) {
    struct dim dim = ev->dim;
    bool differs = false;
    for (int e = set_first(ev->dirty[a], dim.words); e >= 0; e = set_next(ev->dirty[a], dim.words, e)) {
        const uint64_t *row = rel_crow(dim, ev->value[a], e), *closed = rel_crow(dim, ev->value[i], e);
        for (int w = 0; w < dim.words; w++)
            for (uint64_t left; (left = row[w] & ~closed[w]);)
                differs |= close_edge(ev, i, e, w * 64 + __builtin_ctzll(left));
    }
    return differs;
}

/* Nodes as a whole. Each function writes a node's value to `out`. */

/* Computes what an order may still be: everything that does not contradict what it must be. */
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

static void compute_closure(struct eval *ev, const struct plan_node *n, uint64_t *out) {
    memcpy(out, ev->value[n->a], dim_rel(ev->dim) * sizeof *out);
    rel_close(ev->dim, out);
    if (n->op == NODE_STAR) rel_reflexive(ev->dim, out);
}

static void compute(struct eval *ev, int i, uint64_t *out) {
    const struct plan_node *n = &ev->nodes[i];
    struct dim dim = ev->dim;
    size_t words = value_words(ev, n);
    const uint64_t *a = n->a >= 0 ? ev->value[n->a] : NULL;
    const uint64_t *b = n->b >= 0 ? ev->value[n->b] : NULL;
    switch (n->op) {
    case NODE_GIVEN: memcpy(out, ev->graph->given[n->index], words * sizeof *out); break;
    case NODE_RF: memcpy(out, ev->value[i], words * sizeof *out); break;
    case NODE_ORDER:
        if (n->may) {
            compute_order_may(ev, a, out);
        } else {
            memcpy(out, ev->value[i], words * sizeof *out);
            bits_or(out, a, words);
            rel_close(dim, out);
        }
        break;
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
    case NODE_STAR: compute_closure(ev, n, out); break;
    case NODE_OPT:
        memcpy(out, a, words * sizeof *out);
        rel_reflexive(dim, out);
        break;
    }
}

static bool refresh_whole(struct eval *ev, int i) {
    compute(ev, i, ev->scratch);
    return put_all(ev, i, ev->scratch);
}

/* Nodes row by row: only what new rows of the operands change. */

/* Takes over what the decisions of this step say of rf: each of their reads has one source now. */
static bool refresh_rf(struct eval *ev, int i) {
    bool may = ev->nodes[i].may, differs = false;
    for (int k = 0; k < ev->ndecisions; k++) {
        const struct decision *d = &ev->decisions[k];
        if (d->kind != DECIDE_RF) continue;
        if (!may) differs |= put_bit(ev, i, d->from, d->to, true);
        for (int e = 0; may && e < ev->dim.n; e++)
            if (e != d->from) differs |= put_bit(ev, i, e, d->to, false);
    }
    return differs;
}

static bool refresh_order(struct eval *ev, int i) {
    const struct plan_node *n = &ev->nodes[i];
    if (n->may) return refresh_whole(ev, i);
    bool differs = false;
    for (int k = 0; k < ev->ndecisions; k++) {
        const struct decision *d = &ev->decisions[k];
        if (d->kind == DECIDE_ORDER && d->order == n->index) differs |= close_edge(ev, i, d->from, d->to);
    }
    return close_rows(ev, i, n->a) || differs;
}

/* Computes row e of an operation whose rows follow from the same rows of its operands. */
static void compute_row(const struct eval *ev, const struct plan_node *n, int e, uint64_t *out) {
    struct dim dim = ev->dim;
    size_t bytes = (size_t)dim.words * sizeof *out;
    const uint64_t *a = ev->value[n->a], *b = n->b >= 0 ? ev->value[n->b] : NULL;
    const uint64_t *row = n->op == NODE_FROM ? rel_crow(dim, b, e) : rel_crow(dim, a, e);
    const uint64_t *other = n->op == NODE_TO ? b : n->op == NODE_FROM || !b ? NULL : rel_crow(dim, b, e);
    if (n->op == NODE_FROM && !set_has(a, e)) {
        memset(out, 0, bytes);
        return;
    }
    if (n->op == NODE_FROM || n->op == NODE_OPT) memcpy(out, row, bytes);
    if (n->op == NODE_OPT) set_add(out, e);
    if (n->op == NODE_FROM || n->op == NODE_OPT) return;
    for (int w = 0; w < dim.words; w++)
        out[w] = n->op == NODE_UNION  ? row[w] | other[w]
                 : n->op == NODE_DIFF ? row[w] & ~other[w]
                                      : row[w] & other[w];
}

/* The rows of an operand that are new. A set, or no operand, has none. */
static const uint64_t *new_rows(const struct eval *ev, int node) {
    return node >= 0 && ev->nodes[node].rel ? ev->dirty[node] : NULL;
}

static bool refresh_rows(struct eval *ev, int i) {
    const struct plan_node *n = &ev->nodes[i];
    const uint64_t *of_a = new_rows(ev, n->a), *of_b = new_rows(ev, n->b);
    uint64_t *rows = ev->scratch, *out = rows + ev->dim.words;
    bool differs = false;
    for (int w = 0; w < ev->dim.words; w++)
        rows[w] = (of_a ? of_a[w] : 0) | (of_b ? of_b[w] : 0);
    for (int e = set_first(rows, ev->dim.words); e >= 0; e = set_next(rows, ev->dim.words, e)) {
        compute_row(ev, n, e, out);
        differs |= put_row(ev, i, e, out);
    }
    return differs;
}

static bool meets(const uint64_t *x, const uint64_t *y, int words) {
    for (int w = 0; w < words; w++)
        if (x[w] & y[w]) return true;
    return false;
}

/* Adds to `out` the rows of b that `row` leads to. Four at a time: each pass over `out` waits for the one before. */
static void add_rows(struct dim dim, const uint64_t *row, const uint64_t *b, uint64_t *out) {
    const uint64_t *rows[4];
    int n = 0;
    for (int m = set_first(row, dim.words); m >= 0; m = set_next(row, dim.words, m)) {
        rows[n++] = rel_crow(dim, b, m);
        if (n < 4) continue;
        for (int w = 0; w < dim.words; w++)
            out[w] |= (rows[0][w] | rows[1][w]) | (rows[2][w] | rows[3][w]);
        n = 0;
    }
    while (n > 0)
        bits_or(out, rows[--n], (size_t)dim.words);
}

/* Executions of up to 64 events, nearly all there are, have one word a row: worth a loop of their own. */
static bool refresh_seq_words1(struct eval *ev, int i) {
    const struct plan_node *n = &ev->nodes[i];
    const uint64_t *a = ev->value[n->a], *b = ev->value[n->b];
    uint64_t of_a = *ev->dirty[n->a], of_b = *ev->dirty[n->b];
    bool differs = false;
    for (int e = 0; e < ev->dim.n; e++) {
        bool whole = n->may || of_a >> e & 1;
        uint64_t left = whole ? a[e] : a[e] & of_b, row = whole ? 0 : ev->value[i][e];
        if (!whole && !left) continue;
        for (; left; left &= left - 1)
            row |= b[__builtin_ctzll(left)];
        differs |= put_row(ev, i, e, &row);
    }
    return differs;
}

/* Where the first operand's row is old and the second only grows, its new rows are added. */
static bool refresh_seq(struct eval *ev, int i) {
    const struct plan_node *n = &ev->nodes[i];
    struct dim dim = ev->dim;
    if (dim.words == 1) return refresh_seq_words1(ev, i);
    const uint64_t *a = ev->value[n->a], *b = ev->value[n->b];
    const uint64_t *of_a = ev->dirty[n->a], *of_b = ev->dirty[n->b];
    uint64_t *out = ev->scratch, *fresh = out + dim.words;
    bool differs = false;
    for (int e = 0; e < dim.n; e++) {
        const uint64_t *row = rel_crow(dim, a, e);
        bool whole = n->may || set_has(of_a, e);
        if (!whole && !meets(row, of_b, dim.words)) continue;
        for (int w = 0; w < dim.words; w++) {
            out[w] = whole ? 0 : rel_crow(dim, ev->value[i], e)[w];
            fresh[w] = whole ? row[w] : row[w] & of_b[w];
        }
        add_rows(dim, fresh, b, out);
        differs |= put_row(ev, i, e, out);
    }
    return differs;
}

/* Of operands that only grow. */
static bool refresh_seq_inverse(struct eval *ev, int i) {
    const struct plan_node *n = &ev->nodes[i];
    struct dim dim = ev->dim;
    const uint64_t *a = ev->value[n->a], *b = ev->value[n->b];
    bool differs = false;
    for (int m = 0; m < dim.n; m++) {
        if (!set_has(ev->dirty[n->a], m) && !set_has(ev->dirty[n->b], m)) continue;
        const uint64_t *row = rel_crow(dim, a, m);
        for (int e = set_first(row, dim.words); e >= 0; e = set_next(row, dim.words, e))
            differs |= add_to_row(ev, i, e, rel_crow(dim, b, m));
    }
    return differs;
}

static bool refresh_inverse(struct eval *ev, int i) {
    const struct plan_node *n = &ev->nodes[i];
    struct dim dim = ev->dim;
    const uint64_t *rows = ev->dirty[n->a];
    bool differs = false;
    for (int m = set_first(rows, dim.words); m >= 0; m = set_next(rows, dim.words, m))
        for (int e = 0; e < dim.n; e++)
            differs |= put_bit(ev, i, e, m, rel_has(dim, ev->value[n->a], m, e));
    return differs;
}

static bool is_new_set(const struct eval *ev, int node) {
    return node >= 0 && !ev->nodes[node].rel && ev->changed[node];
}

/* Evaluates a node again. True when its value is another one. */
static bool refresh(struct eval *ev, int i) {
    const struct plan_node *n = &ev->nodes[i];
    if (!n->rel || is_new_set(ev, n->a) || is_new_set(ev, n->b)) return refresh_whole(ev, i);
    switch (n->op) {
    case NODE_RF: return refresh_rf(ev, i);
    case NODE_ORDER: return refresh_order(ev, i);
    case NODE_UNION:
    case NODE_INTER:
    case NODE_DIFF:
    case NODE_FROM:
    case NODE_TO:
    case NODE_OPT: return refresh_rows(ev, i);
    case NODE_SEQ: return refresh_seq(ev, i);
    case NODE_SEQ_INVERSE: return n->may ? refresh_whole(ev, i) : refresh_seq_inverse(ev, i);
    case NODE_INVERSE: return refresh_inverse(ev, i);
    case NODE_PLUS:
    case NODE_STAR: return n->may ? refresh_whole(ev, i) : close_rows(ev, i, n->a);
    case NODE_GIVEN:
    case NODE_VAR:
    case NODE_EMPTY:
    case NODE_ALL:
    case NODE_COMPL:
    case NODE_PRODUCT:
    case NODE_DIAG:
    case NODE_DOMAIN:
    case NODE_RANGE: return refresh_whole(ev, i);
    }
    return false;
}

static bool needs_refresh(const struct eval *ev, int i) {
    const struct plan_node *n = &ev->nodes[i];
    if (ev->needed && !ev->needed[i]) return false;
    if (n->op == NODE_RF) return ev->guesses & GUESS_RF;
    if (n->op == NODE_ORDER && ((ev->guesses & GUESS_ORDER(n->index)) || ev->complete)) return true;
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
        put_all(ev, i, ev->scratch);
    bool again;
    do {
        again = false;
        for (int i = loop->first; i <= loop->last; i++) {
            if (i > loop->first && p->loop_at[i] >= 0) {
                run_loop(ev, &p->loops[p->loop_at[i]], start);
                i = p->loops[p->loop_at[i]].last;
            } else if (!ev->needed || ev->needed[i]) {
                again |= start ? refresh_whole(ev, i) : refresh(ev, i);
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
            refresh_whole(ev, i);
        } else if (needs_refresh(ev, i)) {
            refresh(ev, i);
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
                : axiom->check == CHECK_EMPTY     ? !bits_any(value, value_words(ev, n))
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

static bool judge(const struct eval *ev, bool all) {
    if (ev->tolerant) return true;
    for (int k = 0; k < ev->plan->norders; k++)
        if ((all || ev->changed[ev->at[ev->plan->orders[k].node]]) && eval_breaks_order(ev, k)) return false;
    for (int k = 0; k < ev->plan->naxioms; k++)
        if ((all || is_axiom_touched(ev, &ev->plan->axioms[k])) && eval_breaks_axiom(ev, k)) return false;
    return true;
}

static bool in_mask(const struct eval *ev, int mask, int from, int to) {
    return mask < 0 || rel_has(ev->dim, eval_value(ev, mask), from, to);
}

/* True when a decision would close a cycle: when an edge that it makes runs against `back`. Without `via` the edge is
 * the decision itself. For via^-1; guess, the edges go from what via relates d.from to, to d.to. For rf as the inverted
 * side, they go from d.to to what via relates d.from to. */
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
    ev->changed = arena_array(ev->arena, n, sizeof *ev->changed);
    for (size_t i = 0; i < n; i++)
        all += value_words(ev, &ev->plan->nodes[i]);
    uint64_t *value = arena_array(ev->arena, all, sizeof *value);
    uint64_t *dirty = arena_array(ev->arena, n * words, sizeof *dirty);
    for (size_t i = 0; i < n; i++) {
        ev->value[i] = value;
        ev->dirty[i] = dirty + i * words;
        value += value_words(ev, &ev->plan->nodes[i]);
    }
    ev->scratch = arena_array(ev->arena, 2 * dim_rel(ev->dim) + 1, sizeof *ev->scratch);
    ev->trail = arena_array(ev->arena, ev->trail_cap, sizeof *ev->trail);
    ev->steps = arena_array(ev->arena, (size_t)ev->cap, sizeof *ev->steps);
    ev->bytes = (all + n * words) * sizeof *value;
}

bool eval_open(struct eval *ev, const struct model_plan *plan, const struct graph *g,
               const uint64_t *const *sources, struct arena *a) {
    size_t n = (size_t)plan->nnodes;
    *ev = (struct eval){.plan = plan,
                        .graph = g,
                        .arena = a,
                        .dim = g->dim,
                        .cap = 16,
                        .trail_cap = 256,
                        .tolerant = ev->tolerant};
    ev->nodes = arena_array(a, n, sizeof *ev->nodes);
    memcpy(ev->nodes, plan->nodes, n * sizeof *ev->nodes);
    ev->at = arena_array(a, n, sizeof *ev->at);
    for (int i = 0; i < plan->nnodes; i++)
        ev->at[i] = i;
    ev->changing = plan->changing;
    ev->by_rf = plan->by_rf;
    memcpy(ev->by_order, plan->by_order, sizeof ev->by_order);
    take_memory(ev);
    fill_sources(ev, sources);
    run_schedule(ev, &plan->everything, true);
    ev->ntrail = 0;
    if (!judge(ev, true)) return false;
    if (!ev->tolerant) eval_specialize(ev);
    return true;
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
    for (int k = 0; k < n; k++)
        ev->guesses |= d[k].kind == DECIDE_RF ? GUESS_RF : GUESS_ORDER(d[k].order);
    memset(ev->changed, 0, (size_t)ev->plan->nnodes * sizeof *ev->changed);
    memset(ev->dirty[0], 0, (size_t)ev->plan->nnodes * (size_t)ev->dim.words * sizeof **ev->dirty);
}

static const struct schedule *find_schedule(const struct eval *ev) {
    if (ev->guesses == GUESS_RF) return &ev->by_rf;
    for (int k = 0; k < ev->plan->norders; k++)
        if (ev->guesses == GUESS_ORDER(k)) return &ev->by_order[k];
    return &ev->changing;
}

bool eval_push(struct eval *ev, const struct decision *d, int n) {
    begin_step(ev, d, n);
    run_schedule(ev, find_schedule(ev), false);
    return judge(ev, false);
}

bool eval_push_complete(struct eval *ev) {
    begin_step(ev, NULL, 0);
    ev->complete = true;
    run_schedule(ev, &ev->changing, false);
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
    size_t start = ev->steps[--ev->depth];
    while (ev->ntrail > start) {
        const struct undo *u = &ev->trail[--ev->ntrail];
        *u->word = u->old;
    }
}
