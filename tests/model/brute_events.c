/* The events of an execution of the second writing, and what is known of them before its reads have their sources. */
#include "brute_state.h"

static bool includes(const struct state *s, enum brute_scope scope, int from, int to) {
    const struct brute_program *p = s->program;
    if (from == to || scope == BRUTE_SYS) return true;
    return scope == BRUTE_CTA ? p->block[from] == p->block[to] : p->gpu[from] == p->gpu[to];
}

int brute_lanes(const struct brute_program *p, int loc) {
    return p->vector && loc == 0 ? 2 : 1;
}

/* The locations, elements of a vector counted by themselves. */
static int first_lane(const struct brute_program *p, int loc) {
    return loc + (p->vector && loc > 0);
}

int brute_segments(const struct brute_program *p, int loc) {
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
    int n = brute_lanes(s->program, s->program->ops[thread][op].loc);
    for (int lane = 0; lane < n; lane++)
        add_lane(s, kind, thread, op, lane);
}

int brute_read(const struct state *s, int thread, int op, int lane) {
    EACH(k) {
        const struct event *e = &s->events[k];
        if (e->kind == READ && e->thread == thread && e->op == op && e->lane == lane) return k;
    }
    return -1;
}

int brute_origin(const struct state *s, int thread, int op, int lane, int *given) {
    const struct brute_program *p = s->program;
    if (p->ops[thread][op].kind != BRUTE_SWAP) return brute_read(s, thread, op, lane);
    int other = 1 - thread, k = 0;
    while (p->ops[other][k].kind != BRUTE_SWAP)
        k++;
    *given = p->ops[other][k].value;
    return p->ops[other][k].source < 0 ? -1 : brute_read(s, other, p->ops[other][k].source, 0);
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

bool brute_leaves(const struct state *s, int thread, int op) {
    return s->program->ops[thread][op].kind == BRUTE_EXIT && s->skipped[thread][op];
}

/* What a thread does that exits before a barrier at which another one waits; and what it has read to decide that. */
static void leave(struct state *s, int wait, int thread) {
    const struct brute_program *p = s->program;
    const struct event *w = &s->events[wait];
    int n = barriers_before(p, w->thread, w->op), k = 0, given;
    while (k < p->nops[thread] && !brute_leaves(s, thread, k))
        k++;
    if (k == p->nops[thread] || barriers_before(p, thread, k) > n) return;
    int from = brute_origin(s, thread, p->ops[thread][k].source, 0, &given);
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
        int given, from = brute_origin(s, e->thread, o->source, own && !o->guarded ? e->lane : 0, &given);
        if (from >= 0) add(&s->dep, from, w);
    }
}

bool brute_are_mutual(const struct state *s, const struct event *x, const struct event *y) {
    return x->thread >= 0 && y->thread >= 0 && x->strong && y->strong &&
           includes(s, x->scope, x->thread, y->thread) && includes(s, y->scope, y->thread, x->thread);
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
            bool mutual = brute_are_mutual(s, ex, ey);
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
        if (e->kind == WRITE && e->copy) add(&s->dep, brute_read(s, e->thread, e->op, 0), w);
        if (e->kind == WRITE && e->partner >= 0 && s->program->ops[e->thread][e->op].kind != BRUTE_EXCH)
            add(&s->dep, e->partner, w);
    }
}

void brute_build(struct state *s) {
    for (int l = 0; l < BRUTE_LOCS + s->program->vector; l++)
        s->events[s->n++] = (struct event){
            .kind = WRITE, .thread = -1, .loc = l, .segments = brute_segments(s->program, l), .partner = -1};
    for (int t = 0; t < s->program->nthreads; t++)
        for (int k = 0; k < s->program->nops[t] && !brute_leaves(s, t, k); k++)
            add_op(s, t, k);
    relate(s);
}
