/* Finding and reading the tests that a command line names. */
#ifndef CULITMUS_SUITE_H
#define CULITMUS_SUITE_H

#include "cli/cli.h"
#include "litmus/test.h"
#include "run/backend.h"

struct suite {
    struct test **tests; /* in the order named; within a folder by path */
    int n;
};

/* Reads every file named, every *.yaml, *.yml and *.litmus below a folder, and shipped tests by their names;
 * without paths the shipped suite. A file that is named twice is read once. All files are read, so that all
 * errors come at once; false when there is any. `filter` (or NULL) is a regular expression that a test's name
 * must match. */
bool suite_read(struct arena *a, char **paths, int npaths, const char *filter, struct suite *s,
                struct diag *d);

/* One test: a path, or the name of a shipped test. */
struct test *suite_find(struct arena *a, const char *name, struct diag *d);

/* 0, or EXIT_USAGE when the filter is not a regular expression, which is then said on stderr. */
int suite_check_filter(const struct options *o);

/* The cells of a test that the options choose, in the order placement, access, fence. Without choices: the
 * test's own axes. The placements collapse as the backend says (NULL: they do not). A choice that this test does
 * not have gives no cells; what is chosen twice gives one. */
struct cell *suite_cells(struct arena *a, const struct test *t, const struct options *o,
                         const struct backend *b, int *n);

/* Leaves of the cells of a test, in that order, the first of each placement and access. Returns how many. */
int suite_drop_fences(struct cell *cells, int n);

/* 0, or EXIT_USAGE when some choice of --fence, --placement or --access fits no test, said on stderr. */
int suite_check_choices(const struct suite *s, const struct options *o);

#endif
