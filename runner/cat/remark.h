/* Remarks of a model (`flag ... as name`): what they say forbids nothing, and is asked for by name. */
#ifndef CULITMUS_REMARK_H
#define CULITMUS_REMARK_H

#include "cat/cat.h"
#include "cat/plan.h"

/* A model's definitions and its remarks `~empty ... as name`, as axioms; with or without the model's own axioms. NULL where
 * it has no such remark. Lives in the arena. */
const struct model_plan *remark_plan(struct arena *a, const struct cat_stmt *cat, const char *name,
                                     bool axioms);

/* Whether a remark has a name by which it is asked for. */
bool remark_is_asked(const struct cat_stmt *s);

#endif
