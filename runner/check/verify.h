/* Checks that what runs is what the test means: compiled code is compared with the test's own program.
 *
 * The generated text numbers the test's operations (gen.h), and the number stands in the PTX beside the
 * instruction. Each instruction must be exactly the one that the test names: kind, order, scope, space,
 * function and type. From each operation, control may reach only operations that may come next in the
 * program. Between two operations of a body nothing else may touch memory. An operation that every run of its
 * body passes must be there. So loops may be unrolled and blocks moved, but nothing may be missing, doubled,
 * reordered or of another strength. */
#ifndef CULITMUS_VERIFY_H
#define CULITMUS_VERIFY_H

#include "check/sass.h"
#include "check/ways.h"
#include "litmus/test.h"

/* Checks the PTX of a cell. If it is not what the test means, returns false and leaves an error with two
 * listings: of the test, and of what was compiled. `ways`, which may be NULL, gets the copies that the PTX
 * has of the operations; free it with ways_free. */
bool verify_ptx(const struct test *t, const struct cell *cell, const char *ptx, struct ways *ways,
                struct diag *d);

/* Checks machine code against the PTX, by the lines of the generated text. Each copy of an operation in the
 * PTX must be there, with its strength and scope or its barrier's number and count, and in an order that the
 * PTX has, on every path of control. What an acquire adds to a load is not checked, nor are exchanges of a
 * warp. */
bool verify_sass(const struct test *t, const struct cell *cell, const char *unit,
                 const struct sass_kernel *kernel, const struct ways *ways, struct diag *d);

/* Sets operation[i] to the operation of the test that instruction i is; 0: none. */
void verify_operations(const struct test *t, const struct cell *cell, const char *unit,
                       const struct sass_kernel *kernel, int *operation);

#endif
