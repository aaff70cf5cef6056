/* How a run on a GPU is made of launches, on a driver that writes down what it is asked for. Every launch plays all of its
 * instances at once, and takes as long as the test says. */
#include "cuda/cuda_kernel.h"
#include "fake_cuda.h"
#include "source/read.h"

/* What was asked for, a letter each: (L)aunch, (W)ait for a launch, (S)ynchronise, (F)ree, (U)nload. */
static char asked[1 << 12];
static int nasked;
static float milliseconds; /* of a launch; 0: as many as its instances take */
static int memory_left;    /* allocations until there is none */
static bool crowded;
static bool afar; /* a location can be */

/* Seconds of the launches under way: an instance takes long where a location is afar. */
static double taking[2];
static int ntaking;

static cu_result note(char c) {
    assert_true(nasked + 1 < (int)sizeof asked);
    asked[nasked++] = c;
    asked[nasked] = '\0';
    return 0;
}

static cu_result unload(cu_module module) {
    (void)module;
    return note('U');
}

static cu_result allocate(cu_pointer *p, size_t bytes) {
    return memory_left-- > 0 ? fake_allocate(p, bytes) : OUT_OF_MEMORY;
}

static cu_result free_memory(cu_pointer p) {
    fake_free(p);
    return note('F');
}

static cu_result elapsed(float *ms, cu_event from, cu_event to) {
    (void)from, (void)to;
    *ms = milliseconds > 0 ? milliseconds : (float)(taking[0] * 1e3);
    taking[0] = taking[1];
    ntaking--;
    return 0;
}

static cu_result wait_for_event(cu_event event) {
    (void)event;
    return note('W');
}

static cu_result synchronize(cu_stream stream) {
    (void)stream;
    return note('S');
}

/* The outcome is always the same. */
static cu_result launch(const struct cu_launch_config *config, cu_function f, void **params, void **extra) {
    (void)config, (void)f, (void)extra;
    const struct launch_args *e = params[0];
    e->results->keys[7] = KEY_MASK ^ 1;
    e->results->counts[7] += (unsigned long long)e->rounds * (unsigned)e->batch * (unsigned)e->instances;
    e->results->rounds = (unsigned)e->rounds;
    e->results->misplaced = crowded;
    assert_in_range(ntaking, 0, 1);
    taking[ntaking++] = (double)e->results->counts[7] * (e->lines ? 1e-8 : 1e-11);
    return note('L');
}

static struct cuda_api noting;

static int make_driver(void **state) {
    (void)state;
    noting = fake_cuda;
    noting.cuModuleUnload = unload;
    noting.cuMemAlloc = allocate;
    noting.cuMemFree = free_memory;
    noting.cuStreamSynchronize = synchronize;
    noting.cuEventSynchronize = wait_for_event;
    noting.cuEventElapsedTime = elapsed;
    noting.cuLaunchKernelEx = launch;
    return 0;
}

struct noted_run {
    struct cuda_device dev;
    struct run_result res;
    struct diag d;
    uint64_t last;    /* runs of the last launch */
    double near, far; /* seconds of the longest launch without and with a location afar */
    bool fine;
};

static void keep_last(void *ctx, const struct trial *t) {
    struct noted_run *r = ctx;
    r->last = t->runs;
    for (int i = 0; i < t->nenvironment; i++) {
        if (strcmp(t->environment[i].name, "afar") != 0) continue;
        double *longest = t->environment[i].value ? &r->far : &r->near;
        if (t->seconds > *longest) *longest = t->seconds;
    }
}

static const char message_passing[] =
    "name: t\nmemory: {X: 0, Y: 0}\nplacements: [device]\nthreads:\n"
    "  A: X = 1; Y = 1;\n  B: int r = Y; int s = X;\nexists: r == 1 && s == 0\n";
/* Fences hold all edges but one, so one of its locations may be afar. */
static const char one_open_edge[] =
    "name: t\nmemory: {X: 0, Y: 0, Z: 0}\nplacements: [device]\nthreads:\n"
    "  A: X = 1; atomic_thread_fence(sc, device); Y = 1;\n"
    "  B: int r = Y; atomic_thread_fence(sc, device); Z = 1;\n  C: int s = Z; int u = X;\n"
    "exists: r == 1 && s == 1 && u == 0\n";

/* Runs message passing, or a test with one open edge; `memory` is how many times there is some for what grows. */
static struct noted_run run_noted(struct run_request req, int memory) {
    const char *yaml = afar ? one_open_edge : message_passing;
    struct noted_run r = {.dev = {.cu = &noting,
                                  .traits = {.present = 1, .sms = 132, .maps_host = afar},
                                  .max_shared = 227 << 10,
                                  .memory = (size_t)1 << (afar ? 31 : 37)}};
    struct arena *a = arena_open();
    struct test *t = test_read_text(a, "t.yaml", yaml, strlen(yaml), &r.d);
    struct cell cell = {&t->placements[0], t->accesses[0], &t->fences[0]};
    struct cuda_kernel *k;
    atomic_int never = 0;
    memory_left = 100;
    assert_true(cuda_load(&r.dev, t, &cell, "", &k, &r.d));
    memory_left = memory;
    nasked = ntaking = 0;
    req.seed = 1;
    req.stop = &never;
    req.tried = keep_last;
    req.ctx = &r;
    r.res.hist.nobs = t->nobs;
    r.fine = cuda_run(k, &req, &r.res, &r.d);
    cuda_discard(k);
    gpu_close_all(&r.dev);
    *strchr(asked, 'U') = '\0';
    histogram_free(&r.res.hist);
    arena_close(a);
    return r;
}

static int count(const char *part) {
    int n = 0;
    for (const char *at = asked; (at = strstr(at, part)); at++)
        n++;
    return n;
}

static int most_under_way(void) {
    int n = 0, most = 0;
    for (const char *at = asked; *at; at++) {
        n += (*at == 'L') - (*at == 'W');
        if (n > most) most = n;
    }
    return most;
}

/* The first launch tells how long the others take. */
static void a_launch_begins_before_the_last_one_is_read(void **state) {
    (void)state;
    milliseconds = 1;
    struct noted_run r = run_noted((struct run_request){.runs = 30 * 1000 * 1000}, 1000);
    assert_true(r.fine);
    assert_memory_equal(asked, "LW", 2);
    assert_string_equal(asked + strlen(asked) - 2, "WW");
    assert_int_equal(count("WW"), 1);
    assert_int_equal(count("L"), r.res.environments);
    assert_int_equal(count("W"), r.res.environments);
    assert_int_equal(most_under_way(), 2);
    assert_true(r.res.runs >= 30 * 1000 * 1000 && r.res.runs - r.last < 30 * 1000 * 1000);
}

/* How many rounds come next depends on what the last ones took. */
static void shares_of_time_are_measured_one_after_the_other(void **state) {
    (void)state;
    static const struct environment schedule[3];
    milliseconds = 2;
    struct noted_run r =
        run_noted((struct run_request){.schedule = schedule, .nschedule = 3, .seconds_each = 0.01}, 1000);
    assert_true(r.fine);
    assert_int_equal(count("L"), 15);
    assert_int_equal(most_under_way(), 1);
    assert_int_equal(r.res.environments, 15);
}

/* A launch that is under way has what it was given. */
static void memory_grows_between_launches(void **state) {
    (void)state;
    milliseconds = 1;
    struct noted_run r = run_noted((struct run_request){.runs = 200 * 1000 * 1000}, 1000);
    assert_true(r.fine);
    assert_true(count("F") > 2);
    assert_int_equal(count("SF"), count("F"));
}

/* Instances with a location afar take a thousand times longer: their launches have fewer rounds, and no others. */
static void far_and_near_launches_take_as_long(void **state) {
    (void)state;
    afar = true;
    milliseconds = 0;
    struct noted_run r = run_noted((struct run_request){.runs = 100ull * 1000 * 1000 * 1000}, 1000);
    afar = false;
    assert_true(r.fine);
    assert_true(r.near > 0.002 && r.near < 0.005);
    assert_true(r.far > 0.002 && r.far < 0.012); /* two rounds at least */
}

static void nothing_is_under_way_after_a_failure(void **state) {
    (void)state;
    milliseconds = 1;
    int failed = 0;
    for (int memory = 0; memory < 6; memory++) {
        struct noted_run r = run_noted((struct run_request){.runs = 200 * 1000 * 1000}, memory);
        failed += !r.fine;
        assert_int_equal(count("L"), count("W"));
        diag_free(&r.d);
    }
    assert_int_equal(failed, 6);
}

/* After so many launches that did not have the placement. */
static void a_crowded_device_is_given_up(void **state) {
    (void)state;
    crowded = true;
    struct noted_run r = run_noted((struct run_request){.runs = 1000}, 1000);
    crowded = false;
    assert_false(r.fine);
    assert_string_equal(r.d.messages[0].text,
                        "t: the device does not keep blocks on different multiprocessors");
    assert_int_equal(r.res.runs, 0);
    assert_int_equal(count("W"), 101);
    diag_free(&r.d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_begins_before_the_last_one_is_read),
        cmocka_unit_test(shares_of_time_are_measured_one_after_the_other),
        cmocka_unit_test(memory_grows_between_launches),
        cmocka_unit_test(far_and_near_launches_take_as_long),
        cmocka_unit_test(nothing_is_under_way_after_a_failure),
        cmocka_unit_test(a_crowded_device_is_given_up),
    };
    return cmocka_run_group_tests(tests, make_driver, NULL);
}
