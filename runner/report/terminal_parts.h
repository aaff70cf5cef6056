/* What terminal.c, terminal_table.c and terminal_text.c have in common. */
#ifndef CULITMUS_TERMINAL_PARTS_H
#define CULITMUS_TERMINAL_PARTS_H

#include "report/terminal.h"
#include "report/tone.h"

enum { TERMINAL_NARROW = 40 }; /* below this many columns, margins and columns are narrow, too */

enum terminal_paint { PAINT_NONE, PAINT_BOLD, PAINT_DIM, PAINT_GREEN, PAINT_YELLOW, PAINT_RED };

enum terminal_paint terminal_paint_of(enum tone tone);
/* Prints text to the left of its column; to the right of it. What is as wide as that has a blank all the same. */
void terminal_put(const struct terminal *t, enum terminal_paint paint, int width, const char *s);
void terminal_put_right(const struct terminal *t, enum terminal_paint paint, int width, const char *s);
/* Prints a painted word, which may be empty, and text behind it in lines that fit; those after the first are indented by
 * `hang` more. A word that is wider than a line stays whole. */
void terminal_wrap(const struct terminal *t, enum terminal_paint paint, const char *head, const char *s,
                   int indent, int hang);
/* The same for what programs look for: a line that they read stays whole. */
void terminal_line(const struct terminal *t, enum terminal_paint paint, const char *head, const char *s,
                   int indent, int hang);

/* Line `k` of a column's head. A choice slot by slot has a line for each slot; the text is empty beyond the last. */
const char *terminal_head(const char *fence, int k, char *buf, size_t size);
/* How many lines head the columns `from` up to `to`; how wide those of column `k` are. */
int terminal_head_lines(const struct layout_group *g, int from, int to);
int terminal_head_width(const struct layout_group *g, int k);

/* Whether nothing ran in a group's cells: it is what a model says. */
bool terminal_model_alone(const struct layout_group *g);
/* `only`: the test has no other group. */
void terminal_matrix(const struct terminal *t, const struct test_result *r, const struct layout_group *g,
                     bool only);
void terminal_histogram(const struct terminal *t, struct arena *a, const struct test_result *r,
                        const struct layout_group *g, const struct layout_row *row);

#endif
