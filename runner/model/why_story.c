/* How an allowed execution can have happened, in an order of its steps. The model knows no such order, but people think
 * in one. So the events are put into an order that keeps as much as it can: always what fences, barriers, dependencies
 * and reads-from want; then that a read comes before the writes whose values it does not see; last, program order. */
#include <string.h>

#include "model/outcome.h"
#include "model/why_tell.h"

enum { MOST_STEPS = 60, NOT_SEEN_COST = 1000 };

/* A larger execution is told thread by thread: to find an order takes long, and nobody reads it. */
enum { MOST_ORDERED = 250 };

struct story {
    const struct search *search;
    const uint64_t *co;
    int *told; /* as which event; 0: not yet */
    int ntold;
};

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

/* Whether something of their thread keeps two of its events in order. */
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

/* Whether a wait ends with an arrival, or with the exit of a thread that does no more than this. */
static bool ends_wait(const struct graph *g, int x, int wait) {
    const struct node_event *a = &g->events[x], *b = &g->events[wait];
    if (b->event->kind != EVENT_WAIT || b->barrier < 0) return false;
    if (a->event->kind == EVENT_ARRIVE && a->barrier == b->barrier) return true;
    return a->thread != b->thread && graph_is_opened_by_exit(g, b, a->thread);
}

/* Whether x must be told before y. */
static bool must_precede(const struct story *t, int x, int y) {
    const struct search *s = t->search;
    const struct graph *g = s->graph;
    if (say_is_read(g, y) && s->source[y] == x) return true;
    if (ends_wait(g, x, y)) return true;
    if (is_kept(s, x, y) || precedes(s, GIVEN_BAR, x, y) || precedes(s, GIVEN_ISSUE, x, y) ||
        precedes(s, GIVEN_COMPLETION, x, y))
        return true;
    for (int k = 1; k < s->plan->norders; k++)
        if (reason_holds(s, s->plan->orders[k].node, x, y)) return true;
    return false;
}

/* Whether x should be told before y: it comes first among the writes, or it reads what y replaces. */
static bool should_precede(const struct story *t, int x, int y) {
    const struct search *s = t->search;
    const struct graph *g = s->graph;
    if (say_is_write(g, x)) return rel_has(s->eval.dim, t->co, x, y);
    return say_is_read(g, x) && say_is_write(g, y) && rel_has(s->eval.dim, t->co, s->source[x], y) &&
           event_of(s, x)->rmw < 0;
}

/* The write that an atomic operation's read is told with, or -1. */
static int find_half(const struct search *s, int e) {
    int half = event_of(s, e)->rmw;
    return say_is_read(s->graph, e) && half >= 0 ? s->graph->first[s->graph->events[e].thread] + half : -1;
}

/* What it costs to tell e next; -1: it must wait. */
static int cost_of(const struct story *t, int e) {
    const struct search *s = t->search;
    int cost = 0, half = find_half(s, e);
    for (int x = s->graph->naddresses; x < s->eval.dim.n; x++) {
        if (t->told[x] || x == e || x == half) continue;
        if (must_precede(t, x, e) || (half >= 0 && must_precede(t, x, half))) return -1;
        if (should_precede(t, x, half < 0 ? e : half)) cost += NOT_SEEN_COST;
        cost += precedes(s, GIVEN_PO, x, e);
    }
    return cost;
}

static int find_next(const struct story *t) {
    int best = -1, least = 0, first = -1;
    bool ordered = t->search->eval.dim.n <= MOST_ORDERED;
    for (int e = t->search->graph->naddresses; e < t->search->eval.dim.n; e++) {
        if (t->told[e]) continue;
        if (first < 0) first = e;
        if (!ordered) break;
        int cost = cost_of(t, e);
        if (cost >= 0 && (best < 0 || cost < least)) best = e, least = cost;
    }
    return best < 0 ? first : best;
}

/* The first access of e's thread that comes before it and was not told yet, or -1. */
static int find_overtaken(const struct story *t, int e) {
    const struct search *s = t->search;
    for (int x = s->graph->naddresses; x < e; x++)
        if (!t->told[x] && precedes(s, GIVEN_PO, x, e) && s->graph->events[x].address >= 0) return x;
    return -1;
}

/* Whether a write could be expected to have happened: it was told, or something that its thread does later was. */
static bool is_expected(const struct story *t, int write) {
    const struct search *s = t->search;
    bool expected = t->told[write] > 0;
    for (int e = write + 1; e < s->eval.dim.n && !expected; e++)
        expected = t->told[e] > 0 && precedes(s, GIVEN_PO, write, e);
    return expected;
}

/* A write of another thread that could be expected to be seen by a read, but is not, as the read sees an older one: of
 * several, the first. */
static int find_unseen(const struct story *t, int read) {
    const struct search *s = t->search;
    const struct graph *g = s->graph;
    for (int x = g->naddresses; x < s->eval.dim.n; x++)
        if (say_is_write(g, x) && rel_has(s->eval.dim, t->co, s->source[read], x) &&
            g->events[x].thread != g->events[read].thread && is_expected(t, x))
            return x;
    return -1;
}

static void tell_overtaken(struct telling *w, const struct story *t, int e) {
    int x = find_overtaken(t, e);
    if (x < 0) return;
    text_add(&w->text, " This happens ahead of its ");
    say_own(&w->text, t->search, x);
    text_add(&w->text, ": nothing between the two keeps their order.");
}

/* That a write comes before one that was told already, of another thread, in the order of the writes. */
static void tell_late(struct telling *w, const struct story *t, int write) {
    const struct search *s = t->search;
    const struct graph *g = s->graph;
    int later = -1;
    for (int x = g->naddresses; x < s->eval.dim.n && later < 0; x++)
        if (t->told[x] && g->events[x].thread != g->events[write].thread &&
            rel_has(s->eval.dim, t->co, write, x))
            later = x;
    if (later < 0) return;
    text_add(&w->text, " In the order of the writes of ");
    say_place(&w->text, g, g->events[write].address);
    text_add(&w->text, ", it comes before ");
    say_event(&w->text, s, later);
    text_add(&w->text, ": ");
    why_overtaken(&w->text, s, later, write);
}

/* The last access of this location before a read in its thread, or -1. */
static int find_last_access(const struct search *s, int read) {
    const struct graph *g = s->graph;
    int last = -1;
    for (int x = g->first[g->events[read].thread]; x < read; x++)
        if (g->events[x].address == g->events[read].address && precedes(s, GIVEN_PO, x, read)) last = x;
    return last;
}

/* That a thread sees neither its own last write nor the one that it read last, but one that was told before, where nothing
 * orders the two. */
static void tell_forgotten(struct telling *w, const struct story *t, int read) {
    const struct search *s = t->search;
    const struct graph *g = s->graph;
    int last = find_last_access(s, read), source = s->source[read];
    int known = last >= 0 && say_is_read(g, last) ? s->source[last] : last;
    if (known < 0 || g->events[source].thread < 0 || !t->told[source] || t->told[source] >= t->told[known] ||
        rel_has(s->eval.dim, t->co, known, source) || rel_has(s->eval.dim, t->co, source, known))
        return;
    text_add(&w->text, " What it sees is in no order with ");
    if (known == last) {
        text_add(&w->text, "its own ");
        say_own(&w->text, s, known);
    } else {
        say_event(&w->text, s, known);
        text_add(&w->text, ", which it read before");
        say_line(&w->text, g, last);
    }
    text_add(&w->text, ": ");
    why_unordered(&w->text, s, source, known);
}

/* That an atomic operation misses a write which is in no order with it. */
static void tell_missed(struct telling *w, const struct story *t, int read, int half) {
    const struct search *s = t->search;
    int write = find_unseen(t, read);
    if (write < 0 || rel_has(s->eval.dim, t->co, half, write) || why_are_mutual(s->graph, read, write))
        return;
    text_add(&w->text, " It does not see ");
    say_event(&w->text, s, write);
    text_add(&w->text, ": ");
    why_unordered(&w->text, s, write, read);
}

static void tell_read(struct telling *w, const struct story *t, int e) {
    const struct search *s = t->search;
    const struct graph *g = s->graph;
    int source = s->source[e], half = find_half(s, e), unseen = half >= 0 ? -1 : find_unseen(t, e);
    say_agent(&w->text, g, e);
    text_add(&w->text, half >= 0 ? " atomically reads " : " reads ");
    say_place(&w->text, g, g->events[e].address);
    say_line(&w->text, g, e);
    text_add(&w->text, " and gets ");
    say_value(&w->text, s, e);
    if (g->events[source].thread < 0) {
        text_add(&w->text, ", the initial value");
    } else {
        text_add(&w->text, g->events[source].thread == g->events[e].thread ? ", its own write" : ", from ");
        if (g->events[source].thread != g->events[e].thread)
            say_event(&w->text, s, source);
        else
            say_line(&w->text, g, source);
    }
    if (half >= 0) {
        text_add(&w->text, "; it writes ");
        say_value(&w->text, s, half);
    }
    text_add(&w->text, ".");
    if (g->events[source].thread >= 0 && !t->told[source])
        text_add(&w->text,
                 " That write is told below: here a value is read before it is written, and no rule of the "
                 "model forbids that.");
    tell_overtaken(w, t, e);
    if (half >= 0) tell_late(w, t, half);
    if (half >= 0) tell_missed(w, t, e, half);
    tell_forgotten(w, t, e);
    if (unseen >= 0) {
        text_add(&w->text, " It does not see ");
        say_event(&w->text, s, unseen);
        text_add(&w->text, ": ");
        why_unseen(&w->text, s, unseen, e);
    }
}

static void tell_event(struct telling *w, const struct story *t, int e) {
    const struct search *s = t->search;
    const struct graph *g = s->graph;
    if (say_is_read(g, e)) {
        tell_read(w, t, e);
    } else if (say_is_write(g, e)) {
        say_agent(&w->text, g, e);
        text_add(&w->text, " writes ");
        say_value(&w->text, s, e);
        text_add(&w->text, " to ");
        say_place(&w->text, g, g->events[e].address);
        say_line(&w->text, g, e);
        text_add(&w->text, ".");
        tell_overtaken(w, t, e);
        tell_late(w, t, e);
    } else {
        say_agent(&w->text, g, e);
        text_add(&w->text, ": ");
        say_own(&w->text, s, e);
        text_add(&w->text, ".");
    }
}

/* The last write of a location that the outcome names, and that others could be as well. */
static void tell_finals(struct telling *w, const struct candidate *c) {
    const struct search *s = c->search;
    const struct test *t = s->graph->test;
    for (int o = 0; o < t->nobs; o++) {
        int address = t->obs[o].is_reg ? -1 : outcome_address(s->graph, &t->obs[o], 0), last = 0;
        for (int e = 0; e < s->eval.dim.n && address >= 0; e++)
            last +=
                s->graph->events[e].address == address && say_is_write(s->graph, e) && outcome_is_final(s, e);
        if (last < 2 || t->obs[o].type.lanes > 1) continue;
        text_printf(&w->text, "In the end %s is ", t->obs[o].name);
        value_print(&w->text, t->obs[o].type, c->values[o]);
        text_printf(&w->text, ": %d of its writes are in no order, so each of them may be the last.", last);
        why_end_line(w);
    }
}

/* That the elements of a vector may be told in any order. */
static void tell_vectors(struct telling *w, const struct search *s) {
    const struct graph *g = s->graph;
    for (int e = g->naddresses + 1; e < s->eval.dim.n; e++) {
        int other = e - 1;
        if (g->events[e].address < 0 || g->events[other].address < 0 ||
            g->events[e].thread != g->events[other].thread || !graph_relates(g, GIVEN_INT, e, other) ||
            event_of(s, e)->step != event_of(s, other)->step || g->test->locs[event_of(s, e)->loc].grain)
            continue;
        text_add(&w->text, "An access to a vector is one access an element, in no order among themselves.");
        why_end_line(w);
        return;
    }
}

void why_story(struct telling *w, const struct candidate *c) {
    const struct search *s = c->search;
    const struct graph *g = s->graph;
    size_t n = (size_t)s->eval.dim.n;
    struct story t = {.search = s,
                      .co = eval_value(&s->eval, s->plan->orders[ORDER_CO].node),
                      .told = arena_array(w->arena, n, sizeof *t.told)};
    text_printf(&w->text,
                c->breaking ? "An execution in which %s is false:" : "An execution that ends with %s:",
                g->test->cond.text);
    why_end_line(w);
    int left = s->eval.dim.n - g->naddresses;
    for (; left > 0 && w->step < MOST_STEPS; left--) {
        int e = find_next(&t);
        tell_event(w, &t, e);
        why_end_step(w, s, e);
        t.told[e] = ++t.ntold;
        int half = find_half(s, e);
        if (half >= 0) {
            t.told[half] = t.ntold;
            left--;
        }
    }
    if (left > 0) {
        text_printf(&w->text, "And so on: %d more steps.", left);
        why_end_line(w);
    }
    tell_vectors(w, s);
    tell_finals(w, c);
}
