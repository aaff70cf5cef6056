/* The same question as in solve.h where few bits of the reads matter: all values are tried. */
#ifndef CULITMUS_EXHAUST_H
#define CULITMUS_EXHAUST_H

#include "paths/solve.h"

/* Whether there are such values, or too many to be tried, which is then undecided. The reads that guards say are a number are known. If there are, those
 * of the first run are set. */
bool exhaust_may(struct solve *s);

#endif
