/* A comparison of random programs with something that was written anew: what its command line asks for, and the line by which
 * it ends. tests/model/random runs all of them, and adds up these lines. */
#ifndef CULITMUS_TEST_ORACLE_H
#define CULITMUS_TEST_ORACLE_H

#include <stdint.h>

struct oracle {
    int programs;       /* are drawn, or so many of each kind's share; set before to what a short run draws */
    uint64_t seed;      /* from which they follow; set before */
    long long drawn;    /* programs */
    long long compared; /* answers that were held against others */
    long long unknown;  /* answers that say nothing: not known, or bounded where that matters */
    long long different; /* answers of which one must be wrong */
};

/* Reads "[PROGRAMS [SEED [TEST]]]". With arguments only the tests are run whose names `tests` matches, or TEST. */
void oracle_begin(struct oracle *o, const char *tests, int argc, char **argv);

/* Prints the line. Returns the exit status of a program of whose tests so many failed. */
int oracle_end(const struct oracle *o, int failed);

#endif
