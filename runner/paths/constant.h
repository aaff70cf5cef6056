/* Reads of locations that no operation of the test writes: what they return is known. */
#ifndef CULITMUS_CONSTANT_H
#define CULITMUS_CONSTANT_H

#include "paths/circuit.h"
#include "paths/unfold.h"

/* For each path of a thread, the reads of such locations, and their values. */
struct circuit_reads *constant_find(const struct test *t, const struct unfolding *u, struct arena *a);

#endif
