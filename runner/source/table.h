/* Tests in PTX syntax, as the table that herd reads:
 *
 *   PTX MP                                          name; then strings and Key=Value lines
 *   { x=0; y=0; P1:r0=0; }                          locations with their initial values, registers
 *   P0@cta 0,gpu 0   | P1@cta 1,gpu 0 ;             threads, and where they sit
 *   st.weak x, 1     | ld.acquire.gpu r0, y ;       a row: an instruction a thread, a label before it
 *   exists (P1:r0 == 1 /\ x == 1)                   exists, ~exists or forall; `locations [x;]` before it
 *
 * Comments are (* *), // and C's. */
#ifndef CULITMUS_LITMUS_H
#define CULITMUS_LITMUS_H

#include "base/text.h"
#include "litmus/test.h"

/* Fills in a test whose source is set. Errors are reported. */
void litmus_read(struct arena *a, struct test *t, struct diag *d);

/* Writes one cell of a test as a table that litmus_read reads back; its threads are named P0, P1, ... Returns
 * NULL, or the reason (static, or in the arena) why a table cannot express it; then `out` is unchanged. */
const char *litmus_write(struct arena *a, const struct test *t, const struct cell *v, struct text *out);

#endif
