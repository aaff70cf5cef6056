/* The copies that the compiler made of operations, and which may run next after which: the kernel in PTX, and nothing of it but
 * the test's operations. Machine code has to keep this. */
#ifndef CULITMUS_WAYS_H
#define CULITMUS_WAYS_H

#include <stdbool.h>

/* Copies have numbers from 1. Number 0 is none: what follows it may come first, and what it follows may come last. */
struct ways {
    int n;      /* copies */
    int *op;    /* [n + 1]: the number of the operation of each */
    bool *next; /* [a * (n + 1) + b]: b may be next after a */
};

/* n copies of no operation, without ways. */
struct ways ways_new(int n);
void ways_free(struct ways *w);

#endif
