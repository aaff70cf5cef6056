/* Questions about the executions of a cell whose outcomes are too many to list. A branch of the search ends
 * as soon as no candidate behind it can be an answer. */
#ifndef CULITMUS_ANSWER_H
#define CULITMUS_ANSWER_H

#include "litmus/histogram.h"
#include "search/judge.h"

/* Whether some execution makes the proposition true (`what`) or false; adds its outcome. The judge is open; its leaf, wanted,
 * ctx and twins are changed. False also where the budget was spent. */
bool answer_condition(struct judge *j, bool what, struct histogram *outcomes);

/* Whether some execution gives these values, one an observable. */
bool answer_outcome(struct judge *j, const struct value *values);

#endif
