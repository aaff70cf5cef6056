/* Which arrivals at execution barriers meet.
 *
 * A barrier belongs to the threads of one warp, block or cluster; in a block it also has a number. It opens
 * when as many threads have arrived as its count says. Without a count, it opens when all threads of the
 * group have arrived whose text uses it at all and that have not ended. A thread that ends holds up nobody;
 * but it has not arrived, and so orders nothing. (A thread that never uses the barrier has ended as far as
 * the barrier is concerned.) A thread cannot arrive twice at the same opening. All that meet at one opening
 * are one *use* of the barrier.
 *
 * A count counts warps. A thread of a test counts as a warp of its own, but threads of a grid arrive as the
 * warps in which they sit: a warp has arrived when all its threads that use the barrier have. Where more
 * warps arrive than are counted, the barrier is contested: it matters who comes first, and every order is
 * tried. */
#include "search/graph.h"

#include <limits.h>

#include "paths/meet.h"

enum { MAX_MATCHINGS = 256, MAX_STATES = 100000 };

/* A barrier of the test. */
struct barrier {
    const struct op *op; /* one of those that meet there */
    int group;           /* the warp, block or cluster; -1 - thread for a thread that sits in none */
    uint32_t lanes;      /* of a warp: those that meet; 0: all */
    int users;           /* threads of the group whose text uses it */
    int warps;           /* the warps of these threads, where they are of a grid */
    const bool *is;      /* thread -> whether it is a user */
    bool contested;      /* more warps arrive than are counted */
    bool counted;        /* the last arrival gave a count */
    int arrived;         /* threads (warps, if counted) that have arrived since it opened last */
};

struct matcher {
    const struct graph *graph;
    struct search_budget *budget;
    struct arena *arena;
    struct barrier *barriers;
    int nbarriers;
    int *barrier_of; /* event -> barrier, ARRIVE only */
    const int *warp; /* thread -> the first thread of the warp with which it arrives */
    int *next;       /* thread -> the event it is at */
    bool *waits;     /* thread -> it waits for a barrier to open */
    int *use; /* event -> its use; -1: not arrived; -2: arrived, and its barrier has not opened since */
    int nuses;
    struct matching *found;
    int nfound;
    int states;
};

/* The group in which a thread meets others at `op`; a thread that sits in none is a group of its own. */
static int group_of(const struct graph *g, const struct op *op, int thread) {
    int group = meet_group(op, &g->cell->placement->seats[thread]);
    return group < 0 ? -1 - thread : group;
}

static bool share_warp(const struct graph *g, int x, int y) {
    const struct seat *seats = g->cell->placement->seats;
    return x == y || (seats[x].warp >= 0 && seats[x].warp == seats[y].warp);
}

/* stmt_walk's callback: stops at a use of the barrier of an operation. */
static bool is_not_use(const struct stmt *s, void *ctx) {
    return !(s->kind == STMT_OP && op_kinds[s->op->kind].meets && meet_is_same(s->op, ctx));
}

static int lane_of(const struct graph *g, int thread) {
    int lane = 0;
    for (int t = 0; t < thread; t++)
        lane += share_warp(g, t, thread);
    return lane;
}

static bool is_user(const struct graph *g, const struct barrier *b, int thread) {
    if (group_of(g, b->op, thread) != b->group) return false;
    if (b->lanes && !(b->lanes >> lane_of(g, thread) & 1)) return false;
    return !stmt_walk(g->test->threads[thread].body->first, is_not_use, (void *)b->op);
}

static void find_users(struct matcher *m, struct barrier *b) {
    int n = m->graph->test->nthreads;
    bool *is = arena_array(m->arena, (size_t)n, sizeof *is);
    for (int t = 0, last = -1; t < n; t++) {
        is[t] = is_user(m->graph, b, t);
        if (!is[t]) continue;
        b->users++;
        b->warps += m->graph->test->threads[t].body->grid && m->warp[t] != last;
        last = m->warp[t];
    }
    b->is = is;
}

static int find_barrier(struct matcher *m, int thread, const struct event *arrival) {
    const struct op *op = arrival->stmt->op;
    struct barrier at = {.op = op, .group = group_of(m->graph, op, thread), .lanes = arrival->lanes};
    for (int k = 0; k < m->nbarriers; k++) {
        const struct barrier *b = &m->barriers[k];
        if (meet_is_same(b->op, op) && b->group == at.group && b->lanes == at.lanes) return k;
    }
    find_users(m, &at);
    m->barriers[m->nbarriers] = at;
    return m->nbarriers++;
}

static bool arrives(const struct graph *g, int thread, int use) {
    for (int e = g->first[thread]; e < g->first[thread + 1]; e++)
        if (g->events[e].barrier == use && g->events[e].event->kind == EVENT_ARRIVE) return true;
    return false;
}

bool graph_is_opened_by_exit(const struct graph *g, const struct node_event *wait, int thread) {
    const struct op *op = wait->event->stmt->op;
    if (wait->barrier < 0 || op->barrier_threads > 0 || thread == wait->thread) return false;
    struct barrier b = {.op = op, .group = group_of(g, op, wait->thread), .lanes = wait->event->lanes};
    return !arrives(g, thread, wait->barrier) && is_user(g, &b, thread);
}

static bool is_arrival_at(const struct event *e, const struct event *wait) {
    return e->kind == EVENT_ARRIVE && meet_is_same(e->stmt->op, wait->stmt->op) && e->lanes == wait->lanes;
}

/* How often the events of a thread, up to `end`, arrive at the barrier of a wait. */
static int count_arrivals(const struct event *events, const struct event *end, const struct event *wait) {
    int n = 0;
    for (const struct event *e = events; e < end; e++)
        n += is_arrival_at(e, wait);
    return n;
}

bool graph_is_exit_decided(const struct graph *g, const struct node_event *read,
                           const struct node_event *wait) {
    const struct path *p = g->paths[read->thread];
    if (!graph_is_opened_by_exit(g, wait, read->thread)) return false;
    int turn = count_arrivals(g->paths[wait->thread]->events, wait->event, wait->event);
    for (const struct path_way *way = p->ways; way < p->ways + p->nways; way++) {
        if (!set_has(way->reads.bits, read->event->read)) continue;
        if (way->end != PATH_DONE ||
            count_arrivals(way->events, way->events + way->nevents, wait->event) >= turn)
            return true;
    }
    return false;
}

/* The arrival for which a separate wait (barrier.cluster.wait) waits: the last one of its thread at the same
 * barrier. -1: there is none, it has a wait of its own, or another separate wait stands between. */
static int arrival_before(const struct matcher *m, int thread, int wait) {
    const struct op *of = m->graph->events[wait].event->stmt->op;
    for (int e = wait - 1; e >= m->graph->first[thread]; e--) {
        const struct event *event = m->graph->events[e].event;
        if (event->kind != EVENT_ARRIVE && event->kind != EVENT_WAIT) continue;
        const struct op *op = event->stmt->op;
        if (event->kind == EVENT_ARRIVE && meet_is_same(op, of)) return op->arrive_only ? e : -1;
        if (event->kind == EVENT_WAIT && meet_is_wait(op)) return -1;
    }
    return -1;
}

/* Moves a thread on to its next arrival, or to a separate wait for an arrival whose barrier has not opened. A
 * separate wait that it passes gets the use of its arrival. */
static void skip_to_arrival(struct matcher *m, int thread) {
    const struct graph *g = m->graph;
    for (; m->next[thread] < g->first[thread + 1]; m->next[thread]++) {
        int e = m->next[thread];
        const struct event *event = g->events[e].event;
        if (event->kind == EVENT_ARRIVE) return;
        if (event->kind != EVENT_WAIT || !meet_is_wait(event->stmt->op)) continue;
        int arrival = arrival_before(m, thread, e);
        if (arrival < 0 || m->use[arrival] < 0) return;
        m->use[e] = m->use[arrival];
    }
}

static const struct op *op_at(const struct matcher *m, int event) {
    return m->graph->events[event].event->stmt->op;
}

/* Whether an arrival gives a count. A count that equals the number of warps asks for all of them, as no count
 * does. */
static bool is_counted(const struct matcher *m, int event) {
    int count = op_at(m, event)->barrier_threads;
    return count > 0 && count != m->barriers[m->barrier_of[event]].warps;
}

/* How many threads (warps, if counted) must arrive before the barrier of an arrival opens. */
static int needed(const struct matcher *m, int event) {
    return is_counted(m, event) ? op_at(m, event)->barrier_threads : m->barriers[m->barrier_of[event]].users;
}

/* Whether a thread has arrived at barrier k since that opened last. */
static bool has_arrived(const struct matcher *m, int thread, int k) {
    for (int e = m->graph->first[thread]; e < m->next[thread]; e++)
        if (m->barrier_of[e] == k && m->use[e] == -2) return true;
    return false;
}

/* Whether all other users of barrier k in a thread's warp have arrived there. */
static bool has_come_with(const struct matcher *m, int thread, int k) {
    for (int t = m->warp[thread]; t < m->graph->test->nthreads && m->warp[t] == m->warp[thread]; t++)
        if (t != thread && m->barriers[k].is[t] && !has_arrived(m, t, k)) return false;
    return true;
}

/* The threads for whom barrier k opens: its users, or, if counted, those whose whole warp has arrived. */
static bool *find_comers(struct matcher *m, int k) {
    int n = m->graph->test->nthreads;
    const struct barrier *b = &m->barriers[k];
    bool *comes = arena_array(m->arena, (size_t)n, sizeof *comes);
    for (int t = 0; t < n; t++)
        comes[t] = b->is[t] && (!b->counted || (has_arrived(m, t, k) && has_come_with(m, t, k)));
    return comes;
}

/* Opens barrier k: the arrivals there, and their waits, are its next use, and the threads that waited go on. */
static void open_barrier(struct matcher *m, int k) {
    const struct graph *g = m->graph;
    bool *comes = find_comers(m, k);
    for (int t = 0; t < g->test->nthreads; t++) {
        if (!comes[t]) continue;
        for (int e = g->first[t]; e < m->next[t]; e++) {
            if (m->barrier_of[e] != k || m->use[e] != -2) continue;
            m->use[e] = m->nuses;
            if (op_at(m, e)->arrive_only) continue;
            m->use[e + 1] = m->nuses; /* its wait */
            m->waits[t] = false;
        }
        skip_to_arrival(m, t);
    }
    m->nuses++;
    m->barriers[k].arrived = 0;
}

/* Whether a thread has done all that it does, and has exited. */
static bool has_exited(const struct matcher *m, int thread) {
    const struct graph *g = m->graph;
    return !m->waits[thread] && m->next[thread] == g->first[thread + 1] && g->paths[thread]->end == PATH_DONE;
}

/* Whether someone has arrived at barrier k, and all users that have not arrived have exited. A count is not
 * changed by exits. */
static bool is_held_up_by_exits(const struct matcher *m, int k) {
    const struct barrier *b = &m->barriers[k];
    if (b->arrived == 0 || b->counted || meet_is_active(b->op)) return false;
    int awaited = b->users - b->arrived;
    for (int t = 0; t < m->graph->test->nthreads && awaited > 0; t++)
        awaited -= has_exited(m, t) && b->is[t] && !has_arrived(m, t, k);
    return awaited <= 0;
}

/* Opens each barrier that waits only for threads that have exited. Then others may go on and exit, so it
 * looks at all again. */
static void release_barriers(struct matcher *m) {
    for (int k = 0; k < m->nbarriers; k++)
        if (is_held_up_by_exits(m, k)) {
            open_barrier(m, k);
            k = -1;
        }
}

static bool can_arrive(const struct matcher *m, int thread) {
    int e = m->next[thread];
    return !m->waits[thread] && e < m->graph->first[thread + 1] && m->barrier_of[e] >= 0 &&
           !has_arrived(m, thread, m->barrier_of[e]);
}

static void arrive(struct matcher *m, int thread) {
    int e = m->next[thread]++, k = m->barrier_of[e];
    m->use[e] = -2;
    m->waits[thread] = !op_at(m, e)->arrive_only;
    skip_to_arrival(m, thread);
    struct barrier *b = &m->barriers[k];
    b->counted = is_counted(m, e);
    b->arrived += !b->counted || has_come_with(m, thread, k);
    if (b->arrived >= needed(m, e)) open_barrier(m, k);
    release_barriers(m);
}

/* Numbers the uses in the order of the events, so that the same matching is written the same way. */
static int *number_uses(struct matcher *m) {
    int n = m->graph->dim.n, nuses = 0;
    int *use = arena_array(m->arena, (size_t)n, sizeof *use);
    int *name = arena_array(m->arena, (size_t)m->nuses, sizeof *name);
    for (int e = 0; e < n; e++) {
        if (m->use[e] >= 0 && name[m->use[e]] == 0) name[m->use[e]] = ++nuses;
        use[e] = m->use[e] >= 0 ? name[m->use[e]] - 1 : -1;
    }
    return use;
}

static void record(struct matcher *m) {
    const struct graph *g = m->graph;
    int *use = number_uses(m);
    bool complete = true;
    for (int t = 0; t < g->test->nthreads; t++)
        complete = complete && !m->waits[t] && m->next[t] == g->first[t + 1];
    for (int k = 0; k < m->nfound; k++)
        if (m->found[k].complete == complete &&
            memcmp(m->found[k].barrier, use, (size_t)g->dim.n * sizeof *use) == 0)
            return;
    if (m->nfound < MAX_MATCHINGS) m->found[m->nfound] = (struct matching){use, complete};
    m->nfound++;
}

/* Whether the warps that arrive at barrier k with a count are more than the smallest of these counts. */
static bool is_contested(const struct matcher *m, int k) {
    int comers = 0, fewest = INT_MAX, last = -1;
    for (int e = 0; e < m->graph->dim.n; e++) {
        if (m->barrier_of[e] != k || !is_counted(m, e)) continue;
        int warp = m->warp[m->graph->events[e].thread];
        comers += warp != last;
        last = warp;
        fewest = needed(m, e) < fewest ? needed(m, e) : fewest;
    }
    return comers > fewest;
}

/* Whether the next arrival of a thread has to be tried now and later: it makes its warp complete at a
 * contested barrier, and the opening may be for this warp or for another one. */
static bool is_choice(const struct matcher *m, int thread) {
    int k = m->barrier_of[m->next[thread]];
    return m->barriers[k].contested && has_come_with(m, thread, k);
}

static struct matcher copy_matcher(const struct matcher *m) {
    size_t nthreads = (size_t)m->graph->test->nthreads, nevents = (size_t)m->graph->dim.n;
    struct matcher copy = *m;
    copy.next = arena_array(m->arena, nthreads, sizeof *copy.next);
    copy.waits = arena_array(m->arena, nthreads, sizeof *copy.waits);
    copy.use = arena_array(m->arena, nevents, sizeof *copy.use);
    copy.barriers = arena_array(m->arena, (size_t)m->nbarriers, sizeof *copy.barriers);
    memcpy(copy.next, m->next, nthreads * sizeof *copy.next);
    memcpy(copy.waits, m->waits, nthreads * sizeof *copy.waits);
    memcpy(copy.use, m->use, nevents * sizeof *copy.use);
    memcpy(copy.barriers, m->barriers, (size_t)m->nbarriers * sizeof *copy.barriers);
    return copy;
}

/* Lets threads arrive until each arrival that is left is a choice. False when nobody can arrive any more. */
static bool arrive_without_choice(struct matcher *m) {
    bool any = false;
    for (int t = 0; t < m->graph->test->nthreads; t++) {
        if (!can_arrive(m, t)) continue;
        any = true;
        if (is_choice(m, t)) continue;
        arrive(m, t);
        any = false;
        t = -1;
    }
    return any;
}

/* Tries every order of the arrivals that are choices, and records each matching at which it ends. */
static void explore(struct matcher *m) {
    if (++m->states > MAX_STATES || !budget_pay(m->budget, 1 + (long long)m->graph->dim.n / 8)) return;
    if (!arrive_without_choice(m)) {
        record(m);
        return;
    }
    for (int t = 0; t < m->graph->test->nthreads && m->nfound <= MAX_MATCHINGS; t++) {
        if (!can_arrive(m, t)) continue;
        struct matcher next = copy_matcher(m);
        arrive(&next, t);
        explore(&next);
        m->nfound = next.nfound;
        m->states = next.states;
    }
}

/* thread -> the first thread of its warp; a thread that is of no grid is a warp of its own. */
static const int *find_warps(const struct graph *g, struct arena *a) {
    int n = g->test->nthreads, *warp = arena_array(a, (size_t)n, sizeof *warp);
    for (int t = 0; t < n; t++) {
        bool same = t > 0 && g->test->threads[t].body->grid && share_warp(g, t, t - 1);
        warp[t] = same ? warp[t - 1] : t;
    }
    return warp;
}

struct matching *graph_match_barriers(const struct graph *g, struct search_budget *budget, struct arena *a,
                                      int *n) {
    size_t nthreads = (size_t)g->test->nthreads, nevents = (size_t)g->dim.n;
    struct matcher m = {.graph = g, .budget = budget, .arena = a, .warp = find_warps(g, a)};
    m.barriers = arena_array(a, nevents, sizeof *m.barriers);
    m.barrier_of = arena_array(a, nevents, sizeof *m.barrier_of);
    m.next = arena_array(a, nthreads, sizeof *m.next);
    m.waits = arena_array(a, nthreads, sizeof *m.waits);
    m.use = arena_array(a, nevents, sizeof *m.use);
    m.found = arena_array(a, MAX_MATCHINGS, sizeof *m.found);
    for (size_t e = 0; e < nevents; e++)
        m.barrier_of[e] = m.use[e] = -1;
    for (int t = 0; t < (int)nthreads; t++) {
        for (int e = g->first[t]; e < g->first[t + 1]; e++)
            if (g->events[e].event->kind == EVENT_ARRIVE)
                m.barrier_of[e] = find_barrier(&m, t, g->events[e].event);
        m.next[t] = g->first[t];
        skip_to_arrival(&m, t);
    }
    for (int k = 0; k < m.nbarriers; k++)
        m.barriers[k].contested = is_contested(&m, k);
    explore(&m);
    *n = m.nfound;
    return m.nfound > MAX_MATCHINGS || m.states > MAX_STATES ? NULL : m.found;
}
