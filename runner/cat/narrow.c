/* Leaves out of a plan what is empty in a kind of graphs. Most graphs have no barrier, no engine, no fence of
 * a proxy: then most of a model is empty whatever is decided (`specialize`). Nothing is lost: a node is left
 * out only if its operands make it empty, and a union with an empty node is replaced by its other side. A
 * consequence with an empty node refuses nothing. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "cat/plan.h"

/* A smaller plan, behind those that were made after it. */
struct narrow_plan {
    struct plan_kind kind;
    struct model_plan plan;
    const struct narrow_plan *next;
};

/* Looking for a plan in the list needs no lock: what stands there does not change. */
struct narrow_plans {
    pthread_mutex_t lock; /* of the arena, and of adding to the list */
    struct arena *arena;
    const struct narrow_plan *_Atomic first;
    _Atomic int n;
};

struct narrower {
    const struct model_plan *from;
    const struct plan_kind *kind;
    bool *empty;  /* node -> it is empty whatever is decided */
    int *same;    /* node -> the node that has its value: itself, or the other side of a union with nothing */
    bool *needed; /* node -> an axiom, an order or a consequence depends on it */
    int *number;  /* node -> its number in the smaller plan */
};

/* The first two nodes of a smaller plan stand for all that is empty. */
enum { EMPTY_SET, EMPTY_REL, FIRST_NUMBER };

static bool is_empty(const struct narrower *z, const struct plan_node *n) {
    bool a = n->a >= 0 && z->empty[n->a], b = n->b >= 0 && z->empty[n->b];
    switch (n->op) {
    case NODE_GIVEN: return z->kind->empty[n->index];
    case NODE_EMPTY: return true;
    case NODE_RF: return !z->kind->reads;
    case NODE_UNION: return a && b;
    case NODE_INTER:
    case NODE_SEQ:
    case NODE_SEQ_INVERSE:
    case NODE_FROM:
    case NODE_TO:
    case NODE_PRODUCT: return a || b;
    case NODE_DIFF:
    case NODE_DIAG:
    case NODE_DOMAIN:
    case NODE_RANGE:
    case NODE_INVERSE:
    case NODE_PLUS: return a;
    case NODE_ORDER:
    case NODE_VAR:
    case NODE_ALL:
    case NODE_COMPL:
    case NODE_STAR:
    case NODE_OPT: return false;
    }
    return false;
}

static int find_same(const struct narrower *z, int i) {
    const struct plan_node *n = &z->from->nodes[i];
    if (n->op == NODE_UNION && z->empty[n->a]) return z->same[n->b];
    if ((n->op == NODE_UNION || n->op == NODE_DIFF) && z->empty[n->b]) return z->same[n->a];
    return i;
}

/* Whether a node is a variable of the same `let rec` as the one before it. */
static bool goes_on(const struct narrower *z, int i) {
    return i < z->from->nnodes && z->from->nodes[i].op == NODE_VAR && z->from->nodes[i].index > 0;
}

/* All variables of a `let rec` are kept, or none. */
static void mark_needed(struct narrower *z, int node) {
    if (node < 0 || z->empty[node] || z->needed[z->same[node]]) return;
    int i = z->same[node];
    const struct plan_node *n = &z->from->nodes[i];
    z->needed[i] = true;
    mark_needed(z, n->a);
    mark_needed(z, n->b);
    if (n->op != NODE_VAR) return;
    mark_needed(z, i - n->index);
    for (int k = i - n->index + 1; goes_on(z, k); k++)
        mark_needed(z, k);
}

static bool is_nothing(const struct narrower *z, int node) {
    return node >= 0 && z->empty[node];
}

static bool may_refuse(const struct narrower *z, const struct consequence *c) {
    if (c->guess == GUESS_RF && !z->kind->reads) return false;
    return !is_nothing(z, c->back) && !is_nothing(z, c->via) && !is_nothing(z, c->mask);
}

static void mark_all(struct narrower *z) {
    const struct model_plan *p = z->from;
    for (int k = 0; k < p->naxioms; k++) {
        mark_needed(z, p->axioms[k].node);
        mark_needed(z, p->axioms[k].edges);
    }
    for (int k = 0; k < p->norders; k++) {
        mark_needed(z, p->orders[k].node);
        mark_needed(z, p->orders[k].either);
    }
    for (int k = 0; k < p->nconsequences; k++) {
        const struct consequence *c = &p->consequences[k];
        if (!may_refuse(z, c)) continue;
        mark_needed(z, c->back);
        mark_needed(z, c->via);
        mark_needed(z, c->mask);
    }
}

static int number_of(const struct narrower *z, int node) {
    if (node < 0) return node;
    if (z->empty[node]) return z->from->nodes[node].rel ? EMPTY_REL : EMPTY_SET;
    return z->number[z->same[node]];
}

static void take_nodes(struct narrower *z, struct model_plan *to, struct arena *a) {
    const struct model_plan *p = z->from;
    int n = FIRST_NUMBER;
    for (int i = 0; i < p->nnodes; i++)
        if (z->needed[i]) z->number[i] = n++;
    to->nodes = arena_array(a, (size_t)n, sizeof *to->nodes);
    to->nodes[EMPTY_SET] = (struct plan_node){.op = NODE_EMPTY, .a = -1, .b = -1};
    to->nodes[EMPTY_REL] = (struct plan_node){.op = NODE_EMPTY, .rel = true, .a = -1, .b = -1};
    to->nnodes = FIRST_NUMBER;
    for (int i = 0; i < p->nnodes; i++) {
        if (!z->needed[i]) continue;
        struct plan_node *node = &to->nodes[to->nnodes++];
        *node = p->nodes[i];
        node->a = number_of(z, node->a);
        node->b = number_of(z, node->b);
    }
    to->loops = arena_array(a, (size_t)p->nloops, sizeof *to->loops);
    to->nloops = 0;
    for (int k = 0; k < p->nloops; k++) {
        struct loop loop = p->loops[k];
        if (!z->needed[loop.first]) continue;
        while (!z->needed[loop.last])
            loop.last--;
        loop.first = z->number[loop.first];
        loop.last = z->number[loop.last];
        to->loops[to->nloops++] = loop;
    }
}

static void take_rest(const struct narrower *z, struct model_plan *to, struct arena *a) {
    const struct model_plan *p = z->from;
    to->axioms = arena_grow(a, p->axioms, (size_t)p->naxioms, (size_t)p->naxioms, sizeof *to->axioms);
    for (int k = 0; k < p->naxioms; k++) {
        to->axioms[k].node = number_of(z, p->axioms[k].node);
        to->axioms[k].edges = number_of(z, p->axioms[k].edges);
    }
    for (int k = 0; k < p->norders; k++) {
        to->orders[k].node = number_of(z, p->orders[k].node);
        to->orders[k].either = number_of(z, p->orders[k].either);
        if (z->empty[p->orders[k].either]) to->orders[k].either_dynamic = false;
    }
    to->consequences = arena_array(a, (size_t)p->nconsequences, sizeof *to->consequences);
    to->nconsequences = 0;
    for (int k = 0; k < p->nconsequences; k++) {
        struct consequence c = p->consequences[k];
        if (!may_refuse(z, &c)) continue;
        c.back = number_of(z, c.back);
        c.via = number_of(z, c.via);
        c.mask = number_of(z, c.mask);
        to->consequences[to->nconsequences++] = c;
    }
}

/* Explanations use plans as a whole, so a smaller one has no names. */
static void narrow(const struct model_plan *p, const struct plan_kind *kind, struct model_plan *to,
                   struct arena *a) {
    struct arena *scratch = arena_open();
    size_t n = (size_t)p->nnodes;
    struct narrower z = {.from = p, .kind = kind};
    z.empty = arena_array(scratch, n, sizeof *z.empty);
    z.needed = arena_array(scratch, n, sizeof *z.needed);
    z.same = arena_array(scratch, n, sizeof *z.same);
    z.number = arena_array(scratch, n, sizeof *z.number);
    for (int i = 0; i < p->nnodes; i++) {
        z.empty[i] = is_empty(&z, &p->nodes[i]);
        z.same[i] = find_same(&z, i);
    }
    mark_all(&z);
    *to = *p;
    to->narrow = NULL;
    to->nnames = to->ngivens = 0;
    take_nodes(&z, to, a);
    take_rest(&z, to, a);
    plan_schedule(to, a);
    arena_close(scratch);
}

struct narrow_plans *plan_open_narrow(struct arena *a) {
    struct narrow_plans *plans = arena_alloc(a, sizeof *plans);
    plans->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    plans->arena = arena_within(a);
    return plans;
}

static const struct narrow_plan *find(const struct narrow_plan *plan, const struct plan_kind *kind) {
    while (plan && memcmp(&plan->kind, kind, sizeof *kind) != 0)
        plan = plan->next;
    return plan;
}

const struct model_plan *plan_narrow(const struct model_plan *p, const struct plan_kind *kind) {
    struct narrow_plans *plans = p->narrow;
    const struct narrow_plan *found = find(atomic_load(&plans->first), kind);
    if (found) return &found->plan;
    if (atomic_load(&plans->n) == PLAN_MOST_NARROW) return p;
    pthread_mutex_lock(&plans->lock);
    found = find(plans->first, kind);
    if (!found && plans->n < PLAN_MOST_NARROW) {
        struct narrow_plan *made = arena_alloc(plans->arena, sizeof *made);
        made->kind = *kind;
        narrow(p, kind, &made->plan, plans->arena);
        made->next = plans->first;
        atomic_store(&plans->first, made);
        atomic_fetch_add(&plans->n, 1);
        found = made;
    }
    pthread_mutex_unlock(&plans->lock);
    return found ? &found->plan : p;
}
