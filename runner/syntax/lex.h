/* Splits bodies and conditions into tokens. */
#ifndef CULITMUS_LEX_H
#define CULITMUS_LEX_H

#include "base/source.h"
#include "litmus/value.h"

/* The kind of a one-character punctuator is that character; longer ones are numbered from 256. */
enum token_kind {
    TOK_END = 0, /* comes after the last token, any number of times */
    TOK_NAME = 256,
    TOK_INT,  /* a number of any type */
    TOK_TEXT, /* a text in quotes; only some grammars have a place for it */
    TOK_BAD,  /* no token; it was reported, and errors that follow from it are not */
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
    TOK_IMPLIES, /* its =>, which elsewhere is two tokens */
};

struct token {
    int kind;
    const char *text; /* as written, in the arena */
    struct type type; /* of a TOK_INT: the type that C gives the literal */
    struct value value;
    size_t at; /* where it begins in the snippet */
    struct pos pos;
    struct pos after; /* the position behind it, where something may be missing */
};

/* more than any body or condition needs */
enum { LEX_MAX_TOKENS = 100000 };

/* Whether the token is this name. */
bool token_is_word(const struct token *t, const char *word);
/* Returns the value of a number token. */
long long token_number(const struct token *t);

/* Returns the tokens of a snippet, ended by a TOK_END; only that if the snippet is too long. Comments are
 * skipped. */
const struct token *lex(struct arena *a, const struct source *src, const struct snippet *in, struct diag *d);

#endif
