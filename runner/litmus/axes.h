/* Makes the axes of a test from words and layouts. The readers share this. */
#ifndef CULITMUS_AXES_H
#define CULITMUS_AXES_H

#include "litmus/test.h"

/* The placements of a test that names none: those of `block` and `device` that its locations and barriers allow. */
void placement_defaults(struct test *t, struct arena *a, struct pos pos, struct diag *d);
/* The placement that has these seats, with the layout as its name. Complains where the test cannot have it. */
const struct placement *placement_of_seats(const struct test *t, struct arena *a, const struct seat *seats,
                                           struct pos pos, struct diag *d);

/* Complains about the first mask that leaves out the lane of its thread. */
bool placement_check_masks(const struct test *t, const struct placement *p, struct diag *d);

/* The columns of a test that names none. */
void fence_defaults(struct test *t, struct arena *a);
/* Complains about a word that is no fence in a choice of them, whatever test it is for. */
bool fence_check_words(struct arena *a, const char *text, struct diag *d);
/* Reads one, as fence_parse() does, of a test whose choices are not all known yet. Makes room for a choice whose slots have several fences, "acquire.block+release.device"; and behind each operation of a
 * slot puts those of the other fences that the test's choices have there, when all are known. */
const struct fence_choice *fence_read(const struct test *t, struct arena *a, const char *text, struct pos pos,
                                      struct diag *d);
void fence_reserve(struct test *t, const char *text, struct pos pos, struct diag *d);
void fence_add(struct test *t, struct arena *a);

#endif
