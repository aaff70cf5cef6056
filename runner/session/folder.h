/* Files that are written into a folder together: all of them, or none. */
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
    FOLDER_TAKEN, /* a file is there already */
    FOLDER_BROKEN,
    FOLDER_STOPPED
};

/* Makes the folder where it is missing. `stop`: is asked before each file, and ends it when it is set. `what`: what the
 * files hold, "test". What went wrong is in `d`. */
enum folder_end folder_write(struct arena *a, const char *folder, const struct folder_file *files, int n,
                             const char *what, const atomic_int *stop, struct diag *d);

#endif
