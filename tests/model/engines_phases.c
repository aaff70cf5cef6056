/* All orders of the operations on mbarriers: in each, who counts in which phase, and who sees which one complete. */
#include "engines_graph.h"

enum { MOST_BYTES = (1 << 20) - 1 };

struct account {
    int phase, expected, pending, bytes;
};

struct turns {
    const struct graph_of *g;
    uint64_t before[MOST_NODES]; /* what comes before a node in every order */
    uint64_t all, done;
    struct account accounts[MOST_THREADS];
    struct way_of way, *ways;
    int nways;
    bool *stuck_misuse;
};

/* An operation keeps its place among those of its thread on the same mbarrier; an engine's are behind those before it. All
 * that comes behind a loop that waits depends on it. */
static bool comes_before(const struct graph_of *g, int x, int y) {
    const struct node *a = &g->nodes[x], *b = &g->nodes[y];
    if (a->agent != 0) return false;
    if (a->thread == b->thread) return x < y && (a->mbarrier == b->mbarrier || a->op->kind == DO_SPIN);
    if (a->mbarrier != b->mbarrier) return false;
    for (int m = x; m < g->n; m++)
        for (int n = 0; n < y; n++)
            if (g->nodes[m].kind == A_MEETING && g->nodes[n].kind == A_MEETING && linked(&g->po, x, m) &&
                g->nodes[n].thread == b->thread && g->nodes[m].thread == a->thread && !g->nodes[m].op->flag)
                return true;
    return false;
}

static void note_misuse(struct turns *t, bool is) {
    if (is) t->way.misused = true;
}

static void end_phase(struct account *a) {
    a->phase++;
    a->pending = a->expected;
}

/* An expectation that leaves nothing to wait for: the text does not say whether it ends the phase. */
static bool is_open_question(const struct turns *t, int x) {
    const struct node *n = &t->g->nodes[x];
    const struct account *a = &t->accounts[n->mbarrier];
    return n->expects && !n->arrives && a->pending == 0 && a->bytes + n->expects == 0;
}

static void count(struct turns *t, int x, bool ends) {
    const struct node *n = &t->g->nodes[x];
    struct account *a = &t->accounts[n->mbarrier];
    t->way.phase[x] = a->phase;
    a->bytes += n->expects - n->completes;
    note_misuse(t, a->bytes > MOST_BYTES || a->bytes < -MOST_BYTES || n->arrives > a->pending);
    a->pending += n->raises;
    a->pending = a->pending < n->arrives ? 0 : a->pending - n->arrives;
    if ((n->arrives || n->completes) && a->pending == 0 && a->bytes == 0) ends = true;
    if (ends) end_phase(a);
}

static void record(struct turns *t) {
    for (int k = 0; k < t->nways; k++)
        if (memcmp(t->ways[k].phase, t->way.phase, sizeof t->way.phase) == 0 &&
            memcmp(t->ways[k].over, t->way.over, sizeof t->way.over) == 0 &&
            t->ways[k].misused == t->way.misused)
            return;
    if (t->nways <= MOST_WAYS) t->ways[t->nways++] = t->way;
}

static void take_turns(struct turns *t);

static void take(const struct turns *t, int x, bool ends) {
    struct turns next = *t;
    const struct node *n = &t->g->nodes[x];
    next.done |= 1ull << x;
    if (n->kind == A_TRY) {
        int phase = t->accounts[n->mbarrier].phase;
        next.way.over[x] = (phase & 1) != n->op->value;
        next.way.phase[x] = next.way.over[x] ? phase - 1 : -1;
        if (n->op->kind == DO_SPIN && !next.way.over[x]) return;
    } else {
        count(&next, x, ends);
    }
    take_turns(&next);
    ((struct turns *)t)->nways = next.nways;
}

static void take_turns(struct turns *t) {
    if (t->nways > MOST_WAYS) return;
    if (t->done == t->all) {
        record(t);
        return;
    }
    if (t->way.misused) *t->stuck_misuse = true;
    for (int x = 0; x < t->g->n; x++) {
        if (!(t->all >> x & 1) || t->done >> x & 1 || t->before[x] & ~t->done) continue;
        take(t, x, false);
        if (is_open_question(t, x)) take(t, x, true);
    }
}

int engines_phases(const struct graph_of *g, struct way_of *ways, bool *stuck_misuse) {
    struct turns t = {.g = g, .ways = ways, .stuck_misuse = stuck_misuse};
    *stuck_misuse = false;
    for (int x = 0; x < g->n; x++) {
        t.way.phase[x] = -1;
        if (g->nodes[x].mbarrier >= 0) t.all |= 1ull << x;
    }
    for (int b = 0; b < MOST_THREADS; b++)
        t.accounts[b].expected = t.accounts[b].pending = g->program->counts[b];
    for (int x = 0; x < g->n; x++)
        for (int y = 0; y < g->n; y++)
            if (t.all >> x & 1 && t.all >> y & 1 && comes_before(g, x, y)) t.before[y] |= 1ull << x;
    if (__builtin_popcountll(t.all) > MOST_TURNS) return MOST_WAYS + 1;
    take_turns(&t);
    return t.nways;
}
