/* Races between accesses that share bytes without being of the same bytes: where one can happen, the PTX model promises
 * nothing at all (PTX ISA, "Mixed-size Data-races"). */
#ifndef CULITMUS_MIXED_H
#define CULITMUS_MIXED_H

#include "model/judge.h"

/* Whether the model has a remark called undefined that is true of some allowed execution: `flag ~empty ... as undefined`.
 * The judge is open; its leaf, wanted, ctx and twins are changed. */
bool mixed_race(struct judge *j);

#endif
