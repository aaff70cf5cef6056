/* A file that is written under a temporary name beside its own, and then takes its place. So readers see the old file
 * or the new one, never half of it. If the path is a link, the file that it leads to is replaced. The new file has the
 * permissions of the old one. */
#ifndef CULITMUS_REPLACE_H
#define CULITMUS_REPLACE_H

#include <stdio.h>

#include "base/temporary.h"

struct replacement {
    FILE *out; /* to write to */
    char *path;
    struct temporary temporary;
};

/* The file that a path stands for: where it leads if it is a link, else itself. The file need not exist. malloc'ed. NULL
 * and errno EACCES when it leads there by another user's link in a folder where everybody may make one. */
char *replace_target(const char *path);
/* False and errno when the temporary file cannot be made; do not call replace_end then. */
bool replace_begin(struct replacement *r, const char *path);
/* False and errno when something could not be written; the old file is then unchanged. */
bool replace_end(struct replacement *r);

#endif
