/* The CPU's harness: the functions of a compiled test that the backend calls. */

#define EXPORT __attribute__((visibility("default")))

#ifndef KERNELS
#define KERNELS 0 /* of a stream, where there are several */
#endif

enum { TOUCH_AHEAD = 16, IN_STEP = WAITS || BARRIERS || KERNELS };

/* Brings chosen locations of the next instances into this core's cache, or throws them out of all caches. */
static ROLE void cpu_touch(struct cpu_player *run, long j) {
    for (long k = j; k < j + TOUCH_AHEAD && k < run->instances; k++) {
        long i = (run->start + k * run->step) & (run->instances - 1);
        for (int l = 0; l < run->ntouched; l++) {
            const void *p = (const void *)cpu_place(run, run->touched[l], i);
            if (run->touch == TOUCH_READ)
                __builtin_prefetch(p, 0);
            else if (run->touch == TOUCH_WRITE)
                __builtin_prefetch(p, 1);
#if defined(__x86_64__)
            else
                __builtin_ia32_clflush(p);
#endif
        }
    }
}

/* Ends an instance in which a thread may have waited, or in which something went wrong. */
static ROLE void cpu_close(struct cpu_player *run, long i) {
    if (run->fault) __atomic_fetch_or(&run->faults[i], (unsigned char)run->fault, __ATOMIC_RELAXED);
    run->fault = 0;
    run->turns = 0;
    run->since = 0;
}

/* Runs this thread's role in every instance of the batch. */
EXPORT void cpu_play(struct cpu_player *run) {
    const long n = run->instances, start = run->start, step = run->step, yield_every = run->yield_every;
    const int thread = run->thread, touch = run->touch != TOUCH_NONE;
    int *log = run->logs[thread];
    for (long d = run->delay; d > 0; d--)
        cpu_pause();
    for (long j = 0; j < n; j++) {
        long i = (start + j * step) & (n - 1);
        if (touch && j % TOUCH_AHEAD == 0) cpu_touch(run, j);
        if (IN_STEP) {
            if (j >= __atomic_load_n(run->limit, __ATOMIC_RELAXED)) break;
            run->current = j;
            run->meetings = run->counters + i * run->ncounters;
        }
        if (KERNELS) kernels_ended(run, run->follows);
        play(thread, locate(run, 0, (int)i), run, log ? log + i * NOBS : 0);
        if (KERNELS) kernel_end(run);
        if (CHECKED || IN_STEP)
            if (run->fault || run->turns) cpu_close(run, i);
        if (yield_every && ((j + 1) & (yield_every - 1)) == 0) run->yield();
    }
}

/* Writes the initial values of instances `first` to first + n - 1. */
EXPORT void cpu_init(struct cpu_player *run, long first, long n) {
    for (long i = first; i < first + n; i++)
        init(locate(run, 0, (int)i), run);
}

/* Writes what was observed of these instances after the batch: NOBS values each. */
EXPORT void cpu_observe(struct cpu_player *run, long first, long n, int *values) {
    for (long i = first; i < first + n; i++, values += NOBS) {
        observe(locate(run, 0, (int)i), run, values);
        for (int o = 0; o < NOBS; o++)
            if (obs_thread(o) >= 0) values[o] = run->logs[obs_thread(o)][i * NOBS + o];
    }
}
