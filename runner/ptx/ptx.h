/* PTX as it is written: instructions, labels, variables, functions (PTX ISA, "Syntax", "Instruction Statements"). This says
 * what a statement looks like, and nothing of what it does.
 *
 * A text is a flat list of statements: a function's head is followed by the braces of its body, and braces may nest. What
 * was read lives in the arena of the reader. */
#ifndef CULITMUS_PTX_H
#define CULITMUS_PTX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"
#include "base/text.h"

/* A word with a dot before it, and the first of an opcode, which has none: "ld", "acquire", "shared::cta". */
struct ptx_word {
    const char *text;
    const char *argument; /* of a declaration: "8" of ".align 8", "(.managed)"; else NULL */
    struct pos pos;
};

enum ptx_operand_kind {
    PTX_NAME,    /* %r1, x, %tid.x, $L1, _ */
    PTX_INTEGER, /* 4, 0x10, 7U */
    PTX_FLOAT,   /* 0f3F800000, 0d3FF0000000000000, 1.5 */
    PTX_ADDRESS, /* [x], [%rd1+4]; parts: the base, and what stands behind a comma */
    PTX_VECTOR,  /* {a, b}; parts: a and b */
    PTX_LIST,    /* (a, b) of a call */
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    struct pos pos;
    const char *text;          /* of a name or a number: as written, without its sign */
    bool negated;              /* !p of a name, -1 of a number */
    uint64_t bits;             /* of a number, without its sign */
    int size;                  /* of a float: 32 or 64 bits */
    struct ptx_operand *parts; /* of an address, a vector and a list; of generic(x), an initial value: x */
    int nparts;
    struct ptx_operand *offset; /* a number that is added: x+4; of x[4] as well, where it is an `element` */
    bool element;
    struct ptx_operand *second; /* q of p|q */
};

struct ptx_instruction {
    struct pos pos;                  /* of the opcode */
    struct pos end;                  /* just behind its last token: where something is missing */
    const struct ptx_operand *guard; /* @p, @!p; NULL: none */
    struct ptx_word *words;
    int nwords;
    struct ptx_operand *operands;
    int noperands;
};

/* A declared name: %r<5>, x[2][3] = {1, 2}. */
struct ptx_name {
    const char *text;
    struct pos pos;
    int range;       /* of <5>: 5; -1: it has none */
    int *dimensions; /* -1: [] */
    int ndimensions;
    const struct ptx_operand *initial; /* NULL: none */
};

/* .reg .b32 %r<5>, a; and .visible .global .align 4 .u32 x = 5; and a parameter */
struct ptx_variable {
    struct ptx_word *words; /* "reg", "b32" */
    int nwords;
    struct ptx_name *names;
    int nnames;
};

/* What begins with a dot and is none of these, such as .loc 1 7 5: its tokens, without the dot before the first. */
struct ptx_directive {
    const char *const *tokens;
    const bool *apart; /* whether blanks stand before the token */
    int n;
    bool semicolon; /* one ends it */
};

struct ptx_function {
    struct ptx_word *words; /* "visible", "entry" */
    int nwords;
    const char *name;
    struct ptx_variable *returns, *parameters;
    int nreturns, nparameters;
    bool has_returns, has_parameters; /* parentheses are there, maybe with nothing in them */
    struct ptx_directive *directives; /* behind the parameters: .maxntid 128, 1, 1 */
    int ndirectives;
    bool prototype; /* it ends with ';', and has no body */
};

enum ptx_statement_kind {
    PTX_INSTRUCTION,
    PTX_LABEL,   /* text */
    PTX_COMMENT, /* text, as written; one within a statement stands behind it */
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
    int nbad; /* how many more there are, which could not be read */
};

/* Reads a text. What is no statement is reported, and left out. The last statement needs no ';'. */
struct ptx_code ptx_read(struct arena *a, const struct source *src, const struct snippet *text,
                         struct diag *d);
/* The same of a text that is no file of a user's, such as what a compiler made. */
struct ptx_code ptx_read_text(struct arena *a, const char *text);

/* The same PTX, and what its lines come from, where it says so, for source_origin(). */
const struct source *ptx_find_origins(struct arena *a, const struct source *src);

/* Writes an opcode: "ld.acquire.gpu.u32". */
void ptx_write_opcode(struct text *out, const struct ptx_instruction *in);

/* The label of that name that statement `at` means: labels belong to the braces around them, and shadow those of outer braces
 * (PTX ISA, "Identifiers"). The number of its statement; -1: there is none. */
int ptx_find_label(const struct ptx_code *code, int at, const char *name);
/* The same of a label or a variable. */
int ptx_find_declared(const struct ptx_code *code, int at, enum ptx_statement_kind kind, const char *name);

/* Whether the word's text is this. */
bool ptx_is_word(const struct ptx_word *word, const char *text);
/* Whether the opcode begins with this word; and the number of another one of its words, or -1. */
bool ptx_is(const struct ptx_instruction *in, const char *opcode);
int ptx_find_word(const struct ptx_instruction *in, const char *word);

#endif
