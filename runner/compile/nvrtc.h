/* Compiles CUDA text to PTX and machine code. Needs no device.
 *
 * NVRTC cannot be interrupted, and may crash. So it compiles in processes of its own (compile/process.h), which are ended
 * when a cell takes too long or the tool is to stop. Each is started once and then compiles one text after the other. */
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
    const char
        *library;      /* the file of the NVRTC that compiles it; NULL: the one that is found (nvrtc_api.h) */
    const char *ptxas; /* the program that assembles what it compiles (compile/ptxas.h); NULL: NVRTC itself */
    const char *text;  /* CUDA C++, or what nvrtc_assemble is given: PTX */
    const char *name;  /* the file name in the compiler's log */
    const char *arch;  /* such as "sm_90" */
    const char *std;   /* of C++, such as "c++20"; NULL: c++17 */
    const char *const *folders; /* of headers, of a text that is no cell; NULL: it is one */
    int nfolders;
    bool lines;             /* tell the source line of each instruction, too; the code is the same */
    int seconds;            /* that it may take; 0: NVRTC_SECONDS */
    const atomic_int *stop; /* becomes nonzero when it is to end. May be NULL */
};

/* Every program that compiles calls this first, in main. True: this process was started to compile. It has done so until
 * it was told to end, and main returns 0. */
bool nvrtc_serve(int argc, char **argv);

/* Compiles. False and an error that carries the compiler's log, or says why it was ended. Thread-safe. */
bool nvrtc_ptx(const struct nvrtc_source *s, struct text *ptx, struct diag *d);
/* Compiles to machine code and to the PTX that it was made of. *cubin is malloc'ed. */
bool nvrtc_cubin(const struct nvrtc_source *s, struct text *ptx, void **cubin, size_t *size, struct diag *d);

/* Makes machine code of PTX, the same that nvrtc_cubin makes of the text which NVRTC compiles to that PTX. False and an error
 * also where NVRTC does not take PTX: it is given to the assembler in it as a file among its options. */
bool nvrtc_assemble(const struct nvrtc_source *s, void **cubin, size_t *size, struct diag *d);

/* Ends the processes that have nothing to compile, and waits for them, so that their time counts as this process's
 * children's. Others are started when there is something to compile again. Thread-safe. */
void nvrtc_close(void);

/* The newest architecture that a library compiles for, as a number: 90 for sm_90. 0 and an error: none. Of these four a
 * library is named as in struct nvrtc_source. */
int nvrtc_newest(const char *library, struct diag *d);
/* Whether it compiles for that one. */
bool nvrtc_compiles_for(const char *library, int arch, struct diag *d);
/* Whether operands of inline asm may have 16 bytes: NVRTC 12.8 is the first that takes them. */
bool nvrtc_has_wide_operands(const char *library, struct diag *d);
/* What is to be said of a text that could not be compiled, for the reasons in `failed`, where all that is wrong is that its
 * assembler is older than the one that the texts are made for, and does not take an instruction: in one line, in the arena. NULL: something else
 * is wrong. */
const char *nvrtc_too_old(const struct nvrtc_source *s, const struct diag *failed, struct arena *a);
/* "13.0", or NULL and an error. Text of the calling thread. */
const char *nvrtc_version(const char *library, struct diag *d);
/* "13.0.88": with the number of its build, which is also that of the ptxas in it, if it tells that. NULL and an error. */
const char *nvrtc_build(const char *library, struct arena *a, struct diag *d);

#endif
