#include "search/graph.h"

#include "litmus/view.h"
#include "paths/meet.h"

/* Events */

static bool is_at(const struct address *a, const struct event *e) {
    return a->loc == e->loc && a->element == e->element && a->lane == e->lane;
}

static int find_address(struct graph *g, const struct event *e) {
    for (int k = 0; k < g->naddresses; k++)
        if (is_at(&g->addresses[k], e)) return k;
    g->addresses[g->naddresses] = (struct address){e->loc, e->element, e->lane};
    return g->naddresses++;
}

struct type address_type(const struct graph *g, int address) {
    return type_lane(view_parts(g->test, g->addresses[address].loc));
}

struct value address_init(const struct graph *g, int address) {
    const struct address *at = &g->addresses[address];
    const struct location *l = &g->test->locs[at->loc];
    return value_lane(view_parts(g->test, at->loc), location_init(l, at->element), at->lane);
}

void address_print(struct text *out, const struct graph *g, int address) {
    const struct location *loc = &g->test->locs[g->addresses[address].loc];
    location_print(out, loc, g->addresses[address].element);
    bool lanes = loc->grain == type_bytes(type_lane(loc->type));
    if (loc->grain && !lanes)
        text_printf(out, "+%d", g->addresses[address].lane * loc->grain);
    else if (type_is_vector(loc->type))
        text_printf(out, ".%c", type_lane_name(g->addresses[address].lane));
}

static int count_events(const struct test *t, const struct path *const *paths) {
    int n = 0;
    for (int k = 0; k < t->nthreads; k++)
        n += paths[k]->nevents;
    return n;
}

static void add_thread(struct graph *g, int thread, int *n) {
    const struct path *p = g->paths[thread];
    g->first[thread] = *n;
    for (int k = 0; k < p->nevents; k++, ++*n) {
        const struct event *e = &p->events[k];
        int address = e->loc < 0 ? -1 : find_address(g, e);
        g->events[*n] = (struct node_event){e, thread, address, -1, false, 0};
    }
}

struct graph *graph_build(const struct test *t, const struct cell *cell, const struct path *const *paths,
                          struct arena *a) {
    int count = count_events(t, paths);
    if (count > EVAL_MAX_EVENTS) return NULL;
    struct graph *g = arena_alloc(a, sizeof *g);
    g->test = t;
    g->cell = cell;
    g->paths = paths;
    g->first = arena_array(a, (size_t)t->nthreads + 1, sizeof *g->first);
    g->events = arena_array(a, 2 * (size_t)count, sizeof *g->events);
    g->addresses = arena_array(a, (size_t)count, sizeof *g->addresses);
    for (int k = 0; k < t->nthreads; k++) /* all addresses, before any event has its number */
        for (int e = 0; e < paths[k]->nevents; e++)
            if (paths[k]->events[e].loc >= 0) find_address(g, &paths[k]->events[e]);
    int n = g->naddresses;
    for (int k = 0; k < n; k++)
        g->events[k] = (struct node_event){NULL, -1, k, -1, false, 0};
    for (int k = 0; k < t->nthreads; k++)
        add_thread(g, k, &n);
    g->first[t->nthreads] = n;
    g->dim = dim_of(n);
    return n > EVAL_MAX_EVENTS ? NULL : g;
}

/* The words of names.def: sets */

static enum event_kind kind_of(const struct node_event *e) {
    return e->event ? e->event->kind : EVENT_INIT;
}

static bool is_access(const struct node_event *e) {
    return e->address >= 0;
}

static bool is_of_thread(const struct node_event *e) {
    return e->thread >= 0;
}

static const struct seat *seat_of(const struct graph *g, const struct node_event *e) {
    return &g->cell->placement->seats[e->thread];
}

static bool is_barrier(const struct node_event *e) {
    return kind_of(e) == EVENT_ARRIVE || kind_of(e) == EVENT_WAIT;
}

/* Part of a barrier or of an exchange, which have no strength. */
static bool is_meeting(const struct node_event *e) {
    return is_barrier(e) || kind_of(e) == EVENT_TAKE;
}

static bool is_atomic(const struct node_event *e) {
    return is_access(e) && e->event && e->event->atomic;
}

static bool has_scope(const struct node_event *e, enum scope s) {
    return e->event && !is_meeting(e) && e->event->strength.scope == s;
}

static bool has_order(const struct node_event *e, enum order order) {
    return e->event && !is_meeting(e) && e->event->strength.order == order;
}

static bool is_weak(const struct node_event *e) {
    return is_access(e) && has_order(e, ORDER_WEAK);
}

static bool is_fence(const struct node_event *e, enum proxy proxy) {
    return kind_of(e) == EVENT_FENCE && e->event->proxy == proxy;
}

static enum proxy proxy_of(const struct node_event *e) {
    return is_access(e) && e->event ? e->event->proxy : PROXY_GENERIC;
}

static bool is_strong(const struct node_event *e) {
    return is_fence(e, PROXY_GENERIC) || (is_access(e) && e->event && !is_weak(e));
}

/* Whether an event has `order` (acquire or release), or one that includes it. */
static bool is_ordered(const struct node_event *e, enum order order) {
    return has_order(e, order) || has_order(e, ORDER_ACQ_REL) || has_order(e, ORDER_SC);
}

/* The words of names.def: relations */

static bool same_id(int x, int y) {
    return x >= 0 && x == y;
}

static bool same_thread(const struct node_event *x, const struct node_event *y) {
    return same_id(x->thread, y->thread);
}

static bool same_agent(const struct node_event *x, const struct node_event *y) {
    return same_thread(x, y) && x->event->agent == y->event->agent;
}

static bool differ(int x, int y) {
    return x && y && x != y;
}

/* Whether two events of an engine are in no order whatever their steps: they are of two strands, or of copies
 * to two blocks. */
static bool is_beside(const struct node_event *x, const struct node_event *y) {
    return differ(x->event->strand, y->event->strand) || differ(x->event->copy, y->event->copy);
}

static bool is_step_before(const struct node_event *x, const struct node_event *y) {
    return same_agent(x, y) && x->event->step < y->event->step && !is_beside(x, y);
}

/* Whether the threads of two events sit in the same `where`: warp, block, cluster or gpu. A thread that sits
 * in none sits together with itself alone. */
#define sit_together(g, x, y, where)                                                                         \
    (same_thread(x, y) ||                                                                                    \
     (is_of_thread(x) && is_of_thread(y) && same_id(seat_of(g, x)->where, seat_of(g, y)->where)))

static bool is_same_access(const struct node_event *x, const struct node_event *y) {
    if (!x->event || !y->event) return !x->event && !y->event;
    return same_agent(x, y) && x->event->step == y->event->step && kind_of(x) == kind_of(y) &&
           x->event->first == y->event->first;
}

/* Relation `part`: two parts of one access. */
static bool is_part(const struct graph *g, const struct node_event *x, const struct node_event *y) {
    if (x == y || !is_access(x) || !is_access(y) || !is_same_access(x, y)) return false;
    const struct address *a = &g->addresses[x->address], *b = &g->addresses[y->address];
    return a->loc == b->loc && a->element == b->element && g->test->locs[a->loc].grain > 0;
}

/* Relation `mixed`: two accesses of an address that do not cover the same bytes. An initial write is of
 * whatever bytes are read, so it is never mixed. */
static bool is_mixed(const struct node_event *x, const struct node_event *y) {
    return x->event && y->event && is_access(x) && x->address == y->address &&
           (x->event->first != y->event->first || x->event->parts != y->event->parts);
}

/* Initial writes are by all virtual addresses. */
static bool is_same_address(const struct node_event *x, const struct node_event *y) {
    return !x->event || !y->event || x->event->va == y->event->va;
}

/* Whether access y is in the state space that a proxy fence is about. A fence of the block's own shared
 * memory is about that of its own block. */
static bool is_in_space(const struct graph *g, const struct node_event *fence, const struct node_event *y) {
    const struct event *f = fence->event;
    const struct address *at = &g->addresses[y->address];
    const struct location *l = &g->test->locs[at->loc];
    if (f->spaces && !(f->spaces >> l->space & 1)) return false;
    if (!f->own) return true;
    if (l->instances == 1) return sit_together(g, fence, y, block);
    return at->element / l->count == g->test->threads[fence->thread].block;
}

/* Relation `covers`: whether a proxy fence orders access y. It orders those of its proxy; one of the async
 * proxy also orders generic ones, or, if it is of reads alone, the generic reads of its own thread. */
static bool is_covered(const struct graph *g, const struct node_event *fence, const struct node_event *y) {
    enum proxy proxy = fence->event->proxy;
    bool generic = proxy == PROXY_ASYNC && proxy_of(y) == PROXY_GENERIC;
    bool own = same_agent(fence, y) && kind_of(y) == EVENT_READ;
    if (generic && fence->event->of_reads && !own) return false;
    if (!generic && proxy_of(y) != proxy) return false;
    if (proxy == PROXY_TENSORMAP) return fence->event->stmt->op->place[0].loc == g->addresses[y->address].loc;
    return proxy != PROXY_ASYNC || is_in_space(g, fence, y);
}

/* Relation `covers-mapped`: a fence of the block's own shared memory, and an access of shared memory by an
 * address of the cluster. The texts leave open whether such a fence orders such an access (docs/async.md,
 * A14). */
static bool is_covered_as_mapped(const struct node_event *fence, const struct node_event *y) {
    return fence->event->own && y->event && y->event->mapped;
}

/* Relation `tracks`: an access of a cp.async, and the arrival of a cp.async.mbarrier.arrive that its thread
 * did later. */
static bool is_tracked(const struct node_event *x, const struct node_event *y) {
    return same_thread(x, y) && x->event->tracked && x->event->agent <= y->event->tracks;
}

/* The scope of x includes the thread of y. */
static bool includes(const struct graph *g, const struct node_event *x, const struct node_event *y) {
    return is_of_thread(x) && is_of_thread(y) && !is_meeting(x) &&
           scope_includes(x->event->strength.scope, g->cell->placement, x->thread, y->thread);
}

static bool is_rmw_pair(const struct graph *g, const struct node_event *x, const struct node_event *y) {
    return same_agent(x, y) && x < y && x->event->rmw >= 0 &&
           g->paths[x->thread]->events + x->event->rmw == y->event;
}

static bool is_read(const struct node_event *e) {
    return e->event && e->event->read >= 0;
}

/* Relations `addr`, `data` and `ctrl` (`what`): the address of y, its value, or whether y happens depends on
 * the read x. */
#define needs(x, y, what)                                                                                    \
    (same_thread(x, y) && x < y &&                                                                           \
     (set_has(y->event->what.bits, x->event->read) ||                                                        \
      (y->event->written && set_has(y->event->written->what.bits, x->event->read))))

/* The operation by which the thread of a fence arrives, after the fence, at the barrier use of a wait; NULL:
 * there is none. */
static const struct op *find_arrival(const struct graph *g, const struct node_event *fence,
                                     const struct node_event *wait) {
    const struct node_event *end = &g->events[g->first[fence->thread + 1]];
    for (const struct node_event *e = fence + 1; e < end; e++)
        if (kind_of(e) == EVENT_ARRIVE && same_id(e->barrier, wait->barrier)) return e->event->stmt->op;
    return NULL;
}

/* Whether a release fence, followed by a relaxed arrival at the barrier use of a wait, releases to this wait,
 * as a release fence followed by a relaxed write does to a read. The scope of the fence must be the cluster
 * or wider. */
static bool is_passed_on(const struct graph *g, const struct node_event *fence,
                         const struct node_event *wait) {
    if (!is_ordered(fence, ORDER_RELEASE) || fence->event->strength.scope < SCOPE_CLUSTER) return false;
    const struct op *arrival = find_arrival(g, fence, wait);
    return arrival && meet_passes_on(arrival);
}

/* Relation `opening`: a fence of initialisations of mbarriers, and a wait at a barrier at which its thread
 * arrives later. */
static bool is_opened_by(const struct graph *g, const struct node_event *fence,
                         const struct node_event *wait) {
    return kind_of(wait) == EVENT_WAIT && wait->barrier >= 0 && find_arrival(g, fence, wait);
}

/* Relation `bar`. A proxy fence is not in it: it releases nothing to generic accesses. */
static bool meet_at_barrier(const struct graph *g, const struct node_event *x, const struct node_event *y) {
    if (kind_of(y) != EVENT_WAIT || y->barrier < 0) return false;
    if (kind_of(x) == EVENT_FENCE) return is_fence(x, PROXY_GENERIC) && is_passed_on(g, x, y);
    return same_id(x->barrier, y->barrier) && kind_of(x) == EVENT_ARRIVE &&
           meet_orders_memory(x->event->stmt->op);
}

static bool is_exit_before(const struct graph *g, const struct node_event *x, const struct node_event *y) {
    return kind_of(y) == EVENT_WAIT && is_of_thread(x) && meet_orders_memory(y->event->stmt->op) &&
           graph_is_opened_by_exit(g, y, x->thread);
}

/* A read of a thread that, with another value of some read, would not exit, or would arrive at other barriers
 * first. */
static bool is_choosing(const struct graph *g, const struct node_event *e) {
    return is_read(e) && g->paths[e->thread]->nways > 0;
}

static bool is_of_mbarrier(const struct node_event *e) {
    return e->event && e->event->mbarrier >= 0;
}

static bool is_in_mbarrier(const struct graph *g, const struct node_event *x, const struct node_event *y) {
    const struct address *at = &g->addresses[x->address];
    return at->loc == y->event->mbarrier && at->element == y->event->element;
}

/* The number of the block whose own shared memory an event is about; -1: none. */
static int owner_of(const struct graph *g, const struct node_event *e) {
    const struct event *what = is_of_thread(e) ? e->event : NULL;
    bool accesses = what && is_access(e);
    int loc = accesses ? g->addresses[e->address].loc : what ? what->mbarrier : -1;
    const struct location *l = loc < 0 ? NULL : &g->test->locs[loc];
    if (!l || l->instances == 1) return -1;
    return (accesses ? g->addresses[e->address].element : what->element) / l->count;
}

static int block_of(const struct graph *g, const struct node_event *e) {
    return g->test->threads[e->thread].block;
}

/* Whether an event accesses the shared memory of another block, or an mbarrier there. */
static bool is_afar(const struct graph *g, const struct node_event *e) {
    int owner = owner_of(g, e);
    return owner >= 0 && owner != block_of(g, e);
}

/* An arrival at an mbarrier, or what completes bytes there. */
static bool is_counted(const struct node_event *e) {
    return kind_of(e) == EVENT_COUNT && e->event->counts & (COUNT_ARRIVES | COUNT_COMPLETES);
}

static bool is_arrival(const struct node_event *e) {
    return kind_of(e) == EVENT_COUNT && e->event->counts & COUNT_ARRIVES;
}

static bool is_next_phase(const struct node_event *x, const struct node_event *y) {
    return x->event->mbarrier == y->event->mbarrier && x->event->element == y->event->element &&
           x->barrier >= 0 && y->barrier == x->barrier + 1;
}

/* A wait that finds its phase complete. */
static bool is_over(const struct node_event *e) {
    return kind_of(e) == EVENT_TRY && e->over;
}

static bool is_issue_of(const struct node_event *x, const struct node_event *y) {
    return kind_of(x) == EVENT_ISSUE && same_thread(x, y) && x->event->engine == y->event->agent;
}

/* Relation `completion`: an event of an engine, and a wait for its group. A wait for reads alone is for reads
 * of the source, not for the reads that a reduction does of its destination. */
static bool is_completed_by(const struct node_event *x, const struct node_event *y) {
    if (kind_of(y) != EVENT_COMPLETE || !same_thread(x, y) || x->event->agent == 0) return false;
    return x->event->by == y->event->by && x->event->group < y->event->group &&
           (!y->event->of_reads || (is_read(x) && !is_atomic(x)));
}

/* Relation `launch`: y is of a kernel that begins after the kernel of x has ended, or waits for that
 * (griddepcontrol.wait). */
static bool is_launched_after(const struct graph *g, const struct node_event *x, const struct node_event *y) {
    const struct placement *p = g->cell->placement;
    if (p->nkernels < 2 || !is_of_thread(x) || !is_of_thread(y)) return false;
    int before = seat_of(g, x)->kernel, kernel = seat_of(g, y)->kernel;
    return kind_of(y) == EVENT_DEPEND ? placement_awaits(p, kernel, before)
                                      : placement_follows(p, kernel, before);
}

/* Whether y is of the next kernel, and that is the programmatic dependent of the kernel of x. */
static bool is_dependent(const struct graph *g, const struct node_event *x, const struct node_event *y) {
    int kernel = seat_of(g, y)->kernel;
    return kernel == seat_of(g, x)->kernel + 1 && g->cell->placement->launch[kernel] == LAUNCH_DEPENDENT;
}

/* The rows of names.def */

#define SET(id, name, doc, is)                                                                               \
    static bool in_##id(const struct graph *g, const struct node_event *e) {                                 \
        (void)g, (void)e;                                                                                    \
        return is;                                                                                           \
    }
#define REL(id, name, doc, first, relates)                                                                   \
    static bool in_##id(const struct graph *g, const struct node_event *x, const struct node_event *y) {     \
        (void)g;                                                                                             \
        return (first) && (relates);                                                                         \
    }                                                                                                        \
    static void fill_##id(const struct graph *g, uint64_t *bits) {                                           \
        const struct node_event *events = g->events, *end = events + g->dim.n;                               \
        for (const struct node_event *x = events; x < end; x++) {                                            \
            if (!(first)) continue;                                                                          \
            uint64_t *row = rel_row(g->dim, bits, (int)(x - events));                                        \
            for (const struct node_event *y = events; y < end; y++)                                          \
                if (relates) set_add(row, (int)(y - events));                                                \
        }                                                                                                    \
    }
#define GUESS(name, doc, op, index)
#define DERIVED(name, doc, cat)
#include "cat/names.def"

/* A row: a set has `is`, a relation has the other two. */
static const struct given_row {
    bool (*is)(const struct graph *g, const struct node_event *e);
    bool (*relates)(const struct graph *g, const struct node_event *x, const struct node_event *y);
    void (*fill)(const struct graph *g, uint64_t *bits); /* with all pairs that it relates */
} given_rows[GIVEN_COUNT] = {
#define SET(id, name, doc, expr)        [GIVEN_##id] = {.is = in_##id},
#define REL(id, name, doc, first, expr) [GIVEN_##id] = {.relates = in_##id, .fill = fill_##id},
#define GUESS(name, doc, op, index)
#define DERIVED(name, doc, cat)
#include "cat/names.def"
};

static uint64_t *compute_set(const struct graph *g, const struct given_row *row, struct arena *a) {
    uint64_t *bits = arena_array(a, (size_t)g->dim.words, sizeof *bits);
    for (int e = 0; e < g->dim.n; e++)
        if (row->is(g, &g->events[e])) set_add(bits, e);
    return bits;
}

static uint64_t *compute_rel(const struct graph *g, const struct given_row *row, struct arena *a) {
    uint64_t *bits = arena_array(a, dim_rel(g->dim), sizeof *bits);
    row->fill(g, bits);
    return bits;
}

bool graph_relates(const struct graph *g, enum given rel, int x, int y) {
    return given_rows[rel].relates(g, &g->events[x], &g->events[y]);
}

void graph_relate(struct graph *g, const struct model_plan *plan, struct arena *a) {
    memset(g->given, 0, sizeof g->given);
    graph_relate_more(g, plan, a);
}

void graph_relate_more(struct graph *g, const struct model_plan *plan, struct arena *a) {
    for (int k = 0; k < plan->ngivens; k++) {
        const struct plan_node *n = &plan->nodes[plan->givens[k]];
        if (g->given[n->index]) continue;
        const struct given_row *row = &given_rows[n->index];
        g->given[n->index] = row->is ? compute_set(g, row, a) : compute_rel(g, row, a);
    }
}

bool graph_is_like(const struct graph *x, const struct graph *y) {
    bool like = x->dim.n == y->dim.n;
    for (int k = 0; like && k < GIVEN_COUNT; k++) {
        size_t words = given_rows[k].is ? (size_t)x->dim.words : dim_rel(x->dim);
        if (x->given[k]) like = bits_equal(x->given[k], y->given[k], words);
    }
    return like;
}
