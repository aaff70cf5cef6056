/* What the C library of Debian's emscripten has not. */
#ifndef CULITMUS_PLAYGROUND_MISSING_H
#define CULITMUS_PLAYGROUND_MISSING_H

#include <stddef.h>

void qsort_r(void *base, size_t n, size_t size, int (*compare)(const void *, const void *, void *),
             void *ctx);
void *reallocarray(void *old, size_t n, size_t size);

#endif
