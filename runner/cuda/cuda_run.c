/* Runs a kernel: launches it in one environment after the other and adds up the outcomes. While a launch runs
 * the next one is begun, so that the device need not wait for the host. */
#include <math.h>

#include "base/clock.h"
#include "cuda/cuda_kernel.h"

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

static void collect_gpu(const struct test *t, const struct results *r, struct yield *y) {
    int nwords = observed_words(t), words[TEST_MAX_WORDS];
    for (int i = 0; i < BIG_SLOTS; i++) {
        if (r->keys[i] == 0) continue;
        plan_unpack(r->keys[i] ^ KEY_MASK, nwords, words);
        count_outcome(t, words, r->counts[i], y);
    }
    for (unsigned i = 0; i < r->wide_used && i < WIDE_SLOTS; i++)
        count_outcome(t, r->wide + i * (unsigned)nwords, r->wide_counts[i], y);
    y->stuck += r->stuck;
    y->out_of_bounds += r->out_of_bounds;
    y->lost += r->lost;
    y->misplaced += r->misplaced;
    y->rounds = r->rounds;
}

/* Collects the outcomes of a launch. Returns false and leaves an error when some were lost or an index was
 * out of bounds. */
static bool collect(const struct cuda_kernel *k, int slot, struct yield *y, struct diag *d) {
    for (int i = 0; i < k->gpus; i++)
        collect_gpu(k->t, k->dev->gpu[i].slot[slot].fetched, y);
    if (y->lost && gen_small(k->t))
        diag_fail(d, "%s: a launch had more than %d outcomes with values that the test does not have",
                  k->t->name, WIDE_SLOTS);
    else if (y->lost)
        diag_fail(d, "%s: more distinct outcomes than a launch can count: %d, and %d of large values",
                  k->t->name, BIG_SLOTS, WIDE_SLOTS);
    if (y->out_of_bounds)
        diag_fail(d, "%s: an array index was out of bounds in %llu instances", k->t->name,
                  (unsigned long long)y->out_of_bounds);
    return !y->lost && !y->out_of_bounds;
}

/* Counts the runs that satisfy the condition; for a claim about all runs (forall), those that break it. */
static uint64_t satisfied(const struct test *t, const struct histogram *h) {
    uint64_t n = 0;
    for (size_t i = 0; i < h->n; i++)
        if (expr_is_true(t->cond.prop, &(struct expr_env){.obs = h->outcomes[i].values}) !=
            (t->cond.kind == FORALL))
            n += h->outcomes[i].count;
    return n;
}

/* A launch that was begun and whose outcomes were not collected yet. */
struct cuda_flight {
    struct cuda_environment set;
    struct launch_plan plan;
    int index;     /* of its environment */
    int instances; /* in a round */
    uint64_t runs; /* instances that it is to run */
};

/* How a run is divided: enough environments to be diverse, and enough time in each to be worth a launch. */
struct cuda_budget {
    const struct run_request *req;
    double begun;
    int index; /* of the next launch's environment */
    /* seconds that an instance took lately; [1]: with a location afar; 0: not known */
    double per_instance[2];
    /* with seconds_each: when this many seconds were run, the environment's share is used up; 0: it has not
     * begun */
    double until;
    uint64_t per_environment; /* instances */
    /* how many launches in a row were discarded, because blocks were on the wrong multiprocessors */
    int discarded;
    struct cuda_flight flight[GPU_SLOTS]; /* indexed by slot */
    int oldest, flying;
};

enum { SETTINGS_A_RUN = 64, RUNS_AN_ENVIRONMENT = 1000 * 1000, MAX_DISCARDED = 100 };
/* a round takes at least this long, for its barrier alone */
static const double SECONDS_A_LAUNCH = 0.004, SECONDS_A_ROUND = 3e-6;
/* The first environment of a run gets this long, the second twice as long, and so on: what shows at once is
 * seen at once. */
static const double SECONDS_A_FIRST = 0.00025;

/* Returns the runs so far, including those of launches under way. */
static uint64_t runs_so_far(const struct cuda_budget *b, const struct run_result *res) {
    uint64_t runs = res->runs;
    for (int k = 0; k < b->flying; k++)
        runs += b->flight[(b->oldest + k) % GPU_SLOTS].runs;
    return runs;
}

static bool is_afar(const struct cuda_flight *f) {
    return f->set.afar > 0;
}

static int rounds_for(const struct cuda_budget *b, const struct run_result *res,
                      const struct cuda_flight *f) {
    enum { FIRST_ROUNDS = 8, FIRST_AFAR = 2 }; /* used while it is not known how long a round takes */
    int instances = f->instances;
    bool shared = b->req->seconds_each > 0;
    double rounds = 1e6;
    if (b->req->runs && !shared) {
        uint64_t left = b->req->runs - runs_so_far(b, res);
        double quota = (double)(left < b->per_environment ? left : b->per_environment);
        rounds = ceil(quota / instances);
    }
    double seconds = shared                ? b->until - res->seconds
                     : b->req->seconds > 0 ? b->req->seconds / SETTINGS_A_RUN
                                           : SECONDS_A_LAUNCH;
    if (seconds > SECONDS_A_LAUNCH) seconds = SECONDS_A_LAUNCH;
    if (!shared) seconds = fmin(seconds, SECONDS_A_FIRST * (b->index + 1));
    double each = b->per_instance[is_afar(f)], round = fmax(each * instances, SECONDS_A_ROUND);
    double by_time = each > 0 ? seconds / round : is_afar(f) ? FIRST_AFAR : FIRST_ROUNDS;
    if (rounds > by_time) rounds = by_time;
    return rounds < 2 ? 2 : (int)rounds;
}

static bool finished(const struct cuda_budget *b, const struct run_result *res) {
    const struct run_request *req = b->req;
    if (*req->stop || res->stuck) return true;
    if (req->seconds_each > 0) return b->index >= req->nschedule;
    if (req->runs && runs_so_far(b, res) >= req->runs) return true;
    return req->seconds > 0 && clock_now() - b->begun >= req->seconds;
}

/* Adds one launch to the result. */
static void account(const struct test *t, const struct run_request *req, const struct cuda_flight *f,
                    const struct yield *y, double seconds, struct run_result *res) {
    struct parameter environment[ENV_MAX];
    struct trial trial = {.environment = environment,
                          .nenvironment = cuda_environment_describe(&f->set, environment),
                          .index = f->index,
                          .runs = histogram_total(&y->hist) + y->stuck,
                          .satisfied = satisfied(t, &y->hist),
                          .seconds = seconds};
    double rate = (double)trial.satisfied / seconds;
    for (size_t i = 0; i < y->hist.n; i++)
        histogram_add(&res->hist, y->hist.outcomes[i].values, y->hist.outcomes[i].count);
    if (rate > res->best_rate || res->environments == 0)
        res->nenvironment = cuda_environment_describe(&f->set, res->environment);
    if (req->tried) req->tried(req->ctx, &trial);
    res->best_rate = fmax(res->best_rate, rate);
    res->peak = fmax(res->peak, (double)trial.runs / seconds);
    res->environments++;
    res->seen_in += rate > 0;
    res->stuck += y->stuck;
    res->runs += trial.runs;
    res->seconds += seconds;
}

/* Returns the number of the schedule's turn that environment number `index` gets. If a location can be cold,
 * wholly random environments show little, so they are skipped; they are every third turn behind the
 * schedule. */
static int turn_of(const struct cuda_kernel *k, const struct run_request *req, int index) {
    if (!k->limits.cold || index < req->nschedule) return index;
    return (req->nschedule / 3 + 1 + index / 2) * 3 + index % 2;
}

/* Whether another launch may begin. The first launch is awaited, since it tells how long others take. Every
 * launch is awaited if the next one depends on it (seconds_each), or if CPU threads or other GPUs take
 * part. */
static bool may_begin(const struct cuda_kernel *k, const struct cuda_budget *b) {
    if (b->flying == 0) return true;
    return b->flying < GPU_SLOTS && b->per_instance[0] + b->per_instance[1] > 0 &&
           b->req->seconds_each == 0 && !k->host && k->gpus == 1;
}

/* Begins a launch in the next environment. With seconds_each an environment may have several launches. */
static bool begin_next(struct cuda_kernel *k, struct cuda_budget *b, const struct run_result *res,
                       struct diag *d) {
    const struct run_request *req = b->req;
    int slot = (b->oldest + b->flying) % GPU_SLOTS;
    struct cuda_flight *f = &b->flight[slot];
    struct environment choice = environment_scheduled(req, turn_of(k, req, b->index));
    if (req->seconds_each > 0 && b->until == 0) {
        b->until = res->seconds + 0.9 * req->seconds_each;
        b->per_instance[0] = b->per_instance[1] = 0;
    }
    f->index = b->index;
    f->set = cuda_environment_choose(req->seed, (unsigned)f->index, &choice, &k->limits);
    if (!plan_make(k, &f->set, req->seed + (uint64_t)f->index, &f->plan, d)) return false;
    f->instances = f->plan.env[0].instances * f->plan.env[0].batch * k->gpus;
    int rounds = rounds_for(b, res, f);
    f->runs = (uint64_t)rounds * (unsigned)f->instances;
    for (int i = 0; i < k->gpus; i++)
        f->plan.env[i].rounds = rounds;
    if (!launch_begin(k, &f->plan, slot, d)) return false;
    b->flying++;
    b->index += req->seconds_each == 0;
    return true;
}

/* With seconds_each: goes on to the next environment when the share of this one is used up, or a launch was
 * discarded. */
static void end_share(struct cuda_budget *b, const struct run_result *res) {
    if (b->req->seconds_each == 0 || (res->seconds < b->until && b->discarded == 0)) return;
    b->index++;
    b->until = 0;
}

/* Waits for the oldest launch under way. It does not count if blocks that should be apart shared a
 * multiprocessor, or the other way round. */
static bool end_oldest(const struct cuda_kernel *k, struct cuda_budget *b, struct run_result *res,
                       struct diag *d) {
    int slot = b->oldest;
    const struct cuda_flight *f = &b->flight[slot];
    struct yield y = {.hist.nobs = k->t->nobs};
    float ms = 0;
    bool ok = launch_end(k, slot, &ms, d) && collect(k, slot, &y, d);
    b->oldest = (slot + 1) % GPU_SLOTS;
    b->flying--;
    if (ok) b->discarded = y.misplaced ? b->discarded + 1 : 0;
    if (ok && !y.misplaced) {
        account(k->t, b->req, f, &y, ms / 1e3, res);
        b->per_instance[is_afar(f)] = ms / 1e3 / ((y.rounds ? y.rounds : 1) * (double)f->instances);
    }
    histogram_free(&y.hist);
    end_share(b, res);
    if (b->discarded <= MAX_DISCARDED) return ok;
    diag_fail(d, "%s: the device does not keep blocks on %s", k->t->name,
              k->one_sm ? "one multiprocessor" : "different multiprocessors");
    return false;
}

/* Writes the seats of the test's threads into the GPUs' memory, before the first launch of a run. */
static bool write_spots(const struct cuda_kernel *k, struct diag *d) {
    const struct cuda_api *cu = k->dev->cu;
    size_t bytes = (size_t)k->nspots * sizeof *k->spots;
    for (int i = 0; i < k->gpus; i++) {
        const struct gpu *g = &k->dev->gpu[i];
        if (!CUDA_TRY(cu, d, cuCtxSetCurrent(g->context)) ||
            !CUDA_TRY(cu, d, cuMemcpyHtoDAsync(g->spots, k->spots, bytes, g->slot[0].stream)))
            return false;
    }
    return true;
}

/* After a failure: waits until nothing is under way, so that the kernel can be discarded. */
static void settle(const struct cuda_kernel *k, const struct cuda_budget *b) {
    struct diag ignored = {0};
    float ms;
    for (int n = 0; n < b->flying; n++)
        launch_end(k, (b->oldest + n) % GPU_SLOTS, &ms, &ignored);
    diag_free(&ignored);
}

bool cuda_run(struct cuda_kernel *k, const struct run_request *req, struct run_result *res, struct diag *d) {
    uint64_t share = req->runs / SETTINGS_A_RUN;
    struct cuda_budget b = {.req = req,
                            .begun = clock_now(),
                            .per_environment = share > RUNS_AN_ENVIRONMENT ? share : RUNS_AN_ENVIRONMENT};
    bool ok = write_spots(k, d);
    while (ok) {
        if (may_begin(k, &b) && !finished(&b, res)) {
            ok = begin_next(k, &b, res, d);
            if (b.flying == GPU_SLOTS && req->meanwhile) req->meanwhile(req->ctx);
        } else if (b.flying > 0) {
            ok = end_oldest(k, &b, res, d);
            if (ok && req->progress) req->progress(req->ctx, res->runs, clock_now() - b.begun);
        } else {
            break;
        }
    }
    settle(k, &b);
    res->interrupted = *req->stop != 0;
    return ok;
}
