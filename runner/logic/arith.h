/* Arithmetic on numbers whose bits are literals, the lowest first. Results live in the arena of the gates.
 * Operands have `n` bits, and so have results if nothing else is said. */
#ifndef CULITMUS_ARITH_H
#define CULITMUS_ARITH_H

#include "litmus/value.h"
#include "logic/gate.h"

/* The number 0, whose bits the caller may change. */
int *arith_zero(struct gates *g, int n);

const int *arith_number(struct gates *g, struct value v, int n);

/* These return one literal. */
int arith_is_set(struct gates *g, const int *x, int n); /* x != 0 */
int arith_differ(struct gates *g, const int *x, const int *y, int n);
int arith_less(struct gates *g, const int *x, const int *y, int n, bool sign);

const int *arith_not(struct gates *g, const int *x, int n);
const int *arith_choose(struct gates *g, int which, const int *x, const int *y, int n);
/* make(x[k], y[k]) for each bit. */
const int *arith_each(struct gates *g, int make(struct gates *g, int x, int y), const int *x, const int *y,
                      int n);
const int *arith_add(struct gates *g, const int *x, const int *y, int n);
const int *arith_subtract(struct gates *g, const int *x, const int *y, int n);
const int *arith_multiply(struct gates *g, const int *x, const int *y, int n);
/* The quotient, or else the remainder; 0 if y is 0. */
const int *arith_divide(struct gates *g, const int *x, const int *y, int n, bool sign, bool quotient);
/* x shifted by y modulo n, where n is a power of two. To the right, copies of `fill` come in. */
const int *arith_left(struct gates *g, const int *x, const int *y, int n);
const int *arith_right(struct gates *g, const int *x, const int *y, int n, int fill);
/* How many bits are set; and how many bits stand above the highest one that is set. Results have `wide` bits. */
const int *arith_count(struct gates *g, const int *x, int n, int wide);
const int *arith_leading(struct gates *g, const int *x, int n, int wide);

#endif
