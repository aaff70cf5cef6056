/* The arguments of a call that is written like `usage`, one after the other. */
#ifndef CULITMUS_ARGUMENTS_H
#define CULITMUS_ARGUMENTS_H

#include "syntax/tree.h"

struct parser;

struct arguments {
    const struct tree *next;    /* NULL: there are no more */
    const struct token *before; /* the last token before it */
    const char *usage;
    struct pos pos; /* of the call's name */
};
struct arguments arguments_of(const struct tree *call, const char *usage);
/* Takes the next one. NULL, and an error that says `what` is missing, where there is none. */
const struct tree *arguments_take(struct parser *p, struct arguments *a, const char *what);
/* Takes the next one, which must be a name alone. */
const struct token *arguments_word(struct parser *p, struct arguments *a, const char *what);
/* Complains where there is one more. */
void arguments_end(struct parser *p, const struct arguments *a);

#endif
