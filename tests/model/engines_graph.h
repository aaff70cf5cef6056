/* An execution of a program of engines.h. */
#ifndef CULITMUS_TEST_ENGINES_GRAPH_H
#define CULITMUS_TEST_ENGINES_GRAPH_H

#include <string.h>

#include "engines.h"

struct net {
    uint64_t row[MOST_NODES];
};

static inline bool linked(const struct net *n, int x, int y) {
    return n->row[x] >> y & 1;
}

static inline void link_to(struct net *n, int x, int y) {
    n->row[x] |= 1ull << y;
}

enum node_kind {
    A_READ,
    A_WRITE,
    A_FENCE,
    A_PROXY_FENCE,
    A_MEETING, /* arrives at a barrier, and leaves it */
    AN_ISSUE,
    A_GROUP_WAIT,
    A_COUNT, /* on an mbarrier */
    A_TRY,
    A_KERNEL_WAIT,
    A_TRIGGER,
};

struct node {
    enum node_kind kind;
    int thread, agent; /* 0: the thread itself */
    const struct deed_of *op;
    int word;           /* of an access */
    bool async, mapped; /* an access */
    bool result;        /* a read whose value the thread gets */
    enum order_of order;
    enum scope_of scope;
    int partner;  /* the other half of an atomic operation; -1 */
    int value;    /* what is written, or added to what is read */
    int data;     /* the node whose value is written, or to which it is added; -1 */
    int mbarrier; /* -1 */
    int expects, arrives, completes, raises;
};

struct graph_of {
    const struct engines_program *program;
    enum reading reading;
    struct node nodes[MOST_NODES];
    int n;
    struct net po, issue, completion, tracks, bar, launch, start;
    /* of an execution: */
    int phase[MOST_NODES]; /* in which an operation counts, or which a wait has seen complete; -1 */
    bool over[MOST_NODES];
    int source[MOST_NODES]; /* of a read; -1: the initial value */
    struct net seen, sc, co;
};

/* One way in which mbarriers go through their phases. */
struct way_of {
    int phase[MOST_NODES];
    bool over[MOST_NODES], misused;
};

/* False where a program is too large. */
bool engines_build(struct graph_of *g, const struct engines_program *p);

/* All ways of a graph; MOST_WAYS + 1 where there are more. `stuck_misuse`: one that never ends misuses an mbarrier. */
int engines_phases(const struct graph_of *g, struct way_of *ways, bool *stuck_misuse);

/* What the choices of an execution order, or that they contradict each other: phases and sources; then the order of
 * fence.sc, too. */
bool engines_has_values(const struct graph_of *g);
struct net engines_strong(const struct graph_of *g);
struct net engines_atomic(const struct graph_of *g);
bool engines_causality(const struct graph_of *g, struct net *causality);

static inline bool is_access(const struct node *n) {
    return n->kind == A_READ || n->kind == A_WRITE;
}

static inline struct net net_then(const struct net *a, const struct net *b) {
    struct net r = {{0}};
    for (int e = 0; e < MOST_NODES; e++)
        for (uint64_t left = a->row[e]; left; left &= left - 1)
            r.row[e] |= b->row[__builtin_ctzll(left)];
    return r;
}

static inline struct net net_or(const struct net *a, const struct net *b) {
    struct net r;
    for (int e = 0; e < MOST_NODES; e++)
        r.row[e] = a->row[e] | b->row[e];
    return r;
}

static inline struct net net_closed(const struct net *a) {
    struct net r = *a;
    for (int k = 0; k < MOST_NODES; k++)
        for (int e = 0; e < MOST_NODES && r.row[k]; e++)
            if (linked(&r, e, k)) r.row[e] |= r.row[k];
    return r;
}

static inline struct net net_or_self(const struct net *a) {
    struct net r = *a;
    for (int e = 0; e < MOST_NODES; e++)
        link_to(&r, e, e);
    return r;
}

static inline bool net_turns_back(const struct net *closed) {
    for (int e = 0; e < MOST_NODES; e++)
        if (linked(closed, e, e)) return true;
    return false;
}

#endif
