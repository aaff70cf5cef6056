/* What the C library of Debian's emscripten has not. */
#ifndef CULITMUS_PLAYGROUND_MISSING_H
#define CULITMUS_PLAYGROUND_MISSING_H

#include <stddef.h>
#include <time.h>

void qsort_r(void *base, size_t n, size_t size, int (*compare)(const void *, const void *, void *),
             void *ctx);
void *reallocarray(void *old, size_t n, size_t size);

/* It has no clock of a thread, and the page has one thread. */
#undef CLOCK_THREAD_CPUTIME_ID
#define CLOCK_THREAD_CPUTIME_ID CLOCK_MONOTONIC

#endif
