#include "session/folder.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *path_of(struct arena *a, const char *folder, const struct folder_file *f) {
    return arena_printf(a, "%s/%s", folder, f->name);
}

/* Checks that no file exists: nothing is overwritten. */
static bool check_files(const char *const *paths, int n, struct diag *d) {
    struct stat s;
    size_t errors = d->errors;
    for (int k = 0; k < n; k++)
        if (lstat(paths[k], &s) == 0) diag_fail(d, "'%s' is there already", paths[k]);
    return d->errors == errors;
}

/* Writes a file directly. No old file has to be preserved, and thousands of temporary files in one folder
 * would take long. */
static bool write_one(const char *path, const char *text, struct diag *d) {
    FILE *f = fopen(path, "wx");
    bool fine = f && fputs(text, f) >= 0;
    if (f && fclose(f) != 0) fine = false;
    if (fine) return true;
    diag_fail(d, "cannot write '%s': %s", path, strerror(errno));
    if (f) unlink(path);
    return false;
}

enum folder_end folder_write(struct arena *a, const char *folder, const struct folder_file *files, int n,
                             const char *what, const atomic_int *stop, struct diag *d) {
    const char **paths = arena_array(a, (size_t)n + 1, sizeof *paths);
    bool made = mkdir(folder, 0777) == 0;
    enum folder_end end = FOLDER_WRITTEN;
    int written = 0;
    if (!made && errno != EEXIST) {
        diag_fail(d, "cannot make the folder '%s': %s", folder, strerror(errno));
        return FOLDER_BROKEN;
    }
    for (int k = 0; k < n; k++)
        paths[k] = path_of(a, folder, &files[k]);
    if (!check_files(paths, n, d)) end = FOLDER_TAKEN;
    while (end == FOLDER_WRITTEN && written < n && !*stop)
        if (write_one(paths[written], files[written].text, d))
            written++;
        else
            end = FOLDER_BROKEN;
    if (end == FOLDER_WRITTEN && written == n) return end;
    if (end == FOLDER_WRITTEN) {
        diag_fail(d, "interrupted; no %s is written", what);
        end = FOLDER_STOPPED;
    }
    /* removes what was written, so that it can be tried again */
    for (int k = 0; k < written; k++)
        unlink(paths[k]);
    if (made) rmdir(folder);
    return end;
}
