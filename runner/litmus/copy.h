/* Asynchronous copies: which places and sizes they may have (PTX ISA, "cp.async", "cp.async.bulk"). */
#ifndef CULITMUS_COPY_H
#define CULITMUS_COPY_H

#include "litmus/test.h"

/* Returns why a GPU cannot make this copy in a thread of the body, as far as that is known before it runs; or
 * NULL. */
const char *copy_problem(struct arena *a, const struct test *t, const struct body *b, const struct op *op);

/* Tensor maps are locations in global memory. The value of one is the number of the array to which it leads,
 * and a copy by a tensor map reads it. */
enum { MAP_BOX = 16 }; /* bytes that a copy by a tensor map moves */

/* Returns which place of an operation is a tensor map, or -1. The index of that place is the copy's
 * coordinate in the array. */
int copy_map(const struct op *op);
/* Whether the operation is a copy by a tensor map. */
bool copy_is_by_map(const struct op *op);
/* Returns the location of a place, by which its type is known: for a tensor map, the array to which it leads
 * at first. */
const struct location *copy_data(const struct test *t, const struct op *op, int place);
/* Returns why a tensor map cannot lead to a location, or NULL. */
const char *copy_map_problem(const struct location *l);
/* Returns why a place cannot be, or must be, a tensor map in this operation; or NULL. */
const char *copy_map_misuse(struct arena *a, const struct test *t, const struct op *op, int place);
/* Whether a map may lead to a location: at first, or after it was replaced. */
bool copy_map_leads(const struct test *t, int map, int loc);

#endif
