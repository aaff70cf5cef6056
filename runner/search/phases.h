/* In which phase of its mbarrier each operation falls, in all ways that are possible. */
#ifndef CULITMUS_PHASES_H
#define CULITMUS_PHASES_H

#include "search/graph.h"

/* What an event finds, as node_event has it. */
struct phase_found {
    int phase; /* COUNT: that in which it counts; TRY: that which it finds complete; else -1. Those of all mbarriers have
                  * different numbers */
    int over;    /* TRY: what it asks for is complete */
    int pending; /* of an arrival whose token knows it: for how many the phase waited before */
};

/* One way. */
struct phases {
    const struct phase_found *events;
    const char *fault;     /* an operation finds no valid mbarrier, or NULL */
    bool closed;           /* it finds one that was valid */
    const char *undefined; /* what PTX leaves undefined and happens, or NULL */
};

/* Gives each way to `take`, as soon as it is found, until that returns false; `only` says that there is no other. Where there
 * are no mbarriers, there is one. Spends the budget when there are too many to look at: those that were found by then have
 * been given. Everything lives in the arena. */
typedef bool phases_taker(const struct phases *p, bool only, void *ctx);
void phases_each(const struct graph *g, struct search_budget *budget, struct arena *a, phases_taker *take,
                 void *ctx);

#endif
