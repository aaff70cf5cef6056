/* Results on this terminal. */
#ifndef CULITMUS_VIEW_H
#define CULITMUS_VIEW_H

#include <stdio.h>

#include "report/survey.h"
#include "results/results.h"

/* `outcomes`: also what a model allows where nothing ran. */
void view_test(const struct test_result *r, bool outcomes);
void view_summary(const struct report *r);
void view_brief(const struct report *r);
/* All of it, as `run` shows it; `brief`: in one table, without histograms. */
void view_report(const struct report *r, bool brief);

/* What each device and compiler has shown, and how many missing fences that would have told, a line each. `device`: its
 * number; -1: there is one. */
void view_health(const struct report *r, int device, FILE *out);

/* A word and text behind it, in lines that fit the terminal; those after the first are indented by `hang` more. Where
 * there is no terminal, a program reads one line. */
void view_line(const char *word, const char *text, int indent, int hang);
/* A word and what it means, in a legend. */
void view_legend(const char *word, const char *meaning);
/* A note for people, in lines that fit. */
void view_note(const char *text);

/* The width of the terminal, but at least 20 columns, and at most 120, which the eye can follow; 100 where there is
 * none. */
int view_width(void);

void view_survey(const struct survey_request *r, const struct survey *s, bool all);

#endif
