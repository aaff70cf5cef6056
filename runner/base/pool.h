/* Threads on all cores that do one piece of work together. */
#ifndef CULITMUS_POOL_H
#define CULITMUS_POOL_H

#include <pthread.h>

enum { POOL_MOST = 64 };

struct pool {
    void (*work)(void *ctx); /* takes pieces until none is left */
    void *ctx;
    pthread_t threads[POOL_MOST];
    int n;
};

/* Calls work(ctx) on the other cores; `most`: how many calls can have something to do, with that of pool_join. */
void pool_start(struct pool *p, int most, void (*work)(void *ctx), void *ctx);
/* Calls work(ctx) here, too, and returns when all is done. */
void pool_join(struct pool *p);

/* Calls step(ctx, first, count) for all of 0 .. n - 1, on all cores, `together` of them at a time. */
void pool_each(int n, int together, void (*step)(void *ctx, int first, int count), void *ctx);

#endif
