/* The bounds of a plan's nodes over one graph, while a candidate grows. A step makes decisions, and what they change is
 * computed again, row by row. Every word that changes is first put on a trail, so that a step can be taken back.
 *
 * A candidate is judged while it grows (`early`). Nothing is lost: what is certain only grows and what is possible only
 * shrinks (plan.h), so an axiom that is broken stays broken. */
#ifndef CULITMUS_EVAL_H
#define CULITMUS_EVAL_H

#include "cat/plan.h"
#include "logic/prunings.h"
#include "logic/rel.h"

/* Of more events than this nothing is evaluated. */
enum { EVAL_MAX_EVENTS = 2560 };

/* A word that was changed, and what it was. */
struct undo {
    uint64_t *word, old;
};

enum decision_kind {
    DECIDE_RF,
    DECIDE_ORDER,
    DECIDE_ROW, /* no decision: a pair that a closure is sure to have, see counter.h */
};

struct decision {
    enum decision_kind kind;
    int order;    /* ORDER: which; ROW: the node of the closure */
    int from, to; /* RF: a write and a read; ORDER: the earlier and the later event; ROW: the pair */
};

struct eval {
    const struct model_plan *plan;
    struct arena *arena;
    struct dim dim;
    uint64_t *const *given;  /* relations of names.def that are not guessed */
    bool reads;              /* something has a source to be decided */
    struct plan_node *nodes; /* the plan's, as far as this graph is concerned */
    int *at;                 /* plan's node -> the node that has its value */
    bool *fixed;             /* node -> no decision changes it */
    const bool *needed;      /* node -> it is kept up to date; NULL: all are */
    struct schedule changing, by_rf, by_order[MAX_ORDERS];
    const struct consequence *consequences; /* those that may refuse something in this graph */
    int nconsequences;
    bool *refused;    /* consequence -> it has refused a decision */
    int npushed;      /* steps that were made, also those that were taken back */
    uint64_t **value; /* of every node */
    uint64_t **dirty; /* node -> the rows that this step has changed; of a set, any bit */
    bool *changed;    /* node -> this step has changed it */
    int *list, nlist; /* the nodes that this step has changed */
    bool *told;       /* node -> a decision of this step is about it: DECIDE_ROW */
    struct undo *trail;
    size_t ntrail, trail_cap;
    size_t *steps; /* where on the trail each step begins */
    int depth, cap;
    const struct decision *decisions; /* of this step */
    int ndecisions;
    unsigned guesses; /* what they decide */
    uint64_t *scratch;
    bool complete;    /* everything is decided: the bounds meet */
    bool tolerant;    /* keep steps that break an axiom */
    bool late;        /* keep them until the candidate is complete */
    unsigned without; /* prunings that are switched off */
    size_t bytes;     /* taken */
};

/* The bytes that the values of a plan's nodes take in a graph of this size. */
size_t eval_bytes(const struct model_plan *plan, struct dim dim);

/* Prepares the state in which nothing is decided. `given[k]`: set or relation k of names.def, where the plan
 * asks for it. `sources[e]`: for a read, the writes that it may read from. False when an axiom is broken
 * already. Memory comes from the arena. */
bool eval_open(struct eval *ev, const struct model_plan *plan, struct dim dim, uint64_t *const *given,
               const uint64_t *const *sources, struct arena *a);

/* Whether a decision is sure to break an axiom, as far as this can be seen without making it. */
bool eval_refuses(const struct eval *ev, struct decision d);
/* Drops from a set of writes those from which a read is refused. */
void eval_refuse_sources(const struct eval *ev, int read, uint64_t *open);

/* Makes n decisions in one step. False when an axiom is broken; the step must be taken back then, too. */
bool eval_push(struct eval *ev, const struct decision *d, int n);
void eval_pop(struct eval *ev);

/* Lets the bounds of a complete candidate meet, and judges it again. This is a step, too. */
bool eval_push_complete(struct eval *ev);

const uint64_t *eval_value(const struct eval *ev, int node);
/* Whether the value of a node relates two events. */
bool eval_relates(const struct eval *ev, int node, int from, int to);

/* Whether an axiom (or order number k) is broken now. */
bool eval_breaks_axiom(const struct eval *ev, int axiom);
bool eval_breaks_order(const struct eval *ev, int k);

/* Whether an axiom says that a sequence is irreflexive. It is judged by the parts of the sequence, so the node of the
 * whole is not kept up to date. */
bool eval_is_sequence(const struct model_plan *p, const struct axiom *axiom);

/* Drops the nodes that no decision can change in this graph. The last step of eval_open, unless tolerant. */
void eval_specialize(struct eval *ev);
/* Drops the consequences that have refused nothing so far, except those of rf and co; and the nodes that only
 * these need. */
void eval_drop_idle(struct eval *ev);

#endif
