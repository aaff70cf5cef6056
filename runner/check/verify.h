/* What runs is what the test means: compiled code is held against the test's own program.
 *
 * The generated text numbers the test's operations (gen.h), and the number stands in the PTX beside the
 * instruction. Each must be exactly the instruction that the test names: kind, order, scope, space, function
 * and type. From each, control may reach only those that may follow in the program, nothing else that touches
 * memory may come between two of the same body, and an operation that every run of its body passes must be
 * there. So loops may be unrolled and blocks moved about, but nothing may be missing, doubled, reordered or
 * of another strength. */
#ifndef CULITMUS_VERIFY_H
#define CULITMUS_VERIFY_H

#include "check/sass.h"
#include "check/ways.h"
#include "litmus/test.h"

/* Checks the PTX of a cell. If it is not what the test means: false, and an error with both listings, of the test and
 * of what was compiled. `ways` gets the copies that the PTX has of the operations, to be freed by ways_free; it may be
 * NULL. */
bool verify_ptx(const struct test *t, const struct cell *cell, const char *ptx, struct ways *ways,
                struct diag *d);

/* Checks machine code, by the lines of the generated text, against the PTX. Each copy of an operation that the PTX has must
 * be there, with its strength and scope, or its barrier's number and count, and on every way that control may take in an
 * order that the PTX has. What an acquire adds to a load is not checked, nor are exchanges of a warp. */
bool verify_sass(const struct test *t, const struct cell *cell, const char *unit,
                 const struct sass_kernel *kernel, const struct ways *ways, struct diag *d);

/* Which operation of the test each instruction of such code is, 0: none. */
void verify_operations(const struct test *t, const struct cell *cell, const char *unit,
                       const struct sass_kernel *kernel, int *operation);

#endif
