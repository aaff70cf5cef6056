/* How much may be looked at for one cell, as the user says it. */
#ifndef CULITMUS_LIMITS_H
#define CULITMUS_LIMITS_H

#include <stdatomic.h>
#include <stdbool.h>

struct model_limits {
    double seconds;       /* on the clock; 0: none */
    double until;         /* when these are over; 0: they begin with the call, see model_limits_begin */
    long long candidates; /* work: about one a partial execution of a small test; 0: the built-in bound */
    long long counting;   /* of this, for executions that give no new outcome; 0: built in; -1: none */
    int unroll;   /* turns of a loop; 0: as many as the test says, else 3, or more where these give an answer
                           * that is not bounded */
    int outcomes; /* how many are listed, beside those that settle the condition; 0: the built-in bound */
    bool lenient; /* where it is not decided whether an event depends on a read, it does not */
    unsigned without;       /* prunings that are switched off, a bit each: see prunings.h */
    const atomic_int *stop; /* becomes nonzero: give up. May be NULL */
};

/* Without `seconds` and `candidates`, the built-in bound of work holds. If that takes more than so many seconds of a
 * processor, it ends there. */
#define MODEL_SECONDS 10

/* Limits (NULL: none) whose time begins now, so that several questions of one thread share it. */
struct model_limits model_limits_begin(const struct model_limits *limits);

#endif
