/* Finds, once for the text of a model, which edges a decision is sure to put into an axiom. So the search can
 * refuse most bad decisions by looking at one bit.
 *
 * Nothing is lost (`consequences`): an edge is found only where the decision is sure to put it into a
 * relation that an axiom wants acyclic, irreflexive or empty: through unions, closures and sequences, and
 * through intersections, differences and restrictions whose other side is the same in all candidates. If the
 * way back is certain already, the decision breaks the axiom, and later decisions do not mend it, since what
 * is certain only grows. */
#include "cat/plan.h"

struct finder {
    struct model_plan *plan;
    struct arena *arena;
    int back;           /* of the node at hand: an axiom is broken if that has (x, y) and `back` has (y, x) */
    int *backs;         /* node -> the same for a part of a sequence or closure, looked at later; -1: none */
    int *closure_backs; /* closure -> the same for the closure as a whole */
};

static void add_consequence(struct finder *f, unsigned guess, bool inverted, int via, int mask) {
    struct model_plan *p = f->plan;
    size_t n = (size_t)p->nconsequences++;
    p->consequences = arena_grow(f->arena, p->consequences, n, n + 1, sizeof *p->consequences);
    p->consequences[n] = (struct consequence){guess, inverted, f->back, via, mask};
}

/* Adds a node to the plan, unless it has it: a relation, or the set of all events. -1: the plan is full. */
static int add_node(struct finder *f, enum node_op op, int a, int b) {
    struct model_plan *p = f->plan;
    bool rel = op != NODE_ALL;
    unsigned guesses = (a < 0 ? 0 : p->nodes[a].guesses) | (b < 0 ? 0 : p->nodes[b].guesses);
    for (int k = 0; k < p->nnodes; k++) {
        const struct plan_node *n = &p->nodes[k];
        if (n->op == op && n->rel == rel && !n->may && n->a == a && n->b == b) return k;
    }
    if (p->nnodes == PLAN_MAX_NODES) return -1;
    p->nodes[p->nnodes] = (struct plan_node){.op = op, .rel = rel, .guesses = guesses, .a = a, .b = b};
    return p->nnodes++;
}

/* For a node [S]; r, r; [S] or r \ s, where S or s is the same in all candidates: the relation of all edges
 * that it keeps of r. -1: S or s is not the same, or the plan is full. */
static int keeps(struct finder *f, const struct plan_node *n) {
    int fixed = n->op == NODE_FROM ? n->a : n->b;
    if (f->plan->nodes[fixed].guesses) return -1;
    if (n->op == NODE_DIFF) return add_node(f, NODE_COMPL, fixed, -1);
    int all = add_node(f, NODE_ALL, -1, -1);
    if (all < 0) return -1;
    return n->op == NODE_FROM ? add_node(f, NODE_PRODUCT, fixed, all) : add_node(f, NODE_PRODUCT, all, fixed);
}

/* The guess that a node stands for, if it is a guess and nothing else; 0: it is none. */
static unsigned guess_of(const struct plan_node *n) {
    if (n->may) return 0;
    return n->op == NODE_RF ? GUESS_RF : n->op == NODE_ORDER ? GUESS_ORDER(n->index) : 0;
}

/* Whether a node depends on an order other than co. Only guesses of such orders are looked for inside of
 * sequences: rf and co are everywhere, and what is found of them there costs more than it saves. */
static bool has_other_order(const struct finder *f, int node) {
    return f->plan->nodes[node].guesses & ~(GUESS_RF | GUESS_ORDER(ORDER_CO));
}

/* Adds `back` to the ways back of a node: they become a union. */
static void add_back(struct finder *f, int *backs, int node, int back) {
    if (back < 0) return;
    int *all = &backs[node];
    *all = *all < 0 || *all == back ? back : add_node(f, NODE_UNION, *all, back);
}

/* Notes a way back for a part of a sequence. It is looked at when all its ways back are known. */
static void look_later(struct finder *f, int node, int back) {
    if (has_other_order(f, node)) add_back(f, f->backs, node, back);
}

/* Notes the ways back for the parts of a; b. If `back` has (y, x) for an edge (x, y) of a; b, then b; back
 * leads back along an edge of a, and back; a along an edge of b. Of a closure, `back` itself is noted, for
 * look_into_closure. If there is a mask, only edges in it count, so `back` is restricted to the inverse of
 * the mask. */
static void look_inside(struct finder *f, int node, int mask) {
    const struct plan_node n = f->plan->nodes[node];
    int inverse = mask < 0 ? -1 : add_node(f, NODE_INVERSE, mask, -1);
    int back = mask < 0 ? f->back : inverse < 0 ? -1 : add_node(f, NODE_INTER, f->back, inverse);
    if (back < 0) return;
    if (n.op == NODE_SEQ) {
        look_later(f, n.a, add_node(f, NODE_SEQ, n.b, back));
        look_later(f, n.b, add_node(f, NODE_SEQ, back, n.a));
    } else {
        add_back(f, f->closure_backs, node, back);
    }
}

/* Notes the way back for a in a+ or a*: an edge of a may be any step of the closure, so it is a*; back; a*. */
static void look_into_closure(struct finder *f, int node, int back) {
    int a = f->plan->nodes[node].a, star = add_node(f, NODE_STAR, a, -1);
    int onward = star < 0 ? -1 : add_node(f, NODE_SEQ, star, back);
    look_later(f, a, onward < 0 ? -1 : add_node(f, NODE_SEQ, onward, star));
}

/* Finds the consequences of a node whose edges within `mask` (-1: all edges) break the axiom if `back` leads
 * back. */
static void look(struct finder *f, int node, int mask) {
    const struct plan_node n = f->plan->nodes[node];
    const struct plan_node *nodes = f->plan->nodes;
    if (!n.guesses) return;
    if (guess_of(&n)) {
        add_consequence(f, guess_of(&n), false, -1, mask);
        return;
    }
    switch (n.op) {
    case NODE_UNION:
        look(f, n.a, mask);
        look(f, n.b, mask);
        break;
    case NODE_INTER: {
        int fixed = !nodes[n.a].guesses ? n.a : n.b, rest = fixed == n.a ? n.b : n.a;
        if (nodes[fixed].guesses) break;
        int both = mask < 0 ? fixed : add_node(f, NODE_INTER, mask, fixed);
        if (both >= 0) look(f, rest, both);
        break;
    }
    case NODE_FROM:
    case NODE_TO:
    case NODE_DIFF: {
        int kept = n.rel ? keeps(f, &n) : -1,
            both = mask < 0 || kept < 0 ? kept : add_node(f, NODE_INTER, mask, kept);
        if (both >= 0) look(f, n.op == NODE_FROM ? n.b : n.a, both);
        break;
    }
    case NODE_SEQ:
        if (has_other_order(f, node)) look_inside(f, node, mask);
        break;
    case NODE_PLUS:
        if (has_other_order(f, node))
            look_inside(f, node, mask);
        else
            look(f, n.a, mask);
        break;
    case NODE_STAR:
    case NODE_OPT: look(f, n.a, mask); break;
    case NODE_SEQ_INVERSE:
        if (guess_of(&nodes[n.b])) add_consequence(f, guess_of(&nodes[n.b]), false, n.a, mask);
        if (guess_of(&nodes[n.a])) add_consequence(f, guess_of(&nodes[n.a]), true, n.b, mask);
        break;
    default: break;
    }
}

/* If an axiom says that a; b is irreflexive, it forbids an edge of a where b leads back, and an edge of b where a leads
 * back. */
static void look_at_sequence(struct finder *f, int a, int b) {
    f->back = b;
    look(f, a, -1);
    f->back = a;
    look(f, b, -1);
}

/* (a; b) & c is empty if and only if a; (b; c^-1) is irreflexive, and so if (c^-1; a); b is. */
static void look_at_empty(struct finder *f, int ab, int c) {
    const struct plan_node n = f->plan->nodes[ab];
    if (n.op != NODE_SEQ || !f->plan->nodes[c].rel) return;
    int inverse = add_node(f, NODE_INVERSE, c, -1);
    if (inverse < 0) return;
    f->back = add_node(f, NODE_SEQ, n.b, inverse);
    if (f->back >= 0) look(f, n.a, -1);
    f->back = add_node(f, NODE_SEQ, inverse, n.a);
    if (f->back >= 0) look(f, n.b, -1);
}

void plan_find_consequences(struct model_plan *p, struct arena *a) {
    struct finder f = {p, a, -1, arena_array(a, 2 * PLAN_MAX_NODES, sizeof *f.backs), NULL};
    f.closure_backs = f.backs + PLAN_MAX_NODES;
    for (int k = 0; k < 2 * PLAN_MAX_NODES; k++)
        f.backs[k] = -1;
    for (int k = 0; k < p->norders; k++) { /* an order is acyclic, too */
        int must = p->nodes[p->orders[k].node].a;
        f.back = p->orders[k].node;
        if (has_other_order(&f, must)) look(&f, must, -1);
    }
    for (int k = 0; k < p->naxioms; k++) {
        const struct axiom *axiom = &p->axioms[k];
        const struct plan_node edges = p->nodes[axiom->edges];
        if (axiom->negated) continue;
        f.back = axiom->node;
        if (axiom->check == CHECK_ACYCLIC) {
            look(&f, axiom->edges, -1);
        } else if (axiom->check == CHECK_IRREFLEXIVE && edges.op == NODE_SEQ) {
            look_at_sequence(&f, edges.a, edges.b);
        } else if (axiom->check == CHECK_EMPTY && edges.op == NODE_INTER && edges.rel) {
            look_at_empty(&f, edges.a, edges.b);
            look_at_empty(&f, edges.b, edges.a);
        }
    }
    for (int k = p->nnodes - 1; k >= 0; k--) { /* what is inside comes before what is around it */
        f.back = f.backs[k];
        if (f.back >= 0) look(&f, k, -1);
        if (f.closure_backs[k] >= 0) look_into_closure(&f, k, f.closure_backs[k]);
    }
}
