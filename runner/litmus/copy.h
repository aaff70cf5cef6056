/* Asynchronous copies: what their places and their size must be (PTX ISA, "cp.async", "cp.async.bulk"). */
#ifndef CULITMUS_COPY_H
#define CULITMUS_COPY_H

#include "litmus/test.h"

/* Why a GPU has no such copy, by a thread of a body, as far as that is known before it runs; or NULL. */
const char *copy_problem(struct arena *a, const struct test *t, const struct body *b, const struct op *op);

/* Tensor maps: locations in global memory whose value is the number of the array to which they lead. A copy that uses one reads
 * it. */
enum { MAP_BOX = 16 }; /* bytes that such a copy moves */

/* Which place of an operation is a tensor map, or -1. A tensor copy has the coordinate in the array as its index there. */
int copy_map(const struct op *op);
/* Whether it is a copy by a tensor map. */
bool copy_is_by_map(const struct op *op);
/* The location in which a place is, as far as its type goes: of a tensor map, the array to which it leads at first. */
const struct location *copy_data(const struct test *t, const struct op *op, int place);
/* Why a location is no array to which a tensor map leads, or NULL. */
const char *copy_map_problem(const struct location *l);
/* Why a place of an operation cannot be what it is, as only some operations are of tensor maps; or NULL. */
const char *copy_map_misuse(struct arena *a, const struct test *t, const struct op *op, int place);
/* Whether a map may lead to a location: at first, or when it was replaced. */
bool copy_map_leads(const struct test *t, int map, int loc);

#endif
