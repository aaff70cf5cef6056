/* Bodies and conditions as tokens. */
#ifndef CULITMUS_LEX_H
#define CULITMUS_LEX_H

#include "base/source.h"
#include "litmus/value.h"

/* A punctuator of one character is that character; longer ones are numbered from 256. */
enum token_kind {
    TOK_END = 0, /* after the last token, for ever */
    TOK_NAME = 256,
    TOK_INT,  /* any number */
    TOK_TEXT, /* a text in quotes of either kind; no grammar has a place for it */
    TOK_BAD,  /* what is no token, which was reported: what is wrong because of it is not reported again */
    TOK_SHL_SET,
    TOK_SHR_SET,
    TOK_SHL,
    TOK_SHR,
    TOK_LE,
    TOK_GE,
    TOK_EQ,
    TOK_NE,
    TOK_LAND,
    TOK_LOR,
    TOK_INC,
    TOK_DEC,
    TOK_ADD_SET,
    TOK_SUB_SET,
    TOK_MUL_SET,
    TOK_DIV_SET,
    TOK_MOD_SET,
    TOK_AND_SET,
    TOK_OR_SET,
    TOK_XOR_SET,
    TOK_LAND_TEX,
    TOK_LOR_TEX, /* herd's way to write && and ||: /\ and \/ */
};

struct token {
    int kind;
    const char *text; /* as written, in the arena */
    struct type type; /* TOK_INT: what C makes of the literal */
    struct value value;
    size_t at; /* where it begins in the snippet */
    struct pos pos;
    struct pos after; /* just behind it: where something is missing */
};

/* No body and no condition needs more. */
enum { LEX_MAX_TOKENS = 100000 };

/* True when the token is this name. */
bool token_is_word(const struct token *t, const char *word);
/* The number as an integer. */
long long token_number(const struct token *t);

/* The tokens of a snippet, with one TOK_END at the end; no others where it is too long. Comments are skipped. */
const struct token *lex(struct arena *a, const struct source *src, const struct snippet *in, struct diag *d);

#endif
