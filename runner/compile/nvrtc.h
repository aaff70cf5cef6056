/* Compiles CUDA text to PTX and machine code. Needs no device.
 *
 * NVRTC cannot be interrupted, and may crash. So it compiles in processes of its own (compile/process.h),
 * which are ended when a cell takes too long or the tool is to stop. Each is started once and then compiles
 * one text after the other. */
#ifndef CULITMUS_NVRTC_H
#define CULITMUS_NVRTC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"

enum { NVRTC_SECONDS = 60 }; /* for a cell, which takes less than one */

struct nvrtc_source {
    const char *library;        /* the path of the NVRTC library; NULL: the one that is found (nvrtc_api.h) */
    const char *ptxas;          /* the path of a separate assembler (compile/ptxas.h); NULL: that in NVRTC */
    const char *text;           /* CUDA C++; for nvrtc_assemble PTX */
    const char *name;           /* the name of the file in the compiler's log */
    const char *arch;           /* such as "sm_90" */
    const char *std;            /* C++ standard, such as "c++20"; NULL: c++17 */
    const char *const *folders; /* where headers are, for a text that is no cell; NULL: the text is a cell */
    int nfolders;
    bool lines;             /* add the source line of each instruction; the code is the same */
    int seconds;            /* how long it may take; 0: NVRTC_SECONDS */
    const atomic_int *stop; /* when it becomes nonzero the compiler is ended. May be NULL */
};

/* Every program that compiles calls this first in main. Returns true if this process was started to compile:
 * it has done so until it was told to end, and main returns 0. */
bool nvrtc_serve(int argc, char **argv);

/* Compiles to PTX. Returns false and leaves an error with the compiler's log, or with why it was ended.
 * Thread-safe. */
bool nvrtc_ptx(const struct nvrtc_source *s, struct text *ptx, struct diag *d);
/* The same, and assembles the PTX to machine code. *cubin is malloc'ed. */
bool nvrtc_cubin(const struct nvrtc_source *s, struct text *ptx, void **cubin, size_t *size, struct diag *d);

/* Assembles PTX to machine code, the same as nvrtc_cubin makes of the text from which the PTX comes. Also
 * fails where NVRTC does not take PTX, which it is given as a file among the assembler's options. */
bool nvrtc_assemble(const struct nvrtc_source *s, void **cubin, size_t *size, struct diag *d);

/* Ends the idle processes and waits for them, so that their time counts as that of this process's children.
 * New ones are started when there is something to compile. Thread-safe. */
void nvrtc_close(void);

/* Returns the newest architecture that a library compiles for, such as 90 for sm_90. 0 and an error: there is
 * none. In this and the following functions `library` is as in struct nvrtc_source. */
int nvrtc_newest(const char *library, struct diag *d);
/* Whether the library compiles for an architecture. */
bool nvrtc_compiles_for(const char *library, int arch, struct diag *d);
/* Whether operands of inline asm may have 16 bytes, as from NVRTC 12.8 on. */
bool nvrtc_has_wide_operands(const char *library, struct diag *d);
/* If a text failed to compile (`failed`) only because its assembler is older than the one that texts are made
 * for and does not know an instruction, returns that as one line, in the arena. NULL: something else is
 * wrong. */
const char *nvrtc_too_old(const struct nvrtc_source *s, const struct diag *failed, struct arena *a);
/* Returns the version, such as "13.0"; NULL and an error when it is not there. The text belongs to the
 * calling thread. */
const char *nvrtc_version(const char *library, struct diag *d);
/* Returns the version with the build number, such as "13.0.88", which is also that of the ptxas in it;
 * without the build if the library does not tell it. NULL and an error when the library is not there. */
const char *nvrtc_build(const char *library, struct arena *a, struct diag *d);

#endif
