/* Environments of the CPU backend: how a batch lies in memory and how threads go through it. */
#include "exec/cpu.h"
#include "exec/setting.h"

/* 0 .. n-1 */
static long pick(uint64_t *state, long n) {
    return (long)(random_next(state) % (uint64_t)n);
}

static long smaller(long a, long b) {
    return a < b ? a : b;
}

/* A power of two from 2^low to 2^high, but at most `most`. */
static long pick_power(uint64_t *state, int low, int high, long most) {
    return smaller(1L << (low + pick(state, high - low + 1)), most);
}

/* The weights follow what docs/cpu-engine.md measures: what pays is chosen more often, nothing is left out.
 */
struct environment environment_make(const struct kernel *k, uint64_t seed, uint64_t number) {
    uint64_t state = seed;
    state = random_next(&state) + number;
    bool crowded = k->test->nthreads > k->dev->ncores;
    long most = k->max_instances;
    if (k->in_step && crowded)
        most = smaller(k->ncounters ? 16 : 64, most); /* each may cost many context switches */
    struct environment e = {
        .seed = random_next(&state),
        .instances = smaller(256, most),
        .stride = 1,
        .walk = k->in_step ? WALK_SAME : WALK_OPPOSITE,
        .chunk = 64,
    };
    if (number == 0) return e;
    static const enum cpu_walk walks[] = {WALK_SAME, WALK_SAME, WALK_OPPOSITE, WALK_SCATTERED};
    static const enum cpu_touch touches[] = {TOUCH_NONE, TOUCH_NONE,  TOUCH_NONE,  TOUCH_NONE,
                                             TOUCH_READ, TOUCH_WRITE, TOUCH_WRITE, TOUCH_FLUSH};
    e.instances = pick_power(&state, 5, 13, most);
    e.stride = pick_power(&state, 0, 2, CPU_MAX_STRIDE);
    e.packed = pick(&state, 4) == 0;
    e.walk = k->in_step ? WALK_SAME : walks[pick(&state, 4)];
    e.skew = k->in_step || pick(&state, 2) ? 0 : pick_power(&state, 2, 6, e.instances);
    e.delay = pick(&state, 2) ? 0 : pick_power(&state, 2, 6, 64);
    e.touch = touches[pick(&state, 8)];
    e.chunk = pick_power(&state, 3, 6, 64);
    e.turned = pick(&state, k->test->nthreads);
    e.yield_every = crowded && pick(&state, 2) ? pick_power(&state, 0, 6, 64) : 0;
    e.shuffled = pick(&state, 2) != 0;
    return e;
}

int environment_describe(const struct environment *e, struct parameter *out) {
    const struct parameter all[] = {
        {"instances", e->instances}, {"stride", e->stride},     {"packed", e->packed},
        {"walk", e->walk},           {"skew", e->skew},         {"delay", e->delay},
        {"touch", e->touch},         {"chunk", e->chunk},       {"turned", e->turned},
        {"yield", e->yield_every},   {"shuffled", e->shuffled},
    };
    int n = sizeof all / sizeof *all;
    for (int i = 0; i < n; i++)
        out[i] = all[i];
    return n;
}

static long whole_lines(long elements) {
    return (elements * (long)sizeof(int) + CPU_LINE - 1) / CPU_LINE * CPU_LINE;
}

/* Rows are a few lines out of step, so that two locations of an instance do not fall into the same set of a
 * cache. */
enum { ROW_GAP = 5 * CPU_LINE };

size_t environment_memory(const struct kernel *k, long instances) {
    size_t bytes = 0;
    for (int l = 0; l < k->test->nlocs; l++)
        bytes += (size_t)(whole_lines(k->test->locs[l].count) * CPU_MAX_STRIDE * instances + ROW_GAP);
    return bytes;
}

void environment_lay_out(const struct environment *e, const struct kernel *k, char *memory,
                         struct row *rows) {
    long packed_stride = whole_lines(k->elements) * e->stride;
    for (int l = 0; l < k->test->nlocs; l++) {
        struct row *row = &rows[k->first[l]];
        if (e->packed) {
            *row = (struct row){memory + k->first[l] * (long)sizeof(int), packed_stride};
            continue;
        }
        *row = (struct row){memory, whole_lines(k->test->locs[l].count) * e->stride};
        memory += row->stride * e->instances + ROW_GAP;
    }
}

void environment_seat(const struct environment *e, const struct kernel *k, int t, struct run *run,
                      int *touched) {
    uint64_t state = e->seed + (uint64_t)t + 1;
    long start = e->skew ? pick(&state, e->skew) : 0, scatter = 2 * pick(&state, e->instances) + 1;
    run->instances = e->instances;
    run->start = start;
    run->step = 1;
    if (e->walk == WALK_OPPOSITE && t % 2 == 1) {
        run->start = e->instances - 1 - start;
        run->step = -1;
    } else if (e->walk == WALK_SCATTERED) {
        run->step = scatter;
    }
    run->delay = e->delay ? pick(&state, e->delay) : 0;
    run->yield_every = e->yield_every;
    run->touch = e->touch;
    run->touched = touched;
    run->ntouched = 0;
    for (int l = 0; l < k->test->nlocs; l++)
        if (pick(&state, 2)) touched[run->ntouched++] = k->first[l];
}

/* Every core gets its share before one gets more. */
void environment_pin(const struct environment *e, const struct kernel *k, int *core) {
    int ncores = k->dev->ncores;
    int seats = (k->test->nthreads + ncores - 1) / ncores * ncores;
    uint64_t state = e->seed;
    for (int i = 0; i < seats; i++) {
        int j = e->shuffled ? (int)pick(&state, i + 1) : i;
        core[i] = core[j];
        core[j] = i % ncores;
    }
}
