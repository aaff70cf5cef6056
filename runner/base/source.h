/* The text of a file, and stretches of it that are parsed: every byte keeps its place in the file. */
#ifndef CULITMUS_SOURCE_H
#define CULITMUS_SOURCE_H

#include "base/arena.h"
#include "base/diag.h"

/* Files beyond this are no tests. */
enum { SOURCE_MAX_BYTES = 64 << 20 };

/* Reads a file into the arena. */
bool source_load(struct arena *a, const char *path, struct source *src, struct diag *d);

/* As source_load, for results, which may have any size: a file of more than a MiB is mapped, and stays so until the process
 * ends. '-' is standard input. */
bool source_map(struct arena *a, const char *path, struct source *src, struct diag *d);
/* Says that the first bytes of a source are hardly needed again: memory need not hold them if a file does. */
void source_forget(const struct source *src, size_t bytes);

/* UTF-8 text without NUL, whose lines end in LF or CR LF: what positions and messages rely on. */
bool source_check(const struct source *src, struct diag *d);

/* Where a line of a text that a compiler made comes from, "kernel.cu:7 (header.h:152)". NULL: it is the line itself. */
const char *source_origin(const struct source *src, int line);


/* Bytes of the byte order mark that a source may begin with. */
size_t source_mark(const struct source *src);

/* Offsets at which the lines of a source begin; n is at least 1. */
struct lines {
    size_t *start;
    size_t n;
};
struct lines source_lines(struct arena *a, const struct source *src);

/* Line and column of an offset; `len` is set to the bytes to underline. */
struct pos source_pos(const struct lines *lines, size_t offset, size_t len);

/* A text to parse that came out of a source: byte k is at offset[k] of the source, and its end at
 * offset[len]; with offset NULL, byte k is at base + k. */
struct snippet {
    const char *text; /* NUL-terminated at len */
    size_t len;
    const size_t *offset;
    size_t base;
    const struct lines *lines; /* of the source */
};

#endif
