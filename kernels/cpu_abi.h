/* How the compiled text of a test and the CPU backend talk to each other. It is compiled into both.
 *
 * Instances of a test run in batches. In a batch, each location is a row of copies (struct row), one for each instance.
 * Thread t runs its role in one instance after the other, at its own pace and in its own order. Nothing is included
 * here: names of the test's author and of system headers would collide. */
#ifndef CULITMUS_CPU_ABI_H
#define CULITMUS_CPU_ABI_H

/* Where one location lives: the copy of instance i is at base + i * stride (bytes). */
struct row {
    char *base;
    long stride;
};

enum cpu_fault { FAULT_STUCK = 1, FAULT_BOUNDS = 2 };

enum cpu_touch { TOUCH_NONE, TOUCH_READ, TOUCH_WRITE, TOUCH_FLUSH };

/* One thread's view of one batch. The backend writes it, except for the fields at the end. */
struct cpu_player {
    const struct row *rows; /* of the location whose first element is number e of all the test's: rows[e] */
    int thread;
    long instances;        /* a power of two */
    long start, step;      /* the thread's j-th instance is (start + j * step) mod instances; step is odd */
    int *const *logs;      /* one a thread: its observed registers, NOBS an instance; NULL: it has none */
    unsigned char *faults; /* a byte an instance, cleared by the backend */
    long delay;            /* pauses before the first instance */
    long yield_every;      /* give the core away after so many instances: a power of two; 0: never */
    enum cpu_touch touch;  /* what is done to the cache some instances ahead of playing, */
    const int *touched;    /* and to which locations: rows[touched[0]] ... */
    int ntouched;

    /* For tests whose threads wait for each other. All threads go through the instances in the same order: the j-th is
     * number j. */
    const long *limit;  /* no instance from here on runs; falls when one got stuck or the time is over */
    unsigned *counters; /* of instance 0's barriers; `ncounters` an instance */
    long ncounters;
    const int *users;         /* of each counter: how many threads have its barrier in their text */
    int warp, block, cluster; /* the counters of this thread's; a block's first of one a barrier id */
    int kernel, ended; /* its kernel; the first of a counter a kernel, of its threads that have ended */
    const int *kernel_threads; /* how many threads each kernel has */
    const unsigned char *follows,
        *awaits; /* one a kernel: has it ended when this one begins; is its wait for that? */

    const int *lanes, *mates; /* the threads of this one's warp, and of its block, in order */
    int nlanes, nmates, lane; /* how many, and its own place among the first */
    int given;   /* the first of a counter a thread for what it gives away, */
    int taking;  /* ... of one to meet at, */
    int meeting; /* ... and of one for the lanes that meet there */

    int patience; /* turns of a waiting loop between two calls of `relax`: a power of two */
    int (*relax)(struct cpu_player *run); /* lets others run; 0 when the wait has lasted too long */
    void (*yield)(void);

    /* The state of the instance that runs now. */
    long current;       /* its number; kept where threads wait for each other */
    unsigned *meetings; /* its counters */
    unsigned arrived;   /* at the cluster's barrier, which had opened so often */
    unsigned turns;     /* of its waiting loops */
    unsigned looks;     /* at a clock, in all instances */
    int fault;          /* enum cpu_fault, or 0 */
    double since;       /* when `relax` was first called; 0: not yet */
};

/* What a compiled test exports. Instances are numbered from 0; rows of observed values are NOBS wide. */
typedef void cpu_play_fn(struct cpu_player *run);
typedef void cpu_init_fn(struct cpu_player *run, long first, long n);
typedef void cpu_observe_fn(struct cpu_player *run, long first, long n, int *values);

#endif
