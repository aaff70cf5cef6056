/* Private to the HTML page: what its parts share. */
#ifndef CULITMUS_REPORT_HTML_H
#define CULITMUS_REPORT_HTML_H

#include <stdio.h>

#include "report/layout.h"

struct html {
    const struct report *r;
    FILE *out;
    struct arena *arena; /* of the page */
    double drawing;      /* seconds that may still be spent on drawings */
};

/* "<p>NAME</p>" and the like, with text from a file. NULL: nothing. */
void html_element(const struct html *h, const char *tag, const char *text);

/* A page from its top to its first heading. `skip`: a link that stands before all else, as HTML, or "". */
void html_begin(const struct html *h, const char *title, const char *skip, const char *heading);
/* A term and what is said of it; a value that is NULL or empty is left out. */
void html_fact(const struct html *h, const char *name, const char *value);
/* "<table>" in a box that scrolls; its label is read aloud. The caller writes what is in it, and "</table></div>". */
void html_begin_table(const struct html *h, const char *label, const char *attributes);
/* "<td>TEXT</td>", with text from a file. NULL: nothing is in it. */
void html_cell(const struct html *h, const char *attributes, const char *text);

/* What the page says first: how many cells came to what, the refused files, the failures, and an index with a
 * filter. */
void html_summary(const struct html *h);
void html_refused(const struct html *h);
void html_failures(const struct html *h);
void html_index(const struct html *h);
/* What the words and colours mean. */
void html_legend(const struct html *h);

/* The class of a cell's colours: "good", "open", "bad", "mute". */
const char *html_class(const struct test_result *t, const struct cell_result *c);
/* Whether a claim of the test failed, or a cell is a violation. */
bool html_failed(const struct test_result *t);
/* The words by which the filter finds a test, each once: "failed", "seen", "held", ... */
const char *html_states(const struct html *h, const struct test_result *t);
/* The folder of a test's file; "" if it has none. */
const char *html_folder(const struct html *h, const struct test_result *t);

/* All of a test but its text. */
void html_answers(struct html *h, const struct test_result *t);
/* All of a test. `n` is its number on the page. */
void html_test(struct html *h, const struct test_result *t, int n);
/* Executions that show what is allowed, and the cycles that forbid what is not: found again with the model, from the
 * test's text. */
void html_drawings(struct html *h, const struct test_result *t, const struct layout *l);

/* "1,234,567" */
const char *html_number(unsigned long long n, char buf[32]);

/* ---- the text of a test: a line an element, with classes for keys, words, numbers, texts and remarks
 * (highlight.c) ---- */

/* The lines of `text`. The id of a line is `id` and its number. `wrong` says which are to be marked; NULL: none. */
void highlight_put(const char *text, const char *id, bool (*wrong)(int line, const void *ctx),
                   const void *ctx, FILE *out);

#endif
