/* In which phase of its mbarrier each operation falls, in all ways that are possible. */
#ifndef CULITMUS_PHASES_H
#define CULITMUS_PHASES_H

#include "search/graph.h"

/* One way: for every event, as node_event has it. */
struct phases {
    const int *
        phase; /* COUNT: that in which it counts; TRY: that which it finds complete; else -1. Those of all mbarriers
                         have different numbers */
    const bool *over;      /* TRY: what it asks for is complete */
    const char *fault;     /* an operation finds no valid mbarrier, or NULL */
    const char *undefined; /* what PTX leaves undefined and happens, or NULL */
};

/* All of them, *n; one where there are no mbarriers. Spends the budget when there are too many to look at. Everything lives
 * in the arena. */
const struct phases *phases_find(const struct graph *g, struct search_budget *budget, struct arena *a,
                                 int *n);

/* Takes one way. */
void phases_take(struct graph *g, const struct phases *p);

#endif
