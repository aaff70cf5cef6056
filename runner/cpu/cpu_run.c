/* Running a cell on the CPU.
 *
 * The test's threads live as long as the run. The run is cut into slices, each in an environment of its own.
 * In a slice the threads play one batch after another, and meet between batches. There are two sets of
 * locations: while some threads still play a batch in one set, others count the outcomes in the other set and
 * set it up again, each a share of its instances. */
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cpu/cpu.h"

/* A wait of more than so many seconds is stuck and ends the run. A busy machine keeps a thread from its core
 * for far less. */
static const double patience = 1;

/* A slice takes at most this many seconds, and at most 1/SLICES of what was asked for. */
static const double slice_seconds = 0.02;
enum { SLICES = 24, SLICE_MIN_RUNS = 4096 };

/* One set of locations, in which a batch is played. */
struct cpu_set {
    char *memory;
    struct row *rows;
    int **logs;
    unsigned char *faults;
    unsigned *counters;
    long limit; /* instances from this one on do not count: a wait was given up, or the time was over */
};

struct cpu_worker {
    struct cpu_player run; /* the first field, because relax() casts a player to its worker */
    struct cpu_team *team;
    pthread_t thread;
    int core; /* the core to which it is pinned, as an index; -1: none yet */
    int *touched;
    int *words; /* the observed words of a chunk of instances */
    struct histogram hist;
    /* instances of this slice that this worker has counted: all; stuck; out of bounds */
    uint64_t runs, stuck, bounds;
};

/* The threads that run a cell, from the start of a run to its end, and what they share. */
struct cpu_team {
    struct cpu_kernel *kernel;
    const struct run_request *req;
    struct arena *arena;
    struct cpu_worker *workers;
    int nworkers, started;
    struct cpu_environment env;
    int *core;
    struct cpu_set sets[2];
    bool crowded; /* there are more threads than cores */

    /* Within a slice: threads meet before each step, and the first thread decides which step is the last. */
    uint64_t target;
    double deadline;
    long last_step;
    int arrived;
    unsigned round;

    /* Between slices: threads wait here for the next one. */
    pthread_mutex_t lock;
    pthread_cond_t go, done;
    unsigned slice;
    int running;
    bool quit;
};

static bool is_stopped(const struct cpu_team *team) {
    return team->req->stop && *team->req->stop;
}

static void lower_limit(long *limit, long to) {
    long old = __atomic_load_n(limit, __ATOMIC_RELAXED);
    while (to < old &&
           !__atomic_compare_exchange_n(limit, &old, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* Waiting loops call this now and then. It lets other threads run, and returns whether to go on waiting. If
 * the time of the slice is over, no further instance begins, because with waits a batch may last for
 * minutes. */
static int relax(struct cpu_player *run) {
    struct cpu_team *team = ((struct cpu_worker *)run)->team;
    long *limit = (long *)run->limit;
    double t = clock_now();
    if (run->current >= __atomic_load_n(limit, __ATOMIC_RELAXED)) return 0;
    if (is_stopped(team)) {
        lower_limit(limit, run->current);
        return 0;
    }
    if (run->since == 0) run->since = t;
    if (t >= team->deadline) lower_limit(limit, run->current + 1);
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
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Waits until all threads of the slice are here. */
static void meet(struct cpu_team *team) {
    unsigned round = __atomic_load_n(&team->round, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(&team->arrived, 1, __ATOMIC_ACQ_REL) == team->nworkers) {
        __atomic_store_n(&team->arrived, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&team->round, round + 1, __ATOMIC_RELEASE);
        return;
    }
    for (int spins = 0; __atomic_load_n(&team->round, __ATOMIC_ACQUIRE) == round; spins++) {
        if (team->crowded || spins > 4096)
            sched_yield();
        else
            pause_core();
    }
}

static void pin(struct cpu_worker *w) {
    const struct cpu_team *team = w->team;
    cpu_set_t set;
    if (w->core == team->core[w->run.thread]) return;
    w->core = team->core[w->run.thread];
    CPU_ZERO(&set);
    CPU_SET((unsigned)team->kernel->dev->cores[w->core], &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set); /* if it fails, only rates suffer */
}

static void enter_set(struct cpu_worker *w, struct cpu_set *set) {
    w->run.rows = set->rows;
    w->run.logs = set->logs;
    w->run.faults = set->faults;
    w->run.counters = set->counters;
    w->run.limit = &set->limit;
}

static void count_outcome(struct cpu_worker *w, const int *words, uint64_t count) {
    struct value values[TEST_MAX_OBS];
    observed_values(w->team->kernel->test, words, values);
    histogram_add(&w->hist, values, count);
}

/* Counts the observed values of instances `first` to first + n - 1. Equal neighbours are added in one go. */
static void tally(struct cpu_worker *w, const struct cpu_set *set, long first, long n) {
    const struct cpu_kernel *k = w->team->kernel;
    size_t nwords = (size_t)observed_words(k->test);
    const int *pending = NULL;
    uint64_t count = 0;
    k->unit.observe(&w->run, first, n, w->words);
    for (long i = 0; i < n; i++) {
        unsigned char fault = set->faults[first + i];
        const int *row = w->words + (size_t)i * nwords;
        w->runs++;
        w->bounds += (fault & FAULT_BOUNDS) != 0;
        w->stuck += (fault & FAULT_STUCK) != 0;
        if (fault & FAULT_STUCK) continue;
        if (!pending || memcmp(pending, row, nwords * sizeof *row) != 0) {
            if (pending) count_outcome(w, pending, count);
            pending = row;
            count = 0;
        }
        count++;
    }
    if (pending) count_outcome(w, pending, count);
}

/* Counts the outcomes of a batch in this worker's share of a set, if it was played, and gives the locations
 * their initial values. */
static void turn_over(struct cpu_worker *w, struct cpu_set *set, bool played) {
    const struct cpu_team *team = w->team;
    const struct cpu_kernel *k = team->kernel;
    const struct cpu_environment *e = &team->env;
    enter_set(w, set);
    long share = (w->run.thread + e->turned) % team->nworkers;
    for (long first = share * e->chunk; first < e->instances; first += team->nworkers * e->chunk) {
        long n = first + e->chunk <= e->instances ? e->chunk : e->instances - first;
        long counted = set->limit - first < n ? set->limit - first : n;
        if (played && counted > 0) tally(w, set, first, counted);
        memset(set->faults + first, 0, (size_t)n);
        memset(set->counters + first * k->ncounters, 0, (size_t)(n * k->ncounters) * sizeof *set->counters);
        k->unit.init(&w->run, first, n);
    }
}

/* Decides whether a step is the last; the first thread calls this. A set of which not all instances count is
 * not used again. */
static void judge_step(struct cpu_team *team, long step) {
    bool enough = (uint64_t)step * (uint64_t)team->env.instances >= team->target;
    bool cut = __atomic_load_n(&team->sets[step % 2].limit, __ATOMIC_RELAXED) < team->env.instances;
    bool late = step > 0 && clock_now() >= team->deadline;
    if (enough || cut || late || is_stopped(team)) __atomic_store_n(&team->last_step, step, __ATOMIC_RELAXED);
}

static void work_slice(struct cpu_worker *w) {
    struct cpu_team *team = w->team;
    pin(w);
    cpu_environment_seat(&team->env, team->kernel, w->run.thread, &w->run, w->touched);
    turn_over(w, &team->sets[0], false);
    turn_over(w, &team->sets[1], false);
    for (long step = 0;; step++) {
        if (w->run.thread == 0) judge_step(team, step);
        meet(team);
        bool last = step >= __atomic_load_n(&team->last_step, __ATOMIC_RELAXED);
        if (!last) {
            enter_set(w, &team->sets[step % 2]);
            team->kernel->unit.play(&w->run);
        }
        if (step > 0) turn_over(w, &team->sets[(step - 1) % 2], true);
        if (last) return;
    }
}

static void *work(void *arg) {
    struct cpu_worker *w = arg;
    struct cpu_team *team = w->team;
    unsigned seen = 0;
    pthread_mutex_lock(&team->lock);
    for (;;) {
        while (team->slice == seen && !team->quit)
            pthread_cond_wait(&team->go, &team->lock);
        if (team->quit) break;
        seen = team->slice;
        pthread_mutex_unlock(&team->lock);
        work_slice(w);
        pthread_mutex_lock(&team->lock);
        if (--team->running == 0) pthread_cond_signal(&team->done);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

/* Lets the threads play one slice in the team's environment, and waits for them. */
static void play_slice(struct cpu_team *team) {
    for (int s = 0; s < 2; s++) {
        cpu_environment_lay_out(&team->env, team->kernel, team->sets[s].memory, team->sets[s].rows);
        team->sets[s].limit = team->env.instances;
    }
    cpu_environment_pin(&team->env, team->kernel, team->core);
    team->last_step = LONG_MAX;
    pthread_mutex_lock(&team->lock);
    team->slice++;
    team->running = team->nworkers;
    pthread_cond_broadcast(&team->go);
    while (team->running > 0)
        pthread_cond_wait(&team->done, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

/* Collects the counts of a slice from the workers. Returns how many instances were out of bounds. */
static uint64_t collect(struct cpu_team *team, struct run_result *res, struct trial *trial) {
    const struct condition *c = &team->kernel->test->cond;
    uint64_t bounds = 0;
    for (int i = 0; i < team->nworkers; i++) {
        struct cpu_worker *w = &team->workers[i];
        for (size_t o = 0; o < w->hist.n; o++) {
            const struct outcome *seen = &w->hist.outcomes[o];
            bool holds = expr_is_true(c->prop, &(struct expr_env){.obs = seen->values});
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

/* Adds what a slice has shown to what the result says of environments. */
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

static bool team_open_sets(struct cpu_team *team) {
    const struct cpu_kernel *k = team->kernel;
    size_t n = (size_t)k->max_instances, nthreads = (size_t)team->nworkers;
    for (int s = 0; s < 2; s++) {
        struct cpu_set *set = &team->sets[s];
        set->memory = aligned_alloc(4096, (cpu_environment_memory(k, k->max_instances) + 4095) / 4096 * 4096);
        set->rows = arena_array(team->arena, (size_t)k->elements, sizeof *set->rows);
        set->faults = arena_alloc(team->arena, n);
        set->counters = arena_array(team->arena, n * (size_t)k->ncounters, sizeof *set->counters);
        set->logs = arena_array(team->arena, nthreads, sizeof *set->logs);
        for (size_t t = 0; t < nthreads; t++)
            if (k->has_log[t])
                set->logs[t] =
                    arena_array(team->arena, n * (size_t)observed_words(k->test), sizeof **set->logs);
        if (!set->memory) return false;
    }
    return true;
}

/* Starts the threads. They block all signals, so only the caller's thread gets them. */
static bool team_start(struct cpu_team *team, struct diag *d) {
    struct cpu_kernel *k = team->kernel;
    pthread_attr_t attr;
    sigset_t all, old;
    int error = 0, n = team->nworkers;
    team->workers = arena_array(team->arena, (size_t)n, sizeof *team->workers);
    team->core = arena_array(team->arena, (size_t)(n + k->dev->ncores), sizeof *team->core);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 256 * 1024);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    for (int t = 0; t < n && !error; t++) {
        struct cpu_worker *w = &team->workers[t];
        w->team = team;
        w->core = -1;
        w->hist.nobs = k->test->nobs;
        w->touched = arena_array(team->arena, (size_t)k->test->nlocs, sizeof *w->touched);
        w->words =
            arena_array(team->arena, CPU_MAX_CHUNK * (size_t)observed_words(k->test), sizeof *w->words);
        w->run = (struct cpu_player){.thread = t,
                                     .ncounters = k->ncounters,
                                     .users = k->users,
                                     .warp = k->warp[t],
                                     .block = k->block[t],
                                     .cluster = k->cluster[t],
                                     .kernel = k->kernel_of[t],
                                     .ended = k->ended,
                                     .kernel_threads = k->kernel_threads,
                                     .follows = k->follows + k->kernel_of[t] * k->kernels,
                                     .awaits = k->awaits + k->kernel_of[t] * k->kernels,
                                     .lanes = k->lanes ? k->lanes[t] : NULL,
                                     .mates = k->lanes ? k->mates[t] : NULL,
                                     .nlanes = k->lanes ? k->nlanes[t] : 0,
                                     .nmates = k->lanes ? k->nmates[t] : 0,
                                     .lane = k->lanes ? k->lane[t] : 0,
                                     .given = k->given,
                                     .taking = k->given + k->test->nthreads,
                                     .meeting = k->given + 2 * k->test->nthreads,
                                     .patience = team->crowded ? 8 : 256,
                                     .relax = relax,
                                     .yield = yield_core};
        error = pthread_create(&w->thread, &attr, work, w);
        team->started += !error;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    if (error) diag_fail(d, "cannot start thread %d of %d: %s", team->started + 1, n, strerror(error));
    return !error;
}

static void team_close(struct cpu_team *team) {
    pthread_mutex_lock(&team->lock);
    team->quit = true;
    pthread_cond_broadcast(&team->go);
    pthread_mutex_unlock(&team->lock);
    for (int t = 0; t < team->started; t++)
        pthread_join(team->workers[t].thread, NULL);
    pthread_mutex_destroy(&team->lock);
    pthread_cond_destroy(&team->go);
    pthread_cond_destroy(&team->done);
    free(team->sets[0].memory);
    free(team->sets[1].memory);
    arena_close(team->arena);
}

/* Chooses how many runs and how much time the next slice may take. */
static void plan_slice(struct cpu_team *team, const struct run_result *res) {
    const struct run_request *req = team->req;
    double seconds = slice_seconds;
    team->target = UINT64_MAX;
    if (req->seconds_each > 0) {
        team->deadline = clock_now() + req->seconds_each;
        return;
    }
    if (req->runs) {
        uint64_t part = req->runs / SLICES > SLICE_MIN_RUNS ? req->runs / SLICES : SLICE_MIN_RUNS;
        uint64_t left = req->runs - res->runs;
        team->target = part < left ? part : left;
    }
    if (req->seconds > 0) {
        if (req->seconds / SLICES < seconds) seconds = req->seconds / SLICES;
        if (req->seconds - res->seconds < seconds) seconds = req->seconds - res->seconds;
    }
    team->deadline = clock_now() + seconds;
}

static bool is_finished(const struct cpu_team *team, const struct run_result *res, int index) {
    const struct run_request *req = team->req;
    if (req->seconds_each > 0) return index >= req->nschedule || res->stuck > 0 || is_stopped(team);
    return (req->runs && res->runs >= req->runs) || (req->seconds > 0 && res->seconds >= req->seconds) ||
           res->stuck > 0 || is_stopped(team);
}

/* Plays slices, each in the next environment, until there is enough. */
static bool play_portfolio(struct cpu_team *team, struct run_result *res, struct diag *d) {
    const struct run_request *req = team->req;
    for (int index = 0; !is_finished(team, res, index); index++) {
        team->env = cpu_environment_make(team->kernel, req->seed, index,
                                         index < req->nschedule ? &req->schedule[index] : NULL);
        plan_slice(team, res);
        struct parameter environment[ENV_MAX];
        struct trial trial = {.environment = environment,
                              .nenvironment = cpu_environment_describe(&team->env, environment),
                              .index = index};
        double start = clock_now();
        play_slice(team);
        trial.seconds = clock_now() - start;
        uint64_t bounds = collect(team, res, &trial);
        weigh(req, res, &trial);
        if (bounds > 0) {
            diag_fail(d, "%s: an array index was out of bounds in %llu instances", team->kernel->test->name,
                      (unsigned long long)bounds);
            return false;
        }
    }
    res->interrupted = is_stopped(team);
    return true;
}

bool cpu_run(struct kernel *opaque, const struct run_request *req, struct run_result *res, struct diag *d) {
    struct cpu_kernel *k = (struct cpu_kernel *)opaque;
    struct cpu_team team = {
        .kernel = k,
        .req = req,
        .arena = arena_open(),
        .nworkers = k->test->nthreads,
        .crowded = k->test->nthreads > k->dev->ncores,
    };
    pthread_mutex_init(&team.lock, NULL);
    pthread_cond_init(&team.go, NULL);
    pthread_cond_init(&team.done, NULL);
    bool ok = false;
    if (!team_open_sets(&team))
        diag_fail(d, "%s: out of memory", k->test->name);
    else
        ok = team_start(&team, d) && play_portfolio(&team, res, d);
    team_close(&team);
    return ok;
}
