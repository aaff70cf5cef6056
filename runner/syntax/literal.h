/* Numbers of a text. */
#ifndef CULITMUS_LITERAL_H
#define CULITMUS_LITERAL_H

#include "syntax/lex.h"

/* Where the number ends that begins at s[from]. */
size_t literal_end(const char *s, size_t from);
/* Finds the type and the value of a number by its text, whose separators are dropped; or reports that it is none. */
void literal_read(struct arena *a, const struct source *src, struct token *t, struct diag *d);

#endif
