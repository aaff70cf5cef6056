/* Reads machine code as instructions, with the CUDA toolkit's nvdisasm, where that is found. */
#ifndef CULITMUS_SASS_H
#define CULITMUS_SASS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/arena.h"
#include "check/cubin.h"

/* The path of a program of the CUDA toolkit, from PATH, $CUDA_HOME/bin, $CUDA_PATH/bin or /usr/local/cuda/bin, in
 * the arena; NULL: there is none. */
char *sass_find_tool(struct arena *a, const char *name);

/* The path of nvdisasm, or NULL. It is never freed. Thread-safe. */
const char *sass_disassembler(void);

enum { SASS_ALL = 0x3f };

struct sass_instruction {
    const char *name;     /* "LDG.E.STRONG.GPU", without the predicate */
    const char *operands; /* "R2, [R4.64]" */
    const char *guard;    /* "@!P0": it is run under this condition only; "" */
    const char *address;  /* "01d0" */
    int line;             /* of the source, 0: not known */
    int calls;            /* the instruction with which the function begins that it calls, -1: none */
    int jumps;            /* the instruction that control may go to from here, -1: none that is known */
    bool goes_on;         /* control may go on to the next one, */
    bool by_table;        /* or to all that a table names, */
    bool in_table;        /* of which it is one, */
    const char *strays; /* or on behind some call, "", or where lanes of its BSSY meet, "B1"; NULL: neither */
    const char *lands;  /* control may come here so; "*": in several ways. NULL: it does not */
    unsigned waits; /* for these of the six scoreboards, a bit each (SASS_ALL: every one), before it begins */
    unsigned results; /* those that are free again when its result is there, */
    unsigned reads;   /* or when it has read its operands */
};

/* Is the instruction of one of the kinds, "BRA JMP"? Those in the rows of ops.def were learnt from ptxas 13.0 for sm_75 to
 * sm_120. */
bool sass_is_one_of(const char *kinds, const char *name);

struct sass_kernel {
    struct sass_instruction *code;
    int n;
};

/* Disassembles n kernels for an architecture such as "sm_90", each into its place in `kernels`, in the arena. nvdisasm
 * takes 0.2 s to start and 0.02 s to read a kernel, so many together are cheap. It is ended after a minute, or once `stop`
 * (or NULL) is not 0. False when it fails. */
bool sass_read(struct arena *a, const char *arch, const struct cubin_code *codes, int n,
               const atomic_int *stop, struct sass_kernel *kernels);

/* The second half of sass_read: reads nvdisasm's text of the kernels, one after another. False when some code is
 * missing. */
bool sass_parse(struct arena *a, const char *listing, const struct cubin_code *codes, int n,
                struct sass_kernel *kernels);

#endif
