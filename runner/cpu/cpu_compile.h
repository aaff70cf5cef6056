/* The system's C compiler, and what it made: private to the CPU backend. */
#ifndef CULITMUS_CPU_COMPILE_H
#define CULITMUS_CPU_COMPILE_H

#include <stdatomic.h>

#include "../kernels/cpu_abi.h"
#include "base/arena.h"
#include "base/diag.h"
#include "litmus/test.h"

struct compiler {
    char *const *words;  /* the command: the program's path, then what $CC says beside it */
    const char *version; /* the first line of --version */
    int seconds;         /* that it may take for a cell */
};

/* Finds $CC, else cc, gcc or clang, on PATH; lives in the arena. False and an error when there is none. */
bool compiler_find(struct arena *a, struct compiler *out, struct diag *d);

/* Why this CPU cannot run a test, whatever its placement; or NULL. */
const char *unit_cannot(const struct test *t);

/* A loaded test. */
struct cpu_unit {
    void *handle;
    cpu_play_fn *play;
    cpu_init_fn *init;
    cpu_observe_fn *observe;
};

/* Compiles the text (or takes the result from the cache) and loads it. `name` is the test's, for messages.
 * Nothing is left on disk but the cache's entry. Thread-safe. Ends early once `stop`
 * (or NULL) is not 0. */
bool unit_build(const struct compiler *c, const char *text, const char *name, const atomic_int *stop,
                struct cpu_unit *out, struct diag *d);
void unit_close(struct cpu_unit *u); /* {0} is fine */

#endif
