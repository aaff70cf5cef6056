/* Reasons why a device or the harness cannot run a cell. Nothing here asks the driver. */
#include <stdlib.h>
#include <string.h>

#include "cpu/cpu_compile.h"
#include "cuda/barriers.h"
#include "cuda/cuda_kernel.h"

/* Returns the first location that the thread uses and that is not in the host's memory, or -1. */
static int beyond_host(const struct test *t, const struct thread *thread) {
    for (int k = 1; k <= t->nops; k++) {
        const struct op *op = &t->ops[k];
        if (op->body == thread->body && op->place[0].loc >= 0 &&
            !space_rows[t->locs[op->place[0].loc].space].of_host)
            return op->place[0].loc;
    }
    return -1;
}

/* Returns a location on which a GPU's thread uses atomics and to which a CPU thread writes, or -1. */
static int mixed_atomics(const struct test *t, const struct placement *p, struct arena *a) {
    bool *atomic = arena_array(a, (size_t)t->nlocs, sizeof *atomic);
    bool *changed = arena_array(a, (size_t)t->nlocs, sizeof *changed);
    for (int i = 0; i < t->nthreads; i++)
        for (int k = 1; k <= t->nops; k++) {
            const struct op *op = &t->ops[k];
            if (op->body != t->threads[i].body || !(op_kinds[op->kind].touches[0] & TOUCH_WRITES)) continue;
            if (p->seats[i].host)
                changed[op->place[0].loc] = true;
            else if (op->kind == OP_RMW)
                atomic[op->place[0].loc] = true;
        }
    for (int l = 0; l < t->nlocs; l++)
        if (atomic[l] && changed[l]) return l;
    return -1;
}

static const char *host_cannot(const struct cuda_traits *dev, const struct test *t, const struct placement *p,
                               const struct seating *s, struct arena *a) {
    if (p->nhost == t->nthreads) return "no thread is on the GPU";
    if (unit_cannot(t)) return unit_cannot(t);
    if (p->nhost > MAX_HOST_THREADS)
        return arena_printf(a, "%d CPU threads beside a GPU; %d are supported", p->nhost, MAX_HOST_THREADS);
    if (s->gpus > 1) return "CPU threads beside several GPUs are not supported";
    if (s->blocks > 1 && p->nclusters == 1) return "CPU threads beside a cluster are not supported";
    for (int k = 0; k < t->nthreads; k++) {
        int l = p->seats[k].host ? beyond_host(t, &t->threads[k]) : -1;
        if (l >= 0)
            return arena_printf(
                a, "a CPU thread cannot reach '%s': it is not in the host's memory (space: host)",
                t->locs[l].name);
    }
    int mixed = dev->host_atomics ? -1 : mixed_atomics(t, p, a);
    if (mixed >= 0)
        return arena_printf(a, "this device's atomics are not atomic to a CPU thread, which changes '%s' too",
                            t->locs[mixed].name);
    return NULL;
}

/* Returns which operation of the test this device, or the harness, does not have; or NULL. */
static const char *operations_missing(const struct cuda_traits *dev, const struct test *t,
                                      const struct cell *cell, struct arena *a) {
    for (int k = 1; k <= t->nops; k++) {
        const struct op *op = &t->ops[k];
        int since = op_since(op->name, op_strength(t, cell, op).order, op->type);
        if (dev->cc < since)
            return arena_printf(a, "%s needs compute capability %d.%d; this device has %d.%d",
                                op_kinds[op->kind].name, since / 10, since % 10, dev->cc / 10, dev->cc % 10);
        if (!op_is_had(dev->cc, op->name, op_strength(t, cell, op).order, op->type))
            return arena_printf(a, "compute capability %d.%d has no instruction for %s", dev->cc / 10,
                                dev->cc % 10,
                                op->blocks ? "a bulk load to several blocks" : op_kinds[op->kind].name);
        if (dev->narrow && op->type.bits == 128)
            return "an access to a scalar of 16 bytes needs NVRTC 12.8; this one is older";
        for (int p = 0; p < OP_DATA && op->place[p].loc >= 0 && op_kinds[op->kind].engine &&
                        cell->placement->nblocks > 1;
             p++) {
            const struct location *l = &t->locs[op->place[p].loc];
            if (space_rows[l->space].of_block && l->instances == 1)
                return "an asynchronous copy uses the shared memory of its own block only";
        }
    }
    return NULL;
}

/* Returns why the device, or the harness, cannot launch a placement's kernels; or NULL. */
static const char *kernels_unfit(const struct cuda_traits *dev, const struct placement *p,
                                 const struct seating *s, struct arena *a) {
    if (p->nkernels > CUDA_MAX_KERNELS || s->blocks > CUDA_MAX_KERNEL_BLOCKS)
        return arena_printf(a, "more than %d kernels, or than %d blocks in them, are not supported",
                            CUDA_MAX_KERNELS, CUDA_MAX_KERNEL_BLOCKS);
    if (s->gpus > 1) return "several kernels beside the memory of another GPU are not supported";
    for (int k = 1; k < p->nkernels; k++)
        if (p->launch[k] == LAUNCH_DEPENDENT && dev->cc < 90)
            return arena_printf(a, "dependent launches need compute capability 9.0; this device has %d.%d",
                                dev->cc / 10, dev->cc % 10);
    return NULL;
}

/* A test that reads through the read-only proxy has a launch for each round. Returns why that is not
 * possible, or NULL. */
static const char *round_unfit(const struct placement *p, const struct seating *s, struct arena *a) {
    const char *beside = s->gpus > 1                           ? "several GPUs"
                         : p->nhost > 0                        ? "CPU threads beside a GPU"
                         : p->nclusters == 1 && p->nblocks > 1 ? "a cluster"
                         : p->one_sm                           ? "blocks of one multiprocessor"
                                                               : NULL;
    if (!beside) return NULL;
    return arena_printf(a, "reads through the read-only cache by %s are not supported", beside);
}

/* Returns a location in the host's memory on which threads of one GPU use atomics and to which those of
 * another GPU write, or -1. */
static int shared_atomics(const struct test *t, const struct seating *s) {
    for (int k = 1; k <= t->nops; k++) {
        const struct op *rmw = &t->ops[k];
        if (rmw->kind != OP_RMW || !space_rows[t->locs[rmw->place[0].loc].space].of_host) continue;
        int on = -1; /* a GPU with such an atomic */
        for (int i = 0; i < t->nthreads; i++)
            if (!s->host[i] && t->threads[i].body == rmw->body) on = s->gpu[i];
        for (int j = 1; j <= t->nops && on >= 0; j++) {
            const struct op *op = &t->ops[j];
            if (op->place[0].loc != rmw->place[0].loc || !(op_kinds[op->kind].touches[0] & TOUCH_WRITES))
                continue;
            for (int i = 0; i < t->nthreads; i++)
                if (!s->host[i] && t->threads[i].body == op->body && s->gpu[i] != on) return op->place[0].loc;
        }
    }
    return -1;
}

/* Returns why there are not n GPUs that can access each other's memory, or NULL. */
static const char *peers_missing(const struct cuda_traits *dev, int n, struct arena *a) {
    if (n > dev->present || n > MAX_GPUS)
        return arena_printf(a, "needs %d GPUs; there %s %d", n, dev->present == 1 ? "is" : "are",
                            dev->present);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i != j && !dev->reaches[i][j])
                return arena_printf(a, "GPU %d cannot reach the memory of GPU %d", gpu_number(dev, i),
                                    gpu_number(dev, j));
    return NULL;
}

/* Returns which atomics do not work: on another GPU's memory, or on the host's for another GPU to see; or
 * NULL. */
static const char *atomics_missing(const struct cuda_traits *dev, const struct test *t,
                                   const struct seating *s, struct arena *a) {
    const char *why = NULL;
    for (int i = 0; i < t->nthreads && !why; i++)
        for (int k = 1; k <= t->nops && !why; k++) {
            const struct op *op = &t->ops[k];
            if (s->host[i] || op->body != t->threads[i].body || op->kind != OP_RMW) continue;
            const struct location *l = &t->locs[op->place[0].loc];
            if (!space_rows[l->space].of_gpu || s->gpu[i] == l->gpu || dev->atomics[s->gpu[i]][l->gpu])
                continue;
            why =
                arena_printf(a, "the atomics of GPU %d are not atomic in the memory of GPU %d, as over PCIe",
                             gpu_number(dev, s->gpu[i]), gpu_number(dev, l->gpu));
        }
    int shared = why || dev->host_atomics ? -1 : shared_atomics(t, s);
    if (shared < 0) return why;
    return arena_printf(
        a, "the atomics of GPUs are not atomic to each other in the host's memory, where '%s' is",
        t->locs[shared].name);
}

const char *cuda_cannot(const struct cuda_traits *dev, const struct test *t, const struct cell *cell,
                        struct arena *a) {
    const struct placement *p = cell->placement;
    if (gen_cannot(t)) return gen_cannot(t);
    struct seating seating = gen_seating(a, t, p);
    if (p->nhost > 0) {
        const char *why = host_cannot(dev, t, p, &seating, a);
        if (why) return why;
    }
    const char *absent = operations_missing(dev, t, cell, a);
    if (absent) return absent;
    const char *missing = peers_missing(dev, seating.gpus, a);
    if (!missing) missing = atomics_missing(dev, t, &seating, a);
    if (missing) return missing;
    if (gen_clusters(t, cell) && dev->cc < 90)
        return arena_printf(a, "clusters need compute capability 9.0; this device has %d.%d", dev->cc / 10,
                            dev->cc % 10);
    const char *apart = p->nkernels > 1 ? kernels_unfit(dev, p, &seating, a) : NULL;
    if (!apart && gen_kernels(t, cell) == 1) apart = round_unfit(p, &seating, a);
    if (apart) return apart;
    if (p->nclusters > 1 && p->nclusters < p->nblocks)
        return "blocks of one cluster beside blocks outside of it are not supported";
    if (p->nblocks > 1 && p->nclusters == 1 && p->nblocks > 8)
        return arena_printf(a, "a cluster of %d blocks; 8 are portable", p->nblocks);
    if (p->one_sm && seating.blocks > dev->blocks_per_sm)
        return arena_printf(a, "needs %d blocks on one multiprocessor; this device puts at most %d there",
                            seating.blocks, dev->blocks_per_sm);
    if (!p->one_sm && seating.blocks > dev->sms)
        return arena_printf(a, "needs %d multiprocessors at once; this device has %d", seating.blocks,
                            dev->sms);
    return barriers_unfit(t, p, &seating);
}

struct cuda_traits cuda_traits_of(const char *arch) {
    struct cuda_traits all = {.present = MAX_GPUS,
                              .sms = 1 << 20,
                              .cc = atoi(arch + strlen("sm_")),
                              .blocks_per_sm = 32,
                              .maps_host = 1,
                              .host_atomics = 1};
    memset(all.reaches, true, sizeof all.reaches);
    memset(all.atomics, true, sizeof all.atomics);
    return all;
}
