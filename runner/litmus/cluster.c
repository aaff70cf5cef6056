#include "litmus/cluster.h"

/* Whether a thread is the first of its block, in a cluster. */
static bool opens_block(const struct placement *p, int thread, int cluster) {
    if (p->seats[thread].cluster != cluster) return false;
    for (int k = 0; k < thread; k++)
        if (p->seats[k].block == p->seats[thread].block) return false;
    return true;
}

static bool shares_block(const struct placement *p, int x, int y) {
    return p->seats[x].block == p->seats[y].block;
}

int cluster_rank(const struct placement *p, int thread) {
    int rank = 0;
    for (int k = 0; !shares_block(p, k, thread); k++)
        rank += opens_block(p, k, p->seats[thread].cluster);
    return rank;
}

int cluster_size(const struct test *t, const struct placement *p, int thread) {
    int size = 0;
    for (int k = 0; k < t->nthreads; k++)
        size += opens_block(p, k, p->seats[thread].cluster);
    return size;
}

int cluster_find(const struct test *t, const struct placement *p, int thread, long long rank) {
    for (int k = 0; k < t->nthreads; k++)
        if (opens_block(p, k, p->seats[thread].cluster) && rank-- == 0) return k;
    return -1;
}

const char *cluster_problem(const struct op *op, int place) {
    if (!op_kinds[op->kind].afar[place]) return "is done in the shared memory of the thread's own block only";
    if (op->blocks)
        return "to several blocks names places of the thread's own block, and the others by its mask";
    if (op->kind == OP_FETCH && !(op_rows[op->name].from >> SPACE_SHARED & 1))
        return "from global memory is into the shared memory of the thread's own block";
    if (op_rows[op->name].counts & (COUNT_OPENS | COUNT_CLOSES))
        return "is done by the block whose mbarrier it is";
    if (op->kind == OP_ARRIVE && !op->red)
        return "returns a token: at an mbarrier of another block it is of space_cluster, and returns none";
    return NULL;
}

bool cluster_is_afar(const struct op *op) {
    bool afar = op->blocks;
    for (int k = 0; k < OP_PLACES; k++)
        afar = afar || op->place[k].rank;
    return afar;
}

const struct op *cluster_first_op(const struct test *t) {
    for (int k = 1; k <= t->nops; k++)
        if (cluster_is_afar(&t->ops[k])) return &t->ops[k];
    return NULL;
}
