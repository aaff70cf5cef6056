/* What several compilers make of the same cells: plain data, for which no device is needed. */
#ifndef CULITMUS_SURVEY_H
#define CULITMUS_SURVEY_H

#include "run/backend.h"

struct survey_request {
    const struct compiler_choice *compilers;
    int ncompilers;
    const char *arch;          /* "sm_90" */
    const struct build *cells; /* `t` and `cell` of each */
    int ncells;
    const atomic_int *stop; /* becomes nonzero on Ctrl-C. May be NULL */
    void (*progress)(const struct compiler_choice *c, int done,
                     int of); /* of a compiler's texts. May be NULL */
};

/* What one compiler makes of a text. */
struct survey_code {
    const char *refused; /* why there is no code; NULL: there is */
    const char *
        wrong; /* why the code is not what the test means, or cannot be read; NULL: it is, or was not looked at */
    uint64_t ptx, code; /* numbers made of the PTX and of the machine code: those of the same are equal */
    int bytes, registers;
    double seconds;
};

/* A text that is compiled: some cells share one. */
struct survey_text {
    const struct test *t;
    const struct cell *cell; /* the first of them */
    int ncells;
    struct survey_code *by; /* of each compiler */
};

/* What an access, what stands behind it, and the next access become. */
struct survey_form {
    const char *machine, *awaited; /* as in struct waits_edge */
    int *texts;                    /* of each compiler: how many of its texts have it */
};

struct survey_edge {
    const char *ptx;
    const struct test **tests; /* that have it */
    int ntests;
    struct survey_form *forms;
    int nforms;
};

/* A cell that no compiler is asked to build. */
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
    bool interrupted;   /* compilers are missing from some point on */
};

#endif
