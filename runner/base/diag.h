/* Diagnostics: errors, warnings and notes with their place, collected by the library and rendered by the
 * command line. The library itself never prints and never exits.
 *
 *     litmus/classic/MP.yaml:7:5: error: unknown fence 'devise'; did you mean 'device'?
 *         7 | fences: [none, devise]
 *           |                ^~~~~~
 */
#ifndef CULITMUS_DIAG_H
#define CULITMUS_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A file that was read. Owned by the arena of the test it belongs to. */
struct source {
    const char *path; /* as the user gave it; "<string>" for text from memory */
    const char *text; /* NUL-terminated, but may also contain NUL before `len` */
    size_t len;
    /* of a text that a compiler made: where its lines come from (source_origin) */
    const char *const *origins;
    int norigins; /* `origins` covers lines 1 to this one */
    bool mapped;  /* the text is memory-mapped from the file */
};

/* A place in a source: line and column count from 1, columns in bytes; line 0 means "the file as a whole". */
struct pos {
    int line, col;
    int len; /* bytes to underline; 0 and 1 are a single caret */
};

enum severity { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };

struct message {
    enum severity severity;
    const struct source *source; /* NULL: no file is concerned */
    struct pos pos;
    char *text;
};

/* Start from `struct diag d = {0}`; end with diag_free. Sources must outlive it. After DIAG_MAX_ERRORS
 * errors further ones are counted but not kept. */
enum { DIAG_MAX_ERRORS = 100 };
struct diag {
    struct message *messages;
    size_t n, cap;
    size_t errors, warnings;
};

void diag_free(struct diag *d);
void diag_error(struct diag *d, const struct source *src, struct pos pos, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void diag_warning(struct diag *d, const struct source *src, struct pos pos, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void diag_note(struct diag *d, const struct source *src, struct pos pos, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds an error that has no place in a file: about the machine, a device, the command line. */
void diag_fail(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Gives this position to the messages from number `first` on that have none. It is the place of a file that
 * asked for what failed. */
void diag_place(struct diag *d, size_t first, const struct source *src, struct pos pos);

/* Moves the messages of `from` behind those of `d`. */
void diag_join(struct diag *d, struct diag *from);

/* Sorts the messages from number `first` on by their places in the file. Notes stay with the messages that
 * they explain. */
void diag_sort(struct diag *d, size_t first);

/* The text of the first error, even if warnings come before it; NULL when there is no error. */
const char *diag_first_error(const struct diag *d);

/* Writes all messages. Long lines are cut around the caret, tabs and control bytes made visible, so that a
 * hostile file cannot drive the terminal. */
void diag_render(const struct diag *d, FILE *out, bool color);

/* The candidate nearest to `word` in edit distance, or NULL if none is near enough to suggest. */
const char *diag_nearest(const char *word, const char *const *candidates, size_t n);

#endif
