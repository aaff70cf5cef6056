/* Programs of the second writing as test files. */
#ifndef CULITMUS_TEST_BRUTE_TEXT_H
#define CULITMUS_TEST_BRUTE_TEXT_H

#include "base/text.h"
#include "brute.h"

enum { BRUTE_MAX_LINES = 160, BRUTE_WIDTHS = 4 };

/* The types that programs are tried with, and what their values are multiplied by: so all bits are in use. */
struct brute_width {
    const char *scalar, *vector;
    long long scale;
};

extern const struct brute_width brute_widths[BRUTE_WIDTHS];

struct brute_text {
    struct text text;
    bool table;        /* in PTX syntax, for operations that CUDA C has no word for; else YAML */
    unsigned observed; /* of the outcomes' values, in their order: a bit each */
    int op_at[BRUTE_MAX_THREADS][BRUTE_MAX_LINES]; /* line, from 1 on: the thread's operation there */
};

/* Whether a program must be a table; those with a table or with mixed sizes have the first of the widths. */
bool brute_needs_table(const struct brute_program *p);
bool brute_swaps(const struct brute_program *p);

/* Writes a test in which all or some values of the outcomes are observed. The caller frees the text. */
void brute_write(struct brute_text *t, const struct brute_program *p, const struct brute_width *w);

#endif
