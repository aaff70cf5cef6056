/* Terms as gates: a literal for each bit of their value, the lowest first.
 *
 * There are two runs of a thread, in which its reads may return different values. An operation that has no
 * gates, such as a sum of floats, or is too large for them, is an unknown function: nothing is known of its
 * result but that it is the same for the same operands. */
#ifndef CULITMUS_CIRCUIT_H
#define CULITMUS_CIRCUIT_H

#include "logic/gate.h"
#include "paths/sym.h"

enum { CIRCUIT_RUNS = 2, CIRCUIT_BUCKETS = 64 };

/* The reads of which it is known what they return. */
struct circuit_reads {
    struct reads known;
    struct value values[MAX_READS];
};

struct circuit {
    struct gates gates;
    const struct circuit_reads *reads[CIRCUIT_RUNS];
    int16_t tied[MAX_READS]; /* read of the second run -> a read of the first that returns the same; or -1 */
    int16_t same[CIRCUIT_RUNS][MAX_READS]; /* read -> another one of the run that stands for it; or -1 */
    int *bits[CIRCUIT_RUNS][MAX_READS];    /* the literals of all other reads; NULL: it is in no term yet */
    struct circuit_term *terms[CIRCUIT_BUCKETS];
    struct circuit_unknown *unknowns;
};

/* Begins a circuit without gates, in which no read is tied to another. */
void circuit_open(struct circuit *c, const struct circuit_reads *first, const struct circuit_reads *second,
                  struct arena *a);
/* Lets one of two reads of a run stand for the other, which has the same type. Does nothing where both are
 * known or tied, so the caller must still ask that they are equal. */
void circuit_equate(struct circuit *c, int run, int x, int y);
/* Begins another second run, in which no read is tied. The gates of the one before stay, but stand for no
 * term of it. */
void circuit_again(struct circuit *c, const struct circuit_reads *second);
/* What a read of a run returns where the gates have these values. */
struct value circuit_read(const struct circuit *c, int run, int read, const bool *gates);

/* The literals of a term in a run; and whether it is not zero. */
const int *circuit_term(struct circuit *c, int run, const struct sym *s);
int circuit_truth(struct circuit *c, int run, const struct sym *s);
/* Whether two terms of one type differ, the first one in the first run. */
int circuit_differ(struct circuit *c, const struct sym *x, const struct sym *y);

/* ---- sums (sum.c): 3 * (x + y) - 2 * y has the gates of 3 * x + y ---- */

/* The literals of a term in a run where it is a sum, a difference, or something times a number; NULL: it is not, or it is one
 * of too many terms. */
const int *sum_term(struct circuit *c, int run, const struct sym *s);

/* ---- what an atomic operation writes (update.c), as a term of operators ---- */

/* Makes that of a term of kind SYM_RMW, by the C expression of its row (ops.def). NULL: it is one of floats,
 * or has an operator that is not known here. */
const struct sym *update_term(struct arena *a, const struct sym *s);

#endif
