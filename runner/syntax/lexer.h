/* The state of lex.c, which preprocess.c shares. */
#ifndef CULITMUS_LEXER_H
#define CULITMUS_LEXER_H

#include "syntax/lex.h"

enum { MAX_ARGUMENTS = 16, MAX_DEPTH = 100 };

/* Bytes from..to of the snippet. */
struct range {
    size_t from, to;
};

/* A name that stands for other text: #define FULL_MASK 0xffffffff, #define LOAD(p) (*(volatile int *)(p)) */
struct macro {
    const char *name;
    struct range text;
    bool open;          /* its text is being read: within it, its name is an ordinary name */
    bool called;        /* it has a parameter list, perhaps empty: it needs a '(' behind its name */
    struct macro *next; /* the macro that was defined before it */
    int nparams;
    struct range params[MAX_ARGUMENTS]; /* the names of its parameters */
};

/* The call of a macro whose text is being read. */
struct macro_call {
    struct macro *macro;
    struct range args[MAX_ARGUMENTS];
    int nargs;
    const struct pos *used;   /* where its arguments are read: the macro call around them */
    struct macro_call *outer; /* and the arguments that these may name */
};

/* An '#if' whose lines are being read. */
struct branch {
    struct range at; /* the range of its line */
    struct branch *around;
};

struct lexer {
    struct arena *arena;
    const struct source *source;
    struct diag *diag;
    const struct snippet *in;
    size_t at; /* an offset in the snippet */
    struct macro *macros;
    const struct pos *used;  /* the position of the macro whose text is being read; NULL: none */
    struct macro_call *call; /* the call whose arguments the text may name; NULL: none */
    int uses, depth;         /* of macros so far; of nested macros */
    size_t end;              /* where the current text ends */
    struct branch *branch;   /* the innermost '#if' whose lines are being read; NULL: none */
    bool asks; /* the condition of an '#if' is being read, in which `defined` stands before names */
    bool full;
    struct token *tokens; /* on the heap, while their number is not known */
    size_t n, cap;
};

/* Returns the position of bytes from..to of the snippet. */
struct pos lexer_place(const struct lexer *l, size_t from, size_t to);
struct token *lexer_add(struct lexer *l, int kind, size_t from, size_t to);
/* Returns the end of the letters, digits and underscores from s[at] on. */
size_t lexer_end_of_name(const char *s, size_t at);
/* Returns the end of the quoted text that begins at s[at], behind its closing quote; if that is missing, the
 * end of the line. */
size_t lexer_end_of_quoted(const char *s, size_t at);
/* Reads tokens up to a byte of the snippet. */
void lexer_read_until(struct lexer *l, size_t end);

/* Returns the end of the number that begins at s[from]. */
size_t literal_end(const char *s, size_t from);
/* Fills in type and value of a number from its text, without its separators; reports it if it is none. */
void literal_read(struct lexer *l, struct token *t);

/* Reads a preprocessor line from its '#' on, and skips the lines that an '#if' excludes. */
void lexer_read_directive(struct lexer *l);
/* Reports an '#if' without its '#endif'. */
void lexer_check_branches(struct lexer *l);

#endif
