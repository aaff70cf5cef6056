/* Which files a test may have compiled: private to compile. */
#ifndef CULITMUS_TRUST_H
#define CULITMUS_TRUST_H

#include "compile/compile.h"

enum trust_place {
    TRUST_BESIDE,    /* beside or below the test */
    TRUST_GIVEN,     /* below a folder of the command line */
    TRUST_COMPILER,  /* a header of the compiler or of its toolkit */
    TRUST_ELSEWHERE, /* none of these */
};

/* The folders of a test; all are real paths that end in a slash. */
struct trust {
    const char *beside;
    const char **given;
    int ngiven;
    const char **compiler; /* the first `ntoolkit` of its toolkit, the others of the host */
    int ntoolkit, ncompiler;
    bool everywhere;
    int seconds;         /* that a compiler may take; 0: the command line does not say */
    const char *missing; /* a folder of the command line that is not there; NULL: all are */
};

/* The trust of a test, in whose toolkit `compiler` is a program or a library. */
struct trust trust_of(struct arena *a, const char *test, const char *compiler);
/* Where a file or folder is, after all links. One that cannot be found is elsewhere. */
enum trust_place trust_find(const struct trust *t, const char *path);
/* Whether it may be read. */
bool trust_allows(const struct trust *t, const char *path);
/* A path as a person says it: from the folder of its place on. In the arena. */
const char *trust_name(struct arena *a, const struct trust *t, const char *path);

#endif
