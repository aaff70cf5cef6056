/* Temporary files and folders. Each is locked while its process uses it. An unlocked one was left by a
 * process that was killed; it is removed when the next one is made in the same place. */
#ifndef CULITMUS_TEMPORARY_H
#define CULITMUS_TEMPORARY_H

#include <stdbool.h>

/* A temporary file or folder. A list of this process holds it, so it must not move until it is removed or
 * kept. */
struct temporary {
    char *path;
    int fd; /* of a file: open for writing; it holds the lock */
    struct temporary *next;
};

/* Makes a file or a folder in $TMPDIR, else in /tmp. Returns false and sets errno when it cannot.
 * Thread-safe. */
bool temporary_file(struct temporary *t);
bool temporary_folder(struct temporary *t);
/* Makes a hidden file in the folder of `file`. */
bool temporary_beside(struct temporary *t, const char *file);

/* Removes the file, or the folder with its files. */
void temporary_remove(struct temporary *t);
/* Renames the file to `path`, where it stays, and closes it. If that fails, returns false, sets errno and
 * removes the file. */
bool temporary_keep(struct temporary *t, const char *path);

/* Removes all temporary files of this process, which is about to end. A signal handler may call it. */
void temporary_remove_all(void);

#endif
