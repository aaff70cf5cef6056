/* The bounds of a plan's nodes over one graph, at every depth of a search: each decision makes a level on
 * top of the one before, in which only what the decision changed is computed again. Taking a level off
 * undoes it. */
#ifndef CULITMUS_EVAL_H
#define CULITMUS_EVAL_H

#include "model/graph.h"

struct level {
    uint64_t **value; /* of every node: a buffer of this level or of one below */
    uint64_t **own;   /* this level's buffers, made when first needed */
    bool *changed;
};

enum decision_kind { DECIDE_NOTHING, DECIDE_RF, DECIDE_ORDER };

struct decision {
    enum decision_kind kind;
    int order;    /* ORDER: which */
    int from, to; /* RF: a write and a read; ORDER: the earlier and the later event */
};

struct eval {
    const struct model_plan *plan;
    const struct graph *graph;
    struct arena *arena;
    struct dim dim;
    struct plan_node *nodes; /* the plan's, as far as this graph is concerned */
    int *at;                 /* plan's node -> the node that has its value */
    const bool *needed;      /* node -> it is kept up to date; NULL: all are */
    struct schedule changing, by_rf, by_order[MAX_ORDERS];
    struct level *levels;
    int depth, cap;
    uint64_t *scratch;
    bool complete; /* everything is decided: the bounds meet */
    bool tolerant; /* keep levels that break an axiom */
    size_t bytes;  /* taken for levels */
};

/* Prepares level 0: nothing is decided. `sources[e]`: for a read, the writes that it may read from. False
 * when an axiom is broken already. Memory comes from the arena. */
bool eval_open(struct eval *ev, const struct model_plan *plan, const struct graph *g,
               const uint64_t *const *sources, struct arena *a);

/* Whether a decision is sure to break an axiom, as far as that can be seen without making it. */
bool eval_refuses(const struct eval *ev, struct decision d);

/* Adds a level. False when it breaks an axiom; the level is there all the same, and must be taken off. */
bool eval_push(struct eval *ev, struct decision d);
void eval_pop(struct eval *ev);

/* On a complete candidate: lets the bounds meet and judges again. Adds a level too. */
bool eval_push_complete(struct eval *ev);

const uint64_t *eval_value(const struct eval *ev, int node);

/* Whether an axiom, or the order number k, is broken at this level. */
bool eval_breaks_axiom(const struct eval *ev, int axiom);
bool eval_breaks_order(const struct eval *ev, int k);

/* Leaves out what no decision can change in this graph: the last step of eval_open, unless tolerant. */
void eval_specialize(struct eval *ev);

#endif
