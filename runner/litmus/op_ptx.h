/* What the words of a PTX instruction say: which row of ops.def it is, by the row's pattern; order, scope,
 * space and type. */
#ifndef CULITMUS_OP_PTX_H
#define CULITMUS_OP_PTX_H

#include "litmus/ops.h"
#include "ptx/ptx.h"

struct ptx_words {
    const struct op_row *row;                        /* NULL: the instruction is no operation */
    enum order order;                                /* of an access, an atomic operation or a fence */
    enum scope scope;                                /* SCOPE_NONE: it has none */
    const struct ptx_word *type_word, *space, *mmio; /* NULL: it has none */
    struct type type;    /* of one lane: the first type among the words, else int */
    int lanes;           /* 2 and 4 of .v2 and .v4 */
    bool cache_hint;     /* it has .L2::cache_hint, which comes with one more register operand */
    uint64_t used;       /* bit n: word n was understood */
    const char *problem; /* NULL: none so far */
    struct pos at;       /* where the problem is */
};

/* Reads the words that any opcode may have: a type, the size of a vector, cache hints. */
struct ptx_words ptx_words_of(const struct ptx_instruction *in);
/* Finds a word of the opcode by its text, and marks it as understood. NULL: there is none. */
const struct ptx_word *ptx_words_take(struct ptx_words *w, const struct ptx_instruction *in,
                                      const char *word);
/* Notes a problem if some word was not understood. */
void ptx_words_check(struct ptx_words *w, const struct ptx_instruction *in, struct arena *a);

/* Whether a row has this opcode. */
bool op_ptx_knows(const struct ptx_instruction *in);
/* Lists the opcodes of all rows. Returns their number, at most OP_COUNT. */
size_t op_ptx_opcodes(struct arena *a, const char **names);
/* Finds the row of an instruction, and reads what its words say. */
void op_ptx_read(struct ptx_words *w, const struct ptx_instruction *in, struct arena *a);
/* Returns the operands in the row's pattern, such as "[$a], $v". */
const char *op_ptx_operands(const struct op_row *row);
/* Returns the position behind a word, where another one is missing. */
struct pos ptx_behind(const struct ptx_word *word);

#endif
