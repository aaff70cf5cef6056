/* Words and signs of a .cat file. Private to the reader. */
#ifndef CULITMUS_CAT_LEX_H
#define CULITMUS_CAT_LEX_H

#include "base/arena.h"
#include "base/diag.h"

enum cat_token_kind {
    TOKEN_END,
    TOKEN_BAD, /* was reported */
    TOKEN_NAME,
    TOKEN_STRING,
    TOKEN_SIGN, /* `sign` */
    TOKEN_KEYWORD,
};

enum sign {
    SIGN_LPAREN = '(',
    SIGN_RPAREN = ')',
    SIGN_LBRACKET = '[',
    SIGN_RBRACKET = ']',
    SIGN_COMMA = ',',
    SIGN_EQ = '=',
    SIGN_BAR = '|',
    SIGN_AMP = '&',
    SIGN_BACKSLASH = '\\',
    SIGN_SEMI = ';',
    SIGN_STAR = '*',
    SIGN_TILDE = '~',
    SIGN_PLUS = '+',
    SIGN_OPT = '?',
    SIGN_ZERO = '0',
    SIGN_ALL = '_',
    SIGN_INVERSE = 256, /* ^-1 */
    SIGN_HAT_STAR,      /* ^* */
    SIGN_LBRACE,
    SIGN_RBRACE,
    SIGN_ALT,   /* || */
    SIGN_ADD,   /* ++ */
    SIGN_ARROW, /* -> */
    SIGN_LAND,  /* && */
};

enum keyword {
    KEY_LET,
    KEY_REC,
    KEY_AND,
    KEY_ACYCLIC,
    KEY_IRREFLEXIVE,
    KEY_EMPTY,
    KEY_FLAG,
    KEY_INCLUDE,
    KEY_AS,
    KEY_WITH,
    KEY_FROM,
    KEY_SHOW,
    KEY_UNSHOW,
    KEY_IN,
    KEY_TRY,
    KEY_IF,
    KEY_THEN,
    KEY_ELSE,
    KEY_END,
    KEY_PROCEDURE,
    KEY_CALL,
    KEY_WHEN,
    KEY_UNLESS,
    KEY_MATCH,
    KEY_FUN,
    KEY_ASSERT,
    KEY_COUNT
};

struct cat_token {
    enum cat_token_kind kind;
    struct pos pos;
    const char
        *text; /* NAME, KEYWORD, STRING (without quotes): in the lexer's arena; else as in the source */
    enum sign sign;
    enum keyword keyword;
};

struct cat_lexer {
    struct arena *arena;
    const struct source *source;
    struct diag *diag;
    size_t at;
    int line;
    size_t line_start;
};

struct cat_token lex_next(struct cat_lexer *lx);

#endif
