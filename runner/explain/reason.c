#include "explain/reason.h"

#include "search/outcome.h"

/* In a larger execution the first path that is found is taken, not the shortest. */
enum { SMALL = 50 };

/* The weights of steps. A direction that was guessed is a poor reason. */
enum { PLAIN_WEIGHT = 2, SYNCHRONIZES_WEIGHT = 7, GUESSED_WEIGHT = 30, CIRCULAR_WEIGHT = 100 };

struct steps {
    const struct search *search;
    struct arena *arena;
    int *
        weights; /* by node, x and y: what measure() said, plus one; 0: nothing yet. NULL in a larger execution */
    struct reason_step *list;
    int n, cap;
};

static struct steps no_steps(const struct search *s, struct arena *a) {
    size_t n = (size_t)s->eval.dim.n, nodes = (size_t)s->plan->nnodes;
    return (struct steps){
        .search = s, .arena = a, .weights = n > SMALL ? NULL : arena_array(a, nodes * n * n, sizeof(int))};
}

int reason_node(const struct model_plan *p, const char *name) {
    for (int k = p->nnames - 1; k >= 0; k--) /* the last definition counts */
        if (strcmp(p->names[k].name, name) == 0) return p->names[k].node;
    return -1;
}

static void add_step(struct steps *t, int from, int to, const char *rel) {
    if (t->n == t->cap) {
        int cap = 2 * t->cap + 8;
        t->list = arena_grow(t->arena, t->list, (size_t)t->n, (size_t)cap, sizeof *t->list);
        t->cap = cap;
    }
    t->list[t->n++] = (struct reason_step){from, to, rel};
}

/* Relations that are made of others, but that a sentence can say at once. */
static const char *find_whole(const struct model_plan *p, int node) {
    static const char *const words[] = {"synchronizes", "observation", "rmw"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (reason_node(p, words[k]) == node) return words[k];
    return NULL;
}

static const char *find_name(const struct model_plan *p, int node) {
    const struct plan_node *n = &p->nodes[node];
    if (n->op == NODE_RF) return "rf";
    if (n->op == NODE_ORDER) return p->orders[n->index].name;
    if (n->op == NODE_GIVEN) return plan_givens[n->index];
    return find_whole(p, node);
}

static bool is_fr(const struct model_plan *p, const struct plan_node *n) {
    return n->op == NODE_SEQ_INVERSE && p->nodes[n->a].op == NODE_RF && p->nodes[n->b].op == NODE_ORDER &&
           p->nodes[n->b].index == ORDER_CO;
}

/* Whether a node is made of `scoped` alone: then it only says that scopes include each other's threads, and
 * is no step. */
static bool is_of_scopes(const struct model_plan *p, int node) {
    const struct plan_node *n = &p->nodes[node];
    if (n->op == NODE_INVERSE) return is_of_scopes(p, n->a);
    if (n->op == NODE_INTER) return is_of_scopes(p, n->a) && is_of_scopes(p, n->b);
    return n->op == NODE_GIVEN && n->index == GIVEN_SCOPED;
}

/* The side of an intersection that is told: the one that depends on guesses; else one that is not of scopes. */
static int told_side(const struct model_plan *p, const struct plan_node *n) {
    bool a = p->nodes[n->a].guesses, b = p->nodes[n->b].guesses;
    return a == b ? (is_of_scopes(p, n->a) ? n->b : n->a) : a ? n->a : n->b;
}

static void walk(struct steps *t, int node, int x, int y);

/* Whether a step (co or fr) orders two writes that co or program order also has the other way round. Such a
 * step is no reason, but follows from one. */
static bool is_circular(const struct search *s, const struct reason_step *step) {
    int co = s->plan->orders[ORDER_CO].node, from = step->from;
    if (strcmp(step->rel, "fr") == 0)
        from = s->source[from];
    else if (strcmp(step->rel, s->plan->orders[ORDER_CO].name) != 0)
        return false;
    return eval_relates(&s->eval, co, step->to, from) || graph_relates(s->graph, GIVEN_PO, step->to, from);
}

static int weigh_step(const struct search *s, const struct reason_step *step) {
    if (strcmp(step->rel, "synchronizes") == 0) return SYNCHRONIZES_WEIGHT;
    if (is_circular(s, step)) return CIRCULAR_WEIGHT;
    for (int k = 1; k < s->plan->norders; k++)
        if (strcmp(step->rel, s->plan->orders[k].name) == 0) return GUESSED_WEIGHT;
    return PLAIN_WEIGHT;
}

static int weigh(const struct search *s, const struct reason_step *steps, int n) {
    int weight = 0;
    for (int k = 0; k < n; k++)
        weight += weigh_step(s, &steps[k]);
    return weight;
}

/* The weight of the steps with which a node relates x to y. */
static int measure(struct steps *t, int node, int x, int y) {
    int before = t->n, n = t->search->eval.dim.n, *known = &t->weights[(node * n + x) * n + y];
    if (*known) return *known - 1;
    walk(t, node, x, y);
    int weight = t->n > before ? weigh(t->search, t->list + before, t->n - before) : 0;
    t->n = before;
    *known = weight + 1;
    return weight;
}

/* Adds the steps from y to x in reverse, each as a step of the inverse relation. */
static void walk_inverse(struct steps *t, int node, int x, int y) {
    int before = t->n;
    walk(t, node, y, x);
    for (int k = before, last = t->n - 1; k <= last; k++, last--) {
        struct reason_step first = t->list[k];
        t->list[k] = t->list[last];
        t->list[last] = first;
    }
    for (int k = before; k < t->n; k++) {
        struct reason_step *step = &t->list[k];
        *step = (struct reason_step){step->to, step->from, arena_printf(t->arena, "%s^-1", step->rel)};
    }
}

/* x -a-> m -b-> y, for the m that makes it shortest. */
static void walk_sequence(struct steps *t, const struct plan_node *n, int x, int y) {
    const struct search *s = t->search;
    bool inverse = n->op == NODE_SEQ_INVERSE;
    int best = -1, least = 0;
    for (int m = 0; m < s->eval.dim.n; m++) {
        if (!(inverse ? eval_relates(&s->eval, n->a, m, x) : eval_relates(&s->eval, n->a, x, m)) ||
            !eval_relates(&s->eval, n->b, m, y))
            continue;
        int steps = s->eval.dim.n > SMALL
                        ? 0
                        : measure(t, n->a, inverse ? m : x, inverse ? x : m) + measure(t, n->b, m, y);
        if (best < 0 || steps < least) best = m, least = steps;
        if (s->eval.dim.n > SMALL) break;
    }
    if (best < 0) return;
    if (inverse)
        walk_inverse(t, n->a, x, best);
    else
        walk(t, n->a, x, best);
    walk(t, n->b, best, y);
}

/* Finds the lightest path of edges of `node` from x to y: from[e] is the event before e on it. A path from x
 * to x has an edge at least. False when there is none. */
static bool find_path(struct steps *t, int node, int x, int y, int *from) {
    const struct search *s = t->search;
    int n = s->eval.dim.n;
    int *cost = arena_array(t->arena, (size_t)n, sizeof *cost);
    bool *done = arena_array(t->arena, (size_t)n, sizeof *done);
    for (int e = 0; e < n; e++)
        cost[e] = -1;
    for (int e = x, length = 0; e >= 0;) {
        for (int next = 0; next < n; next++) {
            if (!eval_relates(&s->eval, node, e, next) || done[next]) continue;
            int longer = length + (n > SMALL ? 1 : measure(t, node, e, next));
            if (cost[next] >= 0 && cost[next] <= longer) continue;
            cost[next] = longer;
            from[next] = e;
        }
        e = -1;
        for (int next = 0; next < n; next++)
            if (!done[next] && cost[next] >= 0 && (e < 0 || cost[next] < cost[e])) e = next;
        if (e < 0 || e == y) return e == y;
        done[e] = true;
        length = cost[e];
    }
    return false;
}

static void walk_closure(struct steps *t, int node, int x, int y) {
    int n = t->search->eval.dim.n, length = 0;
    int *from = arena_array(t->arena, (size_t)n, sizeof *from),
        *path = arena_array(t->arena, (size_t)n, sizeof *path);
    if (!find_path(t, node, x, y, from)) return;
    for (int e = y; length == 0 || e != x; e = from[e])
        path[length++] = e;
    for (int k = length - 1; k >= 0; k--)
        walk(t, node, from[path[k]], path[k]);
}

/* Adds the steps with which a node relates x to y. */
static void walk(struct steps *t, int node, int x, int y) {
    const struct search *s = t->search;
    const struct model_plan *p = s->plan;
    const struct plan_node *n = &p->nodes[node];
    const char *name = find_name(p, node);
    if (name && strcmp(name, "id") == 0) return;
    if (name || is_fr(p, n)) {
        add_step(t, x, y, name ? name : "fr");
        return;
    }
    switch (n->op) {
    case NODE_UNION: {
        bool a = eval_relates(&s->eval, n->a, x, y), b = eval_relates(&s->eval, n->b, x, y);
        bool left = a && (!b || s->eval.dim.n > SMALL || measure(t, n->a, x, y) <= measure(t, n->b, x, y));
        walk(t, left ? n->a : n->b, x, y);
        break;
    }
    case NODE_INTER: walk(t, told_side(p, n), x, y); break;
    case NODE_VAR:
    case NODE_DIFF:
    case NODE_TO: walk(t, n->a, x, y); break;
    case NODE_FROM: walk(t, n->b, x, y); break;
    case NODE_INVERSE: walk_inverse(t, n->a, x, y); break;
    case NODE_SEQ_INVERSE:
    case NODE_SEQ: walk_sequence(t, n, x, y); break;
    case NODE_STAR:
    case NODE_OPT:
        if (x == y) break;
        walk_closure(t, n->a, x, y);
        break;
    case NODE_PLUS: walk_closure(t, n->a, x, y); break;
    case NODE_DIAG: break; /* from an event to itself */
    case NODE_GIVEN:
    case NODE_RF:
    case NODE_ORDER:
    case NODE_EMPTY:
    case NODE_ALL:
    case NODE_COMPL:
    case NODE_PRODUCT:
    case NODE_DOMAIN:
    case NODE_RANGE: add_step(t, x, y, "?"); break;
    }
}

/* Axioms */

static struct reason as_reason(enum reason_kind kind, const char *name, const struct steps *t) {
    return (struct reason){.kind = kind, .name = name, .steps = t->list, .nsteps = t->n, .obs = -1};
}

static struct reason find_cycle(const struct steps *none, const struct axiom *axiom) {
    const struct search *s = none->search;
    struct steps t = *none;
    int *cycle = arena_array(t.arena, (size_t)s->eval.dim.n, sizeof *cycle);
    int n = rel_find_cycle(s->eval.dim, eval_value(&s->eval, axiom->edges), cycle);
    for (int k = 0; k < n; k++)
        walk(&t, axiom->edges, cycle[k], cycle[(k + 1) % n]);
    return as_reason(REASON_CYCLE, axiom->name, &t);
}

/* Of the pairs that an `irreflexive` or `empty` axiom forbids, the one with the shortest path. An axiom on sets has
 * none. */
static struct reason find_pair(const struct steps *none, const struct axiom *axiom) {
    const struct search *s = none->search;
    struct dim d = s->eval.dim;
    bool cycle = axiom->check == CHECK_IRREFLEXIVE;
    struct reason best = {.kind = REASON_PAIR, .name = axiom->name, .obs = -1};
    if (!s->plan->nodes[axiom->edges].rel) return best;
    for (int x = 0; x < d.n; x++)
        for (int y = cycle ? x : 0; y < (cycle ? x + 1 : d.n); y++) {
            if (!eval_relates(&s->eval, axiom->edges, x, y)) continue;
            struct steps t = *none;
            walk(&t, axiom->edges, x, y);
            if (!best.steps || weigh(s, t.list, t.n) < weigh(s, best.steps, best.nsteps))
                best = as_reason(cycle ? REASON_CYCLE : REASON_PAIR, axiom->name, &t);
            if (d.n > SMALL) return best;
        }
    return best;
}

/* Two events that an order has both ways round: the steps of its must edges one way, and of these or of the
 * order the other. */
static struct reason find_order(const struct steps *none, const struct plan_order *order) {
    const struct search *s = none->search;
    int n = s->eval.dim.n, must = s->plan->nodes[order->node].a;
    struct steps best = {0};
    for (int x = 0; x < n; x++)
        for (int y = 0; y < n; y++) {
            struct steps t = *none;
            if (!eval_relates(&s->eval, must, x, y) || !eval_relates(&s->eval, order->node, y, x)) continue;
            walk(&t, must, x, y);
            if (x != y) walk(&t, eval_relates(&s->eval, must, y, x) ? must : order->node, y, x);
            if (!best.list || weigh(s, t.list, t.n) < weigh(s, best.list, best.n)) best = t;
            if (n > SMALL) return as_reason(REASON_CYCLE, order->label, &best);
        }
    return as_reason(REASON_CYCLE, order->label, &best);
}

/* The write that would have to be the last of a location for the outcome, although another comes after it; or
 * -1. Also -1 if it is on a cycle of co: then the reason of a broken axiom tells that. */
static int find_overwritten(const struct search *s, const struct value *values, int o, int lane) {
    const struct observable *obs = &s->graph->test->obs[o];
    int address = obs->is_reg ? -1 : outcome_address(s->graph, obs, lane), found = -1;
    struct value value = value_lane(outcome_parts(s->graph->test, obs), values[o], lane);
    for (int e = 0; e < s->eval.dim.n && address >= 0; e++) {
        const struct node_event *event = &s->graph->events[e];
        bool write = !event->event || event->event->kind == EVENT_WRITE;
        if (!write || event->address != address || !value_equal(s->value[e], value)) continue;
        if (outcome_is_final(s, e) || eval_relates(&s->eval, s->plan->orders[ORDER_CO].node, e, e)) return -1;
        found = e;
    }
    return found;
}

/* A write that would have to be the last, and one that comes after it. */
static struct reason find_final(const struct steps *none, int write, int obs) {
    const struct search *s = none->search;
    int co = s->plan->orders[ORDER_CO].node, must = s->plan->nodes[co].a;
    struct steps t = *none;
    for (int pass = 0; pass < 2 && !t.n; pass++) /* what is in MUST says more than what was guessed */
        for (int e = 0; e < s->eval.dim.n && !t.n; e++)
            if (eval_relates(&s->eval, pass ? co : must, write, e)) walk(&t, pass ? co : must, write, e);
    struct reason r = as_reason(REASON_FINAL, s->plan->orders[ORDER_CO].label, &t);
    r.obs = obs;
    return r;
}

/* Inserts a reason behind those that are not heavier. One without steps comes last. */
static void insert(const struct search *s, struct reason *list, int *n, struct reason r) {
    int k = (*n)++;
    r.weight = weigh(s, r.steps, r.nsteps);
    while (k > 0 && r.nsteps && (list[k - 1].weight > r.weight || !list[k - 1].nsteps)) {
        list[k] = list[k - 1];
        k--;
    }
    list[k] = r;
}

/* Whether an expression reads an observable. One that it does not read may have any value. */
static bool asks_for(const struct expr *e, int obs) {
    return e && ((e->kind == EXPR_OBS && e->index == obs) || asks_for(e->a, obs) || asks_for(e->b, obs) ||
                 asks_for(e->c, obs));
}

struct reason *reason_find(const struct search *s, const struct value *values, struct arena *a, int *n) {
    const struct model_plan *p = s->plan;
    const struct test *t = s->graph->test;
    const struct steps none = no_steps(s, a);
    struct reason *list = arena_array(a, (size_t)(p->norders + p->naxioms + t->nobs), sizeof *list);
    *n = 0;
    for (int o = 0; o < t->nobs; o++) {
        int lanes = asks_for(t->cond.prop, o) ? outcome_parts(t, &t->obs[o]).lanes : 0;
        for (int lane = 0, write = -1; lane < lanes && write < 0; lane++)
            if ((write = find_overwritten(s, values, o, lane)) >= 0)
                insert(s, list, n, find_final(&none, write, o));
    }
    for (int k = 0; k < p->naxioms; k++) {
        const struct axiom *axiom = &p->axioms[k];
        if (!eval_breaks_axiom(&s->eval, k)) continue;
        insert(s, list, n,
               axiom->negated ? (struct reason){.kind = REASON_ABSENT, .name = axiom->name, .obs = -1}
               : axiom->check == CHECK_ACYCLIC ? find_cycle(&none, axiom)
                                               : find_pair(&none, axiom));
    }
    for (int k = 0; k < p->norders; k++)
        if (eval_breaks_order(&s->eval, k)) insert(s, list, n, find_order(&none, &p->orders[k]));
    return list;
}
