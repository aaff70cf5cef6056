#include "search/tears.h"

static bool is_part(const struct graph *g, int x, int y) {
    return graph_relates(g, GIVEN_PART, x, y);
}

static bool is_whole(const struct graph *g, int x, int y) {
    return !graph_relates(g, GIVEN_MIXED, x, y);
}

/* Whether two parts of a scalar read, `read` and `other`, may not read from `write` and from `later`: these
 * are of different accesses, each of the very bytes that are read. */
static bool sources_tear(const struct graph *g, int write, int read, int later, int other) {
    return is_whole(g, write, read) && is_whole(g, later, other) && !is_part(g, write, later);
}

bool source_tears(const struct search *s, int write, int read) {
    const struct graph *g = s->graph;
    const struct event *e = g->events[read].event;
    int n = e->parts, first = read - (e->lane - e->first); /* parts of an access follow each other */
    for (int other = first; other < first + n; other++)
        if (other != read && s->source[other] >= 0 && sources_tear(g, write, read, s->source[other], other))
            return true;
    return false;
}

/* Whether co has x before y, but another part of x after the same part of y. */
static bool order_tears(const struct search *s, int x, int y, int part_x, int part_y) {
    const uint64_t *co = eval_value(&s->eval, s->plan->orders[ORDER_CO].node);
    struct dim d = s->eval.dim;
    return rel_has(d, co, x, y) && rel_has(d, co, part_y, part_x);
}

static bool writes_are_out_of_order(const struct search *s, int x, int part_x) {
    const struct graph *g = s->graph;
    for (int y = g->naddresses; y < g->dim.n; y++) {
        if (g->events[y].address != g->events[x].address || y == x || s->source[y] >= 0 || !is_whole(g, x, y))
            continue;
        for (int part_y = g->naddresses; part_y < g->dim.n; part_y++)
            if (g->events[part_y].address == g->events[part_x].address && is_part(g, y, part_y) &&
                order_tears(s, x, y, part_x, part_y))
                return true;
    }
    return false;
}

bool search_tears(const struct search *s) {
    const struct graph *g = s->graph;
    for (int x = g->naddresses; x < g->dim.n; x++) {
        if (g->events[x].address < 0 || g->events[x].event->parts == 1) continue;
        bool reads = g->events[x].event->kind == EVENT_READ;
        for (int part = x + 1; part < g->dim.n; part++) {
            if (!is_part(g, x, part)) continue;
            if (reads ? sources_tear(g, s->source[x], x, s->source[part], part)
                      : writes_are_out_of_order(s, x, part))
                return true;
        }
    }
    return false;
}

/* Whether the access of `write` covers the bytes of the part `other`; an initial write covers all. */
static bool covers(const struct graph *g, int write, int other) {
    const struct event *e = g->events[write].event;
    int lane = g->addresses[g->events[other].address].lane;
    return !e || (lane >= e->first && lane < e->first + e->parts);
}

bool writes_tear(const struct graph *g, int write, int other) {
    const struct address *a = &g->addresses[g->events[write].address],
                         *b = &g->addresses[g->events[other].address];
    if (a->loc != b->loc || a->element != b->element || g->test->locs[a->loc].grain == 0) return false;
    return covers(g, write, other) && covers(g, other, write) && !is_part(g, write, other);
}
