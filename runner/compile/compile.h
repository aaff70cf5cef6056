/* Compiles a kernel of a CUDA source to PTX, on behalf of a test: by nvcc where PATH has it, else by NVRTC.
 *
 * The source and all that it includes must be trusted: it stands beside or below the test, belongs to the
 * compiler, or stands below a folder that the command line names. No message quotes a line of another
 * file. */
#ifndef CULITMUS_COMPILE_H
#define CULITMUS_COMPILE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"

/* What the command line says about files elsewhere (-I and --trust-source), and how long a compiler may
 * take. */
struct compile_trust {
    const char *const *folders; /* further folders where headers are looked for */
    int nfolders;
    bool everywhere;
    int seconds; /* how long a compiler may take; 0: a minute */
};
/* Sets the trust for all threads, before anything is compiled. `trust` and what it points to must stay. */
void compile_set_trust(const struct compile_trust *trust);

/* A word of a test, with its place there. */
struct compile_word {
    const char *text; /* NULL: the test does not have it */
    struct pos pos;
};
struct compile_request {
    const struct source *test;
    struct compile_word source; /* the path as written: relative to the test's folder */
    struct compile_word
        kernel; /* a C++ name, perhaps with arguments of a template, "f<4, float>", or with parameters,
                                 * "f(int *)"; a name of PTX, "_Z1fPi"; NULL: the source has one kernel */
    struct compile_word arch;           /* NULL: sm_90 */
    struct compile_word std;            /* NULL: c++17 */
    const struct compile_word *defines; /* NAME, or NAME=VALUE */
    int ndefines;
    const struct compile_word *includes; /* folders, relative to the test's folder */
    int nincludes;
};

struct compile_result {
    const char *
        ptx; /* its .file say "kernel.cu" or "cutlass/barrier.h": from the test's folder or one of headers on */
    const char *entry;   /* what PTX calls the kernel; NULL: the test names none */
    const char *missing; /* why there is no compiler, where none is there; else NULL */
};

/* Compiles the kernel. Everything lives in the arena. Returns false when it cannot: then `missing` says why,
 * or there are errors at their places in the source or the test. */
bool compile_kernel(struct arena *a, const struct compile_request *r, struct compile_result *out,
                    struct diag *d);

/* Returns the folder of a file, in which paths of the test begin: "tests/" for "tests/a.yaml", "" for
 * "a.yaml". */
const char *compile_folder(struct arena *a, const char *file);

/* A kernel that a source declares; `parameters` is the text between its parentheses, without comments. */
struct compile_declaration {
    const char *name, *parameters;
};
/* Lists the kernels that the text of a source declares, as far as they can be found without compiling it.
 * Returns how many. */
int compile_declarations(struct arena *a, const char *source, struct compile_declaration **out);
/* Returns their names as "f, g and h"; NULL: there are none. */
const char *compile_kernels(struct arena *a, const char *source);
/* Returns the kernel whose name is most like `kernel`, which is none; or NULL. */
const char *compile_nearest_kernel(struct arena *a, const char *source, const char *kernel);

#endif
