#include "compile/library.h"

#include <dlfcn.h>

bool library_resolve(void *library, const struct library_symbol *symbols, size_t n, const char *what,
                     struct diag *d) {
    for (size_t i = 0; i < n; i++) {
        *symbols[i].to = dlsym(library, symbols[i].name);
        if (*symbols[i].to) continue;
        diag_fail(d, "%s has no function %s: it is too old", what, symbols[i].name);
        return false;
    }
    return true;
}
