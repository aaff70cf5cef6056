/* The state of lex.c, for preprocess.c. */
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
    bool open;          /* it is being read: within itself it is a name like others */
    bool called;        /* it has parameters, perhaps none: a '(' stands behind its name */
    struct macro *next; /* the one defined before */
    int nparams;
    struct range params[MAX_ARGUMENTS]; /* their names */
};

/* A macro with arguments whose text is being read. */
struct macro_call {
    struct macro *macro;
    struct range args[MAX_ARGUMENTS];
    int nargs;
    const struct pos *used;   /* where the arguments are read: within which macro, */
    struct macro_call *outer; /* and among which arguments */
};

/* An '#if' whose lines are being read. */
struct branch {
    struct range at; /* of its line */
    struct branch *around;
};

struct lexer {
    struct arena *arena;
    const struct source *source;
    struct diag *diag;
    const struct snippet *in;
    size_t at; /* in the snippet */
    struct macro *macros;
    const struct pos *used;  /* where the macro stands whose text is being read, or NULL */
    struct macro_call *call; /* whose arguments the text may name, or NULL */
    int uses, depth;         /* of macros */
    size_t end;              /* of the text that is being read */
    struct branch *branch;   /* the innermost '#if' whose lines are being read, or NULL */
    bool asks;               /* the condition of an '#if' is being read: `defined` asks for a name */
    bool full;
    struct token *tokens; /* on the heap, while it is not known how many they are */
    size_t n, cap;
};

/* The place of bytes from..to of the snippet. */
struct pos lexer_place(const struct lexer *l, size_t from, size_t to);
struct token *lexer_add(struct lexer *l, int kind, size_t from, size_t to);
/* Behind the letters, digits and underscores from s[at] on. */
size_t lexer_end_of_name(const char *s, size_t at);
/* Where a text in quotes of either kind ends that begins at s[at], behind its closing quote; or its line, where that is
 * missing. */
size_t lexer_end_of_quoted(const char *s, size_t at);
/* Reads all up to a byte of the snippet. */
void lexer_read_until(struct lexer *l, size_t end);

/* Where the number ends that begins at s[from]. */
size_t literal_end(const char *s, size_t from);
/* Finds the type and the value of a number by its text, whose separators are dropped; or reports that it is none. */
void literal_read(struct lexer *l, struct token *t);

/* A line of the preprocessor, whose '#' is here, and the lines that an '#if' leaves out. */
void lexer_read_directive(struct lexer *l);
/* Reports an '#if' without its '#endif'. */
void lexer_check_branches(struct lexer *l);

#endif
