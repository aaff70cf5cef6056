#include "cuda/barriers.h"

/* The reason if not all threads that share a barrier pass it equally often, or NULL. */
static const char *uneven_barriers(const struct test *t, const struct placement *p) {
    for (int i = 0; i < t->nthreads; i++) {
        for (int kind = BARRIER_WARP; kind <= BARRIER_CLUSTER; kind++) {
            int n = gen_barriers(t->threads[i].body, (enum barrier_kind)kind);
            if (n < 0) return "an execution barrier is passed on some paths only";
            for (int j = 0; j < i; j++) {
                const struct seat *a = &p->seats[i], *b = &p->seats[j];
                bool together = kind == BARRIER_WARP  ? a->warp == b->warp
                                : kind == BARRIER_CTA ? a->block == b->block
                                                      : a->cluster == b->cluster;
                if (together && n != gen_barriers(t->threads[j].body, (enum barrier_kind)kind))
                    return "threads that share a barrier do not pass it equally often";
            }
        }
    }
    return NULL;
}

/* Collects the ids of block barriers as bits. False if not all threads of the block pass each equally often. */
static bool plain_barriers(const struct test *t, unsigned *ids) {
    for (int k = 1; k <= t->nops; k++) {
        const struct op *op = &t->ops[k];
        if (op->kind != OP_BARRIER) continue;
        if (op->barrier == BARRIER_CTA) *ids |= 1u << op->barrier_id;
        if (op->barrier_threads != 0 || op->arrive_only) return false;
    }
    return true;
}

/* Lanes exchange values in one instruction, so they run one text; a block's reduction is of one instance. */
static const char *unfit_exchange(const struct test *t, const struct placement *p) {
    for (int k = 1; k <= t->nops; k++) {
        if (t->ops[k].kind != OP_EXCHANGE) continue;
        if (t->ops[k].barrier == BARRIER_CTA)
            return "a reduction at a block's barrier is judged by the model, and run on the CPU";
        for (int i = 0; i < t->nthreads; i++)
            for (int j = 0; j < t->nthreads; j++)
                if (t->threads[i].body == t->ops[k].body && t->threads[j].body != t->ops[k].body &&
                    p->seats[i].warp == p->seats[j].warp && !p->seats[i].host)
                    return "lanes of one warp that exchange values run different texts: a GPU wants the same "
                           "instruction of them";
    }
    return NULL;
}

/* Whether some places in a block are taken by no thread of the test. There the harness's threads pass only barrier 0,
 * and the cluster's barrier behind it. (Beside CPU threads there may always be such places.) */
static bool has_idle_threads(const struct placement *p, int nthreads, const struct seating *s) {
    if (32 % s->lanes != 0) return true;
    for (int k = 0; k < nthreads; k++) {
        int together = 0;
        for (int j = 0; j < nthreads; j++)
            together += p->seats[j].block == p->seats[k].block;
        if (together != s->warps * s->lanes) return true;
    }
    return false;
}

/* Whether threads pass barriers of their block and barriers of their cluster. */
static bool has_both(const struct test *t) {
    bool block = false, cluster = false;
    for (int b = 0; b < t->nbodies; b++) {
        block = block || gen_barriers(&t->bodies[b], BARRIER_CTA) != 0;
        cluster = cluster || gen_barriers(&t->bodies[b], BARRIER_CLUSTER) != 0;
    }
    return block && cluster;
}

const char *barriers_unfit(const struct test *t, const struct placement *p, const struct seating *s) {
    unsigned ids = 0;
    if (!plain_barriers(t, &ids))
        return "a barrier with a thread count, or bar.arrive, is judged by the model only";
    if (ids & (ids - 1)) return "barriers with different ids are judged by the model only";
    if (ids > 1 && (p->nhost > 0 || has_idle_threads(p, t->nthreads, s)))
        return "a barrier with an id in a block of unequal warps is judged by the model only";
    if (has_both(t) && has_idle_threads(p, t->nthreads, s))
        return "barriers of a block and of its cluster, in a block of unequal warps, are judged by the model "
               "only";
    const char *exchange = unfit_exchange(t, p);
    if (exchange) return exchange;
    return gen_shape(t).barriers ? uneven_barriers(t, p) : NULL;
}
