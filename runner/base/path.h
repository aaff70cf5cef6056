/* Where programs are. */
#ifndef CULITMUS_PATH_H
#define CULITMUS_PATH_H

#include "base/arena.h"

/* The path of a program, in the arena: the name itself when it has a slash, else found in $PATH. NULL: there is
 * none that can be run. */
char *path_find(struct arena *a, const char *name);

#endif
