/* Which cells of a test are asked for. */
#ifndef CULITMUS_CELLS_H
#define CULITMUS_CELLS_H

#include "litmus/test.h"
#include "run/backend.h"
#include "session/suite.h"

enum { MAX_CHOICES = 64 };

/* Words that were given one by one or as a list. */
struct choices {
    const char *item[MAX_CHOICES];
    int n;
};

/* What is asked for of each axis; nothing: all that the test has. */
struct cell_choices {
    struct choices fences, placements, accesses;
};

/* The cells of a test that are chosen, in the order placement, access, fence. If the backend has only one placement,
 * the placements become that one (`b` NULL: they stay). A choice that this test does not have gives no cells. What is
 * chosen twice gives one cell. */
struct cell *cells_chosen(struct arena *a, const struct test *t, const struct cell_choices *c,
                          const struct backend *b, int *n);

/* Keeps the first cell of each placement and access, so that no two differ in the fence alone. Returns how many are
 * left. */
int cells_drop_fences(struct cell *cells, int n);

/* A choice that no test has. */
struct cells_misfit {
    const char *axis, *choice, *why; /* "fence", the word, what is wrong with it */
};
/* Looks for one; without a suite, for a word that means nothing in any test. False: each choice fits some test. What the
 * fences of a test are whose source is not compiled, nobody knows: each may fit. */
bool cells_misfit(struct arena *a, const struct suite *s, const struct cell_choices *c,
                  struct cells_misfit *out);

#endif
