/* Results in the formats of others. Write errors are left in the stream. */
#ifndef CULITMUS_PRINTERS_H
#define CULITMUS_PRINTERS_H

#include <stdio.h>

#include "report/results.h"

/* The log of herd7 and litmus7: one "Test ... Time" block a cell that ran or was judged. */
void report_log(const struct report *r, FILE *out);
/* JUnit XML: a suite a test, a case a cell. */
void report_junit(const struct report *r, FILE *out);
/* One page that needs nothing beside it. */
void report_html(const struct report *r, FILE *out);
/* What the page says of the tests, without their texts and what is around them. */
void report_html_answers(const struct report *r, FILE *out);

/* A table of contents in Markdown: a table a folder, a line a test. Links are the tests' paths as they were
 * read, so run the command in the folder that the text is for. */
void report_markdown(const struct report *r, FILE *out);

#endif
