/* The text of a test as HTML: a line an element, with classes for keys, words, numbers, texts and remarks. */
#ifndef CULITMUS_HIGHLIGHT_H
#define CULITMUS_HIGHLIGHT_H

#include <stdbool.h>
#include <stdio.h>

/* The lines of `text`. The id of a line is `id` and its number. `wrong` says which are to be marked; NULL: none. */
void highlight_put(const char *text, const char *id, bool (*wrong)(int line, const void *ctx),
                   const void *ctx, FILE *out);

#endif
