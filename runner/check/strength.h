/* Whether what a compiler makes of a probe is as strong as what was asked for: the PTX as the order and the scope, and the
 * machine code as the PTX. */
#ifndef CULITMUS_STRENGTH_H
#define CULITMUS_STRENGTH_H

#include "check/probes.h"
#include "check/sass.h"
#include "ptx/ptx.h"

/* An access, an atomic operation or a fence of the PTX. */
struct strength_step {
    const struct op_row *row;
    struct strength is;
    const char *space; /* "shared", "global"; "": a generic address */
    const char *name;  /* "atom.acquire.gpu.add": without type and space */
};

struct strength_code {
    struct strength_step *steps;
    int n;
    bool loops;          /* control goes back */
    const char *unknown; /* an instruction that touches memory and is none of these; NULL: there is none */
};

/* The steps of statements `begin` up to `end`, which are of the probe's kernel. What is the kernel's own is left out: of a
 * result the store, and of a fence the accesses around it. */
struct strength_code strength_read(struct arena *a, const struct ptx_code *code, int begin, int end,
                                   const struct probe *p);
/* What the PTX lacks, "an acquire of gpu scope behind the read"; NULL: nothing. */
const char *strength_lacks(struct arena *a, const struct strength_code *code, const struct probe *p);
/* "fence.sc.gpu; ld.acquire.gpu"; with `spaces` "ld.acquire.gpu.shared". */
const char *strength_words(struct arena *a, const struct strength_code *code, bool spaces);

/* What is to be seen of the machine code: `words` are its accesses, fences and what waits, `lacks` what the PTX asks for and
 * it has not, or NULL. */
struct strength_machine {
    const char *words, *lacks;
};
struct strength_machine strength_machine_of(struct arena *a, const struct strength_code *code,
                                            const struct probe *p, const struct sass_kernel *kernel);

#endif
