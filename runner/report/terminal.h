/* Prints results for people: for each test a matrix of placements and fences, then a histogram for each
 * placement with a column for each fence; or all tests in one table. */
#ifndef CULITMUS_TERMINAL_H
#define CULITMUS_TERMINAL_H

#include <stdio.h>

#include "report/layout.h"
#include "results/results.h"

struct terminal {
    FILE *out;
    bool color;
    int width;        /* columns to stay within, if names allow */
    bool whole_lines; /* each message is one line, however long, for programs that read it */
};

/* Prints the test's name, condition and matrix, and histograms of what ran; with `outcomes` also what a model
 * allows in cells that did not run. */
void terminal_test(const struct terminal *t, const struct test_result *r, bool outcomes);
/* Prints all tests in one table for each device, with a line for each placement and a word for each fence.
 * Failed claims follow. */
void terminal_brief(const struct terminal *t, const struct report *r);
/* Prints how many cells have which verdict, and what the words mean. */
void terminal_summary(const struct terminal *t, const struct report *r);

/* Returns the meaning of cell_word() for a cell that was to run. */
const char *terminal_meaning(const struct cell_result *c);

/* Prints the line above a matrix, such as "NVIDIA H200, judged by ptx". `only`: nothing ran. `access` is that
 * of all its cells; NULL: the rows name it. */
void terminal_title(const struct terminal *t, const struct layout_group *g, bool only, const char *access);
/* Prints the failed claims of a test, a line each. */
void terminal_failures(const struct terminal *t, const struct test_result *r);
/* Prints lines about cells that never end, or whose loops were followed for some turns only. `name` is that
 * of the test, or "". */
void terminal_remarks(const struct terminal *t, const struct test_result *r, const char *name);
/* Prints bold text, padded to `width`. */
void terminal_text(const struct terminal *t, int width, const char *s);
/* Prints what was observed in a cell, or what the model says if it did not run; nothing if there is no
 * cell. */
void terminal_word(const struct terminal *t, const struct test_result *r, const struct cell_result *c,
                   int width);

/* Writes a rate such as "3.4%" or "9.2e-05". */
const char *terminal_rate(double rate, char *buf, size_t size);
/* Writes a confidence such as ">99.99%" or "63.2%". */
const char *terminal_confidence(double confidence, char *buf, size_t size);
/* Writes what was observed in a cell as a word with a rate or a confidence: "seen 3.4%", "held", "held?
 * 86%". */
const char *terminal_observed(const struct test_result *r, const struct cell_result *c, char *buf,
                              size_t size);
/* Returns what the model says of a cell: "allowed", "forbidden", "not reached"; for a forall "always", "not
 * always"; "endless", "unknown". */
const char *terminal_allowed(const struct test_result *r, const struct cell_result *c);
/* Returns what must be known of the model's answer: that loops were followed for some turns only, or that
 * nothing ends. NULL: nothing. In the arena. */
const char *terminal_remark(struct arena *a, const struct cell_result *c);
/* Returns how many runs of a cell were stuck, unless its word says so; NULL: none. In the arena. */
const char *terminal_stuck(struct arena *a, const struct cell_result *c);

#endif
