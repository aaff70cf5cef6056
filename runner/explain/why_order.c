/* The order in which a story tells the events of an allowed execution. Some models have an order of steps: there a write
 * happens when the other threads can see it. Other models have none, but people think in one. So the events are put into an
 * order that keeps as much as it can: always what fences, barriers, dependencies and reads-from want; then that a read
 * comes before the writes whose values it does not see; last, program order. */
#include <string.h>

#include "explain/why_tell.h"

enum { NOT_SEEN_COST = 1000 };

/* A larger execution is told thread by thread: to find an order takes long, and nobody reads it. */
enum { MOST_ORDERED = 250 };

struct ordering {
    const struct search *search;
    const uint64_t *co;
    int steps;  /* the relation that is the model's order of steps; -1: it has none */
    bool split; /* the halves of atomic operations are told apart */
    bool *told;
};

/* The relation "step" of a model that says `acyclic step`. -1: there is none. */
static int find_steps(const struct model_plan *p) {
    int node = reason_node(p, "step");
    for (int k = 0; k < p->naxioms && node >= 0; k++)
        if (p->axioms[k].edges == node && p->axioms[k].check == CHECK_ACYCLIC && !p->axioms[k].negated)
            return node;
    return -1;
}

static bool precedes(const struct search *s, enum given rel, int x, int y) {
    return graph_relates(s->graph, rel, x, y);
}

static const struct event *event_of(const struct search *s, int e) {
    return s->graph->events[e].event;
}

static bool has_order(const struct search *s, int e, enum order order) {
    enum order own = event_of(s, e)->strength.order;
    return own == order || own == ORDER_ACQ_REL || own == ORDER_SC;
}

/* Whether two events of a thread are kept in order: by a fence or a barrier that is one of them, by their
 * location, by a dependency, an acquire or a release. */
static bool is_kept(const struct search *s, int x, int y) {
    const struct graph *g = s->graph;
    if (!precedes(s, GIVEN_PO, x, y)) return false;
    if (g->events[x].address < 0 || g->events[y].address < 0) return true; /* a fence, a barrier */
    if (g->events[x].address == g->events[y].address) return true;
    if (precedes(s, GIVEN_DATA, x, y) || precedes(s, GIVEN_ADDR, x, y) || precedes(s, GIVEN_CTRL, x, y))
        return true;
    return (say_is_read(g, x) && has_order(s, x, ORDER_ACQUIRE)) ||
           (say_is_write(g, y) && has_order(s, y, ORDER_RELEASE));
}

/* Whether event x is an arrival that a wait needs, or is of a thread whose exit the wait needs. */
static bool ends_wait(const struct graph *g, int x, int wait) {
    const struct node_event *a = &g->events[x], *b = &g->events[wait];
    if (b->event->kind != EVENT_WAIT || b->barrier < 0) return false;
    if (a->event->kind == EVENT_ARRIVE && a->barrier == b->barrier) return true;
    return a->thread != b->thread && graph_is_opened_by_exit(g, b, a->thread);
}

/* Whether x must be told before y. Where the model has an order of steps, a thread may read its own write
 * before that is told, since a write is told where the others see it. */
static bool must_precede(const struct ordering *t, int x, int y) {
    const struct search *s = t->search;
    const struct graph *g = s->graph;
    bool early = t->steps >= 0 && precedes(s, GIVEN_INT, x, y);
    if (say_is_read(g, y) && s->source[y] == x && !early) return true;
    if (ends_wait(g, x, y) || precedes(s, GIVEN_BAR, x, y) || precedes(s, GIVEN_ISSUE, x, y) ||
        precedes(s, GIVEN_COMPLETION, x, y))
        return true;
    if (t->steps >= 0) return eval_relates(&s->eval, t->steps, x, y);
    if (is_kept(s, x, y)) return true;
    for (int k = 1; k < s->plan->norders; k++)
        if (eval_relates(&s->eval, s->plan->orders[k].node, x, y)) return true;
    return false;
}

/* Whether x should be told before y: co or fr has (x, y). The read of an atomic operation does not count. */
static bool should_precede(const struct ordering *t, int x, int y) {
    const struct search *s = t->search;
    const struct graph *g = s->graph;
    if (say_is_write(g, x)) return rel_has(s->eval.dim, t->co, x, y);
    return say_is_read(g, x) && say_is_write(g, y) && rel_has(s->eval.dim, t->co, s->source[x], y) &&
           event_of(s, x)->rmw < 0;
}

/* The write that belongs to an atomic operation's read, or -1. */
static int find_half(const struct search *s, int e) {
    int half = event_of(s, e)->rmw;
    return say_is_read(s->graph, e) && half >= 0 ? s->graph->first[s->graph->events[e].thread] + half : -1;
}

/* What it costs to tell e next; -1: it must wait. */
static int cost_of(const struct ordering *t, int e) {
    const struct search *s = t->search;
    int cost = 0, half = t->split ? -1 : find_half(s, e);
    for (int x = s->graph->naddresses; x < s->eval.dim.n; x++) {
        if (t->told[x] || x == e || x == half) continue;
        if (must_precede(t, x, e) || (half >= 0 && must_precede(t, x, half))) return -1;
        if (should_precede(t, x, half < 0 ? e : half)) cost += NOT_SEEN_COST;
        cost += precedes(s, GIVEN_PO, x, e);
    }
    return cost;
}

/* The event that costs the least to tell next; -1: each must wait. */
static int find_next(const struct ordering *t) {
    int best = -1, least = 0;
    for (int e = t->search->graph->naddresses; e < t->search->eval.dim.n; e++) {
        int cost = t->told[e] ? -1 : cost_of(t, e);
        if (cost >= 0 && (best < 0 || cost < least)) best = e, least = cost;
    }
    return best;
}

static void put(struct ordering *t, struct why_order *out, int e) {
    int half = t->split ? -1 : find_half(t->search, e);
    t->told[e] = true;
    out->events[out->n++] = e;
    if (half < 0) return;
    t->told[half] = true;
    out->events[out->n++] = half;
}

/* Puts all events in order. False where some must wait for each other: these stand last, in the order of
 * their numbers. */
static bool put_all(struct ordering *t, struct why_order *out) {
    int first = t->search->graph->naddresses, n = t->search->eval.dim.n, next = -1;
    *out = (struct why_order){.events = out->events, .steps = t->steps >= 0, .split = t->split};
    memset(t->told, 0, (size_t)n * sizeof *t->told);
    while (n <= MOST_ORDERED && (next = find_next(t)) >= 0)
        put(t, out, next);
    bool all = out->n == n - first;
    for (int e = first; e < n; e++)
        if (!t->told[e]) put(t, out, e);
    return all;
}

/* Tries the model's order of steps with atomic operations as one event, then with their halves apart, since
 * steps of other locations may come between them; then an order without it. */
struct why_order why_order(const struct search *s, struct arena *a) {
    size_t n = (size_t)s->eval.dim.n;
    struct ordering t = {.search = s,
                         .co = eval_value(&s->eval, s->plan->orders[ORDER_CO].node),
                         .steps = find_steps(s->plan),
                         .told = arena_array(a, n, sizeof *t.told)};
    struct why_order out = {.events = arena_array(a, n, sizeof *out.events)};
    if (put_all(&t, &out)) return out;
    t.split = t.steps >= 0;
    if (t.split && put_all(&t, &out)) return out;
    t.split = false;
    t.steps = -1;
    put_all(&t, &out);
    return out;
}
