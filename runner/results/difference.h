/* What differs between two results, as plain data. */
#ifndef CULITMUS_DIFFERENCE_H
#define CULITMUS_DIFFERENCE_H

#include <stdio.h>

#include "results/results.h"

enum difference_kind {
    DIFFERENCE_VERDICT,
    DIFFERENCE_RATE,      /* the verdicts are equal, but the outcome is rarer or more frequent */
    DIFFERENCE_CELL,      /* only one side has the cell */
    DIFFERENCE_CONDITION, /* the test has another condition */
};

struct difference {
    enum difference_kind kind;
    const struct test_result *test[2]; /* before and after; NULL: that side does not have it */
    const struct cell_result *cell[2]; /* before and after; both are NULL if the condition differs */
};

struct differences {
    struct difference *list; /* first those that the result before has, in its order */
    int n;
};

/* Compares two results cell by cell. Rates differ if one is more than `tolerance` times the other (0: rates
 * are not compared) and chance does not explain it: taken as counts of independent runs, the two are more
 * than four standard deviations of their difference apart. Everything lives in the arena. */
struct differences differences_of(struct arena *a, const struct report *before, const struct report *after,
                                  double tolerance);

/* Whether the rates of a test's outcome in two cells differ by more than the tolerance and chance explain. */
bool difference_of_rates(const struct test_result *t, const struct cell_result *x,
                         const struct cell_result *y, double tolerance);

/* Writes the differences as one JSON object (docs/results.md). `paths` are those of the two results. */
void differences_json(const struct differences *d, const char *const paths[2], double tolerance, FILE *out);

#endif
