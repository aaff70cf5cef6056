/* Tests, as files and texts have them. */
#ifndef CULITMUS_READ_TEST_H
#define CULITMUS_READ_TEST_H

#include "litmus/test.h"

/* Reads a test from a file (.yaml, .yml, .litmus). NULL when anything is wrong; `d` then has at least one error. */
struct test *test_read(struct arena *a, const char *path, struct diag *d);
/* The same from memory; `path` names it in messages and its ending chooses the reader. `text` is copied. */
struct test *test_read_text(struct arena *a, const char *path, const char *text, size_t len, struct diag *d);

#endif
