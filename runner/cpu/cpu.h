/* Inside the CPU backend: a built cell, and the environments that it runs in. */
#ifndef CULITMUS_CPU_H
#define CULITMUS_CPU_H

#include "cpu/cpu_compile.h"
#include "gen/gen.h"
#include "run/backend.h"

enum {
    CPU_MAX_THREADS = 512,
    CPU_LINE = 64,            /* bytes of a cache line; only rates depend on it */
    CPU_MAX_INSTANCES = 8192, /* of a batch */
    CPU_MAX_STRIDE = 4,       /* cache lines */
    CPU_MAX_CHUNK = 64,       /* instances */
};

struct cpu_device {
    struct device base;
    struct arena *arena;
    struct compiler compiler;
    int *cores; /* numbers of those this process may use */
    int ncores;
};

/* A built cell: how its threads sit, and what an instance needs. Lives in the kernel's arena. */
struct cpu_kernel {
    struct arena *arena;
    const struct cpu_device *dev;
    const struct test *test;
    struct cpu_unit unit;
    long element_bytes;
    bool in_step;  /* threads wait for each other: all play the same instance at about the same time */
    bool *has_log; /* a thread has registers that are observed */
    int ncounters; /* of barriers, an instance; 0: no thread has one */
    int *users;    /* for each counter: how many threads meet there */
    int *warp, *block, *cluster; /* a thread each: its counters; a block's first of one a barrier id */
    int kernels, ended; /* of the placement; the first of a counter each, of threads that have ended */
    int *kernel_of, *kernel_threads;
    unsigned char *follows, *awaits; /* [kernels][kernels]: struct cpu_player has a row of each */
    int **lanes, **mates; /* a thread each: the threads of its warp, of its block; how many, its place */
    int *nlanes, *nmates, *lane;
    int given;          /* the counter of thread 0 for what is given away; those to meet at follow */
    int *first;         /* a location's first element among all: global, then shared, then host */
    int elements;       /* of an instance */
    long max_instances; /* of a batch: a power of two that keeps memory within bounds */
};

enum cpu_walk { WALK_SAME, WALK_OPPOSITE, WALK_SCATTERED };

/* An environment: what changes the rate of an outcome. Everything random comes from `seed`. */
struct cpu_environment {
    uint64_t seed;
    long instances;       /* of a batch: a power of two */
    long stride;          /* cache lines between two instances of a location */
    bool packed;          /* an instance's locations side by side, else each location has a row of its own */
    enum cpu_walk walk;   /* the order in which threads visit instances */
    long skew;            /* threads start up to so many instances apart */
    long delay;           /* and up to so many pauses */
    enum cpu_touch touch; /* of random locations, a little ahead of playing */
    long chunk;           /* instances that a thread sets up and classifies at a time */
    long turned;          /* chunk c is thread (c + turned)'s */
    long yield_every;
    bool shuffled; /* threads on random cores, else in order */
};

/* What an environment is made of. */
extern const struct parameter_range cpu_ranges[];

/* Environment number `index` of those that a seed stands for; the first one is good for most tests. `choice` fixes some
 * of its parameters (NULL: none). A value that the test cannot have becomes the nearest that it can. */
struct cpu_environment cpu_environment_make(const struct cpu_kernel *k, uint64_t seed, int index,
                                            const struct environment *choice);
/* Fills at most ENV_MAX parameters, returns how many. */
int cpu_environment_describe(const struct cpu_environment *e, struct parameter *out);
/* Finds where in `memory` the locations of a batch lie: rows[first[l]]. */
void cpu_environment_lay_out(const struct cpu_environment *e, const struct cpu_kernel *k, char *memory,
                             struct row *rows);
/* The bytes that a batch needs in any environment. */
size_t cpu_environment_memory(const struct cpu_kernel *k, long instances);
/* Fills in thread t's walk, delay and touched locations. `touched` has room for all locations. */
void cpu_environment_seat(const struct cpu_environment *e, const struct cpu_kernel *k, int t,
                          struct cpu_player *run, int *touched);
/* Chooses the core (an index) that each thread is pinned to. `core` has room for nthreads + ncores. */
void cpu_environment_pin(const struct cpu_environment *e, const struct cpu_kernel *k, int *core);

/* Why the barriers of a cell cannot be played (static text), or NULL. */
const char *cpu_barriers_unfit(const struct test *t, const struct cell *cell);

/* The backend's `run`. */
bool cpu_run(struct kernel *k, const struct run_request *req, struct run_result *res, struct diag *d);

#endif
