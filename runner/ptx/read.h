/* What the files of the reader share.
 *
 *   read.c     statements: instructions, labels, braces
 *   operand.c  their operands
 *   declare.c  variables, functions and other directives
 *
 * After an error the reader panics: every token reads as the end, so that everything unwinds, until the next statement. */
#ifndef CULITMUS_PTX_READ_H
#define CULITMUS_PTX_READ_H

#include "ptx/ptx.h"
#include "ptx/token.h"

struct ptx_reader {
    struct arena *arena;
    const struct source *source; /* NULL: nobody wants to know of errors */
    struct diag *diag;
    const struct ptx_token *tok;  /* the current one; no comment */
    const struct ptx_token *last; /* the one before it */
    bool panic;
    int nesting; /* of operands */
    struct ptx_code out;
    size_t cap;
};

/* The current token's kind. */
int ptx_reader_peek(const struct ptx_reader *r);
/* Takes a token; comments before the next one become statements behind this one. */
const struct ptx_token *ptx_reader_next(struct ptx_reader *r);
bool ptx_reader_accept(struct ptx_reader *r, int kind);
/* Takes a token of this kind, or reports that `what` is missing. */
const struct ptx_token *ptx_reader_expect(struct ptx_reader *r, int kind, const char *what);
void ptx_reader_error(struct ptx_reader *r, struct pos pos, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* A word, whose dot was taken: "shared::cta". */
struct ptx_word ptx_reader_word(struct ptx_reader *r, const char *what);

/* Reads one operand; and operands with commas between them up to the token `close`, which is taken. */
struct ptx_operand ptx_reader_operand(struct ptx_reader *r);
void ptx_reader_operands(struct ptx_reader *r, int close, struct ptx_operand **list, int *n);

/* Reads what begins with a dot. */
void ptx_reader_declaration(struct ptx_reader *r, struct ptx_statement *s);

#endif
