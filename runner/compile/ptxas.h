/* An assembler of the user's own, in place of the one in NVRTC: a program that makes machine code of PTX. */
#ifndef CULITMUS_PTXAS_H
#define CULITMUS_PTXAS_H

#include "compile/nvrtc.h"

/* Assembles PTX with the program s->ptxas. Returns false and leaves an error with what it printed, or with
 * why it was ended. In its messages the PTX has the name that NVRTC's assembler gives it. Thread-safe. */
bool ptxas_assemble(const struct nvrtc_source *s, const char *ptx, void **cubin, size_t *size,
                    struct diag *d);

/* Returns the version that the program prints, such as "13.0.88". NULL and an error when it prints none. */
const char *ptxas_build(const char *program, struct arena *a, struct diag *d);

#endif
