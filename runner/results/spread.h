/* Whether a group of results (those of one GPU, one driver, one host) shows an outcome more or less often than the others:
 * more than chance explains, though many cells are compared. docs/results.md tells the method. */
#ifndef CULITMUS_SPREAD_H
#define CULITMUS_SPREAD_H

#include "results/results.h"

/* The chance that anything is told of groups that do not differ. */
#define SPREAD_LEVEL 0.001

/* Lives in the arena, and copies what it keeps. Unless compilers are what is compared, a cell that two compilers built is
 * two cells. */
struct spread *spread_begin(struct arena *a, bool compilers);
void spread_end(struct spread *s);
/* Adds the cells of a test that ran in one result of a group; `group` gives the name of a cell's. */
void spread_add(struct spread *s, const struct test_result *t,
                const char *(*group)(const void *ctx, const struct cell_result *c), const void *ctx);

/* A group that differs in a cell. */
struct spread_difference {
    const char *test, *backend, *placement, *access, *fence;
    const char *compiler; /* empty: it is not known, or is what is compared */
    const char *group;
    bool by_environments; /* of the environments, else of the runs */
    double here, others;  /* the share that showed the outcome */
    double chance;        /* of something as far apart, by the one test alone */
};

struct spread_found {
    struct spread_difference *list; /* the least likely first */
    int n;
    int groups, cells; /* how many groups there are; cells that were compared */
    long long tests;   /* how many comparisons */
};
/* Lives in the arena of the spread. */
struct spread_found spread_find(const struct spread *s);

/* The chance that Student's t with so many degrees of freedom is as far from 0. */
double spread_student(double t, double freedom);
/* The chance that of K marked ones among N, a sample of n has a share as far from theirs as k (Fisher's exact test). */
double spread_fisher(int k, int n, int K, int N);

#endif
