/* The blocks of a cluster, which have ranks in the order of their threads. */
#ifndef CULITMUS_CLUSTER_H
#define CULITMUS_CLUSTER_H

#include "litmus/test.h"

/* The rank of a thread's block in its cluster, and how many blocks this has. */
int cluster_rank(const struct placement *p, int thread);
int cluster_size(const struct test *t, const struct placement *p, int thread);
/* The first thread of the block of a rank in a thread's cluster; -1: there is no such block. */
int cluster_find(const struct test *t, const struct placement *p, int thread, long long rank);
/* Why an operation cannot be done to a place in the shared memory of another block, or NULL. */
const char *cluster_problem(const struct op *op, int place);
/* Whether an operation may be of another block's shared memory. */
bool cluster_is_afar(const struct op *op);
/* The first operation that may be of another block's shared memory; NULL: there is none. */
const struct op *cluster_first_op(const struct test *t);

#endif
