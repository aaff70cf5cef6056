#include "explain/dot.h"

#include "explain/drawing.h"

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

static void put_event(const struct drawing *g, int e, struct text *out) {
    text_printf(out, "    e%d [label=\"", e);
    add_escaped(out, g->events[e].what);
    if (*g->events[e].strength) text_printf(out, "\\n%s", g->events[e].strength);
    text_add(out, "\"];\n");
}

static void put_program_order(const struct drawing *g, int thread, struct text *out) {
    for (int k = 0; k < g->nedges; k++) {
        const struct drawing_edge *e = &g->edges[k];
        if (e->kind == DRAWING_PO && g->events[e->from].thread == thread)
            text_printf(out, "    e%d -> e%d [label=\"po\", weight=10];\n", e->from, e->to);
    }
}

static void put_thread(const struct drawing *g, const struct test *t, int k, struct text *out) {
    text_printf(out, "  subgraph cluster_%d {\n    label=\"", k);
    add_escaped(out, t->threads[k].name);
    text_add(out, "\";\n");
    for (int e = g->first[k]; e < g->first[k + 1]; e++)
        put_event(g, e, out);
    put_program_order(g, k, out);
    text_add(out, "  }\n");
}

/* The block that a thread is in; a box of its own on a CPU. */
static int box_of(const struct placement *p, int thread) {
    return p->seats[thread].host ? -1 - thread : p->seats[thread].block;
}

static void put_box(const struct drawing *g, const struct test *t, const struct placement *p, int first,
                    struct text *out) {
    int box = box_of(p, first);
    if (box < 0)
        text_printf(out, "  subgraph cluster_cpu_%d {\n  label=\"CPU\";\n", first);
    else if (p->ngpus > 1)
        text_printf(out, "  subgraph cluster_block_%d {\n  label=\"GPU %d, block %d\";\n", box,
                    p->seats[first].gpu, box);
    else
        text_printf(out, "  subgraph cluster_block_%d {\n  label=\"block %d\";\n", box, box);
    text_add(out, "  style=dashed;\n");
    for (int k = first; k < t->nthreads; k++)
        if (box_of(p, k) == box) put_thread(g, t, k, out);
    text_add(out, "  }\n");
}

/* Threads in the boxes of their blocks. */
static void put_threads(const struct drawing *g, const struct test *t, const struct placement *p,
                        struct text *out) {
    for (int e = 0; e < g->ninitial; e++)
        put_event(g, e, out);
    for (int k = 0; k < t->nthreads; k++) {
        bool first = true;
        for (int before = 0; before < k; before++)
            first = first && box_of(p, before) != box_of(p, k);
        if (first) put_box(g, t, p, k, out);
    }
}

/* The edge does not shape the layout, so its label must not either (xlabel): else Graphviz fails on a large
 * graph. */
static void put_edge(const struct drawing_edge *e, const char *style, struct text *out) {
    text_printf(out, "  e%d -> e%d [xlabel=\"", e->from, e->to);
    add_escaped(out, e->label);
    text_printf(out, "\", %s, constraint=false];\n", style);
}

static void put_edges(const struct drawing *g, struct text *out) {
    static const char *const styles[] = {
        [DRAWING_ISSUE] = "style=dashed",
        [DRAWING_COMPLETION] = "style=dashed",
        [DRAWING_BARRIER] = "color=gray40, fontcolor=gray40, style=dotted",
        [DRAWING_RF] = "color=red, fontcolor=red",
        [DRAWING_ORDER] = "color=blue, fontcolor=blue",
        [DRAWING_FR] = "color=purple, fontcolor=purple",
        [DRAWING_REASON] = "color=darkorange, fontcolor=darkorange, penwidth=3",
    };
    for (int k = 0; k < g->nedges; k++)
        if (g->edges[k].kind != DRAWING_PO) put_edge(&g->edges[k], styles[g->edges[k].kind], out);
}

/* "MP, device, none: ptx forbids X == 1 && ...", and the broken axioms. The drawing is of one execution; `r`
 * is the result of the cell. */
static void put_title(const struct drawing *g, const struct model *m, const struct test *t,
                      const struct cell *cell, const struct model_result *r, struct text *out) {
    const char *verdict = g->endless                   ? "knows no execution that ends, for"
                          : r->status == MODEL_UNKNOWN ? "gives no answer for"
                          : !g->found                  ? "has no execution for"
                          : g->allowed                 ? "allows"
                                                       : "forbids";
    text_add(out, "digraph execution {\n  label=\"");
    add_escaped(out, t->name);
    text_add(out, ", ");
    add_escaped(out, cell->placement->name);
    text_add(out, ", ");
    add_escaped(out, cell->fence->name);
    text_printf(out, ": %s %s %s", model_name(m), verdict, g->breaking ? "what breaks " : "");
    add_escaped(out, t->cond.text);
    if (r->bounded) text_printf(out, "\\nwith loops of up to %d turn%s", r->turns, r->turns > 1 ? "s" : "");
    if (*g->broken) text_printf(out, "\\nbroken: %s", g->broken);
    text_add(out, "\";\n  labelloc=t;\n  node [shape=box];\n");
}

bool model_dot(const struct model *m, const struct test *t, const struct cell *cell,
               const struct model_limits *limits, struct text *out, struct diag *d) {
    struct arena *a = arena_open();
    struct model_limits both = model_limits_begin(limits); /* questions share the time */
    struct drawing g;
    bool ok = drawing_find(m, t, cell, &both, a, &g, d);
    if (ok) {
        struct model_result r = {.status = MODEL_DONE};
        if (!g.allowed && !g.endless) ok = model_check(m, t, cell, &both, a, &r, d);
        put_title(&g, m, t, cell, &r, out);
        if (g.found) put_threads(&g, t, cell->placement, out);
        if (g.found) put_edges(&g, out);
        text_add(out, "}\n");
    }
    arena_close(a);
    return ok;
}
