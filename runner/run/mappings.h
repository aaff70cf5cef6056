/* What compilers make of each way to write an operation. This is plain data; no device is needed. */
#ifndef CULITMUS_MAPPINGS_H
#define CULITMUS_MAPPINGS_H

#include "run/backend.h"

struct mappings_request {
    const struct compiler_choice *compilers;
    int ncompilers;
    const char *const *archs; /* "sm_90" */
    int narchs;
    const char *const *folders; /* include folders with the headers of libcu++; none: libcu++ is left out */
    int nfolders;
    const char *filter; /* a regular expression: only ways whose words match; NULL: all */
    bool all;           /* every combination of type and scope */
    const atomic_int *stop;
    void (*progress)(const struct compiler_choice *c, const char *arch); /* may be NULL */
};

/* What one compiler makes of one way for one architecture. */
struct mapping_code {
    const char *refused; /* why the compiler refuses it; NULL: it does not */
    /* why it was not compiled: the architecture does not have it; NULL: it was compiled */
    const char *absent;
    const char *ptx;       /* "fence.sc.gpu; ld.acquire.gpu" */
    const char *addressed; /* `ptx` with state spaces: "fence.sc.gpu; ld.acquire.gpu.shared" */
    /* such as "LDG.E.STRONG.GPU; CCTL.IVALL, which waits for LDG"; NULL: it was not read */
    const char *machine;
    const char *
        /* why the PTX is weaker than what was asked for, or the machine code weaker than the PTX; NULL:
         * neither is */
        weak;
};

/* One way to write an operation, with its type and its state space. */
struct mapping {
    const char *spelling, *written;                       /* "libcu++", "cuda::atomic_ref.fetch_OP" */
    const char *statement;                                /* the whole statement */
    const char *operation, *order, *scope, *type, *space; /* scope and space are "" where it has none */
    const char *machine_word; /* the operation's part of a SASS name, such as "ADD"; NULL: there is none */
    struct mapping_code *by;  /* [compiler][architecture] */
};

struct mappings {
    struct mapping *list;
    int n;
    const char *unread; /* why machine code was not read; NULL: it was */
    bool interrupted;   /* the last part of the code is missing */
};

#endif
