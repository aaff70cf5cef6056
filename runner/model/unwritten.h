/* Reads of what nobody has written, where memory begins as unknown: the shared memory of whole kernels.
 *
 * The model takes what such memory holds at first for zero, which it may be: what is allowed then is allowed. That no
 * execution gives an outcome is known only if none reads such memory, or ends with it where the condition names it. */
#ifndef CULITMUS_UNWRITTEN_H
#define CULITMUS_UNWRITTEN_H

#include "search/judge.h"

/* Whether a test has such memory. */
bool unwritten_is_possible(const struct test *t);

/* Looks for an execution that does, in a judge that was opened and asked nothing. False and an error where there is one. That
 * there is none is known only if the judge's budget is not spent then. */
bool unwritten_check(struct judge *j);

#endif
