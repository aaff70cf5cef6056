/* Finding and reading tests by their paths and names. */
#ifndef CULITMUS_SUITE_H
#define CULITMUS_SUITE_H

#include "litmus/test.h"
#include "results/results.h"

struct files;
struct suite {
    struct test **tests; /* in the order named; within a folder by path */
    int n;
    struct refused_file *refused; /* the files that are no tests, in the same order */
    int nrefused;
    struct files *files; /* what they were read from */
};

/* Which tests are taken, by regular expressions that their names match; NULL: it is not asked. */
struct name_filter {
    const char *only, *not ;
};

/* Reads every file that is named, standard input where that is '-', every *.yaml, *.yml and *.litmus below a folder
 * that is named, and shipped tests by their names; without paths, the shipped suite, which is the folder `shipped`. A
 * file that is named twice is read once. A file that is no test is left out, and `d` has its errors. False when a path
 * leads nowhere, or no test is left. No kernel is compiled yet: a test with a source is `uncompiled`. */
bool suite_read(struct arena *a, const char *shipped, char **paths, int npaths, struct name_filter names,
                struct suite *s, struct diag *d);

/* A test of a suite, all of which are gone through: those before need not be in memory. */
const struct test *suite_test(const struct suite *s, int k);

/* Compiles the sources of the tests that are left. Those that cannot be read then are left out, and `d` has their errors. */
void suite_compile(struct suite *s, struct diag *d);

/* A file with these errors. */
struct refused_file suite_refused(struct arena *a, const char *file, const struct diag *d);

/* The path by which a text of memory is read as a test: NAME.litmus if it is a table in PTX syntax, which begins with
 * that word; else NAME.yaml. */
const char *suite_text_path(struct arena *a, const char *name, const char *text);

/* The shipped test of a name; NULL where there is none that can be read. Nothing is said of it. */
struct test *suite_find_shipped(struct arena *a, const char *shipped, const char *name);

/* One test: a path, or the name of a shipped test. */
struct test *suite_find(struct arena *a, const char *shipped, const char *name, struct diag *d);

/* What is wrong with a regular expression, in the arena; NULL: nothing. */
const char *suite_refuse_filter(struct arena *a, const char *filter);

#endif
