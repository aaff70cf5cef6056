/* What the parts of the HTML page share. Private to it. */
#ifndef CULITMUS_REPORT_HTML_H
#define CULITMUS_REPORT_HTML_H

#include <stdio.h>

#include "report/layout.h"

struct html {
    const struct report *r;
    FILE *out;
    struct arena *arena; /* for what the page needs */
    double drawing;      /* how many seconds may still be spent on drawings */
};

/* Writes "<p>NAME</p>" and the like, with text from a file. NULL: writes nothing. */
void html_element(const struct html *h, const char *tag, const char *text);

/* Writes a page from its top to its first heading. `skip` is a link that comes before everything else, as
 * HTML, or "". */
void html_begin(const struct html *h, const char *title, const char *skip, const char *heading);
/* Writes a term and its value, unless the value is NULL or empty. */
void html_fact(const struct html *h, const char *name, const char *value);
/* Writes "<table>" in a box that scrolls. The label is read aloud. The caller writes the contents and
 * "</table></div>". */
void html_begin_table(const struct html *h, const char *label, const char *attributes);
/* Writes "<td>TEXT</td>" with text from a file. NULL: the cell is empty. */
void html_cell(const struct html *h, const char *attributes, const char *text);

/* Writes the head of the page: how many cells have which verdict, the refused files, the failures, and an
 * index with a filter. */
void html_summary(const struct html *h);
void html_refused(const struct html *h);
void html_failures(const struct html *h);
void html_index(const struct html *h);
/* Writes what the words and colours mean. */
void html_legend(const struct html *h);

/* Returns the class for a cell's colours: "good", "open", "bad" or "mute". */
const char *html_class(const struct test_result *t, const struct cell_result *c);
/* Whether a claim of the test failed, or a cell is a violation. */
bool html_failed(const struct test_result *t);
/* Returns the words by which the filter finds a test, each once: "failed", "seen", "held", ... */
const char *html_states(const struct html *h, const struct test_result *t);
/* Returns the folder of a test's file; "" if it has none. */
const char *html_folder(const struct html *h, const struct test_result *t);

/* Writes everything about a test except its text. */
void html_answers(struct html *h, const struct test_result *t);
/* Writes everything about a test. `n` is its number on the page. */
void html_test(struct html *h, const struct test_result *t, int n);
/* Draws executions that show what is allowed, and cycles that forbid what is not. They are found again with
 * the model, from the test's text. */
void html_drawings(struct html *h, const struct test_result *t, const struct layout *l);

/* Writes a number as "1,234,567". */
const char *html_number(unsigned long long n, char buf[32]);

/* ---- the text of a test: each line is an element, with classes for keys, words, numbers, texts and comments
 * (highlight.c) ---- */

/* Writes the lines of `text`. The id of a line is `id` and its number. `wrong` says which lines are marked;
 * NULL: none. */
void highlight_put(const char *text, const char *id, bool (*wrong)(int line, const void *ctx),
                   const void *ctx, FILE *out);

#endif
