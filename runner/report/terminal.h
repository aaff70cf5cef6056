/* Results for people: for each test a matrix of placement x fence, then a histogram for each placement with a column
 * for each fence; or all tests in one table. */
#ifndef CULITMUS_TERMINAL_H
#define CULITMUS_TERMINAL_H

#include <stdio.h>

#include "report/layout.h"
#include "results/results.h"

struct terminal {
    FILE *out;
    bool color;
    int width;        /* columns to stay within, where names allow */
    bool whole_lines; /* a message is one line however long, for programs that read it */
};

/* The test's name, condition and matrix, and the histograms of what ran; with `outcomes` also what a model allows where
 * nothing ran. */
void terminal_test(const struct terminal *t, const struct test_result *r, bool outcomes);
/* All tests in one table for each device: a line for each placement, a word for each fence. Claims that failed follow. */
void terminal_brief(const struct terminal *t, const struct report *r);
/* How many cells came to which verdict, and what the words mean. */
void terminal_summary(const struct terminal *t, const struct report *r);

/* What the word of a cell that was to run (cell_word) means. */
const char *terminal_meaning(const struct cell_result *c);

/* The line above a matrix: "NVIDIA H200, judged by ptx". `only`: nothing ran beside what the model says.
 * `access`: of all of its cells; NULL: it stands in the rows. */
void terminal_title(const struct terminal *t, const struct layout_group *g, bool only, const char *access);
/* The claims of a test that failed, a line each. */
void terminal_failures(const struct terminal *t, const struct test_result *r);
/* Lines for the cells that never end, or whose loops were followed for some turns only; `name` of the test, or "". */
void terminal_remarks(const struct terminal *t, const struct test_result *r, const char *name);
/* Bold text, padded to `width`. */
void terminal_text(const struct terminal *t, int width, const char *s);
/* What was observed in a cell, or what the model says of it where nothing ran; empty where there is no cell. */
void terminal_word(const struct terminal *t, const struct test_result *r, const struct cell_result *c,
                   int width);

/* "3.4%", "9.2e-05". */
const char *terminal_rate(double rate, char *buf, size_t size);
/* ">99.99%", "63.2%". */
const char *terminal_confidence(double confidence, char *buf, size_t size);
/* What was observed in a cell, in a word and a rate: "seen 3.4%", "held"; "held? 86%", with the confidence. */
const char *terminal_observed(const struct test_result *r, const struct cell_result *c, char *buf,
                              size_t size);
/* What the model says of a cell: "allowed", "forbidden", "not reached"; for forall "always", "not always"; "endless",
 * "unknown". */
const char *terminal_allowed(const struct test_result *r, const struct cell_result *c);
/* What there is to know of the model's word: that loops were followed for some turns only, that nothing ends. NULL:
 * nothing. Lives in the arena. */
const char *terminal_remark(struct arena *a, const struct cell_result *c);
/* How many runs of a cell were stuck, where its word does not say so; NULL: none. Lives in the arena. */
const char *terminal_stuck(struct arena *a, const struct cell_result *c);

#endif
