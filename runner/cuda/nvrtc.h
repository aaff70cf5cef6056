/* Compiles CUDA text to PTX and cubin. Needs no device. */
#ifndef CULITMUS_NVRTC_H
#define CULITMUS_NVRTC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/text.h"

/* Compiles for an architecture such as "sm_90". False and an error that carries the compiler's log. `name` is
 * the file name in that log. */
bool nvrtc_ptx(const char *text, const char *name, const char *arch, struct text *ptx, struct diag *d);
/* Compiles to machine code and to the PTX that it was made of. *cubin is malloc'ed. With `lines` it also tells the
 * source line of each instruction; the code is the same. */
bool nvrtc_cubin(const char *text, const char *name, const char *arch, bool lines, struct text *ptx,
                 void **cubin, size_t *size, struct diag *d);

/* The newest architecture that the installed NVRTC compiles for, as a number: 90 for sm_90. 0 and an error:
 * none. */
int nvrtc_newest(struct diag *d);
/* Whether it compiles for that one. */
bool nvrtc_compiles_for(int arch, struct diag *d);
/* "13.0", or NULL and an error. Text of the calling thread. */
const char *nvrtc_version(struct diag *d);

#endif
