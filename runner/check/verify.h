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
#include "litmus/test.h"

/* Checks the PTX of a cell's unit. False and an error with both listings: what the test means, what was
 * compiled. */
bool verify_ptx(const struct test *t, const struct cell *v, const char *ptx, struct diag *d);

/* The same for machine code with the lines of the unit's text: each operation is there, with its strength and
 * scope, and within straight code in an order that the program allows. What an acquire adds to a load and
 * execution barriers are not looked at. */
bool verify_sass(const struct test *t, const struct cell *v, const char *unit,
                 const struct sass_kernel *machine, struct diag *d);

#endif
