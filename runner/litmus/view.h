/* Views: locations whose bytes are those of another one, so that accesses of several sizes overlap. */
#ifndef CULITMUS_VIEW_H
#define CULITMUS_VIEW_H

#include "litmus/test.h"

enum { VIEW_MAX_BYTES = 16 };

/* Makes location `view`, whose type, count and `at` are set, a view of location `of`: its space, its GPU, and into how
 * many parts the bytes of both fall. Returns what is wrong with it, or NULL. */
const char *view_resolve(struct arena *a, struct test *t, int view, int of);

/* Says that accesses of several sizes share the bytes of a location, or accesses of several elements. */
void view_share(struct test *t, int of);

/* Whether a location's address is no multiple of its size, so that every access to it is a fault. */
bool view_is_misaligned(const struct location *l);

/* The view of one element of a vector: "v.x". It is made when it is first asked for, and lives as long as the test. */
int view_of_lane(struct arena *a, struct test *t, int loc, int lane);

/* The same of a member of a struct, by its name. */
int view_of_member(struct arena *a, struct test *t, int loc, const char *name, struct type type, int at);

/* The same of the bytes from `at` on of each element as another type; the location itself where it is of this type. */
int view_of_bytes(struct arena *a, struct test *t, int loc, struct type type, int at);

/* The same of an element as another scalar type of its size; -1: the types differ in more than what the bits mean. */
int view_as(struct arena *a, struct test *t, int loc, struct type type);

/* A location as the parts that others may share: a vector of them, or its own type where nothing is shared. And where
 * part number `part` of an element lies: part number *lane of element *element of the root. */
struct type view_parts(const struct test *t, int loc);
void view_part(const struct test *t, int loc, int part, int *element, int *lane);

#endif
