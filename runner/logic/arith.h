/* Arithmetic of numbers whose bits are gates, the lowest first. Results live in the arena of the gates; operands have `n`
 * bits, and so have results where nothing else is said. */
#ifndef CULITMUS_ARITH_H
#define CULITMUS_ARITH_H

#include "litmus/value.h"
#include "logic/gate.h"

/* A number of which all bits are 0, to be filled in. */
int *arith_zero(struct gates *g, int n);

const int *arith_number(struct gates *g, struct value v, int n);

/* These are one literal. */
int arith_is_set(struct gates *g, const int *x, int n); /* x != 0 */
int arith_differ(struct gates *g, const int *x, const int *y, int n);
int arith_less(struct gates *g, const int *x, const int *y, int n, bool sign);

const int *arith_not(struct gates *g, const int *x, int n);
const int *arith_choose(struct gates *g, int which, const int *x, const int *y, int n);
/* A gate of each two bits. */
const int *arith_each(struct gates *g, int make(struct gates *g, int x, int y), const int *x, const int *y,
                      int n);
const int *arith_add(struct gates *g, const int *x, const int *y, int n);
const int *arith_subtract(struct gates *g, const int *x, const int *y, int n);
const int *arith_multiply(struct gates *g, const int *x, const int *y, int n);
/* The quotient, or else the remainder; 0 where y is. */
const int *arith_divide(struct gates *g, const int *x, const int *y, int n, bool sign, bool quotient);
/* By y modulo n, which is a power of two; to the right, copies of `fill` come in. */
const int *arith_left(struct gates *g, const int *x, const int *y, int n);
const int *arith_right(struct gates *g, const int *x, const int *y, int n, int fill);
/* How many bits are set, and how many are not above all that are: numbers of `wide` bits. */
const int *arith_count(struct gates *g, const int *x, int n, int wide);
const int *arith_leading(struct gates *g, const int *x, int n, int wide);

#endif
