/* Programs that help and are waited for: a compiler, a disassembler. Each ends in time, or when the tool is
 * to stop, and with it all that it has started. */
#ifndef CULITMUS_HELPER_H
#define CULITMUS_HELPER_H

#include <stdatomic.h>

struct helper {
    char *const *argv;      /* begins with the path of the program */
    char *const *env;       /* NULL: the environment of this process */
    int out, err;           /* file descriptors for its standard output and standard error */
    int seconds;            /* after so many seconds it is ended */
    long long memory;       /* bytes that each of its processes may allocate; 0: the limit of this process */
    long long file;         /* bytes that a file which it writes may have; 0: the limit of this process */
    const atomic_int *stop; /* becomes nonzero when it is to end. May be NULL */
};

/* Returns the status of wait(2). If it could not be started or did not end by itself, returns -1 and errno:
 * ECANCELED when it was to stop, ETIME when it took too long. Thread-safe. */
int helper_run(const struct helper *h);

#endif
