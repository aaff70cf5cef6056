#include "gen/meeting.h"

#include <string.h>

#include "gen/lanes.h"
#include "litmus/company.h"

/* ---- plain ---- */

static bool together(const struct placement *p, enum barrier_kind kind, int i, int j) {
    const struct seat *a = &p->seats[i], *b = &p->seats[j];
    if (a->host || b->host) return false;
    return kind == BARRIER_WARP  ? a->warp == b->warp
           : kind == BARRIER_CTA ? a->block == b->block
                                 : a->cluster == b->cluster;
}

static const char on_some_paths[] = "an execution barrier is passed on some paths only";
static const char not_equally_often[] = "threads that share a barrier do not pass it equally often";

/* Returns why the cell cannot be played if threads that share a barrier of this kind do not pass it equally
 * often on all paths, else NULL. */
static const char *uneven(const struct test *t, const struct placement *p, enum barrier_kind kind) {
    for (int i = 0; i < t->nthreads; i++) {
        int n = gen_barriers(t->threads[i].body, kind);
        if (n < 0) return on_some_paths;
        for (int j = 0; j < i; j++)
            if (t->threads[i].body != t->threads[j].body && together(p, kind, i, j) &&
                n != gen_barriers(t->threads[j].body, kind))
                return not_equally_often;
    }
    return NULL;
}

/* The same for barriers of warps, but branches that depend only on a thread's tid and other constants are
 * followed. */
static const char *uneven_lanes(struct arena *a, const struct test *t, const struct placement *p) {
    if (!uneven(t, p, BARRIER_WARP)) return NULL;
    int *n = arena_array(a, (size_t)t->nthreads, sizeof *n);
    for (int i = 0; i < t->nthreads; i++) {
        n[i] = passes_of_lanes(a, &t->threads[i]);
        if (n[i] < 0) return on_some_paths;
        for (int j = 0; j < i; j++)
            if (together(p, BARRIER_WARP, i, j) && n[i] != n[j]) return not_equally_often;
    }
    return NULL;
}

/* Whether some seats of a block have no thread of the test. The harness's threads there pass only barrier 0,
 * and behind it the cluster's barrier. (Beside CPU threads there may always be such seats.) */
static bool has_idle_threads(const struct placement *p, int nthreads, const struct seating *s) {
    if (32 % s->lanes != 0) return true;
    for (int k = 0; k < nthreads; k++) {
        int mates = 0;
        for (int j = 0; j < nthreads; j++)
            mates += p->seats[j].block == p->seats[k].block;
        if (mates != s->warps * s->lanes) return true;
    }
    return false;
}

/* Which barriers of blocks and clusters the test has. */
struct barrier_uses {
    bool block, cluster;
    bool counts;  /* some barrier has a thread count, or is a reduction or an arrival without a wait */
    unsigned ids; /* bit n: the barrier with id n */
};

static struct barrier_uses uses_of(const struct test *t) {
    struct barrier_uses u = {0};
    for (int k = 1; k <= t->nops; k++) {
        const struct op *op = &t->ops[k];
        if (!company_meets(op)) continue;
        if (op->barrier == BARRIER_CLUSTER) {
            u.cluster = true;
            continue;
        }
        u.block = true;
        u.ids |= 1u << op->barrier_id;
        u.counts = u.counts || op->barrier_threads || op->arrive_only || op->kind == OP_EXCHANGE;
    }
    return u;
}

static bool waits_only(const struct op *op) {
    return op_rows[op->name].wait_only;
}

/* Whether a thread's arrivals and waits at the barrier of its cluster alternate. */
static bool alternates(const struct passes *p) {
    bool armed = false;
    for (int k = 0; k < p->n; k++) {
        if (p->ops[k]->barrier != BARRIER_CLUSTER) continue;
        if (armed != waits_only(p->ops[k])) return false;
        armed = p->ops[k]->arrive_only;
    }
    return !armed;
}

static const char *lone_arrival(const struct test *t, const struct passes *passes) {
    for (int k = 0; k < t->nthreads; k++)
        if (!passes[k].vary && !passes[k].many && !alternates(&passes[k]))
            return "arrivals and waits at the barrier of a cluster do not come in turns";
    return NULL;
}

static int count_arrivals(const struct passes *p) {
    int n = 0;
    for (int k = 0; k < p->n; k++)
        n += !waits_only(p->ops[k]);
    return n;
}

/* Whether every thread passes exactly as many barriers as gen_barriers counts in its body. */
static bool is_as_written(const struct test *t, const struct passes *passes) {
    for (int k = 0; k < t->nthreads; k++) {
        const struct body *b = t->threads[k].body;
        int n = gen_barriers(b, BARRIER_CTA), m = gen_barriers(b, BARRIER_CLUSTER);
        if (!passes[k].many && (passes[k].vary || n < 0 || m < 0 || n + m != count_arrivals(&passes[k])))
            return false;
    }
    return true;
}

static bool is_plain(const struct test *t, const struct placement *p, const struct seating *s,
                     const struct barrier_uses *u, const struct passes *passes) {
    if (u->counts || (u->ids & (u->ids - 1)) || !is_as_written(t, passes)) return false;
    if (uneven(t, p, BARRIER_CTA) || uneven(t, p, BARRIER_CLUSTER)) return false;
    /* else each block is launched as a cluster of its own */
    bool launched = p->nblocks > 1 && p->nclusters == 1;
    bool special = u->ids > 1 || (u->cluster && (u->block || !launched));
    if (u->ids > 1 && p->nhost > 0) return false;
    return !special || !has_idle_threads(p, t->nthreads, s);
}

/* ---- warps ---- */

/* A warp of an instance as its passes are played. */
struct meeting_warp {
    int thread; /* its first thread of the test */
    int gpu, block, cluster, warp;
    int at;                            /* how many of its thread's passes it has made */
    const struct meeting_point *waits; /* the barrier at which it waits, or NULL */
    /* vector clock, indexed by warp: how many passes of that warp are known here to have been made */
    int *clock;
};

/* The barrier of one id in one block, or of one cluster. */
struct meeting_point {
    bool cluster;
    int group, id;
    int users, arrived;
    const struct op *first; /* the operation of the first warp that arrived since the barrier last opened */
    /* indexed by warp: it ever comes here; it has arrived since the barrier last opened */
    bool *uses, *there;
    /* the maximum of the clocks of the warps that have arrived; `opened`: the same when the barrier last
     * opened */
    int *clock;
    int *opened;
    int *came,
        /* indexed by warp: the number of its newest pass of this barrier, from 1; its newest pass when the
         * barrier last opened */
        *last;
};

struct meeting_warps {
    struct arena *arena;
    const struct test *t;
    const struct passes *passes;
    struct meeting_warp *warps;
    int nwarps, *warp_of; /* of each thread */
    struct meeting_point *points;
    int npoints, cap;
    const char *unfit;
};

/* Whether some barrier has a thread count. */
static bool counts(const struct passes *passes) {
    for (int k = 0; k < passes->n; k++)
        if (passes->ops[k]->barrier_threads) return true;
    return false;
}

static void find_warps(struct meeting_warps *m, const struct placement *p, const struct seating *s) {
    m->warps = arena_array(m->arena, (size_t)m->t->nthreads, sizeof *m->warps);
    m->warp_of = arena_array(m->arena, (size_t)m->t->nthreads, sizeof *m->warp_of);
    for (int k = 0; k < m->t->nthreads; k++) {
        int w = 0;
        while (w < m->nwarps && p->seats[m->warps[w].thread].warp != p->seats[k].warp)
            w++;
        m->warp_of[k] = w;
        if (w == m->nwarps) {
            m->warps[m->nwarps++] = (struct meeting_warp){.thread = k,
                                                          .gpu = s->gpu[k],
                                                          .block = p->seats[k].block,
                                                          .cluster = p->seats[k].cluster,
                                                          .warp = s->warp[k]};
        } else if (!passes_same(&m->passes[m->warps[w].thread], &m->passes[k])) {
            m->unfit = "threads of one warp pass different barriers";
        } else if (counts(&m->passes[k]) && !m->t->threads[k].body->grid) {
            m->unfit = "threads of one warp come to a barrier that counts each of them as a warp";
        }
        if (!passes_reduce_together(&m->passes[m->warps[w].thread], &m->passes[k]))
            m->unfit = "lanes of one warp reduce at a barrier in different instructions";
    }
    for (int w = 0; w < m->nwarps; w++)
        m->warps[w].clock = arena_array(m->arena, (size_t)m->nwarps, sizeof(int));
}

static struct meeting_point *point_of(struct meeting_warps *m, int warp, const struct op *op) {
    bool cluster = op->barrier == BARRIER_CLUSTER;
    int group = cluster ? m->warps[warp].cluster : m->warps[warp].block;
    for (int k = 0; k < m->npoints; k++) {
        struct meeting_point *b = &m->points[k];
        if (b->cluster == cluster && b->group == group && b->id == op->barrier_id) return b;
    }
    if (m->npoints == m->cap) {
        size_t cap = 2 * (size_t)m->cap + 8;
        m->points = arena_grow(m->arena, m->points, (size_t)m->cap, cap, sizeof *m->points);
        m->cap = (int)cap;
    }
    size_t n = (size_t)m->nwarps;
    struct meeting_point *b = &m->points[m->npoints++];
    *b = (struct meeting_point){.cluster = cluster, .group = group, .id = op->barrier_id};
    b->uses = arena_array(m->arena, n, sizeof *b->uses);
    b->there = arena_array(m->arena, n, sizeof *b->there);
    b->clock = arena_array(m->arena, n, sizeof *b->clock);
    b->opened = arena_array(m->arena, n, sizeof *b->opened);
    b->came = arena_array(m->arena, n, sizeof *b->came);
    b->last = arena_array(m->arena, n, sizeof *b->last);
    return b;
}

static const struct passes *passes_at(const struct meeting_warps *m, int warp) {
    return &m->passes[m->warps[warp].thread];
}

/* All warps of a cluster must come to its barrier. */
static void check_clusters(struct meeting_warps *m) {
    for (int k = 0; k < m->npoints; k++)
        for (int w = 0; w < m->nwarps; w++)
            if (m->points[k].cluster && m->points[k].group == m->warps[w].cluster && !m->points[k].uses[w])
                m->unfit = not_equally_often;
}

static void find_users(struct meeting_warps *m) {
    for (int w = 0; w < m->nwarps; w++)
        for (int k = 0; k < passes_at(m, w)->n; k++) {
            struct meeting_point *b = point_of(m, w, passes_at(m, w)->ops[k]);
            b->users += !b->uses[w];
            b->uses[w] = true;
        }
    check_clusters(m);
}

/* ---- do they come together? ---- */

static void raise(int *clock, const int *other, int n) {
    for (int k = 0; k < n; k++)
        if (other[k] > clock[k]) clock[k] = other[k];
}

static void open_point(struct meeting_warps *m, struct meeting_point *b) {
    for (int w = 0; w < m->nwarps; w++) {
        if (!b->there[w]) continue;
        b->there[w] = false;
        b->last[w] = b->came[w];
        /* it arrived without waiting, and may now wait at another barrier */
        if (m->warps[w].waits != b) continue;
        raise(m->warps[w].clock, b->clock, m->nwarps);
        m->warps[w].waits = NULL;
    }
    memcpy(b->opened, b->clock, (size_t)m->nwarps * sizeof *b->clock);
    memset(b->clock, 0, (size_t)m->nwarps * sizeof *b->clock);
    b->arrived = 0;
}

/* Whether the warp knows that the barrier has opened since all warps last arrived, and has not arrived since
 * itself. */
static bool knows_it_empty(const struct meeting_warps *m, const struct meeting_point *b, int warp) {
    for (int w = 0; w < m->nwarps; w++)
        if (b->last[w] > m->warps[warp].clock[w]) return false;
    return !b->there[warp];
}

static const char *arrival_problem(const struct meeting_warps *m, const struct meeting_point *b, int warp,
                                   const struct op *op) {
    int count = op->barrier_threads ? op->barrier_threads : b->users;
    if (count < b->users) return "which threads meet at a barrier differs from run to run";
    if (count > b->users) return "a barrier waits for more threads than pass it";
    if (!knows_it_empty(m, b, warp))
        return "a thread may come to a barrier again before the others have left";
    bool reduces = op->kind == OP_EXCHANGE || (b->arrived && b->first->kind == OP_EXCHANGE);
    if (b->arrived && reduces && op->name != b->first->name)
        return "a reduction and another operation meet at one barrier";
    return NULL;
}

static void arrive(struct meeting_warps *m, int warp) {
    struct meeting_warp *w = &m->warps[warp];
    const struct op *op = passes_at(m, warp)->ops[w->at];
    struct meeting_point *b = point_of(m, warp, op);
    const char *problem = arrival_problem(m, b, warp, op);
    if (problem) {
        m->unfit = problem;
        return;
    }
    if (b->arrived == 0) b->first = op;
    b->there[warp] = true;
    b->arrived++;
    w->clock[warp] = b->came[warp] = ++w->at;
    w->waits = op->arrive_only ? NULL : b;
    raise(b->clock, w->clock, m->nwarps);
    if (b->arrived == b->users) open_point(m, b);
}

/* Plays the next pass of a warp. False: the warp is at its end, or waits. */
static bool step(struct meeting_warps *m, int warp) {
    struct meeting_warp *w = &m->warps[warp];
    if (m->unfit || w->waits || w->at == passes_at(m, warp)->n) return false;
    const struct op *op = passes_at(m, warp)->ops[w->at];
    if (!waits_only(op)) {
        arrive(m, warp);
        return true;
    }
    const struct meeting_point *b = point_of(m, warp, op);
    if (b->there[warp]) return false;
    raise(w->clock, b->opened, m->nwarps);
    w->clock[warp] = ++w->at;
    return true;
}

/* Plays all warps in one order. The order in which warps arrive does not change which warps meet, so it is
 * enough to show that all come to their ends. */
static void play(struct meeting_warps *m) {
    for (bool moved = true; moved;) {
        moved = false;
        for (int w = 0; w < m->nwarps; w++)
            while (step(m, w))
                moved = true;
    }
    for (int w = 0; w < m->nwarps && !m->unfit; w++)
        if (m->warps[w].waits || m->warps[w].at < passes_at(m, w)->n)
            m->unfit = "threads wait at a barrier for others that do not come";
    for (int k = 0; k < m->npoints && !m->unfit; k++)
        if (m->points[k].arrived) m->unfit = not_equally_often;
}

/* ---- allotted ---- */

static void add_id(struct meeting *out, int id) {
    int k = 0;
    while (k < out->nids && out->ids[k] != id)
        k++;
    if (k == out->nids) out->ids[out->nids++] = id;
}

/* Fills in the barrier ids, and the thread count of each operation's barrier. */
static void count_threads(struct meeting_warps *m, struct meeting *out) {
    out->threads = arena_array(m->arena, (size_t)m->t->nops + 1, sizeof *out->threads);
    for (int t = 0; t < m->t->nthreads; t++)
        for (int k = 0; k < m->passes[t].n; k++) {
            const struct op *op = m->passes[t].ops[k];
            if (op->barrier == BARRIER_CLUSTER) continue;
            int *threads = &out->threads[op->number], n = 32 * point_of(m, m->warp_of[t], op)->users;
            if (*threads && *threads != n)
                m->unfit = "a barrier without a count is passed in blocks of different sizes";
            *threads = n;
            add_id(out, op->barrier_id);
        }
    if (out->nids > MEETING_IDS)
        m->unfit = "a block has 16 barriers, and the GPU's harness needs two of them";
}

/* Returns a thread of the test in this seat; -1: none. A warp or lane of -1 stands for any. */
static int sitter(const struct test *t, const struct seating *s, int gpu, int block, int warp, int lane) {
    for (int k = 0; k < t->nthreads; k++)
        if (s->gpu[k] == gpu && s->block[k] == block && (warp < 0 || s->warp[k] == warp) &&
            (lane < 0 || s->lane[k] == lane))
            return k;
    return -1;
}

static void add_companions(struct meeting_warps *m, const struct seating *s, struct meeting *out, int gpu,
                           int block) {
    for (int warp = 0; warp < s->warps; warp++)
        for (int lane = 0; lane < s->lanes; lane++) {
            int like = sitter(m->t, s, gpu, block, warp, -1);
            if (sitter(m->t, s, gpu, block, warp, lane) >= 0) continue;
            if (m->t->nthreads + out->ncompanions == MEETING_MAX_SEATS) {
                m->unfit = "too many lanes pass barriers beside those of the test";
                return;
            }
            struct companion c = {gpu, block, warp, lane, .like = like, .alone = like < 0};
            if (c.alone) c.like = sitter(m->t, s, gpu, block, -1, -1);
            c.joins = !c.alone && company_reduces(m->t->threads[like].body);
            out->companions[out->ncompanions++] = c;
        }
}

bool meeting_same_text(const struct meeting *m, int a, int b) {
    const struct companion *x = &m->companions[a], *y = &m->companions[b];
    return x->alone == y->alone && x->joins == y->joins &&
           (x->alone || passes_same(&m->passes[x->like], &m->passes[y->like]));
}

/* Sorts the companions so that those that run the same text are side by side. */
static void sort_companions(struct meeting *out, struct arena *a) {
    struct companion *sorted = arena_array(a, (size_t)out->ncompanions, sizeof *sorted);
    bool *taken = arena_array(a, (size_t)out->ncompanions, sizeof *taken);
    int n = 0;
    for (int k = 0; k < out->ncompanions; k++)
        for (int j = k; j < out->ncompanions && !taken[k]; j++) {
            if (taken[j] || !meeting_same_text(out, k, j)) continue;
            sorted[n++] = out->companions[j];
            if (j > k) taken[j] = true;
        }
    out->companions = sorted;
}

static void seat_companions(struct meeting_warps *m, const struct seating *s, struct meeting *out) {
    out->companions = arena_array(m->arena, MEETING_MAX_SEATS, sizeof *out->companions);
    for (int gpu = 0; gpu < s->gpus; gpu++)
        for (int block = 0; block < s->blocks; block++)
            if (sitter(m->t, s, gpu, block, -1, -1) >= 0) add_companions(m, s, out, gpu, block);
    sort_companions(out, m->arena);
}

static const char *varying(const struct test *t, const struct passes *passes) {
    for (int k = 0; k < t->nthreads; k++) {
        if (passes[k].vary) return on_some_paths;
        if (passes[k].many) return "a thread passes more than 256 barriers, which differ from each other";
    }
    return NULL;
}

static void allot(struct meeting_warps *m, const struct placement *p, const struct seating *s,
                  struct meeting *out) {
    if (p->nhost > 0)
        m->unfit = "barriers with ids or counts beside CPU threads are judged by the model only";
    if (!m->unfit) m->unfit = varying(m->t, m->passes);
    if (!m->unfit) find_warps(m, p, s);
    if (m->unfit) return;
    find_users(m);
    play(m);
    if (!m->unfit) count_threads(m, out);
    if (!m->unfit) seat_companions(m, s, out);
}

/* Whether the cell can be played by leaving (meeting.h): it has one barrier of a block, without thread count,
 * reduction or separate arrival. PTX counts threads that have exited as arrived at it. The harness's threads
 * do not exit, so a lane must not miss an exchange of its warp (lanes_agree); and in each block all threads
 * have barriers or none has, since the models do not ask that a thread without barriers comes to one. */
static bool may_leave(struct arena *a, const struct test *t, const struct placement *p,
                      const struct barrier_uses *u) {
    if (!lanes_agree(a, t)) return false;
    for (int i = 0; i < t->nthreads; i++)
        for (int j = 0; j < i; j++)
            if (together(p, BARRIER_CTA, i, j) && company_has_barriers(t->threads[i].body->first) !=
                                                      company_has_barriers(t->threads[j].body->first))
                return false;
    return p->nhost == 0 && !u->cluster && !u->counts && (u->ids & (u->ids - 1)) == 0;
}

struct meeting meeting_of(struct arena *a, const struct test *t, const struct placement *p,
                          const struct seating *s) {
    struct meeting out = {0};
    struct barrier_uses u = uses_of(t);
    out.unfit = uneven_lanes(a, t, p);
    if (!out.unfit) out.unfit = lanes_missing(t, p);
    if (out.unfit || (!u.block && !u.cluster)) return out;
    out.passes = passes_of_all(a, t);
    out.unfit = lone_arrival(t, out.passes);
    if (out.unfit) return out;
    if (is_plain(t, p, s, &u, out.passes)) return out;
    struct meeting_warps m = {.arena = a, .t = t, .passes = out.passes};
    allot(&m, p, s, &out);
    out.unfit = m.unfit;
    out.allotted = !m.unfit;
    out.leaves = m.unfit && may_leave(a, t, p, &u);
    if (out.leaves) out.unfit = NULL;
    return out;
}

bool meeting_allots(const struct test *t, const struct placement *p, const struct seating *s) {
    struct arena *scratch = arena_open();
    bool allots = meeting_of(scratch, t, p, s).allotted;
    arena_close(scratch);
    return allots;
}
