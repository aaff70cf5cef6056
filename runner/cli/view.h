/* Shows results on this terminal. */
#ifndef CULITMUS_VIEW_H
#define CULITMUS_VIEW_H

#include <stdio.h>

#include "report/survey.h"
#include "results/results.h"

/* `outcomes`: also show what a model allows in cells that did not run. */
void view_test(const struct test_result *r, bool outcomes);
void view_summary(const struct report *r);
void view_brief(const struct report *r);
/* Shows a whole report, as `run` does; `brief`: in one table without histograms. */
void view_report(const struct report *r, bool brief);

/* Prints a line for each device and compiler: what it has shown, and how many missing fences the run would
 * have noticed. `device` is its number; -1: there is only one. */
void view_health(const struct report *r, int device, FILE *out);

/* Prints a word and the text behind it, in lines that fit the terminal. Lines behind the first are indented
 * by `hang` more. If there is no terminal, a program reads it, so it is one line. */
void view_line(const char *word, const char *text, int indent, int hang);
/* Prints a word of a legend with its meaning. */
void view_legend(const char *word, const char *meaning);
/* Prints a note for people, in lines that fit. */
void view_note(const char *text);

/* Returns the width of the terminal, but at least 20 and at most 120 columns, which the eye can follow; 100
 * if there is no terminal. */
int view_width(void);

void view_survey(const struct survey_request *r, const struct survey *s, bool all);

#endif
