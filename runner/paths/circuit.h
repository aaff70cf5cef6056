/* Terms as gates: a literal for each bit of their value, the lowest first.
 *
 * There are two runs of a thread, in which its reads may return different values. Of what is too large for gates, or has
 * none, such as sums of floats, nothing is known but that it is the same of the same operands. */
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
    int16_t tied[MAX_READS]; /* a read of the second run returns what this one of the first does; or -1 */
    int16_t same[CIRCUIT_RUNS][MAX_READS]; /* another read of the run, which returns the same; or -1 */
    int *bits[CIRCUIT_RUNS][MAX_READS];    /* the literals of the other reads; NULL: one is in no term yet */
    struct circuit_term *terms[CIRCUIT_BUCKETS];
    struct circuit_unknown *unknowns;
};

/* No read is tied to another. */
void circuit_open(struct circuit *c, const struct circuit_reads *first, const struct circuit_reads *second,
                  struct arena *a);
/* Lets two reads of a run, of one type, return the same, where that can be done by taking one for the other. Who asks still
 * has to want that they do. */
void circuit_equate(struct circuit *c, int run, int x, int y);
/* Lets another second run take the place of the one that was, of whose terms the gates stay. No read is tied to another. */
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

/* ---- what an atomic operation leaves (update.c), as a term of operators ---- */

/* Of a term of kind SYM_RMW, by the C expression of its row (ops.def). NULL: it is one of floats, or has an operator that is
 * not known here. */
const struct sym *update_term(struct arena *a, const struct sym *s);

#endif
