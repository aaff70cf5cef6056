/* Loading a cell, and opening other GPUs: how wide its blocks may be, and what a failed attempt leaves behind. */
#include "cuda/cuda_kernel.h"
#include "fake_cuda.h"
#include "source/read.h"

#define THREADS(count) "memory: {X: 0}\nthreads: {T: {count: " #count ", body: X = 1;}}\nexists: X == 0\n"

static int most_threads; /* that the registers are enough for */

static cu_result get_most_threads(int *value, int attribute, cu_function f) {
    (void)f;
    assert_int_equal(attribute, CU_FUNC_MAX_THREADS);
    *value = most_threads;
    return 0;
}

/* How wide blocks of the test's kernel may be; 0: it cannot be loaded, which is what `want` says. */
static int load(const char *body, const char *placement, const char *want) {
    struct arena *a = arena_open();
    struct cuda_api loader = fake_cuda;
    struct cuda_device dev = {.cu = &loader, .traits.sms = 132, .opened = 1};
    struct diag d = {0};
    struct cuda_kernel *k;
    const char *yaml = arena_printf(a, "name: t\n%splacements: ['%s']\n", body, placement);
    struct test *t = test_read_text(a, "t.yaml", yaml, strlen(yaml), &d);
    assert_non_null(t);
    struct cell cell = {&t->placements[0], t->accesses[0], &t->fences[0]};
    int threads = 0;
    loader.cuFuncGetAttribute = get_most_threads;
    if (cuda_load(&dev, t, &cell, "", &k, &d)) {
        threads = k->limits.max_threads;
        cuda_discard(k);
    }
    assert_string_equal(d.n ? d.messages[0].text : "", want);
    diag_free(&d);
    arena_close(a);
    return threads;
}

/* No wider than the registers allow, by whole warps, nor than lets all blocks be on one multiprocessor. */
static void the_widest_block(void **state) {
    (void)state;
    most_threads = 1024;
    assert_int_equal(load(THREADS(4), "device", ""), 1024);
    assert_int_equal(load(THREADS(2), "sm", ""), 1024);
    assert_int_equal(load(THREADS(4), "sm", ""), 512);
    assert_int_equal(load(THREADS(5), "sm", ""), 384);
    assert_int_equal(
        load(THREADS(33), "sm", "t: blocks of 32 threads do not fit one multiprocessor together"), 0);
    most_threads = 650;
    assert_int_equal(load(THREADS(4), "device", ""), 640);
    assert_int_equal(load(THREADS(3), "block", ""), 640);
    most_threads = 31;
    assert_int_equal(load(THREADS(4), "device", "t: a block of 32 threads does not fit the registers"), 0);
}

/* ---- peers ---- */

static struct {
    int current, contexts;
    bool reaches[2][2]; /* as the driver remembers it */
    int full;           /* GPU without memory, -1: none */
} machine;

static cu_context context_of(int gpu) {
    static char contexts[2];
    return (cu_context)&contexts[gpu];
}

static int gpu_of(cu_context context) {
    return context == context_of(1);
}

static cu_result retain(cu_context *context, cu_device device) {
    machine.contexts++;
    *context = context_of(device);
    return 0;
}

static cu_result give_back(cu_device device) {
    (void)device;
    machine.contexts--;
    return 0;
}

static cu_result make_current(cu_context context) {
    machine.current = gpu_of(context);
    return 0;
}

static cu_result enable_peer(cu_context to, unsigned flags) {
    bool *reaches = &machine.reaches[machine.current][gpu_of(to)];
    cu_result r = *reaches ? CU_PEER_ACCESS_ALREADY_ENABLED : 0;
    *reaches = flags == 0;
    return r;
}

static cu_result allocate(cu_pointer *p, size_t bytes) {
    return machine.current == machine.full ? OUT_OF_MEMORY : fake_allocate(p, bytes);
}

/* For what is fetched of a launch. */
static cu_result allocate_host(void **p, size_t bytes, unsigned flags) {
    assert_int_equal(bytes, sizeof(struct results));
    return fake_allocate_host(p, bytes, flags);
}

/* The second GPU has no memory at first: that fails the cell, not those after it. */
static void a_peer_that_could_not_be_opened(void **state) {
    (void)state;
    struct cuda_api two_gpus = fake_cuda;
    struct cuda_device dev = {.cu = &two_gpus, .traits.present = 2};
    struct diag d = {0};
    two_gpus.cuDevicePrimaryCtxRetain = retain;
    two_gpus.cuDevicePrimaryCtxRelease = give_back;
    two_gpus.cuCtxSetCurrent = make_current;
    two_gpus.cuCtxEnablePeerAccess = enable_peer;
    two_gpus.cuMemAlloc = allocate;
    two_gpus.cuMemHostAlloc = allocate_host;
    machine.full = 1;
    assert_true(gpu_open_peers(&dev, 1, &d));
    assert_false(gpu_open_peers(&dev, 2, &d));
    assert_int_equal(d.errors, 1);
    assert_int_equal(machine.contexts, 1);
    diag_free(&d);
    machine.full = -1;
    assert_true(gpu_open_peers(&dev, 2, &d));
    assert_int_equal(d.n, 0);
    assert_int_equal(dev.opened, 2);
    assert_int_equal(machine.current, 0);
    gpu_close_all(&dev);
    assert_int_equal(machine.contexts, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_widest_block),
        cmocka_unit_test(a_peer_that_could_not_be_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
