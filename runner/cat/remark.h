/* Remarks of a model (`flag ... as name`): they forbid nothing, and the tool asks for some by their names. */
#ifndef CULITMUS_REMARK_H
#define CULITMUS_REMARK_H

#include "cat/cat.h"
#include "cat/plan.h"

/* The plan of a model in which its remarks `flag ~empty ... as name` are axioms: it allows the executions of
 * which the remark is true. `axioms`: the model's own axioms are in it, too. NULL where there is no such
 * remark. Lives in the arena. */
const struct model_plan *remark_plan(struct arena *a, const struct cat_stmt *cat, const char *name,
                                     bool axioms);

/* Whether the tool asks for a remark of this name: race, undefined, fault, closed or gone. */
bool remark_is_asked(const struct cat_stmt *s);

#endif
