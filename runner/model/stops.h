/* What stops a thread before its end, in executions that are allowed: the bound of a loop, what faults, an access beyond an
 * array. */
#ifndef CULITMUS_STOPS_H
#define CULITMUS_STOPS_H

#include "model/model.h"
#include "search/judge.h"

/* Looks for such executions, and says in the result whether a loop is cut off, and what faults: "T0 traps in line 8". False
 * and an error where an array is left. What it says is all there is only if the judge's budget is not spent then. */
bool stops_find(struct judge *j, struct arena *a, struct model_result *out);

#endif
