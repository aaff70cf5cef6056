#include "base/pool.h"

#include <stdatomic.h>

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

struct pool_share {
    atomic_int next;
    int n, together;
    void (*step)(void *ctx, int first, int count);
    void *ctx;
};

static void take_shares(void *ctx) {
    struct pool_share *s = ctx;
    for (int first; (first = atomic_fetch_add(&s->next, s->together)) < s->n;) {
        int left = s->n - first;
        s->step(s->ctx, first, left < s->together ? left : s->together);
    }
}

void pool_each(int n, int together, void (*step)(void *ctx, int first, int count), void *ctx) {
    struct pool_share share = {.n = n, .together = together, .step = step, .ctx = ctx};
    struct pool pool;
    pool_start(&pool, (n + together - 1) / together, take_shares, &share);
    pool_join(&pool);
}
