/* An asm statement: the operands that its text names as %0, %1, ... and the registers that it declares.
 *
 *   asm.c      the statement: its text, its operands
 *   asm_ptx.c  what its instructions read and write
 *   column.c   its instructions, one after the other */
#ifndef CULITMUS_ASM_H
#define CULITMUS_ASM_H

#include "lower/lower.h"
#include "ptx/ptx.h"

enum { ASM_MAX_OPERANDS = 30, ASM_MAX_REGISTERS = 4096 };

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
    const struct asm_operand *leads; /* the address that it holds; or NULL */
};

struct asm_block {
    struct asm_operand operands[ASM_MAX_OPERANDS];
    int noperands;
    struct asm_register *registers;
    int nregisters;
    const struct asm_kernel *kernel; /* it is the text of a whole kernel; NULL: an asm statement */
};

/* What a whole kernel has and an asm statement has not. Its addresses are numbers: the place of an access has no location
 * yet, and its address for an index. */
struct column;
struct asm_kernel {
    /* Takes what is neither an instruction, a label, a brace nor a register. */
    void (*statement)(struct column *c, const struct ptx_statement *s);
    /* Takes the instruction at hand; false: it is one that an asm may have as well. */
    bool (*instruction)(struct column *c);
    /* The value of a name that is no register; NULL: it means nothing. */
    struct expr *(*name)(struct column *c, const struct ptx_operand *o);
    /* The generic address of one in shared memory, or of one in global memory or generic. */
    struct expr *(*address)(struct column *c, struct expr *address, bool shared);
    /* mapa */
    void (*map)(struct column *c);
};

/* Moves a place by so many bytes, which are whole elements of its array; what stands at `pos` adds them. */
void asm_add_bytes(struct parser *p, struct place *place, struct pos pos, long long bytes);
/* Takes the statements of an asm, whose operands are known. */
void asm_read_text(struct parser *p, struct asm_block *block, const struct ptx_code *code);

#endif
