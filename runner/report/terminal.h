/* Results for people: per test a matrix of placement x fence, then a histogram a placement with a column a
 * fence. */
#ifndef CULITMUS_TERMINAL_H
#define CULITMUS_TERMINAL_H

#include <stdio.h>

#include "report/results.h"

struct terminal {
    FILE *out;
    bool color;
    int width; /* columns to stay within, where names allow */
};

/* The test's name, condition and matrix; the histograms too when `histograms`. */
void terminal_test(const struct terminal *t, const struct test_result *r, bool histograms);
/* How many cells came to which verdict, and what the words mean. */
void terminal_summary(const struct terminal *t, const struct report *r);

/* "3.4%", "9.2e-05". */
const char *terminal_rate(double rate, char *buf, size_t size);
/* ">99.99%", "63.2%". */
const char *terminal_confidence(double confidence, char *buf, size_t size);
/* What was observed in a cell, in a word and a rate: "seen 3.4%", "held", "held?". */
const char *terminal_observed(const struct test_result *r, const struct cell_result *c, char *buf,
                              size_t size);
/* What the model says of a cell: "allowed", "forbidden"; for forall "always", "not always". */
const char *terminal_allowed(const struct test_result *r, const struct cell_result *c);

#endif
