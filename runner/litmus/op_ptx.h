/* What the words of an instruction of PTX say: which row of ops.def it is, by the row's pattern; order, scope, space, type. */
#ifndef CULITMUS_OP_PTX_H
#define CULITMUS_OP_PTX_H

#include "litmus/ops.h"
#include "ptx/ptx.h"

struct ptx_words {
    const struct op_row *row;                        /* NULL: it is no operation */
    enum order order;                                /* of an access, an atomic operation and a fence, */
    enum scope scope;                                /* SCOPE_NONE: it has none */
    const struct ptx_word *type_word, *space, *mmio; /* NULL: it has none */
    struct type type;    /* of a lane; that of the first type among the words, else an int */
    int lanes;           /* 2 and 4 of .v2 and .v4 */
    bool cache_hint;     /* .L2::cache_hint, behind which a register says more */
    uint64_t used;       /* 1 << number of a word that was understood */
    const char *problem; /* NULL: none so far */
    struct pos at;       /* of it */
};

/* Understands what any opcode may have: a type, the size of a vector, hints at caches. */
struct ptx_words ptx_words_of(const struct ptx_instruction *in);
/* The word of the opcode that reads so; it is understood then. NULL: there is none. */
const struct ptx_word *ptx_words_take(struct ptx_words *w, const struct ptx_instruction *in,
                                      const char *word);
/* Notes a word that nobody understood. */
void ptx_words_check(struct ptx_words *w, const struct ptx_instruction *in, struct arena *a);

/* Whether a row has this opcode. */
bool op_ptx_knows(const struct ptx_instruction *in);
/* The opcodes of all rows; how many there are, OP_COUNT at most. */
size_t op_ptx_opcodes(struct arena *a, const char **names);
/* Finds the row of such an instruction, and what its words say. */
void op_ptx_read(struct ptx_words *w, const struct ptx_instruction *in, struct arena *a);
/* The operands of the row's pattern, "[$a], $v". */
const char *op_ptx_operands(const struct op_row *row);
/* Just behind a word: where another one is missing. */
struct pos ptx_behind(const struct ptx_word *word);

#endif
