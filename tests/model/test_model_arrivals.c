/* Arrivals and waits: halves of barriers, grids, cuda::barrier, and warps of which not all come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ask.h"

static const struct model *ptx;

static struct answer asked(const char *yaml) {
    struct answer r = ask(ptx, yaml, NULL);
    assert_int_equal(r.status, MODEL_DONE);
    return r;
}

/* The two halves of a cluster's barrier: what comes before the arrival is seen behind the wait, unless that is relaxed, and
 * what comes between them is not. */
static void halves_of_a_barrier(void **state) {
    (void)state;
#define HALVES(between, condition)                                                                           \
    "name: test\nmemory: {x: 0, y: 0}\naccess: weak\nplacements: [cluster]\nthreads:\n"                      \
    "  A: |\n    x = 1;\n    " between "\n    __cluster_barrier_wait();\n"                                   \
    "  B: |\n    __cluster_barrier_arrive();\n    int e = y;\n    __cluster_barrier_wait();\n    int r = "   \
    "x;\n" condition "\n"
#define ARRIVED "__cluster_barrier_arrive(); y = 1;"
    assert_false(asked(HALVES(ARRIVED, "exists: r == 0")).allowed);
    assert_true(asked(HALVES(ARRIVED, "exists: e == 0")).allowed);
    assert_true(asked(HALVES(ARRIVED, "exists: e == 1")).allowed);
    assert_true(asked(HALVES("__cluster_barrier_arrive_relaxed();", "exists: r == 0")).allowed);
    assert_false(
        asked(HALVES("__threadfence(); __cluster_barrier_arrive_relaxed();", "exists: r == 0")).allowed);
    assert_true(asked(HALVES("__threadfence_block(); __cluster_barrier_arrive_relaxed();", "exists: r == 0"))
                    .allowed);
    assert_true(
        asked(HALVES("__cluster_barrier_arrive_relaxed(); __threadfence();", "exists: r == 0")).allowed);
    /* Nobody has arrived at what is waited for. */
    assert_int_equal(asked(HALVES("y = 1;", "exists: r == 0")).outcomes, 0);
    assert_int_equal(asked(HALVES("cluster_sync();", "exists: r == 0")).outcomes, 0);
}

/* The barrier of a grid is made of atomic operations of device scope. */
static void grids_meet(void **state) {
    (void)state;
#define GRID(placement)                                                                                      \
    "name: test\nmemory: {x: {count: 2}}\naccess: weak\nplacements: [" placement                             \
    "]\nthreads:\n  G:\n    grid: 2\n    body: |\n      x[blockIdx.x] = 1;\n"                                \
    "      cooperative_groups::this_grid().sync();\n      int r = x[1 - blockIdx.x];\n"                      \
    "exists: G[0][0].r == 0 || G[1][0].r == 0\n"
    assert_false(asked(GRID("device")).allowed);
    assert_true(asked(GRID("peer")).allowed);
}

/* cuda::barrier: an arrival releases and a wait acquires, in its scope. */
static void barriers_of_libcuxx_meet(void **state) {
    (void)state;
#define MEETING(scope, first, second)                                                                        \
    "name: test\nmemory: {x: 0, bar: {type: unsigned, init: 0x7ffe7ffe}}\naccess: "                          \
    "weak\nplacements: [device]\nthreads:\n"                                                                 \
    "  A: |\n    cuda::barrier<cuda::thread_scope_" scope "> bar;\n    x = 1; " first "\n"                   \
    "  B: |\n    cuda::barrier<cuda::thread_scope_" scope "> bar;\n    " second "\n    int r = x;\n"         \
    "exists: r == 0\n"
    assert_false(asked(MEETING("device", "bar.arrive();", "bar.arrive_and_wait();")).allowed);
    assert_false(asked(MEETING("device", "bar.arrive_and_wait();", "bar.wait(bar.arrive());")).allowed);
    assert_true(asked(MEETING("block", "bar.arrive();", "bar.arrive_and_wait();")).allowed);
    assert_true(asked(MEETING("device", "bar.arrive_and_wait();", "bar.arrive();")).allowed);
    assert_false(asked(MEETING("device", "bar.arrive_and_wait(); bar.arrive_and_wait();",
                               "bar.arrive(); auto t = bar.arrive(); bar.wait(std::move(t));"))
                     .allowed);
    assert_false(
        asked(MEETING("device", "bar.arrive_and_drop();", "bar.arrive_and_wait(); bar.arrive_and_wait();"))
            .allowed);
    /* A token may be given later. */
#define LATER(scope) "cuda::barrier<cuda::thread_scope_" scope ">::arrival_token t; "
    assert_false(
        asked(MEETING("device", "bar.arrive();", LATER("device") "t = bar.arrive(); bar.wait(std::move(t));"))
            .allowed);
    assert_false(
        asked(
            "name: test\nmemory: {g: {count: 4, init: 1}, s: {count: 4, space: shared}}\n"
            "access: weak\nplacements: [block]\nthreads:\n  A: |\n"
            "    __shared__ cuda::barrier<cuda::thread_scope_block> bar; init(&bar, 1);\n    " LATER(
                "block") "\n    cuda::memcpy_async(&s[0], &g[0], cuda::aligned_size_t<16>(16), bar);\n"
                         "    if (g[0] == 1) t = bar.arrive(); else t = cuda::device::barrier_arrive_tx(bar, "
                         "1, 0);\n    bar.wait(std::move(t)); int r = s[1];\n"
                         "exists: r == 0\n")
            .allowed);
    /* Nobody else arrives a second time. */
    assert_int_equal(
        asked(MEETING("device", "bar.arrive();", "bar.arrive_and_wait(); bar.arrive_and_wait();")).outcomes,
        0);
}

/* A count is of warps, by which the threads of a grid come. */
static void a_grid_is_counted_by_warps(void **state) {
    (void)state;
#define WARPS(block, count)                                                                                  \
    "name: test\nmemory: {x: 0}\naccess: weak\nthreads:\n  G:\n    grid: 1\n    block: " block               \
    "\n    body: |\n      if (threadIdx.x == 1) x = 1;\n      asm volatile(\"bar.sync 1, " count             \
    ";\");\n      int r = x;\nplacements: [device]\nforall: G[0][0].r == 1\n"
    assert_true(asked(WARPS("40", "64")).holds);
    assert_true(asked(WARPS("2", "32")).holds);
    assert_int_equal(asked(WARPS("2", "64")).outcomes, 0);
    assert_true(asked(WARPS("40", "32")).holds); /* each warp by itself */
}

/* Where more warps come than are counted, those meet who come first; others must be told apart by another barrier. */
static void warps_come_first_or_later(void **state) {
    (void)state;
#define COMERS(before, between)                                                                              \
    "name: test\nmemory: {x: 0}\naccess: weak\nthreads:\n  G:\n    grid: 1\n    block: 128\n    body: |\n"   \
    "      int w = threadIdx.x / 32;\n      if (threadIdx.x == 0) x = 1;\n"                                  \
    "      if (" before ") asm volatile(\"bar.sync 1, 64;\");\n      " between                               \
    "\n      int r = x;\nplacements: [device]\nexists: G[0][32].r == 0\n"
    assert_false(asked(COMERS("w < 2", "")).allowed);
    assert_true(asked(COMERS("w >= 0", "")).allowed);
    assert_false(
        asked(COMERS("w < 2", "__syncthreads(); if (w >= 2) asm volatile(\"bar.sync 1, 64;\");")).allowed);
    assert_int_equal(asked(COMERS("w < 3", "")).outcomes, 0); /* one is left alone */
    struct answer many =
        ask(ptx,
            TEST("block", "x: 0", "  T:\n    count: 64\n    body: asm volatile(\"bar.sync 1, 64;\");\n",
                 "exists: x == 0"),
            NULL);
    assert_int_equal(many.status, MODEL_UNKNOWN);
    assert_string_equal(many.why, "too many ways in which threads can meet at barriers");
}

int main(void) {
    struct arena *a = arena_open();
    ptx = ask_model(a, "ptx");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_of_a_barrier),       cmocka_unit_test(grids_meet),
        cmocka_unit_test(barriers_of_libcuxx_meet),  cmocka_unit_test(a_grid_is_counted_by_warps),
        cmocka_unit_test(warps_come_first_or_later),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_close(a);
    return failed;
}
