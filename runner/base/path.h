/* Where programs are. */
#ifndef CULITMUS_PATH_H
#define CULITMUS_PATH_H

#include <stdbool.h>

#include "base/arena.h"

/* The path of a program, in the arena: the name itself if it has a slash, else the file of that name in $PATH. NULL
 * when no such file can be run. */
char *path_find(struct arena *a, const char *name);

/* Whether what a file names may be read as a model on its behalf: the name of a shipped model; or a path without ".."
 * to a .cat file in or below its folder that is a regular file, and no link that leads out. A file that is not there
 * may be. The folder has its slash; "" is the working folder. */
bool path_is_model_of(const char *folder, const char *name);

/* Whether a file that a test names may be read on its behalf: a path without ".." to a regular file in or below its folder,
 * and no link that leads out. A file that is not there may be. */
bool path_is_below(const char *folder, const char *name);

/* Makes the folders above a file, with this mode. False and errno when one could not be made. */
bool path_make_folders(const char *file, unsigned mode);

#endif
