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

/* Starts threads on the other cores, which call work(ctx). With the call that pool_join makes there are at
 * most `most` calls. */
void pool_start(struct pool *p, int most, void (*work)(void *ctx), void *ctx);
/* Calls work(ctx) on this thread, too, and returns when all threads are done. */
void pool_join(struct pool *p);

/* Calls step(ctx, first, count) on all cores until 0 .. n - 1 are covered. Each call takes `together`
 * numbers, the last one perhaps fewer. */
void pool_each(int n, int together, void (*step)(void *ctx, int first, int count), void *ctx);

#endif
