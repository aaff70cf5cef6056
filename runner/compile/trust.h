/* Which files a test may have compiled. Private to compile. */
#ifndef CULITMUS_TRUST_H
#define CULITMUS_TRUST_H

#include "compile/compile.h"

enum trust_place {
    TRUST_BESIDE,    /* beside or below the test */
    TRUST_GIVEN,     /* below a folder that the command line names */
    TRUST_COMPILER,  /* a header of the compiler or of its toolkit */
    TRUST_ELSEWHERE, /* none of these */
};

/* The folders of a test; all are real paths that end in a slash. */
struct trust {
    const char *beside;
    const char **given;
    int ngiven;
    const char **compiler; /* the first `ntoolkit` are the CUDA toolkit's, the others the host compiler's */
    int ntoolkit, ncompiler;
    bool everywhere;
    int seconds;         /* how long a compiler may take; 0: the command line does not say */
    const char *missing; /* a folder of the command line that does not exist; NULL: all do */
};

/* Returns the trust of a test. `compiler` is a program or a library in the toolkit that is used. */
struct trust trust_of(struct arena *a, const char *test, const char *compiler);
/* Returns where a file or folder is after following all links. One that does not exist is elsewhere. */
enum trust_place trust_find(const struct trust *t, const char *path);
/* Whether the file may be read. */
bool trust_allows(const struct trust *t, const char *path);
/* Returns a path as it is shown to people: without what comes before the folder of its place. In the
 * arena. */
const char *trust_name(struct arena *a, const struct trust *t, const char *path);

#endif
