/* An assembler of the user's own, in place of the one in NVRTC: a program that makes machine code of PTX. */
#ifndef CULITMUS_PTXAS_H
#define CULITMUS_PTXAS_H

#include "compile/nvrtc.h"

/* Makes machine code of PTX by the program s->ptxas. False and an error that carries what it printed, or says why it was
 * ended; the PTX is called there what the assembler in NVRTC calls it. Thread-safe. */
bool ptxas_assemble(const struct nvrtc_source *s, const char *ptx, void **cubin, size_t *size,
                    struct diag *d);

/* "13.0.88": what a program says of itself. NULL and an error when it says nothing of the kind. */
const char *ptxas_build(const char *program, struct arena *a, struct diag *d);

#endif
