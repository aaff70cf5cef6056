/* Text that somebody else wrote (titles, names and paths of files and results), printed so that it stays
 * text.
 *
 * Everywhere: bytes that are no UTF-8, control characters and characters that reorder or hide what is around
 * them are replaced, and all stays on one line. */
#ifndef CULITMUS_FOREIGN_H
#define CULITMUS_FOREIGN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Whether a terminal shows the character and does nothing else with it: it is no control character, and none
 * that reorders or hides its neighbours. */
bool foreign_is_plain(uint32_t character);

/* Whether a CI system would run the text as a command if a line began with it, as "::error::..." or
 * "##[group]...", even behind blanks. On a terminal the first character of such a text is replaced. */
bool foreign_is_command(const char *s);

/* Prints to a terminal or into a message. Returns the number of columns, one for each character. */
int foreign_terminal(const char *s, FILE *out);
int foreign_columns(const char *s);
/* Prints as the content of an HTML or XML element, or of an attribute in double quotes. */
void foreign_html(const char *s, FILE *out);
/* Prints into a cell of a Markdown table; and as the target of a link, which stands in angle brackets. */
void foreign_markdown(const char *s, FILE *out);
void foreign_markdown_link(const char *s, FILE *out);
/* Prints into a log that programs read line by line. `word`: the text is one word, so '_' stands for each
 * blank. */
void foreign_log(const char *s, bool word, FILE *out);

#endif
