/* An execution of the second writing of the model: its events, and what relates them. */
#ifndef CULITMUS_TEST_BRUTE_STATE_H
#define CULITMUS_TEST_BRUTE_STATE_H

#include "brute.h"
#include "brute_rel.h"

enum { MAX_SEGMENTS = BRUTE_BYTES };

struct event {
    enum event_kind { READ, WRITE, FENCE, ARRIVE, WAIT } kind;
    int thread, op, lane;
    int loc;             /* an element of a vector is a location of its own */
    int first, segments; /* of the location: those that are accessed */
    bool copy;           /* of a copy: not in its thread's program order */
    bool strong, acquire, release, sc, barrier, red;
    bool acquiring, releasing; /* of a fence: the patterns that it takes part in */
    enum brute_scope scope;
    int partner; /* of an atomic operation */
};

struct state {
    const struct brute_program *program;
    const struct brute_meeting *meeting;
    bool skipped[BRUTE_MAX_THREADS]
                [BRUTE_MAX_OPS]; /* guarded stores that are not run, CASs that fail, exits that are taken */
    struct event events[MAX_EVENTS];
    int n;
    struct rel po, loc, ms, rmw, dep, bar, async; /* dep: address, data and control */
    struct rel exit, decided; /* an exit, and what decides it, before the waits that it ends */
    int source[MAX_EVENTS][MAX_SEGMENTS];
    int64_t value[MAX_EVENTS][MAX_SEGMENTS];
    struct rel rf, co, sc;
    struct rel least; /* the causality that there is whatever the order of the fences */
    struct brute_outcomes *out;
};

#define EACH(e) for (int e = 0; e < s->n; e++)

static inline bool overlap(const struct event *x, const struct event *y) {
    return x->loc >= 0 && x->loc == y->loc && x->first < y->first + y->segments &&
           y->first < x->first + x->segments;
}

static inline bool are_of_the_same(const struct event *x, const struct event *y) {
    return overlap(x, y) && x->first == y->first && x->segments == y->segments;
}

/* Makes the events and what relates them, but rf, co and the order of the fences. */
void brute_build(struct state *s);

/* The elements of a location: of a vector two; and the segments of an element. */
int brute_lanes(const struct brute_program *p, int loc);
int brute_segments(const struct brute_program *p, int loc);

/* The read of an operation, or -1. */
int brute_read(const struct state *s, int thread, int op, int lane);
/* The read of which an operation's register has the value: its own, or that whose value the other thread gave. -1: it gave
 * a number, *given. */
int brute_origin(const struct state *s, int thread, int op, int lane, int *given);

/* Whether the scope of each includes the thread of the other. */
bool brute_are_mutual(const struct state *s, const struct event *x, const struct event *y);

/* Whether the operation is an exit that is taken. */
bool brute_leaves(const struct state *s, int thread, int op);

/* The causality of an execution whose rf and sc are known. */
struct rel brute_causality(const struct state *s);
/* Whether the axioms allow the execution. */
bool brute_is_allowed(const struct state *s);
/* Adds the races of an execution to the outcomes, and whether accesses that share bytes, but are not of the same ones, are
 * among them. */
void brute_add_races(const struct state *s);

#endif
