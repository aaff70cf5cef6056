/* Where programs are. */
#ifndef CULITMUS_PATH_H
#define CULITMUS_PATH_H

#include <stdbool.h>

#include "base/arena.h"

/* Finds a program. A name with a slash is returned as it is; any other name is looked up in $PATH. Returns
 * the path in the arena, or NULL when no such file can be executed. */
char *path_find(struct arena *a, const char *name);

/* Whether a test file may have the file `name` read as its model. Allowed are the name of a shipped model,
 * and a relative path without ".." to a regular .cat file in or below `folder`, unless a link on the way
 * leads out of the folder or to a file that is not .cat. The file need not exist. `folder` ends with a slash;
 * "" is the working folder. */
bool path_is_model_of(const char *folder, const char *name);

/* Whether a test file may have the file `name` read: a relative path without ".." to a regular file in or
 * below `folder`, unless a link on the way leads out of the folder. The file need not exist. */
bool path_is_below(const char *folder, const char *name);

/* Makes the missing folders above a file, each with this mode. Returns false and sets errno when one could
 * not be made. */
bool path_make_folders(const char *file, unsigned mode);

#endif
