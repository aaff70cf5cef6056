/* The parameters of a backend: those in its table of ranges, which ends with {0}. */
#ifndef CULITMUS_RANGE_H
#define CULITMUS_RANGE_H

#include "exec/backend.h"

/* NULL when no parameter has the name. */
const struct parameter_range *range_find(const struct parameter_range *ranges, const char *name);
int range_low(const struct parameter_range *r);
int range_high(const struct parameter_range *r);

/* The same parameters with the same values, in the same order. */
bool environment_same(const struct environment_choice *a, const struct environment_choice *b);

#endif
