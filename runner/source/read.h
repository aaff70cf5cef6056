/* Tests, as files and texts have them. */
#ifndef CULITMUS_READ_TEST_H
#define CULITMUS_READ_TEST_H

#include "litmus/test.h"

/* Reads a test from a file (.yaml, .yml, .litmus). NULL when anything is wrong; `d` then has at least one error. */
struct test *test_read(struct arena *a, const char *path, struct diag *d);
/* The same from memory; `path` names it in messages and its ending chooses the reader. `text` is copied. */
struct test *test_read_text(struct arena *a, const char *path, const char *text, size_t len, struct diag *d);
/* The same, but no kernel is compiled: a test with a source has what it says itself, and is `uncompiled`. `text`: what is
 * read in place of the file, or NULL. */
struct test *test_peek(struct arena *a, const char *path, const struct source *text, struct diag *d);

#endif
