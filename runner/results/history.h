/* The rates of cells over several runs, in the order of their dates. This is plain data. */
#ifndef CULITMUS_HISTORY_H
#define CULITMUS_HISTORY_H

#include "results/results.h"

/* How a cell differs from the same cell in the last run before that has it. */
enum history_change { HISTORY_SAME, HISTORY_VERDICT, HISTORY_RATE };

struct history_entry {
    const struct test_result *test;
    const struct cell_result *cell; /* NULL: the run does not have the cell, or did not run it */
    enum history_change change;
    int before; /* index of the run with which it is compared; -1: no earlier run has the cell */
};

struct history_row {
    const struct test_result *test; /* of the first run that has the cell; `cell` likewise */
    const struct cell_result *cell;
    struct history_entry *entries; /* one for each run */
    int changes;
};

struct history {
    const struct report **runs; /* the oldest first; runs without a date come before all others */
    int nruns;
    struct history_row *rows;
    int nrows;
    double tolerance;
};

/* Compares runs. A rate changes if one is more than `tolerance` times the other and chance does not explain
 * it (difference.h). A cell is put into the row of its device and compiler. If there is none, it goes into
 * the row of another device or compiler, if there is exactly one such row in which the run has no cell.
 * Everything lives in the arena. */
struct history history_of(struct arena *a, struct report *const *runs, int n, double tolerance);

/* Returns a property of a run's machine, such as "driver"; NULL: it is not known. */
const char *history_property(const struct report *r, const char *name);
/* Returns the properties whose values differ between runs, each once. In the arena. */
const char **history_differing(struct arena *a, const struct history *h, int *n);

#endif
