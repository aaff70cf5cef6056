/* Environments of the CPU backend: where a batch lies in memory, and how threads go through it. */
#include <limits.h>
#include <string.h>

#include "base/random.h"
#include "cpu/cpu.h"

/* Returns a random number of 0 .. n - 1. */
static long pick(uint64_t *state, long n) {
    return (long)(random_next(state) % (uint64_t)n);
}

/* Names and values of the parameters, in the order of the fields below. Values that pay, as
 * docs/cpu-backend.md measures, are listed more often; none is left out. */
#define CPU_PARAMETERS(P)                                                                                    \
    P(instances, "of a batch", 256, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)                           \
    P(stride, "cache lines between instances", 1, 1, 2, 4)                                                   \
    P(packed, "1: an instance's locations lie together, 0: each has a row", 0, 0, 0, 0, 1)                   \
    P(walk, "0: all threads the same way, 1: every other one backwards, 2: scattered", 1, 0, 0, 1, 2)        \
    P(skew, "threads start up to so many instances apart", 0, 0, 0, 0, 0, 0, 4, 8, 16, 32, 64)               \
    P(delay, "and up to so many pauses", 0, 0, 0, 0, 0, 0, 4, 8, 16, 32, 64)                                 \
    P(touch, "locations, ahead of playing: 0 not, 1 read, 2 written, 3 flushed", 0, 0, 0, 0, 0, 1, 2, 2, 3)  \
    P(chunk, "instances that a thread sets up and counts at a time", 64, 8, 16, 32, 64)                      \
    P(turned, "threads between the one that sets up a chunk and the one that comes first", 0, 0, 1, 2, 3, 4, \
      5, 6, 7)                                                                                               \
    P(yield, "give the core away after so many instances; 0: never", 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, \
      32, 64)                                                                                                \
    P(shuffled, "1: threads sit on random cores", 0, 0, 1)

/* The values of environment number 0. */
static const int first_values[] = {
#define FIRST(name, text, first, ...) first,
    CPU_PARAMETERS(FIRST)
#undef FIRST
};

const struct parameter_range cpu_ranges[] = {
#define RANGE(name, text, first, ...)                                                                        \
    {#name, text, {__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int)},
    CPU_PARAMETERS(RANGE)
#undef RANGE
        {0},
};

enum { NPARAMETERS = sizeof first_values / sizeof *first_values };

/* The values of parameters as drawn or chosen; the test may not be able to have them. */
struct values {
#define FIELD(name, ...) long name;
    CPU_PARAMETERS(FIELD)
#undef FIELD
};

static struct values draw(uint64_t *state, bool first, const struct environment *choice) {
    long list[NPARAMETERS];
    for (int p = 0; p < NPARAMETERS; p++) {
        const struct parameter_range *r = &cpu_ranges[p];
        list[p] = first ? first_values[p] : r->values[pick(state, r->n)];
        for (int i = 0; choice && i < choice->n; i++)
            if (strcmp(choice->parameter[i].name, r->name) == 0) list[p] = (long)choice->parameter[i].value;
    }
    int p = 0;
    struct values v;
#define TAKE(name, ...) v.name = list[p++];
    CPU_PARAMETERS(TAKE)
#undef TAKE
    return v;
}

static long clamp(long value, long low, long high) {
    return value < low ? low : value > high ? high : value;
}

/* Returns the largest power of two that is at most `value` and at most `most`; 0 for 0. */
static long power(long value, long most) {
    long n = 1;
    while (2 * n <= clamp(value, 1, most))
        n *= 2;
    return value <= 0 ? 0 : n;
}

struct cpu_environment cpu_environment_make(const struct cpu_kernel *k, uint64_t seed, int index,
                                            const struct environment *choice) {
    uint64_t state = seed;
    state = random_next(&state) + (uint64_t)index;
    bool crowded = k->test->nthreads > k->dev->ncores;
    long most = k->max_instances;
    if (k->in_step && crowded)
        most = clamp(most, 1, k->ncounters ? 16 : 64); /* each instance may cost many context switches */
    uint64_t own = random_next(&state);
    struct values v = draw(&state, index == 0, choice);
    long instances = power(clamp(v.instances, 1, most), most);
    return (struct cpu_environment){
        .seed = own,
        .instances = instances,
        .stride = clamp(v.stride, 1, CPU_MAX_STRIDE),
        .packed = v.packed != 0,
        .walk = k->in_step ? WALK_SAME : (enum cpu_walk)clamp(v.walk, WALK_SAME, WALK_SCATTERED),
        .skew = k->in_step ? 0 : clamp(v.skew, 0, instances),
        .delay = clamp(v.delay, 0, 4096),
        .touch = (enum cpu_touch)clamp(v.touch, TOUCH_NONE, TOUCH_FLUSH),
        .chunk = clamp(v.chunk, 1, CPU_MAX_CHUNK),
        .turned = clamp(v.turned, 0, INT_MAX) % k->test->nthreads,
        .yield_every = crowded ? power(v.yield, CPU_MAX_INSTANCES) : 0,
        .shuffled = v.shuffled != 0,
    };
}

int cpu_environment_describe(const struct cpu_environment *e, struct parameter *out) {
    const long values[NPARAMETERS] = {e->instances, e->stride,      e->packed,  e->walk,
                                      e->skew,      e->delay,       e->touch,   e->chunk,
                                      e->turned,    e->yield_every, e->shuffled};
    for (int p = 0; p < NPARAMETERS; p++)
        out[p] = (struct parameter){cpu_ranges[p].name, values[p]};
    return NPARAMETERS;
}

static long whole_lines(const struct cpu_kernel *k, long elements) {
    return (elements * k->element_bytes + CPU_LINE - 1) / CPU_LINE * CPU_LINE;
}

/* Returns how many bytes an instance of a location takes in its row. */
static long row_bytes(const struct cpu_kernel *k, const struct location *l) {
    return whole_lines(k, gen_places(l) * l->instances);
}

/* A gap of some cache lines between rows keeps two locations of one instance out of the same set of a
 * cache. */
enum { ROW_GAP = 5 * CPU_LINE };

size_t cpu_environment_memory(const struct cpu_kernel *k, long instances) {
    size_t bytes = 0;
    for (int l = 0; l < k->test->nlocs; l++)
        if (!k->test->locs[l].view)
            bytes += (size_t)(row_bytes(k, &k->test->locs[l]) * CPU_MAX_STRIDE * instances + ROW_GAP);
    return bytes;
}

void cpu_environment_lay_out(const struct cpu_environment *e, const struct cpu_kernel *k, char *memory,
                             struct row *rows) {
    long packed_stride = whole_lines(k, k->elements) * e->stride;
    for (int l = 0; l < k->test->nlocs; l++) {
        if (k->test->locs[l].view) continue;
        struct row *row = &rows[k->first[l]];
        if (e->packed) {
            *row = (struct row){memory + k->first[l] * k->element_bytes, packed_stride};
            continue;
        }
        *row = (struct row){memory, row_bytes(k, &k->test->locs[l]) * e->stride};
        memory += row->stride * e->instances + ROW_GAP;
    }
}

void cpu_environment_seat(const struct cpu_environment *e, const struct cpu_kernel *k, int t,
                          struct cpu_player *run, int *touched) {
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
        if (pick(&state, 2) && !k->test->locs[l].view) touched[run->ntouched++] = k->first[l];
}

/* Threads are spread evenly: no core gets two more than another. */
void cpu_environment_pin(const struct cpu_environment *e, const struct cpu_kernel *k, int *core) {
    int ncores = k->dev->ncores;
    int seats = (k->test->nthreads + ncores - 1) / ncores * ncores;
    uint64_t state = e->seed;
    for (int i = 0; i < seats; i++) {
        int j = e->shuffled ? (int)pick(&state, i + 1) : i;
        core[i] = core[j];
        core[j] = i % ncores;
    }
}
