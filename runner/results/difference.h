/* What differs between two results, as plain data. */
#ifndef CULITMUS_DIFFERENCE_H
#define CULITMUS_DIFFERENCE_H

#include <stdio.h>

#include "results/results.h"

enum difference_kind {
    DIFFERENCE_VERDICT,
    DIFFERENCE_RATE,      /* one verdict, but the outcome is rarer or more frequent */
    DIFFERENCE_CELL,      /* one side does not have the cell */
    DIFFERENCE_CONDITION, /* the test asks something else */
};

struct difference {
    enum difference_kind kind;
    const struct test_result *test[2]; /* before and after; NULL: that side has none */
    const struct cell_result *cell[2]; /* likewise; both NULL where the condition differs */
};

struct differences {
    struct difference *list; /* first those with a side before, in its order */
    int n;
};

/* Compares results cell by cell. A rate differs when one is more than `tolerance` times the other (0: rates are not
 * looked at), and when chance hardly explains it: the two counts are more than four standard deviations of their
 * difference apart, as counts of runs that know nothing of each other. Lives in the arena. */
struct differences differences_of(struct arena *a, const struct report *before, const struct report *after,
                                  double tolerance);

/* Whether the rates of what a test is about are further apart than chance and the tolerance explain. */
bool difference_of_rates(const struct test_result *t, const struct cell_result *x,
                         const struct cell_result *y, double tolerance);

/* The differences as one JSON object (docs/results.md). `paths`: of the two results. */
void differences_json(const struct differences *d, const char *const paths[2], double tolerance, FILE *out);

#endif
