#include "run/tuning.h"
#include "base/random.h"

#include <stdlib.h>
#include <string.h>

#include "run/environment.h"

/* A trial is just long enough to be worth its launch. In each generation the leaders are measured again, for
 * the time of a few trials, until each has LONG_SECONDS. */
static const double TRIAL_SECONDS = 0.004, AGAIN_SECONDS = 0.012, LONG_SECONDS = 0.1;
enum { NEW_ONES = 24, LEADERS = 8 };

double arm_rate(const struct arm *a) {
    return a->seconds > 0 ? (double)a->hits / a->seconds : 0;
}

static double arm_speed(const struct arm *a) {
    return a->seconds > 0 ? (double)a->runs / a->seconds : 0;
}

/* Returns a random number of 0 .. n-1. */
static int pick(struct tuning *t, int n) {
    return (int)(random_next(&t->random) % (unsigned)n);
}

/* ---- new environments ---- */

static int draw_value(struct tuning *t, const struct parameter_range *r) {
    return r->values[pick(t, r->n)];
}

static struct environment draw(struct tuning *t) {
    struct environment c = {0};
    for (const struct parameter_range *r = t->ranges; r->name; r++)
        c.parameter[c.n++] = (struct parameter){r->name, draw_value(t, r)};
    return c;
}

/* Finds the nearest values of the range below and above `value`; where there is none, `value` itself. */
static void neighbours(const struct parameter_range *r, long long value, long long *below, long long *above) {
    *below = *above = value;
    for (int i = 0; i < r->n; i++) {
        long long v = r->values[i];
        if (v < value && (*below == value || v > *below)) *below = v;
        if (v > value && (*above == value || v < *above)) *above = v;
    }
}

/* Returns another value of the range; half of the time it is a neighbour of the old one. */
static long long move_value(struct tuning *t, const struct parameter_range *r, long long old) {
    long long below, above;
    neighbours(r, old, &below, &above);
    if (below == above) return old; /* the range has one value only */
    if (pick(t, 2)) return draw_value(t, r);
    long long value = below + pick(t, (int)(above - below));
    return value < old ? value : value + 1;
}

static void mutate(struct tuning *t, struct environment *c) {
    for (int moves = 1 + pick(t, 2); moves > 0; moves--) {
        struct parameter *p = &c->parameter[pick(t, c->n)];
        p->value = move_value(t, range_find(t->ranges, p->name), p->value);
    }
}

/* Chooses a member of the population, a better one more often. */
static const struct environment *parent(struct tuning *t) {
    int a = pick(t, t->npopulation), b = pick(t, t->npopulation);
    return &t->population[a < b ? a : b].environment;
}

/* Crosses two members: takes each parameter from one of them. Both name the same parameters. */
static struct environment cross(struct tuning *t) {
    struct environment c = *parent(t);
    const struct environment *other = parent(t);
    for (int i = 0; i < c.n && i < other->n; i++)
        if (pick(t, 2)) c.parameter[i] = other->parameter[i];
    return c;
}

/* Makes a new environment. It is random as long as no environment has shown anything. */
static struct environment invent(struct tuning *t) {
    bool seen = t->npopulation > 0 && t->population[0].hits > 0;
    int chance = pick(t, 8);
    if (t->npopulation == 0 || chance < (seen ? 2 : 6)) return draw(t);
    struct environment c = chance == 2 ? cross(t) : *parent(t);
    mutate(t, &c);
    return c;
}

/* ---- the population ---- */

/* Sorts arms, the best first: by rate, then by speed, then the older one. */
static int by_worth(const void *x, const void *y) {
    const struct arm *a = x, *b = y;
    if (arm_rate(a) != arm_rate(b)) return arm_rate(a) > arm_rate(b) ? -1 : 1;
    if (arm_speed(a) != arm_speed(b)) return arm_speed(a) > arm_speed(b) ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Returns the population's arm with the environment of `tried`; a new one if there is none. */
static struct arm *find_arm(struct tuning *t, const struct arm *tried) {
    for (int i = 0; i < t->npopulation; i++)
        if (environment_same(&t->population[i].environment, &tried->environment)) return &t->population[i];
    struct arm *a = &t->population[t->npopulation++];
    *a = (struct arm){.environment = tried->environment, .number = t->number++};
    return a;
}

/* Adds the tried environments to the population, and drops its worst members. */
static void absorb(struct tuning *t) {
    for (int i = 0; i < t->nbatch; i++) {
        const struct arm *tried = &t->batch[i];
        if (tried->seconds <= 0) continue;
        struct arm *a = find_arm(t, tried);
        a->hits += tried->hits;
        a->runs += tried->runs;
        a->seconds += tried->seconds;
    }
    t->nbatch = 0;
    qsort(t->population, (size_t)t->npopulation, sizeof *t->population, by_worth);
    if (t->npopulation > TUNING_POPULATION) t->npopulation = TUNING_POPULATION;
}

/* ---- the search ---- */

static void add(struct tuning *t, const struct environment *c) {
    t->batch[t->nbatch] = (struct arm){.environment = *c};
    t->schedule[t->nbatch++] = *c;
}

void tuning_init(struct tuning *t, const struct parameter_range *ranges, uint64_t seed,
                 const struct environment *start, int nstart) {
    *t = (struct tuning){.ranges = ranges, .random = seed};
    t->nstart = nstart < TUNING_GENERATION ? nstart : TUNING_GENERATION;
    for (int i = 0; i < t->nstart; i++)
        t->start[i] = start[i];
}

/* Chooses the leaders to be measured again: those that have less than LONG_SECONDS. */
static void try_again(struct tuning *t) {
    for (int i = 0; i < t->npopulation && i < LEADERS; i++)
        if (t->population[i].seconds < LONG_SECONDS) add(t, &t->population[i].environment);
}

const struct environment *tuning_next(struct tuning *t, int *n, double *seconds_each) {
    absorb(t);
    *seconds_each = TRIAL_SECONDS;
    if (t->generation == 0) {
        for (int i = 0; i < t->nstart; i++)
            add(t, &t->start[i]);
        while (t->nbatch < TUNING_GENERATION) {
            struct environment c = draw(t);
            add(t, &c);
        }
    } else if (t->generation % 2 == 1) {
        try_again(t);
        *seconds_each = AGAIN_SECONDS;
    }
    if (t->nbatch == 0) {
        while (t->nbatch < NEW_ONES) {
            struct environment c = invent(t);
            add(t, &c);
        }
        *seconds_each = TRIAL_SECONDS;
    }
    t->generation++;
    *n = t->nbatch;
    return t->schedule;
}

/* Adds a report. The device may have changed the environment to one that it can have; then that one is kept,
 * with its values within the ranges. */
void tuning_tell(struct tuning *t, const struct trial *trial) {
    if (trial->index >= t->nbatch) return;
    struct arm *a = &t->batch[trial->index];
    a->environment.n = 0;
    for (int i = 0; i < trial->nenvironment; i++) {
        struct parameter p = trial->environment[i];
        const struct parameter_range *r = range_find(t->ranges, p.name);
        if (!r) continue;
        if (p.value < range_low(r)) p.value = range_low(r);
        if (p.value > range_high(r)) p.value = range_high(r);
        a->environment.parameter[a->environment.n++] = p;
    }
    a->hits += trial->satisfied;
    a->runs += trial->runs;
    a->seconds += trial->seconds;
}

/* Returns the best arm that was measured more than once; if none of these has shown anything, the best of
 * all. */
const struct arm *tuning_best(struct tuning *t) {
    absorb(t);
    for (int i = 0; i < t->npopulation; i++)
        if (t->population[i].hits > 0 && t->population[i].seconds >= AGAIN_SECONDS) return &t->population[i];
    return t->npopulation > 0 ? &t->population[0] : NULL;
}
