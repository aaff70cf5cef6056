/* Runs a kernel: launches it with one setting after the other and adds up what came out. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "../kernels/environment.h"
#include "exec/cuda_kernel.h"

enum {
    WAIT_CYCLES = 400 * 1000 * 1000, /* about 0.2 s: hundreds of threads may queue at one lock */
    MAX_WORDS = 1 << 28,             /* of all locations in one memory space */
};

/* Everything a run holds on the device, and the host's copy of what a launch writes. */
struct session {
    struct kernel *k;
    const struct cuda_api *cu;
    cu_stream stream;
    cu_event before, after;
    cu_pointer global, values, control, keys, counts, wide, wide_counts, sm_of, scratch;
    size_t global_bytes, values_bytes;
    void *pinned;
    size_t pinned_bytes;
    struct results {
        struct control control;
        unsigned long long keys[BIG_SLOTS], counts[BIG_SLOTS], wide_counts[WIDE_SLOTS];
        int wide[WIDE_SLOTS * TEST_MAX_OBS];
    } * results;           /* page-locked */
    struct histogram last; /* of one launch */
};

static bool session_open(struct session *s, struct kernel *k, struct diag *d) {
    const struct cuda_api *cu = k->dev->cu;
    *s = (struct session){.k = k, .cu = cu, .last = {.nobs = k->t->nobs}};
    void *results = NULL;
    bool ok = CUDA_TRY(cu, d, cuCtxSetCurrent(k->dev->context)) &&
              CUDA_TRY(cu, d, cuStreamCreate(&s->stream, CU_STREAM_NON_BLOCKING)) &&
              CUDA_TRY(cu, d, cuEventCreate(&s->before, 0)) && CUDA_TRY(cu, d, cuEventCreate(&s->after, 0)) &&
              CUDA_TRY(cu, d, cuMemAlloc(&s->control, sizeof(struct control))) &&
              CUDA_TRY(cu, d, cuMemAlloc(&s->keys, sizeof s->results->keys)) &&
              CUDA_TRY(cu, d, cuMemAlloc(&s->counts, sizeof s->results->counts)) &&
              CUDA_TRY(cu, d, cuMemAlloc(&s->wide, sizeof s->results->wide)) &&
              CUDA_TRY(cu, d, cuMemAlloc(&s->wide_counts, sizeof s->results->wide_counts)) &&
              CUDA_TRY(cu, d, cuMemAlloc(&s->scratch, SCRATCH_WORDS * sizeof(int))) &&
              CUDA_TRY(cu, d, cuMemAlloc(&s->sm_of, MAX_SM * 64 * sizeof(unsigned))) &&
              CUDA_TRY(cu, d, cuMemHostAlloc(&results, sizeof *s->results, 0));
    s->results = results;
    return ok;
}

static void session_close(struct session *s) {
    const struct cuda_api *cu = s->cu;
    const cu_pointer memory[] = {s->global, s->values,      s->control, s->keys,   s->counts,
                                 s->wide,   s->wide_counts, s->sm_of,   s->scratch};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        if (memory[i]) cu->cuMemFree(memory[i]);
    if (s->pinned) cu->cuMemFreeHost(s->pinned);
    if (s->results) cu->cuMemFreeHost(s->results);
    if (s->before) cu->cuEventDestroy(s->before);
    if (s->after) cu->cuEventDestroy(s->after);
    if (s->stream) cu->cuStreamDestroy(s->stream);
    histogram_free(&s->last);
}

static bool grow(struct session *s, cu_pointer *p, size_t *have, size_t need, struct diag *d) {
    if (need <= *have) return true;
    if (*p) s->cu->cuMemFree(*p);
    *p = 0;
    *have = 0;
    if (!CUDA_TRY(s->cu, d, cuMemAlloc(p, need))) return false;
    *have = need;
    return true;
}

static bool grow_pinned(struct session *s, size_t need, struct diag *d) {
    if (need <= s->pinned_bytes) return true;
    if (s->pinned) s->cu->cuMemFreeHost(s->pinned);
    s->pinned = NULL;
    s->pinned_bytes = 0;
    if (!CUDA_TRY(s->cu, d, cuMemHostAlloc(&s->pinned, need, CU_HOST_ALLOC_MAPPED))) return false;
    s->pinned_bytes = need;
    return true;
}

/* One launch's shape, from a setting and what fits. */
struct plan {
    struct environment env;
    unsigned grid, threads, shared;
    size_t global_bytes, host_bytes, values_bytes;
};

/* Fills in blocks and instances; false when not one instance fits. */
static bool fit(const struct session *s, struct setting *set, struct plan *p, struct diag *d) {
    const struct kernel *k = s->k;
    const struct shape *sh = &k->shape;
    int test_blocks = k->v->placement->nblocks, resident = 0;
    p->threads = (unsigned)set->threads;
    int per_block = k->dedicated ? set->threads / 32 / k->warps * (32 / k->lanes) : set->threads;
    struct environment *e = &p->env;
    for (;;) {
        *e = (struct environment){
            .batch = set->batch, .stride = set->stride, .interleave = set->interleave, .pad = set->pad};
        p->shared =
            (unsigned)(2 * e->batch * chunk_words(e, per_block, sh->shared_elements)) * (unsigned)sizeof(int);
        if ((int)p->shared + 4096 <= k->dev->max_shared) break;
        if (set->pad)
            set->pad = 0;
        else if (set->batch > 1)
            set->batch /= 2;
        else if (set->stride > 1)
            set->stride /= 2;
        else
            break;
    }
    if ((int)p->shared + 4096 > k->dev->max_shared) {
        diag_fail(d, "%s: %u bytes of shared memory a block do not fit", k->t->name, p->shared);
        return false;
    }
    if (!CUDA_TRY(s->cu, d, cuFuncSetAttribute(k->function, CU_FUNC_MAX_DYNAMIC_SHARED, (int)p->shared)) ||
        !CUDA_TRY(s->cu, d, cuOccupancy(&resident, k->function, set->threads, p->shared)))
        return false;
    if (set->blocks > resident) set->blocks = resident;
    int grid = k->dev->sms * set->blocks;
    if (k->cluster) {
        struct cu_launch_attribute at = {.id = CU_LAUNCH_CLUSTER,
                                         .value.cluster = {(unsigned)k->cluster, 1, 1}};
        struct cu_launch_config config = {
            {(unsigned)k->cluster, 1, 1}, {p->threads, 1, 1}, p->shared, s->stream, &at, 1};
        int clusters = 0;
        if (!CUDA_TRY(s->cu, d, cuOccupancyClusters(&clusters, k->function, &config))) return false;
        grid = clusters * k->cluster;
    }
    if (k->dedicated || k->cluster || set->stress >= set->blocks) set->stress = 0;
    int homes = k->dedicated ? grid / test_blocks : grid - k->dev->sms * set->stress;
    if (homes < 1) {
        diag_fail(d, "%s: %d blocks of %d threads do not run at once on this device", k->t->name, test_blocks,
                  set->threads);
        return false;
    }
    p->grid = (unsigned)grid;
    e->homes = homes;
    e->per_block = per_block;
    e->instances = homes * per_block;
    int words = sh->global_elements > sh->host_elements ? sh->global_elements : sh->host_elements;
    while ((double)words * 2 * set->batch * e->instances * set->stride > MAX_WORDS) {
        if (set->stride > 1)
            set->stride /= 2;
        else if (set->batch > 1)
            set->batch /= 2;
        else
            break;
    }
    e->batch = set->batch;
    e->stride = set->stride;
    return true;
}

static int log2_exact(int n) {
    int bits = 0;
    while (1 << bits < n)
        bits++;
    return 1 << bits == n ? bits : -1;
}

/* All chunks of a space. */
static size_t space_bytes(const struct environment *e, int elements) {
    return 2 * (size_t)e->batch * (size_t)chunk_words(e, e->instances, elements) * sizeof(int);
}

static bool make_plan(struct session *s, struct setting *set, uint64_t seed, struct plan *p, struct diag *d) {
    const struct shape *sh = &s->k->shape;
    *p = (struct plan){0};
    if (!fit(s, set, p, d)) return false;
    struct environment *e = &p->env;
    p->global_bytes = space_bytes(e, sh->global_elements);
    p->host_bytes = space_bytes(e, sh->host_elements);
    p->values_bytes = 2 * (size_t)e->batch * (size_t)(s->k->t->nobs + 1) * (size_t)e->instances * sizeof(int);
    if (!grow(s, &s->global, &s->global_bytes, p->global_bytes, d) ||
        !grow(s, &s->values, &s->values_bytes, p->values_bytes, d) || !grow_pinned(s, p->host_bytes, d))
        return false;
    cu_pointer host = 0;
    if (s->pinned && !CUDA_TRY(s->cu, d, cuMemHostGetDevicePointer(&host, s->pinned, 0))) return false;
#define DEVICE(type, p) ((type *)(uintptr_t)(p))
    e->global = DEVICE(int, s->global);
    e->host = DEVICE(int, host);
    e->values = DEVICE(int, s->values);
    e->control = DEVICE(struct control, s->control);
    e->keys = DEVICE(unsigned long long, s->keys);
    e->counts = DEVICE(unsigned long long, s->counts);
    e->wide = DEVICE(int, s->wide);
    e->wide_counts = DEVICE(unsigned long long, s->wide_counts);
    e->sm_of = DEVICE(unsigned, s->sm_of);
    e->seed = seed;
    e->wait = WAIT_CYCLES;
    e->pow2 = log2_exact(e->per_block);
    e->spread = set->spread;
    e->skew = set->skew;
    e->distance = set->distance;
    e->mix = set->mix;
    e->order = set->order;
    e->delay = set->delay;
    e->lag = set->lag;
    e->warm = set->warm;
    e->scratch = DEVICE(int, s->scratch);
    return true;
}

static bool fetch(struct session *s, struct diag *d) {
    struct results *r = s->results;
    const struct cuda_api *cu = s->cu;
    return CUDA_TRY(cu, d, cuMemcpyDtoHAsync(&r->control, s->control, sizeof r->control, s->stream)) &&
           CUDA_TRY(cu, d, cuMemcpyDtoHAsync(r->keys, s->keys, sizeof r->keys, s->stream)) &&
           CUDA_TRY(cu, d, cuMemcpyDtoHAsync(r->counts, s->counts, sizeof r->counts, s->stream)) &&
           CUDA_TRY(cu, d, cuStreamSynchronize(s->stream));
}

static bool fetch_wide(struct session *s, struct diag *d) {
    struct results *r = s->results;
    const struct cuda_api *cu = s->cu;
    if (r->control.wide_used == 0) return true;
    return CUDA_TRY(cu, d, cuMemcpyDtoHAsync(r->wide, s->wide, sizeof r->wide, s->stream)) &&
           CUDA_TRY(cu, d,
                    cuMemcpyDtoHAsync(r->wide_counts, s->wide_counts, sizeof r->wide_counts, s->stream)) &&
           CUDA_TRY(cu, d, cuStreamSynchronize(s->stream));
}

static bool launch(struct session *s, struct plan *p, float *ms, struct diag *d) {
    const struct cuda_api *cu = s->cu;
    struct kernel *k = s->k;
    struct cu_launch_attribute at = {.id = CU_LAUNCH_COOPERATIVE, .value.cooperative = 1};
    if (k->cluster)
        at = (struct cu_launch_attribute){.id = CU_LAUNCH_CLUSTER,
                                          .value.cluster = {(unsigned)k->cluster, 1, 1}};
    struct cu_launch_config config = {{p->grid, 1, 1}, {p->threads, 1, 1}, p->shared, s->stream, &at, 1};
    void *params[] = {&p->env};
    return CUDA_TRY(cu, d, cuMemsetD8Async(s->control, 0, sizeof(struct control), s->stream)) &&
           CUDA_TRY(cu, d, cuMemsetD8Async(s->values, 0, p->values_bytes, s->stream)) &&
           CUDA_TRY(cu, d, cuMemsetD32Async(s->keys, EMPTY_KEY & 0xffffffffu, 2 * BIG_SLOTS, s->stream)) &&
           CUDA_TRY(cu, d, cuMemsetD8Async(s->counts, 0, sizeof s->results->counts, s->stream)) &&
           CUDA_TRY(cu, d, cuMemsetD8Async(s->wide_counts, 0, sizeof s->results->wide_counts, s->stream)) &&
           CUDA_TRY(cu, d, cuEventRecord(s->before, s->stream)) &&
           CUDA_TRY(cu, d, cuLaunchKernelEx(&config, k->function, params, NULL)) &&
           CUDA_TRY(cu, d, cuEventRecord(s->after, s->stream)) && fetch(s, d) && fetch_wide(s, d) &&
           CUDA_TRY(cu, d, cuEventElapsedTime(ms, s->before, s->after));
}

static void unpack(unsigned long long key, int nobs, int32_t *values) {
    int bits = nobs == 1 ? 32 : 64 / nobs;
    for (int o = 0; o < nobs; o++) {
        uint64_t v = key >> o * bits % 64;
        values[o] = bits >= 32 ? (int32_t)(uint32_t)v : (int32_t)((uint32_t)v << (32 - bits)) >> (32 - bits);
    }
}

/* A launch's outcomes into s->last. False when some were lost or an index was out of bounds. */
static bool collect(struct session *s, struct diag *d) {
    const struct results *r = s->results;
    int nobs = s->k->t->nobs;
    int32_t values[TEST_MAX_OBS];
    histogram_free(&s->last);
    s->last = (struct histogram){.nobs = nobs};
    for (int i = 0; i < BIG_SLOTS; i++) {
        if (r->keys[i] == EMPTY_KEY) continue;
        unpack(r->keys[i], nobs, values);
        histogram_add(&s->last, values, r->counts[i]);
    }
    for (unsigned i = 0; i < r->control.wide_used; i++)
        histogram_add(&s->last, r->wide + i * (unsigned)nobs, r->wide_counts[i]);
    if (r->control.lost)
        diag_fail(d, "%s: more distinct outcomes than the %d that a launch can count", s->k->t->name,
                  BIG_SLOTS);
    if (r->control.out_of_bounds)
        diag_fail(d, "%s: an array index was out of bounds in %u instances", s->k->t->name,
                  r->control.out_of_bounds);
    return !r->control.lost && !r->control.out_of_bounds;
}

static uint64_t satisfied(const struct test *t, const struct histogram *h) {
    uint64_t n = 0;
    for (size_t i = 0; i < h->n; i++)
        if (expr_eval(t->cond.prop, &(struct expr_env){.obs = h->outcomes[i].values}))
            n += h->outcomes[i].count;
    return n;
}

/* How a run is spent: enough settings to be diverse, each long enough to be worth its launch. */
struct budget {
    const struct run_request *req;
    double per_round;     /* seconds a round took lately */
    uint64_t per_setting; /* instances */
    int discarded;        /* launches that did not have the placement that was asked for */
};

enum { SETTINGS_A_RUN = 64, MAX_DISCARDED = 100 };
static const double SECONDS_A_LAUNCH = 0.004;

static int rounds_for(const struct budget *b, const struct run_result *res, int instances) {
    double rounds = 1e6;
    if (b->req->runs) {
        uint64_t left = b->req->runs - res->runs;
        double quota = (double)(left < b->per_setting ? left : b->per_setting);
        rounds = ceil(quota / instances);
    }
    double seconds = b->req->seconds > 0 ? b->req->seconds / SETTINGS_A_RUN : SECONDS_A_LAUNCH;
    if (seconds > SECONDS_A_LAUNCH) seconds = SECONDS_A_LAUNCH;
    double by_time = b->per_round > 0 ? seconds / b->per_round : 8;
    if (rounds > by_time) rounds = by_time;
    return rounds < 2 ? 2 : (int)rounds;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool finished(const struct run_request *req, const struct run_result *res, double begun) {
    if (*req->stop || res->stuck) return true;
    if (req->runs && res->runs >= req->runs) return true;
    return req->seconds > 0 && now() - begun >= req->seconds;
}

/* Adds one launch to the result. */
static void account(const struct session *s, const struct setting *set, double seconds,
                    const struct run_request *req, struct run_result *res) {
    struct parameter environment[ENV_MAX];
    struct trial trial = {environment, setting_describe(set, environment),
                          histogram_total(&s->last) + s->results->control.stuck, satisfied(s->k->t, &s->last),
                          seconds};
    double rate = (double)trial.satisfied / seconds;
    for (size_t i = 0; i < s->last.n; i++)
        histogram_add(&res->hist, s->last.outcomes[i].values, s->last.outcomes[i].count);
    if (rate > res->best_rate || res->environments == 0)
        res->nenvironment = setting_describe(set, res->environment);
    if (req->tried) req->tried(req->ctx, &trial);
    res->best_rate = fmax(res->best_rate, rate);
    res->peak = fmax(res->peak, (double)trial.runs / seconds);
    res->environments++;
    res->seen_in += rate > 0;
    res->stuck += s->results->control.stuck;
    res->runs += trial.runs;
    res->seconds += seconds;
}

/* One launch of a plan, counted unless blocks that should be apart shared a multiprocessor. */
static bool run_plan(struct session *s, struct plan *p, const struct setting *set, struct budget *budget,
                     struct run_result *res, struct diag *d) {
    float ms = 0;
    if (!launch(s, p, &ms, d)) return false;
    if (s->results->control.same_sm) {
        budget->discarded++;
        return true;
    }
    if (!collect(s, d)) return false;
    account(s, set, ms / 1e3, budget->req, res);
    budget->per_round = ms / 1e3 / (s->results->control.rounds ? s->results->control.rounds : 1);
    return true;
}

static bool run_settings(struct session *s, const struct run_request *req, struct run_result *res,
                         struct diag *d) {
    struct budget budget = {.req = req, .per_setting = req->runs / SETTINGS_A_RUN + 1};
    double begun = now();
    for (int index = 0; !finished(req, res, begun); index++) {
        const struct environment_choice *choice = index < req->nschedule ? &req->schedule[index] : NULL;
        struct setting set = setting_choose(req->seed, (unsigned)index, choice, &s->k->limits);
        struct plan p;
        if (!make_plan(s, &set, req->seed + (uint64_t)index, &p, d)) return false;
        p.env.rounds = rounds_for(&budget, res, p.env.instances * p.env.batch);
        if (!run_plan(s, &p, &set, &budget, res, d)) return false;
        if (budget.discarded > MAX_DISCARDED) {
            diag_fail(d, "%s: the device does not keep blocks on different multiprocessors", s->k->t->name);
            return false;
        }
        if (req->progress) req->progress(req->ctx, res->runs, now() - begun);
    }
    return true;
}

bool cuda_run(struct kernel *k, const struct run_request *req, struct run_result *res, struct diag *d) {
    struct session s;
    bool ok = session_open(&s, k, d) && run_settings(&s, req, res, d);
    res->interrupted = *req->stop != 0;
    session_close(&s);
    return ok;
}
