/* The text of a model: a file, or one that is shipped. Private to the reader. */
#ifndef CULITMUS_CAT_FILE_H
#define CULITMUS_CAT_FILE_H

#include "base/arena.h"
#include "base/diag.h"

/* The text of the model `name`, which the text `by` includes at a place (NULL: nobody includes it). A shipped model can only
 * be named by its name; a file can only be named by a path that exists, and is included only from the includer's folder.
 * NULL and an error where it cannot be read. Lives in the arena. */
const struct source *cat_open(struct arena *a, const char *name, const struct source *by, struct pos pos,
                              struct diag *d);

#endif
