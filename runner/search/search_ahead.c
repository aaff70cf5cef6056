/* A pair of accesses of a location that has one direction left is decided at once, before the next read of
 * the location (`ahead`). Nothing is lost: a direction is left out if eval_refuses says that it breaks an
 * axiom whatever is decided later. If both directions do, no execution has the decisions so far. */
#include "search/search_open.h"

/* Gathers the directions that are forced among the pairs of an address. Returns how many, or -1 when a pair has no
 * direction left. */
static int look_ahead(struct search *s, int address) {
    int n = 0;
    for (int k = 0; k < s->npairs; k++) {
        const struct pair *p = &s->pairs[k];
        if (s->graph->events[p->x].address != address || search_is_ordered(s, *p)) continue;
        enum outlook outlook = search_look_at_pair(s, *p, &s->batch[n]);
        if (outlook == OUTLOOK_DEAD) return -1;
        n += outlook == OUTLOOK_FORCED;
    }
    return n;
}

bool search_is_open(struct search *s, int k) {
    const struct choice *c = &s->choices[k];
    if (s->eval.tolerant || !prunes(s->without, PRUNE_AHEAD)) return true;
    if (c->read < 0 || (!s->wanted && !search_is_picky(s, c->read))) return true;
    int n = look_ahead(s, s->graph->events[c->read].address);
    if (n < 0) s->progress += s->share;
    if (n > 0) search_try_batch(s, n, k);
    return n == 0;
}
