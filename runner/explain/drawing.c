#include "explain/drawing.h"

#include <string.h>

#include "base/text.h"
#include "explain/candidate.h"
#include "explain/say.h"

/* A barrier of more threads than this has edges from each thread to the next only. */
enum { MANY_THREADS = 3 };

struct drawing_search {
    const struct test *test;
    struct arena *arena; /* of the drawing */
    struct drawing *out;
    int capacity; /* edges that there is room for */
};

/* Events */

static const char *kind_word(enum event_kind kind) {
    switch (kind) {
    case EVENT_INIT:
    case EVENT_WRITE: return "W ";
    case EVENT_READ: return "R ";
    case EVENT_FENCE: return "F";
    case EVENT_ARRIVE: return "arrive";
    case EVENT_WAIT: return "wait";
    case EVENT_ISSUE: return "start";
    case EVENT_COMPLETE: return "complete";
    case EVENT_DEPEND: return "depend";
    case EVENT_TRIGGER: return "trigger";
    case EVENT_TAKE: return "take";
    case EVENT_COUNT: return "count";
    case EVENT_TRY: return "try";
    }
    return "";
}

static struct drawing_event copy_event(struct drawing_search *g, const struct search *s, int e) {
    const struct node_event *event = &s->graph->events[e];
    struct drawing_event copy = {.thread = event->thread, .strength = event->event ? "" : "initial"};
    struct text what = {0};
    text_add(&what, kind_word(event->event ? event->event->kind : EVENT_INIT));
    if (event->event && event->event->kind == EVENT_TAKE && s->source[e] < 0) text_add(&what, " nothing");
    if (event->address >= 0) {
        address_print(&what, s->graph, event->address);
        text_add(&what, " = ");
        value_print(&what, address_type(s->graph, event->address), s->value[e]);
    }
    if (event->event) {
        copy.agent = event->event->agent;
        if (event->event->stmt && say_is_in_file(s->graph, e)) copy.pos = event->event->stmt->pos;
        if (event->address >= 0 || event->event->kind == EVENT_FENCE) {
            struct text strength = {0};
            say_strength(&strength, event->event);
            copy.strength = arena_strdup(g->arena, strength.s);
            text_free(&strength);
        }
    }
    copy.what = arena_strdup(g->arena, what.s);
    text_free(&what);
    return copy;
}

static void copy_events(struct drawing_search *g, const struct search *s) {
    struct drawing *out = g->out;
    int nthreads = g->test->nthreads;
    out->nevents = s->eval.dim.n;
    out->ninitial = s->graph->naddresses;
    out->events = arena_array(g->arena, (size_t)out->nevents, sizeof *out->events);
    for (int e = 0; e < out->nevents; e++)
        out->events[e] = copy_event(g, s, e);
    out->first = arena_array(g->arena, (size_t)nthreads + 1, sizeof *out->first);
    memcpy(out->first, s->graph->first, ((size_t)nthreads + 1) * sizeof *out->first);
}

/* Edges */

static void add_edge(struct drawing_search *g, enum drawing_kind kind, int from, int to, const char *label) {
    struct drawing *out = g->out;
    if (out->nedges == g->capacity) {
        g->capacity = 2 * g->capacity + 16;
        out->edges =
            arena_grow(g->arena, out->edges, (size_t)out->nedges, (size_t)g->capacity, sizeof *out->edges);
    }
    out->edges[out->nedges++] = (struct drawing_edge){kind, from, to, arena_strdup(g->arena, label)};
}

/* Adds program order without what follows by transitivity. */
static void add_program_order(struct drawing_search *g, const struct graph *graph, int first, int end) {
    for (int x = first; x < end; x++)
        for (int y = x + 1; y < end; y++) {
            bool direct = graph_relates(graph, GIVEN_PO, x, y);
            for (int m = x + 1; m < y && direct; m++)
                direct = !(graph_relates(graph, GIVEN_PO, x, m) && graph_relates(graph, GIVEN_PO, m, y));
            if (direct) add_edge(g, DRAWING_PO, x, y, "po");
        }
}

/* Adds the edges of engines: from what starts them, and to what waits for them. */
static void add_engines(struct drawing_search *g, const struct graph *graph) {
    for (int x = 0; x < graph->dim.n; x++)
        for (int y = 0; y < graph->dim.n; y++) {
            if (graph_relates(graph, GIVEN_ISSUE, x, y)) add_edge(g, DRAWING_ISSUE, x, y, "issue");
            if (graph_relates(graph, GIVEN_COMPLETION, x, y))
                add_edge(g, DRAWING_COMPLETION, x, y, "completion");
        }
}

/* Whether an order has (x, y), and no event between the two. */
static bool is_next(const struct search *s, const uint64_t *order, int x, int y) {
    struct dim d = s->eval.dim;
    bool next = rel_has(d, order, x, y);
    for (int m = 0; m < d.n && next; m++)
        next = !(rel_has(d, order, x, m) && rel_has(d, order, m, y));
    return next;
}

static void add_order(struct drawing_search *g, const struct search *s, int k) {
    const uint64_t *order = eval_value(&s->eval, s->plan->orders[k].node);
    for (int x = 0; x < s->eval.dim.n; x++)
        for (int y = 0; y < s->eval.dim.n; y++)
            if (is_next(s, order, x, y)) add_edge(g, DRAWING_ORDER, x, y, s->plan->orders[k].name);
}

/* Adds rf; co and the other orders without what follows by transitivity; and fr to the next write only. */
static void add_guesses(struct drawing_search *g, const struct search *s) {
    const uint64_t *co = eval_value(&s->eval, s->plan->orders[ORDER_CO].node);
    for (int k = 0; k < s->nreads; k++)
        add_edge(g, DRAWING_RF, s->source[s->reads[k]], s->reads[k], "rf");
    for (int k = 0; k < s->plan->norders; k++)
        add_order(g, s, k);
    for (int k = 0; k < s->nreads; k++)
        for (int e = 0; e < s->eval.dim.n; e++)
            if (is_next(s, co, s->source[s->reads[k]], e)) add_edge(g, DRAWING_FR, s->reads[k], e, "fr");
}

/* From each arrival at a barrier to the waits of other threads at it. */
static void add_barriers(struct drawing_search *g, const struct graph *graph) {
    for (int x = 0; x < graph->dim.n; x++)
        for (int y = 0, after = 0; y < graph->dim.n; y++) {
            if (!graph_relates(graph, GIVEN_BAR, x, y) || graph->events[x].thread == graph->events[y].thread)
                continue;
            after += graph->events[y].thread > graph->events[x].thread;
            if (g->test->nthreads <= MANY_THREADS ||
                (after == 1 && graph->events[y].thread > graph->events[x].thread))
                add_edge(g, DRAWING_BARRIER, x, y, "bar");
        }
}

/* The steps that an axiom forbids; each edge is there once. */
static void add_reasons(struct drawing_search *g, const struct candidate *c) {
    struct drawing *out = g->out;
    int first = out->nedges;
    for (int k = 0; k < c->nreasons; k++)
        for (int step = 0; step < c->reasons[k].nsteps; step++) {
            const struct reason_step *r = &c->reasons[k].steps[step];
            int e = first;
            while (e < out->nedges && !(out->edges[e].from == r->from && out->edges[e].to == r->to &&
                                        strcmp(out->edges[e].label, r->rel) == 0))
                e++;
            if (e == out->nedges) add_edge(g, DRAWING_REASON, r->from, r->to, r->rel);
        }
}

/* Which of po, rf, co and fr has (x, y); NULL: none. In an interleaving these have no cycle. */
static const char *turn(const struct search *s, int x, int y) {
    const struct graph *g = s->graph;
    const uint64_t *co = eval_value(&s->eval, s->plan->orders[ORDER_CO].node);
    if (graph_relates(g, GIVEN_PO, x, y)) return "po";
    if (say_is_read(g, y) && s->source[y] == x) return "rf";
    if (say_is_write(g, x) && rel_has(s->eval.dim, co, x, y)) return "co";
    return say_is_read(g, x) && rel_has(s->eval.dim, co, s->source[x], y) ? "fr" : NULL;
}

/* Adds the cycle of po, rf, co and fr that shows that an allowed execution is no interleaving. There may be
 * none. */
static void add_weakness(struct drawing_search *g, const struct search *s) {
    struct dim d = s->eval.dim;
    uint64_t *turns = arena_array(s->arena, dim_rel(d), sizeof *turns);
    int *cycle = arena_array(s->arena, (size_t)d.n, sizeof *cycle);
    for (int x = 0; x < d.n; x++)
        for (int y = 0; y < d.n; y++)
            if (x != y && turn(s, x, y)) rel_add(d, turns, x, y);
    int n = rel_find_cycle(d, turns, cycle);
    for (int k = 0; k < n; k++)
        add_edge(g, DRAWING_REASON, cycle[k], cycle[(k + 1) % n], turn(s, cycle[k], cycle[(k + 1) % n]));
}

static const char *name_broken(struct drawing_search *g, const struct candidate *c) {
    struct text broken = {0};
    text_add(&broken, "");
    for (int k = 0; k < c->nreasons; k++) {
        text_printf(&broken, "%s%s", k ? ", " : "", c->reasons[k].name);
        if (c->reasons[k].kind == REASON_FINAL)
            text_printf(&broken, " (final %s)", g->test->obs[c->reasons[k].obs].name);
    }
    const char *names = arena_strdup(g->arena, broken.s);
    text_free(&broken);
    return names;
}

/* Draws the best candidate so far. */
static void copy_candidate(const struct candidate *c, void *ctx) {
    struct drawing_search *g = ctx;
    const struct search *s = c->search;
    *g->out = (struct drawing){.found = true, .allowed = c->nreasons == 0, .breaking = c->breaking};
    g->capacity = 0;
    g->out->broken = name_broken(g, c);
    copy_events(g, s);
    for (int t = 0; t < g->test->nthreads; t++)
        add_program_order(g, s->graph, s->graph->first[t], s->graph->first[t + 1]);
    add_engines(g, s->graph);
    add_barriers(g, s->graph);
    add_guesses(g, s);
    if (c->nreasons)
        add_reasons(g, c);
    else
        add_weakness(g, s);
}

bool drawing_find(const struct model *m, const struct test *t, const struct cell *cell,
                  const struct model_limits *limits, struct arena *a, struct drawing *out, struct diag *d) {
    struct drawing_search g = {.test = t, .arena = a, .out = out};
    enum candidate_answer answer;
    const char *spent;
    *out = (struct drawing){.breaking = t->cond.kind == FORALL, .broken = ""};
    bool ok = candidate_find(m, t, cell, limits, copy_candidate, &g, &answer, &spent, d);
    if (ok && answer == CANDIDATE_UNKNOWN) {
        diag_fail(d, "cannot draw %s: %s", t->name, spent);
        return false;
    }
    if (answer == CANDIDATE_ENDLESS)
        *out = (struct drawing){.endless = true, .breaking = out->breaking, .broken = ""};
    return ok;
}
