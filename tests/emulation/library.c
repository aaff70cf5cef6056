#include "library.h"

#include <stdio.h>
#include <stdlib.h>

bool library_can_build(void) {
    return system("g++ --version >/dev/null 2>&1") == 0;
}

/* A block's shared memory is a variable of its own library. */
static bool save(const char *path, const char *text) {
    static const char shared[] = "thread_local int shared_words[MACHINE_WINDOW / sizeof(int)];\n"
                                 "extern \"C\" int *shared_memory() { return shared_words; }\n";
    FILE *f = fopen(path, "w");
    return f && fputs(text, f) >= 0 && fputs(shared, f) >= 0 && fclose(f) == 0;
}

bool library_build(struct arena *a, const char *text, const char *path, struct diag *d) {
    const char *source = arena_printf(a, "%s.cc", path);
    const char *command =
        arena_printf(a,
                     "g++ -std=c++17 -O1 -w -fPIC -shared -fwrapv -fno-strict-aliasing -fno-gnu-unique "
                     "-fno-toplevel-reorder -I'%s' -I'%s' -o '%s' '%s'",
                     EMULATION, KERNELS, path, source);
    if (save(source, text) && system(command) == 0) return true;
    diag_fail(d, "cannot compile %s", source);
    return false;
}
