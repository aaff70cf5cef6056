/* How the threads of an instance meet at the barriers of their blocks and clusters on a GPU.
 *
 * Plain: all threads of a block pass its barriers equally often, and those of all its instances meet there at once; it
 * has no counts. Allotted: the instances that share warps have barriers of their own, one for each id and one for their
 * end, which are met by a known number of warps. As PTX counts warps, every lane of a warp passes the same barriers:
 * where no thread of the test sits in one, a companion does (litmus/company.h).
 *
 * Leaving: all instances of a block meet at its one barrier, as often as each thread comes; who has ended comes again and
 * again until all have (leave() in kernels/cuda_harness.cuh).
 *
 * A barrier has no time limit. So what is played is known to end: each barrier is opened by all warps that pass it, which
 * are as many as it counts, and no warp comes to it again before the others have left. */
#ifndef CULITMUS_GEN_MEETING_H
#define CULITMUS_GEN_MEETING_H

#include "gen/gen.h"
#include "gen/passes.h"

enum { MEETING_IDS = 14, MEETING_MAX_SEATS = 4096 };

/* A lane that no thread of the test sits in. */
struct companion {
    int gpu, block, warp, lane; /* as in struct seating */
    int like;                   /* a thread of its warp, whose barriers it passes, */
    bool alone;                 /* or of its block, where its warp has none: only those of the cluster */
    bool joins; /* it runs that thread's text, which reduces: all lanes of a warp do that in one instruction */
};

struct meeting {
    bool allotted;
    bool leaves; /* threads pass the one barrier of their block unequally often, and one that has ended holds up nobody */
    const char *unfit;     /* why a GPU cannot play it, or NULL; static text */
    int nids, ids[16];     /* allotted: those of all barriers, in order */
    int *threads;          /* of the operation of each number: how many come to its barrier, 32 a warp */
    struct passes *passes; /* one a thread */
    struct companion *companions; /* those of one text side by side */
    int ncompanions;
};

struct meeting meeting_of(struct arena *a, const struct test *t, const struct placement *p,
                          const struct seating *s);

/* Whether two companions pass the same barriers. */
bool meeting_same_text(const struct meeting *m, int a, int b);

/* Whether each instance has barriers of its own. */
bool meeting_allots(const struct test *t, const struct placement *p, const struct seating *s);

#endif
