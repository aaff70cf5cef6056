/* Finding and reading tests by their paths and names. */
#ifndef CULITMUS_SUITE_H
#define CULITMUS_SUITE_H

#include "litmus/test.h"
#include "results/results.h"

struct files;
struct suite {
    struct test **tests; /* in the order in which they were named; within a folder by path */
    int n;
    struct refused_file *refused; /* the files that are no tests, in the same order */
    int nrefused;
    struct files *files; /* the files that they were read from */
};

/* Regular expressions that a test's name must match, and must not match; NULL: any name will do. */
struct name_filter {
    const char *only, *not ;
};

/* Reads all tests that `paths` name: files; standard input for '-'; for a folder every *.yaml, *.yml and
 * *.litmus below it; and shipped tests by name. Without paths, reads the shipped suite, the folder `shipped`.
 * A file that is named twice is read once. A file that is no test is left out, with errors in `d`. Returns
 * false when a path leads nowhere, or no test is left. Kernels are not compiled yet: a test with a source is
 * `uncompiled`. */
bool suite_read(struct arena *a, const char *shipped, char **paths, int npaths, struct name_filter names,
                struct suite *s, struct diag *d);

/* Returns a test of a suite to a caller that goes through all tests in order: the tests before it may leave
 * memory. */
const struct test *suite_test(const struct suite *s, int k);

/* Compiles the sources of the tests that are left. A test that cannot be read then is left out, with errors
 * in `d`. */
void suite_compile(struct suite *s, struct diag *d);

/* Makes the record of a file that is no test, with these errors. */
struct refused_file suite_refused(struct arena *a, const char *file, const struct diag *d);

/* The path by which a text of memory is read as a test: NAME.litmus if it is a table in PTX syntax, which
 * begins with that word; else NAME.yaml. */
const char *suite_text_path(struct arena *a, const char *name, const char *text);

/* Returns the shipped test of this name; NULL, without an error, when there is none that can be read. */
struct test *suite_find_shipped(struct arena *a, const char *shipped, const char *name);

/* Reads one test: a path, or the name of a shipped test. */
struct test *suite_find(struct arena *a, const char *shipped, const char *name, struct diag *d);

/* Returns what is wrong with a regular expression, in the arena; NULL: nothing. */
const char *suite_refuse_filter(struct arena *a, const char *filter);

#endif
