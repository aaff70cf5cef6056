/* Reads of what nobody has written, where memory begins as unknown: the shared memory of whole kernels.
 *
 * The model lets such memory begin as zero, which it may be: what is allowed then is allowed. That no
 * execution gives an outcome is known only if none reads such memory before it is written, and none ends with
 * it unwritten in a location that the condition names. */
#ifndef CULITMUS_UNWRITTEN_H
#define CULITMUS_UNWRITTEN_H

#include "search/judge.h"

/* Whether a test has such memory. */
bool unwritten_is_possible(const struct test *t);

/* Looks for an execution that does so. The judge was just opened. False and an error where there is one. True
 * says that there is none only if the judge's budget is not spent. */
bool unwritten_check(struct judge *j);

#endif
