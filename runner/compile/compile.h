/* Compiles a kernel of a CUDA source to PTX, on behalf of a test: by nvcc where PATH has it, else by NVRTC.
 *
 * The source and all that it includes must be trusted: it stands beside or below the test, belongs to the compiler, or
 * stands below a folder that the command line names. No message quotes a line of another file. */
#ifndef CULITMUS_COMPILE_H
#define CULITMUS_COMPILE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"

/* What the command line says of files elsewhere, -I and --trust-source, and of the time that a compiler may take. */
struct compile_trust {
    const char *const *folders; /* where headers are looked for, too */
    int nfolders;
    bool everywhere;
    int seconds; /* 0: a minute */
};
/* Holds from now on, in every thread: main says it before anything is compiled. What it points to stays. */
void compile_set_trust(const struct compile_trust *trust);

/* What a test asks for, each with its place in the test. */
struct compile_word {
    const char *text; /* NULL: the test does not say it */
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

/* Everything lives in the arena. False: `missing` says why, or errors do, at their places in the source or in the test. */
bool compile_kernel(struct arena *a, const struct compile_request *r, struct compile_result *out,
                    struct diag *d);

/* The folder of a file, "tests/" of "tests/a.yaml" and "" of "a.yaml": what paths in a test begin at. */
const char *compile_folder(struct arena *a, const char *file);

/* A kernel as a source declares it: what stands between its parentheses, without comments. */
struct compile_declaration {
    const char *name, *parameters;
};
/* The kernels that the text of a source declares, as far as can be told without compiling it. Returns how many. */
int compile_declarations(struct arena *a, const char *source, struct compile_declaration **out);
/* The same as "f, g and h"; NULL: none. */
const char *compile_kernels(struct arena *a, const char *source);
/* The one whose name is meant by this one, which is no kernel's, or NULL. */
const char *compile_nearest_kernel(struct arena *a, const char *source, const char *kernel);

#endif
