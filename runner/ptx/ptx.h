/* PTX as it is written: instructions, labels, variables, functions (PTX ISA, "Syntax", "Instruction
 * Statements"). This knows what a statement looks like, and not what it does.
 *
 * A text becomes a flat list of statements: the braces of a function's body are statements behind its head,
 * and may nest. Everything lives in the arena of the reader. */
#ifndef CULITMUS_PTX_H
#define CULITMUS_PTX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"
#include "base/text.h"

/* A word of an opcode or declaration. Each has a dot before it, except the first word of an opcode: "ld",
 * "acquire", "shared::cta". */
struct ptx_word {
    const char *text;
    const char *argument; /* in a declaration: "8" of ".align 8", "(.managed)"; else NULL */
    struct pos pos;
};

enum ptx_operand_kind {
    PTX_NAME,    /* %r1, x, %tid.x, $L1, _ */
    PTX_INTEGER, /* 4, 0x10, 7U */
    PTX_FLOAT,   /* 0f3F800000, 0d3FF0000000000000, 1.5 */
    PTX_ADDRESS, /* [x], [%rd1+4]; parts: the base, and what follows a comma */
    PTX_VECTOR,  /* {a, b}; parts: a and b */
    PTX_LIST,    /* (a, b) of a call; parts: a and b */
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    struct pos pos;
    const char *text;          /* of a name or a number: as written, but without its sign */
    bool negated;              /* a name: it is !p; a number: it has a minus */
    uint64_t bits;             /* of a number: its value, or the bits of a float, without the sign */
    int size;                  /* of a float: 32 or 64 bits */
    struct ptx_operand *parts; /* of an address, a vector or a list; of generic(x), as an initial value: x */
    int nparts;
    struct ptx_operand *offset; /* the number that is added: 4 of x+4, and of x[4], which is an `element` */
    bool element;
    struct ptx_operand *second; /* q in p|q */
};

struct ptx_instruction {
    struct pos pos;                  /* where the opcode is */
    struct pos end;                  /* just behind the last token, where something may be missing */
    const struct ptx_operand *guard; /* @p or @!p; NULL: none */
    struct ptx_word *words;
    int nwords;
    struct ptx_operand *operands;
    int noperands;
};

/* A name in a declaration: %r<5>, x[2][3] = {1, 2}. */
struct ptx_name {
    const char *text;
    struct pos pos;
    int range;       /* 5 of <5>; -1: it has no range */
    int *dimensions; /* the sizes; -1 stands for [] */
    int ndimensions;
    const struct ptx_operand *initial; /* NULL: none */
};

/* A declaration such as .reg .b32 %r<5>, a; or .visible .global .align 4 .u32 x = 5; or a parameter. */
struct ptx_variable {
    struct ptx_word *words; /* "reg", "b32" */
    int nwords;
    struct ptx_name *names;
    int nnames;
};

/* A directive of any other kind, such as .loc 1 7 5: its tokens, without the dot before the first. */
struct ptx_directive {
    const char *const *tokens;
    const bool *apart; /* of each token: blanks stand before it */
    int n;
    bool semicolon; /* it ends with a semicolon */
};

struct ptx_function {
    struct ptx_word *words; /* "visible", "entry" */
    int nwords;
    const char *name;
    struct ptx_variable *returns, *parameters;
    int nreturns, nparameters;
    bool has_returns, has_parameters; /* there are parentheses for them, perhaps with nothing between */
    struct ptx_directive *directives; /* behind the parameters, such as .maxntid 128, 1, 1 */
    int ndirectives;
    bool prototype; /* it ends with ';' and has no body */
};

enum ptx_statement_kind {
    PTX_INSTRUCTION,
    PTX_LABEL,   /* text */
    PTX_COMMENT, /* text is as written; a comment within a statement comes behind it */
    PTX_OPEN,    /* { */
    PTX_CLOSE,   /* } */
    PTX_VARIABLE,
    PTX_FUNCTION,
    PTX_DIRECTIVE,
};

struct ptx_statement {
    enum ptx_statement_kind kind;
    struct pos pos;
    const char *text;
    const struct ptx_instruction *instruction;
    const struct ptx_variable *variable;
    const struct ptx_function *function;
    const struct ptx_directive *directive;
};

struct ptx_code {
    struct ptx_statement *statements;
    int n;
    int nbad; /* how many more statements could not be read */
};

/* Reads a text. What is no statement is reported and left out. The last statement needs no ';'. */
struct ptx_code ptx_read(struct arena *a, const struct source *src, const struct snippet *text,
                         struct diag *d);
/* Reads a text that is no file of the user's, such as what a compiler made. */
struct ptx_code ptx_read_text(struct arena *a, const char *text);

/* Finds where the lines of a PTX file come from, as far as it says so, for source_origin(). Returns the
 * source with that. */
const struct source *ptx_find_origins(struct arena *a, const struct source *src);

/* Writes an opcode, such as "ld.acquire.gpu.u32". */
void ptx_write_opcode(struct text *out, const struct ptx_instruction *in);

/* Finds the label that statement `at` means by a name: a label belongs to the braces around it, and hides
 * labels of outer braces (PTX ISA, "Identifiers"). Returns the number of its statement; -1: there is none. */
int ptx_find_label(const struct ptx_code *code, int at, const char *name);
/* The same for a label or a variable, as `kind` says. */
int ptx_find_declared(const struct ptx_code *code, int at, enum ptx_statement_kind kind, const char *name);

/* Whether the word has this text. */
bool ptx_is_word(const struct ptx_word *word, const char *text);
/* Whether the opcode begins with this word; and the number of a word in the opcode, or -1. */
bool ptx_is(const struct ptx_instruction *in, const char *opcode);
int ptx_find_word(const struct ptx_instruction *in, const char *word);

#endif
