/* The seats of a placement as the numbers that a harness needs. */
#include "gen/meeting.h"

static void raise_to(int *most, int n) {
    if (n > *most) *most = n;
}

/* Returns the number of thread k's block on its GPU: that of an earlier thread of the same block, else the
 * next free one. */
static int block_on_gpu(const struct placement *p, const int *block, int k) {
    int next = 0;
    for (int j = 0; j < k; j++) {
        if (p->seats[j].host || p->seats[j].gpu != p->seats[k].gpu) continue;
        if (p->seats[j].block == p->seats[k].block) return block[j];
        raise_to(&next, block[j] + 1);
    }
    return next;
}

static int warp_in_block(const struct placement *p, const int *warp, int k) {
    int next = 0;
    for (int j = 0; j < k; j++) {
        if (p->seats[j].host || p->seats[j].block != p->seats[k].block) continue;
        if (p->seats[j].warp == p->seats[k].warp) return warp[j];
        raise_to(&next, warp[j] + 1);
    }
    return next;
}

static int lane_in_warp(const struct placement *p, int k) {
    int lane = 0;
    for (int j = 0; j < k; j++)
        lane += !p->seats[j].host && p->seats[j].warp == p->seats[k].warp;
    return lane;
}

/* At each step a thread on GPU g, in block b, in warp w plays role (step + G g + B b + W w) mod n. Finds G, B
 * and W with which all n roles of an instance are played at the same step: k = G g + B b + W w mod n for the
 * seat of each role k. All are 0 if there are none. */
static void align(struct seating *r, int n) {
    int limit = n <= 8 ? n : 0;
    for (int i = limit * limit * limit - 1; i >= 0; i--) {
        int gpu = i / (limit * limit), block = i / limit % limit, warp = i % limit;
        bool aligned = true;
        for (int k = 0; k < n; k++)
            aligned = aligned && (k - gpu * r->gpu[k] - block * r->block[k] - warp * r->warp[k]) % n == 0;
        if (!aligned) continue;
        r->align_gpu = gpu;
        r->align_block = block;
        r->align_warp = warp;
    }
}

/* With allotted barriers every lane of a warp has a seat, of a thread or a companion. Instances are aligned
 * to a power of two of lanes; one that reduces at a barrier takes all 32. */
static void suit_barriers(const struct test *t, struct seating *s) {
    while ((s->lanes & (s->lanes - 1)) != 0)
        s->lanes++;
    for (int k = 1; k <= t->nops; k++)
        if (t->ops[k].kind == OP_EXCHANGE && t->ops[k].barrier == BARRIER_CTA) s->lanes = 32;
}

struct seating gen_seating(struct arena *a, const struct test *t, const struct placement *p) {
    size_t n = (size_t)t->nthreads;
    struct seating s = {.host = arena_array(a, n, sizeof(int)),
                        .gpu = arena_array(a, n, sizeof(int)),
                        .block = arena_array(a, n, sizeof(int)),
                        .warp = arena_array(a, n, sizeof(int)),
                        .lane = arena_array(a, n, sizeof(int)),
                        .gpus = 1};
    for (int k = 0; k < t->nthreads; k++) {
        s.host[k] = p->seats[k].host;
        if (s.host[k]) continue;
        s.gpu[k] = p->seats[k].gpu;
        s.block[k] = block_on_gpu(p, s.block, k);
        s.warp[k] = warp_in_block(p, s.warp, k);
        s.lane[k] = lane_in_warp(p, k);
        raise_to(&s.gpus, s.gpu[k] + 1);
        raise_to(&s.blocks, s.block[k] + 1);
        raise_to(&s.warps, s.warp[k] + 1);
        raise_to(&s.lanes, s.lane[k] + 1);
    }
    for (int l = 0; l < t->nlocs; l++)
        raise_to(&s.gpus, t->locs[l].gpu + 1);
    while (gen_shape(t).exchanges && (s.lanes & (s.lanes - 1)) != 0)
        s.lanes++; /* shuffles stay among a power of two */
    if (meeting_allots(t, p, &s)) suit_barriers(t, &s);
    align(&s, t->nthreads);
    return s;
}
