/* The axioms of PTX, written from their definitions. */
#include "brute_state.h"

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
    EACH(r) {
        for (int k = 0; k < s->events[r].segments && s->events[r].kind == READ; k++)
            EACH(w) {
                int at = s->events[r].first + k - s->events[w].first;
                bool there = s->events[w].loc == s->events[r].loc && at >= 0 && at < s->events[w].segments;
                if (there && has(&s->co, s->source[r][k], w)) add(&fr, r, w);
            }
    }
    return fr;
}

static struct rel find_observation(const struct state *s) {
    struct rel observation = meet(&s->ms, &s->rf);
    for (int k = 0; k < s->n; k++) {
        struct rel once = then(&observation, &s->rmw), more = then(&once, &observation);
        observation = join(&observation, &more);
    }
    return observation;
}

/* Program order of accesses to one location: to the same bytes. */
static struct rel find_same(const struct state *s) {
    struct rel same = meet(&s->po, &s->loc);
    return meet(&same, &s->ms);
}

/* A release pattern: from what releases to the write. */
static struct rel find_release(const struct state *s) {
    struct rel same = find_same(s), same_or_self = or_self(&same);
    struct rel operation = only(s, is_release), fence = only(s, is_releasing_fence);
    struct rel a = then(&operation, &same_or_self), b = then(&fence, &s->po);
    struct rel heads = join(&a, &b), write = only(s, is_strong_write);
    return then(&heads, &write);
}

/* An acquire pattern: from the read to what acquires. */
static struct rel find_acquire(const struct state *s) {
    struct rel same = find_same(s), same_or_self = or_self(&same);
    struct rel operation = only(s, is_acquire), fence = only(s, is_acquiring_fence);
    struct rel a = then(&same_or_self, &operation), b = then(&s->po, &fence);
    struct rel tails = join(&a, &b), read = only(s, is_strong_read);
    return then(&read, &tails);
}

/* What orders events but program order. */
static struct rel find_links(const struct state *s) {
    struct rel observation = find_observation(s), release = find_release(s), acquire = find_acquire(s);
    struct rel seen = then(&release, &observation), through = then(&seen, &acquire);
    struct rel synchronizes = meet(&s->ms, &through);
    struct rel any = join(&synchronizes, &s->sc);
    any = join(&any, &s->bar);
    return join(&any, &s->async);
}

static struct rel find_base(const struct state *s) {
    struct rel links = find_links(s), any = join(&links, &s->po); /* as PTX has it since 7.5 */
    return closure(&any);
}

static struct rel find_causality(const struct state *s, const struct rel *base) {
    struct rel observation = find_observation(s), po_loc = meet(&s->po, &s->loc);
    struct rel after = join(base, &po_loc), late = then(&observation, &after);
    return join(base, &late);
}

struct rel brute_causality(const struct state *s) {
    struct rel base = find_base(s);
    return find_causality(s, &base);
}

/* No event comes before what decides the exit that it has waited for: a write of which that is made, or that itself. */
static bool is_out_of_thin_air(const struct state *s, const struct rel *base) {
    struct rel after = join(base, &s->exit), thin = join(&s->rf, &s->dep);
    after = closure(&after);
    struct rel left = then(&s->decided, &after);
    thin = join(&thin, &left);
    return !is_acyclic(&thin);
}

/* A read has no byte of a write, and another one of what is older, if the two are morally strong. */
static bool is_torn(const struct state *s, const struct rel *fr) {
    EACH(r) EACH(w) if (has(&s->ms, r, w) && has(&s->rf, w, r) && has(fr, r, w)) return true;
    return false;
}

static bool is_atomic(const struct state *s, const struct event *e) {
    if (e->thread < 0 || e->loc < 0) return false;
    enum brute_kind kind = s->program->ops[e->thread][e->op].kind;
    return kind == BRUTE_ADD || kind == BRUTE_EXCH || kind == BRUTE_CAS;
}

static bool is_of_one(const struct event *x, const struct event *y) {
    return x->thread == y->thread && x->op == y->op;
}

/* Whether atomic operations in each other's scope, of whatever sizes, take turns: none sees one part of another before it,
 * and one after it. */
static bool take_turns(const struct state *s, const struct rel *fr) {
    struct rel turns = {{0}};
    EACH(x) EACH(y) {
        const struct event *ex = &s->events[x], *ey = &s->events[y];
        if (!is_atomic(s, ex) || !is_atomic(s, ey) || !brute_are_mutual(s, ex, ey)) continue;
        bool before = has(&s->rf, x, y) || has(&s->co, x, y) || (has(fr, x, y) && !is_of_one(ex, ey));
        if (ex->kind == WRITE && ey->kind == WRITE && x != y && has(&s->loc, x, y) && !has(&s->co, x, y) &&
            !has(&s->co, y, x))
            return false;
        EACH(z) if (before && is_of_one(&s->events[z], ey)) add(&turns, x, z);
    }
    return is_acyclic(&turns);
}

bool brute_is_allowed(const struct state *s) {
    struct rel fr = find_fr(s), base = find_base(s), causality = find_causality(s, &base);
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
    if (is_torn(s, &fr)) return false;              /* Single-Copy Atomicity */
    if (!take_turns(s, &fr)) return false;          /* Atomicity of mixed sizes */
    if (is_out_of_thin_air(s, &base)) return false; /* No-Thin-Air */
    struct rel com = join(&s->rf, &s->co), same = find_same(s);
    com = join(&com, &fr);
    com = meet(&com, &s->ms);
    com = join(&com, &same);
    return is_acyclic(&com); /* SC-per-Location */
}

static bool is_same_agent(const struct event *x, const struct event *y) {
    return x->thread == y->thread && x->copy == y->copy && (!x->copy || x->op == y->op);
}

/* Two accesses that share bytes, by two agents, one of them a write. */
static bool conflict(const struct event *x, const struct event *y) {
    return x->thread >= 0 && y->thread >= 0 && !is_same_agent(x, y) && overlap(x, y) &&
           (x->kind == WRITE || y->kind == WRITE);
}

static int number_of(const struct event *e) {
    return e->thread * BRUTE_MAX_OPS + e->op;
}

/* What comes after the reads of atomic operations whose writes are observed: what follows an acquire pattern, or a link to
 * another thread. */
static struct rel find_after_atomics(const struct state *s) {
    struct rel links = find_links(s), acquire = find_acquire(s), observation = find_observation(s);
    struct rel po_or_self = or_self(&s->po), step = then(&links, &po_or_self), steps = closure(&step);
    struct rel linked = then(&po_or_self, &steps), acquired = then(&acquire, &s->po);
    struct rel after = join(&linked, &acquired), seen = then(&s->rmw, &observation);
    return then(&seen, &after);
}

void brute_add_races(const struct state *s) {
    struct rel causality = brute_causality(s), atomics = find_after_atomics(s);
    struct rel ordered = join(&causality, &atomics);
    EACH(x) EACH(y) {
        const struct event *ex = &s->events[x], *ey = &s->events[y];
        if (!conflict(ex, ey) || has(&s->ms, x, y) || has(&ordered, x, y) || has(&ordered, y, x)) continue;
        if (!are_of_the_same(ex, ey)) s->out->undefined = true;
        if (number_of(ex) < number_of(ey)) s->out->races[number_of(ex)][number_of(ey)] = true;
    }
}
