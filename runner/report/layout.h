/* The cells of a test as tables: a group a device and model, in it a row a placement and access, a column a
 * fence. Both the terminal and the HTML page are drawn from this. */
#ifndef CULITMUS_LAYOUT_H
#define CULITMUS_LAYOUT_H

#include "report/results.h"

struct layout_row {
    const char *label;                /* "device", or "device weak" when the test has several accesses */
    const struct cell_result **cells; /* one a column; NULL where there is none */
};

struct layout_group {
    const struct cell_result *first; /* any of its cells: backend, device and model are those of all */
    const char **fences;
    int ncolumns;
    struct layout_row *rows;
    int nrows;
};

struct layout {
    struct layout_group *groups;
    int ngroups;
};

/* In order of appearance. Lives in the arena. */
struct layout layout_of(struct arena *a, const struct test_result *t);

/* The histogram of a row: every outcome that some cell of it saw, sorted by values. */
struct layout_outcome {
    const struct value *values;
    bool satisfies;
    const struct cell_outcome **cells; /* one a column; NULL: never seen there */
};

/* At most `max` outcomes, those most often seen, but first those that satisfy the proposition or are
 * forbidden; *left is how many were left out. */
struct layout_outcome *layout_histogram(struct arena *a, const struct test_result *t,
                                        const struct layout_row *row, int ncolumns, int max, int *n,
                                        int *left);

#endif
