/* Shards of a suite, the GPU that a result is of, and what a sum of results lacks. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cm.h"
#include "cuda/cuda_identity.h"
#include "results/fleet.h"
#include "sample.h"
#include "session/shard.h"

static void test_shards_are_read(void **state) {
    (void)state;
    static const char *const wrong[] = {"",     "x",   "3",    "0/3",  "4/3",  "/3",     "3/",
                                        "-1/3", "1/0", "1/3x", "1 /3", "+1/3", "1/10001"};
    struct shard s;
    assert_null(shard_read("3/8", &s));
    assert_int_equal(s.number, 3);
    assert_int_equal(s.of, 8);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_string_equal(shard_read(wrong[k], &s),
                            "a number and how many there are, such as 1/8 to 8/8, or auto/8");
}

/* However long the cells take, no shard has more than another one by more than the longest of them. */
static void test_shards_are_even(void **state) {
    (void)state;
    enum { SHARDS = 7, GROUPS = 500, LONGEST = 97 };
    struct arena *a = arena_open();
    struct shard_split mine = shard_begin(a, (struct shard){.number = 1, .of = SHARDS}),
                       theirs = shard_begin(a, (struct shard){.number = 7, .of = SHARDS});
    for (long long k = 0; k < GROUPS; k++) {
        long long work = 1 + k * k % LONGEST;
        assert_int_equal(shard_take(&mine, work, k % 3 == 0), shard_take(&theirs, work, k % 3 == 0));
    }
    for (int s = 0; s < SHARDS; s++)
        for (int t = 0; t < SHARDS; t++)
            assert_in_range(mine.work[s] - mine.work[t] + LONGEST, 0, 2 * LONGEST);
    arena_close(a);
}

/* What takes several devices is the last shard, and nothing else is. */
static void test_several_devices_come_last(void **state) {
    (void)state;
    enum { SHARDS = 4 };
    struct arena *a = arena_open();
    struct shard_split split = shard_begin(a, (struct shard){.number = 1, .of = SHARDS, .apart = true});
    for (int k = 0; k < 10; k++)
        assert_int_equal(shard_take(&split, 1000, true), SHARDS);
    for (int k = 0; k < 9; k++)
        assert_int_equal(shard_take(&split, 1, false), 1 + k % (SHARDS - 1));
    arena_close(a);
}

/* Two texts are not the same as one of both. */
static void test_suites_differ(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct shard_split x = shard_begin(a, (struct shard){.number = 1, .of = 2}), y = x, z = x;
    shard_hash(&x, "ab");
    shard_hash(&y, "a");
    shard_hash(&y, "b");
    shard_hash(&z, "ab");
    assert_true(x.suite != y.suite);
    assert_true(x.suite == z.suite);
    arena_close(a);
}

static void test_missing_shards(void **state) {
    (void)state;
    struct arena *a = arena_open();
    int numbers[] = {2, 3, 5, 6};
    assert_string_equal(shards_missing(a, &(struct shards){.of = 6, .numbers = numbers, .n = 4}), "1 and 4");
    assert_string_equal(shards_missing(a, &(struct shards){.of = 8, .numbers = numbers, .n = 4}),
                        "1, 4, 7 and 8");
    assert_null(shards_missing(a, &(struct shards){.of = 1, .numbers = (int[]){1}, .n = 1}));
    assert_null(shards_missing(a, &(struct shards){0}));
    arena_close(a);
}

/* Of two results of a cell the one that knows more stays: it ran, it was lost, a machine cannot make it, it is another
 * shard's. The device of a cell that is elsewhere is not known. */
static void test_what_is_known_of_a_cell(void **state) {
    (void)state;
    struct cell_outcome outcome;
    struct cell_result kinds[4];
    for (int k = 0; k < 4; k++)
        kinds[k] = ran(&outcome, k == 3 ? 100 : 0);
    kinds[0].skipped = "shard 2 of 2 runs it";
    kinds[0].elsewhere = 2;
    kinds[0].device = NULL;
    kinds[1].skipped = "no GPU";
    kinds[2].skipped = "it could not be run";
    kinds[2].lost = true;
    for (int k = 0; k < 3; k++)
        kinds[k].noutcomes = 0;
    for (int x = 0; x < 4; x++)
        for (int y = 0; y < 4; y++) {
            struct arena *a = arena_open();
            struct diag d = {0};
            struct cell_result mine = kinds[x], other = kinds[y];
            struct test_result left = test_of(&mine, 1), right = test_of(&other, 1);
            struct report sum = {.tests = &left, .ntests = 1}, add = {.tests = &right, .ntests = 1};
            assert_true(results_merge(a, &sum, &add, &d));
            const struct cell_result *known = &sum.tests[0].cells[0], *more = &kinds[x > y ? x : y];
            assert_int_equal(sum.tests[0].ncells, 1);
            assert_true(results_same(known->skipped, more->skipped));
            assert_int_equal(known->elsewhere, more->elsewhere);
            assert_int_equal(known->lost, more->lost);
            assert_int_equal(known->runs, (x == 3 ? 100 : 0) + (y == 3 ? 100 : 0));
            arena_close(a);
        }
}

/* Each shard has claims of its own that failed: the sum has them all, each once. */
static void test_all_failures_stay(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct cell_outcome outcome;
    struct cell_result mine = ran(&outcome, 1), other = mine;
    struct test_result left = test_of(&mine, 1), right = test_of(&other, 1);
    struct failure one[] = {{{3, 1, 0}, "x"}}, two[] = {{{3, 1, 0}, "x"}, {{4, 1, 0}, "x"}};
    left.failures = one;
    left.nfailures = 1;
    right.failures = two;
    right.nfailures = 2;
    struct report sum = {.tests = &left, .ntests = 1}, add = {.tests = &right, .ntests = 1};
    assert_true(results_merge(a, &sum, &add, &d));
    assert_int_equal(sum.tests[0].nfailures, 2);
    assert_int_equal(sum.tests[0].failures[1].pos.line, 4);
    arena_close(a);
}

static void test_machines_stand_side_by_side(void **state) {
    (void)state;
    struct arena *a = arena_open();
    struct property x[] = {{"host", "node1"}, {"nvrtc", "13.0"}};
    struct property y[] = {{"host", "node"}, {"nvrtc", "13.0"}, {"vbios", "96"}};
    struct report sum = {.machine = x, .nmachine = 2}, add = {.machine = y, .nmachine = 3};
    machines_join(a, &sum, &add);
    machines_join(a, &sum, &add);
    assert_int_equal(sum.nmachine, 3);
    assert_string_equal(sum.machine[0].value, "node1; node");
    assert_string_equal(sum.machine[1].value, "13.0");
    assert_string_equal(sum.machine[2].value, "96");
    arena_close(a);
}

/* ---- which GPU it is ---- */

static void write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void test_identity(void **state) {
    (void)state;
    static const char uuid[] = "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f";
    char folder[] = "/tmp/culitmus-XXXXXX", sub[64], path[96], text[IDENTITY_TEXT];
    unsigned char bytes[16];
    for (int k = 0; k < 16; k++)
        bytes[k] = (unsigned char)k;
    assert_string_equal(identity_uuid(bytes, text), uuid);
    assert_non_null(mkdtemp(folder));
    snprintf(sub, sizeof sub, "%s/0000:01:00.0", folder);
    snprintf(path, sizeof path, "%s/information", sub);
    assert_int_equal(mkdir(sub, 0700), 0);
    write_text(path, "Model: \t\t NVIDIA H200\nGPU UUID: \t GPU-00010203-0405-0607-0809-0a0b0c0d0e0f\n"
                     "Video BIOS: \t 96.00.A1\nBus Type: \t PCIe\n");
    assert_true(identity_vbios(folder, uuid, text));
    assert_string_equal(text, "96.00.A1");
    assert_false(identity_vbios(folder, "GPU-00010203", text));
    write_text(path, "GPU UUID: \t GPU-00010203-0405-0607-0809-0a0b0c0d0e0f\nVideo BIOS: \t ??.??.??\n");
    assert_false(identity_vbios(folder, uuid, text));
    write_text(path, "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.15  Thu Jan 23 2025\n");
    assert_true(identity_driver(path, text));
    assert_string_equal(text, "570.86.15");
    unlink(path);
    rmdir(sub);
    rmdir(folder);
    assert_false(identity_driver(path, text));
    assert_false(identity_vbios(folder, uuid, text));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shards_are_read),
        cmocka_unit_test(test_shards_are_even),
        cmocka_unit_test(test_several_devices_come_last),
        cmocka_unit_test(test_suites_differ),
        cmocka_unit_test(test_missing_shards),
        cmocka_unit_test(test_what_is_known_of_a_cell),
        cmocka_unit_test(test_all_failures_stay),
        cmocka_unit_test(test_machines_stand_side_by_side),
        cmocka_unit_test(test_identity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
