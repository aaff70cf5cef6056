#include "cat/eval_node.h"

/* Up to so many edges are added to a closed relation one by one. */
enum { FEW_EDGES = 2 };

size_t eval_words(const struct eval *ev, const struct plan_node *n) {
    return n->rel ? dim_rel(ev->dim) : (size_t)ev->dim.words;
}

/* Writing */

/* Puts a word on the trail. Before the first step there is nothing to take back. */
static void remember(struct eval *ev, uint64_t *word) {
    if (ev->depth == 0) return;
    if (ev->ntrail == ev->trail_cap) {
        size_t cap = 2 * ev->trail_cap;
        ev->trail = arena_grow(ev->arena, ev->trail, ev->trail_cap, cap, sizeof *ev->trail);
        ev->bytes += (cap - ev->trail_cap) * sizeof *ev->trail;
        ev->trail_cap = cap;
    }
    ev->trail[ev->ntrail++] = (struct undo){word, *word};
}

/* Notes that this step has changed a row of a node. */
static bool note_row(struct eval *ev, int i, int row) {
    set_add(ev->dirty[i], row);
    if (!ev->changed[i]) ev->list[ev->nlist++] = i;
    return ev->changed[i] = true;
}

/* Gives a row of a node its new value. A set has only row 0. True when the row had another value. */
static bool put_row(struct eval *ev, int i, int row, const uint64_t *bits) {
    uint64_t *to = ev->value[i] + (size_t)row * (size_t)ev->dim.words;
    bool differs = false;
    if (*to == *bits && (ev->dim.words == 1 || (ev->dim.words == 2 && to[1] == bits[1]))) return false;
    for (int w = 0; w < ev->dim.words; w++) {
        if (to[w] == bits[w]) continue;
        remember(ev, &to[w]);
        to[w] = bits[w];
        differs = true;
    }
    return differs && note_row(ev, i, row);
}

static bool put_bit(struct eval *ev, int i, int from, int to, bool on) {
    uint64_t *row = rel_row(ev->dim, ev->value[i], from);
    if (set_has(row, to) == on) return false;
    remember(ev, &row[to >> 6]);
    row[to >> 6] ^= (uint64_t)1 << (to & 63);
    return note_row(ev, i, from);
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
    return differs && note_row(ev, i, row);
}

bool eval_put_all(struct eval *ev, int i, const uint64_t *bits) {
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

/* Two words a row, as executions of up to 128 events have, stay in registers. */
static void add_rows_words2(const uint64_t *row, const uint64_t *b, uint64_t *out) {
    uint64_t low = out[0], high = out[1];
    for (int w = 0; w < 2; w++)
        for (uint64_t left = row[w]; left; left &= left - 1) {
            const uint64_t *to = b + 2 * (64 * w + __builtin_ctzll(left));
            low |= to[0];
            high |= to[1];
        }
    out[0] = low;
    out[1] = high;
}

/* Adds to `out` the rows of b that `row` leads to. Four at a time: each pass over `out` waits for the one before. */
static void add_rows(struct dim dim, const uint64_t *row, const uint64_t *b, uint64_t *out) {
    if (dim.words == 2) {
        add_rows_words2(row, b, out);
        return;
    }
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

/* Adds many edges to a closed relation at once. The row of each event with new edges gets these, and all that
 * their ends led to. Any other new pair is a path through such events, so it is enough to close over these. */
static bool close_many(struct eval *ev, int i, const uint64_t *fresh) {
    struct dim dim = ev->dim;
    const uint64_t *old = ev->value[i];
    uint64_t *closed = ev->scratch + dim_rel(dim), starts[EVAL_MAX_EVENTS / 64] = {0};
    memcpy(closed, old, dim_rel(dim) * sizeof *closed);
    for (int e = 0; e < dim.n; e++) {
        const uint64_t *row = rel_crow(dim, fresh, e);
        if (!bits_any(row, (size_t)dim.words)) continue;
        set_add(starts, e);
        bits_or(rel_row(dim, closed, e), row, (size_t)dim.words);
        add_rows(dim, row, old, rel_row(dim, closed, e));
    }
    rel_close_over(dim, closed, starts);
    return eval_put_all(ev, i, closed);
}

/* Adds edges to a closed relation. */
static bool close_edges(struct eval *ev, int i, const uint64_t *fresh, int n) {
    struct dim dim = ev->dim;
    bool differs = false;
    if (n > FEW_EDGES) return close_many(ev, i, fresh);
    for (int e = 0; e < dim.n && n > 0; e++) {
        const uint64_t *row = rel_crow(dim, fresh, e);
        for (int to = set_first(row, dim.words); to >= 0; to = set_next(row, dim.words, to), n--)
            differs |= close_edge(ev, i, e, to);
    }
    return differs;
}

/* Gathers the edges of the new rows of `a` that a closed relation does not have, beside those in `fresh`. Returns how
 * many. */
static int gather_rows(const struct eval *ev, int i, int a, uint64_t *fresh) {
    struct dim dim = ev->dim;
    int n = 0;
    for (int e = set_first(ev->dirty[a], dim.words); e >= 0; e = set_next(ev->dirty[a], dim.words, e)) {
        const uint64_t *row = rel_crow(dim, ev->value[a], e), *closed = rel_crow(dim, ev->value[i], e);
        uint64_t *to = rel_row(dim, fresh, e);
        for (int w = 0; w < dim.words; w++) {
            uint64_t more = row[w] & ~closed[w] & ~to[w];
            to[w] |= more;
            n += __builtin_popcountll(more);
        }
    }
    return n;
}

/* Adds the edges in the new rows of `a` to a closed relation. */
static bool close_rows(struct eval *ev, int i, int a) {
    memset(ev->scratch, 0, dim_rel(ev->dim) * sizeof *ev->scratch);
    return close_edges(ev, i, ev->scratch, gather_rows(ev, i, a, ev->scratch));
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

/* Copies the value that a node has already. */
static void copy_value(const struct eval *ev, int i, uint64_t *out) {
    if (out != ev->value[i]) memcpy(out, ev->value[i], eval_words(ev, &ev->nodes[i]) * sizeof *out);
}

static void compute(struct eval *ev, int i, uint64_t *out) {
    const struct plan_node *n = &ev->nodes[i];
    struct dim dim = ev->dim;
    size_t words = eval_words(ev, n);
    const uint64_t *a = n->a >= 0 ? ev->value[n->a] : NULL;
    const uint64_t *b = n->b >= 0 ? ev->value[n->b] : NULL;
    switch (n->op) {
    case NODE_GIVEN: memcpy(out, ev->given[n->index], words * sizeof *out); break;
    case NODE_RF: copy_value(ev, i, out); break;
    case NODE_ORDER:
        if (n->may) {
            compute_order_may(ev, a, out);
        } else {
            copy_value(ev, i, out);
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

void eval_fill(struct eval *ev, int i) {
    compute(ev, i, ev->value[i]);
}

bool eval_compute(struct eval *ev, int i) {
    compute(ev, i, ev->scratch);
    return eval_put_all(ev, i, ev->scratch);
}

/* Nodes row by row: only what new rows of the operands change. */

/* Puts the decisions of this step about rf into its bounds: each of their reads has one source now. */
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
    if (n->may) return eval_compute(ev, i);
    int more = 0;
    memset(ev->scratch, 0, dim_rel(ev->dim) * sizeof *ev->scratch);
    for (int k = 0; k < ev->ndecisions; k++) {
        const struct decision *d = &ev->decisions[k];
        if (d->kind != DECIDE_ORDER || d->order != n->index || rel_has(ev->dim, ev->value[i], d->from, d->to))
            continue;
        rel_add(ev->dim, ev->scratch, d->from, d->to);
        more++;
    }
    return close_edges(ev, i, ev->scratch, more + gather_rows(ev, i, n->a, ev->scratch));
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

/* Executions of up to 64 events, nearly all there are, have one word a row: worth a loop of their own. */
static bool refresh_seq_words1(struct eval *ev, int i) {
    const struct plan_node *n = &ev->nodes[i];
    const uint64_t *a = ev->value[n->a], *b = ev->value[n->b];
    uint64_t of_a = *ev->dirty[n->a], of_b = *ev->dirty[n->b], rows = of_a;
    bool differs = false;
    for (int e = 0; e < ev->dim.n; e++)
        rows |= (uint64_t)(n->may || (a[e] & of_b) != 0) << e;
    for (; rows; rows &= rows - 1) {
        int e = __builtin_ctzll(rows);
        uint64_t left = n->may || of_a >> e & 1 ? a[e] : a[e] & of_b, row = n->may ? 0 : ev->value[i][e];
        for (; left; left &= left - 1)
            row |= b[__builtin_ctzll(left)];
        differs |= put_row(ev, i, e, &row);
    }
    return differs;
}

/* Row e of a; b changes if row e of a is new or leads to a new row of b. A may bound is computed anew, as its
 * operands shrink. To a must bound is added: if row e of a is old, only what new rows of b have. What the row
 * has already is kept, since a DECIDE_ROW may have added more than the operands give. */
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
        if (!whole && !bits_meet(row, of_b, (size_t)dim.words)) continue;
        for (int w = 0; w < dim.words; w++) {
            out[w] = n->may ? 0 : rel_crow(dim, ev->value[i], e)[w];
            fresh[w] = whole ? row[w] : row[w] & of_b[w];
        }
        add_rows(dim, fresh, b, out);
        differs |= put_row(ev, i, e, out);
    }
    return differs;
}

/* a^-1; b, where a and b only grow: for each m of which row m of a or of b is new, row m of b is added to the
 * rows in row m of a. */
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

static bool refresh(struct eval *ev, int i) {
    const struct plan_node *n = &ev->nodes[i];
    if (!n->rel || is_new_set(ev, n->a) || is_new_set(ev, n->b)) return eval_compute(ev, i);
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
    case NODE_SEQ_INVERSE: return n->may ? eval_compute(ev, i) : refresh_seq_inverse(ev, i);
    case NODE_INVERSE: return refresh_inverse(ev, i);
    case NODE_PLUS:
    case NODE_STAR: return n->may ? eval_compute(ev, i) : close_rows(ev, i, n->a);
    case NODE_GIVEN:
    case NODE_VAR:
    case NODE_EMPTY:
    case NODE_ALL:
    case NODE_COMPL:
    case NODE_PRODUCT:
    case NODE_DIAG:
    case NODE_DOMAIN:
    case NODE_RANGE: return eval_compute(ev, i);
    }
    return false;
}

/* Adds the DECIDE_ROW pairs of this step to a node, which only grows. */
static bool take_told(struct eval *ev, int i) {
    bool closure = ev->nodes[i].op != NODE_SEQ, differs = false;
    for (int k = 0; k < ev->ndecisions; k++) {
        const struct decision *d = &ev->decisions[k];
        if (d->kind != DECIDE_ROW || d->order != i) continue;
        differs |= closure ? close_edge(ev, i, d->from, d->to) : put_bit(ev, i, d->from, d->to, true);
    }
    return differs;
}

bool eval_refresh(struct eval *ev, int i) {
    bool differs = refresh(ev, i);
    return (ev->told[i] && take_told(ev, i)) || differs;
}
