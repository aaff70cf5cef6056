/* What every model knows besides the names of names.def: functions and names of herd's library, of the same meaning. */
#ifndef CULITMUS_CAT_LIBRARY_H
#define CULITMUS_CAT_LIBRARY_H

#include "cat/cat.h"

/* The binding of a name, as if the model had defined it, in the arena; a name that is no function has no
 * parameters. `c11`: the model is one of C11. NULL: there is no such name. */
const struct cat_binding *library_find(struct arena *a, const char *name, bool c11);

/* Whether a name of herd's stands for something that no CUDA test has, so that it is empty; and as what. */
enum absent { ABSENT_NOT, ABSENT_SET, ABSENT_RELATION };
enum absent library_absent(const char *name);

/* Functions that herd's program has and models here have not: they are on relations and on sets of sets. */
extern const char *const library_unread[5];

/* What a message adds to an unknown name: what to write for one that other tools know, else that `near` may
 * be meant, else "". */
const char *library_hint(struct arena *a, const char *name, const char *near);

#endif
