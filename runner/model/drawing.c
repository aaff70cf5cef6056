#include "model/drawing.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/judge.h"
#include "model/outcome.h"
#include "model/say.h"

/* Rejected candidates that are compared before the best of them is drawn. */
enum { MAX_COMPARED = 20000 };

struct drawing_search {
    const struct test *test;
    struct value values[TEST_MAX_OBS]; /* an outcome of the candidate at hand that the drawing is about */
    bool breaking;                     /* it makes the proposition false */
    struct arena *arena;               /* of the drawing */
    struct drawing *out;
    int best; /* axioms broken in the candidate that is drawn; -1: nothing is */
    int compared;
    int capacity; /* edges that there is room for */
};

/* Axioms */

/* The write that an outcome takes for the last of a location although another comes after it, or -1. */
static int find_overwritten(const struct drawing_search *g, const struct search *s, int o, int lane) {
    const struct observable *obs = &g->test->obs[o];
    int address = obs->is_reg ? -1 : outcome_address(s->graph, obs, lane), found = -1;
    struct value value = value_lane(outcome_parts(g->test, obs), g->values[o], lane);
    for (int e = 0; e < s->eval.dim.n && address >= 0; e++) {
        const struct node_event *event = &s->graph->events[e];
        bool write = !event->event || event->event->kind == EVENT_WRITE;
        if (!write || event->address != address || !value_equal(s->value[e], value)) continue;
        if (outcome_is_final(s, e)) return -1;
        found = e;
    }
    return found;
}

static bool is_overwritten(const struct drawing_search *g, const struct search *s, int o) {
    int lane = 0, n = outcome_parts(g->test, &g->test->obs[o]).lanes;
    while (lane < n && find_overwritten(g, s, o, lane) < 0)
        lane++;
    return lane < n;
}

static int count_broken(const struct drawing_search *g, const struct search *s) {
    int n = 0;
    for (int o = 0; o < g->test->nobs; o++)
        for (int lane = 0; lane < outcome_parts(g->test, &g->test->obs[o]).lanes; lane++)
            n += find_overwritten(g, s, o, lane) >= 0;
    for (int k = 0; k < s->plan->norders; k++)
        n += eval_breaks_order(&s->eval, k);
    for (int k = 0; k < s->plan->naxioms; k++)
        n += eval_breaks_axiom(&s->eval, k);
    return n;
}

static bool holds(const struct search *s, int node, int x, int y) {
    return rel_has(s->eval.dim, eval_value(&s->eval, node), x, y);
}

static const char *find_name(const struct model_plan *p, int node) {
    const struct plan_node *n = &p->nodes[node];
    if (n->op == NODE_RF) return "rf";
    if (n->op == NODE_ORDER) return p->orders[n->index].name;
    if (n->op == NODE_GIVEN) return plan_givens[n->index];
    for (int k = 0; k < p->nnames; k++)
        if (p->names[k].node == node) return p->names[k].name;
    return NULL;
}

static void explain(const struct search *s, int node, int x, int y, struct text *out);

/* x -a-> m -b-> y, for some m. */
static void explain_sequence(const struct search *s, const struct plan_node *n, int x, int y,
                             struct text *out) {
    bool inverse = n->op == NODE_SEQ_INVERSE;
    for (int m = 0; m < s->eval.dim.n; m++) {
        if (!(inverse ? holds(s, n->a, m, x) : holds(s, n->a, x, m)) || !holds(s, n->b, m, y)) continue;
        if (m == x && m == y) continue;
        if (m != x || inverse) explain(s, n->a, inverse ? m : x, inverse ? x : m, out);
        if (inverse) text_add(out, "^-1");
        if (m != x && m != y) text_add(out, "; ");
        if (m != y) explain(s, n->b, m, y, out);
        return;
    }
}

/* Why a node relates x to y, in the model's own names. */
static void explain(const struct search *s, int node, int x, int y, struct text *out) {
    const struct model_plan *p = s->plan;
    const struct plan_node *n = &p->nodes[node];
    const char *name = find_name(p, node);
    if (name) {
        text_add(out, name);
        return;
    }
    switch (n->op) {
    case NODE_UNION: explain(s, holds(s, n->a, x, y) ? n->a : n->b, x, y, out); break;
    case NODE_INTER: explain(s, p->nodes[n->a].guesses ? n->a : n->b, x, y, out); break;
    case NODE_DIFF:
    case NODE_TO: explain(s, n->a, x, y, out); break;
    case NODE_FROM: explain(s, n->b, x, y, out); break;
    case NODE_INVERSE:
        explain(s, n->a, y, x, out);
        text_add(out, "^-1");
        break;
    case NODE_SEQ_INVERSE:
        if (p->nodes[n->a].op == NODE_RF && p->nodes[n->b].op == NODE_ORDER &&
            p->nodes[n->b].index == ORDER_CO) {
            text_add(out, "fr");
            break;
        }
        explain_sequence(s, n, x, y, out);
        break;
    case NODE_SEQ: explain_sequence(s, n, x, y, out); break;
    case NODE_PLUS:
    case NODE_STAR:
    case NODE_OPT:
        if (x != y && holds(s, n->a, x, y))
            explain(s, n->a, x, y, out);
        else
            text_add(out, x == y ? "id" : "...");
        break;
    default: text_add(out, "?"); break;
    }
}

/* Events */

static const char *find_strength(struct arena *a, struct strength s) {
    if (s.scope == SCOPE_NONE) return order_name(s.order);
    return arena_printf(a, "%s.%s", order_name(s.order), scope_ptx(s.scope));
}

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
    }
    return "";
}

static struct drawing_event copy_event(struct drawing_search *g, const struct search *s, int e) {
    const struct node_event *event = &s->graph->events[e];
    struct drawing_event copy = {.thread = event->thread, .strength = event->event ? "" : "initial"};
    struct text what = {0};
    text_add(&what, kind_word(event->event ? event->event->kind : EVENT_INIT));
    if (event->address >= 0) {
        say_place(&what, s->graph, event->address);
        text_add(&what, " = ");
        value_print(&what, address_type(s->graph, event->address), s->value[e]);
    }
    if (event->event) {
        copy.agent = event->event->agent;
        if (event->event->stmt) copy.pos = event->event->stmt->pos;
        if (event->address >= 0 || event->event->kind == EVENT_FENCE)
            copy.strength = find_strength(g->arena, event->event->strength);
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

/* What of program order does not follow from the rest of it. */
static void add_program_order(struct drawing_search *g, const struct graph *graph, int first, int end) {
    for (int x = first; x < end; x++)
        for (int y = x + 1; y < end; y++) {
            bool direct = graph_relates(graph, GIVEN_PO, x, y);
            for (int m = x + 1; m < y && direct; m++)
                direct = !(graph_relates(graph, GIVEN_PO, x, m) && graph_relates(graph, GIVEN_PO, m, y));
            if (direct) add_edge(g, DRAWING_PO, x, y, "po");
        }
}

/* What threads start, and what they wait for. */
static void add_engines(struct drawing_search *g, const struct graph *graph) {
    for (int x = 0; x < graph->dim.n; x++)
        for (int y = 0; y < graph->dim.n; y++) {
            if (graph_relates(graph, GIVEN_ISSUE, x, y)) add_edge(g, DRAWING_ISSUE, x, y, "issue");
            if (graph_relates(graph, GIVEN_COMPLETION, x, y))
                add_edge(g, DRAWING_COMPLETION, x, y, "completion");
        }
}

/* Whether an order relates x and y, and nothing between them. */
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

/* rf, and of co and the other orders what does not follow from the rest; and the first of fr. */
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

static void add_reason(struct drawing_search *g, const struct search *s, int node, int x, int y) {
    struct text why = {0};
    explain(s, node, x, y, &why);
    add_edge(g, DRAWING_REASON, x, y, why.s ? why.s : "");
    text_free(&why);
}

static void add_cycle(struct drawing_search *g, const struct search *s, int node) {
    int *cycle = memory_new((size_t)s->eval.dim.n, sizeof *cycle);
    int n = rel_find_cycle(s->eval.dim, eval_value(&s->eval, node), cycle);
    for (int k = 0; k < n; k++)
        add_reason(g, s, node, cycle[k], cycle[(k + 1) % n]);
    free(cycle);
}

/* The pair that an axiom forbids, in two steps where it is a composition. */
static void add_pair(struct drawing_search *g, const struct search *s, int node, int x, int y) {
    const struct plan_node *n = &s->plan->nodes[node];
    for (int m = 0; m < s->eval.dim.n && n->op == NODE_SEQ; m++) {
        if (!holds(s, n->a, x, m) || !holds(s, n->b, m, y)) continue;
        add_reason(g, s, n->a, x, m);
        add_reason(g, s, n->b, m, y);
        return;
    }
    if (n->op == NODE_INTER && s->plan->nodes[n->a].op == NODE_SEQ)
        add_pair(g, s, n->a, x, y);
    else
        add_reason(g, s, node, x, y);
}

/* The first pair that an `irreflexive` or `empty` axiom forbids. An axiom on sets has none. */
static void add_first_pair(struct drawing_search *g, const struct search *s, const struct axiom *axiom) {
    struct dim d = s->eval.dim;
    if (!s->plan->nodes[axiom->edges].rel) return;
    for (int x = 0; x < d.n; x++) {
        for (int y = 0; y < d.n; y++) {
            if (axiom->check == CHECK_IRREFLEXIVE && x != y) continue;
            if (!holds(s, axiom->edges, x, y)) continue;
            add_pair(g, s, axiom->edges, x, y);
            return;
        }
    }
}

/* Two events that an order puts both ways round, and why: what it must hold, or what was guessed. */
static void add_broken_order(struct drawing_search *g, const struct search *s,
                             const struct plan_order *order) {
    int n = s->eval.dim.n, must = s->plan->nodes[order->node].a;
    for (int x = 0; x < n; x++) {
        for (int y = 0; y < n; y++) {
            if (!holds(s, must, x, y) || !holds(s, order->node, y, x)) continue;
            add_reason(g, s, must, x, y);
            if (x != y) add_reason(g, s, holds(s, must, y, x) ? must : order->node, y, x);
            return;
        }
    }
}

/* A write that would have to be the last, and one that comes after it. */
static void add_overwritten(struct drawing_search *g, const struct search *s, int write) {
    int co = s->plan->orders[ORDER_CO].node, must = s->plan->nodes[co].a;
    for (int pass = 0; pass < 2; pass++) /* what is in MUST says more than what was guessed */
        for (int e = 0; e < s->eval.dim.n; e++) {
            int why = pass ? co : must;
            if (!holds(s, why, write, e)) continue;
            add_reason(g, s, why, write, e);
            return;
        }
}

static void add_broken(struct drawing_search *g, const struct search *s) {
    for (int o = 0; o < g->test->nobs; o++)
        for (int lane = 0; lane < g->test->obs[o].type.lanes; lane++) {
            int write = find_overwritten(g, s, o, lane);
            if (write >= 0) add_overwritten(g, s, write);
        }
    for (int k = 0; k < s->plan->norders; k++)
        if (eval_breaks_order(&s->eval, k)) add_broken_order(g, s, &s->plan->orders[k]);
    for (int k = 0; k < s->plan->naxioms; k++) {
        const struct axiom *axiom = &s->plan->axioms[k];
        if (!eval_breaks_axiom(&s->eval, k) || axiom->negated) continue;
        if (axiom->check == CHECK_ACYCLIC)
            add_cycle(g, s, axiom->edges);
        else
            add_first_pair(g, s, axiom);
    }
}

static const char *name_broken(struct drawing_search *g, const struct search *s) {
    struct text broken = {0};
    for (int o = 0; o < g->test->nobs; o++)
        if (is_overwritten(g, s, o))
            text_printf(&broken, ", %s (final %s)", s->plan->orders[ORDER_CO].label, g->test->obs[o].name);
    for (int k = 0; k < s->plan->norders; k++)
        if (eval_breaks_order(&s->eval, k)) text_printf(&broken, ", %s", s->plan->orders[k].label);
    for (int k = 0; k < s->plan->naxioms; k++)
        if (eval_breaks_axiom(&s->eval, k)) text_printf(&broken, ", %s", s->plan->axioms[k].name);
    const char *names = broken.len ? arena_strdup(g->arena, broken.s + 2) : "";
    text_free(&broken);
    return names;
}

static void copy_candidate(struct drawing_search *g, const struct search *s) {
    *g->out = (struct drawing){.found = true, .allowed = g->best == 0, .breaking = g->breaking};
    g->capacity = 0;
    g->out->broken = name_broken(g, s);
    copy_events(g, s);
    for (int t = 0; t < g->test->nthreads; t++)
        add_program_order(g, s->graph, s->graph->first[t], s->graph->first[t + 1]);
    add_engines(g, s->graph);
    add_guesses(g, s);
    add_broken(g, s);
}

/* Candidates */

static bool is_no_witness(const struct value *values, void *ctx) {
    struct drawing_search *g = ctx;
    struct expr_env env = {.obs = values};
    if (expr_is_true(g->test->cond.prop, &env) == g->breaking) return true;
    memcpy(g->values, values, (size_t)g->test->nobs * sizeof *values);
    return false;
}

/* Draws a candidate that is better than what is drawn. Goes on until nothing can be. */
static bool on_candidate(struct search *s, void *ctx) {
    struct drawing_search *g = ctx;
    if (outcome_each(s, is_no_witness, g)) return true;
    int broken = count_broken(g, s);
    if (g->best < 0 || broken < g->best) {
        g->best = broken;
        copy_candidate(g, s);
    }
    return broken > (s->eval.tolerant ? 1 : 0) && ++g->compared < MAX_COMPARED;
}

/* Draws the best candidate, if there is one. What the search ran out of goes to *spent, else NULL. */
static bool search_best(struct drawing_search *g, const struct model *m, const struct cell *v,
                        const struct model_limits *limits, const char **spent, struct diag *d) {
    bool ok = true;
    *spent = NULL;
    for (int tolerant = 0; tolerant < 2 && ok && g->best < 0 && !*spent; tolerant++) {
        struct judge j;
        ok = judge_open(&j, m, g->test, v, limits, d);
        j.tolerant = tolerant;
        j.leaf = on_candidate;
        j.ctx = g;
        if (ok) judge_find_twins(&j, false);
        if (ok) judge_complete(&j);
        *spent = j.budget.spent;
        judge_close(&j);
    }
    return ok;
}

/* A `forall` is best shown by what breaks it; where that is too much to search, by what does not. */
bool drawing_find(const struct model *m, const struct test *t, const struct cell *v,
                  const struct model_limits *limits, struct arena *a, struct drawing *out, struct diag *d) {
    static const struct model_limits no_limits;
    struct drawing_search g = {.test = t, .arena = a, .out = out, .best = -1};
    const char *spent;
    if (!limits) limits = &no_limits;
    *out = (struct drawing){.breaking = t->cond.kind == FORALL, .broken = ""};
    g.breaking = out->breaking;
    bool ok = search_best(&g, m, v, limits, &spent, d);
    if (ok && g.best < 0 && spent && g.breaking) {
        g.breaking = out->breaking = false;
        ok = search_best(&g, m, v, limits, &spent, d);
    }
    if (ok && g.best < 0 && spent) {
        diag_fail(d, "cannot draw %s: %s", t->name, spent);
        return false;
    }
    return ok;
}
