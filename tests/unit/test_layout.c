/* The layout of instances on a GPU: no two elements of any two instances may share a word. */
#include <stdlib.h>

#include "../kernels/launch.h"
#include "base/random.h"
#include "cm.h"
#include "cuda/cuda_environment.h"
#include "run/backend.h"

enum { LOCATIONS = 3 };
static const int counts[LOCATIONS] = {1, 1, 4};
enum { ELEMENTS = 6, CHUNKS = 4 };

static struct launch_args draw(uint64_t *state) {
    struct cuda_environment_limits limits = {
        .sms = 132, .threads_multiple = 32, .max_threads = 1024, .test_blocks = 2, .locations = 3};
    struct cuda_environment s = cuda_environment_choose(random_next(state), 0, NULL, &limits);
    int log2 = 2 + (int)(random_next(state) % 5), homes = 1 + (int)(random_next(state) % 9);
    struct launch_args e = {.stride = s.stride,
                            .interleave = s.interleave,
                            .pad = (int)(random_next(state) % 64),
                            .spread = s.spread,
                            .homes = homes,
                            .per_block = 1 << log2,
                            .pow2 = random_next(state) % 4 ? log2 : -1,
                            .instances = homes << log2};
    set_skew(&e, s.skew);
    e.cold = (int)(random_next(state) % 3); /* one of the two that are no array, or none */
    e.pages = e.cold ? 2 + (int)(random_next(state) % 3) : 0;
    e.page_words = CHUNKS * chunk_words(&e, e.instances, ELEMENTS) + (int)(random_next(state) % 3);
    return e;
}

/* Every element of every instance of each chunk gets a word of its own, within the chunk, or on one of the pages. */
static void check_chunks(const struct launch_args *e) {
    size_t chunk = (size_t)chunk_words(e, e->instances, ELEMENTS), page = (size_t)e->page_words;
    char *taken = calloc(page << (e->pages + 1), 1);
    for (int i = 0; i < CHUNKS * e->instances; i++) {
        size_t from = (size_t)(i / e->instances) * chunk;
        for (int l = 0, first = 0; l < LOCATIONS; first += counts[l++]) {
            int n = permuted(e, i % e->instances, first);
            bool cold = e->cold == first + 1;
            int at = cold ? cold_place(e, n) : place(e, n, e->instances, first, counts[l], ELEMENTS);
            for (int x = 0; x < counts[l]; x++) {
                size_t word = from + (size_t)(at + x * e->stride), end = page << e->pages;
                assert_in_range(word, cold ? page : from, cold ? end + page - 1 : from + chunk - 1);
                assert_int_equal(taken[word], 0);
                taken[word] = 1;
            }
        }
    }
    free(taken);
}

static void test_no_word_is_shared(void **state) {
    (void)state;
    uint64_t random = 1;
    for (int n = 0; n < 2000; n++) {
        struct launch_args e = draw(&random);
        check_chunks(&e);
    }
}

static void test_permuted_is_a_permutation(void **state) {
    (void)state;
    struct launch_args e = {.pow2 = 5, .per_block = 32, .homes = 7, .instances = 224, .spread = 21};
    set_skew(&e, 3);
    for (int first = 0; first < 4; first++) {
        char seen[224] = {0};
        for (int i = 0; i < e.instances; i++) {
            int at = permuted(&e, i, first);
            assert_in_range(at, 0, 223);
            assert_int_equal(seen[at], 0);
            seen[at] = 1;
        }
    }
}

/* The blocks that a device of any size has may all be homes. */
static void test_skew_stays_within_the_homes(void **state) {
    (void)state;
    for (int homes = 1; homes <= 4 * MAX_SKEWED_HOMES; homes += homes < 300 ? 1 : 97) {
        struct launch_args e = {.homes = homes};
        set_skew(&e, 65535);
        for (int first = 1; first < 20; first++) {
            int h = homes - 1;
            assert_int_equal(permuted(&e, h, first), (h + e.skew * (first % SKEWED_ELEMENTS)) % homes);
        }
    }
}

/* Every block has a place in one team; blocks of a team are neighbours, or on one of `apart` multiprocessors.
 */
static void test_teams_share_nothing(void **state) {
    (void)state;
    enum { TEAMS = 12 };
    for (int blocks = 1; blocks <= 4; blocks++) {
        for (int apart = 1; apart <= TEAMS; apart++) {
            if (TEAMS % apart != 0) continue;
            for (int vb = 0; vb < TEAMS * blocks; vb++) {
                int team = team_of(vb, blocks, apart), member = member_of(vb, blocks, apart);
                assert_in_range(team, 0, TEAMS - 1);
                assert_in_range(member, 0, blocks - 1);
                assert_int_equal(block_of(team, member, blocks, apart), vb);
                int first = block_of(team, 0, blocks, apart);
                assert_int_equal(vb - first, member * apart);
                assert_int_equal(vb % apart, first % apart);
            }
        }
    }
}

static void test_one_multiprocessor(void **state) {
    (void)state;
    struct cuda_environment_limits limits = {.sms = 132,
                                             .one_sm = true,
                                             .threads_multiple = 32,
                                             .max_threads = 1024,
                                             .test_blocks = 3,
                                             .locations = 1};
    for (unsigned index = 0; index < 100; index++) {
        struct cuda_environment s = cuda_environment_choose(1, index, NULL, &limits);
        assert_int_equal(s.distance, 132); /* block n and block n + 132 are on the same one */
        assert_in_range(s.blocks, 3, 32);
    }
}

static void test_same_seed_same_setting(void **state) {
    (void)state;
    struct cuda_environment_limits limits = {.sms = 132,
                                             .threads_multiple = 32,
                                             .max_threads = 1024,
                                             .test_blocks = 3,
                                             .locations = 2,
                                             .pow2 = true};
    for (unsigned index = 0; index < 500; index++) {
        struct cuda_environment a = cuda_environment_choose(42, index, NULL, &limits),
                                b = cuda_environment_choose(42, index, NULL, &limits);
        struct parameter pa[ENV_MAX], pb[ENV_MAX];
        int n = cuda_environment_describe(&a, pa);
        assert_int_equal(n, cuda_environment_describe(&b, pb));
        for (int i = 0; i < n; i++)
            assert_int_equal(pa[i].value, pb[i].value);
        assert_int_equal(a.threads & (a.threads - 1), 0);
        for (int steps = 1; steps < 3; steps++)
            assert_int_not_equal(steps * a.distance % 132, 0);
        assert_int_equal(a.warm & ~3, 0);
    }
}

/* Only where a location can be cold does an environment say whether one is. */
static void test_cold_is_named_where_it_can_be(void **state) {
    (void)state;
    struct cuda_environment_limits limits = {
        .sms = 132, .threads_multiple = 32, .max_threads = 1024, .test_blocks = 3, .locations = 3};
    struct environment c = {.parameter = {{"cold", 2}, {"pages", 8}, {"pure", 1}}, .n = 3};
    struct parameter at[ENV_MAX];
    struct cuda_environment s = cuda_environment_choose(1, 0, &c, &limits);
    int n = cuda_environment_describe(&s, at);
    limits.cold = true;
    s = cuda_environment_choose(1, 0, &c, &limits);
    assert_int_equal(cuda_environment_describe(&s, at), n + 4);
    assert_string_equal(at[n].name, "cold");
    assert_int_equal(at[n].value, 2);
    assert_string_equal(at[n + 1].name, "pages");
    assert_int_equal(at[n + 1].value, 8);
    assert_string_equal(at[n + 2].name, "pure");
    assert_int_equal(at[n + 2].value, 1);
    assert_string_equal(at[n + 3].name, "afar");
    assert_int_equal(at[n + 3].value, 0); /* the device cannot have it */
}

/* What a schedule names is taken, brought within what the device and the cell can have. */
static void test_choice_is_honoured_and_clamped(void **state) {
    (void)state;
    struct cuda_environment_limits limits = {
        .sms = 132, .threads_multiple = 96, .max_threads = 480, .test_blocks = 2, .locations = 1};
    struct environment c = {
        .parameter = {{"stride", 16}, {"threads", 1024}, {"distance", 132}, {"warm", 7}, {"order", 9}},
        .n = 5};
    struct cuda_environment s = cuda_environment_choose(1, 0, &c, &limits);
    assert_int_equal(s.stride, 16);
    assert_int_equal(s.threads, 480);
    assert_int_equal(s.distance, 133);
    assert_int_equal(s.warm, 1);
    assert_int_equal(s.order, 2);
}

/* A block goes on without the others only where it has all threads of its instances. */
static void test_alone_within_one_block(void **state) {
    (void)state;
    struct environment c = {.parameter = {{"alone", 1}}, .n = 1};
    struct cuda_environment_limits limits = {
        .sms = 132, .threads_multiple = 32, .max_threads = 1024, .test_blocks = 1, .gpus = 1, .locations = 1};
    assert_int_equal(cuda_environment_choose(1, 0, &c, &limits).alone, 1);
    limits.test_blocks = 2;
    assert_int_equal(cuda_environment_choose(1, 0, &c, &limits).alone, 0);
    limits.test_blocks = 1;
    limits.gpus = 2; /* a block on each */
    assert_int_equal(cuda_environment_choose(1, 0, &c, &limits).alone, 0);
    limits.gpus = 1;
    limits.host_threads = 1;
    assert_int_equal(cuda_environment_choose(1, 0, &c, &limits).alone, 0);
}

/* The schedule as it is; then an environment of it, a part of one, and nothing. */
static void test_known_varied_random_take_turns(void **state) {
    (void)state;
    const struct environment schedule[2] = {
        {.parameter = {{"stride", 16}, {"threads", 64}, {"pad", 8}, {"order", 2}}, .n = 4},
        {.parameter = {{"stride", 4}}, .n = 1}};
    struct run_request req = {.seed = 7, .schedule = schedule, .nschedule = 2};
    int kept = 0, varied = 0;
    assert_int_equal(environment_scheduled(&(struct run_request){.seed = 7}, 6).n, 0);
    for (int index = 0; index < 602; index++) {
        struct environment c = environment_scheduled(&req, index);
        const struct environment *known = &schedule[index < 2 ? index : index / 3 % 2];
        if (index >= 2 && index % 3 == 2) assert_int_equal(c.n, 0);
        if (index < 2 || index % 3 == 0) assert_int_equal(c.n, known->n);
        if (index >= 2 && index % 3 == 1) kept += c.n, varied += known->n;
        for (int i = 0, k = 0; i < c.n; i++, k++) {
            while (k < known->n && known->parameter[k].name != c.parameter[i].name)
                k++;
            assert_true(k < known->n);
            assert_int_equal(c.parameter[i].value, known->parameter[k].value);
        }
    }
    assert_in_range(kept, varied * 2 / 3, varied * 5 / 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_word_is_shared),
        cmocka_unit_test(test_permuted_is_a_permutation),
        cmocka_unit_test(test_skew_stays_within_the_homes),
        cmocka_unit_test(test_teams_share_nothing),
        cmocka_unit_test(test_one_multiprocessor),
        cmocka_unit_test(test_same_seed_same_setting),
        cmocka_unit_test(test_cold_is_named_where_it_can_be),
        cmocka_unit_test(test_choice_is_honoured_and_clamped),
        cmocka_unit_test(test_alone_within_one_block),
        cmocka_unit_test(test_known_varied_random_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
