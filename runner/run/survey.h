/* What several compilers make of the same cells. This is plain data; no device is needed. */
#ifndef CULITMUS_SURVEY_H
#define CULITMUS_SURVEY_H

#include "run/backend.h"

struct survey_request {
    const struct compiler_choice *compilers;
    int ncompilers;
    const char *arch;          /* "sm_90" */
    const struct build *cells; /* only `t` and `cell` are used */
    int ncells;
    const atomic_int *stop; /* becomes nonzero on Ctrl-C. May be NULL */
    void (*progress)(const struct compiler_choice *c, int done,
                     int of); /* how many of a compiler's texts are done. May be NULL */
};

/* What one compiler makes of a text. */
struct survey_code {
    const char *refused; /* why the compiler refuses it; NULL: it does not */
    const char *
        /* why the code is not what the test means, or cannot be read; NULL: it is right, or was not
         * checked */
        wrong;
    uint64_t ptx, code; /* hashes of the PTX and of the machine code */
    int bytes, registers;
    double seconds;
};

/* A text that is compiled. Several cells may have the same text. */
struct survey_text {
    const struct test *t;
    const struct cell *cell; /* the first of its cells */
    int ncells;
    struct survey_code *by; /* of each compiler */
};

/* One form of machine code for an edge: an access, what stands behind it, and the next access. */
struct survey_form {
    const char *machine, *awaited; /* as in struct waits_edge */
    int *texts;                    /* of each compiler: how many of its texts have this form */
};

struct survey_edge {
    const char *ptx;
    const struct test **tests; /* the tests that have it */
    int ntests;
    struct survey_form *forms;
    int nforms;
};

/* A cell that no compiler is given. */
struct survey_unfit {
    const struct build *cell;
    const char *why;
};

struct survey {
    struct survey_text *texts;
    int ntexts;
    struct survey_edge *edges;
    int nedges;
    struct survey_unfit *unfit;
    int nunfit;
    const char *unread; /* why machine code was not read; NULL: it was */
    bool interrupted;   /* the last compilers are missing */
};

#endif
