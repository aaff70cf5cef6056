/* PTX as tokens (PTX ISA, "Identifiers", "Constants"). */
#ifndef CULITMUS_PTX_TOKEN_H
#define CULITMUS_PTX_TOKEN_H

#include <stdbool.h>

#include "base/source.h"

/* A punctuator is its character. */
enum ptx_token_kind {
    PTX_TOKEN_END = 0,
    PTX_TOKEN_NAME = 256, /* also %r1, %0, $L1, and what stands right behind a '.' or "::", such as 1d */
    PTX_TOKEN_NUMBER,
    PTX_TOKEN_STRING,  /* with its quotes */
    PTX_TOKEN_COMMENT, /* as written */
    PTX_TOKEN_BAD,     /* of an odd character, or a text or a comment without an end */
};

struct ptx_token {
    int kind;
    const char *text;
    struct pos pos;
    bool first; /* of its line */
    bool apart; /* blanks stand before it */
};

/* The tokens of a text, with one PTX_TOKEN_END at their end. */
const struct ptx_token *ptx_tokens(struct arena *a, const struct snippet *in);

#endif
