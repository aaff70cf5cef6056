/* How a run on a GPU divides its time: on a device that plays so many instances a second, and shows one outcome. */
#include "cm.h"

#include <math.h>
#include <string.h>

#include "cuda/cuda_kernel.h"

static const double INSTANCES_A_SECOND = 1e10;

static struct results results;
static double played; /* instances of the last launch */
static bool shows;    /* the outcome is what the condition asks for */

static cu_result set_current(cu_context context) {
    (void)context;
    return 0;
}

static cu_result set_attribute(cu_function f, int attribute, int value) {
    (void)f, (void)attribute, (void)value;
    return 0;
}

static cu_result occupancy(int *blocks, cu_function f, int threads, size_t shared) {
    (void)f, (void)shared;
    *blocks = 2048 / threads;
    return 0;
}

static cu_result allocate(cu_pointer *p, size_t bytes) {
    *p = bytes;
    return 0;
}

static cu_result release(cu_pointer p) {
    (void)p;
    return 0;
}

static cu_result copy_in(cu_pointer to, const void *from, size_t bytes, cu_stream s) {
    (void)to, (void)from, (void)bytes, (void)s;
    return 0;
}

static cu_result copy_out(void *to, cu_pointer from, size_t bytes, cu_stream s) {
    (void)from, (void)s;
    memcpy(to, &results, bytes);
    return 0;
}

static cu_result fill(cu_pointer p, unsigned char value, size_t bytes, cu_stream s) {
    (void)p, (void)value, (void)bytes, (void)s;
    return 0;
}

static cu_result synchronize(cu_stream s) {
    (void)s;
    return 0;
}

static cu_result record(cu_event e, cu_stream s) {
    (void)e, (void)s;
    return 0;
}

static cu_result elapsed(float *ms, cu_event from, cu_event to) {
    (void)from, (void)to;
    *ms = (float)(1e3 * played / INSTANCES_A_SECOND);
    return 0;
}

static cu_result launch(const struct cu_launch_config *config, cu_function f, void **params, void **extra) {
    const struct launch_args *e = params[0];
    (void)config, (void)f, (void)extra;
    played = (double)e->rounds * e->batch * e->instances;
    results = (struct results){.rounds = (unsigned)e->rounds};
    results.keys[0] = KEY_MASK ^ (shows ? 1 : 2);
    results.counts[0] = (unsigned long long)played;
    return 0;
}

static const struct cuda_api driver = {.cuCtxSetCurrent = set_current,
                                       .cuFuncSetAttribute = set_attribute,
                                       .cuOccupancy = occupancy,
                                       .cuMemAlloc = allocate,
                                       .cuMemFree = release,
                                       .cuMemcpyHtoDAsync = copy_in,
                                       .cuMemcpyDtoHAsync = copy_out,
                                       .cuMemsetD8Async = fill,
                                       .cuStreamSynchronize = synchronize,
                                       .cuEventRecord = record,
                                       .cuEventElapsedTime = elapsed,
                                       .cuLaunchKernelEx = launch};

static const char text[] =
    "name: t\nmemory: {X: 0}\nthreads:\n  T0: |\n    store(X, 1, relaxed, device);\n"
    "  T1: |\n    int r = load(X, relaxed, device);\nexists: r == 1\nplacements: [device]\n";

static double longest; /* launch of a run, in seconds */

static void note(void *ctx, const struct trial *t) {
    (void)ctx;
    longest = fmax(longest, t->seconds);
}

/* How many environments a run of a billion instances tries. */
static int environments(bool seen) {
    struct arena *a = arena_open();
    struct diag d = {0};
    atomic_int stop = 0;
    struct results fetched;
    struct launch_seat spots[2] = {{.block = 0}, {.block = 1}};
    struct cuda_device dev = {.cu = &driver, .sms = 132, .max_shared = 1 << 17, .opened = 1};
    struct cuda_kernel k = {.dev = &dev, .gpus = 1, .kernels = 1, .blocks = 2, .warps = 1, .lanes = 1};
    struct run_request req = {.runs = 1000000000, .seed = 5, .stop = &stop, .tried = note};
    struct run_result res = {.hist.nobs = 1};
    k.t = test_read_text(a, "t.yaml", text, strlen(text), &d);
    assert_non_null(k.t);
    k.shape = gen_shape(k.t);
    k.spots = spots;
    k.limits = (struct cuda_environment_limits){.sms = 132,
                                                .threads_multiple = 32,
                                                .max_threads = 1024,
                                                .test_blocks = 2,
                                                .locations = 1,
                                                .pow2 = true};
    dev.gpu[0].fetched = &fetched;
    shows = seen;
    longest = 0;
    assert_true(cuda_run(&k, &req, &res, &d));
    assert_true(res.runs >= req.runs);
    histogram_free(&res.hist);
    diag_free(&d);
    arena_close(a);
    return res.environments;
}

/* Each environment gets a 64th of the runs, where the condition is seen. */
static void what_is_seen_is_run_for_long(void **state) {
    (void)state;
    assert_in_range(environments(true), 64, 100);
    assert_true(longest > 0.001);
}

static void what_is_not_seen_is_looked_for_in_many_environments(void **state) {
    (void)state;
    assert_true(environments(false) > 200);
    assert_true(longest < 0.00055);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_seen_is_run_for_long),
        cmocka_unit_test(what_is_not_seen_is_looked_for_in_many_environments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
