/* Inside the CPU backend: a built cell, and the environments that it runs in. */
#ifndef CULITMUS_CPU_H
#define CULITMUS_CPU_H

#include "cpu/cpu_compile.h"
#include "gen/gen.h"
#include "run/backend.h"

enum {
    CPU_MAX_THREADS = 512,
    CPU_LINE = 64,            /* bytes of a cache line; only rates depend on it */
    CPU_MAX_INSTANCES = 8192, /* in a batch */
    CPU_MAX_STRIDE = 4,       /* in cache lines */
    CPU_MAX_CHUNK = 64,       /* in instances */
};

struct cpu_device {
    struct device base;
    struct arena *arena;
    struct compiler compiler;
    int *cores; /* the numbers of the cores that this process may use */
    int ncores;
};

/* A built cell: where its threads sit, and what an instance needs. Lives in its own arena. */
struct cpu_kernel {
    struct arena *arena;
    const struct cpu_device *dev;
    const struct test *test;
    struct cpu_unit unit;
    long element_bytes;
    bool in_step;  /* threads wait for each other, so all play the same instance at about the same time */
    bool *has_log; /* of each thread: some of its registers are observed */
    int ncounters; /* counters of barriers in each instance; 0: no barriers */
    int *users;    /* of each counter: how many threads meet there */
    /* of each thread: the counter of its warp, of barrier 0 of its block, of its cluster */
    int *warp, *block, *cluster;
    /* how many kernels the placement has; the first of their counters of ended threads, one a kernel */
    int kernels, ended;
    int *kernel_of, *kernel_threads;
    /* [later][earlier]: has the earlier kernel ended when the later one begins; does the later one's wait
     * await it (struct cpu_player has a row of each) */
    unsigned char *follows, *awaits;
    int **lanes, **mates;        /* of each thread: the threads of its warp, and of its block */
    int *nlanes, *nmates, *lane; /* how many these are; its own index among those of its warp */
    /* for exchanges: the first of the counters for values that threads give, one a thread; counters for
     * meeting follow */
    int given;
    int *first;         /* of each location: the number of its first element among those of an instance */
    int elements;       /* in each instance */
    long max_instances; /* the largest batch, a power of two, with which memory stays within bounds */
};

enum cpu_walk { WALK_SAME, WALK_OPPOSITE, WALK_SCATTERED };

/* An environment: what changes the rates of outcomes. Everything random in it comes from `seed`. */
struct cpu_environment {
    uint64_t seed;
    long instances; /* in a batch; a power of two */
    long stride;    /* cache lines from one instance of a location to the next */
    bool packed; /* the locations of an instance lie side by side; else each location has a row of its own */
    enum cpu_walk walk;   /* the order in which threads visit instances */
    long skew;            /* each thread starts up to so many instances later */
    long delay;           /* each thread starts up to so many pauses later */
    enum cpu_touch touch; /* how random locations are touched, some instances ahead of playing */
    long chunk;           /* how many instances a thread sets up and counts at a time */
    long turned;          /* chunk c belongs to thread (c + turned) */
    long yield_every;
    bool shuffled; /* threads are pinned to random cores, else in order */
};

/* The parameters of an environment. */
extern const struct parameter_range cpu_ranges[];

/* Returns environment number `index` of those of a seed. Number 0 is good for most tests. `choice` fixes some
 * parameters (NULL: none). A value that the test cannot have is replaced by the nearest that it can have. */
struct cpu_environment cpu_environment_make(const struct cpu_kernel *k, uint64_t seed, int index,
                                            const struct environment *choice);
/* Writes an environment as parameters, at most ENV_MAX. Returns how many. */
int cpu_environment_describe(const struct cpu_environment *e, struct parameter *out);
/* Fills in where the locations of a batch lie in `memory`: that of location l is rows[first[l]]. */
void cpu_environment_lay_out(const struct cpu_environment *e, const struct cpu_kernel *k, char *memory,
                             struct row *rows);
/* Returns how many bytes a batch takes in the largest environment. */
size_t cpu_environment_memory(const struct cpu_kernel *k, long instances);
/* Fills in the order in which thread t visits instances, its delay, and the locations that it touches.
 * `touched` has room for all locations. */
void cpu_environment_seat(const struct cpu_environment *e, const struct cpu_kernel *k, int t,
                          struct cpu_player *run, int *touched);
/* Fills in the core, an index into `cores`, to which each thread is pinned. `core` has room for nthreads +
 * ncores. */
void cpu_environment_pin(const struct cpu_environment *e, const struct cpu_kernel *k, int *core);

/* Returns why the backend cannot play the barriers of a cell (static text), or NULL. */
const char *cpu_barriers_unfit(const struct test *t, const struct cell *cell);

/* The backend's `run`. */
bool cpu_run(struct kernel *k, const struct run_request *req, struct run_result *res, struct diag *d);

#endif
