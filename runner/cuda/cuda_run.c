/* Runs a kernel: launches it with one environment after the other and adds up what came out. */
#include <math.h>

#include "base/clock.h"
#include "cuda/cuda_kernel.h"

static bool clear(const struct cuda_kernel *k, const struct gpu *g, struct diag *d) {
    const struct cuda_api *cu = k->dev->cu;
    return CUDA_TRY(cu, d, cuCtxSetCurrent(g->context)) &&
           CUDA_TRY(cu, d, cuMemsetD8Async(g->results, 0, offsetof(struct results, wide), g->stream)) &&
           (k->gpus == 1 || CUDA_TRY(cu, d, cuStreamSynchronize(g->stream)));
}

static bool start(const struct cuda_kernel *k, struct launch_plan *p, int i, struct diag *d) {
    const struct cuda_api *cu = k->dev->cu;
    const struct gpu *g = &k->dev->gpu[i];
    struct cu_launch_attribute at = {.id = CU_LAUNCH_COOPERATIVE, .value.cooperative = 1};
    if (k->cluster)
        at = (struct cu_launch_attribute){.id = CU_LAUNCH_CLUSTER,
                                          .value.cluster = {(unsigned)k->cluster, 1, 1}};
    struct cu_launch_config config = {{p->grid, 1, 1}, {p->threads, 1, 1}, p->shared, g->stream, &at, 1};
    void *params[] = {&p->env[i]};
    return CUDA_TRY(cu, d, cuCtxSetCurrent(g->context)) &&
           CUDA_TRY(cu, d, cuEventRecord(g->before, g->stream)) &&
           CUDA_TRY(cu, d, cuLaunchKernelEx(&config, k->function[i], params, NULL)) &&
           CUDA_TRY(cu, d, cuEventRecord(g->after, g->stream));
}

/* Launches a kernel of the test in a round, or what settles that. */
static bool start_kernel(const struct cuda_kernel *k, struct launch_plan *p, int kernel, int round,
                         struct diag *d) {
    const struct cuda_api *cu = k->dev->cu;
    struct launch_args *e = &p->env[0];
    struct cu_launch_attribute at = {.id = CU_LAUNCH_PROGRAMMATIC, .value.programmatic = 1};
    bool dependent = kernel > 0 && kernel < k->kernels && k->launch[kernel] == LAUNCH_DEPENDENT;
    struct cu_launch_config config = {
        {p->grid, 1, 1}, {p->threads, 1, 1}, p->shared, k->dev->gpu[0].stream, &at, dependent};
    void *params[] = {e};
    e->kernel = kernel;
    e->round = round;
    e->kernel_blocks = kernel < k->kernels ? k->kernel_blocks[kernel] : 0;
    return CUDA_TRY(cu, d, cuLaunchKernelEx(&config, k->function[0], params, NULL));
}

/* The rounds of a test of several kernels, a launch for each of them; the first one gives the locations their initial
 * values. */
static bool start_kernels(const struct cuda_kernel *k, struct launch_plan *p, struct diag *d) {
    const struct cuda_api *cu = k->dev->cu;
    const struct gpu *g = &k->dev->gpu[0];
    if (!CUDA_TRY(cu, d, cuCtxSetCurrent(g->context)) ||
        !CUDA_TRY(cu, d, cuEventRecord(g->before, g->stream)) || !start_kernel(k, p, k->kernels, 0, d))
        return false;
    for (int round = 1; round <= p->env[0].rounds; round++)
        for (int kernel = 0; kernel <= k->kernels; kernel++)
            if (!start_kernel(k, p, kernel, round, d)) return false;
    return CUDA_TRY(cu, d, cuEventRecord(g->after, g->stream));
}

static bool fetch(const struct cuda_api *cu, const struct gpu *g, struct diag *d) {
    const size_t most = offsetof(struct results, wide_counts), rest = sizeof(struct results) - most;
    struct results *r = g->fetched;
    if (!CUDA_TRY(cu, d, cuCtxSetCurrent(g->context)) ||
        !CUDA_TRY(cu, d, cuMemcpyDtoHAsync(r, g->results, most, g->stream)) ||
        !CUDA_TRY(cu, d, cuStreamSynchronize(g->stream)))
        return false;
    if (r->wide_used == 0) return true;
    return CUDA_TRY(cu, d, cuMemcpyDtoHAsync(r->wide_counts, g->results + most, rest, g->stream)) &&
           CUDA_TRY(cu, d, cuStreamSynchronize(g->stream));
}

static bool start_all(const struct cuda_kernel *k, struct launch_plan *p, struct diag *d) {
    for (int i = 0; i < k->gpus; i++)
        if (!clear(k, &k->dev->gpu[i], d)) return false;
    if (k->kernels > 1) return start_kernels(k, p, d);
    for (int i = 0; i < k->gpus; i++)
        if (!start(k, p, i, d)) return false;
    return true;
}

static bool fetch_all(const struct cuda_kernel *k, float *ms, struct diag *d) {
    const struct cuda_api *cu = k->dev->cu;
    *ms = 0;
    for (int i = 0; i < k->gpus; i++) {
        float one = 0;
        const struct gpu *g = &k->dev->gpu[i];
        if (!fetch(cu, g, d) || !CUDA_TRY(cu, d, cuEventElapsedTime(&one, g->before, g->after))) return false;
        *ms = fmaxf(*ms, one);
    }
    return true;
}

/* Runs one launch on every GPU, with the CPU threads beside it. *ms is the time of the slowest. */
static bool launch(const struct cuda_kernel *k, struct launch_plan *p, float *ms, struct diag *d) {
    if (!k->host) return start_all(k, p, d) && fetch_all(k, ms, d);
    if (!host_start(k->host, &p->env[0], k->dev->locations.memory, d)) return false;
    bool ok = start_all(k, p, d) && fetch_all(k, ms, d);
    host_finish(k->host, !ok);
    return ok;
}

static void unpack(unsigned long long key, int nwords, int *words) {
    int bits = nwords == 1 ? 32 : 64 / nwords;
    for (int o = 0; o < nwords; o++) {
        uint64_t v = key >> o * bits % 64;
        words[o] = bits >= 32 ? (int32_t)(uint32_t)v : (int32_t)((uint32_t)v << (32 - bits)) >> (32 - bits);
    }
}

/* What one launch has shown, on all GPUs together. */
struct yield {
    struct histogram hist;
    uint64_t stuck, out_of_bounds, lost, misplaced;
    unsigned rounds;
};

static void count_outcome(const struct test *t, const int *words, uint64_t count, struct yield *y) {
    struct value values[TEST_MAX_OBS];
    observed_values(t, words, values);
    histogram_add(&y->hist, values, count);
}

static void collect_gpu(const struct test *t, const struct gpu *g, struct yield *y) {
    const struct results *r = g->fetched;
    int nwords = observed_words(t), words[TEST_MAX_WORDS];
    for (int i = 0; i < BIG_SLOTS; i++) {
        if (r->keys[i] == 0) continue;
        unpack(r->keys[i] ^ KEY_MASK, nwords, words);
        count_outcome(t, words, r->counts[i], y);
    }
    for (unsigned i = 0; i < r->wide_used; i++)
        count_outcome(t, r->wide + i * (unsigned)nwords, r->wide_counts[i], y);
    y->stuck += r->stuck;
    y->out_of_bounds += r->out_of_bounds;
    y->lost += r->lost;
    y->misplaced += r->misplaced;
    y->rounds = r->rounds;
}

/* Collects the outcomes of a launch. False and an error when some were lost or an index was out of bounds. */
static bool collect(const struct cuda_kernel *k, struct yield *y, struct diag *d) {
    for (int i = 0; i < k->gpus; i++)
        collect_gpu(k->t, &k->dev->gpu[i], y);
    if (y->lost)
        diag_fail(d, "%s: more distinct outcomes than a launch can count: %d, and %d of large values",
                  k->t->name, BIG_SLOTS, WIDE_SLOTS);
    if (y->out_of_bounds)
        diag_fail(d, "%s: an array index was out of bounds in %llu instances", k->t->name,
                  (unsigned long long)y->out_of_bounds);
    return !y->lost && !y->out_of_bounds;
}

/* How many outcomes satisfy the condition; of a claim about all runs, how many break it. */
static uint64_t satisfied(const struct test *t, const struct histogram *h) {
    uint64_t n = 0;
    for (size_t i = 0; i < h->n; i++)
        if (expr_is_true(t->cond.prop, &(struct expr_env){.obs = h->outcomes[i].values}) !=
            (t->cond.kind == FORALL))
            n += h->outcomes[i].count;
    return n;
}

/* How a run is spent: enough environments to be diverse, each long enough to be worth its launch. */
struct cuda_budget {
    const struct run_request *req;
    int index;                /* of the environment */
    double per_instance;      /* seconds that an instance took lately; 0: not known */
    double left;              /* seconds of the environment's own share; 0: it has none */
    uint64_t per_environment; /* instances */
    int discarded;            /* launches in a row that did not have the placement */
};

enum { SETTINGS_A_RUN = 64, RUNS_AN_ENVIRONMENT = 1000 * 1000, MAX_DISCARDED = 100 };
static const double SECONDS_A_LAUNCH = 0.004, SECONDS_A_ROUND = 3e-6; /* the barrier alone */
/* The first environments of a run get so much each, then twice, three times: what shows at once is seen at once. */
static const double SECONDS_A_FIRST = 0.00025;

static int rounds_for(const struct cuda_budget *b, const struct run_result *res, int instances) {
    double rounds = 1e6;
    if (b->req->runs && b->left == 0) {
        uint64_t left = b->req->runs - res->runs;
        double quota = (double)(left < b->per_environment ? left : b->per_environment);
        rounds = ceil(quota / instances);
    }
    double seconds = b->left > 0           ? b->left
                     : b->req->seconds > 0 ? b->req->seconds / SETTINGS_A_RUN
                                           : SECONDS_A_LAUNCH;
    if (seconds > SECONDS_A_LAUNCH) seconds = SECONDS_A_LAUNCH;
    if (b->left == 0) seconds = fmin(seconds, SECONDS_A_FIRST * (b->index + 1));
    double round = fmax(b->per_instance * instances, SECONDS_A_ROUND);
    double by_time = b->per_instance > 0 ? seconds / round : 8;
    if (rounds > by_time) rounds = by_time;
    return rounds < 2 ? 2 : (int)rounds;
}

static bool finished(const struct run_request *req, const struct run_result *res, int index, double begun) {
    if (*req->stop || res->stuck) return true;
    if (req->seconds_each > 0) return index >= req->nschedule;
    if (req->runs && res->runs >= req->runs) return true;
    return req->seconds > 0 && clock_now() - begun >= req->seconds;
}

/* Adds one launch to the result. */
static void account(const struct test *t, const struct cuda_environment *set, const struct yield *y,
                    double seconds, const struct cuda_budget *budget, struct run_result *res) {
    const struct run_request *req = budget->req;
    struct parameter environment[ENV_MAX];
    struct trial trial = {.environment = environment,
                          .nenvironment = cuda_environment_describe(set, environment),
                          .index = budget->index,
                          .runs = histogram_total(&y->hist) + y->stuck,
                          .satisfied = satisfied(t, &y->hist),
                          .seconds = seconds};
    double rate = (double)trial.satisfied / seconds;
    for (size_t i = 0; i < y->hist.n; i++)
        histogram_add(&res->hist, y->hist.outcomes[i].values, y->hist.outcomes[i].count);
    if (rate > res->best_rate || res->environments == 0)
        res->nenvironment = cuda_environment_describe(set, res->environment);
    if (req->tried) req->tried(req->ctx, &trial);
    res->best_rate = fmax(res->best_rate, rate);
    res->peak = fmax(res->peak, (double)trial.runs / seconds);
    res->environments++;
    res->seen_in += rate > 0;
    res->stuck += y->stuck;
    res->runs += trial.runs;
    res->seconds += seconds;
}

/* Runs one launch of a plan. It counts unless blocks that should be apart shared a multiprocessor. */
static bool run_plan(const struct cuda_kernel *k, struct launch_plan *p, const struct cuda_environment *set,
                     struct cuda_budget *budget, struct run_result *res, struct diag *d) {
    struct yield y = {.hist.nobs = k->t->nobs};
    float ms = 0;
    bool ok = launch(k, p, &ms, d) && collect(k, &y, d);
    if (ok) budget->discarded = y.misplaced ? budget->discarded + 1 : 0;
    if (ok && !y.misplaced) {
        double rounds = y.rounds ? y.rounds : 1, instances = p->env[0].instances * p->env[0].batch * k->gpus;
        account(k->t, set, &y, ms / 1e3, budget, res);
        budget->per_instance = ms / 1e3 / (rounds * instances);
    }
    histogram_free(&y.hist);
    return ok;
}

/* The turn of environment number `index`. Where a location can be cold, those of chance alone show little and are left
 * out: they are the last of three. */
static int turn_of(const struct cuda_kernel *k, const struct run_request *req, int index) {
    if (!k->limits.cold || index < req->nschedule) return index;
    return (req->nschedule / 3 + 1 + index / 2) * 3 + index % 2;
}

/* Runs one environment: a launch, or as many as its share of time allows. A launch that was discarded is the last. */
static bool run_environment(struct cuda_kernel *k, struct cuda_budget *budget, struct run_result *res,
                            struct diag *d) {
    const struct run_request *req = budget->req;
    int index = budget->index;
    double until = res->seconds + 0.9 * req->seconds_each;
    struct environment choice = environment_scheduled(req, turn_of(k, req, index));
    struct cuda_environment set = cuda_environment_choose(req->seed, (unsigned)index, &choice, &k->limits);
    struct launch_plan p;
    if (!plan_make(k, &set, req->seed + (uint64_t)index, &p, d)) return false;
    if (req->seconds_each > 0) budget->per_instance = 0;
    do {
        budget->left = req->seconds_each > 0 ? until - res->seconds : 0;
        for (int i = 0; i < k->gpus; i++)
            p.env[i].rounds = rounds_for(budget, res, p.env[0].instances * p.env[0].batch * k->gpus);
        if (!run_plan(k, &p, &set, budget, res, d)) return false;
        if (budget->discarded > MAX_DISCARDED) {
            diag_fail(d, "%s: the device does not keep blocks on %s", k->t->name,
                      k->one_sm ? "one multiprocessor" : "different multiprocessors");
            return false;
        }
    } while (res->seconds < until && budget->discarded == 0 && !*req->stop && !res->stuck);
    return true;
}

/* Writes into the GPUs' memory where the test's threads sit. */
static bool write_spots(const struct cuda_kernel *k, struct diag *d) {
    const struct cuda_api *cu = k->dev->cu;
    size_t bytes = (size_t)k->nspots * sizeof *k->spots;
    for (int i = 0; i < k->gpus; i++) {
        const struct gpu *g = &k->dev->gpu[i];
        if (!CUDA_TRY(cu, d, cuCtxSetCurrent(g->context)) ||
            !CUDA_TRY(cu, d, cuMemcpyHtoDAsync(g->spots, k->spots, bytes, g->stream)))
            return false;
    }
    return true;
}

bool cuda_run(struct cuda_kernel *k, const struct run_request *req, struct run_result *res, struct diag *d) {
    uint64_t share = req->runs / SETTINGS_A_RUN;
    struct cuda_budget budget = {
        .req = req, .per_environment = share > RUNS_AN_ENVIRONMENT ? share : RUNS_AN_ENVIRONMENT};
    double begun = clock_now();
    if (!write_spots(k, d)) return false;
    for (; !finished(req, res, budget.index, begun); budget.index++) {
        if (!run_environment(k, &budget, res, d)) return false;
        if (req->progress) req->progress(req->ctx, res->runs, clock_now() - begun);
    }
    res->interrupted = *req->stop != 0;
    return true;
}
