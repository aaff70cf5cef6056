/* Locations that are structs: a body defines the struct, and `memory` has locations of it. */
#ifndef CULITMUS_LOCATED_H
#define CULITMUS_LOCATED_H

#include "syntax/syntax.h"

enum { LOCATED_MAX_PARTS = 64, LOCATED_MAX_SIZES = 2 };

struct record_text;

/* A location, or an array of them. */
struct located {
    const char *name;
    const struct record_text *record;
    bool array;
    struct type vector; /* as which the whole is accessed; no lanes: it takes an access a member */
    struct located *next;
};

/* All of a test, and the structs that they have. */
struct located_structs {
    struct record_text *records;
    struct located *list;
};

/* A member that is no struct itself, "q.a". */
struct located_part {
    const char *name;
    struct type type;
    int sizes[LOCATED_MAX_SIZES], nsizes;
};

struct located_shape {
    struct located_part parts[LOCATED_MAX_PARTS];
    int n;
    struct type vector;
    const struct fault *fault; /* why no location can be of it; or NULL */
};

/* Finds the struct of a name in the text of a body, and makes it known. NULL: the text defines none. */
const struct record_text *located_find(struct syntax *s, struct located_structs *all, const char *name);
struct located_shape located_shape(struct syntax *s, const struct located_structs *all,
                                   const struct record_text *r);

#endif
