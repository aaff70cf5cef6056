/* A file that is written under a temporary name beside its own, and then takes its place: readers see the old
 * file or the new one, never half of it. A link stays one: what it leads to is replaced. */
#ifndef CULITMUS_REPLACE_H
#define CULITMUS_REPLACE_H

#include <stdbool.h>
#include <stdio.h>

struct replacement {
    FILE *out; /* to write to */
    char *path, *temporary;
};

/* The file that a path stands for, whether it is there or not: itself, or where it leads as a link. malloc'ed. */
char *replace_target(const char *path);
/* False and errno when the file cannot be made; there is nothing to end then. */
bool replace_begin(struct replacement *r, const char *path);
/* False and errno when something could not be written: the old file is as it was. */
bool replace_end(struct replacement *r);

#endif
