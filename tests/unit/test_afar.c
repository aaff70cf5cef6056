/* Locations in the host's memory: where the kernel finds them, and that all is as without where the driver fails. */
#include "cuda/cuda_afar.h"
#include "fake_cuda.h"

static const char *failing; /* this call, every time */
static int asked, mapped, ranges, memories, streams;
static size_t far_bytes, near_bytes;

static bool fails(const char *call) {
    return failing && strcmp(failing, call) == 0;
}

static cu_result reserve_range(cu_pointer *p, size_t bytes, size_t alignment, cu_pointer hint,
                               unsigned long long flags) {
    asked++;
    ranges += !fails("reserve");
    return fails("reserve") ? OUT_OF_MEMORY : fake_reserve_range(p, bytes, alignment, hint, flags);
}

static cu_result free_range(cu_pointer p, size_t bytes) {
    assert_int_equal(mapped, 0);
    ranges--;
    return fake_free_range(p, bytes);
}

static cu_result create_memory(cu_memory *memory, size_t bytes, const struct cu_memory_kind *kind,
                               unsigned long long flags) {
    bool host = kind->place.type == CU_MEMORY_OF_HOST_NODE;
    if (fails(host ? "create host" : "create")) return OUT_OF_MEMORY;
    *(host ? &far_bytes : &near_bytes) = bytes;
    memories++;
    return fake_create_memory(memory, bytes, kind, flags);
}

static cu_result release_memory(cu_memory memory) {
    (void)memory;
    memories--;
    return 0;
}

static cu_result map_memory(cu_pointer p, size_t bytes, size_t offset, cu_memory memory,
                            unsigned long long flags) {
    mapped += !fails("map");
    return fails("map") ? OUT_OF_MEMORY : fake_map(p, bytes, offset, memory, flags);
}

static cu_result unmap_memory(cu_pointer p, size_t bytes) {
    (void)p, (void)bytes;
    mapped--;
    return 0;
}

static cu_result set_access(cu_pointer p, size_t bytes, const struct cu_memory_access *access, size_t n) {
    return fails("access") ? OUT_OF_MEMORY : fake_set_access(p, bytes, access, n);
}

static cu_result create_stream(cu_stream *s, unsigned flags) {
    streams++;
    return fake_create_stream(s, flags);
}

static cu_result destroy_stream(cu_stream s) {
    (void)s;
    streams--;
    return 0;
}

static struct cuda_api driver;

static int make_driver(void **state) {
    (void)state;
    driver = fake_cuda;
    driver.cuMemAddressReserve = reserve_range;
    driver.cuMemAddressFree = free_range;
    driver.cuMemCreate = create_memory;
    driver.cuMemRelease = release_memory;
    driver.cuMemMap = map_memory;
    driver.cuMemUnmap = unmap_memory;
    driver.cuMemSetAccess = set_access;
    driver.cuStreamCreate = create_stream;
    driver.cuStreamDestroy = destroy_stream;
    return 0;
}

/* ---- a test of three locations, of which the open edge has the last and the first ---- */

static struct observable obs[] = {{.type = {32, 1, true, false}}};
static const struct test t = {.name = "t", .nthreads = 3, .obs = obs, .nobs = 1};
static struct launch_seat seats[3];

static struct cuda_device made_up_device(void) {
    return (struct cuda_device){.cu = &driver,
                                .traits = {.sms = 132, .maps_host = 1},
                                .max_shared = 200 << 10,
                                .memory = (size_t)1 << 36};
}

static void close_device(struct cuda_device *dev) {
    afar_forget(dev);
    fake_free(dev->gpu[0].global);
    fake_free(dev->gpu[0].values);
}

static struct cuda_kernel made_up_kernel(struct cuda_device *dev) {
    return (struct cuda_kernel){.t = &t,
                                .dev = dev,
                                .spots = seats,
                                .gpus = 1,
                                .blocks = 3,
                                .warps = 1,
                                .lanes = 1,
                                .shape = {.words = 1, .global_elements = 3},
                                .cold = {2, 0},
                                .limits = {.sms = dev->traits.sms,
                                           .threads_multiple = 32,
                                           .max_threads = 1024,
                                           .test_blocks = 3,
                                           .locations = 3,
                                           .pow2 = true,
                                           .cold = true,
                                           .afar = true}};
}

/* Every word of every location has a place of its own, in the memory where it should be. */
static void check_places(const struct launch_args *e, const struct cuda_environment *set, cu_pointer range) {
    int chunk = chunk_words(e, e->instances, 3);
    unsigned afar = (unsigned)set->afar, far = (afar & 1) << 2 | (afar >> 1 & 1);
    for (int l = 0; l < 3; l++) {
        if (e->cold == l + 1) continue;
        for (int i = 0; i < e->instances; i += e->instances - 1) {
            int64_t word = line_place(e, i, l) + (2LL * e->batch - 1) * chunk;
            cu_pointer at = (cu_pointer)(uintptr_t)e->global[0] + (cu_pointer)(word * 4);
            assert_int_equal(at < range + far_bytes, far >> l & 1);
            assert_in_range(at, range, range + far_bytes + near_bytes - 4);
        }
        for (int n = 1; n < e->near_lines; n++)
            assert_int_equal(e->lines[l * e->near_lines + n],
                             e->lines[l * e->near_lines + n - 1] + NEAR_WORDS);
    }
    assert_true(3 * e->near_lines * NEAR_WORDS <= chunk);
    assert_true(e->near_lines * NEAR_WORDS >= e->instances * e->stride);
}

static void far_locations_lie_in_the_hosts_memory(void **state) {
    (void)state;
    struct cuda_device dev = made_up_device();
    struct cuda_kernel k = made_up_kernel(&dev);
    int seen[4] = {0}, both = 0;
    asked = 0;
    for (unsigned index = 0; index < 200; index++) {
        struct cuda_environment set = cuda_environment_choose(7, index, NULL, &k.limits);
        struct launch_plan p;
        struct diag d = {0};
        int wanted = set.afar;
        assert_true(plan_make(&k, &set, 1, &p, &d));
        assert_int_equal(set.afar, wanted);
        seen[set.afar]++;
        both += set.afar && p.env[0].cold;
        if (set.afar) check_places(&p.env[0], &set, dev.afar.range);
        if (!set.afar) assert_null(p.env[0].lines);
    }
    for (int n = 0; n < 4; n++)
        assert_true(seen[n] > 10);
    assert_true(both > 10);
    assert_int_equal(asked, 1);
    assert_int_equal(memories, 0);
    close_device(&dev);
    assert_true(mapped == 0 && ranges == 0 && streams == 0);
}

/* A location is either cold or afar. */
static void no_location_is_both(void **state) {
    (void)state;
    struct cuda_device dev = made_up_device();
    struct cuda_kernel k = made_up_kernel(&dev);
    for (int afar = 1; afar <= 3; afar++)
        for (int cold = 0; cold <= 2; cold++) {
            struct environment c = {.parameter = {{"afar", afar}, {"cold", cold}, {"pages", 8}}, .n = 3};
            struct cuda_environment set = cuda_environment_choose(1, 0, &c, &k.limits);
            int other = afar == 3 || cold == 0 ? 0 : 3 - afar;
            assert_int_equal(set.cold, other);
            assert_int_equal(set.pages, other ? 8 : 0);
        }
}

/* What the driver refuses is not asked for again, and nothing of it stays. */
static void a_driver_that_fails(void **state) {
    (void)state;
    static const char *const calls[] = {"reserve", "create host", "create", "map", "access"};
    for (size_t n = 0; n < sizeof calls / sizeof *calls; n++) {
        struct cuda_device dev = made_up_device();
        struct cuda_kernel k = made_up_kernel(&dev);
        failing = calls[n];
        asked = 0;
        for (unsigned index = 0; index < 20; index++) {
            struct cuda_environment set = cuda_environment_choose(7, index, NULL, &k.limits);
            struct launch_plan p;
            struct diag d = {0};
            assert_true(plan_make(&k, &set, 1, &p, &d));
            assert_int_equal(set.afar, 0);
            assert_null(p.env[0].lines);
            assert_int_equal(d.n, 0);
        }
        failing = NULL;
        close_device(&dev);
        assert_int_equal(asked, 1);
        assert_true(mapped == 0 && ranges == 0 && memories == 0 && streams == 0);
    }
}

/* More instances than there is room for in the host's memory. */
static void too_many_instances(void **state) {
    (void)state;
    struct cuda_device dev = made_up_device();
    dev.traits.sms = 900;
    struct cuda_kernel k = made_up_kernel(&dev);
    struct environment c = {
        .parameter = {{"afar", 1}, {"threads", 512}, {"blocks", 2}, {"stride", 8}, {"batch", 2}}, .n = 5};
    struct cuda_environment set = cuda_environment_choose(1, 0, &c, &k.limits);
    struct launch_plan p;
    struct diag d = {0};
    assert_int_equal(set.afar, 1);
    assert_true(plan_make(&k, &set, 1, &p, &d));
    assert_int_equal(set.afar, 0);
    assert_null(p.env[0].lines);
    close_device(&dev);
}

/* Locations afar lie far apart, and shared memory is small: it keeps the room that was asked for. */
static void shared_memory_keeps_its_room(void **state) {
    (void)state;
    struct cuda_device dev = made_up_device();
    struct cuda_kernel k = made_up_kernel(&dev);
    k.shape.shared_elements = 2;
    struct environment c = {.parameter = {{"afar", 1}, {"threads", 64}}, .n = 2};
    struct cuda_environment set = cuda_environment_choose(1, 0, &c, &k.limits);
    struct launch_plan p;
    struct diag d = {0};
    const struct launch_args *e = &p.env[0];
    assert_true(plan_make(&k, &set, 1, &p, &d));
    assert_true(set.afar == 0 && !e->lines);
    assert_int_equal(p.shared, 2 * e->batch * chunk_words(e, e->per_block, 2) * (int)sizeof(int));
    close_device(&dev);
}

/* A sixteenth of the GPU's memory has to hold all chunks. */
static void a_small_gpu(void **state) {
    (void)state;
    for (int small = 0; small < 2; small++) {
        struct cuda_device dev = made_up_device();
        struct cuda_kernel k = made_up_kernel(&dev);
        dev.memory = ((size_t)1 << 30) - (size_t)small;
        struct environment c = {.parameter = {{"afar", 1}, {"cold", 0}, {"threads", 64}}, .n = 3};
        struct cuda_environment set = cuda_environment_choose(1, 0, &c, &k.limits);
        struct launch_plan p;
        struct diag d = {0};
        assert_true(plan_make(&k, &set, 1, &p, &d));
        assert_int_equal(set.afar, !small);
        close_device(&dev);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_locations_lie_in_the_hosts_memory),
        cmocka_unit_test(no_location_is_both),
        cmocka_unit_test(a_driver_that_fails),
        cmocka_unit_test(too_many_instances),
        cmocka_unit_test(shared_memory_keeps_its_room),
        cmocka_unit_test(a_small_gpu),
    };
    return cmocka_run_group_tests(tests, make_driver, NULL);
}
