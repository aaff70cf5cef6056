/* Prints what several compilers make of the same cells, for people and as JSON. */
#ifndef CULITMUS_REPORT_SURVEY_H
#define CULITMUS_REPORT_SURVEY_H

#include "report/terminal.h"
#include "run/mappings.h"
#include "run/survey.h"

/* Prints a line for each compiler, what is refused, and what differs. `all`: also each text, and the edges
 * that do not differ. */
void survey_show(const struct terminal *t, const struct survey_request *r, const struct survey *s, bool all);
void survey_json(const struct survey_request *r, const struct survey *s, FILE *out);

/* Whether two compilers make different code of an edge that both have. */
bool survey_differs(const struct survey_request *r, const struct survey_edge *e);

/* Print what compilers make of each way to write an operation. */
void mappings_markdown(const struct mappings_request *r, const struct mappings *m, FILE *out);
void mappings_json(const struct mappings_request *r, const struct mappings *m, FILE *out);

#endif
