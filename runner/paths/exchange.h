/* What the threads of a warp or a block give each other without memory: who meets, and what comes of it. */
#ifndef CULITMUS_MODEL_EXCHANGE_H
#define CULITMUS_MODEL_EXCHANGE_H

#include "litmus/test.h"
#include "paths/sym.h"

/* The threads that meet a thread in an operation of its text, in order: those of its warp or block whose text has it,
 * and a warp's lanes. `lanes` are all of the warp, as bits. */
struct exchange_group {
    int *threads, *lane;
    int n, mine; /* the thread itself is threads[mine] */
    uint32_t lanes;
};
struct exchange_group exchange_find(const struct test *t, const struct cell *cell, int thread,
                                    const struct op *op, struct arena *a);

/* Whether all who meet get one result. A shuffle from one lane gives that, too, if the lane is there. */
bool exchange_has_one_result(const struct op *op);

/* What a thread gives, as the others take it. */
const struct sym *exchange_give(const struct op *op, const struct sym *value, struct arena *a);
/* What is taken of a lane that has exited: a value that changes no result (PTX ISA: vote.sync, match.sync, redux.sync
 * and barrier.red are operations of the threads that have not exited). False of a shuffle, whose value is then not
 * defined. */
bool exchange_absent(const struct op *op, struct value *value);

/* Whether the result needs the value of member k. */
bool exchange_needs(const struct exchange_group *g, const struct op *op, const struct sym *lane, int k);
/* The result, of the members' values; those that are not needed are NULL. */
const struct sym *exchange_result(const struct exchange_group *g, const struct op *op, const struct sym *lane,
                                  const struct sym *const *values, struct arena *a);

#endif
