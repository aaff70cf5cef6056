/* An asm statement: the operands that its text names as %0, %1, ... and the registers that it declares.
 *
 *   asm.c      the statement: its text, its operands
 *   asm_ptx.c  what its instructions read and write */
#ifndef CULITMUS_ASM_H
#define CULITMUS_ASM_H

#include "lower/lower.h"
#include "ptx/ptx.h"

enum { ASM_MAX_OPERANDS = 30, ASM_MAX_REGISTERS = 64 };

struct asm_operand {
    struct pos pos;
    char letter; /* of the constraint: r l h q f, n */
    bool read, written;
    bool is_address; /* of `place`; in `window`: as __cvta_generic_to_shared() gives it */
    bool window;
    struct place place;
    struct assignment_target target; /* written: what it is in C, */
    int reg;                         /* and the register that it is meanwhile */
    struct expr *value;              /* read only */
};

/* A register that the text declares. */
struct asm_register {
    const char *name;
    int reg;
    bool predicate;
};

struct asm_block {
    struct asm_operand operands[ASM_MAX_OPERANDS];
    int noperands;
    struct asm_register registers[ASM_MAX_REGISTERS];
    int nregisters;
};

/* Moves a place by so many bytes, which are whole elements of its array; what stands at `pos` adds them. */
void asm_add_bytes(struct parser *p, struct place *place, struct pos pos, long long bytes);
/* Takes the statements of an asm, whose operands are known. */
void asm_read_text(struct parser *p, struct asm_block *block, const struct ptx_code *code);

#endif
