/* Locations that are structs: a body defines the struct, and `memory` has locations of that type. */
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
    struct type vector; /* the type of an access to the whole; no lanes: each member is accessed by itself */
    struct located *next;
};

/* All such locations of a test, and their structs. */
struct located_structs {
    struct record_text *records;
    struct located *list;
};

/* A leaf of such a struct, as "q.a". */
struct located_part {
    const char *name;
    struct type type;
    int sizes[LOCATED_MAX_SIZES], nsizes;
};

struct located_shape {
    struct located_part parts[LOCATED_MAX_PARTS];
    int n;
    struct type vector;
    const struct fault *fault; /* why no location can be of this struct; or NULL */
};

/* Finds the struct of a name in the text of a body, and adds it. NULL: the text does not define it. */
const struct record_text *located_find(struct syntax *s, struct located_structs *all, const char *name);
struct located_shape located_shape(struct syntax *s, const struct located_structs *all,
                                   const struct record_text *r);

#endif
