/* Whether a thread may take one path, and another one, or write another value, if one read returns something else.
 *
 * There are two runs of the thread, each with guards to fulfil. A read of the second run may be tied to one of the first:
 * then both return the same. All values that the types have are asked for at once: terms become gates (circuit.h), and a
 * search proves that no values of the reads make all of them hold (sat.h). Where it does not within its work, or where some
 * operation has no gates, all values are tried if they are few (exhaust.c). What is not decided then may be. */
#ifndef CULITMUS_SOLVE_H
#define CULITMUS_SOLVE_H

#include "paths/circuit.h"
#include "paths/unfold.h"

/* A path that the thread takes, and what its reads return. */
struct solve_run {
    const struct guard *guards;
    int nguards;
    struct reads matter;        /* what is asked about, and what shares a guard with one of these */
    struct circuit_reads reads; /* the values that are known, or were found */
};

/* Two runs of a thread that differ in one read, or one run. Example: of `if (r == 0) x = q;` the first run takes the
 * branch with r = 0 and q = 1; in the second, r is another value, and q is tied to the first run's q. */
struct solve {
    struct solve_run runs[CIRCUIT_RUNS];
    int nreads;                      /* of the run that has more */
    int read;                        /* returns another value in the second run; or -1 */
    int16_t tied[MAX_READS];         /* the first run's read whose value one of the second returns; or -1 */
    const struct sym *term;          /* a term of the first run; NULL: none is compared */
    const struct sym *const *others; /* terms of the second run, all of which must have another value */
    int nothers;
    bool undecided; /* the last answer is not proved */
    struct search_budget *budget;
};

/* Adds the reads of a run's guards, from one on, to what matters. */
void solve_ask(struct solve_run *r, int from);

/* Whether there may be values with which each run has its guards, as far as they matter, and the terms differ. False is
 * proved. What is not decided is a dependency, or none where the budget is lenient. */
bool solve_depends(struct solve *s);

/* Whether for all values with which the first run has its guards there is another value of the read, and some of the other
 * reads of the second run, with which that has its guards, and the terms differ. True is proved: replies to some values
 * are found, until there are no values to which none of them does. */
bool solve_always(struct solve *s);

/* Whether there may be values with which a path has all its guards, where some reads are known; NULL: none is. */
bool solve_possible(const struct path *p, const struct circuit_reads *known, struct search_budget *budget);

/* The value of a term on a path, of which some reads are known, and no other is one that the term depends on. */
struct value solve_value(const struct path *p, const struct sym *term, const struct reads *known,
                         const struct value *values, struct search_budget *budget);

/* Reads of the same number return the same in both runs. */
void solve_tie_all(struct solve *s, int nreads);

/* The read of the first run that returns the same as one of the second; or -1. */
int solve_tied_to(const struct solve *s, int read);

/* Whether the guards of a run that matter hold with its values. */
bool solve_fulfils(const struct solve_run *r);

/* ---- all values (exhaust.c), where few bits of the reads matter ---- */

/* Whether there are such values, or too many to be tried, which is then undecided. The reads that guards say are a number
 * are known. If there are, those of the first run are set. */
bool exhaust_may(struct solve *s);

#endif
