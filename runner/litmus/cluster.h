/* The blocks of a cluster, which have ranks in the order of their threads. */
#ifndef CULITMUS_CLUSTER_H
#define CULITMUS_CLUSTER_H

#include "litmus/test.h"

/* Returns the rank of a thread's block in its cluster, and the number of blocks in the cluster. */
int cluster_rank(const struct placement *p, int thread);
int cluster_size(const struct test *t, const struct placement *p, int thread);
/* Returns the first thread of the block with this rank in a thread's cluster; -1: there is no such block. */
int cluster_find(const struct test *t, const struct placement *p, int thread, long long rank);
/* Returns why a place of an operation cannot be in the shared memory of another block, or NULL. */
const char *cluster_problem(const struct op *op, int place);
/* Whether some place of an operation may be in the shared memory of another block. */
bool cluster_is_afar(const struct op *op);
/* Returns the first operation for which that is so; NULL: there is none. */
const struct op *cluster_first_op(const struct test *t);

#endif
