/* Loops in which threads poll together (`polls`): each gives what it has read to a vote of its warp or block,
 * whose result alone decides whether they read again.
 *
 *     while (__any_sync(~0u, flag == 0));      do v = state; while (__all_sync(m, v == 0));
 *
 * All who come to a vote get the same result, so all of them take another turn, or none does. If a turn
 * changes nothing for any of them, all can leave it out, and its vote with it: what is left is an execution
 * with the same outcome. One thread alone could not, as the others would wait for it. So a loop is such a
 * poll only if its text says all of this of every thread that may come to its votes:
 *
 * - A turn only reads, fences and meets, and sets no register that matters when the next turn begins.
 * - Every turn passes each of its meetings, and each branch that leaves the loop. Such a branch depends on
 *   nothing but results of this turn that all have in common.
 * - Those who meet run one text. From each place where they meet, only one other can be the next, except
 *   where they leave a poll together. So threads that meet are at the same place of the text. */
#ifndef CULITMUS_MODEL_POLL_H
#define CULITMUS_MODEL_POLL_H

#include "paths/code.h"

/* Finds the loops of a thread's code that are such polls, as an entry for each loop. `without`: prunings that
 * are switched off. */
const bool *poll_find(const struct test *t, const struct cell *cell, int thread, unsigned without,
                      struct arena *a);

#endif
