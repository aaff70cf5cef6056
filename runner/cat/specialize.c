/* Finds the nodes of a plan that can change in one graph (`specialize`); what is empty in all graphs of its
 * kind is left out already (narrow.c). Nothing is lost: a node that is left out keeps the value that it had
 * when nothing was decided, because none of its operands can change, or because one that stays empty makes it
 * empty. A consequence only refuses early what an axiom would refuse, so it may be left out, too. */
#include "cat/eval_node.h"

struct specializer {
    struct eval *ev;
    bool *fixed;  /* no decision changes the node */
    bool *zero;   /* fixed, and empty */
    int *at;      /* the node that has the same value: itself, or the other side of a union with nothing */
    bool *needed; /* an axiom, an order or a consequence depends on it */
};

static bool is_zero(const struct eval *ev, int node) {
    const struct plan_node *n = &ev->plan->nodes[node];
    return !bits_any(eval_value(ev, node), n->rel ? dim_rel(ev->dim) : (size_t)ev->dim.words);
}

/* Whether an order must still decide a pair. */
static bool has_open_pair(const struct eval *ev, const struct plan_order *order) {
    const uint64_t *must = eval_value(ev, order->node), *either = eval_value(ev, order->either);
    for (int x = 0; x < ev->dim.n; x++) {
        const uint64_t *row = rel_crow(ev->dim, either, x);
        for (int y = set_first(row, ev->dim.words); y >= 0; y = set_next(row, ev->dim.words, y))
            if (x != y && !rel_has(ev->dim, must, x, y) && !rel_has(ev->dim, must, y, x)) return true;
    }
    return false;
}

/* Whether an order is fixed: it has no pair to decide, and its must edges do not change. */
static bool is_order_fixed(const struct specializer *z, const struct plan_node *n) {
    const struct plan_order *order = &z->ev->plan->orders[n->index];
    return !n->may && !order->either_dynamic && z->fixed[n->a] && !has_open_pair(z->ev, order);
}

static bool is_fixed(const struct specializer *z, int i) {
    const struct plan_node *n = &z->ev->plan->nodes[i];
    if (!n->guesses) return true;
    switch (n->op) {
    case NODE_RF: return !z->ev->reads;
    case NODE_VAR: return false;
    case NODE_ORDER: return is_order_fixed(z, n);
    case NODE_INTER:
    case NODE_SEQ:
    case NODE_SEQ_INVERSE:
    case NODE_FROM:
    case NODE_TO:
    case NODE_PRODUCT:
        if (z->zero[n->a] || z->zero[n->b]) return true;
        break;
    case NODE_DIFF:
        if (z->zero[n->a]) return true;
        break;
    default: break;
    }
    return (n->a < 0 || z->fixed[n->a]) && (n->b < 0 || z->fixed[n->b]);
}

static bool is_all(const struct specializer *z, int node) {
    const struct eval *ev = z->ev;
    const struct plan_node *n = &ev->plan->nodes[node];
    if (!z->fixed[node]) return false;
    for (int e = 0; e < (n->rel ? ev->dim.n : 1); e++)
        if (bits_count(rel_crow(ev->dim, eval_value(ev, node), e), (size_t)ev->dim.words) < ev->dim.n)
            return false;
    return true;
}

/* A node that always has the same value as this one: an operand, if the other one adds nothing and takes
 * nothing away. */
static int find_same(const struct specializer *z, int i) {
    const struct plan_node *n = &z->ev->plan->nodes[i];
    switch (n->op) {
    case NODE_UNION: return z->zero[n->a] ? z->at[n->b] : z->zero[n->b] ? z->at[n->a] : i;
    case NODE_INTER: return is_all(z, n->a) ? z->at[n->b] : is_all(z, n->b) ? z->at[n->a] : i;
    case NODE_DIFF: return z->zero[n->b] ? z->at[n->a] : i;
    case NODE_FROM: return is_all(z, n->a) ? z->at[n->b] : i;
    case NODE_TO: return is_all(z, n->b) ? z->at[n->a] : i;
    default: return i;
    }
}

static void mark_needed(struct specializer *z, int node) {
    if (node < 0 || z->needed[z->at[node]] || z->fixed[z->at[node]]) return;
    int i = z->at[node];
    z->needed[i] = true;
    mark_needed(z, z->ev->nodes[i].a);
    mark_needed(z, z->ev->nodes[i].b);
}

static void mark_axiom(struct specializer *z, const struct axiom *axiom) {
    const struct plan_node *n = &z->ev->plan->nodes[axiom->node];
    if (!eval_is_sequence(z->ev->plan, axiom)) {
        mark_needed(z, axiom->node);
        return;
    }
    mark_needed(z, n->a);
    mark_needed(z, n->b);
}

/* Whether anything of a guess is left to decide. */
static bool can_decide(const struct specializer *z, unsigned guess) {
    const struct model_plan *p = z->ev->plan;
    for (int k = 0; k < p->norders; k++)
        if (guess == GUESS_ORDER(k))
            return p->orders[k].either_dynamic || has_open_pair(z->ev, &p->orders[k]);
    return z->ev->reads;
}

static struct schedule keep_needed(const struct specializer *z, const struct schedule *from) {
    struct schedule s = {.nodes = arena_array(z->ev->arena, (size_t)from->n, sizeof *s.nodes)};
    for (int k = 0; k < from->n; k++)
        if (z->needed[from->nodes[k]]) s.nodes[s.n++] = from->nodes[k];
    return s;
}

static bool is_nothing(const struct specializer *z, int node) {
    return node >= 0 && z->zero[z->at[node]];
}

static bool may_come_about(const struct specializer *z, const struct consequence *c) {
    return can_decide(z, c->guess) && !is_nothing(z, c->back) && !is_nothing(z, c->via) &&
           !is_nothing(z, c->mask);
}

/* Keeps the consequences that can refuse something: their guess has something to decide, and none of their
 * nodes is empty. */
static void keep_consequences(struct specializer *z) {
    const struct model_plan *p = z->ev->plan;
    struct consequence *kept = arena_array(z->ev->arena, (size_t)p->nconsequences, sizeof *kept);
    int n = 0;
    for (int k = 0; k < p->nconsequences; k++)
        if (may_come_about(z, &p->consequences[k])) kept[n++] = p->consequences[k];
    z->ev->consequences = kept;
    z->ev->nconsequences = n;
}

/* Keeps the nodes on which an axiom, an order or a consequence depends. */
static void keep_nodes(struct specializer *z) {
    struct eval *ev = z->ev;
    const struct model_plan *p = ev->plan;
    z->needed = arena_array(ev->arena, (size_t)p->nnodes, sizeof *z->needed);
    for (int k = 0; k < p->naxioms; k++)
        mark_axiom(z, &p->axioms[k]);
    for (int k = 0; k < p->norders; k++) {
        mark_needed(z, p->orders[k].node);
        mark_needed(z, p->orders[k].either);
    }
    for (int k = 0; k < ev->nconsequences; k++)
        mark_needed(z, ev->consequences[k].back);
    ev->needed = z->needed;
    ev->changing = keep_needed(z, &p->changing);
    ev->by_rf = keep_needed(z, &p->by_rf);
    for (int k = 0; k < p->norders; k++)
        ev->by_order[k] = keep_needed(z, &p->by_order[k]);
}

void eval_specialize(struct eval *ev) {
    const struct model_plan *p = ev->plan;
    size_t n = (size_t)p->nnodes;
    struct specializer z = {.ev = ev, .at = ev->at};
    z.fixed = ev->fixed = arena_array(ev->arena, n, sizeof *z.fixed);
    z.zero = arena_array(ev->arena, n, sizeof *z.zero);
    for (int i = 0; i < p->nnodes; i++) {
        z.fixed[i] = is_fixed(&z, i);
        z.zero[i] = z.fixed[i] && is_zero(ev, i);
    }
    for (int i = 0; i < p->nnodes; i++)
        if (!z.fixed[i]) z.at[i] = find_same(&z, i);
    for (int i = 0; i < p->nnodes; i++) {
        if (ev->nodes[i].a >= 0) ev->nodes[i].a = z.at[ev->nodes[i].a];
        if (ev->nodes[i].b >= 0) ev->nodes[i].b = z.at[ev->nodes[i].b];
    }
    keep_consequences(&z);
    keep_nodes(&z);
}

void eval_drop_idle(struct eval *ev) {
    struct specializer z = {.ev = ev, .at = ev->at, .fixed = ev->fixed};
    struct consequence *kept = arena_array(ev->arena, (size_t)ev->nconsequences, sizeof *kept);
    int n = 0;
    for (int k = 0; k < ev->nconsequences; k++)
        if (ev->refused[k] || ev->consequences[k].guess & (GUESS_RF | GUESS_ORDER(ORDER_CO)))
            kept[n++] = ev->consequences[k];
    ev->consequences = kept;
    ev->nconsequences = n;
    keep_nodes(&z);
}
