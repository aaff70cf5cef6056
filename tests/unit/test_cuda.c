/* Why a cell cannot run on a GPU: the reasons, for devices that are played. */
#include "cm.h"

#include <string.h>

#include "exec/cuda_kernel.h"

/* GPU 3 has no link to the others. */
static int get_device(cu_device *device, int index) {
    *device = index;
    return 0;
}

static int can_access(int *can, cu_device from, cu_device to) {
    *can = from < 3 && to < 3;
    return 0;
}

static const struct cuda_api driver = {.cuDeviceGet = get_device, .cuDeviceCanAccessPeer = can_access};
static const struct device small = {
    .cu = &driver, .present = 4, .sms = 16, .cc = 90, .max_shared = 1 << 16, .blocks_per_sm = 3};

static void check_on(struct device dev, const char *body, const char *placement, const char *want) {
    struct arena *a = arena_open();
    struct diag d = {0};
    const char *yaml = arena_printf(a, "name: t\n%splacements: ['%s']\n", body, placement);
    struct test *t = test_read_text(a, "t.yaml", yaml, strlen(yaml), &d);
    assert_non_null(t);
    struct variant v = {&t->placements[0], t->accesses[0], &t->fences[t->nfences - 1]};
    const char *why = cuda_cannot(&dev, t, &v, a);
    assert_string_equal(why ? why : "it can", want);
    arena_close(a);
}

static void check(const char *body, const char *placement, const char *want) {
    check_on(small, body, placement, want);
}

#define THREADS(count) "memory: {X: 0}\nthreads: {T: {count: " #count ", body: X = 1;}}\nexists: X == 0\n"

static void multiprocessors(void **state) {
    (void)state;
    check(THREADS(16), "device", "it can");
    check(THREADS(17), "device", "needs 17 multiprocessors at once; this device has 16");
    check(THREADS(3), "sm", "it can");
    check(THREADS(4), "sm", "needs 4 blocks on one multiprocessor; this device puts at most 3 there");
}

static void gpus(void **state) {
    (void)state;
    struct device one = small;
    one.present = 1;
    check(THREADS(3), "peer", "it can");
    check(THREADS(4), "peer", "GPU 0 cannot reach the memory of GPU 3");
    check(THREADS(5), "peer", "needs 5 GPUs; there are 4");
    check_on(one, THREADS(2), "peer", "needs 2 GPUs; there is 1");
    check_on(one, "memory: {X: {gpu: 1}}\nthreads: {T: X = 1;}\nexists: X == 0\n", "device",
             "needs 2 GPUs; there is 1");
}

static void clusters(void **state) {
    (void)state;
    struct device ampere = small;
    ampere.cc = 86;
    static const char none[] = "clusters need compute capability 9.0; this device has 8.6";
    static const char mixed[] = "blocks of one cluster beside blocks outside of it are not supported";
    static const char fence[] = "memory: {X: 0}\nthreads: {T0: X = 1; fence();, T1: int r = X;}\n"
                                "exists: r == 0\nfences: [cluster]\n";
    static const char three[] =
        "memory: {X: 0}\nthreads: {A: X = 1;, B: X = 2;, C: X = 3;}\nexists: X == 0\n";
    check(THREADS(8), "cluster", "it can");
    check(THREADS(9), "cluster", "a cluster of 9 blocks; 8 are portable");
    check_on(ampere, THREADS(2), "cluster", none);
    check_on(ampere, THREADS(2), "device", "it can");
    check_on(ampere, fence, "device", none);
    check(three, "A B & C", "it can");
    check(three, "A & B | C", mixed);
    check(three, "A & B || C", mixed);
    check(three, "A | B | C", "it can");
}

#define HOST(memory) "memory: {" memory "}\nthreads:\n  G: G = 1;\n  C: X = 1;\nexists: G == 0\n"

static void cpu_threads(void **state) {
    (void)state;
    static const char many[] =
        "memory: {X: {space: host}}\nthreads: {G: X = 1;, C: {count: 9, body: X = 2;}}\nexists: X == 0\n";
    check(HOST("G: 0, X: {space: host}"), "host", "it can");
    check(HOST("G: 0, X: 0"), "host",
          "a CPU thread cannot reach 'X': it is not in the host's memory (space: host)");
    check(HOST("G: {space: host}, X: {space: host}"), "G@host C@host", "no thread is on the GPU");
    check(HOST("G: {gpu: 1}, X: {space: host}"), "host", "CPU threads beside several GPUs are not supported");
    check(many, "host", "9 CPU threads beside a GPU; 8 are supported");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiprocessors),
        cmocka_unit_test(gpus),
        cmocka_unit_test(clusters),
        cmocka_unit_test(cpu_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
