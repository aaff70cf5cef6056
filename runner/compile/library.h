/* Libraries that are loaded at run time, where they are there. */
#ifndef CULITMUS_LIBRARY_H
#define CULITMUS_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

/* The name of a function in a library, and where to store its address. */
struct library_symbol {
    void **to;
    const char *name;
};

/* Opens a library: a path, or a name that the loader looks for. NULL: `why` says why. */
void *library_open(const char *path, const char **why);

/* Finds all symbols. Returns false and leaves an error about the first one that is missing. `what` names the
 * library. */
bool library_resolve(void *library, const struct library_symbol *symbols, size_t n, const char *what,
                     struct diag *d);

#endif
