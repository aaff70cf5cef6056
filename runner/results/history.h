/* The rates of cells over several runs, in the order of their dates, as plain data. */
#ifndef CULITMUS_HISTORY_H
#define CULITMUS_HISTORY_H

#include "results/results.h"

/* How what a run says of a cell differs from the run before it that has the cell. */
enum history_change { HISTORY_SAME, HISTORY_VERDICT, HISTORY_RATE };

struct history_entry {
    const struct test_result *test;
    const struct cell_result *cell; /* NULL: the run does not have it, or did not run it */
    enum history_change change;
    int before; /* the run that it is compared with; -1: none has it earlier */
};

struct history_row {
    const struct test_result *test; /* of the first run that has the cell, as the next */
    const struct cell_result *cell;
    struct history_entry *entries; /* one a run */
    int changes;
};

struct history {
    const struct report **runs; /* the oldest first; those without a date before all */
    int nruns;
    struct history_row *rows;
    int nrows;
    double tolerance;
};

/* A rate changes when one is more than `tolerance` times the other, and chance hardly explains it (difference.h). A cell
 * goes on in the row of its device and compiler; where there is none, in the one row of another device or compiler that
 * the run has no cell of. Lives in the arena. */
struct history history_of(struct arena *a, struct report *const *runs, int n, double tolerance);

/* The value of a property of a run's machine, "driver"; NULL: it is not known. */
const char *history_property(const struct report *r, const char *name);
/* The properties that some runs have with different values, each once. Lives in the arena. */
const char **history_differing(struct arena *a, const struct history *h, int *n);

#endif
