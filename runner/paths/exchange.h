/* Exchanges: what the threads of a warp or a block give each other without memory. Who meets, and what each
 * gets. */
#ifndef CULITMUS_MODEL_EXCHANGE_H
#define CULITMUS_MODEL_EXCHANGE_H

#include "litmus/test.h"
#include "paths/sym.h"

/* The threads that may meet a thread in an operation of its text, in order: those of its warp or block whose
 * text has such an operation; and the lane of each. `lanes` is the set of all lanes of the thread's warp. */
struct exchange_group {
    int *threads, *lane;
    int n, mine; /* the thread itself is threads[mine] */
    uint32_t lanes;
};
struct exchange_group exchange_find(const struct test *t, const struct cell *cell, int thread,
                                    const struct op *op, struct arena *a);

/* Whether all who meet get one result. A shuffle from one lane gives that, too, if the lane is there. */
bool exchange_has_one_result(const struct op *op);

/* What a thread gives, in the type in which the others take it. */
const struct sym *exchange_give(const struct op *op, const struct sym *value, struct arena *a);
/* Sets `value` to what is taken from a lane that has exited: a value that changes no result (PTX ISA:
 * vote.sync, match.sync, redux.sync and barrier.red are operations of the threads that have not exited).
 * False for a shuffle, whose value is then not defined. */
bool exchange_absent(const struct op *op, struct value *value);

/* Whether the result needs the value of member k. */
bool exchange_needs(const struct exchange_group *g, const struct op *op, const struct sym *lane, int k);
/* The result, computed from the members' values; those that are not needed are NULL. */
const struct sym *exchange_result(const struct exchange_group *g, const struct op *op, const struct sym *lane,
                                  const struct sym *const *values, struct arena *a);

#endif
