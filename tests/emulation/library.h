/* Compiles what a GPU is to run for an emulated one. */
#ifndef CULITMUS_EMULATED_LIBRARY_H
#define CULITMUS_EMULATED_LIBRARY_H

#include "base/arena.h"
#include "base/diag.h"

/* Whether there is a compiler. */
bool library_can_build(void);
/* Makes a shared library of C++ text that includes gpu.h; the source stays beside it. False and an error. */
bool library_build(struct arena *a, const char *text, const char *path, struct diag *d);

#endif
