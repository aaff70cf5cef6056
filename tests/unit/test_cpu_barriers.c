/* Threads that wait for each other on the CPU: locks, flags and barriers, and waits that never end. */
#include "base/text.h"
#include "cpu_cell.h"
#include "source/read.h"

/* More threads than cores take turns at a lock, and no increment is lost. */
static void a_lock_keeps_every_increment(void **state) {
    expect_always(state,
                  "name: lock\n"
                  "memory: {mutex: 0, sum: 0}\n"
                  "threads:\n"
                  "  T:\n"
                  "    count: 8\n"
                  "    body: |\n"
                  "      while (atomicCAS(&mutex, 0, 1) != 0) {}\n"
                  "      __threadfence();\n"
                  "      int r = sum;\n"
                  "      sum = r + 1;\n"
                  "      __threadfence();\n"
                  "      atomicExch(&mutex, 0);\n"
                  "forall: sum == 8\n",
                  400, (int32_t[]){8});
}

/* A flag that is waited for, with a reader that never runs ahead of it. */
static void a_wait_ends_when_the_flag_is_set(void **state) {
    expect_always(state,
                  "name: flag\n"
                  "memory: {data: 0, flag: 0}\n"
                  "threads:\n"
                  "  writer: |\n    data = 42; __threadfence(); flag = 1;\n"
                  "  reader: |\n    while (flag == 0) {}\n    __threadfence(); int r = data;\n"
                  "forall: reader.r == 42\n",
                  20000, (int32_t[]){42});
}

/* Every copy writes its element, and after the barrier reads its neighbour's; twice over. */
static void a_block_meets_at_its_barrier(void **state) {
    expect_always(state,
                  "name: barrier\n"
                  "memory: {a: {count: 4}}\n"
                  "threads:\n"
                  "  T:\n"
                  "    count: 4\n"
                  "    body: |\n"
                  "      a[tid] = tid + 1;\n"
                  "      __syncthreads();\n"
                  "      int r = a[(tid + 1) % count];\n"
                  "      __syncthreads();\n"
                  "      a[tid] = r * 10;\n"
                  "      __syncthreads();\n"
                  "      int s = a[(tid + 1) % count];\n"
                  "placements: [block]\n"
                  "forall: T[0].s == 30 && T[1].s == 40 && T[2].s == 10 && T[3].s == 20\n",
                  400, (int32_t[]){30, 40, 10, 20});
}

/* Barriers of a warp and of a cluster, where only those threads meet: T0 and T1 share a warp, T2 is
 * elsewhere. */
static void warps_and_clusters_meet_by_themselves(void **state) {
    expect_always(state,
                  "name: meet\n"
                  "memory: {X: 0, Y: 0}\n"
                  "threads:\n"
                  "  T0: |\n    X = 1; __syncwarp(); cluster_sync();\n"
                  "  T1: |\n    __syncwarp(); int r = X; cluster_sync(); int s = Y;\n"
                  "  T2: |\n    Y = 1; cluster_sync();\n"
                  "placements: [\"T0.T1 T2\"]\n"
                  "forall: T1.r == 1 && T1.s == 1\n",
                  400, (int32_t[]){1, 1});
}

/* A barrier without a count is for those that have it in their text: T2 is not waited for. */
static void who_has_no_barrier_is_not_waited_for(void **state) {
    static const char *const barriers[][2] = {
        {"__syncwarp", "T0.T1.T2"}, {"__syncthreads", "T0 T1 T2"}, {"cluster_sync", "T0 T1 T2"}};
    for (size_t i = 0; i < sizeof barriers / sizeof *barriers; i++) {
        struct text yaml = {0};
        text_printf(&yaml,
                    "name: absent\n"
                    "memory: {X: 0, Y: 0}\n"
                    "threads:\n"
                    "  T0: |\n    X = 1; %s();\n"
                    "  T1: |\n    %s(); int r = X;\n"
                    "  T2: |\n    Y = 1;\n"
                    "placements: [\"%s\"]\n"
                    "forall: T1.r == 1\n",
                    barriers[i][0], barriers[i][0], barriers[i][1]);
        expect_always(state, yaml.s, 400, (int32_t[]){1});
        text_free(&yaml);
    }
}

/* A lane meets one other, while more wait for both of them: each meeting counts its own lanes. */
static void lanes_of_different_masks_meet_by_themselves(void **state) {
    expect_always(state,
                  "name: masks\n"
                  "memory: {X: 0}\n"
                  "threads:\n"
                  "  T:\n"
                  "    grid: 1\n"
                  "    block: 4\n"
                  "    body: |\n"
                  "      int pair = 3 << (threadIdx.x & 2);\n"
                  "      int a = __shfl_xor_sync(pair, threadIdx.x, 1);\n"
                  "      int b = __reduce_add_sync(15, a);\n"
                  "      if (threadIdx.x != 1) b += __ballot_sync(13, a > 1) * 100;\n"
                  "      int c = __shfl_xor_sync(pair, b, 1);\n"
                  "placements: [device]\n"
                  "forall: T[0][0].c == 6 && T[0][1].c == 1206 && T[0][3].c == 1206\n",
                  400, (int32_t[]){6, 1206, 1206});
}

/* Two threads at one number while two others are at another; with a count and without. */
static void barriers_of_different_numbers_meet_by_themselves(void **state) {
    static const char *const counts[] = {"", ", 64"};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct text table = {0};
        const char *n = counts[i];
        text_printf(&table,
                    "PTX pairs\n{ x=0; y=0; }\n"
                    "P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0 | P3@cta 0,gpu 0 ;\n"
                    "st.weak x, 1 | bar.cta.sync 1%s | st.weak y, 1 | bar.cta.sync 2%s ;\n"
                    "bar.cta.sync 1%s | ld.weak r0, x | bar.cta.sync 2%s | ld.weak r0, y ;\n"
                    "forall (P1:r0 == 1 /\\ P3:r0 == 1)\n",
                    n, n, n, n);
        expect_always(state, table.s, 400, (int32_t[]){1, 1});
        text_free(&table);
    }
}

/* First two threads meet at barrier 1, and later all four. */
static void a_barrier_is_met_again_by_more(void **state) {
    expect_always(state,
                  "PTX more\n{ x=0; }\n"
                  "P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0 | P3@cta 0,gpu 0 ;\n"
                  "bar.cta.sync 1, 64 | bar.cta.sync 1, 64 | | ;\n"
                  "bar.cta.sync 2 | bar.cta.sync 2 | bar.cta.sync 2 | bar.cta.sync 2 ;\n"
                  "st.weak x, 1 | | | ;\n"
                  "bar.cta.sync 1 | bar.cta.sync 1 | bar.cta.sync 1 | bar.cta.sync 1 ;\n"
                  " | | ld.weak r0, x | ld.weak r0, x ;\n"
                  "forall (P2:r0 == 1 /\\ P3:r0 == 1)\n",
                  400, (int32_t[]){1, 1});
}

/* Each waits at the barrier that the other comes to second. */
static void barriers_in_opposite_order_are_stuck(void **state) {
    struct cell_result c;
    run_text(&c, state,
             "PTX crossed\n{ x=0; }\n"
             "P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n"
             "bar.cta.sync 1 | bar.cta.sync 2 ;\n"
             "bar.cta.sync 2 | bar.cta.sync 1 ;\n"
             "forall (x == 0)\n",
             NULL, 1000);
    assert_true(c.res.stuck > 0);
    cell_close(&c);
}

/* Nobody sets the flag: the wait ends by itself, and the run soon after. Instances behind it, which nobody played,
 * are not counted. */
static void a_wait_for_nothing_is_stuck(void **state) {
    struct cell_result c;
    run_text(&c, state,
             "name: stuck\n"
             "memory: {X: 0, Y: 0}\n"
             "threads:\n"
             "  P0: |\n    while (X == 0) {}\n"
             "  P1: |\n    Y = 1;\n"
             "forall: Y == 1\n",
             NULL, 1000000);
    assert_true(c.res.stuck > 0);
    assert_int_equal(c.res.runs, c.res.stuck);
    assert_true(c.res.runs < 1000000);
    assert_false(c.res.interrupted);
    cell_close(&c);
}

/* One thread of a block never comes to the barrier. */
static void a_barrier_that_one_misses_is_a_reason_to_skip(void **state) {
    static const char text[] = "name: missed\n"
                               "memory: {X: 0}\n"
                               "threads:\n"
                               "  P0: |\n    __syncthreads();\n"
                               "  P1: |\n    int r = X; if (r == 1) { __syncthreads(); }\n"
                               "placements: [block]\n"
                               "forall: X == 0\n";
    struct fixture *f = *state;
    struct arena *a = arena_open();
    struct diag d = {0};
    struct test *t = test_read_text(a, "test.yaml", text, strlen(text), &d);
    assert_non_null(t);
    struct cell cell = {backend_cpu.placement(t, a), t->accesses[0], &t->fences[0]};
    assert_non_null(backend_cpu.cannot(f->dev, t, &cell, NULL, a));
    diag_free(&d);
    arena_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lock_keeps_every_increment),
        cmocka_unit_test(a_wait_ends_when_the_flag_is_set),
        cmocka_unit_test(a_block_meets_at_its_barrier),
        cmocka_unit_test(warps_and_clusters_meet_by_themselves),
        cmocka_unit_test(who_has_no_barrier_is_not_waited_for),
        cmocka_unit_test(lanes_of_different_masks_meet_by_themselves),
        cmocka_unit_test(barriers_of_different_numbers_meet_by_themselves),
        cmocka_unit_test(a_barrier_is_met_again_by_more),
        cmocka_unit_test(barriers_in_opposite_order_are_stuck),
        cmocka_unit_test(a_wait_for_nothing_is_stuck),
        cmocka_unit_test(a_barrier_that_one_misses_is_a_reason_to_skip),
    };
    return cmocka_run_group_tests(tests, cpu_open, cpu_close);
}
