/* What a result vouches for, how much its runs could have told, and what they say nothing of. Plain data, counted from a
 * report. */
#ifndef CULITMUS_CERTIFICATE_H
#define CULITMUS_CERTIFICATE_H

#include "results/results.h"
#include "results/sha256.h"

/* A machine and a compiler, and what ran there. */
struct certificate_subject {
    const struct cell_result *first; /* any of its cells */
    int cells, forbidden;            /* that ran; in which the model forbids what the condition asks for */
    uint64_t runs, forbidden_runs;
    int held, doubted,
        alone; /* of the forbidden ones: confidence of 99 % and more, less, nothing weaker ran */
    int violations;
    int mutants, seen; /* cells in which a weaker fence allows what a stronger one forbids; that showed it */
};

/* A forbidden cell that ran, or a mutant that showed nothing. */
struct certificate_cell {
    const struct test_result *test;
    const struct cell_result *cell;
    int subject;       /* its number */
    int mutants, seen; /* of a forbidden cell */
};

/* Cells that say nothing of this machine, for one reason. */
struct certificate_gap {
    const char *why;
    const struct test_result *test; /* of the first of them */
    const struct cell_result *cell;
    int cells;
};

struct certificate_test {
    const struct test_result *test;
    char hash[SHA256_TEXT]; /* of its text; "": the result does not have that */
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
    char results[SHA256_TEXT];  /* of the file; "": it was read from none */
    char suite
        [SHA256_TEXT]; /* of the tests' hashes, a line each, sorted; "": some text is not known */
};

/* Everything lives in the arena. */
struct certificate certificate_of(struct arena *a, const struct report *r);

#endif
