/* What every model knows besides the names of names.def: functions and names of herd's library, of the same meaning. */
#ifndef CULITMUS_CAT_LIBRARY_H
#define CULITMUS_CAT_LIBRARY_H

#include "cat/cat.h"

/* As a binding of the model's own, in the arena; a name has no parameters. NULL: there is none. */
const struct cat_binding *library_find(struct arena *a, const char *name);

/* What is said behind an unknown name: what to write for one that other tools know, else that `near` may be meant, else "". */
const char *library_hint(struct arena *a, const char *name, const char *near);

#endif
