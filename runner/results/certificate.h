/* A certificate says what a result vouches for: how much its runs could have shown, and what they say nothing
 * about. It is plain data, counted from a report. */
#ifndef CULITMUS_CERTIFICATE_H
#define CULITMUS_CERTIFICATE_H

#include "results/results.h"
#include "results/sha256.h"

/* A machine with a compiler, and what ran there. */
struct certificate_subject {
    const struct cell_result *first; /* any of its cells */
    int cells, forbidden; /* cells that ran; those in which the model forbids what the condition asks for */
    uint64_t runs, forbidden_runs;
    int held, doubted,
        /* how many of the forbidden cells have a confidence of at least 99 %, a lower one, or no cell with a
         * weaker fence that ran */
        alone;
    int violations;
    /* mutants: cells in which a weaker fence allows what a stronger one forbids; how many of them showed
     * it */
    int mutants, seen;
};

/* A forbidden cell that ran, or a mutant that showed nothing. */
struct certificate_cell {
    const struct test_result *test;
    const struct cell_result *cell;
    int subject;       /* index of its subject */
    int mutants, seen; /* of a forbidden cell: its mutants, and how many showed the outcome */
};

/* Cells that say nothing about this machine, all for one reason. */
struct certificate_gap {
    const char *why;
    const struct test_result *test; /* the test of the first of these cells */
    const struct cell_result *cell;
    int cells;
};

struct certificate_test {
    const struct test_result *test;
    char hash[SHA256_TEXT]; /* SHA-256 of the test's text; "": the result does not have the text */
};

struct certificate {
    const struct report *report;
    struct certificate_subject *subjects;
    int nsubjects;
    struct certificate_cell *forbidden, *untold, *violated;
    int nforbidden, nuntold, nviolated;
    struct certificate_gap *gaps;
    int ngaps;
    struct certificate_test *tests;
    int ntests, unknown_texts;
    int failures;               /* claims of tests that failed */
    const char *missing_shards; /* "2, 5 to 7"; NULL: none */
    char results[SHA256_TEXT];  /* SHA-256 of the results file; "": the results were not read from a file */
    char suite
        /* SHA-256 of the tests' hashes, sorted, a line each; "": the text of some test is not known */
        [SHA256_TEXT];
};

/* Everything lives in the arena. */
struct certificate certificate_of(struct arena *a, const struct report *r);

#endif
