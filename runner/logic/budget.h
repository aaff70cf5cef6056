/* How much work may still be done for one cell. Everything that can take long pays: the unfolding of threads,
 * the matching of barriers, the search. */
#ifndef CULITMUS_BUDGET_H
#define CULITMUS_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "logic/limits.h"

struct search_budget {
    long long left;     /* the work that is left; one unit is about a partial candidate of a small graph */
    long long counting; /* the part of it that may go into executions that give no new outcome */
    bool uncounted;     /* `counting` was not enough: not all executions were looked for */
    double hopeless;    /* a graph that looks as if it needed more work than this is given up */
    double deadline;    /* when the time is over; 0: never */
    bool processor;     /* `deadline` is of the thread's processor time, else of the clock */
    const atomic_int *stop; /* nonzero: it is over; NULL: nobody can say so */
    long long unclocked;    /* work since the clock and `stop` were looked at */
    bool undefined;         /* some execution takes a value that is not defined */
    bool lenient;           /* a dependency that is not decided counts as none, else as one */
    bool undecided;         /* there was such a dependency */
    long long proving;      /* the work of proofs that something does not depend on a read */
    const char *spent;      /* why it is over; NULL: it is not */
};

/* The budget that limits allow. */
struct search_budget budget_open(const struct model_limits *limits);

/* Whether the process may take so many more bytes. False when the budget is, or was, spent. */
bool budget_has_room(struct search_budget *b, size_t bytes);

/* budget_halve leaves half of a budget, and returns what it was. budget_restore adds the other half; if the
 * first half was spent, the budget is open again. */
struct search_budget budget_halve(struct search_budget *b);
void budget_restore(struct search_budget *b, const struct search_budget *whole);

/* Pays for some work. False when the budget is, or was, spent. */
bool budget_pay(struct search_budget *b, long long work);

/* The same for work outside of the search that ends by itself: it takes nothing of `left`, but the clock is
 * looked at. */
bool budget_wait(struct search_budget *b, long long work);

#endif
