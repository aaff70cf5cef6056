/* Which operations on mbarriers there are, and which of them come before which in every order. */
#include "search/phases_turns.h"

#include "logic/rel.h"
#include "paths/meet.h"

static int find_state(struct phasing *t, const struct event *e) {
    for (int k = 0; k < t->nstates; k++)
        if (t->states[k].loc == e->mbarrier && t->states[k].element == e->element) return k;
    t->states[t->nstates] = (struct state){.loc = e->mbarrier, .element = e->element};
    return t->nstates++;
}

/* Whether the guards over a read alone let it return a value. */
static bool guards_let(const struct path *p, int read, int value) {
    struct value reads[MAX_READS] = {{0, 0}};
    reads[read].lo = (uint64_t)value;
    for (int k = 0; k < p->nguards; k++) {
        const struct sym *s = p->guards[k].sym;
        int first = set_first(s->reads.bits, MAX_READS / 64);
        if (first != read || set_next(s->reads.bits, MAX_READS / 64, first) >= 0) continue;
        if (sym_is_true(s, reads) != p->guards[k].holds) return false;
    }
    return true;
}

static bool depends_on(const struct event *e, int read) {
    return set_has(e->ctrl.bits, read) || set_has(e->addr.bits, read) || set_has(e->data.bits, read);
}

/* Whether event x comes before an arrival at a barrier that orders memory, and event y of another thread
 * after a wait of the same use. */
static bool are_parted(const struct graph *g, int x, int y) {
    const struct node_event *events = g->events;
    for (int a = x + 1; a < g->first[events[x].thread + 1]; a++) {
        if (events[a].event->kind != EVENT_ARRIVE || events[a].barrier < 0 ||
            !meet_orders_memory(events[a].event->stmt->op))
            continue;
        for (int w = g->first[events[y].thread]; w < y; w++)
            if (events[w].event->kind == EVENT_WAIT && events[w].barrier == events[a].barrier) return true;
    }
    return false;
}

/* Whether turn x comes before turn y in every order. Turns of one mbarrier do if a barrier stands between
 * their threads, or if program order has them so; what an engine does comes after what its thread did before,
 * and is in no order with what the thread does later. Turns of one thread on two mbarriers do if y depends on
 * x. */
static bool is_before(const struct phasing *t, int x, int y) {
    const struct graph *g = t->graph;
    const struct phase_turn *a = &t->turns[x], *b = &t->turns[y];
    if (g->events[a->event].thread != g->events[b->event].thread)
        return a->at == b->at && a->what->agent == 0 && are_parted(g, a->event, b->event);
    if (a->event >= b->event) return false;
    bool ordered = a->what->agent == 0 || a->what->agent == b->what->agent;
    return (ordered && a->at == b->at) || (a->what->read >= 0 && depends_on(b->what, a->what->read));
}

static void add_turn(struct phasing *t, int event) {
    const struct node_event *n = &t->graph->events[event];
    const struct event *e = n->event;
    struct phase_turn turn = {.event = event, .what = e, .at = find_state(t, e), .token = -1};
    for (int v = 0; v < 2 && e->kind == EVENT_TRY; v++)
        turn.may[v] = guards_let(t->graph->paths[n->thread], e->read, v);
    for (int k = 0; k < t->n && e->token >= 0; k++)
        if (t->turns[k].what == &t->graph->paths[n->thread]->events[e->token]) turn.token = k;
    if (turn.token >= 0) t->turns[turn.token].awaited = true;
    t->turns[t->n++] = turn;
}

void phases_find_turns(struct phasing *t) {
    const struct graph *g = t->graph;
    size_t n = (size_t)g->dim.n;
    t->turns = arena_array(t->arena, n, sizeof *t->turns);
    t->states = arena_array(t->arena, n, sizeof *t->states);
    int *next = arena_array(t->arena, (size_t)g->test->nthreads, sizeof *next);
    for (int before = -1; before < t->n;) {
        before = t->n;
        for (int k = 0; k < g->test->nthreads; k++) {
            int e = g->first[k] + next[k];
            while (e < g->first[k + 1] && g->events[e].event->mbarrier < 0)
                e++;
            if (e < g->first[k + 1]) add_turn(t, e);
            next[k] = e + 1 - g->first[k];
        }
    }
    t->words = (t->n + 63) / 64;
    for (int y = 0; y < t->n; y++) {
        uint64_t *after = arena_array(t->arena, (size_t)t->words, sizeof *after);
        for (int x = 0; x < t->n; x++)
            if (is_before(t, x, y)) set_add(after, x);
        t->turns[y].after = after;
    }
}
