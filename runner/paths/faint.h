/* Faint registers: nothing but the length of pauses depends on them. Examples are the growing pause of a
 * back-off, and a count of polls that says how long to pause.
 *
 * Nothing is lost if they are not compared (`faint`): no access and no observable is computed from one, and a
 * branch only if both its ways come to the same place before they do anything. So a thread does the same from
 * two states that differ in such registers alone. */
#ifndef CULITMUS_FAINT_H
#define CULITMUS_FAINT_H

#include "paths/code.h"

/* The set of the faint registers of a body. `observed` is the set of those that are looked at when the thread
 * has ended. */
uint64_t *faint_find(const struct code *code, const uint64_t *observed, struct arena *a);

#endif
