/* Text that somebody else wrote (titles, names and paths of files and results), printed so that it stays text.
 *
 * Everywhere: bytes that are no UTF-8, control characters and characters that reorder or hide what is around them are
 * replaced, and all stays on one line. */
#ifndef CULITMUS_FOREIGN_H
#define CULITMUS_FOREIGN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Whether a character only stands where it is: a terminal does nothing else with it. */
bool foreign_is_plain(uint32_t character);

/* Whether a CI system would take it for a command if a line began with it: "::error::...", "##[group]...", behind blanks.
 * On a terminal the first character of such a text is replaced. */
bool foreign_is_command(const char *s);

/* To a terminal or a message. Returns the columns, one a character. */
int foreign_terminal(const char *s, FILE *out);
int foreign_columns(const char *s);
/* As the content of an element, or of an attribute in double quotes, of HTML and XML. */
void foreign_html(const char *s, FILE *out);
/* In a cell of a table; and as a link's target, in angle brackets. */
void foreign_markdown(const char *s, FILE *out);
void foreign_markdown_link(const char *s, FILE *out);
/* In a log that programs read line by line. `word`: it is one, without blanks. */
void foreign_log(const char *s, bool word, FILE *out);

#endif
