/* Why a cell cannot run on a GPU, or a device has no code, on emulated devices. */
#include <stdio.h>
#include <string.h>

#include "compile/nvrtc.h"
#include "cuda/cuda_kernel.h"
#include "fake_cuda.h"
#include "source/read.h"

/* GPU 3 has no link to the others. */
static int can_access(int *can, cu_device from, cu_device to) {
    *can = from < 3 && to < 3;
    return 0;
}

/* GPU 0 and 1 are connected by more than PCIe. */
static int get_p2p(int *value, int attribute, cu_device from, cu_device to) {
    assert_int_equal(attribute, CU_P2P_NATIVE_ATOMICS);
    *value = from < 2 && to < 2;
    return 0;
}

static const struct cuda_api driver = {
    .cuDeviceGet = fake_device, .cuDeviceCanAccessPeer = can_access, .cuDeviceGetP2PAttribute = get_p2p};
static const struct cuda_traits small = {.present = 4, .sms = 16, .cc = 90, .blocks_per_sm = 3};

static void check_on(struct cuda_traits traits, const char *body, const char *placement, const char *want) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct cuda_device dev = {.cu = &driver, .traits = traits};
    gpu_look_at_peers(&dev);
    const char *yaml = arena_printf(a, "name: t\n%splacements: ['%s']\n", body, placement);
    struct test *t = test_read_text(a, "t.yaml", yaml, strlen(yaml), &d);
    assert_non_null(t);
    struct cell cell = {&t->placements[0], t->accesses[0], &t->fences[t->nfences - 1]};
    const char *why = cuda_cannot(&dev.traits, t, &cell, a);
    assert_string_equal(why ? why : "it can", want);
    arena_close(a);
}

static void check(const char *body, const char *placement, const char *want) {
    check_on(small, body, placement, want);
}

#define THREADS(count) "memory: {X: 0}\nthreads: {T: {count: " #count ", body: X = 1;}}\nexists: X == 0\n"

#define ADDITIONS(count)                                                                                     \
    "memory: {X: 0}\nthreads: {T: {count: " #count ", body: \"atomicAdd_system(&X, 1);\"}}\nexists: X == "   \
    "0\n"

#define HOST_ADDITIONS(other)                                                                                \
    "memory: {X: {space: host}}\nthreads: {A: \"atomicAdd_system(&X, 1);\", B: \"" other                     \
    "\"}\nexists: X == 0\n"

static void multiprocessors(void **state) {
    (void)state;
    check(THREADS(16), "device", "it can");
    check(THREADS(17), "device", "needs 17 multiprocessors at once; this device has 16");
    check(THREADS(3), "sm", "it can");
    check(THREADS(4), "sm", "needs 4 blocks on one multiprocessor; this device puts at most 3 there");
}

static void gpus(void **state) {
    (void)state;
    struct cuda_traits one = small;
    struct cuda_traits coherent = small;
    static const char shared[] =
        "the atomics of GPUs are not atomic to each other in the host's memory, where 'X' is";
    one.present = 1;
    coherent.host_atomics = 1;
    check(THREADS(3), "peer", "it can");
    check(THREADS(4), "peer", "GPU 0 cannot reach the memory of GPU 3");
    check(THREADS(5), "peer", "needs 5 GPUs; there are 4");
    check(ADDITIONS(2), "peer", "it can");
    check(ADDITIONS(3), "peer", "the atomics of GPU 2 are not atomic in the memory of GPU 0, as over PCIe");
    check(ADDITIONS(3), "device", "it can");
    check(HOST_ADDITIONS("X = 1;"), "peer", shared);
    check(HOST_ADDITIONS("atomicAdd_system(&X, 2);"), "peer", shared);
    check(HOST_ADDITIONS("int r = X;"), "peer", "it can");
    check(HOST_ADDITIONS("X = 1;"), "device", "it can");
    check_on(coherent, HOST_ADDITIONS("X = 1;"), "peer", "it can");
    check_on(one, THREADS(2), "peer", "needs 2 GPUs; there is 1");
    check_on(one, "memory: {X: {gpu: 1}}\nthreads: {T: X = 1;}\nexists: X == 0\n", "device",
             "needs 2 GPUs; there is 1");
}

/* Of a scalar; a vector of 16 bytes is four operands. */
static void wide_accesses(void **state) {
    (void)state;
    struct cuda_traits narrow = small;
    static const char scalar[] = "memory: {X: {type: __int128}}\nthreads: {A: X = 1;}\nexists: X == 1\n";
    static const char vector[] = "memory: {X: {type: int4}}\nthreads: {A: int4 v = X;}\nexists: v.x == 1\n";
    narrow.narrow = true;
    check(scalar, "device", "it can");
    check_on(narrow, scalar, "device",
             "an access to a scalar of 16 bytes needs NVRTC 12.8; this one is older");
    check_on(narrow, vector, "device", "it can");
}

static void clusters(void **state) {
    (void)state;
    struct cuda_traits ampere = small;
    ampere.cc = 86;
    static const char none[] = "clusters need compute capability 9.0; this device has 8.6";
    static const char mixed[] = "blocks of one cluster beside blocks outside of it are not supported";
    static const char fence[] = "memory: {X: 0}\nthreads: {T0: X = 1; fence();, T1: int r = X;}\n"
                                "exists: r == 0\nfences: [cluster]\n";
    static const char one_way[] =
        "memory: {X: 0}\nthreads:\n  T0: X = 1; atomic_thread_fence(release, device);\n"
        "  T1: int r = X;\nexists: r == 0\n";
    static const char three[] =
        "memory: {X: 0}\nthreads: {A: X = 1;, B: X = 2;, C: X = 3;}\nexists: X == 0\n";
    check(THREADS(8), "cluster", "it can");
    check(THREADS(9), "cluster", "a cluster of 9 blocks; 8 are portable");
    check_on(ampere, THREADS(2), "cluster", none);
    check_on(ampere, THREADS(2), "device", "it can");
    check_on(ampere, fence, "device", none);
    check_on(ampere, one_way, "device", "a fence needs compute capability 9.0; this device has 8.6");
    check(one_way, "device", "it can");
    check(three, "A B & C", "it can");
    check(three, "A & B | C", mixed);
    check(three, "A & B || C", mixed);
    check(three, "A | B | C", "it can");
}

#define HOST(memory) "memory: {" memory "}\nthreads:\n  G: G = 1;\n  C: X = 1;\nexists: G == 0\n"

#define BOTH(gpu, cpu)                                                                                       \
    "memory: {X: {space: host}, Y: {space: host}}\nthreads:\n  G: \"" gpu "\"\n  C: \"" cpu                  \
    "\"\nexists: X == 0\n"

static void cpu_threads(void **state) {
    (void)state;
    static const char many[] =
        "memory: {X: {space: host}}\nthreads: {G: X = 1;, C: {count: 9, body: X = 2;}}\nexists: X == 0\n";
    static const char three[] =
        "memory: {X: {space: host}}\nthreads: {G0: X = 1;, G1: X = 2;, C: X = 3;}\nexists: X == 0\n";
    static const char not_atomic[] =
        "this device's atomics are not atomic to a CPU thread, which changes 'X' too";
    struct cuda_traits coherent = small;
    coherent.host_atomics = 1;
    check(HOST("G: 0, X: {space: host}"), "host", "it can");
    check(HOST("G: 0, X: 0"), "host",
          "a CPU thread cannot reach 'X': it is not in the host's memory (space: host)");
    check(HOST("G: {space: host}, X: {space: host}"), "G@host C@host", "no thread is on the GPU");
    check(three, "G0 & G1 | C@host", "CPU threads beside a cluster are not supported");
    check(three, "G0 | G1 | C@host", "it can");
    check(three, "G0 G1 | C@host", "it can");
    check(HOST("G: {gpu: 1}, X: {space: host}"), "host", "CPU threads beside several GPUs are not supported");
    check(many, "host", "9 CPU threads beside a GPU; 8 are supported");
    check(BOTH("atomicAdd(&X, 1);", "X = 1;"), "host", not_atomic);
    check(BOTH("atomicAdd(&X, 1);", "if (Y == 0) { atomicAdd(&X, 1); }"), "host", not_atomic);
    check(BOTH("atomicAdd(&X, 1);", "int r = X; Y = 1;"), "host", "it can");
    check(BOTH("X = 1; atomicAdd(&Y, 1);", "atomicAdd(&X, 1);"), "host", "it can");
    check(BOTH("atomicAdd(&X, 1);", "X = 1;"), "device", "it can");
    check_on(coherent, BOTH("atomicAdd(&X, 1);", "X = 1;"), "host", "it can");
}

/* A launch is one round then, and takes no more than blocks that it may put anywhere. */
static void reads_through_the_read_only_cache(void **state) {
    (void)state;
    static const char body[] = "memory: {X: {space: host}, Y: 0}\nthreads:\n  T0: \"int r = __ldg(&Y);\"\n"
                               "  T1: X = 1;\nexists: T0.r == 0\n";
    check(body, "device", "it can");
    check(body, "block", "it can");
    check(body, "peer", "reads through the read-only cache by several GPUs are not supported");
    check(body, "T0 | T1@host",
          "reads through the read-only cache by CPU threads beside a GPU are not supported");
    check(body, "cluster", "reads through the read-only cache by a cluster are not supported");
    check(body, "sm", "reads through the read-only cache by blocks of one multiprocessor are not supported");
}

/* What is said of a device of that compute capability: nothing, or why there is no code for it. */
static void check_code(int cc, const char *want) {
    struct cuda_device dev = {.name = "Toaster", .traits.cc = cc};
    struct diag d = {0};
    snprintf(dev.arch, sizeof dev.arch, "sm_%d", cc);
    assert_int_equal(cuda_has_code(&dev, &d), *want == '\0');
    assert_string_equal(d.n ? d.messages[0].text : "", want);
    diag_free(&d);
}

static void devices_without_code(void **state) {
    (void)state;
    struct diag d = {0};
    char want[128];
    check_code(61, "Toaster has compute capability 6.1; 7.0 is the least that is supported");
    const char *nvrtc = nvrtc_version(NULL, &d);
    diag_free(&d);
    if (!nvrtc) skip();
    check_code(90, "");
    snprintf(
        want, sizeof want,
        "NVRTC %s does not compile for Toaster, which is sm_990; another one can be named by CULITMUS_NVRTC",
        nvrtc);
    check_code(990, want);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiprocessors),
        cmocka_unit_test(gpus),
        cmocka_unit_test(wide_accesses),
        cmocka_unit_test(clusters),
        cmocka_unit_test(reads_through_the_read_only_cache),
        cmocka_unit_test(cpu_threads),
        cmocka_unit_test(devices_without_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
