/* The cells of a test as tables, from which the terminal and the HTML page are drawn. A group has the cells
 * of one device judged by one model; or if nothing ran, of all models. In a group a row is a placement and an
 * access (with several models also one of these), and a column is a fence. */
#ifndef CULITMUS_LAYOUT_H
#define CULITMUS_LAYOUT_H

#include "results/results.h"

struct layout_row {
    /* such as "device", or "device weak ptx" if the test has several accesses and models */
    const char *label;
    const char *place;                /* the same without the model */
    const struct cell_result *first;  /* any cell of the row */
    const struct cell_result **cells; /* one for each column; NULL: there is none */
};

struct layout_group {
    const struct cell_result *first; /* any cell of the group: all have the same backend and device */
    const char **models;             /* the models of its cells, by name */
    int nmodels;                     /* more than one only if nothing ran */
    const char **fences;
    int ncolumns;
    struct layout_row *rows;
    int nrows;
};

struct layout {
    struct layout_group *groups;
    int ngroups;
};

/* Returns the access of a test's cells if all have the same. NULL: they differ, so the rows name it. */
const char *layout_access(const struct test_result *t);

/* Makes the tables in order of appearance. What several models say of the same cells is put together. In the
 * arena. */
struct layout layout_of(struct arena *a, const struct test_result *t);

/* Returns the names of a group's models, such as "ptx, sc and x86-tso". */
const char *layout_models(struct arena *a, const struct layout_group *g);
/* Whether two groups have the same backend, device, compiler and models. */
bool layout_alike(const struct layout_group *x, const struct layout_group *y);

/* A line of a row's histogram: an outcome that some cell of the row showed. Lines are sorted by values. */
struct layout_outcome {
    const struct value *values;
    bool satisfies;
    const struct cell_outcome **cells; /* one for each column; NULL: it did not show the outcome */
};

/* Returns the lines of a row's histogram, at most `max`. Kept first are forbidden outcomes, then those that
 * satisfy the proposition, then the most frequent ones. *left is how many lines are left out. */
struct layout_outcome *layout_histogram(struct arena *a, const struct test_result *t,
                                        const struct layout_row *row, int ncolumns, int max, int *n,
                                        int *left);

#endif
