/* Sums of integers as gates: 3 * (x + y) - 2 * y has the gates of 3 * x + y. */
#ifndef CULITMUS_SUM_H
#define CULITMUS_SUM_H

#include "paths/circuit.h"

/* The literals of a term in a run where it is a sum, a difference, or something times a number; NULL: it is not, or it is one
 * of too many terms. */
const int *sum_term(struct circuit *c, int run, const struct sym *s);

#endif
