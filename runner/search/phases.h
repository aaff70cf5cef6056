/* In which phase of its mbarrier each operation counts, and which phase each wait finds complete, in all
 * ways. */
#ifndef CULITMUS_PHASES_H
#define CULITMUS_PHASES_H

#include "search/graph.h"

/* What an operation on an mbarrier finds: the fields of node_event. */
struct phase_found {
    /* COUNT: the phase in which it counts. TRY: the phase that it finds complete. Else -1. Phases of
     * different mbarriers have different numbers. */
    int phase;
    int over; /* TRY: the phase that it asks for is complete */
    int pending; /* of an arrival whose token knows it: how many arrivals the phase still waited for just before it */
};

/* One way. */
struct phases {
    const struct phase_found *events; /* by event */
    const char *fault;                /* an operation finds no valid mbarrier: what to say of it; or NULL */
    bool closed;                      /* the fault: it finds one that has been invalidated */
    const char *undefined;            /* a misuse that PTX leaves undefined: what to say of it; or NULL */
};

/* Gives each way to `take`, as soon as it is found, until that returns false; `only` says that there is no
 * other. A graph without mbarriers has one way. Spends the budget when there are too many ways: those that
 * were found by then have been given. Everything lives in the arena. */
typedef bool phases_taker(const struct phases *p, bool only, void *ctx);
void phases_each(const struct graph *g, struct search_budget *budget, struct arena *a, phases_taker *take,
                 void *ctx);

#endif
