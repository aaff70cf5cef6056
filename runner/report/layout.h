/* The cells of a test as tables. A group is a device and a model, or what models say where nothing runs; in it, a row is a
 * placement and an access, of several models one of them, and a column is a fence. The terminal and the HTML page are drawn
 * from this. */
#ifndef CULITMUS_LAYOUT_H
#define CULITMUS_LAYOUT_H

#include "results/results.h"

struct layout_row {
    const char *label; /* "device"; "device weak ptx" when the test has several accesses and models */
    const char *place; /* the same without the model */
    const struct cell_result *first;  /* any of its cells */
    const struct cell_result **cells; /* one a column; NULL where there is none */
};

struct layout_group {
    const struct cell_result *first; /* any of its cells: all have the same backend and device */
    const char **models;             /* of its cells, by their names */
    int nmodels;                     /* more than one only where nothing runs */
    const char **fences;
    int ncolumns;
    struct layout_row *rows;
    int nrows;
};

struct layout {
    struct layout_group *groups;
    int ngroups;
};

/* The access of a test's cells, if they all have the same. NULL: they differ, and the rows name it. */
const char *layout_access(const struct test_result *t);

/* In order of appearance; what models say of the same cells stands together. Lives in the arena. */
struct layout layout_of(struct arena *a, const struct test_result *t);

/* "ptx, sc and x86-tso": the models of a group, of which there is one at least. */
const char *layout_models(struct arena *a, const struct layout_group *g);
/* Whether two groups have the same backend, device, compiler and models. */
bool layout_alike(const struct layout_group *x, const struct layout_group *y);

/* A line of a row's histogram: an outcome that some cell of the row saw. Lines are sorted by values. */
struct layout_outcome {
    const struct value *values;
    bool satisfies;
    const struct cell_outcome **cells; /* one a column; NULL: never seen there */
};

/* The lines of a row's histogram, at most `max`. Forbidden outcomes and those that satisfy the proposition come first
 * into it, then the most frequent. *left is how many are left out. */
struct layout_outcome *layout_histogram(struct arena *a, const struct test_result *t,
                                        const struct layout_row *row, int ncolumns, int max, int *n,
                                        int *left);

#endif
