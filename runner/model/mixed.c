#include "model/mixed.h"

#include <string.h>

/* The node of the relation `causality`, or -1. */
static int find_causality(const struct model_plan *p) {
    for (int k = 0; k < p->nnames; k++)
        if (strcmp(p->names[k].name, "causality") == 0) return p->names[k].node;
    return -1;
}

static bool writes(const struct graph *g, int e) {
    return g->events[e].event->kind == EVENT_WRITE;
}

/* Stops at the first execution with such a race. */
static bool on_execution(struct search *s, void *ctx) {
    bool *found = ctx;
    const struct graph *g = s->graph;
    struct dim d = s->eval.dim;
    const uint64_t *causality = eval_value(&s->eval, find_causality(s->plan));
    for (int x = g->naddresses; x < d.n; x++)
        for (int y = x + 1; y < d.n; y++) {
            if (!graph_relates(g, GIVEN_MIXED, x, y) || graph_relates(g, GIVEN_INT, x, y)) continue;
            if (!writes(g, x) && !writes(g, y)) continue;
            *found = *found || !(rel_has(d, causality, x, y) || rel_has(d, causality, y, x));
        }
    return !*found;
}

static bool shares_bytes(const struct test *t) {
    for (int l = 0; l < t->nlocs; l++)
        if (t->locs[l].view && !t->locs[l].in_each) return true;
    return false;
}

bool mixed_race(struct judge *j) {
    bool found = false;
    if (!shares_bytes(j->test) || find_causality(j->model->plan) < 0) return false;
    j->leaf = on_execution;
    j->wanted = NULL;
    j->ctx = &found;
    judge_find_twins(j, true);
    judge_complete(j);
    return found;
}
