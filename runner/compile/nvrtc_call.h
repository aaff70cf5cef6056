/* Compiling in this process, where nothing can end it: private to compile/nvrtc. */
#ifndef CULITMUS_NVRTC_CALL_H
#define CULITMUS_NVRTC_CALL_H

#include "compile/nvrtc.h"

/* Compiles to PTX; if `cubin` is not NULL, also to machine code, which is malloc'ed. */
bool nvrtc_call(const struct nvrtc_source *s, struct text *ptx, void **cubin, size_t *size, struct diag *d);
/* Assembles PTX to machine code. */
bool nvrtc_call_assembler(const struct nvrtc_source *s, void **cubin, size_t *size, struct diag *d);

#endif
