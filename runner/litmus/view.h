/* Views: locations whose bytes are those of another one, so that accesses of several sizes overlap. */
#ifndef CULITMUS_VIEW_H
#define CULITMUS_VIEW_H

#include "litmus/test.h"

enum { VIEW_MAX_BYTES = 16 };

/* Makes location `view`, whose type, count and `at` are set, a view of location `of`: gives it the space and
 * the GPU of `of`, and sets the size of the parts (`grain`) of both. Returns what is wrong with it, or NULL. */
const char *view_resolve(struct arena *a, struct test *t, int view, int of);

/* Sets the size of the parts (`grain`) of location `of` and of all its views: that of the smallest access. Called
 * when accesses of several sizes share the bytes of `of`, or when one access takes several elements. */
void view_share(struct test *t, int of);

/* Whether a location's address is not a multiple of its size, so that every access to it is a fault. */
bool view_is_misaligned(const struct location *l);

/* Returns the view of one lane of a vector location: "v.x". The first call makes it; it lives as long as the
 * test. The same holds for the next three functions. */
int view_of_lane(struct arena *a, struct test *t, int loc, int lane);

/* Returns the view of a member of a struct, which has this name and type and begins at byte `at`. */
int view_of_member(struct arena *a, struct test *t, int loc, const char *name, struct type type, int at);

/* Returns the view of the bytes from `at` on of each element as another type; the location itself if it has
 * this type. */
int view_of_bytes(struct arena *a, struct test *t, int loc, struct type type, int at);

/* Returns the view of a scalar location as another scalar type of the same size; -1: the sizes differ, or a
 * type is a vector or has more than 64 bits. */
int view_as(struct arena *a, struct test *t, int loc, struct type type);

/* Returns an element of a location as a vector of the parts that it shares with others: a uint64_t of grain 4
 * has two lanes of 32 bits. If it shares none, that is its own type. */
struct type view_parts(const struct test *t, int loc);
/* Finds part number `part` of element number *element of a location: it is part number *lane of element number
 * *element of the root. Writes *lane and changes *element. */
void view_part(const struct test *t, int loc, int part, int *element, int *lane);

#endif
