#include "brute.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_EVENTS = 32 };

/* A relation: row e holds the events that e is related to. */
struct rel {
    uint32_t row[MAX_EVENTS];
};

struct event {
    enum { READ, WRITE, FENCE, ARRIVE, WAIT } kind;
    int thread, op, lane;
    int loc;   /* an element of a vector is a location of its own */
    bool copy; /* of a copy: not in its thread's program order */
    bool strong, acquire, release, sc, barrier, red;
    bool acquiring, releasing; /* of a fence: the patterns that it takes part in */
    enum brute_scope scope;
    int partner; /* of an atomic operation */
};

struct state {
    const struct brute_program *program;
    bool skipped[BRUTE_MAX_THREADS]
                [BRUTE_MAX_OPS]; /* guarded stores that are not run, CASs that fail, exits that are taken */
    struct event events[MAX_EVENTS];
    int n;
    struct rel po, loc, ms, rmw, dep, bar, async; /* dep: address, data and control */
    int source[MAX_EVENTS];
    int32_t value[MAX_EVENTS];
    struct rel rf, co, sc;
    struct brute_outcomes *out;
};

#define EACH(e) for (int e = 0; e < s->n; e++)

static bool has(const struct rel *r, int x, int y) {
    return r->row[x] >> y & 1;
}

static void add(struct rel *r, int x, int y) {
    r->row[x] |= 1u << y;
}

static struct rel join(const struct rel *a, const struct rel *b) {
    struct rel r;
    for (int e = 0; e < MAX_EVENTS; e++)
        r.row[e] = a->row[e] | b->row[e];
    return r;
}

static struct rel meet(const struct rel *a, const struct rel *b) {
    struct rel r;
    for (int e = 0; e < MAX_EVENTS; e++)
        r.row[e] = a->row[e] & b->row[e];
    return r;
}

static struct rel then(const struct rel *a, const struct rel *b) {
    struct rel r = {{0}};
    for (int e = 0; e < MAX_EVENTS; e++)
        for (uint32_t left = a->row[e]; left; left &= left - 1)
            r.row[e] |= b->row[__builtin_ctz(left)];
    return r;
}

static struct rel or_self(const struct rel *a) {
    struct rel r = *a;
    for (int e = 0; e < MAX_EVENTS; e++)
        add(&r, e, e);
    return r;
}

static struct rel closure(const struct rel *a) {
    struct rel r = *a;
    for (int k = 0; k < MAX_EVENTS; k++)
        for (int e = 0; e < MAX_EVENTS && r.row[k]; e++)
            if (has(&r, e, k)) r.row[e] |= r.row[k];
    return r;
}

static bool is_acyclic(const struct rel *a) {
    struct rel r = closure(a);
    for (int e = 0; e < MAX_EVENTS; e++)
        if (has(&r, e, e)) return false;
    return true;
}

/* Events */

static bool includes(const struct state *s, enum brute_scope scope, int from, int to) {
    const struct brute_program *p = s->program;
    if (from == to || scope == BRUTE_SYS) return true;
    return scope == BRUTE_CTA ? p->block[from] == p->block[to] : p->gpu[from] == p->gpu[to];
}

static int lanes_of(const struct brute_program *p, int loc) {
    return p->vector && loc == 0 ? 2 : 1;
}

/* The locations, elements of a vector counted by themselves. */
static int first_lane(const struct brute_program *p, int loc) {
    return loc + (p->vector && loc > 0);
}

static int add_lane(struct state *s, int kind, int thread, int op, int lane) {
    const struct brute_op *o = &s->program->ops[thread][op];
    struct event *e = &s->events[s->n];
    bool memory = kind == READ || kind == WRITE, both = o->order == BRUTE_ACQ_REL;
    *e = (struct event){.kind = kind, .thread = thread, .op = op, .scope = o->scope, .partner = -1};
    e->lane = lane;
    e->loc = memory ? first_lane(s->program, o->loc) + lane : -1;
    e->strong = kind == FENCE || (memory && o->order != BRUTE_WEAK);
    e->acquire = kind == READ && (o->order == BRUTE_ACQUIRE || both);
    e->release = memory && (o->order == BRUTE_RELEASE || both); /* of the operation: also its read */
    e->sc = kind == FENCE && o->order == BRUTE_SC;
    e->acquiring = kind == FENCE && o->order != BRUTE_RELEASE;
    e->releasing = kind == FENCE && o->order != BRUTE_ACQUIRE;
    e->red = o->red;
    return s->n++;
}

static int add_event(struct state *s, int kind, int thread, int op) {
    return add_lane(s, kind, thread, op, 0);
}

static void add_access(struct state *s, int kind, int thread, int op) {
    int n = lanes_of(s->program, s->program->ops[thread][op].loc);
    for (int lane = 0; lane < n; lane++)
        add_lane(s, kind, thread, op, lane);
}

static int read_of(const struct state *s, int thread, int op, int lane) {
    EACH(k) {
        const struct event *e = &s->events[k];
        if (e->kind == READ && e->thread == thread && e->op == op && e->lane == lane) return k;
    }
    return -1;
}

static void add_op(struct state *s, int thread, int op) {
    const struct brute_op *o = &s->program->ops[thread][op];
    switch (o->kind) {
    case BRUTE_LOAD: add_access(s, READ, thread, op); break;
    case BRUTE_FENCE: add_event(s, FENCE, thread, op); break;
    case BRUTE_STORE:
        if (!s->skipped[thread][op]) add_access(s, WRITE, thread, op);
        break;
    case BRUTE_COPY: {
        int r = add_event(s, READ, thread, op), w = add_event(s, WRITE, thread, op);
        s->events[r].loc = o->from; /* never a vector here */
        s->events[r].copy = s->events[w].copy = true;
        break;
    }
    case BRUTE_COMMIT:
    case BRUTE_EXIT:
    case BRUTE_WAIT: break;
    case BRUTE_BARRIER:
        add_event(s, ARRIVE, thread, op);
        add_event(s, WAIT, thread, op);
        break;
    case BRUTE_ADD:
    case BRUTE_EXCH:
    case BRUTE_CAS: {
        int r = add_event(s, READ, thread, op), w;
        if (s->skipped[thread][op]) break;
        w = add_event(s, WRITE, thread, op);
        s->events[r].partner = w;
        s->events[w].partner = r;
        break;
    }
    }
}

/* How many groups of copies a thread has closed before one of its operations. */
static int groups_before(const struct brute_program *p, int thread, int op) {
    int n = 0;
    for (int k = 0; k < op; k++) {
        const struct brute_op *o = &p->ops[thread][k];
        n += o->kind == BRUTE_COMMIT || (o->kind == BRUTE_WAIT && o->pending < 0);
    }
    return n;
}

/* Whether between a copy and a later operation of its thread there is a wait for it. */
static bool is_waited_for(const struct brute_program *p, int thread, int copy, int later) {
    int group = groups_before(p, thread, copy);
    for (int k = copy + 1; k < later; k++) {
        const struct brute_op *o = &p->ops[thread][k];
        if (o->kind != BRUTE_WAIT) continue;
        if (o->pending < 0 || group < groups_before(p, thread, k) - o->pending) return true;
    }
    return false;
}

/* A copy comes after what its thread did before it, and before what its thread does when it has waited for it. */
static bool is_ordered_by_copy(const struct state *s, const struct event *x, const struct event *y) {
    if (x->thread < 0 || x->thread != y->thread || x->copy == y->copy) return false;
    if (y->copy) return x->op < y->op;
    return is_waited_for(s->program, x->thread, x->op, y->op);
}

/* The barriers that a thread has passed before an operation: the n-th arrivals of a block meet. */
static int barriers_before(const struct brute_program *p, int thread, int op) {
    int n = 0;
    for (int k = 0; k < op; k++)
        n += p->ops[thread][k].kind == BRUTE_BARRIER;
    return n;
}

static bool meets(const struct state *s, const struct event *x, const struct event *y) {
    const struct brute_program *p = s->program;
    return x->kind == ARRIVE && y->kind == WAIT && p->block[x->thread] == p->block[y->thread] &&
           barriers_before(p, x->thread, x->op) == barriers_before(p, y->thread, y->op);
}

/* A store depends on what it stores, or on its own guard, and whatever happens on the exits before it. */
static void depend(struct state *s, int w) {
    const struct event *e = &s->events[w];
    for (int k = 0; k <= e->op && e->kind == WRITE; k++) {
        const struct brute_op *o = &s->program->ops[e->thread][k];
        bool own = k == e->op && o->kind == BRUTE_STORE && o->source >= 0 && o->use != BRUTE_CANCELS &&
                   o->use != BRUTE_SAME_WAYS;
        if (own || o->kind == BRUTE_EXIT)
            add(&s->dep, read_of(s, e->thread, o->source, own && !o->guarded ? e->lane : 0), w);
    }
}

static void relate(struct state *s) {
    EACH(x) {
        const struct event *ex = &s->events[x];
        EACH(y) {
            const struct event *ey = &s->events[y];
            bool same = ex->thread >= 0 && ex->thread == ey->thread &&
                        (ex->copy ? ey->copy && ex->op == ey->op : !ey->copy);
            bool memory = ex->loc >= 0 && ey->loc >= 0;
            bool elements = same && ex->op == ey->op && ex->kind == ey->kind; /* of one vector */
            if (same && x < y && !elements) add(&s->po, x, y);
            if (is_ordered_by_copy(s, ex, ey)) add(&s->async, x, y);
            if (memory && ex->loc == ey->loc) add(&s->loc, x, y);
            if (ex->partner == y && x < y) add(&s->rmw, x, y);
            if (meets(s, ex, ey)) add(&s->bar, x, y);
            bool mutual = ex->thread >= 0 && ey->thread >= 0 && ex->strong && ey->strong &&
                          includes(s, ex->scope, ex->thread, ey->thread) &&
                          includes(s, ey->scope, ey->thread, ex->thread);
            if (x != y && ((same && !elements) || mutual) && (!memory || ex->loc == ey->loc))
                add(&s->ms, x, y);
        }
    }
    EACH(w) {
        const struct event *e = &s->events[w];
        if (e->thread < 0) continue;
        depend(s, w);
        if (e->kind == WRITE && e->copy) add(&s->dep, read_of(s, e->thread, e->op, 0), w);
        if (e->kind == WRITE && e->partner >= 0 && s->program->ops[e->thread][e->op].kind != BRUTE_EXCH)
            add(&s->dep, e->partner, w);
    }
}

static bool is_exit_taken(const struct state *s, int thread, int op) {
    return s->program->ops[thread][op].kind == BRUTE_EXIT && s->skipped[thread][op];
}

static void build(struct state *s) {
    for (int l = 0; l < BRUTE_LOCS + s->program->vector; l++)
        s->events[s->n++] = (struct event){.kind = WRITE, .thread = -1, .loc = l, .partner = -1};
    for (int t = 0; t < s->program->nthreads; t++)
        for (int k = 0; k < s->program->nops[t] && !is_exit_taken(s, t, k); k++)
            add_op(s, t, k);
    relate(s);
}

/* Values, once every read has its source; a value that needs itself is found by going round too often. */
static bool find_values(struct state *s) {
    bool known[MAX_EVENTS] = {false};
    for (int round = 0; round <= s->n; round++) {
        EACH(e) {
            const struct event *v = &s->events[e];
            if (v->kind == READ) {
                known[e] = known[s->source[e]];
                s->value[e] = s->value[s->source[e]];
            } else if (v->kind == WRITE && v->thread < 0) {
                known[e] = true;
            } else if (v->kind == WRITE) {
                const struct brute_op *o = &s->program->ops[v->thread][v->op];
                bool other = o->use == BRUTE_OTHER_WAY;
                int from = o->kind == BRUTE_ADD ? v->partner
                           : v->copy            ? read_of(s, v->thread, v->op, 0)
                           : other || (o->kind == BRUTE_STORE && o->source >= 0 && !o->guarded &&
                                       o->use == BRUTE_IS_STORED)
                               ? read_of(s, v->thread, o->source, v->lane)
                               : -1;
                known[e] = from < 0 || known[from];
                s->value[e] = from < 0               ? o->value + 2 * v->lane
                              : other                ? s->value[from] == o->value ? o->value : 3 - o->value
                              : o->kind == BRUTE_ADD ? s->value[from] + o->value
                                                     : s->value[from];
            }
        }
    }
    EACH(e) if ((s->events[e].kind == READ || s->events[e].kind == WRITE) && !known[e]) return false;
    return true;
}

/* Whether exactly the stores whose guards hold were run, and the CASs that found what they expect. */
static bool guards_hold(const struct state *s) {
    for (int t = 0; t < s->program->nthreads; t++)
        for (int k = 0; k < s->program->nops[t]; k++) {
            const struct brute_op *o = &s->program->ops[t][k];
            if (o->kind == BRUTE_EXIT &&
                (s->value[read_of(s, t, o->source, 0)] == o->value) != s->skipped[t][k])
                return false;
            if (is_exit_taken(s, t, k)) break;
            if (o->kind == BRUTE_STORE && o->guarded &&
                (s->value[read_of(s, t, o->source, 0)] == o->value) == s->skipped[t][k])
                return false;
            if (o->kind == BRUTE_CAS && (s->value[read_of(s, t, k, 0)] == o->expected) == s->skipped[t][k])
                return false;
        }
    return true;
}

/* The model */

static struct rel only(const struct state *s, bool (*keep)(const struct event *)) {
    struct rel r = {{0}};
    EACH(e) if (keep(&s->events[e])) add(&r, e, e);
    return r;
}

static bool is_release(const struct event *e) {
    return e->release;
}
static bool is_acquire(const struct event *e) {
    return e->acquire && !e->red;
}
static bool is_releasing_fence(const struct event *e) {
    return e->releasing;
}
static bool is_acquiring_fence(const struct event *e) {
    return e->acquiring;
}
static bool is_strong_write(const struct event *e) {
    return e->kind == WRITE && e->strong;
}
/* Only what a read operation returns can be acquired from. */
static bool is_strong_read(const struct event *e) {
    return e->kind == READ && e->strong && !e->red;
}

static struct rel find_fr(const struct state *s) {
    struct rel fr = {{0}};
    EACH(r) if (s->events[r].kind == READ) fr.row[r] = s->co.row[s->source[r]];
    return fr;
}

static struct rel find_causality(const struct state *s) {
    struct rel observation = meet(&s->ms, &s->rf), po_loc = meet(&s->po, &s->loc);
    for (int k = 0; k < s->n; k++) {
        struct rel once = then(&observation, &s->rmw), more = then(&once, &observation);
        observation = join(&observation, &more);
    }
    struct rel self = {{0}};
    self = or_self(&self);
    struct rel po_loc_or_self = join(&po_loc, &self);
    struct rel w = only(s, is_strong_write), r = only(s, is_strong_read);
    struct rel releasing = only(s, is_releasing_fence), acquiring = only(s, is_acquiring_fence);
    struct rel rel_op = only(s, is_release), acq_r = only(s, is_acquire);

    struct rel a = then(&rel_op, &po_loc_or_self), b = then(&releasing, &s->po);
    struct rel heads = join(&a, &b), release = then(&heads, &w);
    struct rel c = then(&po_loc_or_self, &acq_r), d = then(&s->po, &acquiring);
    struct rel tails = join(&c, &d), acquire = then(&r, &tails);

    struct rel seen = then(&release, &observation), through = then(&seen, &acquire);
    struct rel synchronizes = meet(&s->ms, &through);
    struct rel any = join(&synchronizes, &s->sc);
    any = join(&any, &s->bar);
    any = join(&any, &s->async);
    struct rel po_or_self = or_self(&s->po), step = then(&any, &po_or_self), steps = closure(&step);
    struct rel base = then(&po_or_self, &steps), after = join(&base, &po_loc),
               late = then(&observation, &after);
    return join(&base, &late);
}

static bool is_allowed(const struct state *s) {
    struct rel fr = find_fr(s), causality = find_causality(s);
    struct rel ms_fr = meet(&s->ms, &fr), ms_co = meet(&s->ms, &s->co), broken = then(&ms_fr, &ms_co);
    EACH(x) EACH(y) {
        const struct event *ex = &s->events[x], *ey = &s->events[y];
        if (ex->kind == WRITE && ey->kind == WRITE && has(&s->loc, x, y)) {
            if (has(&causality, x, y) && !has(&s->co, x, y)) return false; /* Coherence */
            if (has(&s->ms, x, y) && !has(&s->co, x, y) && !has(&s->co, y, x)) return false;
        }
        if (ex->sc && ey->sc && has(&causality, x, y) && !has(&s->sc, x, y)) return false; /* Fence-SC */
        if (has(&s->rmw, x, y) && has(&broken, x, y)) return false;                        /* Atomicity */
        if ((has(&s->rf, x, y) || has(&fr, x, y)) && has(&causality, y, x)) return false;  /* Causality */
    }
    struct rel thin = join(&s->rf, &s->dep);
    if (!is_acyclic(&thin)) return false; /* No-Thin-Air */
    struct rel com = join(&s->rf, &s->co), po_loc = meet(&s->po, &s->loc);
    com = join(&com, &fr);
    com = meet(&com, &s->ms);
    com = join(&com, &po_loc);
    return is_acyclic(&com); /* SC-per-Location */
}

/* Outcomes */

bool brute_has(const struct brute_outcomes *out, const int32_t *values) {
    for (int k = 0; k < out->n; k++)
        if (memcmp(out->values + (size_t)k * BRUTE_MAX_OBS, values, (size_t)out->nobs * sizeof *values) == 0)
            return true;
    return false;
}

static void record(struct brute_outcomes *out, const int32_t *values) {
    if (brute_has(out, values)) return;
    if (out->n == out->cap) {
        out->cap = out->cap ? 2 * out->cap : 16;
        out->values = realloc(out->values, (size_t)out->cap * BRUTE_MAX_OBS * sizeof *out->values);
        if (!out->values) abort();
    }
    memcpy(out->values + (size_t)out->n++ * BRUTE_MAX_OBS, values, BRUTE_MAX_OBS * sizeof *values);
}

void brute_project(struct brute_outcomes *out, unsigned observed) {
    struct brute_outcomes all = *out;
    *out = (struct brute_outcomes){.nobs = __builtin_popcount(observed)};
    for (int k = 0; k < all.n; k++) {
        int32_t values[BRUTE_MAX_OBS] = {0};
        for (int o = 0, at = 0; o < all.nobs; o++)
            if (observed >> o & 1) values[at++] = all.values[(size_t)k * BRUTE_MAX_OBS + (size_t)o];
        record(out, values);
    }
    brute_free(&all);
}

/* Any co-maximal write may be the last. */
static void record_finals(const struct state *s, int32_t *values, int at, int loc) {
    if (loc == BRUTE_LOCS + s->program->vector) {
        s->out->nobs = at;
        record(s->out, values);
        return;
    }
    EACH(e) {
        if (s->events[e].kind != WRITE || s->events[e].loc != loc || s->co.row[e]) continue;
        values[at] = s->value[e];
        record_finals(s, values, at + 1, loc + 1);
    }
}

/* How many values an operation returns. */
static int returned_lanes(const struct brute_program *p, int thread, int op) {
    const struct brute_op *o = &p->ops[thread][op];
    switch (o->kind) {
    case BRUTE_LOAD:
    case BRUTE_ADD:
    case BRUTE_EXCH:
    case BRUTE_CAS: return o->red ? 0 : lanes_of(p, o->loc);
    case BRUTE_STORE:
    case BRUTE_FENCE:
    case BRUTE_BARRIER:
    case BRUTE_COPY:
    case BRUTE_COMMIT:
    case BRUTE_WAIT:
    case BRUTE_EXIT: break;
    }
    return 0;
}

static void record_outcomes(const struct state *s) {
    int32_t values[BRUTE_MAX_OBS] = {0};
    int at = 0;
    for (int t = 0; t < s->program->nthreads; t++)
        for (int k = 0; k < s->program->nops[t]; k++)
            for (int lane = 0; lane < returned_lanes(s->program, t, k); lane++, at++) {
                int read = read_of(s, t, k, lane);
                values[at] = read < 0 ? 0 : s->value[read];
            }
    record_finals(s, values, at, 0);
}

/* Enumeration */

/* All relations on the fence.sc: every pair one way, the other, or neither; acyclic. */
static void choose_sc(struct state *s, int x, int y) {
    if (y == s->n) {
        x++;
        y = x + 1;
    }
    if (x >= s->n - 1) {
        if (is_acyclic(&s->sc) && is_allowed(s)) record_outcomes(s);
        return;
    }
    if (!s->events[x].sc || !s->events[y].sc) {
        choose_sc(s, x, y + 1);
        return;
    }
    bool must = has(&s->ms, x, y);
    struct rel before = s->sc;
    if (!must) choose_sc(s, x, y + 1);
    add(&s->sc, x, y);
    choose_sc(s, x, y + 1);
    s->sc = before;
    add(&s->sc, y, x);
    choose_sc(s, x, y + 1);
    s->sc = before;
}

static bool is_order(const struct state *s) {
    struct rel closed = closure(&s->co);
    EACH(e) if (has(&closed, e, e) || closed.row[e] != s->co.row[e]) return false;
    return true;
}

/* All strict partial orders of the writes of each location in which the initial write comes first. */
static void choose_co(struct state *s, int x, int y) {
    if (y == s->n) {
        x++;
        y = x + 1;
    }
    if (x >= s->n - 1) {
        if (is_order(s)) choose_sc(s, 0, 1);
        return;
    }
    if (s->events[x].kind != WRITE || s->events[y].kind != WRITE || !has(&s->loc, x, y)) {
        choose_co(s, x, y + 1);
        return;
    }
    struct rel before = s->co;
    if (s->events[x].thread >= 0) {
        choose_co(s, x, y + 1);
        add(&s->co, y, x);
        choose_co(s, x, y + 1);
        s->co = before;
    }
    add(&s->co, x, y);
    choose_co(s, x, y + 1);
    s->co = before;
}

static void choose_rf(struct state *s, int read) {
    while (read < s->n && s->events[read].kind != READ)
        read++;
    if (read == s->n) {
        if (find_values(s) && guards_hold(s)) choose_co(s, 0, 1);
        return;
    }
    struct rel before = s->rf;
    EACH(w) {
        if (s->events[w].kind != WRITE || !has(&s->loc, w, read)) continue;
        s->source[read] = w;
        add(&s->rf, w, read);
        choose_rf(s, read + 1);
        s->rf = before;
    }
}

/* Runs with every choice of the guarded stores that are left out, the CASs that fail and the exits that are taken. */
static void choose_skips(const struct brute_program *p, struct state *skips, int thread, int op) {
    if (thread == p->nthreads) {
        struct state s = *skips;
        build(&s);
        choose_rf(&s, 0);
        return;
    }
    if (op == p->nops[thread]) {
        choose_skips(p, skips, thread + 1, 0);
        return;
    }
    choose_skips(p, skips, thread, op + 1);
    const struct brute_op *o = &p->ops[thread][op];
    if (o->kind != BRUTE_CAS && o->kind != BRUTE_EXIT && !(o->kind == BRUTE_STORE && o->guarded)) return;
    skips->skipped[thread][op] = true;
    choose_skips(p, skips, thread, o->kind == BRUTE_EXIT ? p->nops[thread] : op + 1);
    skips->skipped[thread][op] = false;
}

void brute_run(const struct brute_program *p, struct brute_outcomes *out) {
    *out = (struct brute_outcomes){0};
    struct state s = {.program = p, .out = out};
    choose_skips(p, &s, 0, 0);
}

void brute_free(struct brute_outcomes *out) {
    free(out->values);
    *out = (struct brute_outcomes){0};
}
