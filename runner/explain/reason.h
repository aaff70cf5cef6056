/* Why a model forbids a candidate: for each axiom that it breaks, the edges that the axiom forbids, as steps
 * of relations that people know. */
#ifndef CULITMUS_REASON_H
#define CULITMUS_REASON_H

#include "search/search.h"

/* An edge of an execution: po, rf, fr, co, or another relation that is not made of others. */
struct reason_step {
    int from, to;    /* events */
    const char *rel; /* as the model or names.def calls it */
};

enum reason_kind {
    REASON_CYCLE,  /* the steps lead back to where they begin */
    REASON_PAIR,   /* they lead from one event to another, and must not: as across an atomic operation */
    REASON_FINAL,  /* they lead from a write that would have to be the last to one that comes after it */
    REASON_ABSENT, /* the model wants something that is not there; no steps */
};

struct reason {
    enum reason_kind kind;
    const char *name; /* the axiom's, or the label of an order */
    const struct reason_step *steps;
    int nsteps;
    int weight; /* how many words it takes to tell, roughly */
    int obs;    /* FINAL: the observable */
};

/* Finds a reason for each axiom and order that a complete candidate breaks, the lightest first. The
 * evaluation must be tolerant, so that it has all nodes. `values` is the outcome that is explained. Lives in
 * the arena. */
struct reason *reason_find(const struct search *s, const struct value *values, struct arena *a, int *n);

/* The node of a relation that the model names, or -1. */
int reason_node(const struct model_plan *p, const char *name);

#endif
