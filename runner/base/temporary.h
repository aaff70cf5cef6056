/* Temporary files and folders. Each is locked while its process uses it. So what a process that was killed has left is
 * told from what is in use: it is removed when the next one is made at the same place. */
#ifndef CULITMUS_TEMPORARY_H
#define CULITMUS_TEMPORARY_H

#include <stdbool.h>

/* It stays where it is until it is removed or kept. */
struct temporary {
    char *path;
    int fd; /* of a file: open for writing; it holds the lock */
    struct temporary *next;
};

/* A file or a folder in $TMPDIR, else in /tmp. False and errno when it cannot be made. Thread-safe. */
bool temporary_file(struct temporary *t);
bool temporary_folder(struct temporary *t);
/* A hidden file in the folder of this one. */
bool temporary_beside(struct temporary *t, const char *file);

/* Removes it; a folder with its files. */
void temporary_remove(struct temporary *t);
/* Gives a file a name at which it stays, and closes it. False and errno when that fails; it is then removed. */
bool temporary_keep(struct temporary *t, const char *path);

/* Removes all that this process has: it is about to end. A signal handler may call it. */
void temporary_remove_all(void);

#endif
