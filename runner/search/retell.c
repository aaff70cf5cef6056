#include "search/search.h"

struct search search_retell(const struct search *s, const struct model_plan *p, struct graph *g) {
    struct search full = *s;
    struct dim d = s->eval.dim;
    int n = 0;
    *g = *s->graph;
    graph_relate_more(g, p, s->arena);
    full.graph = g;
    full.plan = p;
    full.eval = (struct eval){.tolerant = true};
    eval_open(&full.eval, p, d, g->given, (const uint64_t *const *)s->sources, s->arena);
    struct decision *made = arena_array(
        s->arena, (size_t)s->nreads + (size_t)p->norders * (size_t)d.n * (size_t)d.n, sizeof *made);
    for (int k = 0; k < s->nreads; k++)
        made[n++] = (struct decision){DECIDE_RF, 0, s->source[s->reads[k]], s->reads[k]};
    for (int k = 0; k < p->norders; k++) {
        const uint64_t *order = eval_value(&s->eval, s->plan->orders[k].node);
        const uint64_t *either = eval_value(&s->eval, s->plan->orders[k].either);
        for (int x = 0; x < d.n; x++)
            for (int y = 0; y < d.n; y++)
                if (rel_has(d, order, x, y) && (rel_has(d, either, x, y) || rel_has(d, either, y, x)))
                    made[n++] = (struct decision){DECIDE_ORDER, k, x, y};
    }
    eval_push(&full.eval, made, n);
    if (!p->exact) eval_push_complete(&full.eval);
    return full;
}
