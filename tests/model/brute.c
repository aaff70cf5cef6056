#include "brute_state.h"

#include <stdlib.h>

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

static int segments_of(const struct brute_program *p, int loc) {
    return p->grain && loc == 0 ? BRUTE_BYTES / p->grain : 1;
}

static int add_lane(struct state *s, enum event_kind kind, int thread, int op, int lane) {
    const struct brute_op *o = &s->program->ops[thread][op];
    struct event *e = &s->events[s->n];
    bool memory = kind == READ || kind == WRITE, both = o->order == BRUTE_ACQ_REL;
    *e = (struct event){.kind = kind, .thread = thread, .op = op, .scope = o->scope, .partner = -1};
    e->lane = lane;
    bool mixed = memory && s->program->grain && o->loc == 0;
    e->first = mixed ? o->at / s->program->grain : 0;
    e->segments = mixed ? o->bytes / s->program->grain : 1;
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

static int add_event(struct state *s, enum event_kind kind, int thread, int op) {
    return add_lane(s, kind, thread, op, 0);
}

static void add_access(struct state *s, enum event_kind kind, int thread, int op) {
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

/* The read of which an operation's register has the value: its own, or that whose value the other thread gave. -1: it gave
 * a number, *given. */
static int origin_of(const struct state *s, int thread, int op, int lane, int *given) {
    const struct brute_program *p = s->program;
    if (p->ops[thread][op].kind != BRUTE_SWAP) return read_of(s, thread, op, lane);
    int other = 1 - thread, k = 0;
    while (p->ops[other][k].kind != BRUTE_SWAP)
        k++;
    *given = p->ops[other][k].value;
    return p->ops[other][k].source < 0 ? -1 : read_of(s, other, p->ops[other][k].source, 0);
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
    case BRUTE_SWAP:
    case BRUTE_WAIT: break;
    case BRUTE_MEET:
    case BRUTE_BARRIER:
        add_event(s, ARRIVE, thread, op);
        if (!s->program->ops[thread][op].arrives) add_event(s, WAIT, thread, op);
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
    if (x->kind == ARRIVE && y->kind == WAIT && p->ops[y->thread][y->op].kind == BRUTE_MEET)
        return s->meeting->use[x->thread][x->op] >= 0 &&
               s->meeting->use[x->thread][x->op] == s->meeting->use[y->thread][y->op];
    return x->kind == ARRIVE && y->kind == WAIT && p->block[x->thread] == p->block[y->thread] &&
           barriers_before(p, x->thread, x->op) == barriers_before(p, y->thread, y->op);
}

static bool is_exit_taken(const struct state *s, int thread, int op) {
    return s->program->ops[thread][op].kind == BRUTE_EXIT && s->skipped[thread][op];
}

/* What a thread does that exits before a barrier at which another one waits; and what it has read to decide that. */
static void leave(struct state *s, int wait, int thread) {
    const struct brute_program *p = s->program;
    const struct event *w = &s->events[wait];
    int n = barriers_before(p, w->thread, w->op), k = 0, given;
    while (k < p->nops[thread] && !is_exit_taken(s, thread, k))
        k++;
    if (k == p->nops[thread] || barriers_before(p, thread, k) > n) return;
    int from = origin_of(s, thread, p->ops[thread][k].source, 0, &given);
    if (from >= 0 && barriers_before(p, thread, p->nops[thread]) > n) add(&s->decided, from, wait);
    EACH(x) if (s->events[x].thread == thread) add(&s->exit, x, wait);
}

/* A store depends on what it stores, or on its own guard, and whatever happens on the exits before it. */
static void depend(struct state *s, int w) {
    const struct event *e = &s->events[w];
    for (int k = 0; k <= e->op && e->kind == WRITE; k++) {
        const struct brute_op *o = &s->program->ops[e->thread][k];
        bool own = k == e->op && o->kind == BRUTE_STORE && o->source >= 0 && o->use != BRUTE_CANCELS &&
                   o->use != BRUTE_SAME_WAYS;
        if (!own && o->kind != BRUTE_EXIT) continue;
        int given, from = origin_of(s, e->thread, o->source, own && !o->guarded ? e->lane : 0, &given);
        if (from >= 0) add(&s->dep, from, w);
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
            if (overlap(ex, ey)) add(&s->loc, x, y);
            if (ex->partner == y && x < y) add(&s->rmw, x, y);
            if (meets(s, ex, ey)) add(&s->bar, x, y);
            bool mutual = ex->thread >= 0 && ey->thread >= 0 && ex->strong && ey->strong &&
                          includes(s, ex->scope, ex->thread, ey->thread) &&
                          includes(s, ey->scope, ey->thread, ex->thread);
            if (x != y && ((same && !elements) || mutual) && (!memory || are_of_the_same(ex, ey)))
                add(&s->ms, x, y);
        }
    }
    EACH(w) {
        const struct event *e = &s->events[w];
        if (e->thread < 0) continue;
        depend(s, w);
        for (int t = 0; t < s->program->nthreads; t++)
            if (e->kind == WAIT && t != e->thread && s->program->block[t] == s->program->block[e->thread] &&
                s->program->ops[e->thread][e->op].kind == BRUTE_BARRIER)
                leave(s, w, t);
        if (e->kind == WRITE && e->copy) add(&s->dep, read_of(s, e->thread, e->op, 0), w);
        if (e->kind == WRITE && e->partner >= 0 && s->program->ops[e->thread][e->op].kind != BRUTE_EXCH)
            add(&s->dep, e->partner, w);
    }
}

static void build(struct state *s) {
    for (int l = 0; l < BRUTE_LOCS + s->program->vector; l++)
        s->events[s->n++] = (struct event){
            .kind = WRITE, .thread = -1, .loc = l, .segments = segments_of(s->program, l), .partner = -1};
    for (int t = 0; t < s->program->nthreads; t++)
        for (int k = 0; k < s->program->nops[t] && !is_exit_taken(s, t, k); k++)
            add_op(s, t, k);
    relate(s);
}

/* Values: of an access as a whole, and of each segment that it accesses. */
static int64_t whole(const struct state *s, int e) {
    if (s->events[e].segments == 1) return s->value[e][0];
    int64_t value = 0;
    for (int k = 0; k < s->events[e].segments; k++)
        value |= (int64_t)((uint64_t)s->value[e][k] << 8 * s->program->grain * k);
    return value;
}

static void set_whole(struct state *s, int e, int64_t value) {
    int bits = 8 * s->program->grain, n = s->events[e].segments;
    for (int k = 0; k < n; k++) /* a value of mixed sizes has no bits but its own */
        s->value[e][k] = bits && s->events[e].loc == 0
                             ? (int64_t)((uint64_t)value >> bits * k & ((1ull << bits) - 1))
                             : value;
}

static bool read_sources(struct state *s, const bool *known, int read) {
    bool all = true;
    for (int k = 0; k < s->events[read].segments; k++) {
        int from = s->source[read][k], at = s->events[read].first + k - s->events[from].first;
        all = all && known[from];
        s->value[read][k] = s->value[from][at];
    }
    return all;
}

static bool write_value(struct state *s, const bool *known, int write) {
    const struct event *v = &s->events[write];
    const struct brute_op *o = &s->program->ops[v->thread][v->op];
    bool other = o->use == BRUTE_OTHER_WAY, computed = other || (o->kind == BRUTE_STORE && o->source >= 0 &&
                                                                 !o->guarded && o->use == BRUTE_IS_STORED);
    int given = o->value + 2 * v->lane;
    int from = o->kind == BRUTE_ADD ? v->partner
               : v->copy            ? read_of(s, v->thread, v->op, 0)
               : computed           ? origin_of(s, v->thread, o->source, v->lane, &given)
                                    : -1;
    int64_t value = from < 0 ? given : whole(s, from);
    set_whole(s, write,
              other                  ? value == o->value ? o->value : 3 - o->value
              : o->kind == BRUTE_ADD ? value + o->value
                                     : value);
    return from < 0 || known[from];
}

/* Once every read has its sources; a value that needs itself is found by going round too often. */
static bool find_values(struct state *s) {
    bool known[MAX_EVENTS] = {false};
    for (int round = 0; round <= s->n; round++) {
        EACH(e) {
            if (s->events[e].kind == READ) known[e] = read_sources(s, known, e);
            if (s->events[e].kind == WRITE) known[e] = s->events[e].thread < 0 || write_value(s, known, e);
        }
    }
    EACH(e) if ((s->events[e].kind == READ || s->events[e].kind == WRITE) && !known[e]) return false;
    return true;
}

static int64_t register_value(const struct state *s, int thread, int op, int lane) {
    int given = 0, from = origin_of(s, thread, op, lane, &given);
    return from < 0 ? given : whole(s, from);
}

/* Whether exactly the stores whose guards hold were run, and the CASs that found what they expect. */
static bool guards_hold(const struct state *s) {
    for (int t = 0; t < s->program->nthreads; t++)
        for (int k = 0; k < s->program->nops[t]; k++) {
            const struct brute_op *o = &s->program->ops[t][k];
            if (o->kind == BRUTE_EXIT && (register_value(s, t, o->source, 0) == o->value) != s->skipped[t][k])
                return false;
            if (is_exit_taken(s, t, k)) break;
            if (o->kind == BRUTE_STORE && o->guarded &&
                (register_value(s, t, o->source, 0) == o->value) == s->skipped[t][k])
                return false;
            if (o->kind == BRUTE_CAS && (whole(s, read_of(s, t, k, 0)) == o->expected) == s->skipped[t][k])
                return false;
        }
    return true;
}

/* Outcomes */

static void record_finals(const struct state *s, int64_t *values, int at, int loc);

static bool covers(const struct event *e, int segment) {
    return segment >= e->first && segment < e->first + e->segments;
}

/* Any co-maximal write of a segment may be the last; but of two writes that are both of two segments, one is the last of
 * both. */
static void record_segments(const struct state *s, int64_t *values, int at, int loc, int segment, int *last) {
    if (segment == segments_of(s->program, loc)) {
        record_finals(s, values, at + 1, loc + 1);
        return;
    }
    int64_t before = values[at];
    EACH(e) {
        const struct event *x = &s->events[e];
        bool good = x->kind == WRITE && x->loc == loc && covers(x, segment);
        EACH(w)
        if (good && s->events[w].loc == loc && covers(&s->events[w], segment) && has(&s->co, e, w))
            good = false;
        for (int k = 0; k < segment && good; k++)
            good = last[k] == e || !covers(x, k) || !covers(&s->events[last[k]], segment);
        if (!good) continue;
        last[segment] = e;
        uint64_t value = (uint64_t)s->value[e][segment - x->first];
        values[at] = segment ? before | (int64_t)(value << 8 * s->program->grain * segment) : (int64_t)value;
        record_segments(s, values, at, loc, segment + 1, last);
    }
    values[at] = before;
}

static void record_finals(const struct state *s, int64_t *values, int at, int loc) {
    int last[MAX_SEGMENTS];
    if (loc == BRUTE_LOCS + s->program->vector) {
        s->out->nobs = at;
        brute_add(s->out, values);
        return;
    }
    record_segments(s, values, at, loc, 0, last);
}

/* How many values an operation returns. */
static int returned_lanes(const struct brute_program *p, int thread, int op) {
    const struct brute_op *o = &p->ops[thread][op];
    if (!brute_returns_value(o)) return 0;
    return o->kind == BRUTE_SWAP ? 1 : lanes_of(p, o->loc);
}

static void record_outcomes(const struct state *s) {
    int64_t values[BRUTE_MAX_OBS] = {0};
    int at = 0;
    for (int t = 0; t < s->program->nthreads; t++)
        for (int k = 0; k < s->program->nops[t]; k++)
            for (int lane = 0; lane < returned_lanes(s->program, t, k); lane++, at++) {
                values[at] = register_value(s, t, k, lane);
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
        if (is_acyclic(&s->sc) && brute_is_allowed(s)) {
            if (brute_is_mixed_race(s)) s->out->undefined = true;
            record_outcomes(s);
        }
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
    struct rel due = meet(&closed, &s->loc);
    EACH(e) if (has(&closed, e, e) || due.row[e] != s->co.row[e]) return false;
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

/* Whether a read takes some segment from one write that it could have taken all from, and this one from another. */
static bool tears(const struct state *s, int read, int segment, int write) {
    const struct event *r = &s->events[read], *w = &s->events[write];
    for (int k = 0; k < segment; k++) {
        int other = s->source[read][k];
        const struct event *o = &s->events[other];
        bool whole = w->thread < 0 || are_of_the_same(r, w);
        if (other != write && whole && (o->thread < 0 || are_of_the_same(r, o))) return true;
    }
    return false;
}

static void choose_rf(struct state *s, int read, int segment) {
    if (read < s->n && (s->events[read].kind != READ || segment == s->events[read].segments)) {
        choose_rf(s, read + 1, 0);
        return;
    }
    if (read == s->n) {
        if (find_values(s) && guards_hold(s)) choose_co(s, 0, 1);
        return;
    }
    struct rel before = s->rf;
    EACH(w) {
        const struct event *x = &s->events[w];
        if (x->kind != WRITE || x->loc != s->events[read].loc ||
            !covers(x, s->events[read].first + segment) || tears(s, read, segment, w))
            continue;
        s->source[read][segment] = w;
        add(&s->rf, w, read);
        choose_rf(s, read, segment + 1);
        s->rf = before;
    }
}

/* Runs with every choice of the guarded stores that are left out, the CASs that fail and the exits that are taken. */
static void choose_skips(const struct brute_program *p, struct state *skips, int thread, int op) {
    if (thread == p->nthreads) {
        int n;
        const struct brute_meeting *meetings = brute_meetings(p, &n);
        for (int k = 0; k < n; k++) {
            struct state s = *skips;
            s.meeting = &meetings[k];
            build(&s);
            choose_rf(&s, 0, 0);
        }
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
