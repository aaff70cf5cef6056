/* Registers on which nothing but times depends, such as the growing pause of a back-off.
 *
 * Nothing is lost by passing over them (`faint`): no access, branch or observable is computed from one. So a thread
 * does the same from two states that differ in such registers only. */
#ifndef CULITMUS_FAINT_H
#define CULITMUS_FAINT_H

#include "base/arena.h"
#include "litmus/program.h"

/* A set of body->nregs bits. `observed` is one too: the registers that are looked at when the thread has ended. */
uint64_t *faint_find(const struct body *body, const uint64_t *observed, struct arena *a);

#endif
