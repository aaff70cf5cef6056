#include "search/halt.h"

/* How many events a thread does: those up to a wait that is never over. */
static int count_done(const struct graph *g, const struct matching *m, int thread) {
    int first = g->first[thread], n = g->first[thread + 1] - first;
    for (int k = 0; k < n; k++)
        if (g->events[first + k].event->kind == EVENT_WAIT && m->barrier[first + k] < 0) return k;
    return n;
}

/* A path up to its event number `n`, a wait that is never over. */
static const struct path *cut_path(const struct path *p, int n, struct arena *a) {
    struct path *cut = arena_alloc(a, sizeof *cut);
    *cut = *p;
    cut->end = PATH_STUCK;
    cut->nevents = n;
    cut->nguards = 0;
    while (cut->nguards < p->nguards && p->guards[cut->nguards].events <= n)
        cut->nguards++;
    return cut;
}

bool halt_is_open(const struct graph *g) {
    for (int e = 0; e < g->dim.n; e++)
        if (g->events[e].event && g->events[e].event->kind == EVENT_WAIT && g->events[e].barrier < 0)
            return true;
    return false;
}

bool halt_may_end(const struct graph *g) {
    for (int t = 0; t < g->test->nthreads; t++)
        if (g->paths[t]->end == PATH_CUT) return true;
    return false;
}

/* The paths without what never happens; NULL where each thread does all of its path. */
static const struct path **cut_paths(const struct graph *g, const struct matching *m, struct arena *a) {
    bool any = false;
    const struct path **paths = arena_array(a, (size_t)g->test->nthreads, sizeof *paths);
    for (int t = 0; t < g->test->nthreads; t++) {
        int n = count_done(g, m, t);
        bool whole = n == g->paths[t]->nevents;
        paths[t] = whole ? g->paths[t] : cut_path(g->paths[t], n, a);
        any = any || !whole;
    }
    return any ? paths : NULL;
}

static bool is_stopped(const struct test *t, const struct path *const *paths) {
    for (int k = 0; k < t->nthreads; k++)
        if (paths[k]->end == PATH_OUT_OF_BOUNDS || paths[k]->end == PATH_FAULT) return true;
    return false;
}

static void set_barriers(struct graph *to, const struct graph *from, const struct matching *m) {
    for (int t = 0; t < to->test->nthreads; t++)
        for (int e = to->first[t]; e < to->first[t + 1]; e++)
            to->events[e].barrier = m->barrier[from->first[t] + e - to->first[t]];
}

struct graph *halt_leave(struct graph *g, const struct matching *m) {
    set_barriers(g, g, m);
    return g;
}

struct graph *halt_cut(struct graph *g, const struct matching *m, bool any, struct arena *a) {
    const struct path **paths = cut_paths(g, m, a);
    if (!paths) return halt_leave(g, m);
    if (!any && !is_stopped(g->test, paths)) return NULL;
    struct graph *halted = graph_build(g->test, g->cell, paths, a);
    set_barriers(halted, g, m);
    return halted;
}
