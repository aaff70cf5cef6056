/* What compilers make of the ways to write an operation: plain data, for which no device is needed. */
#ifndef CULITMUS_MAPPINGS_H
#define CULITMUS_MAPPINGS_H

#include "run/backend.h"

struct mappings_request {
    const struct compiler_choice *compilers;
    int ncompilers;
    const char *const *archs; /* "sm_90" */
    int narchs;
    const char *const *folders; /* of the headers of libcu++; none: it is left out */
    int nfolders;
    const char *filter; /* only ways whose words match, a regular expression; NULL: all */
    bool all;           /* also each type with each scope */
    const atomic_int *stop;
    void (*progress)(const struct compiler_choice *c, const char *arch); /* may be NULL */
};

/* What a compiler makes of it for an architecture. */
struct mapping_code {
    const char *refused;   /* why there is no code; NULL: there is */
    const char *absent;    /* why it was not asked: the architecture has it not; NULL: it was */
    const char *ptx;       /* "fence.sc.gpu; ld.acquire.gpu" */
    const char *addressed; /* the same with state spaces, "fence.sc.gpu; ld.acquire.gpu.shared" */
    const char *machine;   /* "LDG.E.STRONG.GPU; CCTL.IVALL, which waits for LDG"; NULL: it was not read */
    const char *
        weak; /* why the PTX is weaker than what was asked for, or the machine code than the PTX; NULL: it is not */
};

/* A way to write an operation of a type, in a space. */
struct mapping {
    const char *spelling, *written;                       /* "libcu++", "cuda::atomic_ref.fetch_OP" */
    const char *statement;                                /* all of it */
    const char *operation, *order, *scope, *type, *space; /* scope "" and space "": it has none */
    const char *machine_word; /* of the operation's own instruction, as "ADD"; NULL: there is none */
    struct mapping_code *by;  /* of each compiler, and for it of each architecture */
};

struct mappings {
    struct mapping *list;
    int n;
    const char *unread; /* why machine code was not read; NULL: it was */
    bool interrupted;   /* code is missing from some point on */
};

#endif
