/* Files that were built into the binary (kernels, models, help). */
#ifndef CULITMUS_EMBEDDED_H
#define CULITMUS_EMBEDDED_H

struct embedded {
    const char *name; /* the file's base name */
    const char *text;
};

/* The text of a file in a table that ends with {0}, or NULL. */
const char *embedded_find(const struct embedded *table, const char *name);

#endif
