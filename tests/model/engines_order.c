/* What the choices of an execution put in order, by the text: PTX, "Memory Consistency Model", and what the sections on
 * asynchronous operations, mbarriers, proxies and dependent launches add. */
#include "engines_graph.h"

#define PAIRS(g, x, y)                                                                                       \
    for (int x = 0; x < (g)->n; x++)                                                                         \
        for (int y = 0; y < (g)->n; y++)

/* ---- scopes ---- */

static bool has_scope(const struct node *n) {
    if (n->kind == A_PROXY_FENCE || is_access(n)) return n->order != WEAK_ACCESS;
    return n->kind == A_FENCE || n->kind == A_COUNT || n->kind == A_TRY;
}

static bool shares_block(const struct graph_of *g, int x, int y) {
    return block_of(g->program, g->nodes[x].thread) == block_of(g->program, g->nodes[y].thread);
}

static bool shares_cluster(const struct graph_of *g, int x, int y) {
    return g->program->layout == ONE_CLUSTER || shares_block(g, x, y);
}

static bool includes(const struct graph_of *g, int x, int y) {
    enum scope_of scope = g->nodes[x].scope;
    if (!has_scope(&g->nodes[x])) return false;
    return scope == OF_DEVICE || (scope == OF_CLUSTER ? shares_cluster(g, x, y) : shares_block(g, x, y));
}

static bool is_mutual(const struct graph_of *g, int x, int y) {
    return includes(g, x, y) && includes(g, y, x);
}

static bool is_same_word(const struct graph_of *g, int x, int y) {
    return is_access(&g->nodes[x]) && is_access(&g->nodes[y]) && g->nodes[x].word == g->nodes[y].word;
}

/* Morally strong. */
struct net engines_strong(const struct graph_of *g) {
    struct net strong = {{0}};
    PAIRS(g, x, y) {
        const struct node *a = &g->nodes[x], *b = &g->nodes[y];
        if (x == y || a->async != b->async) continue;
        if (is_access(a) && is_access(b) && a->word != b->word) continue;
        if (linked(&g->po, x, y) || linked(&g->po, y, x) || is_mutual(g, x, y)) link_to(&strong, x, y);
    }
    return strong;
}

/* In the stronger reading, atomic operations of threads and of engines are atomic to each other besides. */
struct net engines_atomic(const struct graph_of *g) {
    struct net atomic = engines_strong(g);
    PAIRS(g, x, y)
    if (g->reading == STRONGER && g->nodes[x].partner >= 0 && g->nodes[y].partner >= 0 &&
        is_same_word(g, x, y) && is_mutual(g, x, y))
        link_to(&atomic, x, y);
    return atomic;
}

/* ---- values ---- */

/* An operation of which an mbarrier's phase consists, and a wait that has seen it complete. */
static bool is_phase(const struct graph_of *g, int x, int y) {
    const struct node *a = &g->nodes[x], *b = &g->nodes[y];
    return a->kind == A_COUNT && (a->arrives || a->completes) && b->kind == A_TRY &&
           a->mbarrier == b->mbarrier && g->over[y] && g->phase[x] == g->phase[y];
}

/* What y is depends on x: its value, or that it is done at all. A read that a loop decides may be done before it. */
static bool is_dependency(const struct graph_of *g, int x, int y) {
    const struct node *a = &g->nodes[x], *b = &g->nodes[y];
    if (b->kind == A_WRITE && (b->data == x || (b->data >= 0 && b->value == -1 - x))) return true;
    bool waits = a->kind == A_TRY && a->op->kind == DO_SPIN && x < y && a->thread == b->thread;
    return waits && (b->kind != A_READ || b->partner >= 0) && b->kind != A_TRY;
}

bool engines_has_values(const struct graph_of *g) {
    struct net before = {{0}};
    PAIRS(g, x, y) {
        bool reads = g->nodes[y].kind == A_READ && g->source[y] == x;
        if (reads || is_phase(g, x, y) || is_dependency(g, x, y)) link_to(&before, x, y);
    }
    before = net_closed(&before);
    return !net_turns_back(&before);
}

/* ---- threads among themselves ---- */

static bool releases(const struct node *n) {
    return n->order == RELEASING || n->order == BOTH_WAYS || n->order == TOTAL;
}

static bool acquires(const struct node *n) {
    return n->order == ACQUIRING || n->order == BOTH_WAYS || n->order == TOTAL;
}

static bool is_fence(const struct node *n, bool of_proxy) {
    return n->kind == (of_proxy ? A_PROXY_FENCE : A_FENCE);
}

static bool is_strong_access(const struct node *n, enum node_kind kind) {
    return n->kind == kind && n->order != WEAK_ACCESS;
}

/* A read whose value comes back: not that of a reduction. */
static bool is_reading(const struct node *n) {
    return is_strong_access(n, A_READ) && !(n->partner >= 0 && n->agent);
}

/* A strong read of a strong write, from one atomic operation to the next. */
static struct net find_observation(const struct graph_of *g, const struct net *strong) {
    struct net observed = {{0}}, carried = {{0}};
    for (int r = 0; r < g->n; r++)
        if (g->nodes[r].kind == A_READ && g->source[r] >= 0 && linked(strong, g->source[r], r))
            link_to(&observed, g->source[r], r);
    for (int r = 0; r < g->n; r++)
        if (g->nodes[r].kind == A_READ && g->nodes[r].partner >= 0) link_to(&carried, r, g->nodes[r].partner);
    carried = net_then(&carried, &observed);
    carried = net_closed(&carried);
    carried = net_or_self(&carried);
    return net_then(&observed, &carried);
}

static bool is_release(const struct graph_of *g, int x, int w) {
    const struct node *a = &g->nodes[x];
    if (!is_strong_access(&g->nodes[w], A_WRITE) || !releases(a)) return false;
    if (is_fence(a, false)) return linked(&g->po, x, w);
    return is_access(a) && (x == w || (linked(&g->po, x, w) && is_same_word(g, x, w)));
}

static bool is_acquire(const struct graph_of *g, int r, int y) {
    const struct node *b = &g->nodes[y];
    if (!is_reading(&g->nodes[r]) || !acquires(b)) return false;
    if (is_fence(b, false)) return linked(&g->po, r, y);
    return is_reading(b) && (r == y || (linked(&g->po, r, y) && is_same_word(g, r, y)));
}

static struct net find_synchronizes(const struct graph_of *g, const struct net *strong,
                                    const struct net *seen) {
    struct net release = {{0}}, acquire = {{0}};
    PAIRS(g, x, y) {
        if (is_release(g, x, y)) link_to(&release, x, y);
        if (is_acquire(g, x, y)) link_to(&acquire, x, y);
    }
    release = net_then(&release, seen);
    release = net_then(&release, &acquire);
    for (int e = 0; e < g->n; e++)
        release.row[e] &= strong->row[e];
    return release;
}

/* An arrival that releases, or stands behind a fence that does, and a wait that acquires, or stands before one. */
static bool is_phase_order(const struct graph_of *g, int x, int y) {
    const struct node *a = &g->nodes[x];
    bool there = a->agent && a->kind == A_COUNT && g->reading == STRONGER && shares_cluster(g, x, y);
    if (!is_mutual(g, x, y) && !there) return false;
    PAIRS(g, arrival, wait) {
        if (!is_phase(g, arrival, wait)) continue;
        bool from = releases(a) && (arrival == x || (is_fence(a, false) && linked(&g->po, x, arrival)));
        const struct node *b = &g->nodes[y];
        bool to = acquires(b) && (wait == y || (is_fence(b, false) && linked(&g->po, wait, y)));
        if (from && to) return true;
    }
    return false;
}

/* A fence before all triggers of its block is before what a dependent kernel does; in the stronger reading, before any. */
static bool is_kick(const struct graph_of *g, int x, int y) {
    const struct node *a = &g->nodes[x];
    if (!is_fence(a, false) || a->scope != OF_DEVICE) return false;
    bool any = false;
    for (int t = 0; t < g->n; t++) {
        if (g->nodes[t].kind != A_TRIGGER || g->nodes[t].thread != a->thread) continue;
        bool before = linked(&g->po, x, t);
        if (!before && g->reading == WEAKER) return false;
        any = any || (before && linked(&g->start, t, y));
    }
    return any;
}

/* The start of a store by an engine, to who sees its bytes complete: in the stronger reading it releases what its thread did. */
static struct net find_sent(const struct graph_of *g, const struct net *phases) {
    struct net sent = {{0}};
    if (g->reading == WEAKER) return sent;
    PAIRS(g, w, a) {
        const struct node *stored = &g->nodes[w], *counted = &g->nodes[a];
        bool both = stored->agent && stored->agent == counted->agent && stored->thread == counted->thread;
        if (both && stored->kind == A_WRITE && !stored->async && counted->kind == A_COUNT &&
            linked(&g->po, w, a))
            link_to(&sent, w, a);
    }
    sent = net_then(&g->issue, &sent);
    return net_then(&sent, phases);
}

struct walk {
    struct net strong, phases, seen, ways, done, base;
};

static void find_ways(const struct graph_of *g, struct walk *w) {
    struct net steps = find_synchronizes(g, &w->strong, &w->seen);
    PAIRS(g, x, y) {
        if (is_phase_order(g, x, y)) link_to(&w->phases, x, y);
        if (is_kick(g, x, y)) link_to(&steps, x, y);
    }
    struct net sent = find_sent(g, &w->phases);
    const struct net *others[] = {&g->po, &g->sc, &g->bar, &g->launch, &w->phases, &sent};
    for (int k = 0; k < 6; k++)
        steps = net_or(&steps, others[k]);
    PAIRS(g, x, y)
    if (g->nodes[x].agent || g->nodes[y].agent) steps.row[x] &= ~(1ull << y);
    w->ways = net_closed(&steps);
}

/* ---- engines ---- */

/* Who sees what an engine did: a wait for its group, or one for the phase that it completes behind it. */
static void find_done(const struct graph_of *g, struct walk *w) {
    struct net ends = {{0}};
    PAIRS(g, e, a)
    if (g->nodes[e].agent && is_access(&g->nodes[e]) && g->nodes[a].agent && g->nodes[a].kind == A_COUNT &&
        (linked(&g->tracks, e, a) || (linked(&g->po, e, a) && g->nodes[e].agent == g->nodes[a].agent)))
        link_to(&ends, e, a);
    ends = net_then(&ends, &w->phases);
    w->done = net_or(&g->completion, &ends);
}

/* Nothing goes through an engine. */
static void find_base(const struct graph_of *g, struct walk *w) {
    struct net further = net_or_self(&w->ways), reach = net_then(&w->done, &further), started;
    reach = net_or(&reach, &w->ways);
    further = net_or_self(&reach);
    started = net_then(&further, &g->issue);
    w->base = net_or(&reach, &started);
    PAIRS(g, x, y)
    if (g->nodes[x].agent && g->nodes[y].agent && linked(&g->po, x, y)) link_to(&w->base, x, y);
}

/* ---- proxies ---- */

static bool covers(const struct graph_of *g, int f, int m) {
    const struct node *n = &g->nodes[m];
    if (!is_access(n)) return false;
    bool own =
        is_shared(n->word) && (n->word - WORD_S) / ELEMENTS == block_of(g->program, g->nodes[f].thread);
    switch (g->nodes[f].op->space) {
    case EVERYWHERE: return true;
    case IN_GLOBAL: return !is_shared(n->word);
    case IN_BLOCK: return own && (!n->mapped || g->reading == STRONGER);
    case IN_CLUSTER: return is_shared(n->word);
    }
    return false;
}

/* Fences of the async proxy that order from generic accesses to others (forth), or the other way; each way or one way only. */
static bool is_proxy_fence(const struct graph_of *g, int f, enum order_of but) {
    return g->nodes[f].kind == A_PROXY_FENCE && g->nodes[f].order != but;
}

static bool both_ways(const struct graph_of *g, int f) {
    return is_proxy_fence(g, f, ACQUIRING) && is_proxy_fence(g, f, RELEASING);
}

/* The parts of which the ways to an asynchronous access consist. */
struct parts {
    struct net before; /* an access to a fence of its own thread behind it, which covers it */
    struct net along;  /* the same to a fence of anyone */
    struct net behind; /* a fence to what is started behind it, which it covers */
    struct net near;   /* the same in its block */
    struct net hand;   /* a releasing fence to an acquiring one */
};

static bool hands_over(const struct graph_of *g, const struct net *seen, int f, int to) {
    if (!is_mutual(g, f, to) || !is_proxy_fence(g, f, ACQUIRING) || !is_proxy_fence(g, to, RELEASING))
        return false;
    if (both_ways(g, f) || both_ways(g, to)) return false;
    PAIRS(g, x, y) {
        if (!linked(&g->po, f, x) || !linked(&g->po, y, to)) continue;
        if (is_phase(g, x, y)) return true;
        bool ends = is_strong_access(&g->nodes[x], A_WRITE) && is_reading(&g->nodes[y]);
        if (ends && linked(seen, x, y)) return true;
    }
    return false;
}

static struct parts find_parts(const struct graph_of *g, const struct walk *w) {
    struct parts p = {{{0}}, {{0}}, {{0}}, {{0}}, {{0}}};
    struct net ways = net_or_self(&w->ways), done = net_or_self(&w->done), po = net_or_self(&g->po);
    struct net along = net_then(&done, &ways), own = net_then(&w->done, &po),
               start = net_then(&ways, &g->issue);
    PAIRS(g, x, y) {
        bool fence = g->nodes[y].kind == A_PROXY_FENCE;
        if (fence && is_access(&g->nodes[x]) && linked(&along, x, y)) link_to(&p.along, x, y);
        if (fence && covers(g, y, x) && (linked(&g->po, x, y) || linked(&own, x, y)))
            link_to(&p.before, x, y);
        if (g->nodes[x].kind == A_PROXY_FENCE && covers(g, x, y) && linked(&start, x, y)) {
            link_to(&p.behind, x, y);
            if (shares_block(g, x, y)) link_to(&p.near, x, y);
        }
        if (hands_over(g, &w->seen, x, y)) link_to(&p.hand, x, y);
    }
    return p;
}

/* The weaker reading: a fence of the thread that had access, and one in the block that starts the copy; they may be one. */
static bool enters(const struct graph_of *g, const struct walk *w, const struct parts *p, int x, int y) {
    bool mine = false, beside = false, handed = false, over = false;
    struct net ways = net_or_self(&w->ways), start = net_then(&ways, &g->issue);
    for (int f = 0; f < g->n; f++) {
        if (g->nodes[f].kind != A_PROXY_FENCE) continue;
        mine = mine || (linked(&p->before, x, f) && is_proxy_fence(g, f, ACQUIRING) && linked(&start, f, y));
        bool near = linked(&p->along, x, f) && linked(&p->near, f, y);
        beside = beside || (near && is_proxy_fence(g, f, RELEASING));
        over = over || (near && both_ways(g, f));
        for (int to = 0; to < g->n; to++)
            handed =
                handed || (linked(&p->before, x, f) && linked(&p->hand, f, to) && linked(&p->near, to, y));
    }
    return g->nodes[x].async ? over : (mine && beside) || handed;
}

/* The stronger one: a fence anywhere on the way. No fence between a read and a copy to its place, nor between two copies
 * of a cluster of which the first was seen done. */
static bool enters_easily(const struct graph_of *g, const struct walk *w, const struct parts *p, int x,
                          int y) {
    struct net ways = net_or_self(&w->ways), again = net_then(&w->done, &ways),
               pass = net_or(&ways, &p->hand);
    again = net_then(&again, &g->issue);
    if (g->nodes[x].async && shares_cluster(g, x, y) && linked(&again, x, y)) return true;
    if (!g->nodes[x].async && g->nodes[x].kind == A_READ && g->nodes[y].kind == A_WRITE &&
        linked(&w->base, x, y))
        return true;
    for (int f = 0; f < g->n; f++) {
        if (g->nodes[f].kind != A_PROXY_FENCE || !linked(&p->along, x, f)) continue;
        if (both_ways(g, f) && linked(&p->behind, f, y)) return true;
        for (int to = 0; to < g->n; to++)
            if (!g->nodes[x].async && g->nodes[f].order == RELEASING && g->nodes[to].kind == A_PROXY_FENCE &&
                g->nodes[to].order == ACQUIRING && linked(&pass, f, to) && linked(&p->behind, to, y))
                return true;
    }
    return false;
}

/* The end of a kernel is a border for all proxies, where what its engines did was seen. */
static struct net find_border(const struct graph_of *g, const struct walk *w) {
    struct net ways = net_or_self(&w->ways), done = net_or_self(&w->done), issue = net_or_self(&g->issue);
    struct net ends = g->launch, border = net_then(&done, &ways);
    PAIRS(g, x, y)
    if (g->reading == WEAKER && (g->nodes[x].agent || g->nodes[y].kind == A_KERNEL_WAIT))
        ends.row[x] &= ~(1ull << y);
    border = net_then(&border, &ends);
    border = net_then(&border, &ways);
    return net_then(&border, &issue);
}

static bool is_kept(const struct graph_of *g, const struct walk *w, const struct parts *p, int x, int y) {
    const struct node *a = &g->nodes[x], *b = &g->nodes[y];
    struct net ways = net_or_self(&w->ways), ended = net_then(&w->done, &ways);
    if (a->async == b->async && (!a->async || shares_block(g, x, y)) && linked(&w->base, x, y)) return true;
    if (a->async && !b->async) return !b->agent && linked(&ended, x, y);
    if (!b->async) return false;
    return g->reading == WEAKER ? enters(g, w, p, x, y) : enters_easily(g, w, p, x, y);
}

/* False where an order of fence.sc contradicts causality. */
bool engines_causality(const struct graph_of *g, struct net *causality) {
    struct walk w = {.strong = engines_strong(g)};
    w.seen = find_observation(g, &w.strong);
    find_ways(g, &w);
    find_done(g, &w);
    find_base(g, &w);
    struct net fences = g->sc;
    PAIRS(g, x, y)
    if (g->nodes[x].order == TOTAL && g->nodes[y].order == TOTAL && linked(&w.base, x, y))
        link_to(&fences, x, y);
    fences = net_closed(&fences);
    if (net_turns_back(&fences)) return false;
    struct parts parts = find_parts(g, &w);
    struct net kept = {{0}}, border = find_border(g, &w);
    PAIRS(g, x, y)
    if (is_same_word(g, x, y) && (linked(&border, x, y) || is_kept(g, &w, &parts, x, y)))
        link_to(&kept, x, y);
    struct net later = net_then(&w.seen, &kept);
    *causality = net_or(&kept, &later);
    return true;
}
