/* The copies that the compiler has made of the test's operations in PTX, and which copy may come next after
 * which. Everything else in the kernel is left out. Machine code must keep this order. */
#ifndef CULITMUS_WAYS_H
#define CULITMUS_WAYS_H

#include <stdbool.h>

/* Copies are numbered from 1. Number 0 stands for the outside: what may follow 0 may come first, and what 0
 * may follow may come last. */
struct ways {
    int n;      /* number of copies */
    int *op;    /* [n + 1]: of each copy, the number of its operation */
    bool *next; /* [a * (n + 1) + b]: copy b may come next after copy a */
};

/* Makes n copies with no operation and no ways between them. */
struct ways ways_new(int n);
void ways_free(struct ways *w);

#endif
