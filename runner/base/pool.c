#include "base/pool.h"

#include "base/cores.h"

static void *work(void *arg) {
    const struct pool *p = arg;
    p->work(p->ctx);
    return NULL;
}

void pool_start(struct pool *p, int most, void (*step)(void *ctx), void *ctx) {
    int cores = cores_count(), want = most < cores ? most : cores;
    p->work = step;
    p->ctx = ctx;
    p->n = 0;
    while (p->n < want - 1 && p->n < POOL_MOST && pthread_create(&p->threads[p->n], NULL, work, p) == 0)
        p->n++;
}

void pool_join(struct pool *p) {
    p->work(p->ctx);
    while (p->n > 0)
        pthread_join(p->threads[--p->n], NULL);
}
