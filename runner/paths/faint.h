/* Registers on which nothing but times depends, such as the growing pause of a back-off, or a count of polls that says how
 * long to pause.
 *
 * Nothing is lost by passing over them (`faint`): no access, observable or way of control is computed from one, but for ways
 * that come together before anything else happens. So a thread does the same from two states that differ in such registers
 * only. */
#ifndef CULITMUS_FAINT_H
#define CULITMUS_FAINT_H

#include "paths/code.h"

/* A set of body->nregs bits. `observed` is one too: the registers that are looked at when the thread has ended. */
uint64_t *faint_find(const struct code *code, const uint64_t *observed, struct arena *a);

#endif
