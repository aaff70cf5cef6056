/* Checks that what a compiler makes of a probe is as strong as it must be: the PTX as the order and scope
 * that the probe asks for, and the machine code as the PTX. */
#ifndef CULITMUS_STRENGTH_H
#define CULITMUS_STRENGTH_H

#include "check/probes.h"
#include "check/sass.h"
#include "ptx/ptx.h"

/* An access, an atomic or a fence of the PTX. */
struct strength_step {
    const struct op_row *row;
    struct strength is;
    const char *space; /* "shared" or "global"; "": a generic address, or a fence */
    const char *name;  /* without type and state space: "atom.acquire.gpu.add" */
};

struct strength_code {
    struct strength_step *steps;
    int n;
    bool loops;          /* there is a backward branch */
    const char *unknown; /* an instruction that touches memory and is no such step; NULL: there is none */
};

/* Reads statements `begin` up to `end` of the probe's kernel. The kernel's own accesses are left out: the
 * store of the result, and those around a fence. */
struct strength_code strength_read(struct arena *a, const struct ptx_code *code, int begin, int end,
                                   const struct probe *p);
/* Returns what the PTX lacks, such as "an acquire of gpu scope behind the read"; NULL: nothing. */
const char *strength_lacks(struct arena *a, const struct strength_code *code, const struct probe *p);
/* Returns the steps as text: "fence.sc.gpu; ld.acquire.gpu", or with `spaces` "ld.acquire.gpu.shared". */
const char *strength_words(struct arena *a, const struct strength_code *code, bool spaces);

/* What the machine code is: `words` lists its accesses, its fences and what waits. `lacks` is what the PTX
 * asks for and the machine code has not, or NULL. */
struct strength_machine {
    const char *words, *lacks;
};
struct strength_machine strength_machine_of(struct arena *a, const struct strength_code *code,
                                            const struct probe *p, const struct sass_kernel *kernel);

#endif
