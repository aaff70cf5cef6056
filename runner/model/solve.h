/* Looks for values of the reads of a thread with which it takes one path, and another one if one read returns something
 * else.
 *
 * There are two runs of the thread, each with guards to fulfil. A read of the second run may be tied to one of the first:
 * then both return the same. It is a walk: as long as a guard is not fulfilled, a read of it gets the value with which it
 * is, as far as its operators can be undone, or one that chance gives. So what is found is sure, and what is not found in
 * so many steps is taken not to be. */
#ifndef CULITMUS_SOLVE_H
#define CULITMUS_SOLVE_H

#include "model/unfold.h"

enum { SOLVE_RUNS = 2 };

struct solve_run {
    const struct guard *guards;
    int nguards;
    struct reads
        matter; /* that are asked about, and others in guards with them: what else is guarded is left out */
    struct reads fixed; /* that can return one value only */
    struct value values[MAX_READS];
};

struct solve {
    struct solve_run runs[SOLVE_RUNS];
    int read;                        /* that returns something else in the second run; or -1 */
    int16_t tied[MAX_READS];         /* the others of the second run: to which of the first; or -1 */
    const struct sym *term;          /* of the first run; NULL: none is asked for */
    const struct sym *const *others; /* of the second, from each of which it must differ */
    int nothers;
    uint64_t random;
    bool only; /* values are given to that read only */
    struct search_budget *budget;
};

/* Adds the reads of a run's guards, from one on, to what matters. */
void solve_ask(struct solve_run *r, int from);

/* Whether values are found with which each run has its guards, as far as they matter, and the terms differ. When the budget
 * is spent: no. */
bool solve_find(struct solve *s);

#endif
