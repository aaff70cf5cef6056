/* Atomic operations that may write the value that they have read (`quiet`): an exchange of a lock that is
 * held, or an addition of 0 that polls. A turn of a loop that does nothing else is idle then. Nothing is
 * lost: where nobody can tell (quiet_is_unseen), the execution without such an operation has the same
 * outcome. */
#ifndef CULITMUS_QUIET_H
#define CULITMUS_QUIET_H

#include "litmus/test.h"
#include "paths/sym.h"

enum quiet {
    QUIET_NEVER,     /* for some x, f(f(x)) is not f(x), or that is not known */
    QUIET_SOMETIMES, /* f(f(x)) = f(x): it changes nothing if it finds what it has written */
    QUIET_ALWAYS,    /* f(x) = x */
};

/* What is known of the function f by which an atomic operation computes what it writes (`left`) from what it
 * reads (`old`). */
enum quiet quiet_find(const struct sym *old, const struct sym *left);

/* Whether nobody can tell that such an operation of the thread is left out. This asks that the others access its location
 * only by stores and by atomic operations that always write, each morally strong with it: then its write stands right
 * behind the one that it reads, and who reads from it can as well read from that one. */
bool quiet_is_unseen(const struct test *t, const struct cell *cell, int thread, const struct op *op);

#endif
