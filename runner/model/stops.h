/* What stops a thread before its end in some allowed execution: the unroll bound, a fault, or an access
 * beyond an array. */
#ifndef CULITMUS_STOPS_H
#define CULITMUS_STOPS_H

#include "model/model.h"
#include "search/judge.h"

/* Looks for such executions. Sets out->bounded and out->fault ("T0 traps in line 8"). False and an error
 * where an access is beyond an array. That there is nothing else is known only if the judge's budget is not
 * spent. */
bool stops_find(struct judge *j, struct arena *a, struct model_result *out);

#endif
