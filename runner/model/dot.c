#include "model/dot.h"

#include <stdlib.h>

#include "base/memory.h"
#include "model/judge.h"
#include "model/outcome.h"

/* Rejected candidates that are compared before the best of them is drawn. */
enum { MAX_COMPARED = 20000 };

struct drawing {
    const struct model *model;
    const struct test *test;
    const struct cell *cell;
    struct value values[TEST_MAX_OBS]; /* an outcome of the candidate at hand that the drawing is about */
    bool breaking;                     /* it makes the proposition false */
    struct text *out;
    size_t start; /* of our text in `out` */
    int best;     /* axioms broken in the candidate that is drawn; -1: nothing is */
    int compared;
};

/* Axioms */

/* The write that an outcome takes for the last of a location although another comes after it, or -1. */
static int find_overwritten(const struct drawing *g, const struct search *s, int o, int lane) {
    const struct observable *obs = &g->test->obs[o];
    int address = obs->is_reg ? -1 : outcome_address(s->graph, obs, lane), found = -1;
    struct value value = value_lane(obs->type, g->values[o], lane);
    for (int e = 0; e < s->eval.dim.n && address >= 0; e++) {
        const struct node_event *event = &s->graph->events[e];
        bool write = !event->event || event->event->kind == EVENT_WRITE;
        if (!write || event->address != address || !value_equal(s->value[e], value)) continue;
        if (outcome_is_final(s, e)) return -1;
        found = e;
    }
    return found;
}

static bool is_overwritten(const struct drawing *g, const struct search *s, int o) {
    int lane = 0, n = g->test->obs[o].type.lanes;
    while (lane < n && find_overwritten(g, s, o, lane) < 0)
        lane++;
    return lane < n;
}

static int count_broken(const struct drawing *g, const struct search *s) {
    int n = 0;
    for (int o = 0; o < g->test->nobs; o++)
        for (int lane = 0; lane < g->test->obs[o].type.lanes; lane++)
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

/* Drawing */

static void add_escaped(struct text *out, const char *text) {
    for (; *text; text++) {
        if (*text == '\n') {
            text_add(out, "\\n");
            continue;
        }
        if (*text == '"' || *text == '\\') text_add(out, "\\");
        text_add_n(out, text, 1);
    }
}

static void add_place(struct text *out, const struct graph *g, int address) {
    const struct location *loc = &g->test->locs[g->addresses[address].loc];
    text_add(out, loc->name);
    if (loc->array) text_printf(out, "[%d]", g->addresses[address].element);
    if (type_is_vector(loc->type)) text_printf(out, ".%c", type_lane_name(g->addresses[address].lane));
}

static void add_strength(struct text *out, struct strength s) {
    text_printf(out, "\\n%s", order_name(s.order));
    if (s.scope != SCOPE_NONE) text_printf(out, ".%s", scope_ptx(s.scope));
}

static void draw_event(const struct search *s, int e, struct text *out) {
    const struct graph *g = s->graph;
    const struct node_event *event = &g->events[e];
    text_printf(out, "    e%d [label=\"", e);
    switch (event->event ? event->event->kind : EVENT_INIT) {
    case EVENT_INIT:
    case EVENT_WRITE: text_add(out, "W "); break;
    case EVENT_READ: text_add(out, "R "); break;
    case EVENT_FENCE: text_add(out, "F"); break;
    case EVENT_ARRIVE: text_add(out, "arrive"); break;
    case EVENT_WAIT: text_add(out, "wait"); break;
    case EVENT_ISSUE: text_add(out, "start"); break;
    case EVENT_COMPLETE: text_add(out, "complete"); break;
    }
    if (event->address >= 0) {
        add_place(out, g, event->address);
        text_add(out, " = ");
        value_print(out, address_type(g, event->address), s->value[e]);
    }
    if (!event->event)
        text_add(out, "\\ninitial");
    else if (event->address >= 0 || event->event->kind == EVENT_FENCE)
        add_strength(out, event->event->strength);
    text_add(out, "\"];\n");
}

/* What of program order does not follow from the rest of it. */
static void draw_program_order(const struct graph *g, int first, int end, struct text *out) {
    for (int x = first; x < end; x++)
        for (int y = x + 1; y < end; y++) {
            bool direct = graph_relates(g, GIVEN_PO, x, y);
            for (int m = x + 1; m < y && direct; m++)
                direct = !(graph_relates(g, GIVEN_PO, x, m) && graph_relates(g, GIVEN_PO, m, y));
            if (direct) text_printf(out, "    e%d -> e%d [label=\"po\", weight=10];\n", x, y);
        }
}

static void draw_threads(const struct search *s, struct text *out) {
    const struct graph *g = s->graph;
    for (int e = 0; e < g->naddresses; e++)
        draw_event(s, e, out);
    for (int t = 0; t < g->test->nthreads; t++) {
        text_printf(out, "  subgraph cluster_%d {\n    label=\"", t);
        add_escaped(out, g->test->threads[t].name);
        text_add(out, "\";\n");
        for (int e = g->first[t]; e < g->first[t + 1]; e++)
            draw_event(s, e, out);
        draw_program_order(g, g->first[t], g->first[t + 1], out);
        text_add(out, "  }\n");
    }
}

/* Beside the layout, so the label is one, too: Graphviz fails on others in a large graph. */
static void draw_edge(struct text *out, int x, int y, const char *label, const char *style) {
    text_printf(out, "  e%d -> e%d [xlabel=\"", x, y);
    add_escaped(out, label);
    text_printf(out, "\", %s, constraint=false];\n", style);
}

/* What threads start, and what they wait for. */
static void draw_engines(const struct search *s, struct text *out) {
    for (int x = 0; x < s->eval.dim.n; x++)
        for (int y = 0; y < s->eval.dim.n; y++) {
            if (graph_relates(s->graph, GIVEN_ISSUE, x, y)) draw_edge(out, x, y, "issue", "style=dashed");
            if (graph_relates(s->graph, GIVEN_COMPLETION, x, y))
                draw_edge(out, x, y, "completion", "style=dashed");
        }
}

/* rf, and of co and the other orders what does not follow from the rest. */
static void draw_guesses(const struct search *s, struct text *out) {
    struct dim d = s->eval.dim;
    for (int k = 0; k < s->nreads; k++)
        draw_edge(out, s->source[s->reads[k]], s->reads[k], "rf", "color=red, fontcolor=red");
    for (int k = 0; k < s->plan->norders; k++) {
        const uint64_t *order = eval_value(&s->eval, s->plan->orders[k].node);
        for (int x = 0; x < d.n; x++) {
            const uint64_t *row = rel_crow(d, order, x);
            for (int y = set_first(row, d.words); y >= 0; y = set_next(row, d.words, y)) {
                bool direct = true;
                for (int m = 0; m < d.n && direct; m++)
                    direct = !(rel_has(d, order, x, m) && rel_has(d, order, m, y));
                if (direct) draw_edge(out, x, y, s->plan->orders[k].name, "color=blue, fontcolor=blue");
            }
        }
    }
}

static const char bold[] = "color=darkorange, fontcolor=darkorange, penwidth=3";

static void draw_reason(const struct search *s, int node, int x, int y, struct text *out) {
    struct text why = {0};
    explain(s, node, x, y, &why);
    draw_edge(out, x, y, why.s ? why.s : "", bold);
    text_free(&why);
}

static void draw_cycle(const struct search *s, int node, struct text *out) {
    int *cycle = memory_new((size_t)s->eval.dim.n, sizeof *cycle);
    int n = rel_find_cycle(s->eval.dim, eval_value(&s->eval, node), cycle);
    for (int k = 0; k < n; k++) {
        draw_reason(s, node, cycle[k], cycle[(k + 1) % n], out);
    }
    free(cycle);
}

/* The pair that an axiom forbids, in two steps where it is a composition. */
static void draw_pair(const struct search *s, int node, int x, int y, struct text *out) {
    const struct plan_node *n = &s->plan->nodes[node];
    for (int m = 0; m < s->eval.dim.n && n->op == NODE_SEQ; m++) {
        if (!holds(s, n->a, x, m) || !holds(s, n->b, m, y)) continue;
        draw_reason(s, n->a, x, m, out);
        draw_reason(s, n->b, m, y, out);
        return;
    }
    if (n->op == NODE_INTER && s->plan->nodes[n->a].op == NODE_SEQ)
        draw_pair(s, n->a, x, y, out);
    else
        draw_reason(s, node, x, y, out);
}

/* The first pair that an `irreflexive` or `empty` axiom forbids. An axiom on sets has none. */
static void draw_first_pair(const struct search *s, const struct axiom *axiom, struct text *out) {
    struct dim d = s->eval.dim;
    if (!s->plan->nodes[axiom->edges].rel) return;
    for (int x = 0; x < d.n; x++) {
        for (int y = 0; y < d.n; y++) {
            if (axiom->check == CHECK_IRREFLEXIVE && x != y) continue;
            if (!holds(s, axiom->edges, x, y)) continue;
            draw_pair(s, axiom->edges, x, y, out);
            return;
        }
    }
}

/* Two events that an order puts both ways round, and why: what it must hold, or what was guessed. */
static void draw_broken_order(const struct search *s, const struct plan_order *order, struct text *out) {
    int n = s->eval.dim.n, must = s->plan->nodes[order->node].a;
    for (int x = 0; x < n; x++) {
        for (int y = 0; y < n; y++) {
            if (!holds(s, must, x, y) || !holds(s, order->node, y, x)) continue;
            draw_reason(s, must, x, y, out);
            if (x != y) draw_reason(s, holds(s, must, y, x) ? must : order->node, y, x, out);
            return;
        }
    }
}

/* A write that would have to be the last, and one that comes after it. */
static void draw_overwritten(const struct search *s, int write, struct text *out) {
    int co = s->plan->orders[ORDER_CO].node, must = s->plan->nodes[co].a;
    for (int pass = 0; pass < 2; pass++) /* what is in MUST says more than what was guessed */
        for (int e = 0; e < s->eval.dim.n; e++) {
            int why = pass ? co : must;
            if (!holds(s, why, write, e)) continue;
            draw_reason(s, why, write, e, out);
            return;
        }
}

static void draw_broken(const struct drawing *g, const struct search *s, struct text *out) {
    for (int o = 0; o < g->test->nobs; o++)
        for (int lane = 0; lane < g->test->obs[o].type.lanes; lane++) {
            int write = find_overwritten(g, s, o, lane);
            if (write >= 0) draw_overwritten(s, write, out);
        }
    for (int k = 0; k < s->plan->norders; k++)
        if (eval_breaks_order(&s->eval, k)) draw_broken_order(s, &s->plan->orders[k], out);
    for (int k = 0; k < s->plan->naxioms; k++) {
        const struct axiom *axiom = &s->plan->axioms[k];
        if (!eval_breaks_axiom(&s->eval, k) || axiom->negated) continue;
        if (axiom->check == CHECK_ACYCLIC)
            draw_cycle(s, axiom->edges, out);
        else
            draw_first_pair(s, axiom, out);
    }
}

/* "MP, device, none: ptx forbids X == 1 && ...", and by what. `s` is NULL when there is nothing to draw. */
static void draw_title(const struct drawing *g, const struct search *s, struct text *out) {
    const struct test *t = g->test;
    const char *verdict = !s ? "has no execution for" : g->best ? "forbids" : "allows";
    const char *what = g->breaking ? "what breaks " : "";
    text_add(out, "digraph execution {\n  label=\"");
    add_escaped(out, t->name);
    text_add(out, ", ");
    add_escaped(out, g->cell->placement->name);
    text_add(out, ", ");
    add_escaped(out, g->cell->fence->name);
    text_printf(out, ": %s %s %s", model_name(g->model), verdict, what);
    add_escaped(out, t->cond.text);
    struct text broken = {0};
    for (int o = 0; s && o < t->nobs; o++)
        if (is_overwritten(g, s, o))
            text_printf(&broken, ", %s (final %s)", s->plan->orders[ORDER_CO].label, t->obs[o].name);
    for (int k = 0; s && k < s->plan->norders; k++)
        if (eval_breaks_order(&s->eval, k)) text_printf(&broken, ", %s", s->plan->orders[k].label);
    for (int k = 0; s && k < s->plan->naxioms; k++)
        if (eval_breaks_axiom(&s->eval, k)) text_printf(&broken, ", %s", s->plan->axioms[k].name);
    if (broken.len) text_printf(out, "\\nbroken: %s", broken.s + 2);
    text_free(&broken);
    text_add(out, "\";\n  labelloc=t;\n  node [shape=box];\n");
}

/* Candidates */

static bool is_no_witness(const struct value *values, void *ctx) {
    struct drawing *g = ctx;
    struct expr_env env = {.obs = values};
    if (expr_is_true(g->test->cond.prop, &env) == g->breaking) return true;
    memcpy(g->values, values, (size_t)g->test->nobs * sizeof *values);
    return false;
}

/* Draws a candidate that is better than what is drawn. Goes on until nothing can be. */
static bool on_candidate(struct search *s, void *ctx) {
    struct drawing *g = ctx;
    if (outcome_each(s, is_no_witness, g)) return true;
    int broken = count_broken(g, s);
    if (g->best < 0 || broken < g->best) {
        g->best = broken;
        g->out->len = g->start;
        draw_title(g, s, g->out);
        draw_threads(s, g->out);
        draw_engines(s, g->out);
        draw_guesses(s, g->out);
        draw_broken(g, s, g->out);
        text_add(g->out, "}\n");
    }
    return broken > (s->eval.tolerant ? 1 : 0) && ++g->compared < MAX_COMPARED;
}

/* Draws the best candidate, if there is one. What the search ran out of goes to *spent, else NULL. */
static bool search_best(struct drawing *g, const struct model_limits *limits, const char **spent,
                        struct diag *d) {
    bool ok = true;
    *spent = NULL;
    for (int tolerant = 0; tolerant < 2 && ok && g->best < 0 && !*spent; tolerant++) {
        struct judge j;
        ok = judge_open(&j, g->model, g->test, g->cell, limits, d);
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
bool model_dot(const struct model *m, const struct test *t, const struct cell *v,
               const struct model_limits *limits, struct text *out, struct diag *d) {
    static const struct model_limits no_limits;
    struct drawing g = {.model = m, .test = t, .cell = v, .out = out, .start = out->len, .best = -1};
    const char *spent;
    g.breaking = t->cond.kind == FORALL;
    bool ok = search_best(&g, limits ? limits : &no_limits, &spent, d);
    if (ok && g.best < 0 && spent && g.breaking) {
        g.breaking = false;
        ok = search_best(&g, limits ? limits : &no_limits, &spent, d);
    }
    if (ok && g.best < 0 && spent) {
        diag_fail(d, "cannot draw %s: %s", t->name, spent);
        return false;
    }
    if (ok && g.best < 0) {
        draw_title(&g, NULL, out);
        text_add(out, "}\n");
    }
    return ok;
}
