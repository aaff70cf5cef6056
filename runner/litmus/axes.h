/* Makes the axes of a test from words and layouts. All readers of tests use this. */
#ifndef CULITMUS_AXES_H
#define CULITMUS_AXES_H

#include "litmus/test.h"

/* Gives the test its default placements: `block` and `device`, if its locations and barriers allow them. */
void placement_defaults(struct test *t, struct arena *a, struct pos pos, struct diag *d);
/* Returns the placement with these seats, named by its layout. Leaves an error if the test cannot be placed
 * so. */
const struct placement *placement_of_seats(const struct test *t, struct arena *a, const struct seat *seats,
                                           struct pos pos, struct diag *d);

/* Leaves an error about the first mask that lacks the lane of its own thread, and returns false. */
bool placement_check_masks(const struct test *t, const struct placement *p, struct diag *d);

/* Gives the test the default fence choices: none, block, device, system. */
void fence_defaults(struct test *t, struct arena *a);
/* Checks that a choice of fences has only words that are fences, in whatever test. Leaves an error and
 * returns false otherwise. */
bool fence_check_words(struct arena *a, const char *text, struct diag *d);
/* Reads a choice of fences as fence_parse() does, for a test whose choices are not all known yet. Makes room
 * for a choice with several fences in a slot, "acquire.block+release.device". When all choices are known,
 * adds behind each operation of a slot the operations of the other fences that some choice has there. */
const struct fence_choice *fence_read(const struct test *t, struct arena *a, const char *text, struct pos pos,
                                      struct diag *d);
void fence_reserve(struct test *t, const char *text, struct pos pos, struct diag *d);
void fence_add(struct test *t, struct arena *a);

#endif
