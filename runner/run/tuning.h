/* The search for a cell's best environments: which ones to try next, given what those before have shown.
 *
 * A population of the best so far is kept. Most new environments are its members with a parameter or two
 * moved, some are crossed from two members, some are random. What looks good in a short trial is measured
 * again and again, so that luck does not win. The same seed and the same measurements give the same search.
 */
#ifndef CULITMUS_TUNING_H
#define CULITMUS_TUNING_H

#include "run/backend.h"

/* An environment, and the sum of its trials. */
struct arm {
    struct environment environment;
    uint64_t hits; /* runs that showed the outcome that is looked for */
    uint64_t runs;
    double seconds;
    unsigned number; /* its place in the order of first trials */
};

enum { TUNING_POPULATION = 32, TUNING_GENERATION = 48 };

struct tuning {
    const struct parameter_range *ranges;
    uint64_t random; /* the state of the random numbers */
    struct environment start[TUNING_GENERATION];
    int nstart;
    unsigned generation, number;
    struct arm population[TUNING_POPULATION + TUNING_GENERATION]; /* best first */
    int npopulation;
    struct arm batch[TUNING_GENERATION]; /* being tried */
    struct environment schedule[TUNING_GENERATION];
    int nbatch;
};

/* Begins a search. The first generation is `start`, as far as it fits, and random environments. */
void tuning_init(struct tuning *t, const struct parameter_range *ranges, uint64_t seed,
                 const struct environment *start, int nstart);

/* Returns the environments to try next, and how many seconds to give each. Valid until the next call. */
const struct environment *tuning_next(struct tuning *t, int *n, double *seconds_each);

/* Reports a result: of environment number `trial->index` of the current generation, or a part of it. */
void tuning_tell(struct tuning *t, const struct trial *trial);

/* Returns the best environment so far, after adding all reports of the current generation; NULL when nothing
 * was tried. Its rate is the mean over all its trials. */
const struct arm *tuning_best(struct tuning *t);

double arm_rate(const struct arm *a); /* hits a second */

#endif
