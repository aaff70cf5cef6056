/* How the threads of an instance meet at the barriers of their blocks and clusters on a GPU. There are three
 * ways to play a cell:
 *
 * Plain: every thread of a block passes its barriers equally often, and no barrier has a thread count. The
 * threads of all instances in a block meet at its barriers together.
 *
 * Allotted: instances in the same warps have hardware barriers of their own, one for each barrier id of the
 * test and one for the end of an instance. Each is met by a known number of warps. PTX counts arrivals at a
 * barrier in warps, so every lane of a warp passes the same barriers: in a lane where no thread of the test
 * sits, a companion passes them (litmus/company.h).
 *
 * Leaving: threads pass the one barrier of their block unequally often, and all instances of the block share
 * it. A thread that has ended comes to it again and again until all have ended (leave() in
 * kernels/cuda_harness.cuh).
 *
 * A barrier has no time limit. So a cell is played only if it is known to end: each barrier opens when
 * exactly those warps have arrived that pass it, and no warp arrives again before the others have left. */
#ifndef CULITMUS_GEN_MEETING_H
#define CULITMUS_GEN_MEETING_H

#include "gen/gen.h"
#include "gen/passes.h"

enum { MEETING_IDS = 14, MEETING_MAX_SEATS = 4096 };

/* What passes barriers in a lane where no thread of the test sits. */
struct companion {
    int gpu, block, warp, lane; /* as in struct seating */
    int like;   /* a thread whose barriers it passes: of its warp, or if `alone` of its block */
    bool alone; /* no thread of the test sits in its warp: it passes the barriers of the cluster only */
    bool
        /* it runs the body of thread `like`, which reduces at a barrier: all lanes of a warp must do that in
         * one instruction */
        joins;
};

struct meeting {
    bool allotted;
    bool leaves;       /* played by leaving */
    const char *unfit; /* why a GPU cannot play the cell, or NULL; static text */
    int nids, ids[16]; /* allotted: the ids of all barriers */
    int *threads;      /* allotted, by operation number: the thread count of its barrier, 32 for each warp */
    struct passes *passes;        /* of each thread */
    struct companion *companions; /* those that run the same text are side by side */
    int ncompanions;
};

struct meeting meeting_of(struct arena *a, const struct test *t, const struct placement *p,
                          const struct seating *s);

/* Whether two companions run the same text: they pass the same barriers in the same way. */
bool meeting_same_text(const struct meeting *m, int a, int b);

/* Whether the cell is played with allotted barriers. */
bool meeting_allots(const struct test *t, const struct placement *p, const struct seating *s);

#endif
