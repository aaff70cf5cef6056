/* Machine code as text: the CUDA toolkit's nvdisasm, where it is found. */
#ifndef CULITMUS_SASS_H
#define CULITMUS_SASS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/text.h"

/* The path of nvdisasm, from PATH, $CUDA_HOME/bin, $CUDA_PATH/bin or /usr/local/cuda/bin; NULL: there is
 * none. */
const char *sass_disassembler(void);

/* The code of a cubin with the source line of each instruction, as nvdisasm prints it. False when it cannot.
 */
bool sass_disassemble(const void *cubin, size_t size, struct text *listing);

struct sass_instruction {
    const char *name;    /* "LDG.E.STRONG.GPU", without the predicate */
    const char *guard;   /* "@!P0": it is run under this condition only; "" */
    const char *address; /* "01d0" */
    int line;            /* of the source, 0: not known */
    bool first;          /* of a run of instructions that have one way in and one way out */
};

struct sass_kernel {
    struct sass_instruction *code;
    int n;
};

/* Reads the kernel called `entry` of a listing; 0 instructions when it is not there. In the arena. */
struct sass_kernel sass_read(struct arena *a, const char *listing, const char *entry);

#endif
