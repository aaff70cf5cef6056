/* Finding and reading the tests that a command line names. */
#ifndef CULITMUS_SUITE_H
#define CULITMUS_SUITE_H

#include "cli/cli.h"
#include "litmus/test.h"
#include "run/backend.h"

struct suite {
    struct test **tests; /* in the order named; within a folder by path */
    int n;
    struct refused_file *refused; /* the files that are no tests, in the same order */
    int nrefused;
};

/* Reads every file that is named, every *.yaml, *.yml and *.litmus below a folder that is named, and shipped tests by
 * their names; without paths, the shipped suite. A file that is named twice is read once. A file that is no
 * test is left out, and `d` has its errors. A test's name must match the regular expression `filter` (NULL: any name). False
 * when a path leads nowhere, or no test is left. */
bool suite_read(struct arena *a, char **paths, int npaths, const char *filter, struct suite *s,
                struct diag *d);

/* A file with these errors. */
struct refused_file suite_refused(struct arena *a, const char *file, const struct diag *d);

/* One test: a path, or the name of a shipped test. */
struct test *suite_find(struct arena *a, const char *name, struct diag *d);

/* Returns 0, or EXIT_USAGE when the filter is not a regular expression; stderr then says why. */
int suite_check_filter(const struct options *o);

/* The cells of a test that the options choose, in the order placement, access, fence; without choices, the test's own
 * axes. If the backend has only one placement, the placements become that one (`backend` NULL: they stay). A choice
 * that this test does not have gives no cells. What is chosen twice gives one cell. */
struct cell *suite_cells(struct arena *a, const struct test *t, const struct options *o,
                         const struct backend *b, int *n);

/* Keeps the first cell of each placement and access, so that no two differ in the fence alone. Returns how many are
 * left. */
int suite_drop_fences(struct cell *cells, int n);

/* Returns 0, or EXIT_USAGE when some choice of --fence, --placement or --access fits no test; stderr then says
 * which. */
int suite_check_choices(const struct suite *s, const struct options *o);

#endif
