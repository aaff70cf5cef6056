/* How an environment is fitted to a device and to a test, on an emulated H200. */
#include <limits.h>
#include <stdio.h>

#include "cuda/cuda_kernel.h"
#include "fake_cuda.h"

enum { KIB = 1 << 10, MAX_PINNED = 64 << 20 };

static size_t reserved; /* the largest piece of memory that was asked for */

/* As many blocks as there is room for threads and shared memory. */
static cu_result occupancy(int *blocks, cu_function f, int threads, size_t shared) {
    int by_memory = (int)(228 * KIB / (shared + KIB));
    fake_occupancy(blocks, f, threads, shared);
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

static struct cuda_api h200_driver;

static int make_driver(void **state) {
    (void)state;
    h200_driver = fake_cuda;
    h200_driver.cuOccupancy = occupancy;
    h200_driver.cuOccupancyClusters = occupancy_clusters;
    h200_driver.cuMemAlloc = allocate;
    h200_driver.cuMemFree = release;
    h200_driver.cuMemHostAlloc = pin;
    h200_driver.cuMemFreeHost = unpin;
    h200_driver.cuMemHostGetDevicePointer = find_address;
    return 0;
}

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

/* Only a thread that triggers lingers behind it. */
static void waits_behind_triggers(void **state) {
    (void)state;
    const struct environment choice = {.parameter = {{"linger", 4000}}, .n = 1};
    struct cuda_environment_limits limits = {
        .sms = 132, .threads_multiple = 32, .max_threads = 32, .test_blocks = 2, .triggers = true};
    assert_int_equal(cuda_environment_choose(1, 0, &choice, &limits).linger, 4000);
    limits.triggers = false;
    assert_int_equal(cuda_environment_choose(1, 0, &choice, &limits).linger, -1);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_arrays),          cmocka_unit_test(host_arrays),
        cmocka_unit_test(wide_elements),         cmocka_unit_test(cold_locations),
        cmocka_unit_test(shared_arrays),         cmocka_unit_test(what_never_fits),
        cmocka_unit_test(waits_behind_triggers),
    };
    return cmocka_run_group_tests(tests, make_driver, NULL);
}
