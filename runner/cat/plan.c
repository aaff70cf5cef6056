/* Terms to nodes: the axioms ask for the bounds of terms, and only what they ask for becomes nodes. */
#include "cat/plan.h"

#include <stdlib.h>

#include "base/memory.h"
#include "cat/terms.h"

const char *const plan_givens[GIVEN_COUNT] = {
#define SET(id, name, doc, is)             [GIVEN_##id] = name,
#define REL(id, name, doc, first, relates) [GIVEN_##id] = name,
#define GUESS(name, doc, op, index)
#define DERIVED(name, doc, cat)
#include "cat/names.def"
};

struct plan_builder {
    struct arena *arena;
    struct diag *diag;
    struct model_plan *plan;
    struct terms terms;
    int *node_of[2]; /* term -> node, of the must and the may bound; -1 */
    bool *busy[2];   /* terms of variables and orders that are being translated */
};

static bool same_node(const struct plan_node *x, const struct plan_node *y) {
    return x->op == y->op && x->rel == y->rel && x->guesses == y->guesses && x->may == y->may &&
           x->a == y->a && x->b == y->b && x->index == y->index;
}

static int new_node(struct plan_builder *b, struct plan_node n) {
    struct model_plan *p = b->plan;
    for (int k = 0; k < p->nnodes && n.op != NODE_VAR; k++)
        if (same_node(&p->nodes[k], &n)) return k;
    if (p->nnodes == PLAN_MAX_NODES) {
        if (b->diag->errors == 0) diag_fail(b->diag, "the model is too large");
        return 0;
    }
    p->nodes[p->nnodes] = n;
    return p->nnodes++;
}

/* The guesses that a term's value depends on. Follows the definitions of variables and orders; `seen` marks the terms
 * on the way. */
static unsigned guesses_below(const struct plan_builder *b, int t, bool *seen) {
    if (t < 0 || seen[t]) return 0;
    seen[t] = true;
    const struct term *k = &b->terms.terms[t];
    if (k->op == NODE_RF) return GUESS_RF;
    if (k->op == NODE_ORDER)
        return GUESS_ORDER(k->index) | guesses_below(b, b->terms.orders[k->index].must, seen);
    if (k->op == NODE_VAR) {
        unsigned all = 0;
        for (int v = 0; v < b->terms.groups[k->a].nvars; v++)
            all |= guesses_below(b, b->terms.groups[k->a].body[v], seen);
        return all;
    }
    return guesses_below(b, k->a, seen) | guesses_below(b, k->b, seen);
}

static unsigned guesses(const struct plan_builder *b, int t) {
    bool *seen = memory_new((size_t)b->terms.n + 1, sizeof *seen);
    unsigned g = guesses_below(b, t, seen);
    free(seen);
    return g;
}

static int node_for(struct plan_builder *b, int t, bool may);

static void add_loop(struct plan_builder *b, int first, bool may) {
    struct model_plan *p = b->plan;
    p->loops = arena_grow(b->arena, p->loops, (size_t)p->nloops, (size_t)p->nloops + 1, sizeof *p->loops);
    p->loops[p->nloops++] = (struct loop){first, p->nnodes - 1, may};
}

/* The node of a variable of a `let rec`. It comes before the node of the definition; a loop around both makes it the
 * least fixpoint. */
static int var_node(struct plan_builder *b, int t, bool may) {
    const struct term_group *g = &b->terms.groups[b->terms.terms[t].a];
    if (b->busy[!may][g->first_var]) {
        diag_error(b->diag, g->source, g->pos,
                   "this definition is not monotone: it depends on its own complement");
        return 0;
    }
    int first = b->plan->nnodes;
    unsigned all = guesses(b, t);
    for (int v = 0; v < g->nvars; v++)
        b->node_of[may][g->first_var + v] =
            new_node(b, (struct plan_node){NODE_VAR, true, all, may && all, -1, -1, v});
    b->busy[may][g->first_var] = true;
    for (int v = 0; v < g->nvars; v++) {
        int body = node_for(b, g->body[v], may);
        b->plan->nodes[b->node_of[may][g->first_var + v]].a = body;
    }
    b->busy[may][g->first_var] = false;
    add_loop(b, first, may && all);
    return b->node_of[may][t];
}

/* The must bound of an order. It is a variable, as of a `let rec`, if its must edges depend on the order itself. */
static int order_node(struct plan_builder *b, int t) {
    int k = b->terms.terms[t].index;
    struct model_plan *p = b->plan;
    bool *seen = memory_new((size_t)b->terms.n + 1, sizeof *seen);
    bool recursive = guesses_below(b, b->terms.orders[k].must, seen) & GUESS_ORDER(k);
    free(seen);
    int first = p->nnodes, node;
    if (recursive) {
        node = b->node_of[0][t] =
            new_node(b, (struct plan_node){NODE_ORDER, true, guesses(b, t), false, -1, -1, k});
        b->busy[0][t] = true;
        int must = node_for(b, b->terms.orders[k].must, false);
        p->nodes[node].a = must;
        b->busy[0][t] = false;
        add_loop(b, first, false);
    } else {
        int must = node_for(b, b->terms.orders[k].must, false);
        node = b->node_of[0][t] =
            new_node(b, (struct plan_node){NODE_ORDER, true, guesses(b, t), false, must, -1, k});
    }
    return node;
}

/* The may bound of an order: everything that the must bound does not exclude. */
static int order_may_node(struct plan_builder *b, int t) {
    int k = b->terms.terms[t].index;
    if (b->busy[0][t]) {
        diag_error(b->diag, b->terms.orders[k].source, b->terms.orders[k].pos,
                   "'%s' is not monotone: its must edges depend on its own complement",
                   b->terms.orders[k].name);
        return 0;
    }
    int must = node_for(b, t, false);
    return new_node(b, (struct plan_node){NODE_ORDER, true, guesses(b, t), true, must, -1, k});
}

static bool is_diag(const struct plan_builder *b, int node) {
    return b->plan->nodes[node].op == NODE_DIAG;
}

/* The node of a composition. A composition with [S] or with an inverse needs no product of relations. */
static struct plan_node seq_node(const struct plan_builder *b, int x, int y, struct plan_node n) {
    const struct plan_node *nodes = b->plan->nodes;
    n.a = x;
    n.b = y;
    if (is_diag(b, x)) {
        n.op = NODE_FROM;
        n.a = nodes[x].a;
    } else if (is_diag(b, y)) {
        n.op = NODE_TO;
        n.b = nodes[y].a;
    } else if (nodes[x].op == NODE_INVERSE) {
        n.op = NODE_SEQ_INVERSE;
        n.a = nodes[x].a;
    }
    return n;
}

/* The node of a bound of a term. Terms that do not depend on guesses have one bound. */
static int node_for(struct plan_builder *b, int t, bool may) {
    if (t < 0) return -1;
    const struct term k = b->terms.terms[t];
    unsigned g = guesses(b, t);
    if (!g && k.op != NODE_VAR) may = false;
    if (b->node_of[may][t] >= 0) return b->node_of[may][t];
    int node;
    struct plan_node n = {k.op, k.rel, g, may, -1, -1, k.index};
    if (k.op == NODE_VAR) {
        node = var_node(b, t, may);
    } else if (k.op == NODE_ORDER) {
        node = may ? order_may_node(b, t) : order_node(b, t);
    } else if (k.op == NODE_SEQ) {
        int x = node_for(b, k.a, may), y = node_for(b, k.b, may);
        node = new_node(b, seq_node(b, x, y, n));
    } else {
        n.a = node_for(b, k.a, k.op == NODE_COMPL ? !may : may);
        n.b = node_for(b, k.b, k.op == NODE_DIFF ? !may : may);
        node = new_node(b, n);
    }
    b->node_of[may][t] = node;
    return node;
}

static bool check_orders(struct plan_builder *b) {
    bool good = true;
    for (int k = 0; k < b->terms.norders; k++) {
        const struct term_order *order = &b->terms.orders[k];
        if (!(guesses(b, order->either) & ~GUESS_RF)) continue;
        diag_error(b->diag, order->source, order->pos,
                   "the pairs that '%s' orders depend on an order; they may depend on rf only", order->name);
        good = false;
    }
    return good;
}

/* Makes the nodes of the bounds that the axioms and the orders need, and of what these depend on. */
static void build_nodes(struct plan_builder *b) {
    struct model_plan *p = b->plan;
    const struct terms *t = &b->terms;
    p->norders = t->norders;
    for (int k = 0; k < t->norders; k++) {
        struct plan_order *order = &p->orders[k];
        order->name = t->orders[k].name;
        order->label = t->orders[k].label;
        order->node = node_for(b, terms_order(t, k), false);
        order->either = node_for(b, t->orders[k].either, false);
        order->either_dynamic = p->nodes[order->either].guesses != 0;
    }
    p->axioms = arena_array(b->arena, (size_t)t->naxioms, sizeof *p->axioms);
    for (int k = 0; k < t->naxioms; k++) {
        const struct term_axiom *from = &t->axioms[k];
        int node = node_for(b, from->node, from->negated), edges = node_for(b, from->edges, from->negated);
        p->axioms[p->naxioms++] = (struct axiom){from->name, from->check, from->negated, node, edges};
    }
    plan_find_consequences(p, b->arena);
    p->names = arena_array(b->arena, (size_t)t->nnamed, sizeof *p->names);
    for (int k = 0; k < t->nnamed; k++) {
        int term = t->named[k].term;
        if (term >= 0 && t->terms[term].rel && b->node_of[0][term] >= 0)
            p->names[p->nnames++] = (struct named_rel){t->named[k].name, b->node_of[0][term]};
    }
}

static struct schedule make_schedule(const struct model_plan *p, unsigned guesses_of, bool fixed,
                                     struct arena *a) {
    struct schedule s = {.nodes = arena_array(a, (size_t)p->nnodes, sizeof *s.nodes)};
    for (int k = 0; k < p->nnodes; k++)
        if (fixed || p->nodes[k].guesses & guesses_of) s.nodes[s.n++] = k;
    return s;
}

void plan_schedule(struct model_plan *p, struct arena *a) {
    p->everything = make_schedule(p, 0, true, a);
    p->changing = make_schedule(p, ~0u, false, a);
    p->by_rf = make_schedule(p, GUESS_RF, false, a);
    for (int k = 0; k < p->norders; k++)
        p->by_order[k] = make_schedule(p, GUESS_ORDER(k), false, a);
    p->loop_at = arena_array(a, (size_t)p->nnodes, sizeof *p->loop_at);
    p->givens = arena_array(a, (size_t)p->nnodes, sizeof *p->givens);
    p->exact = true;
    for (int k = 0; k < p->nnodes; k++) {
        p->loop_at[k] = -1;
        if (p->nodes[k].op == NODE_GIVEN) p->givens[p->ngivens++] = k;
        p->exact = p->exact && !p->nodes[k].may;
    }
    for (int k = 0; k < p->nloops; k++)
        p->loop_at[p->loops[k].first] = k;
}

const struct model_plan *plan_build(struct arena *a, const struct cat_stmt *cat, struct diag *d) {
    size_t before = d->errors;
    struct plan_builder b = {.arena = a, .diag = d, .plan = arena_alloc(a, sizeof(struct model_plan))};
    if (!terms_build(a, cat, &b.terms, d) || !check_orders(&b)) return NULL;
    b.plan->nodes = arena_array(a, PLAN_MAX_NODES, sizeof *b.plan->nodes);
    for (int m = 0; m < 2; m++) {
        b.node_of[m] = arena_array(a, (size_t)b.terms.n, sizeof *b.node_of[m]);
        b.busy[m] = arena_array(a, (size_t)b.terms.n, sizeof *b.busy[m]);
        for (int t = 0; t < b.terms.n; t++)
            b.node_of[m][t] = -1;
    }
    build_nodes(&b);
    plan_schedule(b.plan, a);
    b.plan->narrow = plan_open_narrow(a);
    return d->errors == before ? b.plan : NULL;
}

const struct model_plan *plan_syntactic(struct arena *a, const struct model_plan *p) {
    if (!p) return NULL;
    struct model_plan *copy = arena_alloc(a, sizeof *copy);
    *copy = *p;
    copy->syntactic = true;
    copy->narrow = plan_open_narrow(a);
    return copy;
}
