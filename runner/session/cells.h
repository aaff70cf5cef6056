/* Which cells of a test the user asks for. */
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

/* What is asked for on each axis. An empty list means everything that the test has. */
struct cell_choices {
    struct choices fences, placements, accesses;
};

/* Returns the cells of a test that are chosen, in the order placement, access, fence. If the backend plays
 * only one placement, that one replaces all (`b` NULL: they stay). A choice that the test does not have gives
 * no cells. A cell that is chosen twice is returned once. */
struct cell *cells_chosen(struct arena *a, const struct test *t, const struct cell_choices *c,
                          const struct backend *b, int *n);

/* Keeps the first cell of each placement and access. Returns how many are left. */
int cells_drop_fences(struct cell *cells, int n);

/* A choice that fits no test. */
struct cells_misfit {
    const char *axis, *choice, *why; /* "fence", the word, what is wrong with it */
};
/* Looks for a choice that fits no test; without a suite, for a word that means nothing in any test. Returns
 * false when each choice fits some test. The fences of a test whose source is not compiled are not known, so
 * each choice fits it. */
bool cells_misfit(struct arena *a, const struct suite *s, const struct cell_choices *c,
                  struct cells_misfit *out);

#endif
