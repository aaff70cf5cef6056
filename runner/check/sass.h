/* Machine code as instructions: the CUDA toolkit's nvdisasm, where it is found. */
#ifndef CULITMUS_SASS_H
#define CULITMUS_SASS_H

#include <stdbool.h>

#include "base/arena.h"
#include "check/cubin.h"

/* The path of a program of the CUDA toolkit, from PATH, $CUDA_HOME/bin, $CUDA_PATH/bin or /usr/local/cuda/bin, in
 * the arena; NULL: there is none. */
char *sass_find_tool(struct arena *a, const char *name);

/* That of nvdisasm, for ever. Thread-safe. */
const char *sass_disassembler(void);

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

/* Disassembles n kernels for an architecture such as "sm_90", each into its place of `kernels`, in the arena.
 * nvdisasm takes far longer to start than to read a kernel (0.2 s and 0.02 s), so many together are cheap.
 * False when it cannot. */
bool sass_read(struct arena *a, const char *arch, const struct cubin_code *codes, int n,
               struct sass_kernel *kernels);

/* The second half: reads what nvdisasm says of their code, one after another. False when some is missing. */
bool sass_parse(struct arena *a, const char *listing, const struct cubin_code *codes, int n,
                struct sass_kernel *kernels);

#endif
