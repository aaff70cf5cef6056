/* The paths of one thread: what it does when nothing is known of the values that its reads return.
 *
 * Values are symbolic: terms over the thread's reads. Where a branch depends on a read, the thread goes both
 * ways and each path keeps the guard that it assumed. So a path is a fixed list of events, and an execution
 * is one path a thread, a write for each read that makes all guards true, and the orders that the model asks
 * for.
 *
 * Loops. A turn that wrote nothing and passed no barrier, after which every register that is still of use is
 * as it was before, could be left out of any execution: such turns are not followed, and a spin loop costs
 * one turn. Other turns are counted where it depends on a read whether there is one more; a path that would
 * need more than the bound is PATH_CUT. */
#ifndef CULITMUS_UNFOLD_H
#define CULITMUS_UNFOLD_H

#include "logic/budget.h"
#include "paths/code.h"
#include "paths/sym.h"

enum event_kind {
    EVENT_INIT,
    EVENT_READ,
    EVENT_WRITE,
    EVENT_FENCE,
    EVENT_ARRIVE,
    EVENT_WAIT,
    EVENT_ISSUE,    /* a thread starts an engine */
    EVENT_COMPLETE, /* it waits for engines to complete */
    EVENT_DEPEND,   /* it waits for kernels to end */
    EVENT_TRIGGER,  /* it lets kernels begin */
    EVENT_TAKE,     /* of an exchange, behind its WAIT: takes what a thread gave at its ARRIVE */
    EVENT_COUNT,    /* it changes the state of an mbarrier */
    EVENT_TRY,      /* it asks whether a phase of an mbarrier is complete */
};

/* The dependencies of an event in the text, even if no value depends on them: by the registers of its
 * operation, and by the branches before it. */
struct written {
    struct reads addr, data, ctrl;
};

/* One event of a path. Its agent is the thread itself, or an engine that an operation of the thread started. An agent
 * does its events in steps; those of one step, such as the elements of a vector, are in no order. */
struct event {
    enum event_kind kind;
    const struct stmt *stmt;
    struct strength strength;
    enum proxy proxy;
    int agent, step; /* agent 0: the thread; else an engine, numbered along the path */
    unsigned spaces; /* FENCE of a proxy: 1 << space, of the locations that it is about; 0: of all */
    bool own;        /* ... in shared memory of its block only */
    bool tracked;    /* of an engine: by the thread's later cp.async.mbarrier.arrive */
    int tracks;      /* COUNT of an engine: it stands for the tracked ones up to this engine */
    int strand; /* of an engine: its events of other strands are in no order with it; 0: it has no strands */
    int copy;   /* of an engine that copies to several blocks: for which block; 0: for all. Like a strand */
    int engine; /* ISSUE: which it starts */
    enum engine by; /* of an engine, and COMPLETE: its kind */
    int group;      /* of an engine: its group of copies; COMPLETE: it waits for groups of smaller numbers */
    bool of_reads; /* COMPLETE: for what they read alone; FENCE of a proxy: about reads of its thread alone */
    /* READ, WRITE: where; else -1. `lane` is one part, of a vector or of bytes that are shared (view.h). */
    int loc, element, lane;
    bool mapped;      /* READ, WRITE: by an address that was mapped into the cluster's window */
    int va;           /* READ, WRITE: by which virtual address, that of a location; else -1 */
    int first, parts; /* of the scalar that is accessed: its first part, and how many it has */
    int read;         /* READ, TAKE, TRY, COUNT with a token that has a pending count: its number; else -1 */
    int mbarrier;     /* COUNT, TRY: its location, and `element` says which it is there; else -1 */
    unsigned counts;  /* COUNT: a set of enum counting */
    int amount;       /* COUNT: how many arrivals or bytes; -N, where N > 1: N or more; TRY: the parity */
    int token;        /* TRY: the arrival whose phase it is, by its place in the path; -1: that of a parity */
    int from;         /* TAKE: the thread that gave */
    uint32_t lanes;   /* ARRIVE, WAIT: those that meet; 0: all */
    bool atomic;      /* READ, WRITE: it is of an atomic operation */
    bool red;         /* READ, WRITE: ... that has no result (PTX red) */
    int rmw;          /* the other half of an atomic operation, by its place in the path; or -1 */
    const struct sym *value;       /* WRITE: what it writes; ARRIVE of an exchange: what it gives */
    const struct sym *result;      /* ARRIVE of an exchange: its result */
    struct reads addr, data, ctrl; /* until the paths are compared, `addr` has all reads of the index */
    const struct written *written; /* dependencies of the text, beside these; NULL: there are none */
};

/* What a path assumes about the values that its reads return. */
struct guard {
    const struct sym *sym;
    bool holds; /* the term is not zero; else it is */
    int events; /* how many events of the path stand before it */
    bool index; /* it says which element an access takes */
    bool quiet; /* it says whether an atomic operation writes what it found; both ways do the same */
    int used;   /* the last step of the thread that relied on it, and so needed no guard of its own */
};

enum path_end {
    PATH_DONE,
    PATH_CUT,           /* the unroll bound */
    PATH_STUCK,         /* waits in a loop for something that has not happened */
    PATH_OUT_OF_BOUNDS, /* stopped at an access beyond an array */
    PATH_FAULT,         /* at what ends the kernel: a trap, or an access that is not aligned */
};

/* Another path of the thread (which may be left out later), and the reads of which one alone, if it returns
 * another value, may make the thread take it. */
struct path_way {
    enum path_end end;
    const struct event *events;
    int nevents;
    struct reads reads;
};

struct path {
    enum path_end end;
    bool waits; /* CUT: it may take such turns for ever */
    struct event *events;
    int nevents;
    int nreads;
    struct guard *guards;
    int nguards;
    struct path_way *ways; /* DONE: paths that it may take instead, to another barrier or without an end */
    int nways;
    const struct sym **regs;          /* final values, one a register of the body */
    const struct stmt *stmt;          /* OUT_OF_BOUNDS, FAULT: the access, or the trap */
    int loc;                          /* ... its location; -1: a trap */
    const struct sym *index;          /* OUT_OF_BOUNDS: its index */
    const struct path_supply *supply; /* of supply.c */
    const struct path_turns *turns;   /* of turns.c */
    bool out_of_turn;                 /* see turns.h */
    const struct path_vote *votes;    /* of vote.c */
    int nvotes;
};

struct unfolding {
    struct path *paths;
    int npaths;
    int turns;       /* of a loop that were followed at most */
    const char *why; /* the paths are not all: a bound was met */
};

enum { DEFAULT_UNROLL = 3, MBARRIER_MOST = (1 << 20) - 1 /* that an mbarrier counts */ };

/* Finds all paths of a thread in a cell. `syntactic`: also the dependencies of the text (struct written).
 * False and an error when the thread cannot end. Lives in the arena. */
bool unfold_thread(const struct test *t, const struct cell *cell, int thread, bool syntactic,
                   const struct model_limits *limits, struct search_budget *budget, struct arena *a,
                   struct unfolding *out, struct diag *d);

#endif
