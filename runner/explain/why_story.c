/* How an allowed execution can have happened, in an order of its steps (why_order.c). */
#include <string.h>

#include "explain/why_tell.h"
#include "search/outcome.h"

enum { MOST_STEPS = 60 };

struct story {
    const struct search *search;
    const uint64_t *co;
    struct why_order order;
    int *told; /* event -> 1 + the place in the order at which it was told; 0: not yet */
};

static bool precedes(const struct search *s, enum given rel, int x, int y) {
    return graph_relates(s->graph, rel, x, y);
}

static const struct event *event_of(const struct search *s, int e) {
    return s->graph->events[e].event;
}

/* The first access of e's thread that comes before it and was not told yet, but for the write that e reads; or -1. */
static int find_overtaken(const struct story *t, int e) {
    const struct search *s = t->search;
    int source = say_is_read(s->graph, e) ? s->source[e] : -1;
    for (int x = s->graph->naddresses; x < e; x++)
        if (!t->told[x] && x != source && precedes(s, GIVEN_PO, x, e) && s->graph->events[x].address >= 0)
            return x;
    return -1;
}

/* A fence or a barrier between two events of a thread, or -1. */
static int find_between(const struct search *s, int x, int y) {
    for (int e = x + 1; e < y; e++)
        if (s->graph->events[e].address < 0 && precedes(s, GIVEN_PO, x, e) && precedes(s, GIVEN_PO, e, y))
            return e;
    return -1;
}

/* Whether a reader would expect that a write has happened: it was told, or something that its thread does
 * later was. */
static bool is_expected(const struct story *t, int write) {
    const struct search *s = t->search;
    bool expected = t->told[write] > 0;
    for (int e = write + 1; e < s->eval.dim.n && !expected; e++)
        expected = t->told[e] > 0 && precedes(s, GIVEN_PO, write, e);
    return expected;
}

/* The first write of another thread that a reader would expect a read to see (is_expected), but the read sees
 * an older one; or -1. */
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
    int fence = find_between(t->search, x, e);
    if (fence < 0) {
        text_add(&w->text, ": nothing between the two keeps their order.");
        return;
    }
    text_add(&w->text, ": its ");
    say_own(&w->text, t->search, fence);
    text_add(&w->text, " does not keep their order.");
}

/* Tells that a write comes before another one in co, of another thread, which was told already. */
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
    address_print(&w->text, g, g->events[write].address);
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

/* Tells that a read sees neither its thread's last write of the location nor the write that this read last,
 * but one that was told before it, where co does not order the two. */
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

/* Tells that an atomic operation does not see a write which co does not order with its own. */
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

/* Tells why a read does not see a write. In the model's order of steps, a write that is told later has not
 * happened. */
static void tell_why_unseen(struct telling *w, const struct story *t, int write, int read) {
    if (t->order.steps && !t->told[write]) {
        text_add(&w->text, ", which is told below.");
        return;
    }
    text_add(&w->text, ": ");
    why_unseen(&w->text, t->search, write, read);
}

/* The write that an atomic operation's read is told with, or -1. */
static int find_half(const struct story *t, int e) {
    int half = event_of(t->search, e)->rmw;
    return half >= 0 && !t->order.split ? t->search->graph->first[t->search->graph->events[e].thread] + half
                                        : -1;
}

static void tell_read(struct telling *w, const struct story *t, int e) {
    const struct search *s = t->search;
    const struct graph *g = s->graph;
    int source = s->source[e], half = find_half(t, e), unseen = half >= 0 ? -1 : find_unseen(t, e);
    say_agent(&w->text, g, e);
    text_add(&w->text, event_of(s, e)->rmw >= 0 ? " atomically reads " : " reads ");
    address_print(&w->text, g, g->events[e].address);
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
    if (g->events[source].thread >= 0 && !t->told[source] && t->order.steps)
        text_printf(&w->text, " That write is told below, where the others see it, too.");
    else if (g->events[source].thread >= 0 && !t->told[source])
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
        tell_why_unseen(w, t, unseen, e);
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
        address_print(&w->text, g, g->events[e].address);
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

/* Tells of each location that the outcome names whether several writes may be its last. */
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

/* Tells, if there is a vector, that its elements are accessed in no order. */
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

/* ---- barriers ---- */

/* The wait of the same statement as an arrival, which thus passes a barrier; -1: there is none. */
static int find_wait(const struct search *s, int e) {
    const struct graph *g = s->graph;
    const struct event *event = event_of(s, e);
    bool last = e + 1 >= g->first[g->events[e].thread + 1];
    if (!event || event->kind != EVENT_ARRIVE || event->stmt->op->order == ORDER_RELAXED || last) return -1;
    return event_of(s, e + 1)->kind == EVENT_WAIT && event_of(s, e + 1)->stmt == event->stmt ? e + 1 : -1;
}

/* Whether a wait is that of a statement that passes a barrier (find_wait). */
static bool is_passed(const struct search *s, int e) {
    return event_of(s, e)->kind == EVENT_WAIT && find_wait(s, e - 1) == e;
}

/* The waits of all threads that pass the same use of a barrier as the wait at step k: all have arrived by then. */
static int find_passing(const struct story *t, int k, int *waits) {
    const struct search *s = t->search;
    int n = 0, barrier = s->graph->events[t->order.events[k]].barrier;
    for (; k < t->order.n; k++) {
        int e = t->order.events[k];
        if (is_passed(s, e) && s->graph->events[e].barrier == barrier) waits[n++] = e;
    }
    return n;
}

/* "T0, T1 and T2 pass the barrier (line 7, line 12)." */
static void tell_passing(struct telling *w, const struct search *s, const int *waits, int n) {
    enum { MOST_NAMES = 4 };
    const struct graph *g = s->graph;
    int names = n > MOST_NAMES ? MOST_NAMES - 1 : n, places = 0;
    for (int k = 0; k < names; k++)
        text_printf(&w->text, "%s%s",
                    k == 0      ? ""
                    : k + 1 < n ? ", "
                                : " and ",
                    g->test->threads[g->events[waits[k]].thread].name);
    if (names < n) text_printf(&w->text, " and %d others", n - names);
    text_add(&w->text, n == 1 ? " passes " : " pass ");
    say_barrier(&w->text, event_of(s, waits[0])->stmt->op);
    for (int k = 0; k < n; k++) {
        bool told = false;
        for (int j = 0; j < k && !told; j++)
            told = event_of(s, waits[j])->stmt->pos.line == event_of(s, waits[k])->stmt->pos.line;
        if (told || places == MOST_NAMES) continue;
        text_add(&w->text, places++ ? ", " : " (");
        say_place(&w->text, g, waits[k]);
    }
    text_add(&w->text, ").");
}

/* Tells what happens at step k, if that is not told yet. */
static void tell_next(struct telling *w, struct story *t, int k) {
    const struct search *s = t->search;
    int e = t->order.events[k], half = say_is_read(s->graph, e) ? find_half(t, e) : -1;
    if (t->told[e]) return;
    if (find_wait(s, e) >= 0) { /* it is told with the wait */
        t->told[e] = k + 1;
        return;
    }
    if (is_passed(s, e)) {
        int *waits = arena_array(w->arena, (size_t)t->order.n, sizeof *waits), n = find_passing(t, k, waits);
        tell_passing(w, s, waits, n);
        while (n > 0)
            t->told[waits[--n]] = k + 1;
    } else {
        tell_event(w, t, e);
    }
    why_end_step(w, s, e);
    t->told[e] = k + 1;
    if (half >= 0) t->told[half] = t->told[e];
}

void why_story(struct telling *w, const struct candidate *c) {
    const struct search *s = c->search;
    const struct graph *g = s->graph;
    size_t n = (size_t)s->eval.dim.n;
    struct story t = {.search = s,
                      .co = eval_value(&s->eval, s->plan->orders[ORDER_CO].node),
                      .order = why_order(s, w->arena),
                      .told = arena_array(w->arena, n, sizeof *t.told)};
    text_printf(&w->text,
                c->breaking ? "An execution in which %s is false:" : "An execution that ends with %s:",
                g->test->cond.text);
    why_end_line(w);
    int k = 0;
    for (; k < t.order.n && w->step < MOST_STEPS; k++)
        tell_next(w, &t, k);
    int left = t.order.n - k;
    if (left > 0) {
        text_printf(&w->text, "And so on: %d more steps.", left);
        why_end_line(w);
    }
    tell_vectors(w, s);
    tell_finals(w, c);
}
