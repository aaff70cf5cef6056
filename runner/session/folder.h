/* Writes files into a folder together: all of them, or none. */
#ifndef CULITMUS_FOLDER_H
#define CULITMUS_FOLDER_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/diag.h"

struct folder_file {
    const char *name, *text;
};

enum folder_end {
    FOLDER_WRITTEN,
    FOLDER_TAKEN, /* a file exists already */
    FOLDER_BROKEN,
    FOLDER_STOPPED
};

/* Writes the files, and makes the folder if it is missing. *stop is read before each file, and ends it when
 * set. `what` is the kind of file for messages, such as "test". Errors are in `d`. */
enum folder_end folder_write(struct arena *a, const char *folder, const struct folder_file *files, int n,
                             const char *what, const atomic_int *stop, struct diag *d);

#endif
