/* Compiling in this process, where nothing can end it: private to compile/nvrtc. */
#ifndef CULITMUS_NVRTC_CALL_H
#define CULITMUS_NVRTC_CALL_H

#include "compile/nvrtc.h"

/* To PTX; if `cubin` is not NULL, to machine code too, which is malloc'ed. */
bool nvrtc_call(const struct nvrtc_source *s, struct text *ptx, void **cubin, size_t *size, struct diag *d);
/* From PTX to machine code. */
bool nvrtc_call_assembler(const struct nvrtc_source *s, void **cubin, size_t *size, struct diag *d);

#endif
