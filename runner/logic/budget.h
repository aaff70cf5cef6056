/* How much may be done for one cell, and whether it still may. Everything that can take long pays: the unfolding of
 * threads, the matching of barriers, the search. */
#ifndef CULITMUS_BUDGET_H
#define CULITMUS_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "logic/limits.h"

struct search_budget {
    long long left;         /* work; one unit is about a partial candidate of a small graph */
    long long counting;     /* the same, for counting executions that give no new outcome */
    bool uncounted;         /* it did not do: not all executions were looked for */
    double hopeless;        /* give up a graph that looks as if it needed more work than this */
    double deadline;        /* on the clock, or of the thread's processor time; 0: none */
    bool processor;         /* the latter */
    const atomic_int *stop; /* nonzero: it is over; NULL: nobody can say so */
    long long unclocked;    /* work since the clock and `stop` were looked at */
    bool undefined;         /* some execution takes a value that is not defined */
    bool lenient;           /* what is not decided to be a dependency is none; else it is one, */
    bool undecided;         /* and there was such a question */
    long long proving;      /* work of proofs that a value does not depend on a read */
    const char *spent;      /* why it is over; NULL: it is not */
};

/* All that the limits let be done. */
struct search_budget budget_open(const struct model_limits *limits);

/* Whether the process may take so many more bytes. False when the budget is, or was, spent. */
bool budget_has_room(struct search_budget *b, size_t bytes);

/* Lets no more be done than half of what may be, and then the rest; what is spent by then is the half. */
struct search_budget budget_halve(struct search_budget *b);
void budget_restore(struct search_budget *b, const struct search_budget *whole);

/* Pays for some work. False when the budget is, or was, spent. */
bool budget_pay(struct search_budget *b, long long work);

/* The same for what is no part of the search, as long as it has an end of its own: costs time alone. */
bool budget_wait(struct search_budget *b, long long work);

#endif
