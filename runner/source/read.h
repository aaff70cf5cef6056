/* Reads tests from files and texts. */
#ifndef CULITMUS_READ_TEST_H
#define CULITMUS_READ_TEST_H

#include "litmus/test.h"

/* Reads a test from a file (.yaml, .yml, .litmus). Returns NULL, and leaves at least one error in `d`, when
 * anything is wrong. */
struct test *test_read(struct arena *a, const char *path, struct diag *d);
/* The same from memory. `path` names it in messages, and its ending chooses the reader. `text` is copied. */
struct test *test_read_text(struct arena *a, const char *path, const char *text, size_t len, struct diag *d);
/* The same without compiling kernels: a test with a source has only what it says itself, and is `uncompiled`.
 * `text` is read instead of the file; NULL: the file. */
struct test *test_peek(struct arena *a, const char *path, const struct source *text, struct diag *d);

#endif
