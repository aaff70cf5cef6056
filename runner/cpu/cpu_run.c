/* Running a cell on the CPU.
 *
 * The test's threads live as long as the run. The portfolio's environments take slices of it; within a slice
 * the threads play batch after batch and meet once a batch: while some still play one set of locations,
 * others classify and set up again the other, each a share of its instances. */
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cpu/cpu.h"

/* A wait that lasts longer than this many seconds is stuck, and ends the run: far longer than a busy machine
 * keeps a thread from its core. */
static const double patience = 1;

/* A slice is at most this long, and at most this part of what was asked for. */
static const double slice_seconds = 0.02;
enum { SLICES = 24, SLICE_MIN_RUNS = 4096 };

/* One set of locations; a batch is played in it. */
struct cpu_set {
    char *memory;
    struct row *rows;
    int **logs;
    unsigned char *faults;
    unsigned *counters;
    long limit; /* instances from here on do not count: a wait was given up */
};

struct worker {
    struct run run; /* first, so that a run's worker is found */
    struct job *job;
    pthread_t thread;
    int core; /* the one it is pinned to, an index; -1: none yet */
    int *touched;
    int32_t *values;
    struct histogram hist;
    uint64_t runs, stuck, bounds; /* instances that this worker classified, in the slice */
};

struct job {
    struct kernel *kernel;
    const struct run_request *req;
    struct arena *arena;
    struct worker *workers;
    int nworkers, started;
    struct cpu_environment env;
    int *core;
    struct cpu_set sets[2];
    bool crowded; /* more threads than cores */

    /* The slice: threads meet before each step, and the first says which step is the last. */
    uint64_t target;
    double deadline;
    long last_step;
    int arrived;
    unsigned round;

    /* The gate where threads wait for the next slice. */
    pthread_mutex_t lock;
    pthread_cond_t go, done;
    unsigned slice;
    int running;
    bool quit;
};

static bool is_stopped(const struct job *job) {
    return job->req->stop && *job->req->stop;
}

static void lower_limit(long *limit, long to) {
    long old = __atomic_load_n(limit, __ATOMIC_RELAXED);
    while (to < old &&
           !__atomic_compare_exchange_n(limit, &old, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* Called by a waiting loop now and then: lets others run, and says whether to go on waiting. */
static int relax(struct run *run) {
    struct job *job = ((struct worker *)run)->job;
    long *limit = (long *)run->limit;
    double t = clock_now();
    if (run->current >= __atomic_load_n(limit, __ATOMIC_RELAXED)) return 0;
    if (is_stopped(job)) {
        lower_limit(limit, run->current);
        return 0;
    }
    if (run->since == 0) run->since = t;
    if (t - run->since > patience) {
        lower_limit(limit, run->current + 1);
        return 0;
    }
    sched_yield();
    return 1;
}

static void yield_core(void) {
    sched_yield();
}

static void pause_core(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* All threads of the slice meet. */
static void meet(struct job *job) {
    unsigned round = __atomic_load_n(&job->round, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(&job->arrived, 1, __ATOMIC_ACQ_REL) == job->nworkers) {
        __atomic_store_n(&job->arrived, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&job->round, round + 1, __ATOMIC_RELEASE);
        return;
    }
    for (int spins = 0; __atomic_load_n(&job->round, __ATOMIC_ACQUIRE) == round; spins++) {
        if (job->crowded || spins > 4096)
            sched_yield();
        else
            pause_core();
    }
}

static void pin(struct worker *w) {
    const struct job *job = w->job;
    cpu_set_t set;
    if (w->core == job->core[w->run.thread]) return;
    w->core = job->core[w->run.thread];
    CPU_ZERO(&set);
    CPU_SET((unsigned)job->kernel->dev->cores[w->core], &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set); /* where it is refused, only rates suffer */
}

static void enter_set(struct worker *w, struct cpu_set *set) {
    w->run.rows = set->rows;
    w->run.logs = set->logs;
    w->run.faults = set->faults;
    w->run.counters = set->counters;
    w->run.limit = &set->limit;
}

/* Counts the observed values of instances `first` to first + n - 1; equal neighbours are counted at once. */
static void tally(struct worker *w, const struct cpu_set *set, long first, long n) {
    const struct kernel *k = w->job->kernel;
    size_t nobs = (size_t)k->test->nobs;
    const int32_t *pending = NULL;
    uint64_t count = 0;
    k->unit.observe(&w->run, first, n, w->values);
    for (long i = 0; i < n; i++) {
        unsigned char fault = set->faults[first + i];
        const int32_t *row = w->values + (size_t)i * nobs;
        w->runs++;
        w->bounds += (fault & FAULT_BOUNDS) != 0;
        w->stuck += (fault & FAULT_STUCK) != 0;
        if (fault & FAULT_STUCK) continue;
        if (!pending || memcmp(pending, row, nobs * sizeof *row) != 0) {
            if (pending) histogram_add(&w->hist, pending, count);
            pending = row;
            count = 0;
        }
        count++;
    }
    if (pending) histogram_add(&w->hist, pending, count);
}

/* Sets up the worker's share of a set, and first counts what a batch left there. */
static void turn_over(struct worker *w, struct cpu_set *set, bool played) {
    const struct job *job = w->job;
    const struct kernel *k = job->kernel;
    const struct cpu_environment *e = &job->env;
    enter_set(w, set);
    long share = (w->run.thread + e->turned) % job->nworkers;
    for (long first = share * e->chunk; first < e->instances; first += job->nworkers * e->chunk) {
        long n = first + e->chunk <= e->instances ? e->chunk : e->instances - first;
        long counted = set->limit - first < n ? set->limit - first : n;
        if (played && counted > 0) tally(w, set, first, counted);
        memset(set->faults + first, 0, (size_t)n);
        memset(set->counters + first * k->ncounters, 0, (size_t)(n * k->ncounters) * sizeof *set->counters);
        k->unit.init(&w->run, first, n);
    }
}

/* The first thread decides whether a step is the last; a set in which a wait was given up is not played
 * again. */
static void judge_step(struct job *job, long step) {
    bool enough = (uint64_t)step * (uint64_t)job->env.instances >= job->target;
    bool given_up = __atomic_load_n(&job->sets[step % 2].limit, __ATOMIC_RELAXED) < job->env.instances;
    bool late = step > 0 && clock_now() >= job->deadline;
    if (enough || given_up || late || is_stopped(job))
        __atomic_store_n(&job->last_step, step, __ATOMIC_RELAXED);
}

static void work_slice(struct worker *w) {
    struct job *job = w->job;
    pin(w);
    cpu_environment_seat(&job->env, job->kernel, w->run.thread, &w->run, w->touched);
    turn_over(w, &job->sets[0], false);
    turn_over(w, &job->sets[1], false);
    for (long step = 0;; step++) {
        if (w->run.thread == 0) judge_step(job, step);
        meet(job);
        bool last = step >= __atomic_load_n(&job->last_step, __ATOMIC_RELAXED);
        if (!last) {
            enter_set(w, &job->sets[step % 2]);
            job->kernel->unit.play(&w->run);
        }
        if (step > 0) turn_over(w, &job->sets[(step - 1) % 2], true);
        if (last) return;
    }
}

static void *work(void *arg) {
    struct worker *w = arg;
    struct job *job = w->job;
    unsigned seen = 0;
    pthread_mutex_lock(&job->lock);
    for (;;) {
        while (job->slice == seen && !job->quit)
            pthread_cond_wait(&job->go, &job->lock);
        if (job->quit) break;
        seen = job->slice;
        pthread_mutex_unlock(&job->lock);
        work_slice(w);
        pthread_mutex_lock(&job->lock);
        if (--job->running == 0) pthread_cond_signal(&job->done);
    }
    pthread_mutex_unlock(&job->lock);
    return NULL;
}

/* Lets the threads play one slice in the job's environment, and waits for them. */
static void play_slice(struct job *job) {
    for (int s = 0; s < 2; s++) {
        cpu_environment_lay_out(&job->env, job->kernel, job->sets[s].memory, job->sets[s].rows);
        job->sets[s].limit = job->env.instances;
    }
    cpu_environment_pin(&job->env, job->kernel, job->core);
    job->last_step = LONG_MAX;
    pthread_mutex_lock(&job->lock);
    job->slice++;
    job->running = job->nworkers;
    pthread_cond_broadcast(&job->go);
    while (job->running > 0)
        pthread_cond_wait(&job->done, &job->lock);
    pthread_mutex_unlock(&job->lock);
}

/* Takes the slice's counts out of the workers. Returns how many instances were out of bounds. */
static uint64_t collect(struct job *job, struct run_result *res, struct trial *trial) {
    const struct condition *c = &job->kernel->test->cond;
    uint64_t bounds = 0;
    for (int i = 0; i < job->nworkers; i++) {
        struct worker *w = &job->workers[i];
        for (size_t o = 0; o < w->hist.n; o++) {
            const struct outcome *seen = &w->hist.outcomes[o];
            bool holds = expr_eval(c->prop, &(struct expr_env){.obs = seen->values}) != 0;
            if (holds != (c->kind == FORALL)) trial->satisfied += seen->count;
            histogram_add(&res->hist, seen->values, seen->count);
        }
        histogram_free(&w->hist);
        trial->runs += w->runs;
        res->stuck += w->stuck;
        bounds += w->bounds;
        w->runs = w->stuck = w->bounds = 0;
    }
    return bounds;
}

/* Adds a slice to what the result says of the environments. */
static void weigh(const struct run_request *req, struct run_result *res, const struct trial *trial) {
    double rate = (double)trial->satisfied / trial->seconds, speed = (double)trial->runs / trial->seconds;
    if (rate > res->best_rate || res->environments == 0) {
        memcpy(res->environment, trial->environment,
               (size_t)trial->nenvironment * sizeof *trial->environment);
        res->nenvironment = trial->nenvironment;
        res->best_rate = rate;
    }
    if (speed > res->peak) res->peak = speed;
    res->environments++;
    res->seen_in += trial->satisfied > 0;
    res->runs += trial->runs;
    res->seconds += trial->seconds;
    if (req->tried) req->tried(req->ctx, trial);
    if (req->progress) req->progress(req->ctx, res->runs, res->seconds);
}

static bool job_open_sets(struct job *job) {
    const struct kernel *k = job->kernel;
    size_t n = (size_t)k->max_instances, nthreads = (size_t)job->nworkers;
    for (int s = 0; s < 2; s++) {
        struct cpu_set *set = &job->sets[s];
        set->memory = aligned_alloc(4096, (cpu_environment_memory(k, k->max_instances) + 4095) / 4096 * 4096);
        set->rows = arena_array(job->arena, (size_t)k->elements, sizeof *set->rows);
        set->faults = arena_alloc(job->arena, n);
        set->counters = arena_array(job->arena, n * (size_t)k->ncounters, sizeof *set->counters);
        set->logs = arena_array(job->arena, nthreads, sizeof *set->logs);
        for (size_t t = 0; t < nthreads; t++)
            if (k->has_log[t])
                set->logs[t] = arena_array(job->arena, n * (size_t)k->test->nobs, sizeof **set->logs);
        if (!set->memory) return false;
    }
    return true;
}

/* Starts the threads, with signals left to the caller's thread. */
static bool job_start(struct job *job, struct diag *d) {
    struct kernel *k = job->kernel;
    pthread_attr_t attr;
    sigset_t all, old;
    int error = 0, n = job->nworkers;
    job->workers = arena_array(job->arena, (size_t)n, sizeof *job->workers);
    job->core = arena_array(job->arena, (size_t)(n + k->dev->ncores), sizeof *job->core);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 256 * 1024);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    for (int t = 0; t < n && !error; t++) {
        struct worker *w = &job->workers[t];
        w->job = job;
        w->core = -1;
        w->hist.nobs = k->test->nobs;
        w->touched = arena_array(job->arena, (size_t)k->test->nlocs, sizeof *w->touched);
        w->values = arena_array(job->arena, CPU_MAX_CHUNK * (size_t)k->test->nobs, sizeof *w->values);
        w->run = (struct run){.thread = t,
                              .ncounters = k->ncounters,
                              .users = k->users,
                              .warp = k->warp[t],
                              .block = k->block[t],
                              .cluster = k->cluster[t],
                              .patience = job->crowded ? 8 : 256,
                              .relax = relax,
                              .yield = yield_core};
        error = pthread_create(&w->thread, &attr, work, w);
        job->started += !error;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    if (error) diag_fail(d, "cannot start thread %d of %d: %s", job->started + 1, n, strerror(error));
    return !error;
}

static void job_close(struct job *job) {
    pthread_mutex_lock(&job->lock);
    job->quit = true;
    pthread_cond_broadcast(&job->go);
    pthread_mutex_unlock(&job->lock);
    for (int t = 0; t < job->started; t++)
        pthread_join(job->workers[t].thread, NULL);
    pthread_mutex_destroy(&job->lock);
    pthread_cond_destroy(&job->go);
    pthread_cond_destroy(&job->done);
    free(job->sets[0].memory);
    free(job->sets[1].memory);
    arena_close(job->arena);
}

/* How much of what was asked for the next slice takes. */
static void plan_slice(struct job *job, const struct run_result *res) {
    const struct run_request *req = job->req;
    double seconds = slice_seconds;
    job->target = UINT64_MAX;
    if (req->seconds_each > 0) {
        job->deadline = clock_now() + req->seconds_each;
        return;
    }
    if (req->runs) {
        uint64_t part = req->runs / SLICES > SLICE_MIN_RUNS ? req->runs / SLICES : SLICE_MIN_RUNS;
        uint64_t left = req->runs - res->runs;
        job->target = part < left ? part : left;
    }
    if (req->seconds > 0) {
        if (req->seconds / SLICES < seconds) seconds = req->seconds / SLICES;
        if (req->seconds - res->seconds < seconds) seconds = req->seconds - res->seconds;
    }
    job->deadline = clock_now() + seconds;
}

static bool is_finished(const struct job *job, const struct run_result *res, int index) {
    const struct run_request *req = job->req;
    if (req->seconds_each > 0) return index >= req->nschedule || res->stuck > 0 || is_stopped(job);
    return (req->runs && res->runs >= req->runs) || (req->seconds > 0 && res->seconds >= req->seconds) ||
           res->stuck > 0 || is_stopped(job);
}

/* Slice after slice, each in the next environment, until there is enough. */
static bool play_portfolio(struct job *job, struct run_result *res, struct diag *d) {
    const struct run_request *req = job->req;
    for (int index = 0; !is_finished(job, res, index); index++) {
        job->env = cpu_environment_make(job->kernel, req->seed, index,
                                        index < req->nschedule ? &req->schedule[index] : NULL);
        plan_slice(job, res);
        struct parameter environment[ENV_MAX];
        struct trial trial = {.environment = environment,
                              .nenvironment = cpu_environment_describe(&job->env, environment),
                              .index = index};
        double start = clock_now();
        play_slice(job);
        trial.seconds = clock_now() - start;
        uint64_t bounds = collect(job, res, &trial);
        weigh(req, res, &trial);
        if (bounds > 0) {
            diag_fail(d, "%s: an array index was out of bounds in %llu instances", job->kernel->test->name,
                      (unsigned long long)bounds);
            return false;
        }
    }
    res->interrupted = is_stopped(job);
    return true;
}

bool cpu_run(struct kernel *k, const struct run_request *req, struct run_result *res, struct diag *d) {
    struct job job = {
        .kernel = k,
        .req = req,
        .arena = arena_open(),
        .nworkers = k->test->nthreads,
        .crowded = k->test->nthreads > k->dev->ncores,
    };
    pthread_mutex_init(&job.lock, NULL);
    pthread_cond_init(&job.go, NULL);
    pthread_cond_init(&job.done, NULL);
    bool ok = false;
    if (!job_open_sets(&job))
        diag_fail(d, "%s: out of memory", k->test->name);
    else
        ok = job_start(&job, d) && play_portfolio(&job, res, d);
    job_close(&job);
    return ok;
}
