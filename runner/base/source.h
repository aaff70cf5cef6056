/* The text of a file, and stretches of it that are parsed: every byte keeps its place in the file. */
#ifndef CULITMUS_SOURCE_H
#define CULITMUS_SOURCE_H

#include "base/arena.h"
#include "base/diag.h"

/* No test is longer than this. */
enum { SOURCE_MAX_BYTES = 64 << 20 };

/* Reads a file into the arena. Returns false and leaves an error if it cannot be read. */
bool source_load(struct arena *a, const char *path, struct source *src, struct diag *d);

/* Reads a file of any size, as results may have. A file of more than a MiB is mapped until the process ends.
 * '-' is standard input. */
bool source_map(struct arena *a, const char *path, struct source *src, struct diag *d);
/* Says that the first `bytes` bytes of a source will not be read soon. Memory need not hold them if they are
 * mapped from a file. */
void source_forget(const struct source *src, size_t bytes);

/* Checks that the text is UTF-8 without NUL, and that its lines end in LF or CR LF: positions and messages
 * rely on this. Returns false and leaves an error otherwise. */
bool source_check(const struct source *src, struct diag *d);

/* Says where a line of a compiler's output comes from, such as "kernel.cu:7 (header.h:152)". NULL: the line
 * stands for itself. */
const char *source_origin(const struct source *src, int line);

/* Returns the length in bytes of the byte order mark that the source begins with; 0: there is none. */
size_t source_mark(const struct source *src);

/* Offsets at which the lines of a source begin; n is at least 1. */
struct lines {
    size_t *start;
    size_t n;
};
struct lines source_lines(struct arena *a, const struct source *src);

/* Returns the line and column of a byte offset. Its `len` is the given number of bytes to underline. */
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
