/* Reads machine code as a list of instructions, with nvdisasm of the CUDA toolkit where that is found. */
#ifndef CULITMUS_SASS_H
#define CULITMUS_SASS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/arena.h"
#include "check/cubin.h"

/* Finds a program of the CUDA toolkit in PATH, $CUDA_HOME/bin, $CUDA_PATH/bin or /usr/local/cuda/bin. Returns
 * its path in the arena; NULL: it is not there. */
char *sass_find_tool(struct arena *a, const char *name);

/* Returns the path of nvdisasm, or NULL. The text is static. Thread-safe. */
const char *sass_disassembler(void);

enum { SASS_ALL = 0x3f };

struct sass_instruction {
    const char *name;     /* "LDG.E.STRONG.GPU", without the predicate */
    const char *operands; /* "R2, [R4.64]" */
    const char *guard;    /* such as "@!P0", the condition under which it runs; "": always */
    const char *address;  /* offset in its kernel, such as "01d0" */
    int line;             /* its line in the source; 0: not known */
    int calls;     /* if it is a call: the index of the function's first instruction; -1: none or not known */
    int jumps;     /* the index of the instruction to which it may jump; -1: none or not known */
    bool goes_on;  /* control may go on to the next instruction */
    bool by_table; /* control may go to every instruction that is `in_table` */
    bool in_table; /* a jump table names this instruction */
    /* control may go somewhere that is not known exactly: "" behind some call (a return), or "B1", where the
     * lanes of that BSSY meet. NULL: neither */
    const char *strays;
    /* this is such a place: "" or "B1" as in `strays`; "*": several of these. NULL: none */
    const char *lands;
    /* bit n: it does not begin before scoreboard n of the six is free (SASS_ALL: every one) */
    unsigned waits;
    unsigned results; /* bit n: scoreboard n is free again when its result is there */
    unsigned reads;   /* bit n: scoreboard n is free again when it has read its operands */
};

/* Whether `name` is an instruction of one of the kinds, as "BRA JMP". Those in the rows of ops.def were
 * learnt from what ptxas 13.0 makes for sm_75 to sm_120. */
bool sass_is_one_of(const char *kinds, const char *name);

struct sass_kernel {
    struct sass_instruction *code;
    int n;
};

/* Disassembles n kernels for an architecture such as "sm_90" into `kernels`, in the arena. nvdisasm takes 0.2
 * s to start and 0.02 s for each kernel, so many at once are cheap. It is ended after a minute, or when *stop
 * (which may be NULL) becomes nonzero. Returns false when it fails. */
bool sass_read(struct arena *a, const char *arch, const struct cubin_code *codes, int n,
               const atomic_int *stop, struct sass_kernel *kernels);

/* The second half of sass_read: parses nvdisasm's listing of the kernels, one after another. Returns false
 * when some code is missing. */
bool sass_parse(struct arena *a, const char *listing, const struct cubin_code *codes, int n,
                struct sass_kernel *kernels);

#endif
