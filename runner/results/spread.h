/* Finds groups of results (of one GPU, one driver, one host) that show an outcome more or less often than the
 * others, by more than chance explains even though many cells are compared. docs/results.md has the
 * method. */
#ifndef CULITMUS_SPREAD_H
#define CULITMUS_SPREAD_H

#include "results/results.h"

/* The chance that some difference is reported although no group differs. */
#define SPREAD_LEVEL 0.001

/* Begins a comparison, in the arena, with copies of all that it keeps. If `compilers` are not what is
 * compared, a cell built by two compilers counts as two cells. */
struct spread *spread_begin(struct arena *a, bool compilers);
void spread_end(struct spread *s);
/* Adds the cells of a test that ran in one result of a group. `group` returns the name of a cell's group. */
void spread_add(struct spread *s, const struct test_result *t,
                const char *(*group)(const void *ctx, const struct cell_result *c), const void *ctx);

/* A group that differs in a cell. */
struct spread_difference {
    const char *test, *backend, *placement, *access, *fence;
    const char *compiler; /* "": it is not known, or it is what is compared */
    const char *group;
    bool by_environments; /* the share is of environments; else of runs */
    double here, others;  /* the share that showed the outcome, in the group and in the others */
    double chance;        /* the p-value of this one test */
};

struct spread_found {
    struct spread_difference *list; /* the least likely first */
    int n;
    int groups, cells; /* number of groups; number of cells that were compared */
    long long tests;   /* number of comparisons */
};
/* Returns the differences that are significant. In the spread's arena. */
struct spread_found spread_find(const struct spread *s);

/* Returns the chance that Student's t with this many degrees of freedom is at least as far from 0. */
double spread_student(double t, double freedom);
/* Returns the p-value of Fisher's exact test, twice the smaller one-sided one: K of N are marked, and k are
 * in a sample of n. */
double spread_fisher(int k, int n, int K, int N);

#endif
