/* What every model knows besides the names of names.def: functions and names of herd's library, of the same meaning. */
#ifndef CULITMUS_CAT_LIBRARY_H
#define CULITMUS_CAT_LIBRARY_H

#include "cat/cat.h"

/* As a binding of the model's own, in the arena; a name has no parameters. `c11`: it is a model of C11. NULL: there is
 * none. */
const struct cat_binding *library_find(struct arena *a, const char *name, bool c11);

/* Whether a CUDA test has nothing that is meant by a name of herd's, and what it would be. */
enum absent { ABSENT_NOT, ABSENT_SET, ABSENT_RELATION };
enum absent library_absent(const char *name);

/* What herd's own program knows, and models here do not: functions on relations and on sets of sets. */
extern const char *const library_unread[5];

/* What is said behind an unknown name: what to write for one that other tools know, else that `near` may be meant, else "". */
const char *library_hint(struct arena *a, const char *name, const char *near);

#endif
