/* The system's C compiler, and the tests that it compiles. Also used by the CUDA backend, for CPU threads
 * beside a GPU. */
#ifndef CULITMUS_CPU_COMPILE_H
#define CULITMUS_CPU_COMPILE_H

#include <stdatomic.h>

#include "../kernels/cpu_abi.h"
#include "base/arena.h"
#include "base/diag.h"
#include "litmus/test.h"

struct compiler {
    char *const *words;  /* the command: the path of the program, then the other words of $CC */
    const char *version; /* the first line that it prints for --version */
    int seconds;         /* how long it may take for one cell */
};

/* Finds $CC, else cc, gcc or clang on PATH. Everything is in the arena. Returns false and leaves an error
 * when there is none. */
bool compiler_find(struct arena *a, struct compiler *out, struct diag *d);

/* Returns why this CPU cannot run a test in any placement, or NULL. */
const char *unit_cannot(const struct test *t);

/* A compiled test that is loaded. */
struct cpu_unit {
    void *handle;
    cpu_play_fn *play;
    cpu_init_fn *init;
    cpu_observe_fn *observe;
};

/* Compiles the text, or takes it from the cache, and loads it. `name` is the test's, for messages. Nothing
 * stays on disk but the entry of the cache. Ends early when *stop becomes nonzero (`stop` may be NULL).
 * Thread-safe. */
bool unit_build(const struct compiler *c, const char *text, const char *name, const atomic_int *stop,
                struct cpu_unit *out, struct diag *d);
void unit_close(struct cpu_unit *u); /* does nothing for {0} */

#endif
