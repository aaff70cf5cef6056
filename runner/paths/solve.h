/* Whether a thread that takes one path may take another one, or write another value, if one read returns
 * another value.
 *
 * The question is about two runs of the thread, each with guards that must hold. A read of the second run may
 * be tied to one of the first: then both return the same. All values of the types are asked for at once:
 * terms become gates (circuit.h), and a search proves that no values of the reads make all guards hold
 * (sat.h). If it does not within its work, or an operation has no gates, all values are tried if they are few
 * (exhaust.c). What is not decided then counts as possible. */
#ifndef CULITMUS_SOLVE_H
#define CULITMUS_SOLVE_H

#include "paths/circuit.h"
#include "paths/unfold.h"

/* A path that the thread takes, and what its reads return. */
struct solve_run {
    const struct guard *guards;
    int nguards;
    struct reads matter; /* the reads that are asked about, and those that share a guard with one of these */
    struct circuit_reads reads; /* the values that are known; in the end also those that were found */
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

/* Adds the reads of a run's guards, from guard number `from` on, to those that matter. */
void solve_ask(struct solve_run *r, int from);

/* Whether there are values of the reads with which the guards of both runs hold, of those that have a read
 * that matters, and the term of the first run differs from all terms of the second. False is proved. What is
 * not decided counts as true, or as false where the budget is lenient. */
bool solve_depends(struct solve *s);

/* Whether for all values of the first run with which its guards hold there are values of the second, with
 * another value of the read, as above. True is proved: values of the second run (a reply) are found for some
 * values of the first, until no values of the first are left to which none of the replies fits. */
bool solve_always(struct solve *s);

/* Whether there may be values with which all guards of a path hold. `known`: what some reads return; NULL:
 * nothing. */
bool solve_possible(const struct path *p, const struct circuit_reads *known, struct search_budget *budget);

/* The value of a term on a path. It is computed from reads that are known, and from others on which it does
 * not depend. */
struct value solve_value(const struct path *p, const struct sym *term, const struct reads *known,
                         const struct value *values, struct search_budget *budget);

/* Ties each read of the second run to the read of the same number. */
void solve_tie_all(struct solve *s, int nreads);

/* The read of the first run that returns the same as one of the second; or -1. */
int solve_tied_to(const struct solve *s, int read);

/* Whether the guards of a run hold with its values, those that have a read that matters. */
bool solve_fulfils(const struct solve_run *r);

/* ---- all values (exhaust.c), where few bits of the reads matter ---- */

/* Whether there are values as solve_depends asks for, by trying all of them. If there are, they are set. True
 * and s->undecided where they are too many. */
bool exhaust_may(struct solve *s);

#endif
