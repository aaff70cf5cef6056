#include "brute_state.h"

#include <stdlib.h>

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
    int64_t number = brute_number(o, o->value);
    int given = o->value + 2 * v->lane;
    int from = o->kind == BRUTE_ADD ? v->partner
               : v->copy            ? brute_read(s, v->thread, v->op, 0)
               : computed           ? brute_origin(s, v->thread, o->source, v->lane, &given)
                                    : -1;
    int64_t value = from >= 0 ? whole(s, from) : o->bytes ? number : given;
    set_whole(s, write,
              other                  ? value == o->value ? o->value : 3 - o->value
              : o->kind == BRUTE_ADD ? value + number
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
    int given = 0, from = brute_origin(s, thread, op, lane, &given);
    return from < 0 ? given : whole(s, from);
}

/* Whether exactly the stores whose guards hold were run, and the CASs that found what they expect. */
static bool guards_hold(const struct state *s) {
    for (int t = 0; t < s->program->nthreads; t++)
        for (int k = 0; k < s->program->nops[t]; k++) {
            const struct brute_op *o = &s->program->ops[t][k];
            if (o->kind == BRUTE_EXIT && (register_value(s, t, o->source, 0) == o->value) != s->skipped[t][k])
                return false;
            if (brute_leaves(s, t, k)) break;
            if (o->kind == BRUTE_STORE && o->guarded &&
                (register_value(s, t, o->source, 0) == o->value) == s->skipped[t][k])
                return false;
            if (o->kind == BRUTE_CAS &&
                (whole(s, brute_read(s, t, k, 0)) == brute_number(o, o->expected)) == s->skipped[t][k])
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
    if (segment == brute_segments(s->program, loc)) {
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
    return o->kind == BRUTE_SWAP ? 1 : brute_lanes(p, o->loc);
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
            brute_add_races(s);
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

/* Whether write x may come before write y, as far as causality says. */
static bool may_precede(const struct state *s, int x, int y) {
    return s->events[y].thread >= 0 && !has(&s->least, y, x);
}

/* All strict partial orders of the writes of each location in which the initial write comes first, and which do not
 * contradict causality, nor leave morally strong writes in no order. */
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
    bool free = may_precede(s, x, y) && may_precede(s, y, x) && !has(&s->least, x, y);
    if (free && !has(&s->ms, x, y)) choose_co(s, x, y + 1);
    for (int turn = 0; turn < 2; turn++) {
        if (!may_precede(s, turn ? y : x, turn ? x : y)) continue;
        add(&s->co, turn ? y : x, turn ? x : y);
        choose_co(s, x, y + 1);
        s->co = before;
    }
}

/* Whether a read is ahead of what it reads: it stays so, however the other reads and the fences are chosen. */
static bool is_ahead(struct state *s) {
    s->least = brute_causality(s);
    EACH(w) EACH(r) if (has(&s->rf, w, r) && has(&s->least, r, w)) return true;
    return false;
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
        if (segment == 0 || !is_ahead(s)) choose_rf(s, read + 1, 0);
        return;
    }
    if (read == s->n) {
        s->least = brute_causality(s);
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
            brute_build(&s);
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
