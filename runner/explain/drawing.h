/* An execution of a cell for people: its events and edges as plain data, which printers draw. */
#ifndef CULITMUS_DRAWING_H
#define CULITMUS_DRAWING_H

#include "model/model.h"

enum drawing_kind {
    DRAWING_PO,         /* program order, without what follows by transitivity */
    DRAWING_ISSUE,      /* what starts an engine, to the engine's events */
    DRAWING_COMPLETION, /* an engine's events to what waits for them */
    DRAWING_BARRIER,    /* an arrival to the waits of other threads at the same barrier */
    DRAWING_RF,
    DRAWING_ORDER,  /* co and the other orders of the model, without what follows by transitivity */
    DRAWING_FR,     /* a read to the next write of what it reads */
    DRAWING_REASON, /* what a broken axiom forbids; if none is broken, the cycle that no interleaving has */
};

struct drawing_event {
    int thread;           /* -1: an initial write */
    int agent;            /* 0: the thread itself; else an engine that it started */
    const char *what;     /* "W X = 1", "F" */
    const char *strength; /* "release.gpu", "initial", or "" */
    struct pos pos;       /* in the test's file; line 0: nowhere */
};

struct drawing_edge {
    enum drawing_kind kind;
    int from, to; /* events */
    const char *label;
};

struct drawing {
    bool found;                   /* there is an execution to draw */
    bool endless;                 /* there is none that ends */
    bool allowed;                 /* the model allows it */
    bool breaking;                /* it makes the proposition false */
    const char *broken;           /* "Causality, Atomicity": the axioms that it breaks; "" if it is allowed */
    struct drawing_event *events; /* those of a thread together and in its order, the initial writes first */
    int nevents;
    int *first;                 /* thread -> its first event; first[nthreads]: the number of events */
    int ninitial;               /* how many initial writes there are */
    struct drawing_edge *edges; /* by kind */
    int nedges;
};

/* Finds the execution of the cell that says most about the condition's proposition (candidate.h). False and an error when
 * the test cannot be judged, or too little could be looked at to say. Lives in the arena. */
bool drawing_find(const struct model *m, const struct test *t, const struct cell *cell,
                  const struct model_limits *limits, struct arena *a, struct drawing *out, struct diag *d);

#endif
