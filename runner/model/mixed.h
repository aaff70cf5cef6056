/* Races between accesses that share bytes without being of the same bytes: where one can happen, the PTX model promises
 * nothing (PTX ISA, "Mixed-size Data-races") but that atomic operations are atomic ("Atomicity of mixed-size RMW
 * operations"). */
#ifndef CULITMUS_MIXED_H
#define CULITMUS_MIXED_H

#include "litmus/histogram.h"
#include "search/judge.h"

/* The plan of a model that promises only that atomic operations are atomic. Lives in the arena. */
const struct model_plan *mixed_plan(struct arena *a);

/* Whether a model's remark called undefined is true of some allowed execution: `flag ~empty ... as undefined`. The plan has it
 * beside the model's axioms (remark_plan); NULL: there is none. The judge is open; its leaf, wanted, ctx and twins are changed. */
bool mixed_race(struct judge *j, const struct model_plan *undefined);

/* The same of its remark called fault, in a test that has mbarriers; of the one called closed, in a test that ends the life of
 * one; and of the one called gone, in a test that accesses the shared memory of other blocks. */
bool mixed_fault(struct judge *j, const struct model_plan *fault);
bool mixed_closed(struct judge *j, const struct model_plan *closed);
bool mixed_gone(struct judge *j, const struct model_plan *gone);

/* Adds the outcomes that mixed_plan, `atomics`, allows. False where what is observed depends on more than
 * atomic operations, or the outcomes are too many. The judge is open, and changed as above. */
bool mixed_outcomes(struct judge *j, const struct model_plan *atomics, struct histogram *outcomes);

#endif
