/* On emulated devices: why a cell cannot run on a GPU, how an environment is fitted to a device, and what a failed
 * attempt leaves behind. */
#include "cm.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cuda/cuda_kernel.h"
#include "cuda/nvrtc.h"

/* GPU 3 has no link to the others. */
static int get_device(cu_device *device, int index) {
    *device = index;
    return 0;
}

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
    .cuDeviceGet = get_device, .cuDeviceCanAccessPeer = can_access, .cuDeviceGetP2PAttribute = get_p2p};
static const struct cuda_traits small = {.present = 4, .sms = 16, .cc = 90, .blocks_per_sm = 3};

static void check_on(struct cuda_traits traits, const char *body, const char *placement, const char *want) {
    struct arena *a = arena_open();
    struct diag d = {0};
    struct cuda_device dev = {.cu = &driver, .traits = traits};
    gpu_look_at_peers(&dev);
    const char *yaml = arena_printf(a, "name: t\n%splacements: ['%s']\n", body, placement);
    struct test *t = test_read_text(a, "t.yaml", yaml, strlen(yaml), &d);
    assert_non_null(t);
    struct cell v = {&t->placements[0], t->accesses[0], &t->fences[t->nfences - 1]};
    const char *why = cuda_cannot(&dev.traits, t, &v, a);
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
    const char *nvrtc = nvrtc_version(&d);
    diag_free(&d);
    if (!nvrtc) skip();
    check_code(90, "");
    snprintf(
        want, sizeof want,
        "NVRTC %s does not compile for Toaster, which is sm_990; another one can be named by CULITMUS_NVRTC",
        nvrtc);
    check_code(990, want);
}

/* ---- fitting ---- */

enum { KIB = 1 << 10, MAX_PINNED = 64 << 20 };

static size_t reserved; /* the largest piece of memory that was asked for */

static cu_result set_current(cu_context context) {
    (void)context;
    return 0;
}

static cu_result set_attribute(cu_function f, int attribute, int value) {
    (void)f, (void)attribute, (void)value;
    return 0;
}

/* As many blocks as there is room for threads and shared memory. */
static cu_result occupancy(int *blocks, cu_function f, int threads, size_t shared) {
    (void)f;
    int by_memory = (int)(228 * KIB / (shared + KIB));
    *blocks = 2048 / threads < 32 ? 2048 / threads : 32;
    if (by_memory < *blocks) *blocks = by_memory;
    return 0;
}

static cu_result occupancy_clusters(int *clusters, cu_function f, const struct cu_launch_config *config) {
    int blocks;
    occupancy(&blocks, f, (int)config->block[0], config->shared_bytes);
    *clusters = 132 * blocks / (int)config->grid[0];
    return 0;
}

static cu_result allocate(cu_pointer *p, size_t bytes) {
    if (bytes > reserved) reserved = bytes;
    *p = 8;
    return 0;
}

static cu_result release(cu_pointer p) {
    (void)p;
    return 0;
}

static size_t pinned; /* the largest piece of the host's memory that was asked for */

static cu_result pin(void **p, size_t bytes, unsigned flags) {
    static char memory;
    (void)flags;
    if (bytes > pinned) pinned = bytes;
    *p = &memory;
    return 0;
}

static cu_result unpin(void *p) {
    (void)p;
    return 0;
}

static cu_result find_address(cu_pointer *d, void *p, unsigned flags) {
    (void)p, (void)flags;
    *d = 8;
    return 0;
}

static cu_result synchronize(cu_stream stream) {
    (void)stream;
    return 0;
}

static const struct cuda_api h200_driver = {.cuCtxSetCurrent = set_current,
                                            .cuFuncSetAttribute = set_attribute,
                                            .cuOccupancy = occupancy,
                                            .cuOccupancyClusters = occupancy_clusters,
                                            .cuMemAlloc = allocate,
                                            .cuMemFree = release,
                                            .cuMemHostAlloc = pin,
                                            .cuMemFreeHost = unpin,
                                            .cuMemHostGetDevicePointer = find_address,
                                            .cuStreamSynchronize = synchronize};

static struct cuda_device h200(void) {
    return (struct cuda_device){.cu = &h200_driver,
                                .traits.sms = 132,
                                .max_shared = 227 * KIB,
                                .memory = (size_t)139 << 30,
                                .opened = 1};
}

/* What the kernel computes as int to reach the last word of instance i's elements from `first` on. */
static void check_places(const struct launch_args *e, int i, int first, int elements) {
    long long words = ((long long)e->instances * e->stride + (e->interleave ? 0 : e->pad)) * elements;
    assert_true(words <= INT_MAX);
    assert_int_equal(chunk_words(e, e->instances, elements), words);
    assert_in_range(place(e, i, e->instances, first, elements - first, elements), 0, words - 1);
    assert_true((e->per_block - 1) * (1 + 2LL * e->spread * first) <= INT_MAX);
    assert_in_range(permuted(e, i, first), 0, e->instances - 1);
}

/* Fits many environments to a test with so many elements; how many of them fit, each of which has its memory. */
static int fit_all(struct cuda_kernel k) {
    static struct observable obs[] = {{.type = {32, 1, true, false}}, {.type = {32, 1, true, false}}};
    static const struct test t = {.name = "t", .nthreads = 2, .obs = obs, .nobs = 2};
    int fits = 0;
    static struct launch_seat seats[2];
    k.t = &t;
    k.spots = seats;
    k.gpus = 1;
    k.blocks = 2;
    k.lanes = 1;
    k.limits = (struct cuda_environment_limits){.sms = 132,
                                                .one_sm = k.one_sm,
                                                .threads_multiple = 32 * k.warps,
                                                .max_threads = 1024,
                                                .test_blocks = 2,
                                                .locations = 2,
                                                .pow2 = true};
    for (unsigned index = 0; index < 64; index++) {
        struct cuda_device dev = h200();
        struct cuda_environment set = cuda_environment_choose(7, index, NULL, &k.limits);
        struct launch_plan p;
        struct diag d = {0};
        int wanted = set.threads;
        k.dev = &dev;
        reserved = pinned = 0;
        if (plan_make(&k, &set, 1, &p, &d)) {
            const struct launch_args *e = &p.env[0];
            int elements = k.shape.global_elements;
            bool least = e->stride == k.shape.words && e->batch == 1;
            assert_true(pinned <= MAX_PINNED || least);
            size_t words = (size_t)e->instances * (size_t)e->stride + (size_t)(e->interleave ? 0 : e->pad);
            if (elements) check_places(e, e->instances - 1, elements / 2, elements);
            assert_in_range(e->stride, set.stride, set.stride + k.shape.words - 1);
            assert_int_equal(e->stride % k.shape.words + e->pad % k.shape.words, 0);
            assert_true(reserved >= 8 * (size_t)e->batch * words * (size_t)elements);
            assert_true(set.threads <= wanted && e->per_block == set.threads);
            assert_int_equal(p.threads, set.threads);
            fits++;
        } else {
            diag_render(&d, stderr, false);
        }
        diag_free(&d);
    }
    return fits;
}

static void large_arrays(void **state) {
    (void)state;
    static const int sizes[] = {1, 1000, 16384, 30000, 65536};
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        struct shape shape = {.words = 1, .global_elements = sizes[n]};
        assert_int_equal(fit_all((struct cuda_kernel){.shape = shape, .warps = 1}), 64);
        assert_int_equal(fit_all((struct cuda_kernel){.shape = shape, .warps = 1, .one_sm = true}), 64);
        assert_int_equal(fit_all((struct cuda_kernel){.shape = shape, .warps = 1, .cluster = 2}), 64);
    }
}

/* A system takes long to pin memory: locations there lie closer. */
static void host_arrays(void **state) {
    (void)state;
    static const int sizes[] = {1, 2, 1000};
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        struct shape shape = {.words = 1, .global_elements = 1, .host_elements = sizes[n]};
        assert_int_equal(fit_all((struct cuda_kernel){.shape = shape, .warps = 1}), 64);
        assert_int_equal(fit_all((struct cuda_kernel){.shape = shape, .warps = 1, .one_sm = true}), 64);
    }
}

/* Wide elements are aligned, and take no more room than the environment has for narrow ones, if they fit into that. */
static void wide_elements(void **state) {
    (void)state;
    for (int words = 2; words <= 4; words *= 2) {
        struct shape shape = {.words = words, .global_elements = 2};
        assert_int_equal(fit_all((struct cuda_kernel){.shape = shape, .warps = 1}), 64);
    }
}

static void shared_arrays(void **state) {
    (void)state;
    static const int sizes[] = {1, 27, 28, 100, 800};
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        struct shape shape = {.words = 1, .shared_elements = sizes[n]};
        assert_int_equal(fit_all((struct cuda_kernel){.shape = shape, .warps = 1}), 64);
    }
}

/* A cold location has its pages, as many as a sixteenth of the memory holds; it is as all others where those are few. */
static void cold_locations(void **state) {
    (void)state;
    static struct observable obs[] = {{.type = {32, 1, true, false}}};
    static const struct test t = {.name = "t", .nthreads = 3, .obs = obs, .nobs = 1};
    static const size_t sizes[] = {(size_t)139 << 30, (size_t)8 << 30, (size_t)1 << 28, 0};
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        struct cuda_device dev = h200();
        struct launch_seat seats[3] = {0};
        struct cuda_kernel k = {.t = &t,
                                .dev = &dev,
                                .spots = seats,
                                .gpus = 1,
                                .blocks = 3,
                                .warps = 1,
                                .lanes = 1,
                                .shape = {.words = 1, .global_elements = 3},
                                .cold = {2, -1},
                                .limits = {.sms = 132,
                                           .threads_multiple = 32,
                                           .max_threads = 1024,
                                           .test_blocks = 3,
                                           .locations = 3,
                                           .pow2 = true,
                                           .cold = true}};
        int cold = 0;
        dev.memory = sizes[n];
        for (unsigned index = 0; index < 64; index++) {
            struct cuda_environment set = cuda_environment_choose(7, index, NULL, &k.limits);
            struct launch_plan p;
            struct diag d = {0};
            const struct launch_args *e = &p.env[0];
            reserved = 0;
            assert_true(plan_make(&k, &set, 1, &p, &d));
            assert_true(e->cold == 0 || (e->cold == 3 && set.cold == 1));
            assert_int_equal(e->pages, set.pages);
            cold += e->cold > 0;
            if (!e->cold) continue;
            size_t chunks = 2 * (size_t)e->batch * (size_t)chunk_words(e, e->instances, 3);
            size_t bytes = (((size_t)1 << e->pages) + 1) * (size_t)e->page_words * sizeof(int);
            assert_true(chunks < (size_t)e->page_words && bytes <= dev.memory / 16 && bytes / 4 <= INT_MAX);
            assert_true(dev.gpu[0].global_bytes >= bytes);
            assert_in_range(cold_place(e, e->instances - 1), 0, bytes / sizeof(int) - chunks);
        }
        assert_int_equal(cold > 0, n < 2);
    }
}

/* What is too much at the least environment is said, with how much it is. */
static void what_never_fits(void **state) {
    (void)state;
    static struct observable obs[] = {{.type = {32, 1, true, false}}, {.type = {32, 1, true, false}}};
    static const struct test t = {.name = "t", .nthreads = 2, .obs = obs, .nobs = 2};
    static const struct {
        struct shape shape;
        int warps;
        const char *want;
    } cases[] = {
        {{.words = 1, .shared_elements = 1000}, 1, "t: 256000 bytes of shared memory a block do not fit"},
        {{.words = 1, .global_elements = 65536},
         8,
         "t: its locations are too large to be there for all threads of this device"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct cuda_device dev = h200();
        struct cuda_kernel k = {.t = &t,
                                .dev = &dev,
                                .gpus = 1,
                                .blocks = 2,
                                .warps = cases[n].warps,
                                .lanes = 1,
                                .shape = cases[n].shape};
        k.limits = (struct cuda_environment_limits){.sms = 132,
                                                    .threads_multiple = 32 * k.warps,
                                                    .max_threads = 1024,
                                                    .test_blocks = 2,
                                                    .locations = 2,
                                                    .pow2 = true};
        struct cuda_environment set = cuda_environment_choose(7, 0, NULL, &k.limits);
        struct launch_plan p;
        struct diag d = {0};
        assert_false(plan_make(&k, &set, 1, &p, &d));
        assert_int_equal(d.n, 1);
        assert_string_equal(d.messages[0].text, cases[n].want);
        diag_free(&d);
    }
}

/* ---- loading ---- */

static int most_threads; /* that the registers are enough for */

static cu_result load_data(cu_module *module, const void *image) {
    (void)image;
    *module = (cu_module)&most_threads;
    return 0;
}

static cu_result unload(cu_module module) {
    (void)module;
    return 0;
}

static cu_result get_function(cu_function *f, cu_module module, const char *name) {
    (void)module, (void)name;
    *f = (cu_function)&most_threads;
    return 0;
}

static cu_result get_most_threads(int *value, int attribute, cu_function f) {
    (void)f;
    assert_int_equal(attribute, CU_FUNC_MAX_THREADS);
    *value = most_threads;
    return 0;
}

static const struct cuda_api loader = {.cuCtxSetCurrent = set_current,
                                       .cuModuleLoadData = load_data,
                                       .cuModuleUnload = unload,
                                       .cuModuleGetFunction = get_function,
                                       .cuFuncGetAttribute = get_most_threads,
                                       .cuOccupancy = occupancy};

/* How wide blocks of the test's kernel may be; 0: it cannot be loaded, which is what `want` says. */
static int load(const char *body, const char *placement, const char *want) {
    struct arena *a = arena_open();
    struct cuda_device dev = {.cu = &loader, .traits.sms = 132, .opened = 1};
    struct diag d = {0};
    struct cuda_kernel *k;
    const char *yaml = arena_printf(a, "name: t\n%splacements: ['%s']\n", body, placement);
    struct test *t = test_read_text(a, "t.yaml", yaml, strlen(yaml), &d);
    assert_non_null(t);
    struct cell v = {&t->placements[0], t->accesses[0], &t->fences[0]};
    int threads = 0;
    if (cuda_load(&dev, t, &v, "", &k, &d)) {
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

static cu_result allocate_here(cu_pointer *p, size_t bytes) {
    return machine.current == machine.full ? 2 : allocate(p, bytes);
}

static cu_result allocate_host(void **p, size_t bytes, unsigned flags) {
    static struct results fetched;
    (void)flags;
    assert_int_equal(bytes, sizeof fetched);
    *p = &fetched;
    return 0;
}

static cu_result release_host(void *p) {
    (void)p;
    return 0;
}

static cu_result create_stream(cu_stream *stream, unsigned flags) {
    (void)stream, (void)flags;
    return 0;
}

static cu_result create_event(cu_event *event, unsigned flags) {
    (void)event, (void)flags;
    return 0;
}

static cu_result name_error(cu_result r, const char **text) {
    *text = r == 2 ? "out of memory" : "another error";
    return 0;
}

static const struct cuda_api two_gpus = {.cuDeviceGet = get_device,
                                         .cuDevicePrimaryCtxRetain = retain,
                                         .cuDevicePrimaryCtxRelease = give_back,
                                         .cuCtxSetCurrent = make_current,
                                         .cuCtxEnablePeerAccess = enable_peer,
                                         .cuMemAlloc = allocate_here,
                                         .cuMemFree = release,
                                         .cuMemHostAlloc = allocate_host,
                                         .cuMemFreeHost = release_host,
                                         .cuStreamCreate = create_stream,
                                         .cuEventCreate = create_event,
                                         .cuGetErrorName = name_error,
                                         .cuGetErrorString = name_error};

/* The second GPU has no memory at first: that fails the cell, not those after it. */
static void a_peer_that_could_not_be_opened(void **state) {
    (void)state;
    struct cuda_device dev = {.cu = &two_gpus, .traits.present = 2};
    struct diag d = {0};
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
        cmocka_unit_test(multiprocessors),
        cmocka_unit_test(gpus),
        cmocka_unit_test(clusters),
        cmocka_unit_test(cpu_threads),
        cmocka_unit_test(large_arrays),
        cmocka_unit_test(host_arrays),
        cmocka_unit_test(wide_elements),
        cmocka_unit_test(cold_locations),
        cmocka_unit_test(shared_arrays),
        cmocka_unit_test(what_never_fits),
        cmocka_unit_test(the_widest_block),
        cmocka_unit_test(devices_without_code),
        cmocka_unit_test(a_peer_that_could_not_be_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
